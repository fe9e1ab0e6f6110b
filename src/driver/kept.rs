//! A compilation whose outcome is kept, so that the same one needs not be made again.

use std::path::Path;

use super::{Compilation, Input, make, read, write};
use crate::identity;
use crate::observer::Observer;
use crate::plan::Request;
use crate::report::{self, Report};
use cache::Cache;
use command::Failure;
use command::files::lies_within;
use machine::target::ComputeCapability;

/// Messages and reports of a compilation, for a command to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub warnings: Vec<String>,
    /// Fate of the files of earlier runs.
    pub notes: Vec<String>,
    /// The report in about ten rows, with every figure, and as JSON.
    pub brief: String,
    pub full: String,
    pub json: String,
    /// Whether all machine code was run that was to be and that this program can run for the target.
    pub is_run: bool,
}

/// Stands for the folder in what is kept, as another run may write elsewhere. No other text has this character.
const FOLDER: &str = "\u{1}";

/// The oldest architecture for which this project's own compilers are asked; clang's file is not known here.
const OLDEST: ComputeCapability = ComputeCapability(3, 5);

/// Compiles a mechanism and writes the files, as [`compile`](super::compile) does, or takes what an earlier run of the same program made of
/// the same input. The bytes are the same either way.
pub fn compile_kept(request: &Request, cache: Option<&Cache>, observer: &mut Observer) -> Result<Outcome, Failure> {
    let input = read(request, observer)?;
    let kept = cache.and_then(|cache| Some((cache, key(request, &input)?)));
    let found = kept.as_ref().and_then(|(cache, key)| Kept::of_texts(cache.read(key)?));
    let outcome = match found {
        Some(outcome) => outcome,
        None => {
            let outcome = Kept::new(make(request, input, cache, observer)?, request);
            if let Some((cache, key)) = &kept {
                cache.write(key, &outcome.texts());
            }
            outcome
        }
    };
    let Kept { name, warnings, brief, full, json, is_run, files } = outcome;
    let notes = write(request, &name, files, observer)?;
    let folder = request.output.as_deref().unwrap_or(Path::new("")).display().to_string();
    Ok(Outcome { warnings, notes, brief: brief.replace(FOLDER, &folder), full, json, is_run })
}

/// A digest of all that decides the outcome: this program, the compilers, the files that were read, and what is asked for but for the place
/// of the files. `None`: something of it cannot be known, the outcome is broken on purpose, or times are measured.
fn key(request: &Request, input: &Input) -> Option<String> {
    let arch = request.common.target.compute_capability;
    let is_clang = request.real_compilers && arch < OLDEST && !request.common.target.is_cpu();
    if request.fault.is_some() || request.measure || is_clang || input.mechanism.inputs.is_empty() {
        return None;
    }
    let compilers = if request.real_compilers { identity::compilers() } else { String::new() };
    let asked =
        Request { output: request.output.as_ref().map(|_| "".into()), clean: false, force: false, ..request.clone() };
    let read = format!("{:?}", input.mechanism.inputs);
    Some(cache::key(&[identity::program()?, &compilers, &format!("{asked:?}"), &input.mechanism.name, &read]))
}

/// Part of a compilation that the cache keeps.
struct Kept {
    /// Name of the project.
    name: String,
    warnings: Vec<String>,
    brief: String,
    full: String,
    json: String,
    is_run: bool,
    files: Vec<(String, String)>,
}

impl Kept {
    fn new(made: Compilation, request: &Request) -> Self {
        let Compilation { report, files } = made;
        Self {
            brief: report::brief(&report, request, Path::new(FOLDER)),
            full: report::table(&report),
            is_run: is_run(&report, request),
            json: serde_json::to_string_pretty(&report).expect("a report is plain data"),
            name: report.mechanism,
            warnings: report.warnings,
            files,
        }
    }

    /// The number of warnings stands before them, and behind them names and texts of files take turns.
    fn texts(&self) -> Vec<String> {
        let Self { name, warnings, brief, full, json, is_run, files } = self;
        let is_run = is_run.to_string();
        let head = [name, brief, full, json, &is_run].map(String::clone);
        let files = files.iter().flat_map(|(name, text)| [name.clone(), text.clone()]);
        head.into_iter().chain([warnings.len().to_string()]).chain(warnings.iter().cloned()).chain(files).collect()
    }

    fn of_texts(texts: Vec<String>) -> Option<Self> {
        let mut rest = texts.into_iter();
        let [name, brief, full, json, is_run, count] = [(); 6].map(|()| rest.next());
        let count: usize = count?.parse().ok()?;
        let warnings: Vec<String> = rest.by_ref().take(count).collect();
        let mut files = Vec::new();
        while let Some(name) = rest.next() {
            files.push((name, rest.next()?));
        }
        let is_whole = warnings.len() == count && files.iter().all(|(name, _)| lies_within(name));
        let is_run = is_run?.parse().ok()?;
        is_whole.then_some(Self { name: name?, warnings, brief: brief?, full: full?, json: json?, is_run, files })
    }
}

/// Whether no kernel has machine code that was tried and could not be run. Targets whose machine code nothing here can read count as run: their
/// reports tell it.
fn is_run(report: &Report, request: &Request) -> bool {
    let target = request.common.target;
    let is_read = target.is_amd() || toolkit::cubin::reads_machine_code(target).is_ok();
    !is_read || report.kernels.iter().all(|kernel| kernel.not_run().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_nothing_else_is_taken_for_it() {
        let files = vec![("a.cu".to_owned(), "text".to_owned()), ("b.h".to_owned(), String::new())];
        let text = |text: &str| text.to_owned();
        let kept = Kept {
            name: text("a"),
            warnings: vec![text("one"), text("two")],
            brief: text("brief"),
            full: text("full"),
            json: text("{}"),
            is_run: true,
            files: files.clone(),
        };
        let texts = kept.texts();
        let again = Kept::of_texts(texts.clone()).unwrap();
        assert_eq!((again.texts(), again.files), (texts.clone(), files));
        for short in 0..8 {
            assert!(Kept::of_texts(texts[..short].to_vec()).is_none(), "{short}");
        }
        assert!(Kept::of_texts(texts[..9].to_vec()).is_none(), "the name of a file without its text");
        for elsewhere in ["/etc/a", "../a", "a/../../b", "", "a//../b"] {
            let mut texts = texts.clone();
            texts[8] = text(elsewhere);
            assert!(Kept::of_texts(texts).is_none(), "{elsewhere} lies outside of the folder");
        }
    }
}
