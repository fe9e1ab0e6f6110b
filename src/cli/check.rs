//! `singe check`: diagnostics only.

use super::args::CheckArguments;
use super::compile;
use crate::diagnostic::Diagnostic;
use crate::driver::{Failure, FailureKind};
use crate::mechanism;

pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let files = compile::files(&arguments.input)?;
    let (summary, diagnostics, good) = match mechanism::read_with(&files, compile::options(&arguments.input)) {
        Ok((m, warnings)) => {
            (format!("{}: {} species, {} reactions", m.name, m.species.len(), m.reactions.len()), warnings, true)
        }
        Err(diagnostics) => (String::new(), diagnostics, false),
    };
    if arguments.json {
        println!("{:#}", crate::diagnostic::to_json(&diagnostics));
        return if good { Ok(()) } else { Err(failure(Vec::new())) };
    }
    if !good {
        return Err(failure(diagnostics));
    }
    compile::warn(&diagnostics);
    println!("{summary}; {} warnings", diagnostics.len());
    Ok(())
}

fn failure(diagnostics: Vec<Diagnostic>) -> Failure {
    Failure { kind: FailureKind::Input, diagnostics }
}
