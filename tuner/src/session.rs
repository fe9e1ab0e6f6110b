//! Candidates are tried side by side; what is recorded is not tried again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use diagnostics::Diagnostic;
use kernels::Kernel;
use serde_json::json;
use singe::driver::{Failure, Request};

use crate::arguments::Arguments;
use crate::clock::Clock;
use crate::level::{self, Level};
use crate::measure::{self, Trial};
use crate::record::{Entry, Header, Record};
use crate::space::Candidate;
use crate::{program, progress, space};

/// Resources for trying a candidate.
pub struct Session {
    pub request: Request,
    pub levels: Vec<Level>,
    /// Kind of the last level's times.
    pub says: String,
    /// SHA-256 of the program.
    pub program: String,
    clock: Option<Clock>,
    begun: Instant,
    /// Time budget for all levels together.
    budget: Option<Duration>,
    record: Record,
    threads: usize,
}

impl Session {
    /// Errors: the mechanism is wrong; the record is not to be had.
    pub fn open(arguments: &Arguments, request: Request) -> Result<Self, Failure> {
        let (levels, says) = level::levels(&request, arguments.clock.as_ref());
        let input = |diagnostic| Failure::input([diagnostic]);
        let program = program::fingerprint().map_err(input)?;
        let header = header(arguments, &request, &says, &program)?;
        let folder = request.output.as_ref().expect("a command writes somewhere");
        let record = Record::open(folder, &header).map_err(input)?;
        let (clock, threads, budget) = (arguments.clock.clone(), arguments.threads, arguments.budget);
        // a candidate is one version
        let request = Request { alternatives: false, ..request };
        Ok(Self { request, levels, says, program, clock, begun: Instant::now(), budget, record, threads })
    }

    pub fn last_level(&self) -> Level {
        *self.levels.last().expect("there is a level")
    }

    /// When the budget has no more time for a level: each has an equal part, and what those before it left.
    fn end_of(&self, level: Level) -> Option<Instant> {
        let place = self.levels.iter().position(|other| *other == level).map_or(self.levels.len(), |place| place + 1);
        Some(self.begun + self.budget?.mul_f64(place as f64 / self.levels.len() as f64))
    }

    /// Returns the trials of all of them on a level, in their order, without those that the budget has no time for. The
    /// default of `singe` is tried first, and in any case; the others are mixed, so that a budget sees something of all.
    ///
    /// Errors: the record cannot be written.
    pub fn all(&self, jobs: &[(Kernel, Candidate)], level: Level) -> Result<Vec<Trial>, Diagnostic> {
        let known = |(kernel, candidate): &(Kernel, Candidate)| self.record.known(*kernel, candidate, level);
        let end = self.end_of(level);
        loop {
            let open: Vec<(Kernel, Candidate)> = jobs.iter().filter(|job| known(job).is_none()).cloned().collect();
            if open.is_empty() {
                break;
            }
            let tried = self.each(&space::mixed(open), level, end)?;
            if tried.contains(&Attempt::Late) {
                break;
            }
            if tried.contains(&Attempt::Elsewhere) {
                std::thread::sleep(POLL);
            }
        }
        Ok(jobs.iter().filter_map(known).collect())
    }

    /// Tries each of some candidates that no other search has in hand.
    fn each(
        &self,
        open: &[(Kernel, Candidate)],
        level: Level,
        end: Option<Instant>,
    ) -> Result<Vec<Attempt>, Diagnostic> {
        let what = match level {
            Level::Counted => "candidates counted",
            Level::Compiled => "candidates compiled",
            Level::Measured => "candidates measured",
        };
        let results = progress::watched(what, open.len(), |done| {
            side_by_side(open, self.threads, |(kernel, candidate)| {
                let attempt = self.one(*kernel, candidate, level, end);
                done();
                attempt
            })
        });
        results.into_iter().collect()
    }

    fn one(
        &self,
        kernel: Kernel,
        candidate: &Candidate,
        level: Level,
        end: Option<Instant>,
    ) -> Result<Attempt, Diagnostic> {
        let start = Instant::now();
        if !candidate.is_auto() && end.is_some_and(|end| start >= end) {
            return Ok(Attempt::Late);
        }
        if !self.record.claim(kernel, candidate, level)? {
            return Ok(Attempt::Elsewhere);
        }
        let trial = measure::measure(&self.request, self.clock.as_ref(), kernel, candidate, level);
        let seconds = (1e3 * start.elapsed().as_secs_f64()).round() / 1e3;
        self.record.add(&Entry { trial, seconds })?;
        Ok(Attempt::Done)
    }

    /// Does some work while no other search in the folder adds anything.
    ///
    /// Errors: those of the work; the record cannot be locked.
    pub fn alone<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        self.record.alone(work).map_err(|diagnostic| Failure::input([diagnostic]))?
    }
}

/// Interval at which a search looks for what others have finished.
const POLL: Duration = Duration::from_millis(200);

/// Result of an attempt on a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Done,
    /// Another search has it in hand, or has finished it.
    Elsewhere,
    /// The budget had no time for it.
    Late,
}

/// Returns the header of a record: everything that the costs of a candidate depend on.
fn header(arguments: &Arguments, request: &Request, says: &str, program: &str) -> Result<Header, Failure> {
    let (mechanism, _) = mechanism::read_with(&request.needed_files(), request.reading).map_err(Failure::input)?;
    let files: Vec<&str> = mechanism.inputs.iter().map(|input| input.sha256.as_str()).collect();
    let own: Vec<_> = request.own.iter().map(|(kernel, tuning)| (kernel.name(), tuning)).collect();
    let own_layouts: Vec<_> = request.own_layouts.iter().map(|(kernel, layouts)| (kernel.name(), layouts)).collect();
    let basis = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": program,
        "mechanism": files,
        "target": request.common.target.name,
        "common": request.common,
        "tuning": request.tuning,
        "kernels of their own": (own, own_layouts),
        "layout": request.codegens().map(overlay::Codegen::name).collect::<Vec<_>>(),
        "times": says,
    });
    let words = arguments.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Ok(Header { basis, words })
}

/// Runs all jobs on some threads; the results are in the order of the jobs.
fn side_by_side<T: Sync, R: Send>(jobs: &[T], threads: usize, run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<R>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                while let Some((at, job)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
                {
                    let result = run(job);
                    results.lock().expect("no job panics")[at] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no job panics");
    results.into_iter().map(|result| result.expect("every job ran")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_jobs() {
        let jobs: Vec<u32> = (0..100).collect();
        assert_eq!(side_by_side(&jobs, 4, |job| job * 2), jobs.iter().map(|job| job * 2).collect::<Vec<_>>());
    }
}
