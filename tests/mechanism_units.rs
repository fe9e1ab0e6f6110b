//! Rate constants of elementary reactions against independently computed values, in every unit that CHEMKIN knows.

use approx::assert_relative_eq;
use flate2::read::GzDecoder;
use mechanism::{Files, Options, Rate, read_with};
use serde_json::Value;
use std::fs::File;
use std::path::Path;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared");

fn check(name: &str) {
    let shared = Path::new(SHARED);
    let Ok(file) = File::open(shared.join("reference").join(format!("{name}.json.gz"))) else {
        println!("skipped: ../shared is absent");
        return;
    };
    let reference: Value = serde_json::from_reader(GzDecoder::new(file)).expect("reference values");
    let files = Files { mechanism: shared.join("mechanisms").join(name).join("chem.inp"), ..Files::default() };
    let (mechanism, _) = read_with(&files, Options::PERMISSIVE).expect("a valid mechanism");
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
fn published_mechanisms_agree() {
    for name in ["h2_burke", "dme", "gri30", "heptane", "usc2", "fig4", "zoo", "zoo_forms"] {
        check(name);
    }
}

#[test]
fn every_unit_keyword_agrees() {
    for name in ["EVOLTS", "JOULES_MOLE", "KCAL_MOLE", "KELVINS", "KJOULES_MOLE", "MOLECULES"] {
        check(&format!("zoo_{name}"));
    }
}
