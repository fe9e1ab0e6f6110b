//! The whole tuner: space, search, widening, and what stays of it.

use clap::ValueEnum;
use command::files;
use command::print;
use diagnostics::Diagnostic;
use kernels::Kernel;
use machine::target::Target;
use overlay::Codegen;
use serde::Serialize;
use singe::driver::{self, Failure, Request};
use singe::observer::Observer;
use singe::plan::Unset;

use crate::arguments::Arguments;
use crate::measure::{Cost, Outcome, Trial};
use crate::session::Session;
use crate::space::{self, Candidate};
use crate::why::TrialOutcome;
use crate::widen::{self, Edge};
use crate::{best, csv, page, picture, search, why, work};

/// The best candidate of a kernel.
pub struct Winner {
    pub kernel: Kernel,
    pub trial: Trial,
    pub cost: Box<Cost>,
    /// Cost of the default of `singe`, where that gives a kernel on the same level.
    pub auto: Option<Box<Cost>>,
}

impl Winner {
    /// Returns the time of the default of `singe`, in nanoseconds per point, if it is known by the same kind of time.
    pub fn auto_ns(&self) -> Option<f64> {
        let (time, kind) = self.auto.as_ref()?.time();
        (kind == self.cost.time().1).then_some(time)
    }

    /// Returns the percentage by which the best candidate takes longer than that: negative where it is faster.
    pub fn percent_against_auto(&self) -> Option<f64> {
        Some(100.0 * (self.cost.time().0 / self.auto_ns()? - 1.0))
    }
}

/// Contents of `tune.json` and of `--json`.
#[derive(Serialize)]
pub struct Record<'a> {
    pub version: &'static str,
    /// SHA-256 of the program: between releases the version stays the same.
    pub program: &'a str,
    pub command: String,
    pub mechanism: &'a str,
    pub target: &'a str,
    /// Kind of the times.
    pub times: &'a str,
    pub best: Vec<Best<'a>>,
    pub edges: &'a [KernelEdge],
    /// Candidates that the budget had no room for.
    pub untried: usize,
    /// Trials in the order of the space, then those beyond its edges.
    pub trials: Vec<TrialOutcome<'a>>,
}

impl Record<'_> {
    pub fn is_cpu(&self) -> bool {
        self.target == Target::cpu().name
    }
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
    /// Time of the default of `singe`, by the same kind of time.
    pub auto_nanoseconds: Option<f64>,
    pub percent_against_auto: Option<f64>,
}

/// An edge of the space on which a best candidate lay, and whether what lies beyond was tried.
#[derive(Serialize)]
pub struct KernelEdge {
    pub kernel: &'static str,
    #[serde(flatten)]
    pub edge: Edge,
    pub tried: bool,
}

/// Tries candidates for all kernels; compiles and verifies the best of each, and writes them with the record. A shard only adds to its
/// record.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.request()?;
    if !arguments.work.is_empty() {
        return work::write(arguments, &request);
    }
    let input = |diagnostic: Diagnostic| Failure::input([diagnostic]);
    let of_kernel =
        |&kernel: &Kernel| arguments.candidates(kernel, &request).into_iter().map(move |candidate| (kernel, candidate));
    let jobs: Vec<(Kernel, Candidate)> = request.kernels.iter().flat_map(of_kernel).collect();
    let all = jobs.len();
    // At least the default of `singe` is tried for each kernel.
    let jobs = space::limited(jobs, arguments.trials.max(request.kernels.len()));
    let session = Session::open(arguments, request)?;
    if let Some(shard) = arguments.shard {
        let own = shard.select(jobs);
        session.all(&own, session.last_level()).map_err(input)?;
        let folder = arguments.folder();
        if arguments.json {
            let told = serde_json::json!({ "shard": shard.to_string(), "candidates": own.len(), "folder": folder });
            return print(format_args!("{told:#}\n"));
        }
        return print(format_args!("{} candidates of shard {shard} are in {}\n", own.len(), folder.display()));
    }
    let mut trials = search::all(&session, arguments.method, &jobs).map_err(input)?;
    let untried = all - trials.len();
    let edges = widened(arguments, &session, &mut trials)?;
    let winners = winners(&session, &trials)?;
    session.alone(|| write(arguments, &session, Found { trials, untried, edges, winners }))
}

/// Goes beyond the edges on which the best candidates lie, until they lie on none.
fn widened(arguments: &Arguments, session: &Session, trials: &mut Vec<Trial>) -> Result<Vec<KernelEdge>, Failure> {
    let mut all: Vec<KernelEdge> = Vec::new();
    loop {
        let mut found: Vec<(Kernel, Candidate, Edge)> = Vec::new();
        for &kernel in &session.request.kernels {
            let own = trials_of(kernel, trials);
            // The default of `singe` lies on no edge; a candidate beyond the edges of the next one may be faster than both.
            let ranked = search::ranked(&own, session.last_level());
            let Some((best, _)) = ranked.iter().find(|(trial, _)| !trial.candidate.is_auto()) else { continue };
            let edges = widen::edges(&best.candidate, &own).into_iter();
            found.extend(edges.map(|edge| (kernel, best.candidate.with(&edge.flag, &edge.beyond.to_string()), edge)));
        }
        let room = arguments.trials.saturating_sub(trials.len());
        let jobs = found.iter().take(room).map(|(kernel, candidate, _)| (*kernel, candidate.clone()));
        let jobs: Vec<(Kernel, Candidate)> = jobs.filter(|_| arguments.widen).collect();
        let results = session.all(&jobs, session.last_level()).map_err(|diagnostic| Failure::input([diagnostic]))?;
        for (kernel, candidate, edge) in found {
            let is_it = |trial: &Trial| trial.kernel == kernel.name() && trial.candidate == candidate;
            let tried = results.iter().any(is_it);
            tell(kernel, &edge, tried);
            all.push(KernelEdge { kernel: kernel.name(), edge, tried });
        }
        let is_over = results.is_empty() || results.len() < jobs.len();
        trials.extend(results);
        if is_over {
            return Ok(all);
        }
    }
}

