//! Installs Cantera's Python wheel, whose mechanisms are test data, and which generated code is compared with.

use crate::wheels;
use std::path::{Path, PathBuf};

/// Installs Cantera with what it needs to be run, unless it is there; the answer is the folder for `PYTHONPATH`.
pub fn python(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join(".toolchain/cantera");
    if !folder.join("numpy").is_dir() || !folder.join("cantera/data/gri30.yaml").is_file() {
        wheels::install(root, "cantera", &folder)?;
    }
    Ok(folder)
}

/// The same; the answer is the folder of its mechanisms, the error the reason why there is none.
pub fn fetch(root: &Path) -> Result<PathBuf, String> {
    let data = python(root)?.join("cantera/data");
    if data.join("gri30.yaml").is_file() { Ok(data) } else { Err("Cantera's wheel has no gri30.yaml".to_owned()) }
}
