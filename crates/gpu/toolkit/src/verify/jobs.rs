//! The kernels that are proven, and their launches.

use std::path::Path;

use super::arguments::VerifyArguments;
use super::proof::Job;
use super::texts::Text;
use crate::kernel::text;
use crate::sim::wrong;
use command::Failure;
use diagnostics::{Diagnostic, to_stderr};
use ptx::ir::{Func, ParamKind};
use warpsim::launches::{self, Entry, Unfit, Values};

/// Returns the kernels of the texts with their launches.
///
/// # Errors
/// The file of launches is wrong, a launch does not fit its kernel, or a kernel has none.
pub fn jobs(texts: &[Text], arguments: &VerifyArguments) -> Result<Vec<Job>, Failure> {
    let entries = entries(arguments)?;
    let wanted = |func: &&Func| arguments.kernel.as_ref().is_none_or(|pattern| launches::is_match(pattern, &func.name));
    let (mut jobs, mut refused) = (Vec::new(), Vec::new());
    for (number, text) in texts.iter().enumerate() {
        for func in text.module.entries().filter(wanted) {
            let own = launches::of_kernel(&entries, &func.name);
            if own.is_empty() {
                refused.push(without(func));
            }
            for entry in own.into_iter().filter(|entry| !entry.skip) {
                match entry.launch(func) {
                    Ok(launch) => jobs.push(Job { text: number, kernel: func.name.clone(), launch }),
                    Err(Unfit::NoThreads) => refused.push(without(func)),
                    Err(Unfit::Parameter(message)) => refused.push(unfit(func, message)),
                }
            }
        }
    }
    let kernels = || texts.iter().flat_map(|text| text.module.entries());
    if let Some(path) = &arguments.launch {
        let unused = entries.iter().filter(|entry| !kernels().any(|f| launches::is_match(&entry.kernel, &f.name)));
        for entry in unused.filter(|entry| entry.kernel != "*") {
            to_stderr(format_args!("warning: {}: no kernel is called {}\n", path.display(), entry.kernel));
        }
    }
    if refused.is_empty() {
        return Ok(jobs);
    }
    // flags are wrong words, a file is wrong input
    Err(if arguments.launch.is_some() { Failure::input(refused) } else { Failure::usage(refused) })
}

fn entries(arguments: &VerifyArguments) -> Result<Vec<Entry>, Failure> {
    if let Some(path) = &arguments.launch {
        let folder = path.parent().unwrap_or(Path::new(""));
        return launches::read(&text(path)?, folder).map_err(|e| wrong(path, &e));
    }
    Ok(vec![Entry {
        kernel: "*".to_owned(),
        skip: false,
        threads: arguments.threads,
        ctas: [arguments.ctas, 1, 1],
        cluster: arguments.cluster,
        shared: arguments.shared,
        values: Values::Some { integer: arguments.integer, names: Vec::new(), given: arguments.given.clone() },
    }])
}

fn without(func: &Func) -> Diagnostic {
    let message = format!("{}: nothing says how many threads a CTA has", func.name);
    let help = "give --threads, or --launch with an entry for this kernel";
    Diagnostic::error("verify::no-launch", message).help(help)
}

fn unfit(func: &Func, message: String) -> Diagnostic {
    let names: Vec<&str> = func.params_of(ParamKind::Input).map(|(_, data)| &data.name[..]).collect();
    let help = match &names[..] {
        [] => format!("{} has no parameters", func.name),
        names => format!("the parameters of {} are {}", func.name, names.join(", ")),
    };
    Diagnostic::error("verify::argument", message).help(help)
}
