//! Schedules of made-up mechanisms of every size: always proven, and in the schedule's order the same numbers.

use cranelift_entity::SecondaryMap;
use graph::interpret::{self, Machine};
use graph::{Graph, QssaWarps, Role};
use kernels::{Form, Kernel, Options, build};
use machine::target::Target;
use schedule::{Limits, Placement, Schedule, Storage, proof};
use testkit::made_up;
use testkit::numbers::Numbers;

fn kepler() -> Limits {
    let target = Target::by_name("kepler").unwrap();
    Limits {
        in_shared: None,
        slots: Some(192),
        barriers: 16,
        states: u32::MAX,
        points_per_lane: 1,
        straight: false,
        target,
    }
}

fn graph(kernel: Kernel, species: usize, warps: u32, stage_inputs: bool) -> Graph {
    let model = made_up::model(species, species * 3, species as u64);
    build(kernel, &model, &Options { warps, stage_inputs, ..Options::default() }).unwrap()
}

fn fields(graph: &Graph) -> Vec<Vec<f64>> {
    let mut n = Numbers(7);
    let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
    fields[0][0] = 1234.5;
    fields[1][0] = 2e5;
    let x: Vec<f64> = fields[2].iter().map(|_| n.between(0.01, 1.0)).collect();
    let sum: f64 = x.iter().sum();
    fields[2] = x.iter().map(|x| x / sum).collect();
    fields
}

fn in_schedule_order(graph: &Graph, schedule: &Schedule) -> Vec<f64> {
    let mut fields = fields(graph);
    let mut machine = Machine::new(graph, &fields);
    for at in schedule.phases.iter().flat_map(|p| p.runs.iter().flatten()) {
        machine.step(*at, &mut fields);
    }
    fields.pop().unwrap()
}

#[test]
fn every_warp_count_is_proven_and_computes_the_graph() {
    for kernel in Kernel::ALL {
        for warps in 1..=32 {
            for (species, stage_inputs) in [(2, true), (3, false), (10, true), (24, false), (33, true)] {
                let graph = graph(kernel, species, warps, stage_inputs);
                let mapping = mapping::map(&graph, warps);
                let schedule = schedule::schedule(&graph, &mapping, Placement::Auto, &kepler())
                    .unwrap_or_else(|d| panic!("{kernel} {species} {warps}: {}", d.message));
                let proven = proof::prove(&graph, &mapping, schedule, kepler().barriers)
                    .unwrap_or_else(|d| panic!("{kernel} {species} species {warps} warps: {}", d[0].message));
                let mut expected = fields(&graph);
                interpret::run(&graph, &mut expected);
                let found = in_schedule_order(&graph, proven.schedule());
                for (a, b) in found.iter().zip(expected.last().unwrap()) {
                    assert!((a - b).abs() <= 1e-9 * b.abs() + 1e-300, "{kernel} {species} {warps}: {a} {b}");
                }
            }
        }
    }
}

/// A warp that works alone runs its steps in an order in which few values live at once.
#[test]
fn straight_line_code_is_proven_and_keeps_few_values() {
    let limits = Limits { slots: None, barriers: 0, ..kepler() };
    for kernel in Kernel::ALL {
        for (species, stage_inputs) in [(2, true), (10, false), (24, true), (33, false)] {
            let graph = graph(kernel, species, 1, stage_inputs);
            let mapping = mapping::map(&graph, 1);
            let schedule = schedule::schedule(&graph, &mapping, Placement::Auto, &limits).unwrap();
            assert_eq!(schedule.storage, Storage::Registers);
            let proven = proof::prove(&graph, &mapping, schedule, 0)
                .unwrap_or_else(|d| panic!("{kernel} {species} species: {}", d[0].message));
            let mut expected = fields(&graph);
            interpret::run(&graph, &mut expected);
            let found = in_schedule_order(&graph, proven.schedule());
            for (a, b) in found.iter().zip(expected.last().unwrap()) {
                assert!((a - b).abs() <= 1e-9 * b.abs() + 1e-300, "{kernel} {species}: {a} {b}");
            }
            let states: u32 = graph.ops.values().map(|operation| operation.states).sum();
            let (alive, all) = (proven.schedule().slots, graph.values.len() as u32 + states);
            println!("{kernel}, {species} species: {alive} of {all} values and states alive at once");
            assert!(species < 24 || 4 * alive <= 3 * all, "{kernel}, {species} species: {alive} of {all}");
        }
    }
}

