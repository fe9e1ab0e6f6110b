//! Estimated time of a function where the lanes of every warp agree at every branch, so that only one side of it runs.

use super::{cycles_of, executions};
use crate::analysis::cfg::Cfg;
use crate::analysis::control;
use crate::analysis::dominators::{Dominators, post_dominators};
use crate::analysis::loops::Loops;
use crate::ir::{Block, Func};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeMap;

/// Cycles of an execution, in some small unit: where both sides of each branch are taken equally often, and where nearly always the shorter one
/// is. Blocks in loops count as often as [`executions`] says, and branches that leave a loop decide nothing.
pub fn estimates(func: &Func) -> [u64; 2] {
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let control = decisions(func, &cfg, &loops);
    let own = |block: Block| cycles_of(func, block) * executions(loops.depth(block));
    let sides = sides(&cfg, &control, own);
    [ALWAYS / 2, ALWAYS / 16].map(|longer| {
        let mut shares: SecondaryMap<Block, u64> = SecondaryMap::new();
        let mut sum = 0;
        for block in &cfg.order {
            let of_side = |(branch, side): &(Block, u32)| {
                let [this, other] = [*side, 1 - side].map(|side| sides.get(&(*branch, side)).copied().unwrap_or(0));
                // equal sides share what is left
                let share = if this == other {
                    ALWAYS / 2
                } else if this > other {
                    longer
                } else {
                    ALWAYS - longer
                };
                shares[*branch] * share / ALWAYS
            };
            let decided = control[*block].iter().map(of_side).sum::<u64>();
            let share = if control[*block].is_empty() { ALWAYS } else { decided.clamp(1, ALWAYS) };
            shares[*block] = share;
            sum += own(*block) * share;
        }
        sum
    })
}

/// The share of a block that always runs.
const ALWAYS: u64 = 1 << 16;

type Decisions = SecondaryMap<Block, Vec<(Block, u32)>>;

/// The sides of branches in front that decide whether a block runs; those of branches that leave a loop and of switches are left out.
fn decisions(func: &Func, cfg: &Cfg, loops: &Loops) -> Decisions {
    let mut control = control::compute(func, &post_dominators(func));
    for block in &cfg.order {
        control[*block].retain(|(branch, _)| {
            let leaves = loops
                .innermost(*branch)
                .is_some_and(|inner| cfg.successors(*branch).iter().any(|target| !loops.contains(inner, *target)));
            cfg.successors(*branch).len() == 2 && !leaves && cfg.number(*branch) < cfg.number(*block)
        });
    }
    control
}

/// Cycles of all that each side of a branch decides, with what that decides in turn.
fn sides(cfg: &Cfg, control: &Decisions, own: impl Fn(Block) -> u64) -> BTreeMap<(Block, u32), u64> {
    let mut sides: BTreeMap<(Block, u32), u64> = BTreeMap::new();
    for block in cfg.order.iter().rev() {
        let within: u64 = (0..2).filter_map(|side| sides.get(&(*block, side))).sum();
        let whole = own(*block).saturating_add(within);
        for decision in &control[*block] {
            let sum = sides.entry(*decision).or_default();
            *sum = sum.saturating_add(whole);
        }
    }
    sides
}
