//! The laboratory: chores that write pages of `docs/lab`, run as `cargo lab CHORE`, and the benchmarks in `benches/`.
#![forbid(unsafe_code)]

mod accuracy;
mod amd;
mod flame;
mod ignition;
mod machine_code;
mod peers;
mod performance;
mod performance_launch;
mod performance_picture;
mod sweep;
mod sweep_page;

use std::process::ExitCode;
use xtask::chores::{self, Chore, word};

/// The chores, in the order of the list.
const CHORES: [Chore; 7] = [
    ("accuracy", "[MECHANISM]", "kernels beside the reference and Cantera: accuracy.md", |root, words| {
        accuracy::write(root, word(words, 0, ""))
    }),
    ("ignition", "", "reactors beside Cantera's: ignition.md", |root, _| ignition::write(root)),
    ("flame", "", "Cantera's flames with our kernels, by precision: in precision.md", |root, _| flame::write(root)),
    ("amd", "[MECHANISM [KERNEL [TARGET]]]", "machine code for AMD, run: amd.md", |root, words| {
        amd::write(root, word(words, 0, ""), word(words, 1, ""), word(words, 2, ""))
    }),
    (
        "performance",
        "[MECHANISM [TARGET [KERNEL]]]",
        "what the compiler takes by itself, and its time in long runs: in performance.md",
        |root, words| performance::write(root, word(words, 0, ""), word(words, 1, ""), word(words, 2, "")),
    ),
    ("machine-code", "[MECHANISM [KERNEL]]", "the machine code of every kernel: machine-code.md", |root, words| {
        machine_code::write(root, word(words, 0, ""), word(words, 1, ""))
    }),
    ("sweep-reduced", "[paper]", "the paper's reduced mechanisms: reduced.md", |root, words| {
        sweep::write(root, word(words, 0, "") != "paper")
    }),
];

fn main() -> ExitCode {
    chores::run("lab", &CHORES)
}
