//! `singe-tune MECHANISM`: tries many settings of each kernel, and keeps the best.
//!
//! space: what to try; measure: what one candidate costs; search: which is best; record: what stays of it.
#![forbid(unsafe_code)]

mod arguments;
mod measure;
mod picture;
mod record;
mod search;
mod space;
mod tune;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match arguments::parse(&words) {
        Ok(arguments) => {
            let json = arguments.json;
            singe::cli::exit_code(tune::run(&arguments), json)
        }
        Err(error) => {
            // Help and version are no mistakes; and nothing is left to tell if the terminal is gone.
            let _ = error.print();
            ExitCode::from(if error.use_stderr() { 2 } else { 0 })
        }
    }
}
