//! Places of the project and its mechanisms.

use std::path::{Path, PathBuf};

/// The project, whichever of its packages is tested.
pub fn root() -> PathBuf {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR"));
    kit.ancestors().nth(3).expect("the kit is in a folder of the project").to_owned()
}

/// The reactions of a mechanism that comes with the project.
pub fn shipped(name: &str) -> PathBuf {
    root().join("mechanisms").join(name).join("chem.inp")
}
