//! `singe fmt`: a mechanism in the canonical form of CHEMKIN files.

use super::args::FmtArguments;
use super::compile;
use crate::diagnostic::Diagnostic;
use crate::driver::{Failure, FailureKind};
use crate::mechanism::{self, Files, Written};
use crate::output;

pub fn run(arguments: &FmtArguments) -> Result<(), Failure> {
    let files = compile::files(&arguments.input)?;
    let read = mechanism::read_with(&files, compile::options(&arguments.input));
    let (mechanism, warnings) = read.map_err(failure)?;
    compile::warn(&warnings);
    let written = mechanism::write(&mechanism);
    if arguments.check {
        let others = not_canonical(&files, &written);
        return if others.is_empty() { Ok(()) } else { Err(failure(others)) };
    }
    let Some(folder) = &arguments.output else {
        print!("{}", written.mechanism);
        return Ok(());
    };
    let mut texts = vec![("chem.inp".to_owned(), written.mechanism), ("therm.dat".to_owned(), written.thermo)];
    texts.extend(written.transport.map(|text| ("tran.dat".to_owned(), text)));
    output::write(folder, &texts).map_err(|diagnostic| failure(vec![diagnostic]))
}

/// One error for each file that differs from its canonical text, or does not exist because its data stand elsewhere.
fn not_canonical(files: &Files, written: &Written) -> Vec<Diagnostic> {
    let inputs: Vec<_> =
        mechanism::input_files(files).into_iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let texts = [
        ("mechanism", Some(&written.mechanism)),
        ("thermo file", Some(&written.thermo)),
        ("transport file", written.transport.as_ref()),
    ];
    let others = texts.into_iter().filter_map(|(what, text)| Some((what, text?)));
    let others = others.filter(|(_, text)| !inputs.contains(text));
    let error = |(what, _)| {
        let message = format!("the {what} of '{}' is not in canonical form", files.mechanism.display());
        Diagnostic::error("fmt::not-canonical", message).help("write it anew with singe fmt MECHANISM -o FOLDER")
    };
    others.map(error).collect()
}

fn failure(diagnostics: Vec<Diagnostic>) -> Failure {
    Failure { kind: FailureKind::Input, diagnostics }
}
