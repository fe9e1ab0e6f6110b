//! Liveness of registers at the boundaries of blocks.

use super::access::Accesses;
use super::cfg::Cfg;
use super::lists::Lists;
use super::sites::{LiveBlocks, Sites};
use crate::ir::{Block, Func, Reg};

/// The registers whose value may still be read, in ascending order. A guarded result counts as read: lanes without the
/// guard keep the old value.
#[derive(Debug, Clone)]
pub struct Liveness {
    live_in: Lists<Block, Reg>,
    live_out: Lists<Block, Reg>,
}

impl Liveness {
    pub fn compute(func: &Func, cfg: &Cfg, accesses: &Accesses) -> Self {
        Self::from_sites(func, cfg, &Sites::compute(func, cfg, accesses))
    }

    /// As [`compute`](Self::compute), where the sites are known. The time is that of writing down the sets.
    pub fn from_sites(func: &Func, cfg: &Cfg, sites: &Sites) -> Self {
        let mut blocks = LiveBlocks::new(func);
        let mut live = [(); 2].map(|()| Vec::with_capacity(4 * func.regs.len()));
        for reg in func.regs.keys() {
            blocks.walk(reg, sites, cfg, Some(&mut live));
        }
        let [live_in, live_out] = live.map(|pairs| Lists::new(func.blocks.len(), &pairs));
        Self { live_in, live_out }
    }

    /// Live at the start of the block.
    pub fn live_in(&self, block: Block) -> &[Reg] {
        self.live_in.get(block)
    }

    /// Live behind the block's terminator.
    pub fn live_out(&self, block: Block) -> &[Reg] {
        self.live_out.get(block)
    }

    pub fn is_live_in(&self, reg: Reg, block: Block) -> bool {
        self.live_in(block).binary_search(&reg).is_ok()
    }
}
