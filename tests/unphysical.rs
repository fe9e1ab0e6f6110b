//! Results of kernels on inputs that are no physical state. Not-a-number reaches every dependent result, in the graph,
//! in the lowered kernel and in NVRTC's output for the printed text. The rest is as the guide says.

use graph::{Graph, interpret};
use kernels::{Exponential, Form, Kernel, Options};
use kinetics::{self, Model, State};
use machine::target::{ComputeCapability, Target};
use machine::toolchain::{self, Job};
use mechanism::{self, Collider, Rate, Reaction, Reverse};
use overlay::Codegen;
use singe::driver::Request;
use singe::verify;
use testkit::made_up;
use testkit::reference::own;
use testkit::request;
use testkit::skip;

/// Both signs: only one of them has its sign bit set.
const NANS: [f64; 2] = [f64::NAN, -f64::NAN];

/// The shipped mechanisms, of which methane is reduced, and two that have every form of a rate.
fn models() -> Vec<(String, Model)> {
    let files = ["h2o2", "gri30", "methane"].map(testkit::shipped).into_iter().chain([own("forms").mechanism]);
    let read = files.map(|path| (path.display().to_string(), testkit::model(&path)));
    read.chain([("every form of rate".to_owned(), made_up::model(9, 90, 7))]).collect()
}

/// The graphs of a kernel in all its forms, with and without what species and warps share.
fn graphs(kernel: Kernel, model: &Model) -> Vec<(String, Graph)> {
    let mut all = Vec::new();
    for form in Form::allowed(kernel, Some(1e-4)) {
        for (warps, stage_inputs, exponential) in [(4, true, Exponential::Polynomial), (1, false, Exponential::Table)] {
            let options = Options { warps, stage_inputs, exponential, form, ..Options::default() };
            let graph = kernels::build(kernel, model, &options).unwrap();
            all.push((format!("{kernel} {form} {warps} warps"), graph));
        }
    }
    all
}

fn run(model: &Model, graph: &Graph, state: &State, change: impl Fn(&mut [Vec<f64>])) -> Vec<f64> {
    let mut fields = verify::inputs(model, graph, state);
    change(&mut fields);
    interpret::run(graph, &mut fields);
    fields.pop().unwrap()
}

fn array(graph: &Graph, name: &str) -> Option<usize> {
    graph.arrays.iter().position(|a| a.name == name)
}

/// Whether a reaction's rate depends on a species: as something that reacts, or as a collider.
fn depends(r: &Reaction, k: usize) -> bool {
    let in_side = |side: &[(usize, f64)]| side.iter().any(|&(j, _)| j == k);
    let collides = |collider: &Collider| match collider {
        Collider::Species(j) => *j == k,
        Collider::Mixture(all) => all.iter().find(|(j, _)| *j == k).is_none_or(|&(_, efficiency)| efficiency != 0.0),
    };
    let falloff = match &r.rate {
        Rate::Falloff { low, high, collider, .. } | Rate::ChemicallyActivated { low, high, collider, .. } => {
            low.a != 0.0 && high.a != 0.0 && collides(collider)
        }
        _ => false,
    };
    let replaced = r.forward_orders.iter().any(|&(j, order)| j == k && order == 0.0);
    in_side(&r.reactants) && !replaced
        || in_side(&r.products) && r.reverse == Reverse::Equilibrium
        || falloff
        || r.third_body.as_ref().is_some_and(collides)
        || r.forward_orders.iter().any(|&(j, order)| j == k && order != 0.0)
}

/// A rate that is 0, whatever the state.
fn vanishes(r: &Reaction) -> bool {
    match &r.rate {
        Rate::Falloff { low, high, .. } | Rate::ChemicallyActivated { low, high, .. } => low.a == 0.0 || high.a == 0.0,
        _ => false,
    }
}

/// Returns, by output, whether it depends on the mole fraction of a species, or (with `None`) on temperature and pressure.
fn dependent(kernel: Kernel, model: &Model, species: Option<usize>) -> Vec<bool> {
    let n = model.species().len();
    match kernel {
        Kernel::Viscosity | Kernel::Conductivity => vec![true],
        Kernel::Diffusion => vec![true; n],
        Kernel::Chemistry => {
            let mut all = vec![false; n];
            for r in &model.mechanism.reactions {
                if vanishes(r) || species.is_some_and(|k| !depends(r, k)) {
                    continue;
                }
                let of = |side: &[(usize, f64)], k: usize| side.iter().filter(|(j, _)| *j == k).map(|(_, nu)| nu).sum();
                for (k, changed) in all.iter_mut().enumerate() {
                    let (lost, made): (f64, f64) = (of(&r.reactants, k), of(&r.products, k));
                    *changed |= lost != made;
                }
            }
            all
        }
        _ => unreachable!("{kernel} has tests of its own"),
    }
}

