//! End of the command: what went wrong, and the exit code.

use std::ffi::OsString;
use std::panic::UnwindSafe;
use std::process::ExitCode;

use clap::ColorChoice;

use crate::failure::{Failure, FailureKind};
use crate::out;
use diagnostics::{self, Diagnostic, Style, to_stderr};

/// Prints what went wrong, if anything did, and gives the documented exit code. As JSON, `failure` is input, usage, not-run or
/// verification; a command that has printed its own JSON gives no diagnostics.
pub fn exit_code(result: Result<(), Failure>, json: bool) -> ExitCode {
    let Err(Failure { kind, diagnostics }) = result else { return ExitCode::SUCCESS };
    let (name, code) = match kind {
        FailureKind::Input => ("input", 1),
        FailureKind::Usage => ("usage", 2),
        FailureKind::Verification => ("verification", 3),
        FailureKind::Verdict(code) => ("verification", code),
        FailureKind::NotRun => ("not-run", 5),
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

/// A broken invariant of the program itself.
const INTERNAL_ERROR: u8 = 4;

/// Runs a program by its name. Where an invariant of its own is broken (the panic has told which), it says so.
pub fn guarded(name: &str, run: impl FnOnce() -> ExitCode + UnwindSafe) -> ExitCode {
    std::panic::catch_unwind(run).unwrap_or_else(|_| {
        let text = format!("this is a defect of {name}; please report it with the command and its input files");
        to_stderr(format_args!("internal error: {text}\n"));
        if std::env::args_os().any(|word| word == "--json") {
            let all = serde_json::json!({ "failure": "internal", "exit_code": INTERNAL_ERROR, "diagnostics": [], "message": text });
            let _ = out::print(format_args!("{all:#}\n"));
        }
        ExitCode::from(INTERNAL_ERROR)
    })
}

/// Prints diagnostics to stderr.
pub fn tell(diagnostics: &[Diagnostic]) {
    to_stderr(format_args!("{}", diagnostics::render(diagnostics, style())));
}

/// Errors come before the words are understood, and where nothing of them is at hand: what is said of colours is read from the words themselves.
fn style() -> Style {
    let words: Vec<OsString> = std::env::args_os().collect();
    match choice(&words) {
        ColorChoice::Auto => Style::of_stderr(),
        ColorChoice::Always => Style::Coloured,
        ColorChoice::Never => Style::Plain,
    }
}

/// Returns the choice of colours in the words.
pub fn choice(words: &[OsString]) -> ColorChoice {
    let mut values = words.iter().enumerate().filter_map(|(at, word)| match word.to_str()? {
        "--color" => words.get(at + 1)?.to_str(),
        word => word.strip_prefix("--color="),
    });
    match values.next_back() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}
