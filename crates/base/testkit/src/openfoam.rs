//! OpenFOAM, where it is.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of its sources, with the links that `wmakeLnIncludeAll` makes to their headers: `SINGE_OPENFOAM` names it, or
/// `WM_PROJECT_DIR` as in OpenFOAM's own shells. Nothing where its programs do not run.
pub fn sources() -> Option<PathBuf> {
    let folders = ["SINGE_OPENFOAM", "WM_PROJECT_DIR"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    folders.into_iter().find(|folder| folder.join("src/OpenFOAM/lnInclude").is_dir() && runs(folder))
}

/// A program of OpenFOAM, which reads settings from that folder.
pub fn program(name: &str, sources: &Path) -> Command {
    let mut program = Command::new(name);
    program.env("WM_PROJECT_DIR", sources);
    program
}

fn runs(sources: &Path) -> bool {
    program("chemFoam", sources).arg("-help").output().is_ok_and(|output| output.status.success())
}
