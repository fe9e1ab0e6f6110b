//! Schedules that the proof accepts, and one broken schedule for each class of error.

use cranelift_entity::SecondaryMap;
use diagnostics::Diagnostic;
use graph::body::{Body, Tensor};
use graph::{Array, Graph, Operation, Part, QssaWarps, Role, Step, StepRef};
use mapping::Mapping;
use schedule::{Phase, Placement, Schedule, Storage, SyncPoint, proof};

/// (id that the proof must report, what is broken, the breaking of [`handover`]).
pub type Broken = (&'static str, &'static str, fn(&mut Schedule));

pub const BROKEN: [Broken; 16] = [
    ("proof::deadlock", "a warp that never arrives", |s| s.phases[0].syncs[0].arrive = 0),
    ("proof::race", "between reader and writer", |s| s.phases[0].syncs.clear()),
    // The producer waits, and the consumer, which should, only arrives.
    ("proof::race", "a hand-over with its sides swapped", |s| {
        let SyncPoint { arrive, wait, .. } = &mut s.phases[0].syncs[0];
        std::mem::swap(arrive, wait);
    }),
    // Without the last barrier warp 0 overwrites the slots for the next points while warp 1 still reads.
    ("proof::race", "over the back edge", |s| s.phases[2].syncs.clear()),
    // Warp 0 may arrive a second time before warp 1 came to the first use.
    ("proof::barrier-recycling", "without knowledge", |s| s.phases[1].syncs[0].id = 1),
    ("proof::barrier-count", "counts that differ", |s| s.phases[0].syncs[0].threads = 96),
    ("proof::barrier-count", "a count that cannot be met", |s| s.phases[0].syncs[0].threads = 63),
    ("proof::barrier-limit", "a barrier that the CTA does not have", |s| s.phases[0].syncs[0].id = 16),
    ("proof::barrier-twice", "a warp that arrives twice", |s| {
        let only_arrive = SyncPoint { wait: 0, ..s.phases[0].syncs[0].clone() };
        s.phases[0].syncs = vec![only_arrive.clone(), only_arrive];
    }),
    ("proof::barrier-left-open", "an arrival that nobody waits for", |s| {
        s.phases[2].syncs.push(SyncPoint { id: 3, arrive: 1, wait: 0, threads: 64 });
    }),
    ("proof::wrong-warp", "steps of the other warp", |s| s.phases[0].runs.swap(0, 1)),
    ("proof::missing-step", "a step left out", |s| s.phases[2].runs[1].clear()),
    ("proof::repeated-step", "a step that runs again", |s| {
        let again = s.phases[0].runs[0][0];
        s.phases[1].runs[0].push(again);
    }),
    ("proof::no-slot", "a value without slot", |s| *first_slot(s) = None),
    ("proof::no-slot", "a slot that the CTA does not have", |s| *first_slot(s) = Some(2)),
    ("proof::wrong-value", "two values in one slot", |s| {
        *first_slot(s) = Some(1);
        let second = std::mem::take(&mut s.phases[1].runs[0]);
        s.phases[0].runs[0].extend(second);
    }),
];

/// Returns the errors of the proof for a broken schedule.
pub fn violations(break_it: fn(&mut Schedule)) -> Vec<Diagnostic> {
    let (graph, mapping, mut schedule) = handover();
    break_it(&mut schedule);
    proof::prove(&graph, &mapping, schedule, 16).err().unwrap_or_default()
}

fn first_slot(schedule: &mut Schedule) -> &mut Option<u32> {
    let (first, _) = schedule.slot_of.iter().next().expect("the handover has two values");
    &mut schedule.slot_of[first]
}

/// Warp 0 makes two values, warp 1 stores them, each handed over by a barrier of its own.
pub fn handover() -> (Graph, Mapping, Schedule) {
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
    let single = |name: &str, epilogue: Step| Operation {
        name: name.into(),
        states: 0,
        prologue: None,
        iterations: vec![],
        ordered: false,
        epilogue,
    };
    let mut warp_of = SecondaryMap::new();
    let mut slot_of = SecondaryMap::new();
    let mut steps = Vec::new();
    for row in 0..2 {
        let step = Step { shape: make, rows: vec![row], ..Step::default() };
        let from = graph.add(single(&format!("make {row}"), step), |_, _| format!("value {row}"));
        let value = graph.ops[from].epilogue.outputs[0];
        let step = Step { shape: store, inputs: vec![value], stores: vec![(1, row)], ..Step::default() };
        let to = graph.add(single(&format!("store {row}"), step), |_, _| unreachable!());
        warp_of[from] = 0;
        warp_of[to] = 1;
        slot_of[value] = Some(row);
        steps.push((StepRef { op: from, part: Part::Epilogue }, StepRef { op: to, part: Part::Epilogue }));
    }
    let hand_over = |id| SyncPoint { id, arrive: 0b01, wait: 0b10, threads: 64 };
    let everybody = SyncPoint { id: 0, arrive: 0, wait: 0b11, threads: 64 };
    let phases = vec![
        Phase { runs: vec![vec![steps[0].0], vec![]], syncs: vec![hand_over(1)], warp_syncs: 0 },
        Phase { runs: vec![vec![steps[1].0], vec![steps[0].1]], syncs: vec![hand_over(2)], warp_syncs: 0 },
        Phase { runs: vec![vec![], vec![steps[1].1]], syncs: vec![everybody], warp_syncs: 0 },
    ];
    let schedule = Schedule {
        warps: 2,
        phases,
        slot_of,
        slots: 2,
        placement: Placement::Store,
        storage: Storage::Shared,
        crossing_values: 2,
    };
    (graph, Mapping { warps: 2, warp_of }, schedule)
}

