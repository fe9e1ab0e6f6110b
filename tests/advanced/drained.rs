//! Sources that take of a species when nothing is left: reactions balance them a little below zero.

use super::*;
use testkit::numbers::Numbers;

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

/// Hot mixtures of all species, with few radicals, so that none gets hotter than rates reach; a source takes up to half of some species over the time, and
/// gives it to nitrogen.
fn random(project: &Project, random: &mut Numbers) -> Point {
    let species = project.model.species();
    let is_stable = |name: &str| ["H2", "O2", "H2O", "N2", "AR"].contains(&name);
    let most = |name: &str| if is_stable(name) { 0.0 } else { -2.0 };
    let parts: Vec<f64> = species.iter().map(|s| 10f64.powf(random.between(-6.0, most(&s.name)))).collect();
    let sum: f64 = parts.iter().sum();
    let fractions: Vec<f64> = parts.iter().map(|part| part / sum).collect();
    let time = 10f64.powf(random.between(-6.0, -4.0));
    let mut sources: Vec<f64> = fractions
        .iter()
        .map(|y| if random.below(2) == 0 { -random.between(0.0, 0.5) * y / time } else { 0.0 })
        .collect();
    let rest = species.iter().position(|s| s.name == "N2").unwrap();
    sources[rest] = 0.0;
    sources[rest] = -sources.iter().sum::<f64>();
    let temperature = random.between(1000.0, 2500.0);
    let fixed = if project.constant == Constant::Pressure { 1e5 } else { 0.2 };
    Point { temperature, fixed, fractions, time, sources: Some((sources, 0.0)) }
}

/// Reactions take what a source leaves, so that the species settles below zero: further than a radical may come there.
#[test]
fn drained_species_settle_below_zero() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = written("h2o2", METHODS[0], StateVariables::MassFractions, folder.path());
    compiled(NATIVE, "h2o2", folder.path());
    let mut numbers = Numbers(7);
    let points: Vec<Point> = (0..48).map(|_| random(&project, &mut numbers)).collect();
    let at = |relative_tolerance| {
        let options =
            Options { relative_tolerance, absolute_tolerance: 1e-6 * relative_tolerance, ..Options::default() };
        advanced(folder.path(), &points, &options)
    };
    let (found, tight) = (at(1e-6), at(1e-10));
    let is_below = |found: &Found| found.state[1..].iter().any(|&y| y < -MOST_NEGATIVE);
    assert!(tight.iter().filter(|found| is_below(found)).count() >= 4, "some states are below the other limit");
    for (i, (found, tight)) in found.iter().zip(&tight).enumerate() {
        assert!(found.status == 0 && tight.status == 0, "{i}: {} {}", found.status, tight.status);
        let errors =
            found.state.iter().zip(&tight.state).map(|(y, other)| (y - other).abs() / (1e-6 * other.abs() + 1e-12));
        let worst = errors.fold(0.0, f64::max);
        assert!(worst < 30.0, "{i}: {worst} tolerances");
    }
}
