//! The tests, with what they need and a list of those that were skipped.

use std::path::Path;

use crate::{cantera, program, skipped, toolchain};

/// Fetches what tests use, runs all of them with more arguments of `cargo test`, and lists those that were skipped.
pub fn all(root: &Path, arguments: &[String]) -> Result<(), String> {
    for missing in toolchain::fetch(root) {
        eprintln!("Not installed; the tests that need it will be skipped. {missing}");
    }
    if let Err(reason) = cantera::fetch(root) {
        eprintln!("The tests that read Cantera's mechanisms will be skipped: {reason}");
    }
    skipped::listed(root, |list| {
        let mut tests = program::cargo(root);
        tests.args(["test", "--workspace", "--release"]).args(arguments);
        program::succeeds(tests.env("SINGE_SKIPPED", list))
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