fn assert_shown(found: &[f64], dependent: &[bool], what: &str) {
    for (row, (value, dependent)) in found.iter().zip(dependent).enumerate() {
        assert!(!dependent || value.is_nan(), "{what}: row {row} is {value:e}");
    }
}

#[test]
fn what_is_not_a_number_reaches_every_result() {
    for (name, model) in models() {
        let states = kinetics::verification_states(&model, 8);
        for kernel in Kernel::ALL {
            for (which, graph) in graphs(kernel, &model) {
                for state in &states {
                    let usual = run(&model, &graph, state, |_| {});
                    assert!(usual.iter().all(|v| v.is_finite()), "{name} {which}: {usual:?}");
                    for nan in NANS {
                        for k in 0..model.species().len() {
                            let found = run(&model, &graph, state, |fields| fields[2][k] = nan);
                            assert_shown(&found, &dependent(kernel, &model, Some(k)), &format!("{name} {which}, x{k}"));
                        }
                        let found = run(&model, &graph, state, |fields| fields[0][0] = nan);
                        assert_shown(&found, &dependent(kernel, &model, None), &format!("{name} {which}, T"));
                        let found = run(&model, &graph, state, |fields| fields[1][0] = nan);
                        match kernel {
                            Kernel::Viscosity | Kernel::Conductivity => assert_eq!(found, usual, "{name} {which}, P"),
                            _ => assert_shown(&found, &dependent(kernel, &model, None), &format!("{name} {which}, P")),
                        }
                    }
                }
            }
        }
    }
}

/// No time step tells whether a species is stiff, so that its ratio is not a number; a source counts where it is used.
#[test]
fn a_time_step_that_is_not_a_number_shows() {
    for (name, model) in models().into_iter().filter(|(_, model)| !model.mechanism.stiff().is_empty()) {
        let state = &kinetics::verification_states(&model, 8)[0];
        for (which, graph) in graphs(Kernel::Chemistry, &model) {
            let step = array(&graph, "time_step").unwrap();
            let found = run(&model, &graph, state, |fields| fields[step][0] = f64::NAN);
            let shown = found.iter().filter(|v| v.is_nan()).count();
            assert!(shown > found.len() / 2, "{name} {which}: {found:?}");
        }
    }
}

#[test]
fn a_temperature_without_a_logarithm_shows() {
    for (name, model) in models() {
        let state = &kinetics::verification_states(&model, 3)[2];
        for kernel in Kernel::ALL {
            for (which, graph) in graphs(kernel, &model) {
                for t in [0.0, -0.0, -300.0, f64::INFINITY, f64::NEG_INFINITY] {
                    let found = run(&model, &graph, state, |fields| fields[0][0] = t);
                    assert_shown(&found, &dependent(kernel, &model, None), &format!("{name} {which}, T = {t}"));
                }
            }
        }
    }
}

#[test]
fn negative_mole_fractions_count_as_zero() {
    for (name, model) in models() {
        let state = &kinetics::verification_states(&model, 4)[3];
        for kernel in Kernel::ALL {
            for (which, graph) in graphs(kernel, &model) {
                let [zero, negative] =
                    [0.0, -0.3].map(|x| run(&model, &graph, state, |fields| fields[2][0] = x).into_iter());
                assert!(zero.zip(negative).all(|(a, b)| a.to_bits() == b.to_bits()), "{name} {which}");
            }
        }
    }
}

#[test]
fn where_nothing_is_there() {
    for (name, model) in models().into_iter().filter(|(_, model)| model.mechanism.reduction.is_none()) {
        let state = &kinetics::verification_states(&model, 4)[3];
        for kernel in Kernel::ALL {
            for (which, graph) in graphs(kernel, &model) {
                let found = run(&model, &graph, state, |fields| fields[2].fill(0.0));
                let said = |v: &f64| match kernel {
                    Kernel::Viscosity => v.is_nan(),
                    Kernel::Conductivity => *v == f64::INFINITY,
                    // The low-rank form knows the least mole fractions only: an even mixture.
                    Kernel::Diffusion if which.contains("low-rank") => v.is_finite(),
                    Kernel::Diffusion => *v == f64::INFINITY,
                    _ => *v == 0.0 || name == "every form of rate",
                };
                assert!(found.iter().all(said), "{name} {which}: {found:?}");
            }
        }
    }
}

