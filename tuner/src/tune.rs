//! The whole tuner: space, measure, search, record.

use std::io::IsTerminal;

use diagnostics::Diagnostic;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use singe::driver::{self, Failure, Request};
use singe::kernels::Kernel;
use singe::observer::Observer;
use singe::output;

use crate::arguments::Arguments;
use crate::measure::{self, Outcome, Trial};
use crate::space::Candidate;
use crate::{picture, record, search, space};

/// What `tune.json` holds and `--json` prints.
#[derive(Serialize)]
struct Record<'a> {
    command: String,
    target: &'a str,
    /// Settings of the best candidate of each kernel.
    best: Vec<(&'static str, &'a Candidate)>,
    trials: &'a [Trial],
}

/// Tries all candidates for all kernels; compiles and verifies the best of each, and writes them with the record.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let plain = arguments.plain();
    let candidates = space::candidates(&arguments.axes);
    let jobs: Vec<(Kernel, &Candidate)> =
        plain.kernels.iter().flat_map(|&kernel| candidates.iter().map(move |candidate| (kernel, candidate))).collect();
    let bar = progress(jobs.len());
    // Candidates that are timed must have the machine for themselves.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if arguments.measure.is_some() { 1 } else { cores };
    let trials = search::all(&jobs, threads, |&(kernel, candidate)| {
        let trial = measure::measure(arguments, kernel, candidate);
        bar.inc(1);
        trial
    });
    bar.finish_and_clear();
    let of =
        |kernel: Kernel| trials.iter().filter(move |trial| trial.kernel == kernel.name()).cloned().collect::<Vec<_>>();
    let mut winners = Vec::new();
    for &kernel in &plain.kernels {
        winners.push((kernel, winner(kernel, &of(kernel))?));
    }
    let own = winners.iter().map(|(kernel, candidate)| (*kernel, arguments.request(candidate).tuning)).collect();
    let request = Request { own, ..plain };
    let report = driver::compile(&request, &mut Observer::silent())?;

    let target = request.common.target.name.as_str();
    let best = winners.iter().map(|(kernel, candidate)| (kernel.name(), candidate)).collect();
    let record = Record { command: arguments.command(), target, best, trials: &trials };
    let json = serde_json::to_string_pretty(&record).expect("a record is plain data") + "\n";
    let mut files = vec![
        ("best.toml".to_owned(), record::configuration(&arguments.command(), target, &winners)),
        ("tune.json".to_owned(), json.clone()),
    ];
    for &kernel in &request.kernels {
        let title = format!("{} {kernel} on {target}", report.mechanism);
        files.push((format!("tune_{kernel}.svg"), picture::picture(&title, &arguments.axes, &of(kernel))));
    }
    let folder = request.output.as_ref().expect("a command writes somewhere");
    output::write(folder, &files).map_err(|diagnostic| Failure::input([diagnostic]))?;
    if arguments.json {
        print!("{json}");
    } else {
        request.kernels.iter().for_each(|&kernel| println!("{}", record::table(kernel, &of(kernel))));
        println!("{}", singe::report::table(&report));
        println!("written to {0}; the settings again: singe ... --config {0}/best.toml", folder.display());
    }
    Ok(())
}

/// The best candidate of a kernel.
///
/// Errors: there is none; the diagnostic tells why the first was refused.
fn winner(kernel: Kernel, trials: &[Trial]) -> Result<Candidate, Failure> {
    if let Some((trial, _)) = search::ranked(trials).first() {
        return Ok(trial.candidate.clone());
    }
    let first = trials.iter().find_map(|trial| match &trial.outcome {
        Outcome::Refused { id, message } => Some((id, format!("{}: {message}", record::settings(&trial.candidate)))),
        Outcome::Cost(_) => None,
    });
    let (id, message) = first.expect("there is a candidate, and it was refused");
    Err(Failure::input([if id == "tune::measure" {
        Diagnostic::error("tune::measure", message)
            .help("the command must print nanoseconds per point as its last word")
    } else {
        Diagnostic::error("tune::no-candidate", format!("no candidate gives a {kernel} kernel; {message} [{id}]"))
            .help("vary other flags, or vary these further")
    }]))
}

fn progress(jobs: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("[{elapsed}] {bar:30} {pos} of {len} candidates, {eta} left");
    ProgressBar::new(jobs as u64).with_style(style.expect("the template is valid"))
}
