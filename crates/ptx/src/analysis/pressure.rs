//! How many registers the values take that pass from block to block: assemblers can reorder what lives within a block, and
//! these remain.

use super::access::Accesses;
use super::cfg::Cfg;
use super::liveness::Liveness;
use crate::inst::Type;
use crate::ir::{Func, Reg};

/// The most 32-bit registers that are alive at the start of a block; predicates take none.
pub fn compute(func: &Func) -> u32 {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let units = |&reg: &Reg| if func.regs[reg] == Type::Pred { 0 } else { func.regs[reg].bytes().div_ceil(4) };
    cfg.order.iter().map(|&block| liveness.live_in(block).iter().map(units).sum()).max().unwrap_or(0)
}
