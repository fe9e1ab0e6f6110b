//! The f64 reference against values made with Cantera 3.2.0 (`tests/data`, and those of published mechanisms where they
//! are): every array of every file. Each test prints the worst figure of each array (`cargo test -- --nocapture`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use kinetics::{self, Model, State, TransportFits};
use mechanism::{self, Companion, Files, Options};
use serde::Deserialize;
use testkit::reference::{Case, all_published, load, own, published, shipped};
use testkit::skip::shared;

const OWN_FITS: f64 = 1e-9;
const EVALUATED: f64 = 1e-11;
const THERMODYNAMICS: f64 = 1e-12;
/// Cantera's floor of mole fractions, and the larger one of `dmix_eps`.
const FLOOR: f64 = 1e-20;
const LARGE_FLOOR: f64 = 1e-12;

/// null where a value has no meaning.
type Values = Vec<Option<f64>>;

#[derive(Deserialize)]
struct Reference {
    species: Vec<String>,
    mw: Values,
    reactions: Vec<serde_json::Value>,
    fits: Option<Fits>,
    states: Vec<Expected>,
}

#[derive(Deserialize)]
struct Fits {
    #[serde(rename = "Tmin")]
    t_min: f64,
    #[serde(rename = "Tmax")]
    t_max: f64,
    #[serde(rename = "visc")]
    viscosity: Vec<[f64; 4]>,
    #[serde(rename = "cond")]
    conductivity: Vec<[f64; 4]>,
    #[serde(rename = "diff")]
    diffusion: Vec<[f64; 4]>,
}

#[derive(Deserialize)]
struct Expected {
    kind: String,
    #[serde(rename = "T")]
    temperature: f64,
    #[serde(rename = "P")]
    pressure: f64,
    #[serde(rename = "X")]
    mole_fractions: Vec<f64>,
    /// Every other array or number, by its name.
    #[serde(flatten)]
    arrays: BTreeMap<String, Array>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Array {
    Number(f64),
    Numbers(Values),
}

impl Expected {
    fn state(&self) -> State {
        State { temperature: self.temperature, pressure: self.pressure, mole_fractions: self.mole_fractions.clone() }
    }

    fn array(&self, name: &str) -> Option<Values> {
        self.arrays.get(name).map(|array| match array {
            Array::Number(one) => vec![Some(*one)],
            Array::Numbers(many) => many.clone(),
        })
    }
}

/// The worst figure of each array, with its place and the tolerance.
#[derive(Default)]
struct Worst(BTreeMap<String, (f64, String, f64)>);

impl Worst {
    fn note(&mut self, array: &str, tolerance: f64, error: f64, place: String) {
        let entry = self.0.entry(array.into()).or_insert((-1.0, String::new(), tolerance));
        let error = if error.is_nan() { f64::INFINITY } else { error };
        if error > entry.0 {
            *entry = (error, place, tolerance);
        }
    }

