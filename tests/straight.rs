//! Straight code for each warp: sums that are split among the warps which make their terms, and values that pass in registers.

use graph::interpret::{self, Machine};
use graph::{Graph, Value};
use kernels::{Form, Kernel, Options, build};
use machine::target::Target;
use mapping::{Mapping, partial_sums};
use overlay::{Codegen, Residence};
use schedule::{Limits, Placement, Schedule, balance, proof, refine};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::report::KernelReport;
use testkit::made_up;
use testkit::request;

fn limits() -> Limits {
    let target = Target::by_name("hopper").unwrap();
    let (slots, states) = (Some(400), 60);
    Limits { slots, in_shared: None, barriers: 16, states, points_per_lane: 1, straight: true, target }
}

/// A kernel of a made-up mechanism, with its sums whole and split.
fn split(kernel: Kernel, form: Form, warps: u32) -> (Graph, Graph, Mapping) {
    let model = made_up::model(17, 60, 5);
    let whole = build(kernel, &model, &Options { warps, form, ..Options::default() }).unwrap();
    let mapping = mapping::map(&whole, warps);
    let (split, mapping) =
        partial_sums::apply(&whole, &mapping, &partial_sums::plan(&whole, &mapping, &|op| whole.depths()[op]));
    (whole, split, mapping)
}

fn fields(graph: &Graph) -> Vec<Vec<f64>> {
    let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
    fields[0][0] = 1234.5;
    fields[1][0] = 2e5;
    fields[2].fill(1.0 / 17.0);
    fields
}

fn scheduled(graph: &Graph, mapping: &Mapping) -> Schedule {
    schedule::schedule(graph, mapping, Placement::Auto, &limits()).unwrap()
}

/// Few slots make many phases, whose longest warps take much more than an equal share.
#[test]
fn work_is_shared_by_the_phases_of_the_schedule() {
    let model = made_up::model(17, 60, 5);
    let whole =
        build(Kernel::Chemistry, &model, &Options { warps: 4, form: Form::LogSpace, ..Options::default() }).unwrap();
    let mapping = mapping::map(&whole, 4);
    let plan = partial_sums::plan(&whole, &mapping, &|op| whole.depths()[op]);
    let limits = Limits { slots: Some(48), ..limits() };
    let (graph, mapped) = partial_sums::apply(&whole, &mapping, &plan);
    let ways = schedule::ways(&graph, &mapped, Placement::Auto, &limits).unwrap();
    let clocks = ways[0].clocks;
    let (graph, mapped, mut ways) = refine::refined(&whole, &mapping, plan, &limits, (graph, mapped, ways));
    println!("{clocks} clocks before, {} after", ways[0].clocks);
    assert!(ways[0].clocks < 0.97 * clocks);
    let balance = balance::balance(&graph, &ways[0].schedule).unwrap();
    assert!(balance.lower_bound <= balance.length);
    let [mut a, mut b] = [fields(&whole), fields(&graph)];
    interpret::run(&whole, &mut a);
    interpret::run(&graph, &mut b);
    let scale = a.last().unwrap().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    assert!(a.last().unwrap().iter().zip(b.last().unwrap()).all(|(x, y)| (x - y).abs() <= 1e-13 * scale));
    proof::prove(&graph, &mapped, ways.swap_remove(0).schedule, 16).unwrap();
}

/// Returns a value whose readers all follow it, which passes in registers.
fn passing(graph: &Graph, schedule: &Schedule) -> Value {
    graph.values.keys().find(|&v| schedule.slot_of[v].is_none()).expect("some values pass in registers")
}

#[test]
fn split_sums_add_up_the_same_terms() {
    for (kernel, form) in
        [(Kernel::Chemistry, Form::LogSpace), (Kernel::Chemistry, Form::Pairwise), (Kernel::Isobaric, Form::LogSpace)]
    {
        for warps in [1, 2, 4, 7, 16] {
            let (whole, split, mapping) = split(kernel, form, warps);
            let [mut a, mut b] = [fields(&whole), fields(&split)];
            interpret::run(&whole, &mut a);
            interpret::run(&split, &mut b);
            let scale = a.last().unwrap().iter().fold(0.0f64, |most, x| most.max(x.abs()));
            for (x, y) in a.last().unwrap().iter().zip(b.last().unwrap()) {
                assert!((x - y).abs() <= 1e-13 * scale, "{kernel} {form}, {warps} warps: {x:e} and {y:e}");
            }
            assert!(mapping.warp_of.values().all(|&w| w < warps));
            assert!(warps == 1 || split.ops.len() > whole.ops.len(), "some sums have parts");
        }
    }
}

#[test]
fn schedules_are_proven_and_compute_the_graph() {
    for warps in [1, 2, 4, 8, 13] {
        let (_, graph, mapping) = split(Kernel::Chemistry, Form::LogSpace, warps);
        let schedule = scheduled(&graph, &mapping);
        let proven = proof::prove(&graph, &mapping, schedule, 16).unwrap();
        let mut in_order = fields(&graph);
        let mut machine = Machine::new(&graph, &in_order);
        for at in proven.schedule().phases.iter().flat_map(|phase| phase.runs.iter().flatten()) {
            machine.step(*at, &mut in_order);
        }
        assert!(in_order.last().unwrap().iter().all(|x| x.is_finite()), "{warps} warps");
        passing(&graph, proven.schedule());
    }
}

