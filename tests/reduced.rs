//! The kernels of reduced mechanisms: graphs against reference values, and the whole pipeline.

use std::collections::BTreeMap;

use graph::interpret;
use graph::interpret::Machine;
use kernels::{Form, Kernel, Options, build};
use kinetics::{self, State, Stiffness};
use overlay::Codegen;
use serde::Deserialize;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::verify;
use testkit::reference::{Case, published, shipped};
use testkit::request::new as request;
use testkit::verified::reports;
use warpsim::{self, Buffer, Launch};

#[derive(Deserialize)]
struct Reference {
    states: Vec<Sample>,
}

#[derive(Deserialize)]
#[allow(non_snake_case, reason = "the names of the file")]
struct Sample {
    T: f64,
    P: f64,
    X: Vec<f64>,
    DIFF: Vec<f64>,
    dt: f64,
    sensitivity: f64,
    wdot: Vec<f64>,
    gross: Vec<f64>,
    wdot_jacobi: Vec<f64>,
    gross_jacobi: Vec<f64>,
}

impl Sample {
    fn state(&self) -> State {
        State { temperature: self.T, pressure: self.P, mole_fractions: self.X.clone() }
    }
}

fn graphs_equal_the_reference(case: &Case) {
    let (name, path) = (&case.name, case.mechanism.clone());
    let model = testkit::model(&path);
    let reference: Reference = case.values("_reduced");
    let ways = [(Stiffness::Sequential, true), (Stiffness::Jacobi, false)];
    for ((stiffness, stage_inputs), form) in
        ways.into_iter().flat_map(|way| [(way, Form::Pairwise), (way, Form::LogSpace)])
    {
        let options = Options { stage_inputs, stiffness, form, ..Options::default() };
        let graph = build(Kernel::Chemistry, &model, &options).unwrap();
        for (n, s) in reference.states.iter().enumerate() {
            let output = vec![f64::NAN; s.X.len()];
            let mut fields = vec![vec![s.T], vec![s.P], s.X.clone(), s.DIFF.clone(), vec![s.dt], output];
            interpret::run(&graph, &mut fields);
            let (net, gross) = match stiffness {
                Stiffness::Jacobi => (&s.wdot_jacobi, &s.gross_jacobi),
                _ => (&s.wdot, &s.gross),
            };
            let tolerance = f64::max(1e-8, 3e-10 * s.sensitivity);
            for ((found, expected), gross) in fields[5].iter().zip(net).zip(gross) {
                let close = (found - expected).abs() <= tolerance * gross;
                assert!(
                    close,
                    "{name} {form} state {n} {stiffness:?}: {found:e} instead of {expected:e}, gross {gross:e}"
                );
            }
        }
    }
}

#[test]
fn methane_graph() {
    graphs_equal_the_reference(&shipped("methane"));
}

/// Checks the two mechanisms of the paper like the methane mechanism.
#[test]
fn dme() {
    asked_of("dme", 8, 4);
}

#[test]
fn heptane() {
    asked_of("heptane", 16, 2);
}

fn asked_of(name: &str, warps: u32, qssa_warps: u32) {
    let Some(case) = published(name) else { return };
    graphs_equal_the_reference(&case);
    simulated_kernels_equal_the_reference(&case, warps, qssa_warps);
    kernels(&case, &SOME_WARPS);
    if testkit::skip::sweeps(format!("{name} at further numbers of warps")) {
        kernels(&case, &MORE_WARPS);
    } else if name == "heptane" {
        // DME shows what is below
        return;
    }
    for form in [Form::Pairwise, Form::LogSpace] {
        quasi_steady_species_balance(&case, warps, qssa_warps, form);
    }
    several_ctas_fit_or_the_message_names_the_resource(&case);
    qssa_work_runs_beside_rates(&case, warps, qssa_warps);
    the_hand_over_is_one_sided(&case, warps, qssa_warps);
}

