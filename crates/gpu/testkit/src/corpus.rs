//! The hand-written kernels under `tests/corpus`, and those with divergent control flow in its folder `divergent`, each with
//! its launch.

use ptx::{Module, read};
use warpsim::setup::{self, Setup};

/// One kernel of the corpus.
pub struct Kernel {
    /// The file's name without its extension.
    pub name: String,
    pub module: Module,
    pub entry: String,
    pub setup: Setup,
}

/// All kernels, by name.
pub fn kernels() -> Vec<Kernel> {
    kernels_in("tests/corpus")
}

/// Kernels with divergent control flow, by name.
pub fn divergent() -> Vec<Kernel> {
    kernels_in("tests/corpus/divergent")
}

fn kernels_in(folder: &str) -> Vec<Kernel> {
    let folder = crate::root().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "ptx")).collect();
    paths.sort();
    let kernel = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let module =
            read::text(&name, &std::fs::read_to_string(path).unwrap()).unwrap_or_else(|d| panic!("{name}: {d:?}"));
        let launch = std::fs::read_to_string(path.with_extension("toml")).unwrap();
        let setup = setup::read(&launch, &folder).unwrap_or_else(|e| panic!("{name}: {e}"));
        let entry = module.entries().next().unwrap().name.clone();
        Kernel { name, module, entry, setup }
    };
    paths.iter().map(kernel).collect()
}
