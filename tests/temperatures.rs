//! Temperatures that kernels let through: from 100 to 10,000 K where powers of two have no guards. Beyond, every result of every such
//! form is not a number, in the graph and in each layout of the lowered code, whichever variables tell the state.

use graph::{Graph, interpret};
use kernels::{Form, Kernel, Matrix, Options, StateVariables};
use kinetics::{Model, State};
use machine::target::Target;
use overlay::Codegen;
use singe::driver::Request;
use singe::verify;
use testkit::made_up;
use testkit::request;

const WITHIN: [f64; 2] = [100.0, 10_000.0];
const BEYOND: [f64; 12] = [
    1.0,
    99.0,
    99.99999999999999,
    10_000.000000000002,
    10_001.0,
    1e5,
    0.0,
    -0.0,
    -300.0,
    f64::INFINITY,
    f64::NAN,
    -f64::NAN,
];

/// Those that have other forms than the pairwise one, but for [`STEPS`].
const KERNELS: [Kernel; 16] = [
    Kernel::Viscosity,
    Kernel::Conductivity,
    Kernel::Diffusion,
    Kernel::Transport,
    Kernel::Flux,
    Kernel::Chemistry,
    Kernel::Isobaric,
    Kernel::Isochoric,
    Kernel::Progress,
    Kernel::Jacobian,
    Kernel::IsobaricJacobian,
    Kernel::IsochoricJacobian,
    Kernel::IsobaricSparseJacobian,
    Kernel::IsochoricSparseJacobian,
    Kernel::IsobaricJacobianVector,
    Kernel::IsochoricJacobianVector,
];

/// Steps, each with the state variables that it advances.
const STEPS: [(Kernel, StateVariables); 2] =
    [(Kernel::IsobaricStep, StateVariables::MassFractions), (Kernel::IsochoricStep, StateVariables::Density)];

fn forms(kernel: Kernel) -> impl Iterator<Item = Form> {
    Form::allowed(kernel, Some(1e-4)).into_iter().filter(|&form| form != Form::Pairwise)
}

/// By output: what is a number whatever the temperature. A species that no reaction changes has no rate, and a rate has no derivative by
/// what does not react in it: those results are 0 at every state, also at the usual one and twice its temperature and pressure.
fn constant(model: &Model, graph: &Graph, state: &State) -> Vec<bool> {
    let hotter = State { temperature: 1.7 * state.temperature, pressure: 2.0 * state.pressure, ..state.clone() };
    let [one, other] = [state, &hotter].map(|state| outputs(model, graph, state));
    one.iter().zip(&other).map(|(&a, &b)| a == 0.0 && b == 0.0).collect()
}

fn outputs(model: &Model, graph: &Graph, state: &State) -> Vec<f64> {
    let mut fields = verify::inputs(model, graph, state);
    interpret::run(graph, &mut fields);
    fields.pop().unwrap()
}

/// The outputs where the first field, the temperature, is another.
fn with_first(model: &Model, graph: &Graph, state: &State, temperature: f64) -> Vec<f64> {
    let mut fields = verify::inputs(model, graph, state);
    fields[0][0] = temperature;
    interpret::run(graph, &mut fields);
    fields.pop().unwrap()
}

fn at(state: &State, temperature: f64) -> State {
    State { temperature, ..state.clone() }
}

#[test]
fn the_kernels_are_all_that_have_such_forms() {
    use clap::ValueEnum;
    let others = Kernel::value_variants().iter().filter(|&&kernel| forms(kernel).next().is_some());
    assert_eq!(others.copied().collect::<Vec<_>>(), {
        let mut all = [KERNELS.to_vec(), STEPS.map(|(kernel, _)| kernel).to_vec()].concat();
        all.sort();
        all
    });
}

#[test]
fn no_form_but_the_pairwise_one_gives_a_number_beyond() {
    for (name, model) in
        [("h2o2", testkit::model(&testkit::shipped("h2o2"))), ("every form of rate", made_up::model(9, 40, 7))]
    {
        let usual = &kinetics::verification_states(&model, 4)[3];
        for kernel in KERNELS {
            for form in forms(kernel) {
                for (warps, stage_inputs, matrix) in
                    [(4, true, Matrix::Dfma), (1, false, Matrix::Dfma), (4, true, Matrix::Dmma { slots: 32 })]
                {
                    let options = Options { warps, stage_inputs, form, matrix, ..Options::default() };
                    let graph = kernels::build(kernel, &model, &options).unwrap();
                    let constant = constant(&model, &graph, usual);
                    assert!(constant.iter().any(|constant| !constant), "{name} {kernel} {form}");
                    for t in BEYOND {
                        let found = outputs(&model, &graph, &at(usual, t));
                        let what = format!("{name} {kernel} {form} {warps} warps at {t} K");
                        assert_none(&found, &constant, &what);
                    }
                    // Rates of the made-up mechanism overflow at 100 K.
                    for t in WITHIN.into_iter().filter(|_| name == "h2o2") {
                        let found = outputs(&model, &graph, &at(usual, t));
                        assert!(found.iter().all(|x| !x.is_nan()), "{name} {kernel} {form} at {t} K: {found:?}");
                    }
                }
            }
        }
    }
}

