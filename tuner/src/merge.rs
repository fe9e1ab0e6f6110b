//! `singe-tune merge FOLDER... -o FOLDER`: the records of shards become one, and the search ends as if it had been in one place.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;
use diagnostics::Diagnostic;
use singe::driver::Failure;

use crate::arguments::{self, without};
use crate::record::{self, Entry, Header};
use crate::tune;

/// Puts the records of shards together, and finishes the search: tries what is still missing, and writes the best kernels and all else
/// that singe-tune writes
#[derive(Debug, Parser)]
#[command(name = "singe-tune merge", version)]
pub struct Words {
    /// Folders of shards
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Folder for the whole
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Candidates to try at the same time where some are missing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Replace files in that folder that singe-tune did not write, or that were changed since
    #[arg(long)]
    force: bool,
    /// Print what tune.json holds
    #[arg(long)]
    pub json: bool,
}

/// Errors: a record cannot be read, they are of different searches, or the search fails.
pub fn run(words: &Words) -> Result<(), Failure> {
    let input = |diagnostic: Diagnostic| Failure::input([diagnostic]);
    let mut whole: Option<(Header, Vec<Entry>)> = None;
    for folder in &words.folders {
        let (header, entries) = record::read(folder).map_err(input)?;
        match &mut whole {
            None => whole = Some((header, entries)),
            Some((first, all)) if shared(first) == shared(&header) => all.extend(entries),
            Some(_) => {
                let message =
                    format!("{} is a shard of another search than {}", folder.display(), words.folders[0].display());
                let help = "merge shards of one command line";
                return Err(input(Diagnostic::error("tune::other-search", message).help(help)));
            }
        }
    }
    let (header, entries) = whole.expect("clap requires a folder");
    let command = command(&header, words);
    let arguments = arguments::parse(&command).map_err(|error| {
        let message = format!("the record in {} is of a command line that is none", words.folders[0].display());
        input(Diagnostic::error("tune::record", message).help(error.to_string()))
    })?;
    let header = Header { words: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(), ..header };
    record::write(&words.output, &header, &entries).map_err(input)?;
    tune::run(&arguments)
}

/// Returns the parts of a header that shards of one search have in common.
fn shared(header: &Header) -> (&serde_json::Value, Vec<OsString>) {
    (&header.basis, of_all(header))
}

fn of_all(header: &Header) -> Vec<OsString> {
    let words: Vec<OsString> = header.words.iter().map(OsString::from).collect();
    let words = without(&words, &["--shard", "--threads", "-o", "--output"]);
    // The first word is wherever the program lies.
    words.into_iter().skip(1).filter(|word| word != "--json" && word != "--force").collect()
}

/// The command line of the whole search.
fn command(header: &Header, words: &Words) -> Vec<OsString> {
    let mut command = vec![OsString::from("singe-tune")];
    command.extend(of_all(header));
    command.extend(["-o".into(), words.output.clone().into_os_string()]);
    if let Some(threads) = words.threads {
        command.extend(["--threads".into(), threads.to_string().into()]);
    }
    command.extend(words.json.then(|| "--json".into()));
    command
}