fn tell(kernel: Kernel, edge: &Edge, is_tried: bool) {
    if is_tried {
        diagnostics::to_stderr(format_args!("warning: {kernel}: {edge}: {} is tried, too\n", edge.beyond));
    } else {
        diagnostics::to_stderr(format_args!(
            "warning: {kernel}: {edge}: what lies beyond may be better (--vary {}={},{})\n",
            edge.flag, edge.value, edge.beyond
        ));
    }
}

fn trials_of(kernel: Kernel, trials: &[Trial]) -> Vec<Trial> {
    trials.iter().filter(|trial| trial.kernel == kernel.name()).cloned().collect()
}

/// The best candidate of each kernel.
///
/// Errors: there is none; the diagnostic tells why the first was refused.
fn winners(session: &Session, trials: &[Trial]) -> Result<Vec<Winner>, Failure> {
    session.request.kernels.iter().map(|&kernel| winner(kernel, session, &trials_of(kernel, trials))).collect()
}

fn winner(kernel: Kernel, session: &Session, trials: &[Trial]) -> Result<Winner, Failure> {
    let ranked = search::ranked(trials, session.last_level());
    if let Some((trial, cost)) = ranked.first() {
        let auto = ranked.iter().find(|(trial, _)| trial.candidate.is_auto());
        let auto = auto.map(|(_, cost)| Box::new((*cost).clone()));
        return Ok(Winner { kernel, trial: (*trial).clone(), cost: Box::new((*cost).clone()), auto });
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

/// Results of a search.
struct Found {
    trials: Vec<Trial>,
    /// Candidates that the budget had no room for.
    untried: usize,
    edges: Vec<KernelEdge>,
    winners: Vec<Winner>,
}

/// Compiles the winners, and writes everything.
fn write(arguments: &Arguments, session: &Session, found: Found) -> Result<(), Failure> {
    let Found { trials, untried, edges, winners } = &found;
    let base = &session.request;
    let request = chosen(base, winners);
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
        untried: *untried,
        trials: trials.iter().map(|trial| outcome(trial, session, winners)).collect(),
    };
    let json = serde_json::to_string_pretty(&record).expect("a record is plain data") + "\n";
    let mut files = vec![
        ("best.toml".to_owned(), best::configuration(&record.command, &request, &session.says, winners)),
        ("tune.json".to_owned(), json.clone()),
        ("tune.csv".to_owned(), csv::table(&record.trials)),
    ];
    let mut chapters = Vec::new();
    for Winner { kernel, trial, .. } in winners {
        let pictures = picture::all(&trials_of(*kernel, trials), trial, record.is_cpu());
        files.extend(
            pictures.iter().map(|picture| (format!("tune_{kernel}_{}.svg", picture.name), picture.svg.clone())),
        );
        chapters.push((*kernel, pictures));
    }
    files.push(("tune.html".to_owned(), page::page(&record, &chapters)));
    let folder = request.output.as_ref().expect("a command writes somewhere");
    for note in
        files::write_project(folder, "singe-tune", files, request.clean, request.force).map_err(Failure::input)?
    {
        diagnostics::to_stderr(format_args!("{note}\n"));
    }
    if arguments.json {
        return print(format_args!("{json}"));
    }
    let is_cpu = request.common.target.is_cpu();
    let tables: String =
        winners.iter().map(|winner| best::table(winner, &trials_of(winner.kernel, trials), is_cpu)).collect();
    print(format_args!("{tables}{}\n{}\n", singe::report::table(&report), session.says))?;
    if *untried > 0 {
        print(format_args!("{untried} candidates were not tried: the same command with more of a budget goes on\n"))?;
    }
    print(format_args!("written to {0}; the settings again: singe ... --config {0}/best.toml\n", folder.display()))
}

/// The request for the versions that were kept: what `best.toml` says.
fn chosen(base: &Request, winners: &[Winner]) -> Request {
    let own = winners.iter().map(|winner| (winner.kernel, winner.cost.tuning)).collect();
    let layout = |winner: &Winner| Some((winner.kernel, vec![Codegen::from_str(&winner.cost.layout, false).ok()?]));
    let own_layouts = winners.iter().filter_map(layout).filter(|_| !base.common.target.is_cpu()).collect();
    Request { own, own_layouts, unset: Unset::default(), ..base.clone() }
}

fn best_of(winner: &Winner) -> Best<'_> {
    let (nanoseconds, kind) = winner.cost.time();
    let Cost { form, layout, .. } = &*winner.cost;
    let (auto_nanoseconds, percent_against_auto) = (winner.auto_ns(), winner.percent_against_auto());
    let (kernel, candidate) = (winner.kernel.name(), &winner.trial.candidate);
    Best { kernel, candidate, form, layout, nanoseconds, kind, auto_nanoseconds, percent_against_auto }
}

fn outcome<'a>(trial: &'a Trial, session: &Session, winners: &[Winner]) -> TrialOutcome<'a> {
    let winner = winners.iter().find(|winner| winner.kernel.name() == trial.kernel);
    let winner = winner.expect("every kernel has a winner");
    TrialOutcome { trial, why: why::why(&winner.trial, trial, session.last_level()) }
}
