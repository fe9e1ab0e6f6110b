//! Control-flow melding: Saumya, Sundararajah and Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction"
//! (CGO 2022). Subgraphs on the two sides of a divergent branch that resemble each other become one, which lanes of both sides
//! execute together: instructions that are alike once, with selections of their operands, the others under the condition of
//! their side.
//!
//! Each round finds the regions behind divergent branches, aligns the subgraphs on their sides, and melds the pair that saves
//! most, with all others that it leaves as they are; this repeats until no meld lowers the estimate of the function's cycles. What
//! is melded is a `Plan`; [`check`](check::check) proves each one that was applied.
//!
//! Beyond the paper: only branches that the divergence analysis finds divergent; candidates in the order of what they save; no
//! load that the program did not have: what one side stores is stored under its condition; nothing that concerns several threads.

mod align;
mod apply;
mod candidate;
mod candidates;
pub mod check;
mod emit;
mod facts;
mod names;
mod options;
mod plan;
mod region;
mod shapes;
mod similar;
pub mod tail_merge;
#[cfg(test)]
mod tests;
mod tidy;
mod unify;
mod verdicts;

use super::outcome::{Failure, Outcome, Report, counted, with_func};
use align::Column;
use apply::Applied;
use candidate::Candidate;
pub use candidate::Kind;
use check::{Change, Violation};
use facts::Facts;
pub use options::{Mode, Options};
use plan::Plan;
use ptx::estimate::{cycles_of, executions};
use ptx::ir::{Block, Func, Module};
use region::Region;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tidy::tidy_again;
pub use tidy::{Tidy, tidy, tidy_to_meld};

/// Report on what was melded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Melded {
    /// In the order in which they were made.
    pub melds: Vec<Meld>,
    /// Cycles of one execution of everything, each level of loops counting eightfold, before and after.
    pub before: u64,
    pub after: u64,
    /// Melds that were left alone because the checker does not prove them, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

/// One meld.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Meld {
    pub kind: Kind,
    /// The least share of cycles that was expected to be saved.
    pub share: f64,
    /// Instructions that two became, and those that one side has alone.
    pub common: usize,
    pub alone: usize,
}

/// Where a meld begins: the divergent branch, and the first blocks of the subgraphs on its two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub branch: Block,
    pub entries: [Block; 2],
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "meld of {} and {} behind {}", self.entries[0], self.entries[1], self.branch)
    }
}

/// The function with its divergent regions melded; the same function where nothing is gained. What the checker does not prove is left alone.
pub fn run(func: &Func, options: &Options) -> (Func, Melded) {
    let mut work = tidy_to_meld(func.clone(), options);
    let mut melded = Melded { before: work.estimate(), ..Melded::default() };
    melded.after = melded.before;
    for _ in 0..most_rounds(&work.func) {
        let Some((next, melds, cycles)) = round(&work, options, melded.after, &mut melded.refused) else { break };
        work = next;
        melded.after = cycles;
        melded.melds.extend(melds);
    }
    if melded.melds.is_empty() { (func.clone(), melded) } else { (work.func, melded) }
}

/// A function after all melds that can be made together and each lower the estimate, or after the first one that does, and its
/// new estimate.
fn round(work: &Tidy, options: &Options, cycles: u64, refused: &mut Vec<String>) -> Option<(Tidy, Vec<Meld>, u64)> {
    let Tidy { func, facts, .. } = work;
    let candidates = divergent(work, options);
    let mut all = candidates::together(func, facts, &candidates);
    while all.len() > 1 {
        let plan = plan::plan(func, facts, &all, &work.shapes.borrow());
        let applied = apply::apply(func, facts, &plan);
        let lower: Vec<bool> = plan
            .melds
            .iter()
            .zip(&applied.made)
            .map(|(meld, made)| lowers(func, facts, meld, &applied.func, made))
            .collect();
        if lower.iter().all(|lower| *lower) {
            // Melds that are not proven together are tried one by one.
            let Ok(next) = proven(work, &plan, applied) else { break };
            let after = next.estimate();
            if after < cycles {
                next.inherit(work);
                return Some((next, plan.melds.iter().map(Meld::new).collect(), after));
            }
            break;
        }
        let mut lower = lower.into_iter();
        all.retain(|_| lower.next() == Some(true));
    }
    let mut after = cycles;
    let made = first_of(work, &candidates, refused, |_, next| {
        after = next.estimate();
        after < cycles
    });
    made.map(|(next, meld)| (next, vec![meld], after))
}

