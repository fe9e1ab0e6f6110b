//! Quasi-steady species and stiffness against values of independent evaluators: of the reduction that comes with the
//! project, and of published ones where they are.

use std::path::Path;

use kinetics::{self, Model, Reduced, State, Stiffness, Surroundings};
use mechanism::{self, Files};
use serde::Deserialize;
use testkit::reference::{Case, published, shipped};

#[derive(Deserialize)]
struct Reference {
    transported: Vec<String>,
    qssa: Vec<String>,
    stiff: Vec<String>,
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
    XQ: Vec<f64>,
    rf0: Vec<f64>,
    rb0: Vec<f64>,
    rf1: Vec<f64>,
    rb1: Vec<f64>,
    rf2: Vec<f64>,
    rb2: Vec<f64>,
    rf2j: Vec<f64>,
    rb2j: Vec<f64>,
    triggered: Vec<u8>,
    triggered_jacobi: Vec<u8>,
    wdot_qssa: Vec<f64>,
    gross_qssa: Vec<f64>,
    wdot: Vec<f64>,
    gross: Vec<f64>,
    wdot_jacobi: Vec<f64>,
    gross_jacobi: Vec<f64>,
}

fn check(case: &Case) {
    let name = &case.name;
    let model = read(&case.mechanism);
    verification_states_are_stiff_here_and_there(&model);
    let reference: Reference = case.values("_reduced");
    let names = |list: &[usize]| list.iter().map(|&k| model.mechanism.species[k].name.clone()).collect::<Vec<_>>();
    assert_eq!(model.species().iter().map(|s| s.name.clone()).collect::<Vec<_>>(), reference.transported);
    assert_eq!(names(model.mechanism.quasi_steady()), reference.qssa);
    assert_eq!(names(model.mechanism.stiff()), reference.stiff);
    for (n, s) in reference.states.iter().enumerate() {
        let what = |array: &str| format!("{name} state {n} {array}");
        let state = State { temperature: s.T, pressure: s.P, mole_fractions: s.X.clone() };
        let solved = kinetics::quasi_steady(&model, &state);
        close(&what("rf0"), &solved.unscaled.rate_forward, &s.rf0, &s.rf0, 1e-11);
        close(&what("rb0"), &solved.unscaled.rate_reverse, &s.rb0, &s.rb0, 1e-11);
        close(&what("XQ"), &solved.concentrations, &s.XQ, &s.XQ, 1e-8);
        close(&what("rf1"), &solved.forward, &s.rf1, &s.rf1, 1e-8);
        close(&what("rb1"), &solved.reverse, &s.rb1, &s.rb1, 1e-8);
        let all = kinetics::production_of(&model.mechanism, &solved.forward, &solved.reverse);
        for &k in model.mechanism.quasi_steady() {
            assert!(all.net[k].abs() <= 1e-12 * all.gross[k], "{}", what("net production of quasi-steady species"));
        }
        let surroundings = Surroundings { transport_source: s.DIFF.clone(), time_step: s.dt };
        let tolerance = f64::max(1e-8, 3e-10 * s.sensitivity);
        let forms: [(_, &[u8], _, _, _); 3] = [
            (Stiffness::Off, &[], (&s.rf1, &s.rb1), &s.wdot_qssa, &s.gross_qssa),
            (Stiffness::Sequential, &s.triggered, (&s.rf2, &s.rb2), &s.wdot, &s.gross),
            (Stiffness::Jacobi, &s.triggered_jacobi, (&s.rf2j, &s.rb2j), &s.wdot_jacobi, &s.gross_jacobi),
        ];
        for (form, triggered, (rate_forward, rate_reverse), net, gross) in forms {
            let Reduced { forward, reverse, production, triggered: found } =
                kinetics::reduced(&model, &state, &surroundings, form);
            close(&what(&format!("{form:?} rf")), &forward, rate_forward, rate_forward, tolerance);
            close(&what(&format!("{form:?} rb")), &reverse, rate_reverse, rate_reverse, tolerance);
            assert_eq!(found, triggered.iter().map(|&t| t == 1).collect::<Vec<_>>(), "{} {form:?}", what("triggered"));
            close(&what(&format!("{form:?}")), &production.net, net, gross, tolerance);
            close(&what(&format!("{form:?} gross")), &production.gross, gross, gross, tolerance);
        }
    }
}

/// The states that kernels are verified on must treat species, and leave others alone.
fn verification_states_are_stiff_here_and_there(model: &Model) {
    let mut counts = [0, 0];
    for state in kinetics::verification_states(model, 40) {
        let surroundings = kinetics::surroundings(model, &state);
        let reduced = kinetics::reduced(model, &state, &surroundings, Stiffness::Sequential);
        assert!(reduced.production.net.iter().all(|w| w.is_finite()));
        reduced.triggered.iter().for_each(|&t| counts[usize::from(t)] += 1);
    }
    println!("{}: {counts:?}", model.mechanism.name);
    assert!(counts.iter().all(|&n| n > 40));
}

fn read(path: &Path) -> Model {
    let (mechanism, _) =
        mechanism::read(&Files { mechanism: path.to_owned(), ..Files::default() }).expect("the mechanism is good");
    kinetics::model(mechanism).expect("the mechanism is complete")
}

fn close(what: &str, found: &[f64], expected: &[f64], scale: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, ((a, b), s)) in found.iter().zip(expected).zip(scale).enumerate() {
        assert!((a - b).abs() <= tolerance * s.abs(), "{what} [{i}]: {a:e} instead of {b:e}, scale {s:e}");
    }
}

#[test]
fn methane() {
    check(&shipped("methane"));
}

#[test]
fn dme() {
    published("dme").iter().for_each(check);
}

#[test]
fn heptane() {
    published("heptane").iter().for_each(check);
}
