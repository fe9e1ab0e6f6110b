//! The command `singe`.

use std::process::ExitCode;

/// A broken invariant of the compiler itself (the panic has told which).
const INTERNAL_ERROR: u8 = 4;

fn main() -> ExitCode {
    std::panic::catch_unwind(|| singe::cli::run(std::env::args_os())).unwrap_or_else(|_| {
        eprintln!("internal error: this is a defect of singe; please report it with the command and its input files");
        ExitCode::from(INTERNAL_ERROR)
    })
}
