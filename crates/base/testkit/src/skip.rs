//! Tests that need what is not here say so.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

use crate::root;

/// Notes that the running test, or a part of it, is skipped, and why. The note goes to the test's output and, as one
/// line, to the end of the file that `SINGE_SKIPPED` names: `cargo xtask test` lists them at its end.
pub fn skip(reason: impl Display) {
    let thread = std::thread::current();
    let line = format!("{}::{}: {reason}", program(), thread.name().unwrap_or("?")).replace('\n', " ");
    println!("skipped: {line}");
    if let Some(list) = std::env::var_os("SINGE_SKIPPED") {
        let mut list =
            std::fs::OpenOptions::new().append(true).create(true).open(list).expect("SINGE_SKIPPED is a file");
        // One write: tests of several processes append at the same time.
        list.write_all(format!("{line}\n").as_bytes()).expect("SINGE_SKIPPED can be written");
    }
}

/// Whether sweeps that take minutes are wanted, as `cargo xtask sweeps` has it by `SINGE_SWEEPS`; what is left out else is noted.
pub fn sweeps(what: impl Display) -> bool {
    let are_wanted = std::env::var_os("SINGE_SWEEPS").is_some();
    if !are_wanted {
        skip(format!("{what}: it takes minutes (`cargo xtask sweeps` runs it)"));
    }
    are_wanted
}

/// A file or folder of published mechanisms and reference values, which not every checkout has beside it; where it is
/// absent, the test that asks is skipped.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = root().join("../shared").join(path);
    if found.exists() {
        return Some(found);
    }
    skip(format!("../shared/{path} is absent"));
    None
}

/// The name of the test's program, without the hash that cargo puts behind it.
fn program() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    name.rsplit_once('-').map_or(name.as_ref(), |(name, _)| name).to_owned()
}
