//! The graph of every kernel, run by the interpreter, equals the reference evaluator.

use std::path::PathBuf;

use graph::interpret;
use kernels::{Exponential, Form, Kernel, Options, build};
use kinetics::{self, Model, State, Stiffness};
use mechanism::{self, Arrhenius, Files, Rate, Reaction, Reverse};
use testkit::made_up;
use testkit::reference::{all_published, own};

fn check(path: PathBuf) {
    let files = Files { mechanism: path.clone(), ..Files::default() };
    let (mechanism, _) = mechanism::read_with(&files, mechanism::Options::PERMISSIVE)
        .unwrap_or_else(|d| panic!("{}: {}", path.display(), d[0].message));
    let model = kinetics::model(mechanism).unwrap();
    for kernel in Kernel::ALL {
        check_kernel(kernel, &model, &path.display().to_string());
    }
}

fn check_kernel(kernel: Kernel, model: &Model, what: &str) {
    let states = kinetics::verification_states(model, 30);
    let plain = Options::default();
    let log_space = Options { form: Form::LogSpace, ..plain };
    let mut all = vec![Options { warps: 8, ..plain }, Options { warps: 3, stage_inputs: false, ..plain }];
    if kernel == Kernel::Chemistry {
        all.extend([log_space, Options { exponential: Exponential::Table, stage_inputs: false, ..log_space }]);
        all.push(Options { activities: false, stage_inputs: false, ..log_space });
    }
    for options in all {
        let graph = build(kernel, model, &options).unwrap();
        let mut worst = 0.0f64;
        for state in &states {
            let mut fields: Vec<Vec<f64>> = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
            fields[0][0] = state.temperature;
            fields[1][0] = state.pressure;
            fields[2].clone_from(&state.mole_fractions);
            if fields.len() > 4 {
                let surroundings = kinetics::surroundings(model, state);
                fields[3] = surroundings.transport_source;
                fields[4][0] = surroundings.time_step;
            }
            interpret::run(&graph, &mut fields);
            let error = error(kernel, model, state, fields.last().unwrap());
            assert!(error <= kernel.tolerance(), "{what} {kernel}: {error:e} at {state:?}");
            worst = worst.max(error);
        }
        println!("{what} {kernel} {} {} warps: {worst:.1e}", options.form, options.warps);
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
        _ => unreachable!("{kernel} has tests of its own"),
    };
    let scale = scale.unwrap_or_else(|| expected.clone());
    let one = |((a, b), s): ((&f64, &f64), &f64)| if a == b { 0.0 } else { ((a - b) / s).abs() };
    found.iter().zip(&expected).zip(&scale).map(one).fold(0.0, |m: f64, e| if e.is_nan() { f64::NAN } else { m.max(e) })
}

#[test]
fn shipped_mechanisms() {
    ["h2o2", "methane", "gri30"].map(testkit::shipped).into_iter().for_each(check);
}

#[test]
fn every_form_of_a_rate() {
    check(own("forms").mechanism);
}

#[test]
fn published_mechanisms() {
    all_published().into_iter().flatten().for_each(|case| check(case.mechanism));
}

/// The chemistry of made-up mechanisms with every form of rate.
#[test]
fn made_up_mechanisms() {
    for seed in 0..40 {
        let model = made_up::model(3 + seed as usize % 9, 1 + seed as usize * 3, seed);
        check_kernel(Kernel::Chemistry, &model, &format!("seed {seed}"));
    }
}

/// Reactions of equal reactants take their products over these once, and are right; those of other reactants do not.
#[test]
fn equal_reactants_are_multiplied_once() {
    let first = made_up::model(4, 1, 7);
    // Each with its own temperature dependence, so that rate constants share nothing.
    let reaction = |n: usize, reactants: [usize; 2], products: [usize; 2], reverse: &Reverse| Reaction {
        reactants: reactants.map(|k| (k, 1.0)).to_vec(),
        products: products.map(|k| (k, 1.0)).to_vec(),
        forward_orders: vec![],
        reverse_orders: vec![],
        third_body: None,
        rate: Rate::Arrhenius(Arrhenius { a: 1e7, b: 0.5, e_over_r: 100.0 * (1 + n) as f64 }),
        reverse: match reverse.clone() {
            Reverse::Explicit(k, extra) => {
                Reverse::Explicit(Arrhenius { e_over_r: k.e_over_r * (1 + n) as f64, ..k }, extra)
            }
            other => other,
        },
        ..first.mechanism.reactions[0].clone()
    };
    let model = |pairs: [[usize; 2]; 4], reverse: &Reverse| {
        let mut model = made_up::model(4, 1, 7);
        let thermo = model.mechanism.species[0].thermo.clone();
        model.mechanism.species.iter_mut().for_each(|species| species.thermo = thermo.clone());
        // Everything is read of every species, whatever the others are.
        let isomers = (0..4).map(|k| Reaction {
            reactants: vec![(k, 1.0)],
            products: vec![((k + 1) % 4, 1.0)],
            ..reaction(4 + k, [0, 1], [2, 3], &Reverse::Equilibrium)
        });
        let others = pairs.into_iter().enumerate().map(|(n, [a, b])| {
            let products: Vec<usize> = (0..4).filter(|k| ![a, b].contains(k)).collect();
            reaction(n, [a, b], [products[0], products[1]], reverse)
        });
        model.mechanism.reactions = isomers.chain(others).collect();
        model
    };
    let explicit = Reverse::Explicit(Arrhenius { a: 1e8, b: 0.0, e_over_r: 5000.0 }, None);
    let alone = Options { form: Form::LogSpace, warps: 1, ..Options::default() };
    let alone_read = Options { stage_inputs: false, ..alone };
    let [eight, eight_read] = [alone, alone_read].map(|options| Options { warps: 8, ..options });
    for (reverse, options, saved) in [
        (Reverse::Equilibrium, alone, 4),
        (Reverse::Equilibrium, alone_read, 4),
        (Reverse::Equilibrium, eight, 4),
        (Reverse::Equilibrium, eight_read, 4),
        (Reverse::Irreversible, alone, 2),
        // With the square of the total concentration.
        (Reverse::Irreversible, alone_read, 4),
        (Reverse::Irreversible, eight, 2),
        (Reverse::Irreversible, eight_read, 4),
        (explicit.clone(), alone, 2),
        (explicit.clone(), alone_read, 2),
        // Two powers of two are too long for company.
        (explicit, eight, 0),
        (Reverse::Equilibrium, Options::default(), 0),
    ] {
        let slots = |model: &Model| build(Kernel::Chemistry, model, &options).unwrap().slots(8);
        let apart = model([[0, 1], [0, 2], [0, 3], [2, 3]], &reverse);
        let together = model([[0, 1], [2, 3], [1, 0], [3, 2]], &reverse);
        let Options { warps, form, stage_inputs, .. } = options;
        assert_eq!(slots(&apart) - slots(&together), saved, "{reverse:?} {form} {warps} {stage_inputs}");
        check_kernel(Kernel::Chemistry, &together, "equal reactants");
    }
}
