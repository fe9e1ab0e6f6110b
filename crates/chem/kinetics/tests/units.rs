//! Rate constants of elementary reactions against independently computed values, in every unit that CHEMKIN knows.

use approx::assert_relative_eq;
use mechanism::{Companion, Files, Mechanism, Options, Rate, Sources, decode, parse, read_with};
use serde_json::Value;
use testkit::reference::{Case, all_published, own, shipped};

fn read(case: &Case) -> Mechanism {
    let files = Files { mechanism: case.mechanism.clone(), reduction: Companion::Ignored, ..Files::default() };
    read_with(&files, Options::PERMISSIVE).expect("a valid mechanism").0
}

fn check(case: &Case) {
    let mechanism = read(case);
    let reference: Value = case.values("");
    let mut checked = 0;
    for state in reference["states"].as_array().expect("states") {
        let temperature = state["T"].as_f64().expect("a temperature");
        for (i, reaction) in mechanism.reactions.iter().enumerate() {
            if let Rate::Arrhenius(k) = &reaction.rate {
                let expected = state["kf"][i].as_f64().expect("a rate constant");
                let value = k.a * (k.b * temperature.ln() - k.e_over_r / temperature).exp();
                assert_relative_eq!(value, expected, max_relative = 1e-11);
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
    for (species, weight) in mechanism.species.iter().zip(reference["mw"].as_array().expect("weights")) {
        assert_relative_eq!(species.weight, weight.as_f64().expect("a weight"), max_relative = 1e-14);
    }
}

#[test]
fn shipped_mechanisms_agree() {
    for name in ["h2o2", "methane", "gri30", "ammonia"] {
        check(&shipped(name));
    }
    check(&own("forms"));
}

#[test]
fn published_mechanisms_agree() {
    all_published().iter().flatten().for_each(check);
}

/// Value of one cal/mol in the unit of a keyword, from the definitions of the units (CODATA 2018).
const ENERGIES: [(&str, f64); 6] = [
    ("CAL/MOLE", 1.0),
    ("KCAL/MOLE", 1e-3),
    ("JOULES/MOLE", 4.184),
    ("KJOULES/MOLE", 4.184e-3),
    ("KELVINS", 4.184 / 8.31446261815324),
    ("EVOLTS", 4.184 / 8.31446261815324 * 1.380649e-23 / 1.602176634e-19),
];

/// The methane mechanism, rewritten from moles and calories, has the same rates: every kind of rate that it has, at every
/// state with values.
#[test]
fn a_mechanism_in_other_units_has_the_same_rates() {
    let case = shipped("methane");
    let values: Value = case.values("");
    for (energy, per_calorie) in ENERGIES {
        for (quantity, per_mole) in [("MOLES", 1.0), ("MOLECULES", 6.02214076e23)] {
            let mechanism = rewritten(&case, &format!("{energy} {quantity}"), per_calorie, per_mole);
            let model = kinetics::model(mechanism).expect("a valid mechanism");
            for state in values["states"].as_array().expect("states") {
                let [temperature, pressure] = ["T", "P"].map(|name| state[name].as_f64().expect("a number"));
                let mole_fractions = numbers(&state["X"]);
                let rates = kinetics::rates(&model, &kinetics::State { temperature, pressure, mole_fractions });
                for (found, name) in [(&rates.forward, "kf"), (&rates.reverse, "kr")] {
                    for (found, expected) in found.iter().zip(numbers(&state[name])) {
                        assert_relative_eq!(*found, expected, max_relative = 1e-11);
                    }
                }
            }
        }
    }
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().expect("an array").iter().map(|v| v.as_f64().expect("a number")).collect()
}

/// The file's text with its rate constants in other units, read again.
fn rewritten(case: &Case, keywords: &str, per_calorie: f64, per_mole: f64) -> Mechanism {
    let molecules = orders(&read(case));
    let text = std::fs::read_to_string(&case.mechanism).expect("a file");
    let (head, reactions) = text.split_once("REACTIONS CAL/MOLE\n").expect("the keyword of the file");
    let mut changed = format!("{head}REACTIONS {keywords}\n");
    let mut reaction = 0;
    for line in reactions.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (prefix, constants, power) = match words.as_slice() {
            [equation, constants @ ..] if equation.contains('=') => {
                reaction += 1;
                (format!("{equation} "), constants, molecules[reaction - 1] - 1)
            }
            ["LOW/", constants @ .., "/"] => ("LOW/".into(), constants, molecules[reaction - 1]),
            _ => {
                changed.push_str(&format!("{line}\n"));
                continue;
            }
        };
        let [a, b, e] = constants else { panic!("{line}") };
        let [a, e]: [f64; 2] = [a, e].map(|word| word.parse().expect("a number"));
        let (a, e) = (a / per_mole.powi(power), e * per_calorie);
        let end = if prefix == "LOW/" { "/" } else { "" };
        changed.push_str(&format!("{prefix}{a:e} {b} {e:e}{end}\n"));
    }
    let file = |name: &str| decode(name, &std::fs::read(case.mechanism.with_file_name(name)).expect("a file"));
    let sources = Sources {
        thermo: Some(file("therm.dat")),
        transport: Some(file("tran.dat")),
        ..Sources::new("methane", decode("chem.inp", changed.as_bytes()))
    };
    parse(&sources, Options::default()).unwrap_or_else(|d| panic!("{}: {changed}", d[0].message)).0
}

/// Counts the concentrations in the product of each rate.
fn orders(mechanism: &Mechanism) -> Vec<i32> {
    let order = |r: &mechanism::Reaction| {
        r.reactants.iter().map(|(_, nu)| *nu as i32).sum::<i32>() + i32::from(r.third_body.is_some())
    };
    mechanism.reactions.iter().map(order).collect()
}
