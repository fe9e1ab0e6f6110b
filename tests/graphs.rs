//! The graph of every kernel, run by the interpreter, equals the reference evaluator.

use std::path::PathBuf;

use singe::dataflow::{Kernel, Options, build, interpret};
use singe::kinetics::{self, State, Stiffness};
use singe::mechanism::{self, Files};

fn check(path: PathBuf) {
    let files = Files { mechanism: path.clone(), ..Files::default() };
    let (mechanism, _) = mechanism::read(&files).unwrap_or_else(|d| panic!("{}: {}", path.display(), d[0].message));
    let model = kinetics::model(mechanism).unwrap();
    let states = kinetics::verification_states(&model, 30);
    for kernel in Kernel::ALL {
        for (warps, stage_inputs) in [(8, true), (3, false)] {
            let graph = build(
                kernel,
                &model,
                &Options { warps, stage_inputs, floor: 1e-20, stiffness: Stiffness::Sequential, qssa_warps: None },
            )
            .unwrap();
            let mut worst = 0.0f64;
            for state in &states {
                let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
                fields[0][0] = state.temperature;
                fields[1][0] = state.pressure;
                fields[2].clone_from(&state.mole_fractions);
                if fields.len() > 4 {
                    let surroundings = kinetics::surroundings(&model, state);
                    fields[3] = surroundings.transport_source;
                    fields[4][0] = surroundings.time_step;
                }
                interpret::run(&graph, &mut fields);
                let e = error(kernel, &model, state, fields.last().unwrap());
                worst = worst.max(e);
            }
            println!("{} {kernel} {warps} warps: {worst:.1e}", path.display());
            assert!(worst <= kernel.tolerance(&model), "{} {kernel}: {worst:e}", path.display());
        }
    }
}

fn error(kernel: Kernel, model: &kinetics::Model, state: &State, found: &[f64]) -> f64 {
    let (expected, scale) = match kernel {
        Kernel::Viscosity => (vec![kinetics::viscosity(model, state)], None),
        Kernel::Conductivity => (vec![kinetics::conductivity(model, state)], None),
        Kernel::Diffusion => (kinetics::diffusion(model, state, 1e-20), None),
        Kernel::Chemistry if model.mechanism.reduction.is_some() => {
            let surroundings = kinetics::surroundings(model, state);
            let p = kinetics::reduced(model, state, &surroundings, Stiffness::Sequential).production;
            (p.net, Some(p.gross))
        }
        Kernel::Chemistry => {
            let p = kinetics::production(model, state);
            (p.net, Some(p.gross))
        }
    };
    let scale = scale.unwrap_or_else(|| expected.clone());
    let one = |((a, b), s): ((&f64, &f64), &f64)| if a == b { 0.0 } else { ((a - b) / s).abs() };
    found.iter().zip(&expected).zip(&scale).map(one).fold(0.0, |m: f64, e| if e.is_nan() { f64::NAN } else { m.max(e) })
}

#[test]
fn shared_mechanisms() {
    let shared = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/mechanisms"));
    if !shared.is_dir() {
        println!("skipped: ../shared is absent");
        return;
    }
    for name in ["h2_burke", "gri30", "dme", "heptane", "usc2"] {
        check(shared.join(name).join("chem.inp"));
    }
}
