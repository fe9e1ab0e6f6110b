//! Estimated time of a function by its text alone: the latencies of its instructions, each as often as the loops around it say.

pub mod agreement;
pub mod latency;

use crate::analysis::cfg::Cfg;
use crate::analysis::dominators::Dominators;
use crate::analysis::loops::Loops;
use crate::inst::Terminator;
use crate::ir::{Block, Func};
use latency::{BRANCH, latency};

/// Cycles of one execution of all blocks, each level of loops counting eightfold.
pub fn estimate(func: &Func) -> u64 {
    let cfg = Cfg::compute(func);
    cycles(func, &cfg, &Loops::compute(&cfg, &Dominators::compute(func, &cfg)))
}

/// The same with the graph and its loops at hand.
pub fn cycles(func: &Func, cfg: &Cfg, loops: &Loops) -> u64 {
    cfg.order.iter().map(|block| cycles_of(func, *block) * executions(loops.depth(*block))).sum()
}

/// Cycles of one execution of a block.
pub fn cycles_of(func: &Func, block: Block) -> u64 {
    let data = &func.blocks[block];
    let insts: u64 = data.insts.iter().map(|inst| latency(&func.insts[*inst].op)).sum();
    insts + if matches!(data.terminator, Terminator::Bra { .. }) { 0 } else { BRANCH }
}

/// Levels of loops that count; code further inside is taken to run as often as code at this depth.
const DEEPEST: u32 = 10;

/// Returns the estimated executions of code inside so many loops: eight times for each.
pub fn executions(depth: u32) -> u64 {
    1 << (3 * depth.min(DEEPEST))
}
