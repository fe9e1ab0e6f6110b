//! Chores of the project, run as `cargo xtask CHORE`. `CHORES` lists them; those that write the pages of the laboratory are `cargo lab CHORE`.
#![forbid(unsafe_code)]

mod apt;
mod hardware;
mod kept;
mod packages;
mod release;
mod skipped;
mod test_binaries;
mod tests;
mod toolchain;

use std::process::ExitCode;
use xtask::cantera;
use xtask::chores::{self, Chore};

/// The chores, in the order of the list.
const CHORES: [Chore; 8] = [
    (
        "test",
        "[--quick | ARGUMENTS of cargo test]",
        "fetch compilers and Cantera, run all tests, list those skipped",
        tests::all,
    ),
    ("guide", "", "run all commands of the guide, also those that take minutes", |root, _| tests::guide(root)),
    ("sweeps", "", "run the tests with sweeps that take minutes, with these", |root, _| tests::sweeps(root)),
    ("toolchain", "", "fetch the compilers that tests use", |root, _| toolchain::install_all(root)),
    ("cantera", "", "fetch Cantera's mechanisms", |root, _| {
        cantera::fetch(root).map(|folder| println!("{}", folder.display()))
    }),
    ("packages", "", "install the command and the wheel, and use both outside the clone", |root, _| {
        packages::check(root)
    }),
    ("release", "[draft|tag]", "sources, wheel, crates and their hashes, in target", release::make),
    (
        "hardware",
        "[--merge FILE.json]",
        "an archive that measures a GPU elsewhere; what it measured: time.md, performance.md",
        hardware::run,
    ),
];

fn main() -> ExitCode {
    chores::run("xtask", &CHORES)
}
