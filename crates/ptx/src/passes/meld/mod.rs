//! Control-flow melding: Saumya, Sundararajah and Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction"
//! (CGO 2022). Subgraphs on the two sides of a divergent branch that resemble each other become one, which lanes of both sides
//! execute together: instructions that are alike once, with selections of their operands, the others under the condition of
//! their side.
//!
//! Each round finds the regions behind divergent branches, aligns the subgraphs on their sides, and melds the pair that saves
//! most, with all others that it leaves as they are; this repeats until no meld lowers the estimate of the function's cycles. What
//! is melded is a [`Plan`]; [`check`](check::check) proves each one that was applied.
//!
//! Beyond the paper: only branches that the divergence analysis finds divergent; candidates in the order of what they save; no
//! load that the program did not have: what one side stores is stored under its condition; nothing that concerns several threads.

mod apply;
pub mod check;
mod emit;
mod facts;
pub(crate) mod latency;
pub mod plan;
mod region;
mod shapes;
mod similar;
pub mod tail_merge;
#[cfg(test)]
mod tests;
mod unify;
mod verdicts;

use super::dead_code::{self, only_makes_results};
use super::{Failure, Outcome, Report, counted, simplify_cfg, unproven, webs, with_func};
use crate::align::Column;
use crate::analysis::access::Accesses;
use crate::analysis::cfg::Cfg;
use crate::analysis::dominators::Dominators;
use crate::analysis::gated::Gated;
use crate::analysis::lists::table;
use crate::analysis::loops::Loops;
use crate::analysis::ssa::{self, Ssa};
use crate::cost::executions;
use crate::inst::{Cmp, Op, Operand, Terminator};
use crate::ir::{Block, Func, Module, Reg};
use apply::Applied;
use check::{Change, Violation};
use cranelift_entity::SecondaryMap;
use facts::Facts;
use latency::{BRANCH, latency};
use plan::{Candidate, Kind, Plan, PlannedMeld};
use region::Region;
use serde::Serialize;
use shapes::Shapes;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use verdicts::Verdicts;

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

/// The function with its divergent regions melded; the same function where nothing is gained.
///
/// # Errors
/// The checker finds that a meld is wrong.
pub fn run(func: &Func, options: &Options) -> Result<(Func, Melded), Violation> {
    let mut work = tidy_to_meld(func.clone(), options);
    let mut melded = Melded { before: work.estimate(), ..Melded::default() };
    melded.after = melded.before;
    for _ in 0..most_rounds(&work.func) {
        let Some((next, melds, cycles)) = round(&work, options, melded.after)? else { break };
        work = next;
        melded.after = cycles;
        melded.melds.extend(melds);
    }
    Ok(if melded.melds.is_empty() { (func.clone(), melded) } else { (work.func, melded) })
}

/// A function after all melds that can be made together and each lower the estimate, or after the first one that does, and its
/// new estimate.
fn round(work: &Tidy, options: &Options, cycles: u64) -> Result<Option<(Tidy, Vec<Meld>, u64)>, Violation> {
    let Tidy { func, facts, .. } = work;
    let candidates = divergent(work, options);
    let mut all = plan::together(func, facts, &candidates);
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
            let next = proven(work, &plan, applied)?;
            let after = next.estimate();
            if after < cycles {
                next.inherit(work);
                return Ok(Some((next, plan.melds.iter().map(Meld::of).collect(), after)));
            }
            break;
        }
        let mut lower = lower.into_iter();
        all.retain(|_| lower.next() == Some(true));
    }
    let mut after = cycles;
    let made = first_of(work, &candidates, |_, next| {
        after = next.estimate();
        after < cycles
    })?;
    Ok(made.map(|(next, meld)| (next, vec![meld], after)))
}

/// Whether a meld lowers the estimate by itself, before anything is simplified.
fn lowers(func: &Func, facts: &Facts, meld: &PlannedMeld, after: &Func, made: &[(Block, Block)]) -> bool {
    let gone = meld.pairs.iter().flat_map(|pair| pair.blocks.into_iter().flatten());
    let before: u64 = gone.map(|block| cycles_of(func, block) * executions(facts.loops.depth(block))).sum();
    let after = made.iter().map(|(block, like)| cycles_of(after, *block) * executions(facts.loops.depth(*like)));
    after.sum::<u64>() < before
}