/// The kernels as users get them, run in the simulator on the states of the file.
fn simulated_kernels_equal_the_reference(case: &Case, warps: u32, qssa_warps: u32) {
    let (name, path) = (&case.name, case.mechanism.clone());
    let model = testkit::model(&path);
    let reference: Reference = case.values("_reduced");
    let states = &reference.states;
    for stiffness in [Stiffness::Sequential, Stiffness::Jacobi] {
        let kernels = vec![Kernel::Chemistry];
        let request = Request { kernels, verify: None, ..request(path.clone()) }.with(|r| {
            r.tuning.warps = warps;
            r.tuning.qssa_warps = Some(qssa_warps);
            r.common.stiffness = stiffness;
        });
        let unit = testkit::request::unit(Kernel::Chemistry, &model, &request);
        let species = states[0].X.len();
        let fields = |rows: usize, of: &dyn Fn(&Sample, usize) -> f64| {
            let values: Vec<f64> = (0..rows).flat_map(|row| states.iter().map(move |s| of(s, row))).collect();
            Buffer::input(&values)
        };
        let mut buffers = vec![
            fields(1, &|s, _| s.T),
            fields(1, &|s, _| s.P),
            fields(species, &|s, k| s.X[k]),
            fields(species, &|s, k| s.DIFF[k]),
            fields(1, &|s, _| s.dt),
            Buffer::output(species * states.len()),
        ];
        let points = states.len() as u32;
        let launch = Launch::fields(1, warps, buffers.len(), points, points);
        warpsim::run(&unit.ptx, &unit.program.symbol, &launch, &mut buffers, &warpsim::Options::default())
            .unwrap_or_else(|hazards| panic!("{name}: {}", hazards.list[0]));
        let found = buffers[5].reals();
        let mut worst = 0.0f64;
        for (n, s) in states.iter().enumerate() {
            let (net, gross) = match stiffness {
                Stiffness::Jacobi => (&s.wdot_jacobi, &s.gross_jacobi),
                _ => (&s.wdot, &s.gross),
            };
            let tolerance = f64::max(1e-8, 3e-10 * s.sensitivity);
            for k in 0..species {
                let error = (found[k * states.len() + n] - net[k]).abs();
                assert!(error <= tolerance * gross[k], "{name} state {n} {stiffness:?} species {k}: {error:e}");
                worst = worst.max(if gross[k] > 0.0 { error / (tolerance * gross[k]) } else { 0.0 });
            }
        }
        println!("{name} {stiffness:?}: simulated on {points} states, largest error {worst:.1e} of the tolerance");
        assert!(worst > 0.0, "a comparison with itself shows nothing");
    }
}

#[test]
fn simulated_methane() {
    simulated_kernels_equal_the_reference(&shipped("methane"), 8, 2);
}

