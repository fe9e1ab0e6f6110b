//! Places where CUDA compilers are looked for.

use cache::owner;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The environment variable that names the one place to look at.
pub const FOLDER_VARIABLE: &str = "SINGE_TOOLCHAIN";
/// The folder that `cargo xtask toolchain` fills.
pub const FOLDER: &str = ".toolchain";

/// A folder that may be, or hold, CUDA toolkits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Origin of the place, such as `CUDA_HOME`.
    pub origin: &'static str,
    pub folder: PathBuf,
}

/// A `.toolchain` folder that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    pub folder: PathBuf,
    pub reason: String,
}

/// Returns the folder that `SINGE_TOOLCHAIN` names, if it is set. Otherwise it returns these, in this order:
///
/// - `.toolchain` beside this program, or beside the folder `target` that cargo built it in, unless it is another
///   user's,
/// - `CUDA_HOME` and `CUDA_PATH`,
/// - the folders of `nvcc` and `ptxas` of the `PATH`,
/// - `/usr/local/cuda` and its neighbours with a release in their name, the latest first.
pub fn places() -> Vec<Place> {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE) {
        return vec![Place { origin: FOLDER_VARIABLE, folder: folder.into() }];
    }
    let own = beside_program().into_iter().filter(|folder| owner::why_not_run(folder).is_none());
    let own = own.map(|folder| (FOLDER, folder));
    let variables = ["CUDA_HOME", "CUDA_PATH"];
    let named = variables.into_iter().filter_map(|name| Some((name, PathBuf::from(env::var_os(name)?))));
    let on_path = env::var_os("PATH").map(|path| of_programs(&path)).unwrap_or_default();
    let on_path = on_path.into_iter().map(|folder| ("PATH", folder));
    let usual = usual(Path::new("/usr/local")).into_iter().map(|folder| ("/usr/local/cuda*", folder));
    let mut all: Vec<Place> = Vec::new();
    for (origin, folder) in own.chain(named).chain(on_path).chain(usual) {
        if all.iter().all(|place| place.folder != folder) {
            all.push(Place { origin, folder });
        }
    }
    all
}

/// Returns folders `.toolchain` that are not used, with the reason: those beside the program that are another user's, and that of
/// the current folder or above, which may have come with a download.
pub fn passed_over() -> Vec<PassedOver> {
    if env::var_os(FOLDER_VARIABLE).is_some() {
        return Vec::new();
    }
    let beside = beside_program();
    let here = env::current_dir()
        .ok()
        .and_then(|here| here.ancestors().map(|folder| folder.join(FOLDER)).find(|f| f.is_dir()));
    let elsewhere = here.filter(|folder| !beside.contains(folder)).map(|folder| {
        let reason = format!("it does not lie beside the program; {FOLDER_VARIABLE} may name it");
        PassedOver { folder, reason }
    });
    let refused = beside
        .iter()
        .filter_map(|folder| Some(PassedOver { folder: folder.clone(), reason: owner::why_not_run(folder)? }));
    refused.chain(elsewhere).collect()
}

/// Returns folders `.toolchain` that came with the program: in its own folder, and beside cargo's folder `target` around it.
fn beside_program() -> Vec<PathBuf> {
    let program = env::current_exe().and_then(|program| program.canonicalize()).unwrap_or_default();
    let built_in = program.ancestors().filter(|folder| folder.file_name().is_some_and(|name| name == "target"));
    let places = program.parent().into_iter().chain(built_in.filter_map(Path::parent));
    places.map(|folder| folder.join(FOLDER)).filter(|folder| folder.is_dir()).collect()
}

/// Returns the toolkits whose `bin` folder is on the path. A link such as `/usr/bin/nvcc` leads to its toolkit.
fn of_programs(path: &OsStr) -> Vec<PathBuf> {
    let programs = env::split_paths(path).flat_map(|folder| ["ptxas", "nvcc"].map(|name| folder.join(name)));
    let real = programs.filter(|program| program.is_file()).filter_map(|program| program.canonicalize().ok());
    real.filter_map(|program| program.parent()?.parent().map(Path::to_owned)).collect()
}

/// Returns `cuda`, then `cuda-13.0`, `cuda-12.9`, …
fn usual(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<(Vec<u32>, String)> =
        names.filter_map(|name| Some((release(name.strip_prefix("cuda")?)?, name))).collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, name)| folder.join(name)).collect()
}

/// Returns the numbers of `-12.9`; more than any number if there is none.
fn release(text: &str) -> Option<Vec<u32>> {
    match text.strip_prefix('-') {
        None if text.is_empty() => Some(vec![u32::MAX]),
        None => None,
        Some(numbers) => numbers.split('.').map(|number| number.parse().ok()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_folders_come_latest_first_behind_the_default() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["cuda-9.2", "cuda-12.4", "cuda", "cuda-samples", "cuda-12.10", "other"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let expected = ["cuda", "cuda-12.10", "cuda-12.4", "cuda-9.2"].map(|name| folder.path().join(name));
        assert_eq!(usual(folder.path()), expected);
        assert_eq!(usual(Path::new("/nowhere")), Vec::<PathBuf>::new());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_on_the_path_leads_to_its_toolkit() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(real.join("kit/bin")).unwrap();
        std::fs::create_dir(real.join("links")).unwrap();
        std::fs::write(real.join("kit/bin/nvcc"), "").unwrap();
        std::os::unix::fs::symlink(real.join("kit/bin/nvcc"), real.join("links/nvcc")).unwrap();
        let path = env::join_paths([real.join("empty"), real.join("links")]).unwrap();
        assert_eq!(of_programs(&path), [real.join("kit")]);
    }
}