/// Returns the errors of the proof when the one QSSA warp has the first step of the handover, and the `others` too.
pub fn qssa_warps(others: &[(usize, usize)]) -> Vec<Diagnostic> {
    let (mut graph, mapping, schedule) = handover();
    let mut roles = SecondaryMap::new();
    for (phase, warp) in others.iter().chain(&[(0, 0)]) {
        roles[schedule.phases[*phase].runs[*warp][0].op] = Role::Member;
    }
    graph.qssa_warps = Some(QssaWarps { warps: 1, roles });
    proof::prove(&graph, &mapping, schedule, 16).err().unwrap_or_default()
}

/// Returns the errors of the proof for an operation whose last step runs before its first.
pub fn out_of_order() -> Vec<Diagnostic> {
    let mut graph = Graph::new("sum", vec![Array { name: "out", rows: 1, output: true }]);
    graph.preamble.shape = graph.shape(Body::default());
    let mut b = Body::default();
    let zero = b.literal(0.0);
    b.states = vec![zero];
    let begin = Step { shape: graph.shape(b), ..Step::default() };
    let mut b = Body::default();
    let x = b.state(0);
    b.stores = vec![x];
    let epilogue = Step { shape: graph.shape(b), stores: vec![(0, 0)], ..Step::default() };
    let operation = Operation {
        name: "sum".into(),
        states: 1,
        prologue: Some(begin),
        iterations: vec![],
        ordered: false,
        epilogue,
    };
    let op = graph.add(operation, |_, _| unreachable!("no step has an output"));
    let runs = [Part::Epilogue, Part::Prologue].map(|part| StepRef { op, part }).to_vec();
    let phases = vec![Phase { runs: vec![runs], syncs: vec![], warp_syncs: 0 }];
    let slot_of = SecondaryMap::new();
    let schedule = Schedule {
        warps: 1,
        phases,
        slot_of,
        slots: 0,
        placement: Placement::Store,
        storage: Storage::Shared,
        crossing_values: 0,
    };
    let mut warp_of = SecondaryMap::new();
    warp_of[op] = 0;
    proof::prove(&graph, &Mapping { warps: 1, warp_of }, schedule, 16).err().unwrap_or_default()
}

/// Returns the errors of the proof when lanes of one warp exchange a value, and they meet at the boundaries of these `phases`.
pub fn exchange(phases: [bool; 2]) -> Vec<Diagnostic> {
    let mut graph = Graph::new("exchange", vec![Array { name: "out", rows: 1, output: true }]);
    graph.preamble.shape = graph.shape(Body::default());
    let mut b = Body { tensor: Some(Tensor::Pass), ..Body::default() };
    b.values = vec![b.literal(1.0)];
    let step = Step { shape: graph.shape(b), ..Step::default() };
    let single = |epilogue| Operation {
        name: "step".into(),
        states: 0,
        prologue: None,
        iterations: vec![],
        ordered: false,
        epilogue,
    };
    let from = graph.add(single(step), |_, _| "value".into());
    let mut b = Body::default();
    b.stores = vec![b.input(0)];
    let inputs = graph.ops[from].epilogue.outputs.clone();
    let step = Step { shape: graph.shape(b), inputs: inputs.clone(), stores: vec![(0, 0)], ..Step::default() };
    let to = graph.add(single(step), |_, _| unreachable!("the step stores only"));
    let phase = |op, waits: bool| {
        let run = vec![StepRef { op, part: Part::Epilogue }];
        Phase { runs: vec![run], syncs: vec![], warp_syncs: u32::from(waits) }
    };
    let phases = vec![phase(from, phases[0]), phase(to, phases[1])];
    let mut slot_of = SecondaryMap::new();
    slot_of[inputs[0]] = Some(0);
    let schedule = Schedule {
        warps: 1,
        phases,
        slot_of,
        slots: 1,
        placement: Placement::Store,
        storage: Storage::Shared,
        crossing_values: 0,
    };
    let mut warp_of = SecondaryMap::new();
    (warp_of[from], warp_of[to]) = (0, 0);
    proof::prove(&graph, &Mapping { warps: 1, warp_of }, schedule, 16).err().unwrap_or_default()
}
