//! `singe check`: diagnostics only.

use super::args::CheckArguments;
use super::compile;
use crate::observer::Observer;
use command::Failure;
use command::print;

pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let files = compile::files(&arguments.input);
    let mut observer = Observer::new(None);
    let read = observer.pass("mechanism", None, || mechanism::read_with(&files, compile::options(&arguments.input)));
    let (summary, diagnostics, good) = match read {
        Ok((m, warnings)) => {
            let described = m.species.iter().any(|s| s.transport.is_some());
            let transport = if described { "" } else { ", no transport data" };
            let (species, reactions) = (m.species.len(), m.reactions.len());
            let phase = m.phase.0.name.as_ref().map_or(String::new(), |phase| format!(" (phase {phase})"));
            let choice = m.phase.0.choice().map_or(String::new(), |choice| format!("{choice}\n"));
            let summary = format!("{choice}{}{phase}: {species} species, {reactions} reactions{transport}", m.name);
            match observer.pass("kinetics", None, || kinetics::check(m, arguments.input.permissive)) {
                Ok(more) => (summary, warnings.into_iter().chain(more).collect(), true),
                Err(errors) => (summary, warnings.into_iter().chain(errors).collect(), false),
            }
        }
        Err(diagnostics) => (String::new(), diagnostics, false),
    };
    observer.finish();
    if arguments.json {
        print(format_args!("{:#}\n", diagnostics::to_json(&diagnostics)))?;
        return if good { Ok(()) } else { Err(Failure::input([])) };
    }
    if !good {
        return Err(Failure::input(diagnostics));
    }
    compile::warn(&diagnostics);
    let plural = if diagnostics.len() == 1 { "" } else { "s" };
    print(format_args!("{summary}; {} warning{plural}\n", diagnostics.len()))
}