    fn report(&self, title: &str) {
        let line = |(array, (error, place, _)): (&String, &(f64, String, f64))| {
            format!("  {array:12} {error:8.1e}  {place}\n")
        };
        println!("{title}\n{}", self.0.iter().map(line).collect::<String>());
        let bad: Vec<_> = self.0.iter().filter(|(_, (error, _, tolerance))| error > tolerance).collect();
        assert!(bad.is_empty(), "{title}: beyond tolerance: {bad:?}");
    }
}

fn relative(found: f64, expected: f64) -> f64 {
    if found == expected { 0.0 } else { (found - expected).abs() / expected.abs() }
}

fn absolute_or_relative(found: f64, expected: f64) -> f64 {
    (found - expected).abs() / expected.abs().max(1.0)
}

/// The model of a mechanism, with our own fits.
fn read(case: &Case) -> Model {
    let files = Files { mechanism: case.mechanism.clone(), reduction: Companion::Ignored, ..Files::default() };
    // USC Mech II has two transport entries for some species.
    let (mechanism, _) = mechanism::read_with(&files, mechanism::Options::PERMISSIVE).unwrap();
    kinetics::model(mechanism).unwrap()
}

fn given(fits: &Fits) -> TransportFits {
    TransportFits {
        t_min: fits.t_min,
        t_max: fits.t_max,
        viscosity: fits.viscosity.clone(),
        conductivity: fits.conductivity.clone(),
        diffusion: fits.diffusion.clone(),
        thermal_diffusion: Vec::new(),
    }
}

fn check(case: &Case) {
    let own = read(case);
    let reference: Reference = case.values("");
    let mut worst = Worst::default();
    let names: Vec<&String> = own.mechanism.species.iter().map(|s| &s.name).collect();
    assert_eq!(names, reference.species.iter().collect::<Vec<_>>());
    assert_eq!(own.mechanism.reactions.len(), reference.reactions.len());
    let weights: Vec<f64> = own.mechanism.species.iter().map(|s| s.weight).collect();
    compare(&mut worst, "mw", THERMODYNAMICS, relative, "", &weights, &reference.mw);
    if let Some(fits) = &reference.fits {
        compare_fits(&mut worst, own.transport.as_ref().unwrap(), fits);
    }
    let model = Model { transport: reference.fits.as_ref().map(given), ..own };
    for (n, expected) in reference.states.iter().enumerate() {
        compare_state(&mut worst, &model, n, expected, FLOOR);
    }
    worst.report(&case.name);
}

/// Values, not coefficients: these are ill-conditioned.
fn compare_fits(worst: &mut Worst, own: &TransportFits, given: &Fits) {
    assert_eq!((own.t_min, own.t_max), (given.t_min, given.t_max));
    let all = [
        ("fit of visc", &own.viscosity, &given.viscosity),
        ("fit of cond", &own.conductivity, &given.conductivity),
        ("fit of diff", &own.diffusion, &given.diffusion),
    ];
    for (array, own, given_fits) in all {
        assert_eq!(own.len(), given_fits.len());
        for step in 0..=40 {
            let t = given.t_min + (given.t_max - given.t_min) * f64::from(step) / 40.0;
            let value = |c: &[f64; 4]| kinetics::fits::cubic(c, t.ln()).exp();
            for (k, (own, given)) in own.iter().zip(given_fits).enumerate() {
                worst.note(array, OWN_FITS, relative(value(own), value(given)), format!("[{k}] at {t} K"));
            }
        }
    }
}

/// Every array that the state has. `floor` is the floor of mole fractions of `dmix`.
fn compare_state(worst: &mut Worst, model: &Model, n: usize, expected: &Expected, floor: f64) {
    let state = expected.state();
    let place = format!("state {n} ({}, {} K, {} Pa)", expected.kind, state.temperature, state.pressure);
    let thermo = kinetics::thermo(model, &state);
    let rates = kinetics::rates(model, &state);
    let production = kinetics::production(model, &state);
    let mut evaluated = vec![
        ("kf", rates.forward),
        ("kr", rates.reverse),
        ("m3", rates.third_body.into_iter().map(|m| m.unwrap_or(f64::NAN)).collect()),
        ("ropf", rates.rate_forward),
        ("ropr", rates.rate_reverse),
        ("gross", production.gross.clone()),
        ("rho", vec![kinetics::density(model, &state)]),
    ];
    if model.transport.is_some() {
        evaluated.extend([
            ("visc_k", kinetics::species_viscosity(model, state.temperature)),
            ("cond_k", kinetics::species_conductivity(model, state.temperature)),
            ("dij_1atm", kinetics::binary_diffusion(model, state.temperature)),
            ("visc", vec![kinetics::viscosity(model, &state)]),
            ("cond", vec![kinetics::conductivity(model, &state)]),
            ("dmix", kinetics::diffusion(model, &state, floor)),
            ("dmix_eps", kinetics::diffusion(model, &state, LARGE_FLOOR)),
        ]);
    }
    let mut unread: Vec<&String> = expected.arrays.keys().collect();
    for (array, found) in &evaluated {
        if let Some(values) = expected.array(array) {
            unread.retain(|name| name != array);
            compare(worst, array, EVALUATED, relative, &place, found, &values);
        }
    }
    let dimensionless = [("cp_R", &thermo.cp_r), ("h_RT", &thermo.h_rt), ("s_R", &thermo.s_r), ("g_RT", &thermo.g_rt)];
    for (array, found) in dimensionless {
        if let Some(values) = expected.array(array) {
            unread.retain(|name| *name != array);
            compare(worst, array, THERMODYNAMICS, absolute_or_relative, &place, found, &values);
        }
    }
    let net = expected.array("wdot").unwrap();
    unread.retain(|name| *name != "wdot");
    for (k, (found, gross)) in production.net.iter().zip(&production.gross).enumerate() {
        let difference = (found - net[k].unwrap()).abs();
        let error = if difference == 0.0 { 0.0 } else { difference / gross };
        worst.note("wdot/gross", EVALUATED, error, format!("[{k}] of {place}"));
    }
    assert!(unread.is_empty(), "arrays that were not compared: {unread:?}");
}

/// Notes the worst error of one array. Where the reference has null, nothing is compared.
fn compare(
    worst: &mut Worst,
    array: &str,
    tolerance: f64,
    error: fn(f64, f64) -> f64,
    place: &str,
    found: &[f64],
    expected: &Values,
) {
    assert_eq!(found.len(), expected.len(), "{array}");
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        if let Some(expected) = expected {
            worst.note(array, tolerance, error(*found, *expected), format!("[{k}] of {place}"));
        }
    }
}

