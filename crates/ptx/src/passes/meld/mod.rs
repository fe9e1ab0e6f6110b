//! Control-flow melding: Saumya, Sundararajah and Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction"
//! (CGO 2022). Subgraphs on the two sides of a divergent branch that resemble each other become one, which lanes of both sides
//! execute together: instructions that are alike once, with selections of their operands, the others under the condition of
//! their side.
//!
//! Each round finds the regions behind divergent branches, aligns the subgraphs on their sides, and melds the pair that saves
//! most; this repeats until no meld lowers the estimate of the function's cycles. What is melded is a [`Plan`](plan::Plan);
//! [`check`](check::check) proves each one that was applied.
//!
//! Beyond the paper: only branches that the divergence analysis finds divergent; candidates in the order of what they save; no
//! load that the program did not have: what one side stores is stored under its condition; nothing that concerns several threads.

mod apply;
pub mod check;
mod emit;
pub(crate) mod latency;
pub mod plan;
mod region;
mod similar;
pub mod tail_merge;
mod unify;

use super::{Failure, Outcome, Report, counted, dead_code, simplify_cfg, unproven, webs, with_func};
use crate::analysis::cfg::Cfg;
use crate::analysis::divergence::{BlockShape, Divergence, Options as DivergenceOptions};
use crate::analysis::dominators::Dominators;
use crate::analysis::gated::Gated;
use crate::analysis::loops::Loops;
use crate::inst::Terminator;
use crate::ir::{Block, Func, Module};
use check::{Change, Violation};
use latency::{BRANCH, latency};
use plan::Kind;
use region::{Facts, Region};
use serde::Serialize;

/// Which subgraphs are melded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// All.
    #[default]
    Melding,
    /// Blocks of diamonds: Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and Optimizations" (PACT 2011).
    BranchFusion,
}

/// How to decide.
#[derive(Debug, Clone)]
pub struct Options {
    pub mode: Mode,
    /// The least share of the cycles of two subgraphs that melding them must save, from 0 to 0.5.
    pub threshold: f64,
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
}

impl Default for Options {
    fn default() -> Self {
        Self { mode: Mode::default(), threshold: 0.2, block: None }
    }
}

/// What was melded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Melded {
    /// In the order in which they were made.
    pub melds: Vec<Meld>,
    /// Cycles of one execution of everything, each level of loops counting eightfold, before and after.
    pub before: u64,
    pub after: u64,
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

/// The function with its divergent regions melded; the same function where nothing is gained.
///
/// # Errors
/// The checker finds that a meld is wrong.
pub fn run(func: &Func, options: &Options) -> Result<(Func, Melded), Violation> {
    let mut work = tidy(func);
    let mut melded = Melded { before: estimate(&work), ..Melded::default() };
    melded.after = melded.before;
    let branches = |func: &Func| func.layout.iter().filter(|b| func.blocks[**b].terminator.targets().len() > 1).count();
    for _ in 0..4 * branches(&work) {
        let Some((next, meld, cycles)) = round(&work, melded.after, options)? else { break };
        work = next;
        melded.melds.push(meld);
        melded.after = cycles;
    }
    Ok(if melded.melds.is_empty() { (func.clone(), melded) } else { (work, melded) })
}

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, options: &super::Options) -> Result<Outcome, Failure> {
    run_as(module, index, Mode::Melding, options)
}

/// See [`PASSES`](super::PASSES).
pub(super) fn fusion(module: &Module, index: usize, options: &super::Options) -> Result<Outcome, Failure> {
    run_as(module, index, Mode::BranchFusion, options)
}

fn run_as(module: &Module, index: usize, mode: Mode, options: &super::Options) -> Result<Outcome, Failure> {
    let func = &module.funcs[index];
    let given = Options { mode, block: options.block, threshold: options.threshold };
    let (func, melded) =
        run(func, &given).map_err(|violation| Failure::Unproven(vec![unproven("melding", &func.name, &violation)]))?;
    Ok(Outcome { module: with_func(module, index, func), report: Report::new(melded.summary(), melded) })
}

impl Melded {
    fn summary(&self) -> String {
        let common: usize = self.melds.iter().map(|meld| meld.common).sum();
        let kind = |kind| self.melds.iter().filter(|meld| meld.kind == kind).count();
        format!(
            "{} ({} of blocks, {} of regions, {} of a block and a region), {} for two; {} cycles instead of {}",
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

/// The first meld, in the order of what they save, that lowers the estimate.
fn round(func: &Func, cycles: u64, options: &Options) -> Result<Option<(Func, Meld, u64)>, Violation> {
    let facts = Facts::compute(func);
    let regions = divergent_regions(func, &facts, options);
    for candidate in plan::candidates(func, &facts, &regions, options) {
        let plan = plan::plan(func, &facts, &candidate);
        let applied = apply::apply(func, &facts, &plan);
        let next = tidy(&applied.func);
        let estimate = estimate(&next);
        if estimate >= cycles {
            continue;
        }
        check::check(&Change {
            before: func,
            after: &applied.func,
            renames: &plan.renames,
            roots: &[plan.branch],
            condition: Some(applied.condition),
            selected: &applied.selected,
        })?;
        let columns = plan.pairs.iter().flat_map(|pair| &pair.columns);
        let common = columns.clone().filter(|column| matches!(column, crate::align::Column::Both(..))).count();
        let alone = columns.count() - common;
        return Ok(Some((next, Meld { kind: plan.kind, share: candidate.share, common, alone }, estimate)));
    }
    Ok(None)
}

/// The regions behind divergent branches. The analysis is asked only where there is a region.
fn divergent_regions(func: &Func, facts: &Facts, options: &Options) -> Vec<Region> {
    let all: Vec<Region> = facts.cfg.order.iter().filter_map(|block| region::region(func, facts, *block)).collect();
    if all.is_empty() {
        return all;
    }
    let gated = Gated::compute(func);
    let block = options.block.map_or(BlockShape::Unknown, BlockShape::Known);
    let divergence = Divergence::compute(func, &gated, DivergenceOptions { block, ..DivergenceOptions::default() });
    let divergent = |branch: Block| divergence.uniform_branch(&gated, branch) == Some(false);
    all.into_iter().filter(|region| divergent(region.branch)).collect()
}

/// The same function with a register per web, without what nothing needs and with a simple graph.
fn tidy(func: &Func) -> Func {
    let (func, _) = simplify_cfg::run(func);
    let (func, _) = dead_code::run(&webs::split(&func));
    simplify_cfg::run(&func).0
}

/// Cycles of one execution of all blocks, each level of loops counting eightfold.
fn estimate(func: &Func) -> u64 {
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let block = |block: &Block| {
        let data = &func.blocks[*block];
        let insts: u64 = data.insts.iter().map(|inst| latency(&func.insts[*inst].op)).sum();
        let branch = if matches!(data.terminator, Terminator::Bra { .. }) { 0 } else { BRANCH };
        (insts + branch) << (3 * loops.depth(*block).min(10))
    };
    cfg.order.iter().map(block).sum()
}