fn assert_none(found: &[f64], constant: &[bool], what: &str) {
    for (row, (value, constant)) in found.iter().zip(constant).enumerate() {
        assert!(value.is_nan() || *constant && *value == 0.0, "{what}: row {row} is {value:e}");
    }
}

/// A step leaves fractions of species that do not react as they are; all else is not a number.
#[test]
fn nor_does_a_step_in_time() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let usual = &kinetics::verification_states(&model, 4)[3];
    for (kernel, state) in STEPS {
        for form in forms(kernel) {
            let graph = kernels::build(kernel, &model, &Options { form, state, ..Options::default() }).unwrap();
            let run = |t: f64| with_first(&model, &graph, usual, t);
            let [one, other] = [usual.temperature, 1.7 * usual.temperature].map(run);
            assert!(one.iter().all(|x| !x.is_nan()));
            // The fractions of two of ten species, and their errors, which are 0.
            let stays = one.iter().zip(&other).filter(|(a, b)| a == b).count();
            assert_eq!(stays, 4, "{kernel} {form}");
            for t in BEYOND {
                for (row, value) in run(t).into_iter().enumerate() {
                    let is_left = one[row] == other[row] && value == one[row];
                    assert!(value.is_nan() || is_left, "{kernel} {form} at {t} K: row {row} is {value:e}");
                }
            }
        }
    }
}

/// A density whose temperature is given passes it on to all kernels through values.
#[test]
fn nor_does_a_state_of_temperature_and_density() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let usual = &kinetics::verification_states(&model, 4)[3];
    for state in [StateVariables::MassFractions, StateVariables::Density] {
        for kernel in KERNELS {
            for form in forms(kernel) {
                let options = Options { form, state, ..Options::default() };
                let graph = kernels::build(kernel, &model, &options).unwrap();
                let run = |t: f64| with_first(&model, &graph, usual, t);
                let [one, other] = [usual.temperature, 1.7 * usual.temperature].map(run);
                let constant: Vec<bool> = one.iter().zip(other).map(|(&a, b)| a == 0.0 && b == 0.0).collect();
                for t in BEYOND {
                    assert_none(&run(t), &constant, &format!("{kernel} {form} {state:?} at {t} K"));
                }
            }
        }
    }
}

/// The lowered code selects as the graph does.
#[test]
fn nor_does_any_layout() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    let usual = &kinetics::verification_states(&model, 4)[3];
    let temperatures = BEYOND.into_iter().chain(WITHIN);
    let states: Vec<State> = temperatures.map(|t| at(usual, t)).collect();
    let plain = request::new(testkit::shipped("h2o2"));
    let shipped = [Codegen::Overlay, Codegen::Switch, Codegen::Partial, Codegen::Straight, Codegen::DataParallel];
    for (target, codegen) in
        ["kepler", "hopper"].into_iter().flat_map(|target| shipped.map(|codegen| (target, codegen)))
    {
        for kernel in [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion, Kernel::Flux, Kernel::Isobaric] {
            for form in forms(kernel) {
                let request = Request { codegen, verify: None, ..plain.clone() }.with(|r| {
                    r.common.target = Target::by_name(target).unwrap();
                    r.tuning.form = Some(form);
                    r.tuning.warps = 4;
                });
                let unit = testkit::request::unit(kernel, &model, &request);
                assert_eq!(unit.report.form, form.name(), "{kernel}");
                let (warps, constant) = (unit.program.execution.warps(), constant(&model, &unit.graph, usual));
                let subject = (&model, &unit.graph);
                let symbol = &unit.program.symbol;
                let (found, _) = verify::simulate(&unit.ptx, symbol, subject, warps, &states, states.len()).unwrap();
                for (point, state) in states.iter().enumerate() {
                    let found: Vec<f64> = found.iter().skip(point).step_by(states.len()).copied().collect();
                    let what = format!("{kernel} {form} {codegen:?} for {target} at {} K", state.temperature);
                    match WITHIN.contains(&state.temperature) {
                        true => assert!(found.iter().all(|x| !x.is_nan()), "{what}: {found:?}"),
                        false => assert_none(&found, &constant, &what),
                    }
                }
            }
        }
    }
}
