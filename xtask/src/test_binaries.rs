//! The test binaries, two at a time. Cargo runs one after another, and of most the last test leaves all cores but one idle: a second binary
//! takes them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::kept;
use xtask::program;

/// Binaries that run at a time.
const AT_A_TIME: usize = 2;
/// Number of the slowest that are named at the end.
const NAMED: usize = 12;
/// The binaries that take longest, each more than a minute and a half on two cores, begin first: one that begins last would run alone.
const LONGEST: [&str; 7] = ["advanced", "book", "texts", "amd", "faults", "machine_code", "time"];

/// The tests of `--quick`, beside those in the sources: of each house those that take a few seconds together.
pub const QUICK: [&str; 23] = [
    "forms", "yaml", "reduction", "cases", "diagnostics", "reference", "tolerance", "graphs", "proof", "schedules",
    "carried", "allocation_checker", "check", "random", "limits", "semantics", "accepted", "verdicts", "kernels",
    "files", "house", "command", "transport",
];

/// A binary of tests, and the folder of its package, in which cargo would run it.
#[derive(Debug, PartialEq)]
struct Binary {
    name: String,
    executable: PathBuf,
    folder: PathBuf,
}

/// Result of one.
struct Ended {
    name: String,
    took: Duration,
    succeeded: bool,
}

/// Builds and runs all tests of the workspace, those in documentation last.
///
/// Errors: a build failed, or the names of binaries whose tests failed. With `fails_fast` no further one begins behind the first of these.
pub fn run(root: &Path, skipped: &Path, fails_fast: bool) -> Result<(), String> {
    run_those(root, built(root, &[])?, skipped, fails_fast)?;
    let mut documentation = program::cargo(root);
    documentation.args(["test", "--workspace", "--release", "--doc"]).env("SINGE_SKIPPED", skipped);
    program::succeeds(&mut documentation)
}

/// Builds and runs the tests of [`QUICK`], those in the sources, and no others.
///
/// Errors: as of [`run`].
pub fn run_quick(root: &Path, skipped: &Path) -> Result<(), String> {
    run_those(root, built(root, &QUICK)?, skipped, false)
}

fn run_those(root: &Path, binaries: Vec<Binary>, skipped: &Path, fails_fast: bool) -> Result<(), String> {
    let environment = kept::environment(root);
    let queue = in_order(binaries);
    let count = queue.len();
    let (queue, ended) = (Mutex::new(queue), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(binary) = next(&queue, &ended, fails_fast) {
                    let text = run_one(&binary, skipped, &environment);
                    let mut ended = ended.lock().expect("no thread panics");
                    let took = text.1.took.as_secs();
                    println!("\n     Running {} ({} of {count}, {took} s)\n{}", binary.name, ended.len() + 1, text.0);
                    ended.push(text.1);
                }
            });
        }
    });
    let ended = ended.into_inner().expect("no thread panics");
    println!("\n{}", slowest(&ended));
    let failed: Vec<&str> = ended.iter().filter(|one| !one.succeeded).map(|one| one.name.as_str()).collect();
    if !failed.is_empty() {
        return Err(format!("tests failed: {}", failed.join(", ")));
    }
    Ok(())
}