/// Whether a meld lowers the estimate by itself, before anything is simplified.
fn lowers(func: &Func, facts: &Facts, meld: &Candidate, after: &Func, made: &[(Block, Block)]) -> bool {
    let gone = meld.pairs.iter().flat_map(|pair| pair.blocks.into_iter().flatten());
    let before: u64 = gone.map(|block| cycles_of(func, block) * executions(facts.loops.depth(block))).sum();
    let after = made.iter().map(|(block, like)| cycles_of(after, *block) * executions(facts.loops.depth(*like)));
    after.sum::<u64>() < before
}

/// Rounds after which no more are tried.
pub fn most_rounds(func: &Func) -> usize {
    4 * func.layout.iter().filter(|block| func.blocks[**block].terminator.targets().len() > 1).count()
}

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, options: &super::options::Options) -> Result<Outcome, Failure> {
    run_as(module, index, Mode::Melding, options)
}

/// See [`PASSES`](super::PASSES).
pub(super) fn fusion(module: &Module, index: usize, options: &super::options::Options) -> Result<Outcome, Failure> {
    run_as(module, index, Mode::BranchFusion, options)
}

fn run_as(module: &Module, index: usize, mode: Mode, options: &super::options::Options) -> Result<Outcome, Failure> {
    let func = &module.funcs[index];
    let given = Options { mode, block: options.block, threshold: options.threshold };
    let (func, melded) = run(func, &given);
    Ok(Outcome { module: with_func(module, index, func), report: Report::new(melded.summary(), melded) })
}

impl Melded {
    fn summary(&self) -> String {
        let common: usize = self.melds.iter().map(|meld| meld.common).sum();
        let kind = |kind| self.melds.iter().filter(|meld| meld.kind == kind).count();
        let refused: String =
            self.refused.iter().map(|what| format!("; left alone, since it is not proven: {what}")).collect();
        format!(
            "{} ({} of blocks, {} of regions, {} of a block and a region), {} for two; {} cycles instead of {}{refused}",
            counted(self.melds.len(), "meld"),
            kind(Kind::Blocks),
            kind(Kind::Regions),
            kind(Kind::BlockAndRegion),
            counted(common, "instruction"),
            self.after,
            self.before
        )
    }
}

/// The first meld of a function that is accepted, in the order of what they save: the function after it. Those that the checker does not prove are
/// passed over.
pub fn first(work: &Tidy, options: &Options, accept: impl FnMut(Place, &Tidy) -> bool) -> Option<(Tidy, Meld)> {
    let candidates = divergent(work, options);
    first_of(work, &candidates, &mut Vec::new(), accept)
}

/// Returns the candidates for melding behind divergent branches.
fn divergent(Tidy { func, facts, verdicts, shapes }: &Tidy, options: &Options) -> Vec<Candidate> {
    let regions: Vec<Region> = region::regions(func, facts).collect();
    let mut candidates = candidates::candidates(func, facts, &regions, options, &mut shapes.borrow_mut());
    let known = verdicts.take().with(func, facts, &candidates, options.block);
    candidates.retain(|candidate| known.divergent(func, facts, candidate.branch) == Some(true));
    verdicts.replace(known);
    candidates
}

fn first_of(
    work: &Tidy,
    candidates: &[Candidate],
    refused: &mut Vec<String>,
    mut accept: impl FnMut(Place, &Tidy) -> bool,
) -> Option<(Tidy, Meld)> {
    for candidate in candidates {
        let plan = plan::plan(&work.func, &work.facts, &[candidate], &work.shapes.borrow());
        let applied = apply::apply(&work.func, &work.facts, &plan);
        let place = Place { branch: candidate.branch, entries: candidate.entries };
        let next = match proven(work, &plan, applied) {
            Ok(next) => next,
            Err(violation) => {
                let note = format!("{place}: {violation}");
                if !refused.contains(&note) {
                    refused.push(note);
                }
                continue;
            }
        };
        if accept(place, &next) {
            next.inherit(work);
            return Some((next, Meld::new(&plan.melds[0])));
        }
    }
    None
}

/// The function that a plan made, once it is checked.
fn proven(work: &Tidy, plan: &Plan, applied: Applied) -> Result<Tidy, Violation> {
    check::check(&Change {
        before: &work.func,
        after: &applied.func,
        renames: &plan.renames,
        roots: &plan.melds.iter().map(|meld| meld.branch).collect::<Vec<_>>(),
        conditions: &applied.conditions,
    })?;
    let accesses = work.facts.accesses.renamed(&applied.func, work.func.insts.len(), |reg| applied.names.get(reg));
    Ok(tidy_again(applied.func, accesses, &plan.renames))
}

impl Meld {
    fn new(planned: &Candidate) -> Self {
        let columns = planned.pairs.iter().flat_map(|pair| &pair.columns);
        let common = columns.clone().filter(|column| matches!(column, Column::Both(..))).count();
        Self { kind: planned.kind, share: planned.share, common, alone: columns.count() - common }
    }
}
