//! The whole tuner: space, search, widening, and what stays of it.

use diagnostics::Diagnostic;
use serde::Serialize;
use singe::driver::{self, Failure, Request};
use singe::kernels::Kernel;
use singe::observer::Observer;
use singe::output;

use crate::arguments::Arguments;
use crate::measure::{self, Cost, Outcome, Trial};
use crate::session::Session;
use crate::space::{self, Candidate};
use crate::widen::{self, Edge};
use crate::{best, page, picture, search, why, work};

/// The best candidate of a kernel.
pub struct Winner {
    pub kernel: Kernel,
    pub trial: Trial,
    pub cost: Box<Cost>,
}

/// What `tune.json` holds and `--json` prints.
#[derive(Serialize)]
pub struct Record<'a> {
    pub version: &'static str,
    /// SHA-256 of the program: between releases the version stays the same.
    pub program: &'a str,
    pub command: String,
    pub mechanism: &'a str,
    pub target: &'a str,
    /// What the times are.
    pub times: &'a str,
    pub best: Vec<Best<'a>>,
    pub edges: &'a [KernelEdge],
    /// In the order of the space, then those beyond its edges.
    pub trials: Vec<TrialOutcome<'a>>,
}

/// The best candidate of a kernel, with its time in nanoseconds per point.
#[derive(Serialize)]
pub struct Best<'a> {
    pub kernel: &'static str,
    #[serde(flatten)]
    pub candidate: &'a Candidate,
    pub form: &'a str,
    pub layout: &'a str,
    pub nanoseconds: f64,
    pub kind: &'static str,
}

/// An edge of the space on which a best candidate lay, and whether what lies beyond was tried.
#[derive(Serialize)]
pub struct KernelEdge {
    pub kernel: &'static str,
    #[serde(flatten)]
    pub edge: Edge,
    pub tried: bool,
}

/// A candidate with why it lost.
#[derive(Serialize)]
pub struct TrialOutcome<'a> {
    #[serde(flatten)]
    pub trial: &'a Trial,
    pub why: String,
}

/// Tries candidates for all kernels; compiles and verifies the best of each, and writes them with the record. A shard only adds to its
/// record.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.request()?;
    if !arguments.work.is_empty() {
        return work::write(arguments, &request);
    }
    let input = |diagnostic: Diagnostic| Failure::input([diagnostic]);
    let tolerance = request.common.fit_tolerance;
    let of_kernel = |&kernel: &Kernel| {
        let axes = arguments.axes(kernel, &request);
        space::candidates(kernel, tolerance, &axes).into_iter().map(move |candidate| (kernel, candidate))
    };
    let jobs: Vec<(Kernel, Candidate)> = request.kernels.iter().flat_map(of_kernel).collect();
    let session = Session::open(arguments, request)?;
    if let Some(shard) = arguments.shard {
        let own = shard.of(jobs);
        session.all(&own, session.last_level()).map_err(input)?;
        let folder = arguments.folder();
        if arguments.json {
            println!(
                "{:#}",
                serde_json::json!({ "shard": shard.to_string(), "candidates": own.len(), "folder": folder })
            );
        } else {
            println!("{} candidates of shard {shard} are in {}", own.len(), folder.display());
        }
        return Ok(());
    }
    let mut trials = search::all(&session, arguments.method, &jobs).map_err(input)?;
    let edges = widened(arguments, &session, &mut trials)?;
    let winners = winners(&session, &trials)?;
    write(arguments, &session, &trials, &edges, &winners)
}

/// Goes beyond the edges on which the best candidates lie, until they lie on none.
fn widened(arguments: &Arguments, session: &Session, trials: &mut Vec<Trial>) -> Result<Vec<KernelEdge>, Failure> {
    let mut all: Vec<KernelEdge> = Vec::new();
    loop {
        let mut jobs = Vec::new();
        for Winner { kernel, trial, .. } in winners(session, trials)? {
            for edge in widen::edges(&trial.candidate, &of(kernel, trials)) {
                jobs.push((kernel, trial.candidate.with(&edge.flag, &edge.beyond.to_string())));
                tell(kernel, &edge, arguments.widen);
                all.push(KernelEdge { kernel: kernel.name(), edge, tried: arguments.widen });
            }
        }
        if jobs.is_empty() || !arguments.widen {
            return Ok(all);
        }
        let level = session.last_level();
        trials.extend(session.all(&jobs, level).map_err(|diagnostic| Failure::input([diagnostic]))?);
    }
}

fn tell(kernel: Kernel, edge: &Edge, is_widened: bool) {
    if is_widened {
        eprintln!("warning: {kernel}: {edge}: {} is tried, too", edge.beyond);
    } else {
        eprintln!(
            "warning: {kernel}: {edge}: what lies beyond may be better (--vary {}={},{})",
            edge.flag, edge.value, edge.beyond
        );
    }
}