/// Has cargo build all binaries; with names those of the sources and of these names, in steps that a change makes anew in part. The laboratory is
/// left out then: its tests read pages, and its library is all of the compiler.
fn built(root: &Path, names: &[&str]) -> Result<Vec<Binary>, String> {
    let mut cargo = program::cargo(root);
    cargo.args(["test", "--workspace", "--release", "--no-run", "--message-format=json-render-diagnostics"]);
    if !names.is_empty() {
        cargo
            .args(["--exclude", "singe-lab", "--lib", "--bins"])
            .args(names.iter().flat_map(|name| ["--test", *name]))
            .env("CARGO_INCREMENTAL", "1");
    }
    let output = cargo.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo cannot be run: {e}"))?;
    if !output.status.success() {
        return Err(format!("the tests cannot be built: cargo ended with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| binary(root, line)).collect())
}

/// The binary that a message of cargo tells of, if it has tests.
fn binary(root: &Path, message: &str) -> Option<Binary> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.strip_prefix(root).ok()?.to_string_lossy().into_owned();
    let (kind, name) = (message["target"]["kind"][0].as_str()?, message["target"]["name"].as_str()?);
    let name =
        [package.as_str(), if kind == "test" { "" } else { kind }, name].into_iter().filter(|word| !word.is_empty());
    let name = name.collect::<Vec<_>>().join(" ");
    Some(Binary { name, executable: PathBuf::from(message["executable"].as_str()?), folder })
}

/// Those that take longest first, the others as cargo told of them.
fn in_order(mut binaries: Vec<Binary>) -> VecDeque<Binary> {
    let place = |binary: &Binary| {
        let name = binary.name.rsplit(' ').next();
        LONGEST.iter().position(|&longest| Some(longest) == name).unwrap_or(LONGEST.len())
    };
    binaries.sort_by_key(place);
    binaries.into()
}

fn next(queue: &Mutex<VecDeque<Binary>>, ended: &Mutex<Vec<Ended>>, fails_fast: bool) -> Option<Binary> {
    if fails_fast && ended.lock().expect("no thread panics").iter().any(|one| !one.succeeded) {
        return None;
    }
    queue.lock().expect("no thread panics").pop_front()
}

/// Runs one and returns what it prints, and how it ended.
fn run_one(binary: &Binary, skipped: &Path, environment: &[(&str, OsString)]) -> (String, Ended) {
    let begin = Instant::now();
    let mut command = Command::new(&binary.executable);
    command.current_dir(&binary.folder).env("CARGO_MANIFEST_DIR", &binary.folder).env("SINGE_SKIPPED", skipped);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let (text, succeeded) = match command.stdin(Stdio::null()).output() {
        Ok(output) => {
            let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            (text.concat(), output.status.success())
        }
        Err(e) => (format!("{} cannot be run: {e}", binary.executable.display()), false),
    };
    (text, Ended { name: binary.name.clone(), took: begin.elapsed(), succeeded })
}

/// The slowest binaries with the time that each took beside others.
fn slowest(ended: &[Ended]) -> String {
    let mut by_time: Vec<&Ended> = ended.iter().collect();
    by_time.sort_by_key(|one| std::cmp::Reverse(one.took));
    let lines = by_time.iter().take(NAMED).map(|one| format!("  {:4} s  {}\n", one.took.as_secs(), one.name));
    format!("The slowest tests:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_those_with_tests_in_the_folders_of_their_packages() {
        let message = |kind: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/crates/gpu/ptx/Cargo.toml","target":{{"kind":["{kind}"],"name":"own"}},"profile":{{"test":{test}}},"executable":"/t/own-1"}}"#
            )
        };
        let found = |name: &str| {
            Some(Binary { name: name.into(), executable: "/t/own-1".into(), folder: "/a/crates/gpu/ptx".into() })
        };
        assert_eq!(binary(Path::new("/a"), &message("test", true)), found("crates/gpu/ptx own"));
        assert_eq!(binary(Path::new("/a"), &message("lib", true)), found("crates/gpu/ptx lib own"));
        assert_eq!(binary(Path::new("/a"), &message("bin", false)), None);
        assert_eq!(binary(Path::new("/a"), "no message"), None);
    }

    /// Cargo builds nothing at all where one of the names is gone.
    #[test]
    fn all_tests_of_the_quick_tier_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let below = |folder: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        let houses = below(&root.join("crates")).into_iter().flat_map(|group| below(&group));
        let folders: Vec<PathBuf> = houses.chain([root]).map(|package| package.join("tests")).collect();
        for name in QUICK {
            let files = [format!("{name}.rs"), format!("{name}/main.rs")];
            let is_there = folders.iter().any(|folder| files.iter().any(|file| folder.join(file).is_file()));
            assert!(is_there, "{name}");
        }
    }

    #[test]
    fn a_binary_that_fails_or_is_absent_is_told() {
        let of = |executable: &str| {
            let binary = Binary { name: "one".into(), executable: executable.into(), folder: "/".into() };
            run_one(&binary, Path::new("list"), &[]).1.succeeded
        };
        assert_eq!(["true", "false", "/no/such/file"].map(of), [true, false, false]);
    }

    #[test]
    fn none_begins_behind_a_failure_unless_all_are_asked_for() {
        let one = || Binary { name: "one".into(), executable: "true".into(), folder: "/".into() };
        let ended = Mutex::new(vec![Ended { name: "two".into(), took: Duration::ZERO, succeeded: false }]);
        let queue = Mutex::new(VecDeque::from([one()]));
        assert!(next(&queue, &ended, true).is_none());
        assert_eq!(next(&queue, &ended, false), Some(one()));
    }
}