/// Melds after which no more are tried.
pub fn most_rounds(func: &Func) -> usize {
    4 * func.layout.iter().filter(|block| func.blocks[**block].terminator.targets().len() > 1).count()
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

/// The first meld of a function that is accepted, in the order of what they save: the function after it.
///
/// # Errors
/// The checker finds that it is wrong.
pub fn first(
    work: &Tidy,
    options: &Options,
    accept: impl FnMut(Place, &Tidy) -> bool,
) -> Result<Option<(Tidy, Meld)>, Violation> {
    let candidates = divergent(work, options);
    first_of(work, &candidates, accept)
}

/// What might be melded behind divergent branches.
fn divergent(Tidy { func, facts, verdicts, shapes }: &Tidy, options: &Options) -> Vec<Candidate> {
    let regions: Vec<Region> = facts.cfg.order.iter().filter_map(|block| region::region(func, facts, *block)).collect();
    let mut candidates = plan::candidates(func, facts, &regions, options, &mut shapes.borrow_mut());
    let known = verdicts.take().with(func, facts, &candidates, options.block);
    candidates.retain(|candidate| known.divergent(func, facts, candidate.branch) == Some(true));
    verdicts.replace(known);
    candidates
}

fn first_of(
    work: &Tidy,
    candidates: &[Candidate],
    mut accept: impl FnMut(Place, &Tidy) -> bool,
) -> Result<Option<(Tidy, Meld)>, Violation> {
    for candidate in candidates {
        let plan = plan::plan(&work.func, &work.facts, &[candidate], &work.shapes.borrow());
        let applied = apply::apply(&work.func, &work.facts, &plan);
        let next = proven(work, &plan, applied)?;
        if accept(Place { branch: candidate.branch, entries: candidate.entries }, &next) {
            next.inherit(work);
            return Ok(Some((next, Meld::of(&plan.melds[0]))));
        }
    }
    Ok(None)
}

/// The function that a plan made, once it is checked.
fn proven(work: &Tidy, plan: &Plan, applied: Applied) -> Result<Tidy, Violation> {
    check::check(&Change {
        before: &work.func,
        facts: &work.facts,
        after: &applied.func,
        renames: &plan.renames,
        roots: &plan.melds.iter().map(|meld| meld.branch).collect::<Vec<_>>(),
        conditions: &applied.conditions,
    })?;
    let accesses = work.facts.accesses.renamed(&applied.func, work.func.insts.len(), |reg| applied.names.get(reg));
    Ok(tidy_again(applied.func, accesses, &plan.renames))
}

impl Meld {
    fn of(planned: &PlannedMeld) -> Self {
        let columns = planned.pairs.iter().flat_map(|pair| &pair.columns);
        let common = columns.clone().filter(|column| matches!(column, Column::Both(..))).count();
        Self { kind: planned.kind, share: planned.share, common, alone: columns.count() - common }
    }
}

/// A function in the form that is melded, with its analyses.
pub struct Tidy {
    pub func: Func,
    facts: Facts,
    /// Also of the functions that it was made from.
    verdicts: RefCell<Verdicts>,
    shapes: RefCell<Shapes>,
}

impl Tidy {
    /// Takes over what was found of the function that it was made from and still holds.
    fn inherit(&self, from: &Self) {
        self.verdicts.replace(from.verdicts.take().lasting());
        self.shapes.swap(&from.shapes);
    }

    /// As [`estimate`].
    pub fn estimate(&self) -> u64 {
        cycles(&self.func, &self.facts.cfg, &self.facts.loops)
    }
}

/// The same function with a register per web, without what nothing needs, with a simple graph and comparisons in one direction.
pub fn tidy(func: Func) -> Tidy {
    let (func, facts) = simple(func);
    let values = Ssa::compute(&func, &facts, &[]);
    by_values(func, facts, &values).0
}

/// As [`tidy`], of a function that is to be melded: where it might be, one SSA form serves, and tells of the branches, too.
pub fn tidy_to_meld(func: Func, options: &Options) -> Tidy {
    let (func, facts) = simple(func);
    if facts.cfg.order.iter().all(|block| region::region(&func, &facts, *block).is_none()) {
        let values = Ssa::compute(&func, &facts, &[]);
        return by_values(func, facts, &values).0;
    }
    let gated = facts.gated(&func);
    let branches = verdicts::branches(&func, &gated, options.block);
    let Gated { ssa, .. } = gated;
    let (tidy, same) = by_values(func, facts, &ssa);
    if same {
        tidy.verdicts.replace(Verdicts::of(&tidy.func, &tidy.facts, &branches));
    }
    tidy
}

fn simple(mut func: Func) -> (Func, Facts) {
    simplify_cfg::simplify(&mut func);
    func.insts.values_mut().for_each(|data| turn(&mut data.op));
    let facts = Facts::compute(&func);
    (func, facts)
}

/// As [`tidy`], of a tidy function in which melding has made registers one. SSA form is asked for only where there might be
/// something left to do.
fn tidy_again(mut func: Func, accesses: Accesses, renames: &BTreeMap<Reg, Reg>) -> Tidy {
    simplify_cfg::simplify(&mut func);
    let known = ssa::Facts::from_accesses(&func, accesses);
    let facts = Facts::from_ssa(&func, known);
    if is_tidy(&func, &facts, renames) {
        return Tidy { func, facts, verdicts: RefCell::default(), shapes: RefCell::default() };
    }
    let values = Ssa::compute(&func, &facts, &[]);
    by_values(func, facts, &values).0
}

/// Whether every result is read somewhere, and whatever was made one register is written once.
fn is_tidy(func: &Func, known: &Facts, renames: &BTreeMap<Reg, Reg>) -> bool {
    let insts = || known.cfg.order.iter().flat_map(|block| &func.blocks[*block].insts);
    let mut once: SecondaryMap<Reg, bool> = table(func.regs.len());
    renames.values().for_each(|reg| once[*reg] = true);
    let mut read: SecondaryMap<Reg, bool> = table(func.regs.len());
    let mut written: SecondaryMap<Reg, bool> = table(func.regs.len());
    known
        .cfg
        .order
        .iter()
        .filter_map(|block| func.blocks[*block].terminator.condition())
        .for_each(|reg| read[reg] = true);
    for inst in insts() {
        let data = &func.insts[*inst];
        known.accesses.operands(*inst).iter().for_each(|reg| read[*reg] = true);
        data.guard.iter().for_each(|guard| read[guard.pred] = true);
        for reg in known.accesses.writes(*inst) {
            if std::mem::replace(&mut written[*reg], true) && once[*reg] {
                return false;
            }
        }
    }
    insts().all(|inst| {
        known.accesses.writes(*inst).iter().any(|reg| read[*reg]) || !only_makes_results(&func.insts[*inst].op)
    })
}

/// The function with a register per web and without what nothing needs, and whether its graph stayed the same.
fn by_values(mut func: Func, facts: Facts, values: &Ssa) -> (Tidy, bool) {
    let parted = webs::split(&mut func, &facts, values);
    let removed = dead_code::remove_unneeded(&mut func, &facts, values);
    // a block may have been emptied
    let same = func.layout.iter().all(|block| simplify_cfg::leads_on(&func, *block).is_none());
    let facts = if removed.instructions == 0 && !parted {
        facts
    } else if same {
        facts.with_instructions(&func)
    } else {
        simplify_cfg::simplify(&mut func);
        Facts::compute(&func)
    };
    (Tidy { func, facts, verdicts: RefCell::default(), shapes: RefCell::default() }, same)
}

/// Makes `b < a` of `a > b`, for registers, so that what compares alike is of one shape.
fn turn(op: &mut Op) {
    let Op::Setp { cmp, a: a @ Operand::Reg(_), b: b @ Operand::Reg(_), .. } = op else { return };
    let turned = match cmp {
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        Cmp::Gtu => Cmp::Ltu,
        Cmp::Geu => Cmp::Leu,
        _ => return,
    };
    *cmp = turned;
    std::mem::swap(a, b);
}

/// Cycles of one execution of all blocks, each level of loops counting eightfold.
pub fn estimate(func: &Func) -> u64 {
    let cfg = Cfg::compute(func);
    cycles(func, &cfg, &Loops::compute(&cfg, &Dominators::compute(func, &cfg)))
}

fn cycles(func: &Func, cfg: &Cfg, loops: &Loops) -> u64 {
    cfg.order.iter().map(|block| cycles_of(func, *block) * executions(loops.depth(*block))).sum()
}

/// Cycles of one execution of a block.
fn cycles_of(func: &Func, block: Block) -> u64 {
    let data = &func.blocks[block];
    let insts: u64 = data.insts.iter().map(|inst| latency(&func.insts[*inst].op)).sum();
    insts + if matches!(data.terminator, Terminator::Bra { .. }) { 0 } else { BRANCH }
}
