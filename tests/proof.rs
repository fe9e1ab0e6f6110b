//! One broken schedule per class of error: the proof refuses each for the right reason, and accepts the schedule that
//! they were made from.

use cranelift_entity::SecondaryMap;
use singe::dataflow::body::Body;
use singe::dataflow::{Array, Crew, Duty, Graph, Operation, Part, Step, StepRef};
use singe::mapping::Mapping;
use singe::schedule::{Phase, Placement, Schedule, SyncPoint, proof};

/// Warp 0 makes two values, warp 1 stores them, each handed over by a barrier of its own.
fn handover() -> (Graph, Mapping, Schedule) {
    let arrays = vec![Array { name: "in", rows: 2, output: false }, Array { name: "out", rows: 2, output: true }];
    let mut graph = Graph::new("handover", arrays);
    graph.preamble.shape = graph.shape(Body::default());
    let mut b = Body::default();
    let x = b.field(0, 0);
    b.values = vec![x];
    let make = graph.shape(b);
    let mut b = Body::default();
    let x = b.input(0);
    b.stores = vec![x];
    let store = graph.shape(b);
    let single = |name: &str, after: Step| Operation {
        name: name.into(),
        states: 0,
        before: None,
        rounds: vec![],
        ordered: false,
        after,
    };
    let mut warp_of = SecondaryMap::new();
    let mut slot_of = SecondaryMap::new();
    let mut steps = Vec::new();
    for row in 0..2 {
        let step = Step { shape: make, rows: vec![row], ..Step::default() };
        let from = graph.add(single(&format!("make {row}"), step), |_, _| format!("value {row}"));
        let value = graph.ops[from].after.outputs[0];
        let step = Step { shape: store, inputs: vec![value], stores: vec![(1, row)], ..Step::default() };
        let to = graph.add(single(&format!("store {row}"), step), |_, _| unreachable!());
        warp_of[from] = 0;
        warp_of[to] = 1;
        slot_of[value] = Some(row);
        steps.push((StepRef { op: from, part: Part::After }, StepRef { op: to, part: Part::After }));
    }
    let hand_over = |id| SyncPoint { id, arrive: 0b01, wait: 0b10, threads: 64 };
    let everybody = SyncPoint { id: 0, arrive: 0, wait: 0b11, threads: 64 };
    let phases = vec![
        Phase { runs: vec![vec![steps[0].0], vec![]], syncs: vec![hand_over(1)] },
        Phase { runs: vec![vec![steps[1].0], vec![steps[0].1]], syncs: vec![hand_over(2)] },
        Phase { runs: vec![vec![], vec![steps[1].1]], syncs: vec![everybody] },
    ];
    let schedule = Schedule { warps: 2, phases, slot_of, slots: 2, placement: Placement::Store, crossing_values: 2 };
    (graph, Mapping { warps: 2, warp_of }, schedule)
}

fn refused(id: &str, change: impl FnOnce(&mut Schedule)) {
    let (graph, mapping, mut schedule) = handover();
    change(&mut schedule);
    let violations = proof::prove(&graph, &mapping, schedule, 16).expect_err(id);
    let found: Vec<&str> = violations.iter().map(|d| d.id).collect();
    assert!(found.contains(&id), "{id} is not among {found:?}: {}", violations[0].message);
}

#[test]
fn the_handover_is_proven() {
    let (graph, mapping, schedule) = handover();
    proof::prove(&graph, &mapping, schedule, 16).unwrap();
}

#[test]
fn deadlock() {
    refused("proof::deadlock", |s| s.phases[0].syncs[0].arrive = 0);
}

#[test]
fn race_between_reader_and_writer() {
    refused("proof::race", |s| s.phases[0].syncs.clear());
}

#[test]
fn race_over_the_back_edge() {
    // Without the last barrier warp 0 overwrites the slots for the next points while warp 1 still reads.
    refused("proof::race", |s| s.phases[2].syncs.clear());
}

#[test]
fn recycling_without_knowledge() {
    // Warp 0 may arrive a second time before warp 1 came to the first use.
    refused("proof::barrier-recycling", |s| s.phases[1].syncs[0].id = 1);
}

#[test]
fn counts_that_differ_or_cannot_be_met() {
    refused("proof::barrier-count", |s| s.phases[0].syncs[0].threads = 96);
    refused("proof::barrier-count", |s| s.phases[0].syncs[0].threads = 63);
}

#[test]
fn a_barrier_that_the_cta_does_not_have() {
    refused("proof::barrier-limit", |s| s.phases[0].syncs[0].id = 16);
}

#[test]
fn a_warp_that_arrives_twice() {
    refused("proof::barrier-twice", |s| {
        let mut only_arrive = s.phases[0].syncs[0].clone();
        only_arrive.wait = 0;
        s.phases[0].syncs = vec![only_arrive.clone(), only_arrive];
    });
}

#[test]
fn a_barrier_left_open() {
    refused("proof::barrier-left-open", |s| {
        s.phases[2].syncs.push(SyncPoint { id: 3, arrive: 1, wait: 0, threads: 64 });
    });
}

#[test]
fn a_step_in_the_wrong_warp() {
    refused("proof::wrong-warp", |s| s.phases[0].runs.swap(0, 1));
}

#[test]
fn a_step_of_the_crew_in_another_warp() {
    let (mut graph, mapping, schedule) = handover();
    let mut duties = SecondaryMap::new();
    duties[schedule.phases[0].runs[0][0].op] = Duty::Member;
    graph.crew = Some(Crew { warps: 1, duties: duties.clone() });
    proof::prove(&graph, &mapping, schedule.clone(), 16).unwrap();
    duties[schedule.phases[2].runs[1][0].op] = Duty::Member;
    graph.crew = Some(Crew { warps: 1, duties });
    let violations = proof::prove(&graph, &mapping, schedule, 16).expect_err("warp 1 is not of the crew");
    assert!(violations.iter().all(|d| d.id == "proof::outside-crew"), "{}", violations[0].message);
}

#[test]
fn a_step_that_is_missing_or_repeated() {
    refused("proof::missing-step", |s| s.phases[2].runs[1].clear());
    refused("proof::repeated-step", |s| {
        let again = s.phases[0].runs[0][0];
        s.phases[1].runs[0].push(again);
    });
}

#[test]
fn a_value_without_slot_or_in_the_wrong_one() {
    let (graph, ..) = handover();
    let first = graph.values.keys().next().unwrap();
    refused("proof::no-slot", |s| s.slot_of[first] = None);
    refused("proof::no-slot", |s| s.slot_of[first] = Some(2));
    refused("proof::wrong-value", |s| {
        s.slot_of[first] = Some(1);
        let second = std::mem::take(&mut s.phases[1].runs[0]);
        s.phases[0].runs[0].extend(second);
    });
}
