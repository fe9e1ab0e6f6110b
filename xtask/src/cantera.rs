//! Installs Cantera's Python wheel, whose mechanisms are test data, and which generated code is compared with.

use crate::wheels;
use std::path::{Path, PathBuf};

const WHEEL: &str = "cantera==3.2.0";

/// What it needs beside itself to be run.
const NEEDED: [&str; 3] = ["numpy==2.4.6", "ruamel.yaml==0.19.1", "typing_extensions==4.16.0"];

/// Installs Cantera with what it needs to be run, unless it is there; the answer is the folder for `PYTHONPATH`.
pub fn python(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join(".toolchain/cantera");
    if !folder.join("numpy").is_dir() || !folder.join("cantera/data/gri30.yaml").is_file() {
        wheels::install(&[&[WHEEL][..], &NEEDED].concat(), &folder)?;
    }
    Ok(folder)
}

/// The same; the answer is the folder of its mechanisms, the error the reason why there is none.
pub fn fetch(root: &Path) -> Result<PathBuf, String> {
    let data = python(root)?.join("cantera/data");
    if data.join("gri30.yaml").is_file() { Ok(data) } else { Err(format!("{WHEEL} has no gri30.yaml")) }
}