/// The order that the search finds keeps less than half of what steps that see no further than themselves keep: 177 doubles.
#[test]
fn reactions_are_ordered_by_the_species_that_they_share() {
    let files = mechanism::Files {
        mechanism: testkit::root().join("mechanisms/gri30/chem.inp"),
        ..mechanism::Files::default()
    };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let options = Options { warps: 1, form: Form::LogSpace, ..Options::default() };
    let graph = build(Kernel::Chemistry, &model, &options).unwrap();
    let mapping = mapping::map(&graph, 1);
    let limits = Limits { slots: None, barriers: 0, ..kepler() };
    let schedule = schedule::schedule(&graph, &mapping, Placement::Auto, &limits).unwrap();
    println!("{} doubles alive at once", schedule.slots);
    assert!(schedule.slots <= 88, "{}", schedule.slots);
    proof::prove(&graph, &mapping, schedule, 0).unwrap_or_else(|d| panic!("{}", d[0].message));
}

/// Work of the QSSA warps stays there, whatever the others have to do.
#[test]
fn a_crew_keeps_to_its_warps() {
    for group in [1, 2] {
        let mut graph = graph(Kernel::Viscosity, 3, 4, true);
        let ops: Vec<_> = graph.ops.keys().collect();
        let mut roles = SecondaryMap::new();
        ops.iter().step_by(2).for_each(|op| roles[*op] = Role::Member);
        graph.qssa_warps = Some(QssaWarps { warps: group, roles: roles.clone() });
        let mapping = mapping::map(&graph, 4);
        let warps = |role: Role| ops.iter().filter(move |op| roles[**op] == role).map(|op| mapping.warp_of[*op]);
        assert!(warps.clone()(Role::Member).all(|warp| warp < group), "{group}");
        assert!(warps(Role::Other).any(|warp| warp >= group), "{group}");
    }
}

/// The cost of a schedule grows with the points of a lane, and by about the latency of a barrier for each barrier.
#[test]
fn barriers_cost_their_latency() {
    let graph = graph(Kernel::Viscosity, 10, 4, true);
    let mapping = mapping::map(&graph, 4);
    let schedule = schedule::schedule(&graph, &mapping, Placement::Auto, &kepler()).unwrap();
    let clocks = |points_per_lane| {
        let limits = Limits { points_per_lane, ..kepler() };
        schedule.iteration(&graph, &limits).clocks(limits.target)
    };
    let length = clocks(2) - clocks(1);
    let barriers = clocks(1) - length;
    assert!(schedule.sync_points() > 0 && length > 0.0);
    // Four warps share 64 lanes: a slot of each takes two clocks.
    assert_eq!(barriers, 2.0 * 20.0 * f64::from(schedule.sync_points()));
}

#[test]
fn scarce_shared_memory_and_barriers_still_give_proven_schedules() {
    let mut proven = 0;
    for kernel in Kernel::ALL {
        for warps in [2, 3, 7, 8, 16] {
            for placement in [Placement::Auto, Placement::Buffer, Placement::Mixed] {
                for (slots, barriers) in [(192, 1), (96, 2), (64, 4), (48, 8), (40, 16)] {
                    let graph = graph(kernel, 30, warps, false);
                    let mapping = mapping::map(&graph, warps);
                    let limits = Limits { slots: Some(slots), barriers, states: 40, ..kepler() };
                    match schedule::schedule(&graph, &mapping, placement, &limits) {
                        Ok(schedule) => {
                            assert!(schedule.slots <= slots);
                            proof::prove(&graph, &mapping, schedule, barriers).unwrap_or_else(|d| {
                                panic!("{kernel} {warps} {placement:?} {slots} {barriers}: {}", d[0].message)
                            });
                            proven += 1;
                        }
                        Err(d) => assert_eq!(d.id, "schedule::shared-memory", "{}", d.message),
                    }
                }
            }
        }
    }
    assert!(proven > 200, "{proven} of 300");
}

/// Where slots are scarce, the shorter of a schedule that keeps some and one that keeps none is taken, unless registers are
/// scarce, too.
#[test]
fn a_buffer_is_taken_where_it_is_shorter() {
    let roomy = Limits { states: u32::MAX, ..kepler() };
    let mut shorter = 0;
    for species in [40, 48, 56, 64] {
        let graph = graph(Kernel::Chemistry, species, 8, true);
        let mapping = mapping::map(&graph, 8);
        assert!(graph.values.len() > 192, "{species} species: all values have slots");
        let cost = |placement: Placement, limits: &Limits| {
            let schedule = schedule::schedule(&graph, &mapping, placement, limits).unwrap();
            schedule.iteration(&graph, limits).clocks(limits.target)
        };
        let kept = cost(Placement::Mixed, &roomy);
        let chosen = cost(Placement::Auto, &roomy);
        println!("{species} species: {kept} with kept slots, {chosen} as chosen");
        assert!(chosen <= kept, "{species} species");
        shorter += u32::from(chosen < kept);
        let tight = Limits { states: 4, ..roomy };
        assert_eq!(cost(Placement::Auto, &tight), cost(Placement::Mixed, &tight), "{species} species");
    }
    assert!(shorter > 0);
}
