//! Sources that take of a species when nothing is left: reactions balance them a little below zero.

use super::*;

/// Burnt lean gas, whose water becomes hydrogen and oxygen again: it cools down, radicals go, and sources take as many of them as there were.
pub fn drained(project: &Project) -> Point {
    let species = project.model.species();
    let at = |name: &str| species.iter().position(|s| s.name == name).unwrap();
    let (mut fractions, mut sources) = (vec![0.0; species.len()], vec![0.0; species.len()]);
    let radicals = [("H", 2e-13), ("O", 3e-9), ("OH", 1.3e-6), ("HO2", 2e-8), ("H2O2", 3e-9)];
    for (name, y) in radicals {
        (fractions[at(name)], sources[at(name)]) = (y, -6400.0 * y);
    }
    for (name, y, source) in [("H2", 0.0025, 43.0), ("O2", 0.18, 341.0), ("H2O", 0.06, -384.0)] {
        (fractions[at(name)], sources[at(name)]) = (y, source);
    }
    let rest = at("N2");
    fractions[rest] = 1.0 - fractions.iter().sum::<f64>();
    sources[rest] = -sources.iter().sum::<f64>();
    let fixed = if project.constant == Constant::Pressure { 6e5 } else { 1.66 };
    Point { temperature: 1200.0, fixed, fractions, time: 7e-5, sources: Some((sources, 0.0)) }
}

/// Errors keep to tolerances, and steps grow as the method's order has it: by 4 from 1e-5 to 1e-8 where they grew by 7.
#[test]
fn the_order_of_the_method_stays() {
    if !there("g++") {
        return;
    }
    for state in [StateVariables::MassFractions, StateVariables::Density] {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", METHODS[0], state, folder.path());
        compiled(NATIVE, "h2o2", folder.path());
        let point = drained(&project);
        let of = |relative_tolerance: f64| {
            let absolute_tolerance = 1e-6 * relative_tolerance;
            let options = Options { relative_tolerance, absolute_tolerance, ..Options::default() };
            advanced(folder.path(), std::slice::from_ref(&point), &options).remove(0)
        };
        let tight = of(1e-11);
        assert!(tight.state[1..].iter().filter(|&&y| y < -1e-11).count() >= 3, "{:?}", tight.state);
        let mut steps = Vec::new();
        for tolerance in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
            let found = of(tolerance);
            let errors = found
                .state
                .iter()
                .zip(&tight.state)
                .map(|(y, expected)| (y - expected).abs() / (tolerance * expected.abs() + 1e-6 * tolerance));
            let worst = errors.fold(0.0, f64::max);
            println!("{state:?} {tolerance:e}: {} steps, {worst:.2} tolerances", found.steps[0]);
            assert!(found.status == 0 && worst < 6.0, "{state:?} {tolerance:e}: {worst}");
            steps.push(found.steps[0] as f64);
        }
        assert!(steps[4] < 5.0 * steps[1], "{state:?}: {steps:?}");
    }
}
