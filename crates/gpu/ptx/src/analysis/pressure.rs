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
    let mut most = 0;
    for block in &cfg.order {
        let mut live = Live { func, regs: BTreeSet::new(), units: 0 };
        liveness.live_out(*block).iter().copied().chain(func.blocks[*block].terminator.condition()).for_each(|reg| {
            live.insert(reg);
        });
        most = most.max(live.units);
        for inst in func.blocks[*block].insts.iter().rev() {
            // results that nobody reads have registers too
            accesses.writes(*inst).iter().for_each(|reg| live.insert(*reg));
            most = most.max(live.units);
            accesses.writes(*inst).iter().for_each(|reg| live.remove(*reg));
            accesses.reads(*inst).iter().for_each(|reg| live.insert(*reg));
            most = most.max(live.units);
        }
    }
    most
}

/// The registers that are alive at one place, and the units that they take.
struct Live<'a> {
    func: &'a Func,
    regs: BTreeSet<Reg>,
    units: u32,
}

impl Live<'_> {
    fn insert(&mut self, reg: Reg) {
        if self.regs.insert(reg) {
            self.units += units(self.func, reg);
        }
    }

    fn remove(&mut self, reg: Reg) {
        if self.regs.remove(&reg) {
            self.units -= units(self.func, reg);
        }
    }
}

fn units(func: &Func, reg: Reg) -> u32 {
    if func.regs[reg] == Type::Pred { 0 } else { func.regs[reg].bytes().div_ceil(4) }
}
