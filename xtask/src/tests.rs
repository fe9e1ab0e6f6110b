//! The tests, with what they need and a list of those that were skipped.

use std::path::Path;

use crate::{kept, skipped, test_binaries, toolchain};
use xtask::{cantera, program};

/// The tests that leave sweeps out.
const SWEPT: [&str; 15] = [
    "advanced", "amd", "forms", "jacobian", "machine_code", "points", "precision", "reactor", "reduced", "registers",
    "steps", "targets", "time", "verified", "warps",
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