/// A register is read by its own warp only, and in the phase in which it is written.
#[test]
fn what_passes_in_a_register_stays_in_its_warp_and_phase() {
    let (_, graph, mapping) = split(Kernel::Chemistry, Form::LogSpace, 4);
    let whole = scheduled(&graph, &mapping);
    let refused = |schedule: Schedule| -> Vec<&str> {
        let violations = proof::prove(&graph, &mapping, schedule, 16).expect_err("it is broken");
        violations.iter().map(|d| d.id).collect()
    };
    // A value that another warp reads loses its slot.
    let read_by_others = graph.values.iter().find(|(v, info)| {
        let reads =
            |&at: &_| graph.step(at).inputs.contains(v) && mapping.warp_of[at.op] != mapping.warp_of[info.producer.op];
        graph.steps().any(|at| reads(&at))
    });
    let mut broken = whole.clone();
    broken.slot_of[read_by_others.expect("warps hand over values").0] = None;
    assert!(refused(broken).contains(&"proof::no-slot"));
    // The reader of a passing value moves to the next phase.
    let v = passing(&graph, &whole);
    let reader = graph.steps().find(|&at| graph.step(at).inputs.contains(&v)).unwrap();
    let mut broken = whole;
    let warp = mapping.warp_of[reader.op] as usize;
    let phase = broken.phases.iter().position(|phase| phase.runs[warp].contains(&reader)).unwrap();
    broken.phases[phase].runs[warp].retain(|&at| at != reader);
    broken.phases[phase + 1].runs[warp].insert(0, reader);
    assert!(refused(broken).contains(&"proof::no-slot"));
}

fn report(codegen: Codegen) -> KernelReport {
    let plain = request::new(testkit::shipped("gri30"));
    let request = Request { codegen, kernels: vec![Kernel::Chemistry], ..plain }.with(|r| {
        r.common.target = Target::by_name("hopper").unwrap();
        r.tuning.warps = 4;
        r.tuning.form = None;
        // Passes are those of values alone, but for the table of powers.
        r.tuning.constants = Some(Residence::ConstantBank);
    });
    let report = driver::compile(&request, &mut Observer::silent());
    report.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).kernels.remove(0)
}

#[test]
fn straight_code_takes_fewer_instructions_and_passes() {
    let [switch, straight] = [Codegen::Switch, Codegen::Straight].map(report);
    let counts = |report: &KernelReport| {
        let found = report.verification.as_ref().expect("it was simulated");
        (found.instructions_per_point, found.shared_passes_per_point)
    };
    let ((all, passes), (fewer, less)) = (counts(&switch), counts(&straight));
    assert!(fewer < 0.8 * all && less < 0.7 * passes, "{fewer} of {all} instructions, {less} of {passes} passes");
}

/// Shared functions of the temperature of a few reactions become parts of their operation: no value, and the same bits.
#[test]
fn what_reactions_share_is_no_value_of_its_own() {
    let model = testkit::model(&testkit::shipped("gri30"));
    let whole =
        build(Kernel::Chemistry, &model, &Options { warps: 4, form: Form::LogSpace, ..Options::default() }).unwrap();
    let inlined = partial_sums::inlined(&whole);
    let powers = |graph: &Graph| graph.values.values().filter(|v| v.name.starts_with("power ")).count();
    assert!(powers(&whole) > 10 && powers(&inlined) < powers(&whole) / 2, "{} of {}", powers(&inlined), powers(&whole));
    let count = whole.values.len() as u32;
    assert!(partial_sums::is_crowded(&whole, 20) && !partial_sums::is_crowded(&whole, count));
    let [mut a, mut b] = [&whole, &inlined].map(|graph| {
        let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
        fields[0][0] = 1234.5;
        fields[1][0] = 2e5;
        fields[2].fill(1.0 / 53.0);
        fields
    });
    interpret::run(&whole, &mut a);
    interpret::run(&inlined, &mut b);
    let bits = |fields: &[Vec<f64>]| -> Vec<u64> { fields.last().unwrap().iter().map(|x| x.to_bits()).collect() };
    assert_eq!(bits(&a), bits(&b));
}

/// Warps begin with reactions in one phase, and share what comes before evenly.
#[test]
fn no_warp_makes_terms_while_others_wait() {
    let (_, graph, mapping) = split(Kernel::Chemistry, Form::LogSpace, 4);
    let schedule = scheduled(&graph, &mapping);
    let begins = |warp: usize| {
        let makes = |at: &&graph::StepRef| graph.ops[at.op].name.starts_with("reaction");
        schedule.phases.iter().position(|phase| phase.runs[warp].iter().any(|at| makes(&at)))
    };
    let first: Vec<Option<usize>> = (0..4).map(begins).collect();
    assert!(first.iter().all(|phase| phase.is_some() && *phase == first[0]), "{first:?}");
    let species = |warp: u32| {
        graph.ops.iter().filter(|(op, o)| o.name.starts_with("species") && mapping.warp_of[*op] == warp).count()
    };
    let shares: Vec<usize> = (0..4).map(species).collect();
    assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 2, "{shares:?}");
}
