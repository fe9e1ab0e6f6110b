//! `singe-tune MECHANISM`: tries many settings of each kernel, and keeps the best.
//!
//! | module | contents |
//! |---|---|
//! | space, level | the settings to try, and the depth of evaluation |
//! | measure, clock | cost of one candidate |
//! | session | many candidates, side by side |
//! | record, claims | candidates that are finished, or taken by a search |
//! | search, widen | the candidates to try next |
//! | why, best | reasons and winners |
//! | picture, page, csv | results for people, and for other programs |
//! | shard, work, merge | searches on several machines |
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
