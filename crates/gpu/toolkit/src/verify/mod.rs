//! `singe ptx verify FILE…`: the synchronisation of kernels, each proven for its launches.
//!
//! Parameters without a value of their own have a default: 64-bit ones are taken for pointers, structures are zero. All
//! others have the value of `--integer`, so that loops over groups of points run a few times. The exit code is 3 when a
//! kernel is not proven, or, without `--assume`, on conditions only; `--fail-on` chooses otherwise.

mod arguments;
mod baseline;
mod finding;
mod jobs;
mod json;
mod outcome;
mod proof;
mod results;
mod rules;
mod sarif;
mod spots;
mod text;
mod texts;

pub use arguments::VerifyArguments;
use command::Failure;
use command::exit::tell;
use diagnostics::{Diagnostic, to_stderr};
use outcome::FailOn;
use proof::Proof;
use results::Results;
use spots::Sources;
use texts::Text;
use warpsim::prove::Status;

pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let (texts, mut refused) = read(arguments);
    if texts.is_empty() {
        return Err(Failure::input(refused));
    }
    let jobs = jobs::jobs(&texts, arguments)?;
    if jobs.is_empty() && refused.is_empty() {
        return Err(Failure::input([no_kernel(&texts, arguments)]));
    }
    let (mut proofs, unfit) = proof::prove(&texts, jobs, arguments.budget, arguments.jobs);
    refused.extend(unfit);
    compare(arguments, &mut proofs)?;
    let fail_on = match &arguments.fail_on {
        Some(fail_on) => fail_on.clone(),
        None if arguments.assume => FailOn::assuming(),
        None => FailOn::default(),
    };
    let statuses: Vec<Status> = proofs.iter().map(Proof::status).collect();
    let has_baseline = arguments.baseline.is_some();
    let result = Results { texts, proofs, refused, has_baseline, sources: Sources::default() };
    for Proof { verdict, .. } in &result.proofs {
        let tell = |warning| to_stderr(format_args!("warning: {}, {warning}\n", verdict.kernel));
        verdict.warnings.iter().for_each(tell);
    }
    let failure = if result.refused.is_empty() { fail_on.failure(&statuses) } else { Some(Failure::input([])) };
    if let Some(path) = &arguments.sarif {
        sarif::write(path, &result, &fail_on)?;
    }
    match arguments.json {
        // without a verdict, the diagnostics are the result
        true if result.proofs.is_empty() => return Err(Failure::input(result.refused)),
        true => json::print(&result)?,
        false => {
            text::print(&result)?;
            tell(&text::diagnostics(&result, &fail_on));
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Reads the files: the texts, and what is wrong with files that have none.
fn read(arguments: &VerifyArguments) -> (Vec<Text>, Vec<Diagnostic>) {
    let (mut texts, mut refused) = (Vec::new(), Vec::new());
    for file in &arguments.files {
        match texts::read(file) {
            Ok(read) => texts.extend(read),
            Err(diagnostics) => refused.extend(diagnostics),
        }
    }
    (texts, refused)
}

fn no_kernel(texts: &[Text], arguments: &VerifyArguments) -> Diagnostic {
    let what = arguments.kernel.as_ref().map_or("no kernel".to_owned(), |name| format!("no kernel {name}"));
    let names: Vec<&str> = texts.iter().map(|text| &text.source.name[..]).collect();
    let has = if let [_] = names[..] { "has" } else { "have" };
    Diagnostic::error("verify::no-kernel", format!("{} {has} {what}", names.join(", ")))
}

/// Marks the findings of the baseline, or writes it.
fn compare(arguments: &VerifyArguments, proofs: &mut [Proof]) -> Result<(), Failure> {
    let Some(path) = &arguments.baseline else { return Ok(()) };
    if arguments.write_baseline {
        let count = baseline::write(path, proofs)?;
        to_stderr(format_args!("{}: {count} findings\n", path.display()));
        return Ok(());
    }
    let gone = baseline::read(path)?.mark(proofs);
    if gone > 0 {
        let advice = "--write-baseline leaves them out";
        to_stderr(format_args!("note: {gone} findings of {} are gone; {advice}\n", path.display()));
    }
    Ok(())
}
