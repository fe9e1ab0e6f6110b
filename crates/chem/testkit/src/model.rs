//! Models of mechanisms.

use std::path::Path;

use kinetics::{Model, State};
use mechanism::{Companion, Files, Options};

/// The model of a mechanism with all that lies beside it, its reduction too.
pub fn model(mechanism: &Path) -> Model {
    read(Files { mechanism: mechanism.to_owned(), ..Files::default() })
}

/// The model of a mechanism without its reduction.
pub fn detailed(mechanism: &Path) -> Model {
    read(Files { mechanism: mechanism.to_owned(), reduction: Companion::Ignored, ..Files::default() })
}

fn read(files: Files) -> Model {
    // USC Mech II has two transport entries for some species.
    kinetics::model(mechanism::read_with(&files, Options::PERMISSIVE).expect("a valid mechanism").0).expect("a model")
}

/// A state of a flame in which every species is there: fractions of a sum of 1.
pub fn uneven_state(model: &Model) -> State {
    let amounts: Vec<f64> = (1..=model.species().len()).map(|k| 1.0 + (k * k % 7) as f64).collect();
    let sum: f64 = amounts.iter().sum();
    State { temperature: 1350.0, pressure: 2.5e5, mole_fractions: amounts.iter().map(|x| x / sum).collect() }
}
