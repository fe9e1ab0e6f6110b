//! Number of registers that values take: those that pass from block to block, which remain whatever an assembler reorders, and
//! those at any place of the text.

use super::access::Accesses;
use super::cfg::Cfg;
use super::liveness::Liveness;
use crate::inst::Type;
use crate::ir::{Func, Reg};
use std::collections::BTreeSet;

/// The most 32-bit registers that are alive at the start of a block; predicates take none.
pub fn compute(func: &Func) -> u32 {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let most = cfg.order.iter().map(|&block| liveness.live_in(block).iter().map(|reg| units(func, *reg)).sum());
    most.max().unwrap_or(0)
}

/// The most 32-bit registers that are alive at any place in the order of the text: with so many no value is spilled, but for alignment.
pub fn max_live(func: &Func) -> u32 {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let sum = |live: &BTreeSet<Reg>| live.iter().map(|reg| units(func, *reg)).sum::<u32>();
    let mut most = 0;
    for block in &cfg.order {
        let mut live: BTreeSet<Reg> = liveness.live_out(*block).iter().copied().collect();
        live.extend(func.blocks[*block].terminator.condition());
        most = most.max(sum(&live));
        for inst in func.blocks[*block].insts.iter().rev() {
            // results that nobody reads have registers too
            live.extend(accesses.writes(*inst));
            most = most.max(sum(&live));
            accesses.writes(*inst).iter().for_each(|reg| _ = live.remove(reg));
            live.extend(accesses.reads(*inst));
            most = most.max(sum(&live));
        }
    }
    most
}

fn units(func: &Func, reg: Reg) -> u32 {
    if func.regs[reg] == Type::Pred { 0 } else { func.regs[reg].bytes().div_ceil(4) }
}
