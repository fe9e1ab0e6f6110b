//! Models of mechanisms.

use std::path::Path;

use kinetics::Model;
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
