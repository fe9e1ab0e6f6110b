//! The proven bound of single precision: its elementary functions go through all of their arguments, no sample exceeds the bound of a whole
//! kernel, and a rounding that is stated too small is found out.

use std::path::Path;

use kinetics::Model;
use kinetics::approximation::range::TemperatureRange;
use mechanism::Files;
use singe::graph::single::{self, Domain, Rounding, Unproven, elementary};
use singe::graph::{Graph, interpret};
use singe::kernels::{self, Form, Kernel, Options};

#[path = "common/numbers.rs"]
mod numbers;

use numbers::Numbers;

const DOMAIN: Domain = Domain { temperatures: TemperatureRange::DEFAULT, cells: 64, least_fraction: 1e-20 };

fn model(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("mechanisms/{name}/chem.inp"));
    let files = Files { mechanism: path, ..Files::default() };
    let (mechanism, _) = mechanism::read_with(&files, mechanism::Options::PERMISSIVE).unwrap();
    kinetics::model(mechanism).unwrap()
}

fn graph(model: &Model, kernel: Kernel, form: Form) -> Graph {
    kernels::build(kernel, model, &Options { form, ..Options::default() }).unwrap()
}

/// The largest relative error over all numbers from the first to the last, positive both.
fn worst(first: f32, last: f32, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> f64 {
    (first.to_bits()..=last.to_bits()).map(f32::from_bits).fold(0.0, |worst: f64, x| {
        let exact = double(f64::from(x));
        worst.max((f64::from(single(x)) / exact - 1.0).abs())
    })
}

#[test]
fn elementary_functions_err_by_less_than_is_stated() {
    let Rounding { exp, log, .. } = Rounding::SINGLE;
    // Of smaller arguments r the power is 1 or one of its neighbours, which is within 2^-24 of 1 + r.
    let tiny = 2f32.powi(-25);
    let rising = worst(tiny, elementary::POWER_LIMIT, elementary::exp, f64::exp);
    let falling = worst(tiny, elementary::POWER_LIMIT, |x| elementary::exp(-x), |x| (-x).exp());
    let logarithm = worst(elementary::LOG_FIRST, elementary::LOG_LAST, elementary::log, f64::ln);
    println!("e^x {rising:.3e}, e^-x {falling:.3e} (stated {exp:.3e}), ln x {logarithm:.3e} (stated {log:.3e})");
    // 1e-15 is for the functions that they are compared with.
    assert!(rising.max(falling) + 1e-15 <= exp && logarithm + 1e-15 <= log);
    // Half of what is stated would be refused.
    assert!(rising.max(falling) > exp / 2.0 && logarithm > log / 2.0);
    for r in [tiny, tiny * 0.5, f32::MIN_POSITIVE, 1e-45, 0.0] {
        assert!((elementary::exp(r) - 1.0).abs() <= 6e-8 && (elementary::exp(-r) - 1.0).abs() <= 6e-8, "{r}");
    }
}

/// The largest relative error of single precision against double in so many random states, of which the third has few species.
fn sampled(graph: &Graph, species: usize, states: usize) -> f64 {
    let mut n = Numbers(44);
    let mut worst = 0.0f64;
    for state in 0..states {
        let t = DOMAIN.temperatures.coldest
            * (DOMAIN.temperatures.hottest / DOMAIN.temperatures.coldest).powf(n.between(1e-6, 1.0 - 1e-6));
        let mut x: Vec<f64> = (0..species)
            .map(|_| match state % 3 {
                0 => n.between(0.0, 1.0),
                1 => 10f64.powf(n.between(-15.0, 0.0)),
                _ => {
                    if n.below(4) == 0 {
                        n.between(0.1, 1.0)
                    } else {
                        0.0
                    }
                }
            })
            .collect();
        x[state % species] += 0.1;
        let sum: f64 = x.iter().sum();
        x.iter_mut().for_each(|x| *x /= sum);
        let mut double = vec![vec![t], vec![101_325.0], x, vec![f64::NAN]];
        let mut narrow: Vec<Vec<f32>> = double.iter().map(|row| row.iter().map(|&x| x as f32).collect()).collect();
        interpret::run(graph, &mut double);
        single::interpret::run(graph, &mut narrow).unwrap();
        let error = (f64::from(narrow[3][0]) / double[3][0] - 1.0).abs();
        assert!(error.is_finite(), "{t} K");
        worst = worst.max(error);
    }
    worst
}

#[test]
fn no_sample_exceeds_the_bound() {
    for name in ["h2o2", "gri30"] {
        let model = model(name);
        for kernel in [Kernel::Viscosity, Kernel::Conductivity] {
            let graph = graph(&model, kernel, Form::Pairwise);
            let bound = single::bound(&graph, &DOMAIN, &Rounding::SINGLE).unwrap();
            let sampled = sampled(&graph, model.species().len(), 3000);
            println!("{name} {kernel}: bound {bound:.3e}, sampled {sampled:.3e}, {:.1} times", bound / sampled);
            assert!(sampled <= bound && bound < 1e-4, "{name} {kernel}");
        }
    }
}

#[test]
fn every_rounding_is_in_the_bound() {
    let model = model("h2o2");
    let graph = graph(&model, Kernel::Viscosity, Form::Pairwise);
    let proven = Rounding::SINGLE;
    let bound = |rounding| single::bound(&graph, &DOMAIN, &rounding).unwrap();
    for weak in [
        Rounding { unit: proven.unit / 2.0, ..proven },
        Rounding { exp: 0.0, ..proven },
        Rounding { log: proven.log / 8.0, ..proven },
    ] {
        assert!(bound(weak) < bound(proven), "{weak:?}");
    }
}

#[test]
fn what_has_no_rule_is_refused() {
    let model = model("h2o2");
    let refused = single::bound(&graph(&model, Kernel::Chemistry, Form::LogSpace), &DOMAIN, &Rounding::SINGLE);
    assert!(refused.is_err(), "{refused:?}");
    let graph = graph(&model, Kernel::Viscosity, Form::Pairwise);
    let cold = Domain { temperatures: TemperatureRange { coldest: 1.0, hottest: 100.0 }, ..DOMAIN };
    assert_eq!(single::bound(&graph, &cold, &Rounding::SINGLE), Err(Unproven::Range));
}
