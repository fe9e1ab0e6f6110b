//! The command `singe`.

use std::process::ExitCode;

fn main() -> ExitCode {
    command::exit::guarded("singe", || singe::cli::run(std::env::args_os()))
}
