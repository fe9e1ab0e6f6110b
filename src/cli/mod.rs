//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done and verified, 1 the input is wrong, 2 usage, 3 a kernel failed its proof, its
//! verification or its simulation, 4 internal error, 5 machine code could not be run.

mod args;
mod check;
mod command_line;
mod compile;
mod completions;
mod config;
mod doctor;
mod fmt;
mod help;
mod man;
mod renamed;
mod suggestion;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;

use command::exit::{self, exit_code};
use command::{Failure, print};
use diagnostics::{Diagnostic, to_stderr};

pub use args::values::Layout;
pub use args::{Arguments, Command, CompileArguments};
pub use command_line::command_line;
pub use compile::{completed, default_folder, is_given, request};
pub use renamed::renamed;

/// Runs `singe` with the given arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().collect();
    let (mut words, renamed) = renamed(&words);
    for warning in renamed {
        to_stderr(format_args!("warning: {warning}\n"));
    }
    if let Some(name) = toolkit::renamed(&mut words) {
        to_stderr(format_args!(
            "warning: `singe {name}` is `singe ptx {name}` now; the next version has the new name alone\n"
        ));
    }
    // Before the words are understood, this is all that tells.
    let json = words.iter().any(|word| word == "--json");
    if let Some(failure) = suggestion::misspelt(&words) {
        return exit_code(Err(failure), json);
    }
    if help::asks_for_report(&words) {
        // Nothing is left to tell if the terminal is gone.
        let _ = print(format_args!("{}", help::report()));
        return ExitCode::SUCCESS;
    }
    if help::asks_for_all(&words) {
        // Nothing is left to tell if the terminal is gone.
        let _ = help::whole().print_long_help();
        return ExitCode::SUCCESS;
    }
    let parsed = help::plain()
        .color(exit::choice(&words))
        .try_get_matches_from(&words)
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    let (parsed, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if suggestion::foreign(&error).is_some() => {
            return exit_code(suggestion::foreign(&error).map_or(Ok(()), Err), json);
        }
        Err(error) if error.use_stderr() && json => {
            return exit_code(Err(Failure::usage([misunderstood(&error)])), json);
        }
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
        Some(Command::Ptx(arguments)) => toolkit::run(&arguments),
        Some(Command::Measure(arguments)) => toolkit::measure::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(&arguments),
        Some(Command::Completions(arguments)) => completions::run(&arguments),
        Some(Command::Man(arguments)) => man::run(&arguments),
        None => compile::run(&parsed.compile, &matches, &words),
    };
    exit_code(result, json)
}

/// Turns clap's error into a diagnostic.
fn misunderstood(error: &clap::Error) -> Diagnostic {
    let text = error.to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = message.trim().trim_start_matches("error: ").to_owned();
    // The usage of the command follows clap's advice.
    let advice =
        rest.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let advice: Vec<&str> =
        advice.filter(|line| !line.is_empty()).map(|line| line.trim_start_matches("tip: ")).collect();
    let help = if advice.is_empty() { "singe --help tells what there is".to_owned() } else { advice.join("; ") };
    Diagnostic::error("usage::arguments", message).help(help)
}
