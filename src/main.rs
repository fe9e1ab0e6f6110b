//! The command `singe`.

use std::process::ExitCode;

fn main() -> ExitCode {
    singe::cli::guarded("singe", || singe::cli::run(std::env::args_os()))
}
