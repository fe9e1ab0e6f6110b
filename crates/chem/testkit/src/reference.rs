//! Mechanisms with reference values: those that come with the project, and published ones where they are.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use serde::de::DeserializeOwned;

use crate::skip::shared;

/// A mechanism and the name of its values.
pub struct Case {
    pub name: String,
    /// The file of its reactions.
    pub mechanism: PathBuf,
    /// The folder of values.
    values: PathBuf,
}

/// A mechanism that comes with the project, and its values of `tests/data`.
pub fn shipped(name: &str) -> Case {
    Case { name: name.into(), mechanism: crate::shipped(name), values: crate::root().join("tests/data") }
}

/// A mechanism of the tests alone, and its values: `forms` has every form of a rate constant.
pub fn own(name: &str) -> Case {
    let values = crate::root().join("tests/data");
    Case { name: name.into(), mechanism: values.join(name).join("chem.inp"), values }
}

/// A published mechanism and its values of `../shared`.
pub fn published(name: &str) -> Option<Case> {
    let mechanism = shared(&format!("mechanisms/{name}/chem.inp"))?;
    Some(Case { name: name.into(), mechanism, values: shared("reference")? })
}

/// The published mechanisms with values: small ones, large ones, every form of a rate, and every unit of energies. Where they are absent, the
/// test that asks is skipped.
pub fn all_published() -> Option<Vec<Case>> {
    let units = ["EVOLTS", "JOULES_MOLE", "KCAL_MOLE", "KELVINS", "KJOULES_MOLE", "MOLECULES"];
    let named = ["h2_burke", "gri30", "dme", "usc2", "heptane", "fig4", "zoo", "zoo_forms"].map(String::from);
    named.into_iter().chain(units.map(|unit| format!("zoo_{unit}"))).map(|name| published(&name)).collect()
}

impl Case {
    /// The values; those of the reduced mechanism are in the file of the suffix `_reduced`.
    pub fn values<T: DeserializeOwned>(&self, suffix: &str) -> T {
        load(&self.values.join(format!("{}{suffix}.json.gz", self.name)))
    }
}

pub fn load<T: DeserializeOwned>(path: &Path) -> T {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_reader(GzDecoder::new(BufReader::new(file))).unwrap()
}