#[test]
fn sums_other_than_one_are_taken_as_they_are() {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-3;
    for (name, model) in models() {
        let state = &kinetics::verification_states(&model, 4)[3];
        for kernel in [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion] {
            for (which, graph) in graphs(kernel, &model) {
                let one = run(&model, &graph, state, |_| {});
                let two = run(&model, &graph, state, |fields| fields[2].iter_mut().for_each(|x| *x *= 2.0));
                for (one, two) in one.iter().zip(&two) {
                    match kernel {
                        Kernel::Viscosity => assert!(near(*two, *one), "{name} {which}"),
                        Kernel::Diffusion => assert!(near(2.0 * two, *one), "{name} {which}"),
                        _ => {
                            let lambda = kinetics::species_conductivity(&model, state.temperature);
                            let x = &state.mole_fractions;
                            let mean: f64 = x.iter().zip(&lambda).map(|(x, l)| x * l).sum();
                            let harmonic = 1.0 / x.iter().zip(&lambda).map(|(x, l)| x / l).sum::<f64>();
                            assert!(near(*two, 0.5 * (2.0 * mean + harmonic / 2.0)), "{name} {which}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn without_pressure() {
    for name in ["h2o2", "gri30"] {
        let model = testkit::model(&testkit::shipped(name));
        let state = &kinetics::verification_states(&model, 4)[3];
        for (which, graph) in graphs(Kernel::Diffusion, &model) {
            let [none, below] = [0.0, -1e5].map(|p| run(&model, &graph, state, |fields| fields[1][0] = p));
            assert!(none.iter().all(|d| *d == f64::INFINITY), "{name} {which}: {none:?}");
            assert!(below.iter().all(|d| *d < 0.0), "{name} {which}: {below:?}");
        }
        for (which, graph) in graphs(Kernel::Chemistry, &model) {
            let none = run(&model, &graph, state, |fields| fields[1][0] = 0.0);
            assert!(none.iter().all(|rate| *rate == 0.0), "{name} {which}: {none:?}");
        }
    }
}

/// One state for each input that is no number, of both signs.
fn broken_states(model: &Model) -> Vec<State> {
    let plain = kinetics::verification_states(model, 4)[3].clone();
    let mut all = vec![plain.clone()];
    for nan in NANS {
        all.push(State { temperature: nan, ..plain.clone() });
        all.extend([0, model.species().len() - 1].map(|k| {
            let mut state = plain.clone();
            state.mole_fractions[k] = nan;
            state
        }));
    }
    all.push(State { temperature: -1.0, ..plain });
    all
}

fn shows(request: &Request) {
    let model = testkit::model(&request.files.mechanism);
    let states = broken_states(&model);
    let compile = |kernel: &_| testkit::request::unit(*kernel, &model, request);
    let units: Vec<_> = request.kernels.iter().map(compile).collect();
    for unit in &units {
        let symbol = &unit.program.symbol;
        let printed = compiled(symbol, unit.source.clone(), request.common.target.compute_capability);
        for module in [Some(unit.ptx.clone()), printed].iter().flatten() {
            let warps = unit.program.execution.warps();
            let (outputs, _) =
                verify::simulate(module, symbol, (&model, &unit.graph), warps, &states, states.len()).unwrap();
            for point in 0..states.len() {
                let found: Vec<f64> = outputs.iter().skip(point).step_by(states.len()).copied().collect();
                if point == 0 {
                    assert!(found.iter().all(|v| v.is_finite()), "{symbol}: {found:?}");
                    continue;
                }
                let species = states[point].mole_fractions.iter().position(|x| x.is_nan());
                let dependent = dependent(unit.kernel, &model, species);
                assert_shown(
                    &found,
                    &dependent,
                    &format!("{symbol} {:?} {:?} point {point}", request.tuning.form, request.codegen),
                );
            }
        }
    }
}

/// Compiles the printed text with NVRTC, where it is found.
fn compiled(symbol: &str, source: String, arch: ComputeCapability) -> Option<ptx::Module> {
    let toolchain = match toolchain::find_for(arch) {
        Ok(toolchain) => toolchain,
        Err(absent) => {
            skip::skip(format!("{}: {absent}", arch.sm()));
            return None;
        }
    };
    let job = Job { name: format!("{symbol}.cu"), source, arch, options: vec![] };
    let text = toolchain.compile_to_ptx(&job).unwrap().text;
    Some(ptx::read::text(symbol, &text).unwrap())
}

#[test]
fn what_is_not_a_number_shows_in_lowered_and_compiled_kernels() {
    for target in ["kepler", "ampere"].map(|name| Target::by_name(name).unwrap()) {
        for codegen in [Codegen::Overlay, Codegen::DataParallel] {
            for form in Form::ALL {
                let plain = request::new(testkit::shipped("h2o2"));
                shows(&Request { codegen, verify: None, ..plain }.with(|r| {
                    r.common.target = target;
                    r.tuning.form = Some(form);
                }));
            }
        }
    }
}
