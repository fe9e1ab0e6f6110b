//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done and verified, 1 the input is wrong, 2 usage, 3 a kernel failed its proof, its
//! verification or its simulation, 4 internal error.

mod analyze;
mod args;
mod check;
mod compile;
mod config;
mod fmt;
mod kernel;
mod occupancy;
mod opt;
mod opt_arguments;
mod out;
mod sim;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::failure::{Failure, FailureKind};
use diagnostics::{self, Diagnostic, Style};

pub use args::{Arguments, Command, CompileArguments};
pub use compile::{default_folder, request};
pub use config::{OF_ONE_KERNEL, OF_THE_WHOLE};

/// Runs `singe` with the given arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().collect();
    let parsed = match Arguments::try_parse_from(&words) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are no mistakes.
            let code = if error.use_stderr() { 2 } else { 0 };
            // Nothing is left to tell if the terminal is gone.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let result = match parsed.command {
        Some(Command::Check(check)) => check::run(&check),
        Some(Command::Fmt(fmt)) => fmt::run(&fmt),
        Some(Command::Analyze(arguments)) => analyze::run(&arguments),
        Some(Command::Sim(arguments)) => sim::run(&arguments),
        Some(Command::Verify(arguments)) => verify::run(&arguments),
        Some(Command::Opt(arguments)) => opt::run(&arguments),
        Some(Command::Occupancy(arguments)) => occupancy::run(&arguments),
        None => compile::run(&parsed.compile, &words),
    };
    exit_code(result)
}

/// Prints what went wrong, if anything did, and gives the documented exit code.
pub fn exit_code(result: Result<(), Failure>) -> ExitCode {
    let Err(Failure { kind, diagnostics }) = result else { return ExitCode::SUCCESS };
    tell(&diagnostics);
    ExitCode::from(match kind {
        FailureKind::Input => 1,
        FailureKind::Usage => 2,
        FailureKind::Verification => 3,
    })
}

/// The command for the header of generated files: what decides their contents, not where they go or what is printed.
pub fn command_line(program: &str, words: &[OsString]) -> String {
    let mut kept = vec![program.to_owned()];
    let mut rest = words.iter().skip(1).map(|w| w.to_string_lossy().into_owned());
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-o" | "--output" | "--print-after" => {
                rest.next();
            }
            "--json" | "--time-passes" => {}
            w if w.starts_with("-o") || w.starts_with("--output=") || w.starts_with("--print-after=") => {}
            _ => kept.push(word),
        }
    }
    // A line end would end the comment.
    kept.join(" ").replace(char::is_control, " ")
}

/// Prints diagnostics to stderr.
fn tell(diagnostics: &[Diagnostic]) {
    eprint!("{}", diagnostics::render(diagnostics, Style::of_stderr()));
}
