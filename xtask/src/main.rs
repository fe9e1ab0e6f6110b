//! Chores of the project, run as `cargo xtask CHORE`. `CHORES` lists them.
#![forbid(unsafe_code)]

mod accuracy;
mod amd;
mod amd_projects;
mod apt;
mod cantera;
mod compiler;
mod flame;
mod hardware;
mod ignition;
mod kernels;
mod lab;
mod machine_code;
mod packages;
mod peers;
mod program;
mod projects;
mod release;
mod sentryward;
mod skipped;
mod slots;
mod stress;
mod sweep;
mod sweep_page;
mod targets;
mod test_binaries;
mod tests;
mod toolchain;
mod warps;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A chore: its name, its arguments, what it does, and the function that does it in the folder of the workspace.
type Chore = (&'static str, &'static str, &'static str, fn(&Path, &[String]) -> Result<(), String>);

const CHORES: [Chore; 22] = [
    (
        "test",
        "[--quick | ARGUMENTS of cargo test]",
        "fetch compilers and Cantera, run all tests, list those skipped",
        tests::all,
    ),
    ("guide", "", "run all commands of the guide, also those that take minutes", |root, _| tests::guide(root)),
    ("toolchain", "", "fetch the compilers that tests use", |root, _| toolchain::install_all(root)),
    ("cantera", "", "fetch Cantera's mechanisms", |root, _| {
        cantera::fetch(root).map(|folder| println!("{}", folder.display()))
    }),
    ("packages", "", "install the command and the wheel, and use both outside the clone", |root, _| {
        packages::check(root)
    }),
    ("release", "[draft|tag]", "sources, wheel, crates and their hashes, in target", release::make),
    ("stress", "", "check inputs of up to 100 MB that are no mechanisms", |root, _| stress::run(root)),
    ("accuracy", "[MECHANISM]", "kernels beside the reference and Cantera: accuracy.md", |root, words| {
        accuracy::write(root, word(words, 0, ""))
    }),
    ("ignition", "", "reactors beside Cantera's: ignition.md", |root, _| ignition::write(root)),
    ("flame", "", "Cantera's flames with our kernels, by precision: in precision.md", |root, _| flame::write(root)),
    ("slots", "", "what every kernel takes in every layout: slots.md", |root, _| slots::write(root)),
    ("amd", "[MECHANISM [KERNEL [TARGET]]]", "machine code for AMD, run: amd.md", |root, words| {
        amd::write(root, word(words, 0, ""), word(words, 1, ""), word(words, 2, ""))
    }),
    ("warps", "[MECHANISM]", "every kernel at every number of warps: warps.md", |root, words| {
        warps::write(root, word(words, 0, ""))
    }),
    ("machine-code", "[MECHANISM [KERNEL]]", "the machine code of every kernel: machine-code.md", |root, words| {
        machine_code::write(root, word(words, 0, ""), word(words, 1, ""))
    }),
    (
        "targets",
        "[MECHANISM [WARPS]]",
        "a mechanism for every target, and whole projects: targets.md",
        |root, words| targets::write(root, word(words, 0, "mechanisms/gri30/chem.inp"), word(words, 1, "8")),
    ),
    ("targets-amd", "[MECHANISM]", "whole projects for AMD: in targets.md", |root, words| {
        targets::write_amd(root, word(words, 0, ""))
    }),
    ("sweep-reduced", "[paper]", "the paper's reduced mechanisms: reduced.md", |root, words| {
        sweep::write(root, word(words, 0, "") != "paper")
    }),
    ("sentryward", "", "verdicts beside SentryWard's: verdicts.md", |root, _| sentryward::write(root)),
    ("divergence", "", "the divergence analysis: divergence.md", |root, _| {
        program::cargo_runs(root, &["bench", "--bench", "divergence", "--", "--write"])
    }),
    ("melding", "", "what melding saves and costs: melding.md", |root, _| {
        program::cargo_runs(root, &["bench", "-p", "singe-warpsim", "--bench", "melding", "--", "--write"])
    }),
    (
        "hardware",
        "[--merge FILE.json]",
        "an archive that measures a GPU elsewhere; what it measured: time.md, performance.md",
        hardware::run,
    ),
    ("help", "", "this list", |_, _| {
        println!("{}", usage());
        Ok(())
    }),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let chore = words.first().and_then(|name| CHORES.iter().find(|(known, ..)| known == name));
    let Some((.., run)) = chore else {
        eprintln!("{}", usage());
        return ExitCode::from(2);
    };
    match run(&root(), &words[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let lines = CHORES.iter().map(|(name, arguments, what, _)| {
        let command = format!("{name} {arguments}");
        format!("\n  cargo xtask {command:42} {what}")
    });
    format!("Pages are those of docs/lab.{}", lines.collect::<String>())
}

/// An argument, or what stands for it where it is absent.
fn word<'a>(words: &'a [String], place: usize, otherwise: &'a str) -> &'a str {
    words.get(place).map_or(otherwise, String::as_str)
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}
