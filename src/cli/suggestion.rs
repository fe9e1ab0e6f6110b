//! A misspelt command would be taken for the path of a mechanism.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;

use super::Arguments;
use crate::failure::Failure;
use diagnostics::Diagnostic;

/// More letters than this in another place are no slip.
const MOST_SLIPS: usize = 2;

/// What to say where the first word is no file, but nearly a command.
pub fn misspelt(words: &[OsString]) -> Option<Failure> {
    let word = words.get(1)?.to_str()?;
    if Path::new(word).exists() {
        return None;
    }
    let command = Arguments::command();
    let slips = |name: &str| strsim::damerau_levenshtein(word, name);
    let near = command.get_subcommands().map(|c| (slips(c.get_name()), c.get_name())).min()?;
    let (1..=MOST_SLIPS, name) = near else { return None };
    let message = format!("there is neither a file nor a command {word}");
    let help = format!("did you mean the command {name}?");
    Some(Failure::usage([Diagnostic::error("usage::unknown-command", message).help(help)]))
}
