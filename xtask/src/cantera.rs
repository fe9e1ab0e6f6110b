//! Installs Cantera's Python wheel, whose mechanisms are test data.

use crate::wheels;
use std::path::{Path, PathBuf};

const WHEEL: &str = "cantera==3.2.0";

/// Installs the wheel unless it is there; the answer is the folder of its mechanisms, the error the reason why there is
/// none.
pub fn fetch(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join(".toolchain/cantera");
    let data = folder.join("cantera/data");
    if !data.join("gri30.yaml").is_file() {
        wheels::install(&[WHEEL], &folder)?;
    }
    if data.join("gri30.yaml").is_file() { Ok(data) } else { Err(format!("{WHEEL} has no gri30.yaml")) }
}
