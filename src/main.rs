//! The command `singe`.

fn main() -> std::process::ExitCode {
    singe::cli::run(std::env::args_os())
}