/// The net rates of progress behind the outputs of the simulated kernel: its graph gives the same bits in the order of the
/// schedule, and there production and destruction of every quasi-steady species balance.
fn quasi_steady_species_balance(case: &Case, warps: u32, qssa_warps: u32, form: Form) {
    let (name, path) = (&case.name, case.mechanism.clone());
    let model = testkit::model(&path);
    let reference: Reference = case.values("_reduced");
    let states: Vec<State> = reference.states.iter().map(|s| s.state()).collect();
    let request = Request { verify: None, ..request(path) }.with(|r| {
        r.tuning.warps = warps;
        r.tuning.qssa_warps = Some(qssa_warps);
        r.common.stiffness = Stiffness::Off;
        r.tuning.form = Some(form);
    });
    let unit = testkit::request::unit(Kernel::Chemistry, &model, &request);
    let (graph, symbol) = (&unit.graph, &unit.program.symbol);
    let (outputs, _) = verify::simulate(&unit.ptx, symbol, (&model, graph), warps, &states, states.len())
        .unwrap_or_else(|d| panic!("{name}: {}", d[0].message));
    let values: BTreeMap<&str, _> = graph.values.iter().map(|(value, info)| (info.name.as_str(), value)).collect();
    let mut worst = 0.0f64;
    for (n, state) in states.iter().enumerate() {
        let mut fields = verify::inputs(&model, graph, state);
        let mut machine = Machine::new(graph, &fields);
        for &at in unit.proven.schedule().phases.iter().flat_map(|phase| phase.runs.iter().flatten()) {
            machine.step(at, &mut fields);
        }
        for (row, replayed) in fields.last().unwrap().iter().enumerate() {
            assert_eq!(outputs[row * states.len() + n].to_bits(), replayed.to_bits(), "{name} state {n} row {row}");
        }
        let solved = kinetics::quasi_steady(&model, state);
        let gross = kinetics::production_of(&model.mechanism, &solved.forward, &solved.reverse).gross;
        let mut net = vec![0.0; gross.len()];
        for (i, r) in model.mechanism.reactions.iter().enumerate() {
            let Some(&progress) = values.get(format!("progress {}", i + 1).as_str()) else { continue };
            let q = machine.value(progress);
            r.reactants.iter().for_each(|&(k, nu)| net[k] -= nu * q);
            r.products.iter().for_each(|&(k, nu)| net[k] += nu * q);
        }
        for &k in model.mechanism.quasi_steady() {
            assert!(
                gross[k] > 0.0 && net[k].abs() <= 1e-12 * gross[k],
                "{name} state {n} {k}: {:e}",
                net[k] / gross[k]
            );
            worst = worst.max(net[k].abs() / gross[k]);
        }
    }
    println!("{name} {form}: net production of quasi-steady species at most {worst:.1e} of the gross");
    assert!(worst > 0.0, "rounding leaves something");
}

#[test]
fn quasi_steady_species_of_methane_balance() {
    for form in [Form::Pairwise, Form::LogSpace] {
        quasi_steady_species_balance(&shipped("methane"), 8, 2, form);
    }
}

/// A power of two, a prime number, and one that is neither.
const SOME_WARPS: [u32; 3] = [8, 13, 20];
const MORE_WARPS: [u32; 5] = [4, 10, 12, 15, 16];

fn kernels(case: &Case, all_warps: &[u32]) {
    let path = case.mechanism.clone();
    for &warps in all_warps {
        reports(&request(path.clone()).with(|r| r.tuning.warps = warps));
        for qssa_warps in [1, 2, 4] {
            let kernels = vec![Kernel::Chemistry];
            reports(&Request { kernels, ..request(path.clone()) }.with(|r| {
                r.tuning.warps = warps;
                r.tuning.qssa_warps = Some(qssa_warps);
            }));
        }
    }
    for stiffness in [Stiffness::Jacobi, Stiffness::Off] {
        reports(
            &Request { kernels: vec![Kernel::Chemistry], ..request(path.clone()) }
                .with(|r| r.common.stiffness = stiffness),
        );
    }
    for codegen in [Codegen::Straight, Codegen::Switch, Codegen::DataParallel] {
        reports(&Request { codegen, kernels: vec![Kernel::Chemistry], ..request(path.clone()) });
    }
    let log_space =
        Request { kernels: vec![Kernel::Chemistry], ..request(path) }.with(|r| r.tuning.form = Some(Form::LogSpace));
    reports(&Request { codegen: Codegen::DataParallel, ..log_space.clone() });
    for (warps, qssa_warps, stiffness) in [
        (8, None, Stiffness::Sequential),
        (16, None, Stiffness::Sequential),
        (16, Some(2), Stiffness::Sequential),
        (8, Some(2), Stiffness::Jacobi),
        (13, None, Stiffness::Off),
    ] {
        reports(&log_space.clone().with(|r| {
            r.tuning.warps = warps;
            r.tuning.qssa_warps = qssa_warps;
            r.common.stiffness = stiffness;
        }));
    }
}

