//! Ignition delays with production rates in single precision beside double: `cargo bench --bench precision_ignition`. Rates are those of the dataflow graph, whose
//! bits the compiled kernels give; Jacobian, factorisation and integration are in double precision in both.

use graph::Graph;
use graph::interpret::{Arithmetic, Evaluation};
use kernels::{Form, Kernel, Precision};
use kinetics::integrator::RODAS4;
use kinetics::integrator::advance::{Solver, Status, System, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::reactor::{Constant, tendency};
use kinetics::{Model, Production, State};
use singe::verify;
use std::marker::PhantomData;

/// A mechanism, a mixture by moles, the pressure in Pa, the temperature in K, and for how long in s.
type Case = (&'static str, &'static [(&'static str, f64)], f64, f64, f64);

const HYDROGEN: &[(&str, f64)] = &[("H2", 2.0), ("O2", 1.0), ("N2", 3.76)];
const METHANE: &[(&str, f64)] = &[("CH4", 1.0), ("O2", 2.0), ("N2", 7.52)];
const ATMOSPHERE: f64 = 101_325.0;

const CASES: [Case; 5] = [
    ("h2o2", HYDROGEN, ATMOSPHERE, 1000.0, 1e-3),
    ("h2o2", HYDROGEN, 10.0 * ATMOSPHERE, 1200.0, 1e-4),
    ("h2o2", HYDROGEN, ATMOSPHERE, 1500.0, 1e-4),
    ("gri30", METHANE, ATMOSPHERE, 1500.0, 5e-3),
    ("gri30", METHANE, 20.0 * ATMOSPHERE, 1300.0, 5e-3),
];

/// Intervals in which the steepest one is looked for.
const INTERVALS: usize = 400;

fn main() {
    println!(
        "| mechanism | atm | K | delay, double (us) | delay, single (us) | apart | final K, double | final K, single |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for case in CASES {
        let (name, _, pressure, temperature, _) = case;
        let model = testkit::model(&testkit::shipped(name));
        let [double, single] = [Precision::Double, Precision::Single].map(|precision| {
            let form = Form::LogSpace;
            let options = kernels::Options { form, precision, ..kernels::Options::default() };
            kernels::build(Kernel::Chemistry, &model, &options).expect("a shipped mechanism")
        });
        let (a, first) = delay::<f64>(&model, &double, &case);
        let (b, second) = delay::<f32>(&model, &single, &case);
        println!(
            "| {name} | {:.0} | {temperature:.0} | {:.3} | {:.3} | {:.1e} | {first:.3} | {second:.3} |",
            pressure / ATMOSPHERE,
            1e6 * a,
            1e6 * b,
            (b / a - 1.0).abs()
        );
    }
}

/// A reactor at constant pressure whose production rates a graph gives.
struct Ours<'a, N> {
    reference: Reference<'a>,
    graph: &'a Graph,
    arithmetic: PhantomData<N>,
}

impl<N: Arithmetic> System for Ours<'_, N> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let Reference { model, fixed: pressure, .. } = self.reference;
        let species = model.species();
        let (fractions, temperature) = (&y[..species.len()], y[species.len()]);
        let moles: Vec<f64> = fractions.iter().zip(species).map(|(y, s)| y.max(0.0) / s.weight).collect();
        let sum: f64 = moles.iter().sum();
        let state = State { temperature, pressure, mole_fractions: moles.iter().map(|n| n / sum).collect() };
        let mut fields = verify::inputs(model, self.graph, &state);
        let mut machine = Evaluation::<N>::new(self.graph, &fields);
        self.graph.order().into_iter().for_each(|at| machine.step(at, &mut fields));
        let net = fields.pop().expect("a kernel has an output");
        let gross = vec![0.0; net.len()];
        let all = tendency(model, &state, &Production { net, gross }, Constant::Pressure);
        [all.mass_fractions, vec![all.temperature]].concat()
    }

    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        self.reference.solver(y, diagonal)
    }
}

/// When the temperature rises fastest, in s, and the last temperature.
fn delay<N: Arithmetic>(model: &Model, graph: &Graph, case: &Case) -> (f64, f64) {
    let (_, mixture, pressure, temperature, time) = *case;
    let species = model.species();
    let reference = Reference { model, constant: Constant::Pressure, fixed: pressure };
    let system = Ours::<N> { reference, graph, arithmetic: PhantomData };
    let masses: Vec<f64> = species
        .iter()
        .map(|s| mixture.iter().filter(|(name, _)| *name == s.name).map(|(_, moles)| moles * s.weight).sum())
        .collect();
    let whole: f64 = masses.iter().sum();
    let mut y: Vec<f64> = masses.iter().map(|mass| mass / whole).chain([temperature]).collect();
    let (interval, last) = (time / INTERVALS as f64, species.len());
    let mut rises = vec![0.0];
    let mut options = Options::default();
    for _ in 0..INTERVALS {
        let outcome = advance(&system, &RODAS4, &y, interval, &options);
        assert_eq!(outcome.status, Status::Done, "{case:?}");
        rises.push(outcome.y[last] - y[last]);
        (y, options.first_step) = (outcome.y, outcome.step);
    }
    let steepest = (1..INTERVALS).max_by(|&a, &b| rises[a].total_cmp(&rises[b])).expect("there are intervals");
    // The top of the parabola through the steepest interval and its neighbours.
    let [before, at, behind] = [rises[steepest - 1], rises[steepest], rises[steepest + 1]];
    let shift = 0.5 * (before - behind) / (before - 2.0 * at + behind);
    (interval * (steepest as f64 - 0.5 + shift), y[last])
}
