//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done and verified, 1 the input is wrong, 2 usage, 3 a kernel failed its proof, its
//! verification or its simulation, 4 internal error.

mod analyze;
mod args;
mod check;
mod compile;
mod completions;
mod config;
mod doctor;
mod fmt;
mod given;
mod kernel;
mod launched;
mod levels;
mod man;
mod occupancy;
mod opt;
mod opt_arguments;
mod out;
mod sim;
mod suggestion;
mod time;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::failure::{Failure, FailureKind};
use diagnostics::{self, Diagnostic, Style};

pub use args::values::Layout;
pub use args::{Arguments, Command, CompileArguments};
pub use compile::{completed, default_folder, request};

/// Runs `singe` with the given arguments, the first being its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.into_iter().collect();
    // Before the words are understood, this is all that tells.
    let json = words.iter().any(|word| word == "--json");
    if let Some(failure) = suggestion::misspelt(&words) {
        return exit_code(Err(failure), json);
    }
    let parsed = Arguments::command()
        .try_get_matches_from(&words)
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)));
    let (parsed, matches) = match parsed {
        Ok(parsed) => parsed,
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
        Some(Command::Analyze(arguments)) => analyze::run(&arguments),
        Some(Command::Sim(arguments)) => sim::run(&arguments),
        Some(Command::Time(arguments)) => time::run(&arguments),
        Some(Command::Verify(arguments)) => verify::run(&arguments),
        Some(Command::Opt(arguments)) => opt::run(&arguments),
        Some(Command::Occupancy(arguments)) => occupancy::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(&arguments),
        Some(Command::Completions(arguments)) => completions::run(&arguments),
        Some(Command::Man(arguments)) => man::run(&arguments),
        None => compile::run(&parsed.compile, &matches, &words),
    };
    exit_code(result, json)
}

/// Prints what went wrong, if anything did, and gives the documented exit code. As JSON, `failure` is input, usage or
/// verification; a command that has printed its own JSON gives no diagnostics.
pub fn exit_code(result: Result<(), Failure>, json: bool) -> ExitCode {
    let Err(Failure { kind, diagnostics }) = result else { return ExitCode::SUCCESS };
    let (name, code) = match kind {
        FailureKind::Input => ("input", 1),
        FailureKind::Usage => ("usage", 2),
        FailureKind::Verification => ("verification", 3),
    };
    if json && !diagnostics.is_empty() {
        let list = diagnostics::to_json(&diagnostics);
        let all = serde_json::json!({ "failure": name, "exit_code": code, "diagnostics": list });
        // The exit code tells what is left to tell if nobody reads.
        let _ = out::print(format_args!("{all:#}\n"));
    } else {
        tell(&diagnostics);
    }
    ExitCode::from(code)
}

/// What clap says, as a diagnostic.
fn misunderstood(error: &clap::Error) -> Diagnostic {
    let text = error.to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = message.trim().trim_start_matches("error: ").to_owned();
    Diagnostic::error("usage::arguments", message).help(rest.trim().to_owned())
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
            _ => kept.push(quoted(&word)),
        }
    }
    // A line end would end the comment.
    kept.join(" ").replace(char::is_control, " ")
}

/// The word as a shell must be given it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Prints diagnostics to stderr.
fn tell(diagnostics: &[Diagnostic]) {
    eprint!("{}", diagnostics::render(diagnostics, Style::of_stderr()));
}
