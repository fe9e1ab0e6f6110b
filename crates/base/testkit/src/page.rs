//! A page of the guide is run from its top to its end.
//!
//! A block ```` ```sh ```` is run by bash in an empty folder in which `mechanisms`, `examples` and `tests` are the project's, and `dme` and `heptane`
//! published mechanisms where they are, after the blocks above it. Behind the language may stand
//!
//! - `needs-PROGRAM`: it and those below it are skipped where the program is absent,
//! - `long`: it takes minutes. It and those below it are skipped, but not by `cargo xtask guide`, which sets `SINGE_GUIDE`,
//! - `by-CHORE`: `cargo xtask CHORE` runs it, elsewhere than here,
//! - `clone`: it is run in the project's folder.
//!
//! A block ```` ```c,file=NAME ```` is written to that file. Each line of a block ```` ```text,printed ```` must have been printed by the
//! commands above it.

use std::path::Path;
use std::process::{Command, Output};

use crate::openfoam;
use crate::root;
use crate::skip::skip;

pub fn text(page: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(page)).unwrap_or_else(|e| panic!("{page}: {e}"))
}

/// A fenced block: what stands behind the fence, and its lines.
pub fn fences(text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(info) if !open => {
                all.push((info.to_owned(), String::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => {
                let last = all.last_mut().expect("a fence was opened");
                last.1 += line;
                last.1.push('\n');
            }
            None => {}
        }
    }
    all
}

/// Runs pages, one after the other, in one folder. `program` is one of the project's, and lies where the others do.
pub fn run(pages: &[&str], program: &str) {
    let folder = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    for name in ["mechanisms", "examples", "tests", "../shared/mechanisms/dme", "../shared/mechanisms/heptane"] {
        let link = folder.path().join(Path::new(name).file_name().unwrap());
        std::os::unix::fs::symlink(root().join(name), link).unwrap();
    }
    let programs = Path::new(program).parent().expect("a program is in a folder");
    let (mut printed, mut ran) = (String::new(), 0);
    for page in pages {
        for (info, body) in fences(&text(page)) {
            let words: Vec<&str> = info.split(',').collect();
            if let Some(name) = words.iter().find_map(|word| word.strip_prefix("file=")) {
                std::fs::write(folder.path().join(name), body).unwrap();
            } else if info == "text,printed" {
                let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let all = spaced(&printed);
                body.lines()
                    .for_each(|line| assert!(all.contains(&spaced(line)), "{page}: {line} is not in\n{printed}"));
            } else if words[0] == "sh" {
                let first = body.lines().next().unwrap_or_default();
                if let Some(chore) = words.iter().find_map(|word| word.strip_prefix("by-")) {
                    skip(format!("{page}: {first}: `cargo xtask {chore}` runs it"));
                    continue;
                }
                let is_there = |need: &&str| there(need, programs);
                if let Some(absent) = words.iter().filter_map(|word| word.strip_prefix("needs-")).find(|n| !is_there(n))
                {
                    return skip(format!("{page}: from {first}: {absent} is absent"));
                }
                if words.contains(&"long") && std::env::var_os("SINGE_GUIDE").is_none() {
                    return skip(format!("{page}: from {first}: it takes minutes (`cargo xtask guide` runs it)"));
                }
                let place = if words.contains(&"clone") { root() } else { folder.path().to_owned() };
                printed = shell(&body, &place, programs).unwrap_or_else(|text| panic!("{page}: {body}{text}"));
                ran += 1;
            }
        }
    }
    assert!(ran > 0, "{pages:?} have nothing to run");
}

/// Returns the output of commands; if one fails, the error has its messages.
fn shell(commands: &str, place: &Path, programs: &Path) -> Result<String, String> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let own = [programs.to_owned(), root().join(".toolchain/book/bin")];
    let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&old))).unwrap();
    let modules = ["python", ".toolchain/numpy", ".toolchain/cantera"].map(|folder| root().join(folder));
    let modules = std::env::join_paths(modules).unwrap();
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", commands]).current_dir(place).env("PATH", path);
    bash.env("PYTHONPATH", modules).env("PYTHONDONTWRITEBYTECODE", "1").env("SINGE_COMMAND", programs.join("singe"));
    // Open MPI refuses the superuser, as whom containers work, and more ranks than cores, unless it is told otherwise.
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
        bash.env(name, "1");
    }
    if let Some(sources) = openfoam::sources() {
        bash.env("WM_PROJECT_DIR", sources);
    }
    let Output { status, stdout, stderr } = bash.output().expect("bash runs");
    let printed = String::from_utf8_lossy(&stdout).into_owned();
    if status.success() { Ok(printed) } else { Err(printed + &String::from_utf8_lossy(&stderr)) }
}

fn there(need: &str, programs: &Path) -> bool {
    let answers = |program: &str, words: &[&str]| {
        Command::new(program).args(words).output().is_ok_and(|output| output.status.success())
    };
    match need {
        "numpy" => {
            let mut python = Command::new("python3");
            python.args(["-c", "import numpy"]).env("PYTHONPATH", root().join(".toolchain/numpy"));
            python.output().is_ok_and(|output| output.status.success())
        }
        "cantera" => {
            let mut python = Command::new("python3");
            python.args(["-c", "import cantera"]).env("PYTHONPATH", root().join(".toolchain/cantera"));
            let is_module = python.output().is_ok_and(|output| output.status.success());
            is_module && std::env::var_os("SINGE_CANTERA_INCLUDE").is_some()
        }
        "openfoam" => openfoam::sources().is_some(),
        "dme" => root().join("../shared/mechanisms/dme").exists(),
        "singe" => programs.join("singe").exists(),
        "sundials" => Path::new("/usr/include/cvode/cvode.h").exists(),
        // The programs alone can do nothing.
        "docker" => answers("docker", &["info"]),
        "slurm" => answers("sinfo", &[]),
        program => answers(program, &["--version"]),
    }
}