fn of(kernel: Kernel, trials: &[Trial]) -> Vec<Trial> {
    trials.iter().filter(|trial| trial.kernel == kernel.name()).cloned().collect()
}

/// The best candidate of each kernel.
///
/// Errors: there is none; the diagnostic tells why the first was refused.
fn winners(session: &Session, trials: &[Trial]) -> Result<Vec<Winner>, Failure> {
    session.request.kernels.iter().map(|&kernel| winner(kernel, session, &of(kernel, trials))).collect()
}

fn winner(kernel: Kernel, session: &Session, trials: &[Trial]) -> Result<Winner, Failure> {
    if let Some((trial, cost)) = search::ranked(trials, session.last_level()).first() {
        return Ok(Winner { kernel, trial: (*trial).clone(), cost: Box::new((*cost).clone()) });
    }
    let first = trials.iter().rev().find_map(|trial| match &trial.outcome {
        Outcome::Refused { id, message } => Some((id, format!("{}: {message}", trial.candidate))),
        Outcome::Cost(_) => None,
    });
    let (id, message) = first.expect("there is a candidate, and it was refused");
    Err(Failure::input([match id.as_str() {
        "tune::measure" => Diagnostic::error("tune::measure", message)
            .help("the command must print nanoseconds per point as its last word"),
        _ => Diagnostic::error("tune::no-candidate", format!("no candidate gives a {kernel} kernel; {message} [{id}]"))
            .help("vary other flags, or vary these further"),
    }]))
}

/// Compiles the winners, and writes everything.
fn write(
    arguments: &Arguments,
    session: &Session,
    trials: &[Trial],
    edges: &[KernelEdge],
    winners: &[Winner],
) -> Result<(), Failure> {
    let base = &session.request;
    let mut request = Request { own: Vec::new(), ..base.clone() };
    for Winner { kernel, trial, .. } in winners {
        let own = measure::request(base, *kernel, &trial.candidate);
        request.own.push((*kernel, own.tuning));
        if trial.candidate.layout().is_some() {
            request.own_layouts.retain(|(known, _)| known != kernel);
            request.own_layouts.push((*kernel, own.codegens().collect()));
        }
    }
    let report = driver::compile(&request, &mut Observer::silent())?;
    let target = request.common.target.name.as_str();
    let record = Record {
        version: env!("CARGO_PKG_VERSION"),
        program: &session.program,
        command: arguments.command(),
        mechanism: &report.mechanism,
        target,
        times: &session.says,
        best: winners.iter().map(best_of).collect(),
        edges,
        trials: trials.iter().map(|trial| told(trial, session, winners)).collect(),
    };
    let json = serde_json::to_string_pretty(&record).expect("a record is plain data") + "\n";
    let mut files = vec![
        ("best.toml".to_owned(), best::configuration(&record.command, target, &session.says, winners)),
        ("tune.json".to_owned(), json.clone()),
    ];
    let mut chapters = Vec::new();
    for Winner { kernel, trial, .. } in winners {
        let pictures = picture::all(&of(*kernel, trials), trial);
        files.extend(
            pictures.iter().map(|picture| (format!("tune_{kernel}_{}.svg", picture.name), picture.svg.clone())),
        );
        chapters.push((*kernel, pictures));
    }
    files.push(("tune.html".to_owned(), page::page(&record, &chapters)));
    let folder = request.output.as_ref().expect("a command writes somewhere");
    output::write(folder, &files, true).map_err(Failure::input)?;
    if arguments.json {
        print!("{json}");
    } else {
        request.kernels.iter().for_each(|&kernel| println!("{}", best::table(kernel, &of(kernel, trials))));
        println!("{}", singe::report::table(&report));
        println!("{}", session.says);
        println!("written to {0}; the settings again: singe ... --config {0}/best.toml", folder.display());
    }
    Ok(())
}

fn best_of(winner: &Winner) -> Best<'_> {
    let (nanoseconds, kind) = winner.cost.time();
    let Cost { form, layout, .. } = &*winner.cost;
    Best { kernel: winner.kernel.name(), candidate: &winner.trial.candidate, form, layout, nanoseconds, kind }
}

fn told<'a>(trial: &'a Trial, session: &Session, winners: &[Winner]) -> TrialOutcome<'a> {
    let winner = winners.iter().find(|winner| winner.kernel.name() == trial.kernel);
    let winner = winner.expect("every kernel has a winner");
    TrialOutcome { trial, why: why::why(&winner.trial, trial, session.last_level()) }
}
