//! The tests, with what they need and a list of those that were skipped.

use std::path::Path;

use crate::{kept, skipped, test_binaries, toolchain};
use xtask::{cantera, program};

/// The tests that leave sweeps out.
const SWEPT: [&str; 22] = [
    "advanced", "amd", "compiled", "constants", "estimates", "forms", "jacobian", "machine_code", "points",
    "precision", "project", "ptx_loop", "ptx_targets", "reactor", "reduced", "registers", "steps", "targets", "texts",
    "time", "verified", "warps",
];

/// Fetches what tests use, runs all of them, and lists those that were skipped. With `--quick` nothing is fetched, and the quick tests run
/// alone. With arguments of `cargo test` other than `--no-fail-fast` cargo runs them, one binary after another.
pub fn all(root: &Path, arguments: &[String]) -> Result<(), String> {
    if arguments == ["--quick"] {
        return skipped::listed(root, |list| test_binaries::run_quick(root, list));
    }
    for missing in toolchain::fetch(root) {
        eprintln!("Not installed; the tests that need it will be skipped. {missing}");
    }
    if let Err(reason) = cantera::fetch(root) {
        eprintln!("The tests that read Cantera's mechanisms will be skipped: {reason}");
    }
    let goes_on = |argument: &String| argument == "--no-fail-fast";
    skipped::listed(root, |list| {
        if arguments.iter().all(goes_on) {
            return test_binaries::run(root, list, arguments.is_empty());
        }
        let mut tests = program::cargo(root);
        tests.args(["test", "--workspace", "--release"]).args(arguments);
        program::succeeds(tests.env("SINGE_SKIPPED", list).envs(kept::environment(root)))
    })
}

/// Runs the tests that leave sweeps out because they take minutes, with these.
pub fn sweeps(root: &Path) -> Result<(), String> {
    skipped::listed(root, |list| {
        let mut tests = program::cargo(root);
        tests.args(["test", "--release", "--workspace"]).args(SWEPT.iter().flat_map(|name| ["--test", *name]));
        program::succeeds(tests.env("SINGE_SKIPPED", list).env("SINGE_SWEEPS", "all").envs(kept::environment(root)))
    })
}

/// Runs the commands of all pages, also those that the tests leave out because they take minutes.
pub fn guide(root: &Path) -> Result<(), String> {
    let words = "test --release -p singe -p singe-tune --bins --test book --test guide";
    skipped::listed(root, |list| {
        let mut tests = program::cargo(root);
        program::succeeds(tests.args(words.split(' ')).env("SINGE_SKIPPED", list).env("SINGE_GUIDE", "all"))
    })
}

#[cfg(test)]
mod check {
    use std::path::{Path, PathBuf};

    use super::SWEPT;

    /// Returns the sources in folders of tests that leave sweeps out, each with the name of its test.
    fn swept(folder: &Path) -> Vec<(String, PathBuf)> {
        let paths = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| path.is_dir());
        let own = files.into_iter().filter_map(|file| {
            let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
            let name = parts.get(parts.iter().rposition(|part| *part == "tests")? + 1)?.trim_end_matches(".rs");
            let leaves_out = std::fs::read_to_string(&file).is_ok_and(|text| text.contains("skip::sweeps("));
            leaves_out.then(|| (name.to_owned(), file.clone()))
        });
        let own: Vec<(String, PathBuf)> = own.collect();
        folders.iter().flat_map(|folder| swept(folder)).chain(own).collect()
    }

    #[test]
    fn the_sweeps_run_what_tests_leave_out() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let all: Vec<(String, PathBuf)> =
            ["tests", "crates"].iter().flat_map(|folder| swept(&root.join(folder))).collect();
        assert!(all.len() > 15, "{all:?}");
        // The crate of what tests share has a function that others call.
        let missing = all.iter().filter(|(name, _)| name != "testkit" && !SWEPT.contains(&name.as_str()));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&(String, PathBuf)>::new());
    }
}
