//! Chores of the project, run as `cargo xtask CHORE`:
//!
//! - `test [ARGUMENTS]` fetches the compilers that tests use and Cantera's mechanisms if it can, runs
//!   `cargo test --workspace --release ARGUMENTS`, and lists the tests that were skipped, with the reasons
//! - `divergence` runs the divergence analysis over the corpus and the mechanism kernels and writes docs/divergence.md
//! - `melding` measures what control-flow melding saves and what it costs, and writes docs/melding.md
//! - `toolchain` only fetches the compilers
//! - `cantera` only fetches Cantera's mechanisms
//! - `accuracy [MECHANISM]` compares all kernels with the reference evaluator and with Cantera, and writes `docs/accuracy.md`
//! - `guide` runs all commands of the guide, also those that take minutes, which the tests leave out
//! - `ignition` integrates reactors with CVODE on generated code and with Cantera, and writes `docs/ignition.md`
//! - `packages` installs the command by `cargo install`, builds the Python wheel, installs it into a clean environment, and uses both outside the
//!   clone
//! - `sentryward` compares `singe verify` with SentryWard, which pip installs into a temporary folder, and writes
//!   `docs/verdicts.md`
//! - `stress` runs `singe check` on inputs of up to 100 MB that are no mechanisms
//! - `sweep-reduced [paper]` compiles the paper's reduced mechanisms in every shape of a CTA, or in the paper's only, and
//!   writes `docs/reduced.md`
//! - `machine-code [MECHANISM]` runs the machine code of every kernel, in every layout and for every family of instructions, and
//!   writes `docs/machine-code.md`
//! - `targets [MECHANISM [WARPS]]` compiles a mechanism for every target, builds whole projects with nvcc, and writes
//!   `docs/targets.md`
//! - `slots` counts what every kernel takes in every layout, and writes `docs/slots.md`
//! - `warps [MECHANISM]` proves and verifies every kernel of mechanisms that ship at every number of warps, and writes
//!   `docs/warps.md`; it goes on where it was stopped
//! - `tuning [MINUTES]` tunes kernels of published mechanisms, by an exhaustive search and by halving, and writes `docs/tuned.md`; it goes
//!   on where it was stopped, and begins nothing new after so many minutes (a day)

mod accuracy;
mod apt;
mod cantera;
mod compiler;
mod ignition;
mod kernels;
mod machine_code;
mod packages;
mod peers;
mod projects;
mod sentryward;
mod skipped;
mod slots;
mod stress;
mod sweep;
mod sweep_page;
mod targets;
mod toolchain;
mod tuning;
mod warps;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("test") => {
            for missing in toolchain::fetch(&root()) {
                eprintln!("Not installed; the tests that need it will be skipped. {missing}");
            }
            if let Err(reason) = cantera::fetch(&root()) {
                eprintln!("The tests that read Cantera's mechanisms will be skipped: {reason}");
            }
            skipped::listed(&root(), |list| {
                let test = ["test", "--workspace", "--release"].map(str::to_owned);
                cargo(test.into_iter().chain(arguments), &[("SINGE_SKIPPED", list)])
            })
        }
        Some("divergence") => {
            cargo(["bench", "--bench", "divergence", "--", "--write"].map(str::to_owned).into_iter(), &[])
        }
        Some("melding") => match compiler::built(&root()) {
            Ok(command) => {
                let bench = ["bench", "-p", "singe-warpsim", "--bench", "melding", "--", "--write"].map(str::to_owned);
                cargo(bench.into_iter(), &[("SINGE", &command)])
            }
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("toolchain") => {
            let missing = toolchain::fetch(&root());
            missing.iter().for_each(|missing| eprintln!("Not installed: {missing}"));
            if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some("machine-code") => match machine_code::write(&root(), &arguments.next().unwrap_or_default()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("targets") => {
            let mechanism = arguments.next().unwrap_or_else(|| "mechanisms/gri30/chem.inp".into());
            let warps = arguments.next().unwrap_or_else(|| "8".into());
            match targets::write(&root(), &mechanism, &warps) {
                Ok(()) => ExitCode::SUCCESS,
                Err(reason) => {
                    eprintln!("{reason}");
                    ExitCode::FAILURE
                }
            }
        }
        Some("tuning") => {
            let minutes = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(24 * 60);
            match tuning::write(&root(), std::time::Duration::from_secs(60 * minutes)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(reason) => {
                    eprintln!("{reason}");
                    ExitCode::FAILURE
                }
            }
        }
        Some("slots") => match slots::write(&root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("warps") => match warps::write(&root(), &arguments.next().unwrap_or_default()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("guide") => {
            let words =
                ["test", "--release", "-p", "singe", "-p", "singe-tune", "--bins", "--test", "book", "--test", "guide"];
            let all = Path::new("all");
            skipped::listed(&root(), |list| {
                cargo(words.map(str::to_owned).into_iter(), &[("SINGE_SKIPPED", list), ("SINGE_GUIDE", all)])
            })
        }
        Some("cantera") => show("Cantera's mechanisms", cantera::fetch(&root())),
        Some("accuracy") => match accuracy::write(&root(), &arguments.next().unwrap_or_default()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("ignition") => match ignition::write(&root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("packages") => match packages::check(&root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("sentryward") => match sentryward::write(&root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("stress") => match stress::run(&root()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        Some("sweep-reduced") => match sweep::write(&root(), arguments.next().as_deref() != Some("paper")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!(
                "usage: cargo xtask test [ARGUMENTS of cargo test]\n       cargo xtask toolchain\n       cargo xtask cantera\n       cargo xtask divergence\n       cargo xtask melding\n       \
                 cargo xtask accuracy [MECHANISM]\n       cargo xtask ignition\n       cargo xtask packages\n       cargo xtask sentryward\n       cargo xtask stress\n       cargo xtask sweep-reduced [paper]\n       cargo xtask machine-code [MECHANISM]\n       cargo xtask targets [MECHANISM [WARPS]]\n       cargo xtask slots\n       cargo xtask warps [MECHANISM]\n       \
                 cargo xtask tuning [MINUTES]"
            );
            ExitCode::from(2)
        }
    }
}

fn show(what: &str, fetched: Result<PathBuf, String>) -> ExitCode {
    match fetched {
        Ok(folder) => {
            println!("{}", folder.display());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{what} are not installed: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn cargo(arguments: impl Iterator<Item = String>, variables: &[(&str, &Path)]) -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let status = command.current_dir(root()).args(arguments).envs(variables.iter().copied()).status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("cargo cannot be run: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}
