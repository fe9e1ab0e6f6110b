//! Proofs of many kernels, side by side.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::finding::{Finding, findings};
use super::texts::Text;
use diagnostics::Diagnostic;
use warpsim::Launch;
use warpsim::prove::{self, Status, Verdict};

/// A kernel that is to be proven for one launch.
pub struct Job {
    /// Number of the text.
    pub text: usize,
    pub kernel: String,
    pub launch: Launch,
}

/// A kernel with its verdict.
pub struct Proof {
    pub text: usize,
    pub launch: Launch,
    pub verdict: Verdict,
    pub findings: Vec<Finding>,
}

impl Proof {
    /// Returns the verdict over the findings that are new.
    pub fn status(&self) -> Status {
        let new = || self.findings.iter().filter(|finding| !finding.is_known).map(|finding| finding.status);
        let worst = [Status::Wrong, Status::Open, Status::ProvenIf];
        worst.into_iter().find(|status| new().any(|own| own == *status)).unwrap_or(Status::Proven)
    }
}

/// Proves the kernels, as many at a time as there are workers, and returns the verdicts in the order of the jobs.
pub fn prove(texts: &[Text], jobs: Vec<Job>, budget: u64, workers: Option<u16>) -> (Vec<Proof>, Vec<Diagnostic>) {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let workers = workers.map_or(cores, usize::from).min(jobs.len());
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<Result<Proof, Diagnostic>>>> = jobs.iter().map(|_| Mutex::default()).collect();
    let work = || {
        while let Some((job, place)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(at).zip(done.get(at))
        } {
            let result = one(texts, job, budget);
            *place.lock().expect("no worker panics with the lock") = Some(result);
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let results = done.into_iter().filter_map(|place| place.into_inner().ok().flatten());
    let (mut proofs, mut refused) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(proof) => proofs.push(proof),
            Err(diagnostic) => refused.push(diagnostic),
        }
    }
    (proofs, refused)
}

fn one(texts: &[Text], job: &Job, budget: u64) -> Result<Proof, Diagnostic> {
    let Job { text, kernel, launch } = job;
    let module = &texts[*text].module;
    let verdict = prove::prove_within(module, kernel, launch, budget).map_err(|reason| refused(kernel, &reason))?;
    let findings = findings(&verdict, module, launch);
    Ok(Proof { text: *text, launch: launch.clone(), verdict, findings })
}

/// Returns the diagnostic for a launch that does not fit.
fn refused(kernel: &str, reason: &str) -> Diagnostic {
    let message = format!("{kernel}: the launch does not fit: {reason}");
    let diagnostic = Diagnostic::error("verify::launch", message);
    match reason.contains("in clusters of") {
        true => diagnostic.help("the grid is whole clusters: give the number of CTAs with --ctas"),
        false => diagnostic,
    }
}
