//! `singe-tune MECHANISM`: tries many settings of each kernel, and keeps the best.
//!
//! space: what to try; level: how closely; measure and clock: what one candidate costs; session: many of them, side by side; record and claims: those that are
//! finished or in hand; search and widen: which to try next; why and best: what is told of them; picture and page: the same to look at; csv: the same for other programs; shard, work
//! and merge: the same on several machines.
#![forbid(unsafe_code)]
// These macros panic where nobody reads.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod arguments;
mod best;
mod claims;
mod clock;
mod csv;
mod level;
mod measure;
mod merge;
mod method;
mod page;
mod picture;
mod program;
mod progress;
mod record;
mod search;
mod session;
mod shard;
mod space;
mod tune;
mod why;
mod widen;
mod work;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use command::exit::{exit_code, guarded};

fn main() -> ExitCode {
    guarded("singe-tune", || run(&std::env::args_os().collect::<Vec<_>>()))
}

fn run(words: &[OsString]) -> ExitCode {
    let (words, renamed) = singe::cli::renamed(words);
    for warning in renamed {
        diagnostics::to_stderr(format_args!("warning: {warning}\n"));
    }
    if words.get(1).is_some_and(|word| word == "merge") {
        return match merge::Words::try_parse_from(&words[1..]) {
            Ok(merge) => exit_code(merge::run(&merge), merge.json),
            Err(error) => misunderstood(&error),
        };
    }
    match arguments::parse(&words) {
        Ok(arguments) => exit_code(tune::run(&arguments), arguments.json),
        Err(error) => misunderstood(&error),
    }
}

fn misunderstood(error: &clap::Error) -> ExitCode {
    // Help and version are no mistakes; and nothing is left to tell if the terminal is gone.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}