#[test]
fn published_mechanisms() {
    let Some(cases) = all_published() else { return };
    cases.iter().for_each(check);
    // The largest one has no reference values.
    let Some(largest) = shared("mechanisms/llnl_nheptane/chem.inp") else { return };
    all_is_finite_and_elements_are_conserved(largest);
}

#[test]
fn every_form_of_a_rate() {
    check(&own("forms"));
}

#[test]
fn shipped_h2o2() {
    check(&shipped("h2o2"));
}

#[test]
fn shipped_methane() {
    check(&shipped("methane"));
}

#[test]
fn shipped_gri30() {
    check(&shipped("gri30"));
}

#[test]
fn shipped_ammonia() {
    check(&shipped("ammonia"));
}

/// Temperatures and pressures outside the usual, traces, zeros and near-pure mixtures.
#[test]
fn edge() {
    #[derive(Deserialize)]
    struct Edge {
        states: Vec<Expected>,
    }
    let Some(path) = shared("reference/edge.json.gz") else { return };
    let mut edge: BTreeMap<String, serde_json::Value> = load(&path);
    for name in ["gri30", "dme"] {
        let Some(case) = published(name) else { return };
        let own = read(&case);
        let reference: Reference = case.values("");
        let model = Model { transport: reference.fits.as_ref().map(given), ..own };
        let edge: Edge = serde_json::from_value(edge.remove(name).unwrap()).unwrap();
        let mut worst = Worst::default();
        for (n, expected) in edge.states.iter().enumerate() {
            compare_state(&mut worst, &model, n, expected, LARGE_FLOOR);
        }
        worst.report(&format!("edge of {name}"));
    }
}

#[test]
fn rates_conserve_elements() {
    for name in ["h2o2", "gri30", "methane", "ammonia"] {
        all_is_finite_and_elements_are_conserved(shipped(name).mechanism);
    }
    all_is_finite_and_elements_are_conserved(own("forms").mechanism);
}

fn all_is_finite_and_elements_are_conserved(mechanism: PathBuf) {
    let files = Files { mechanism, reduction: Companion::Ignored, ..Files::default() };
    let (mechanism, _) = mechanism::read_with(&files, Options::PERMISSIVE).unwrap();
    let start = Instant::now();
    let model = kinetics::model(mechanism).unwrap();
    println!("fits of {} species: {:?}", model.mechanism.species.len(), start.elapsed());
    for state in kinetics::verification_states(&model, 24) {
        let transport = [kinetics::viscosity(&model, &state), kinetics::conductivity(&model, &state)];
        let diffusion = kinetics::diffusion(&model, &state, FLOOR);
        assert!(transport.iter().chain(&diffusion).all(|value| value.is_finite() && *value > 0.0), "{state:?}");
        let made = kinetics::production(&model, &state);
        assert!(made.net.iter().chain(&made.gross).all(|rate| rate.is_finite()), "{state:?}");
        for element in 0..model.mechanism.elements.len() {
            let atoms = |k: usize| -> f64 {
                let composition = &model.mechanism.species[k].composition;
                composition.iter().filter(|(e, _)| *e == element).map(|(_, atoms)| atoms).sum()
            };
            let sum = |rates: &[f64]| rates.iter().enumerate().map(|(k, rate)| atoms(k) * rate).sum::<f64>();
            assert!(sum(&made.net).abs() <= 1e-13 * sum(&made.gross), "element {element} of {state:?}");
        }
    }
}

#[test]
fn collision_tables() {
    use kinetics::collision_tables::{A_STAR, DELTA_STAR, OMEGA22, T_STAR};
    let Some(path) = shared("reference/collision_integrals.json") else { return };
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let numbers = |name: &str| -> Vec<f64> { serde_json::from_value(json[name].clone()).unwrap() };
    assert_eq!(numbers("tstar"), T_STAR);
    assert_eq!(numbers("delta"), DELTA_STAR);
    for (name, table) in [("omega22", &OMEGA22), ("astar", &A_STAR)] {
        let expected: Vec<[f64; 8]> = serde_json::from_value(json[name].clone()).unwrap();
        assert_eq!(expected, table, "{name}");
    }
}
