//! `--config FILE`: values of flags in a TOML file.
//!
//! ```toml
//! target = "hopper"       # flags of the whole compilation
//! warps = 8               # flags of each kernel, for all kernels
//!
//! [chemistry]             # the same for one kernel
//! warps = 16
//! form = "lean"
//! ```

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser};
use toml::de::{DeTable, DeValue};

use super::args::{Arguments, CompileArguments};
use super::request;
use crate::failure::Failure;
use crate::kernels::Kernel;
use crate::request::Tuning;
use diagnostics::{Diagnostic, Source, Span};
use mechanism::{self, Input};

/// Flags that concern the compilation as a whole.
pub const OF_THE_WHOLE: [&str; 5] = ["target", "fit-tolerance", "units", "floor", "stiffness"];

/// Flags that may differ from kernel to kernel.
pub const OF_ONE_KERNEL: [&str; 12] = [
    "warps",
    "points-per-lane",
    "ctas-per-sm",
    "mapper",
    "weights",
    "placement",
    "buffer",
    "passes",
    "constants",
    "form",
    "matrix",
    "qssa-warps",
];

/// The arguments with what the file adds to them, and the tuning of each kernel that has a table in the file.
///
/// Errors: the file cannot be read, is no TOML, or has keys or values that are no flags; all of them at once.
pub fn complete(path: &Path, words: &[OsString]) -> Result<Completed, Failure> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| {
        let message = format!("cannot read {name}: {error}");
        Failure::input([Diagnostic::error("config::unreadable", message).help("check the path behind --config")])
    })?;
    let source = mechanism::decode(&name, &bytes);
    let Flags { all, own } = flags(&source).map_err(Failure::input)?;
    let arguments = merged(words, &all);
    let tuning = |flags: &[OsString]| request(&merged(words, &[&all, flags].concat()), String::new()).tuning();
    let own = own.iter().map(|(kernel, flags)| (*kernel, tuning(flags))).collect();
    Ok((arguments, own, Some(Input::new(name, &bytes))))
}

/// Arguments, the tuning of single kernels, and the file.
type Completed = (CompileArguments, Vec<(Kernel, Tuning)>, Option<Input>);

/// What a file says, as words of a command line.
#[derive(Default)]
struct Flags {
    all: Vec<OsString>,
    own: Vec<(Kernel, Vec<OsString>)>,
}

fn flags(source: &Arc<Source>) -> Result<Flags, Vec<Diagnostic>> {
    let span = |range: Range<usize>| Span { source: source.clone(), offset: range.start, len: range.len() };
    let table = DeTable::parse(&source.text).map_err(|error| {
        let diagnostic = Diagnostic::error("config::syntax", error.message().to_owned());
        let help = "write KEY = VALUE lines, where the keys are flags without the dashes, and [KERNEL] above those of one kernel";
        vec![diagnostic.at(span(error.span().unwrap_or(0..0))).help(help)]
    })?;
    let mut flags = Flags::default();
    let mut wrong = Vec::new();
    let mut take = |key: &str, at: Range<usize>, value: &DeValue, place: Range<usize>, known: &[&str]| {
        if !known.contains(&key) {
            let message = format!("{key} is no flag that a configuration can set here");
            wrong.push(
                Diagnostic::error("config::key", message).at(span(at)).help(format!("known: {}", known.join(", "))),
            );
            return Vec::new();
        }
        match text(value).ok_or_else(|| "give a number or a text".to_owned()).and_then(|text| accepted(key, text)) {
            Ok(words) => words,
            Err(reason) => {
                let message = format!("not a value of {key}");
                wrong.push(Diagnostic::error("config::value", message).at(span(place)).help(reason));
                Vec::new()
            }
        }
    };
    for (key, value) in table.get_ref() {
        let kernel = Kernel::ALL.into_iter().find(|kernel| kernel.name() == key.get_ref());
        match (kernel, value.get_ref()) {
            (Some(kernel), DeValue::Table(table)) => {
                let own = table.iter().flat_map(|(key, value)| {
                    take(key.get_ref(), key.span(), value.get_ref(), value.span(), &OF_ONE_KERNEL)
                });
                flags.own.push((kernel, own.collect()));
            }
            (_, value_of_all) => {
                let known = [&OF_THE_WHOLE[..], &OF_ONE_KERNEL].concat();
                flags.all.extend(take(key.get_ref(), key.span(), value_of_all, value.span(), &known));
            }
        }
    }
    if wrong.is_empty() { Ok(flags) } else { Err(wrong) }
}

/// A number or a text as one writes it behind a flag.
fn text(value: &DeValue) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(integer) => Some(integer.to_string()),
        DeValue::Float(float) => Some(float.to_string()),
        _ => None,
    }
}

/// The words of one flag, if a command line may have them; else the reason, in clap's words.
fn accepted(key: &str, text: String) -> Result<Vec<OsString>, String> {
    let words = [OsString::from(format!("--{key}")), text.into()];
    let line = ["singe", "mechanism"].map(OsString::from).into_iter().chain(words.clone());
    match Arguments::try_parse_from(line) {
        Ok(_) => Ok(words.into()),
        Err(error) => {
            let whole = error.to_string();
            let lines = whole.lines().map(str::trim).take_while(|line| !line.starts_with("For more information"));
            Err(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; "))
        }
    }
}

/// The command line with flags before its own, so that its own have precedence.
fn merged(words: &[OsString], flags: &[OsString]) -> CompileArguments {
    let line = words.iter().take(1).chain(flags).chain(words.iter().skip(1));
    let command = Arguments::command().args_override_self(true);
    let matches = command.try_get_matches_from(line).expect("both parts were accepted alone");
    Arguments::from_arg_matches(&matches).expect("as above").compile
}
