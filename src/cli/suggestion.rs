//! Suggestions for a word that is not understood.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Arguments;
use command::Failure;
use diagnostics::Diagnostic;

/// More letters than this in another place are no slip.
const MOST_SLIPS: usize = 2;

/// Names of the main job in other compilers; it has no name here.
const COMPILE: [&str; 5] = ["compile", "build", "generate", "make", "run"];

/// Flags that other programs have, and what stands in their place.
const FLAGS: [(&[&str], &str); 6] = [
    (
        &["--float", "--double", "--single", "--fp32", "--fp64"],
        "kernels compute with doubles; --precision single has transport in single precision",
    ),
    (&["--arch", "--gpu", "--device", "--sm"], "the architecture is --target, such as --target hopper, h100 or sm_90"),
    (&["--mechanism", "--input", "--file"], "the mechanism stands without a flag: singe MECHANISM"),
    (&["--verbose", "-v"], "--report full prints every figure, and --time-passes the time of each pass"),
    (&["--format", "--language", "--lang"], "the files are those of --emit; CUDA, HIP or C++ follow from --target"),
    (&["--optimize", "-O", "-O2", "-O3"], "the duration of the search for the fastest version is that of --effort"),
];

/// Returns the failure for a first word that is no file, but nearly a command.
pub fn misspelt(words: &[OsString]) -> Option<Failure> {
    let word = words.get(1)?.to_str()?;
    if word.starts_with('-') || Path::new(word).exists() {
        return None;
    }
    let unknown = |message: String, help: String| {
        Some(Failure::usage([Diagnostic::error("usage::unknown-command", message).help(help)]))
    };
    if COMPILE.contains(&word) {
        let rest: Vec<_> = words[2..].iter().map(|word| word.to_string_lossy()).collect();
        let rest = if rest.is_empty() { "MECHANISM".to_owned() } else { rest.join(" ") };
        return unknown(format!("{word} is no command: a mechanism is compiled without one"), format!("singe {rest}"));
    }
    let command = Arguments::command();
    let slips = |name: &str| strsim::damerau_levenshtein(word, name);
    let top = command.get_subcommands().map(|c| (slips(c.get_name()), c.get_name().to_owned()));
    let tools = toolkit::tools().into_iter().map(|name| (slips(&name), format!("ptx {name}")));
    let near = top.chain(tools).min()?;
    let (1..=MOST_SLIPS, name) = near else { return None };
    unknown(format!("there is neither a file nor a command {word}"), format!("did you mean the command {name}?"))
}

/// Returns the failure for a flag that other compilers have and this one lacks.
pub fn foreign(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_own = |(names, _): &&(&[&str], &str)| names.contains(&flag.as_str());
    let (_, instead) = FLAGS.iter().find(is_own).filter(|_| error.kind() == ErrorKind::UnknownArgument)?;
    let message = format!("there is no flag {flag}");
    Some(Failure::usage([Diagnostic::error("usage::arguments", message).help(*instead)]))
}