#[test]
fn methane_kernels() {
    kernels(&shipped("methane"), &[4, 13, 20]);
}

#[test]
fn several_ctas_of_methane() {
    several_ctas_fit_or_the_message_names_the_resource(&shipped("methane"));
}

fn several_ctas_fit_or_the_message_names_the_resource(case: &Case) {
    let (name, path) = (&case.name, case.mechanism.clone());
    for ctas_per_sm in [2, 3] {
        for qssa_warps in [None, Some(2)] {
            let request = request(path.clone()).with(|r| {
                r.tuning.ctas_per_sm.count = ctas_per_sm;
                r.tuning.qssa_warps = qssa_warps;
            });
            match driver::compile(&request, &mut Observer::silent()) {
                Ok(report) => println!("{name} {ctas_per_sm} CTAs: {} kernels", report.kernels.len()),
                Err(failure) => {
                    println!("{name} {ctas_per_sm} CTAs: {}", failure.diagnostics[0].message);
                    assert!(failure.diagnostics.iter().all(|d| d.id == "schedule::shared-memory"));
                }
            }
        }
    }
}

#[test]
fn without_quasi_steady_species_there_is_no_crew() {
    let kernels = vec![Kernel::Chemistry];
    reports(&Request { kernels, ..request(testkit::shipped("h2o2")) }.with(|r| r.tuning.qssa_warps = Some(2)));
}

#[test]
fn qssa_work_of_methane() {
    qssa_work_runs_beside_rates(&shipped("methane"), 8, 2);
}

fn qssa_work_runs_beside_rates(case: &Case, warps: u32, qssa_warps: u32) {
    let (name, path) = (&case.name, case.mechanism.clone());
    let kernels = vec![Kernel::Chemistry];
    let request = Request { kernels, verify: None, ..request(path) }.with(|r| {
        r.tuning.warps = warps;
        r.tuning.qssa_warps = Some(qssa_warps);
    });
    let overlap_of = |request: &Request| testkit::request::report(request).kernels[0].qssa_overlap;
    let o = overlap_of(&request).unwrap();
    println!("{name}: {o:?}");
    assert!(o.share > 0.4 && o.share <= 1.0 && o.group_slots > 0, "{name}: {o:?}");
    assert!(o.length <= o.length_with_full_barrier, "{name}: {o:?}");
    assert!(o.length_with_full_barrier <= o.length_with_full_barriers, "{name}: {o:?}");
    // Work beside the solution would otherwise come before it.
    assert!(o.length < o.length_after_rates, "{name}: {o:?}");
    assert!(overlap_of(&request.with(|r| r.tuning.qssa_warps = None)).is_none());
}

#[test]
fn the_hand_over_of_methane() {
    the_hand_over_is_one_sided(&shipped("methane"), 8, 2);
}

/// QSSA warps wait where others that feed them only arrive.
fn the_hand_over_is_one_sided(case: &Case, warps: u32, qssa_warps: u32) {
    let (name, path) = (&case.name, case.mechanism.clone());
    let model = testkit::model(&path);
    let request = Request { verify: None, ..request(path) }.with(|r| {
        r.tuning.warps = warps;
        r.tuning.qssa_warps = Some(qssa_warps);
    });
    let unit = testkit::request::unit(Kernel::Chemistry, &model, &request);
    let group = (1 << qssa_warps) - 1;
    let syncs = || unit.proven.schedule().phases.iter().flat_map(|phase| &phase.syncs);
    let one_sided = syncs().filter(|s| s.wait & group != 0 && s.arrive & !group != 0).count();
    let full = syncs().filter(|s| s.wait.count_ones() == warps).count();
    println!("{name}: {one_sided} points at which others only arrive for the QSSA warps, {full} full barriers");
    assert!(one_sided > 0, "{name}");
}
