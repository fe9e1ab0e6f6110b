//! Liveness of registers at the boundaries of blocks.

use super::access::Accesses;
use super::cfg::Cfg;
use crate::simt::ir::{Block, Func, Reg};
use cranelift_entity::SecondaryMap;

/// The registers whose value may still be read, in ascending order. A guarded result counts as read: lanes without the
/// guard keep the old value.
#[derive(Debug, Clone)]
pub struct Liveness {
    live_in: SecondaryMap<Block, Vec<Reg>>,
    live_out: SecondaryMap<Block, Vec<Reg>>,
}

impl Liveness {
    /// Walks from the reads of each register backwards to its writes; the time is that of writing down the sets.
    pub fn compute(func: &Func, cfg: &Cfg, accesses: &Accesses) -> Self {
        let mut exposed: SecondaryMap<Reg, Vec<Block>> = SecondaryMap::with_capacity(func.regs.len());
        let mut written: SecondaryMap<Reg, Vec<Block>> = SecondaryMap::with_capacity(func.regs.len());
        for block in &cfg.order {
            let data = &func.blocks[*block];
            let mut read = |reg: &Reg, written: &SecondaryMap<Reg, Vec<Block>>| {
                if written[*reg].last() != Some(block) && exposed[*reg].last() != Some(block) {
                    exposed[*reg].push(*block);
                }
            };
            for inst in &data.insts {
                accesses.reads(*inst).iter().for_each(|reg| read(reg, &written));
                for reg in accesses.writes(*inst) {
                    if written[*reg].last() != Some(block) {
                        written[*reg].push(*block);
                    }
                }
            }
            data.terminator.condition().iter().for_each(|reg| read(reg, &written));
        }
        let mut live_in: SecondaryMap<Block, Vec<Reg>> = SecondaryMap::with_capacity(func.blocks.len());
        let mut live_out: SecondaryMap<Block, Vec<Reg>> = SecondaryMap::with_capacity(func.blocks.len());
        let mut writer: SecondaryMap<Block, Option<Reg>> = SecondaryMap::with_capacity(func.blocks.len());
        let mut work = Vec::new();
        for reg in func.regs.keys() {
            written[reg].iter().for_each(|block| writer[*block] = Some(reg));
            work.append(&mut exposed[reg]);
            while let Some(block) = work.pop() {
                if live_in[block].last() == Some(&reg) {
                    continue;
                }
                live_in[block].push(reg);
                for from in cfg.predecessors(block) {
                    if live_out[*from].last() != Some(&reg) {
                        live_out[*from].push(reg);
                        if writer[*from] != Some(reg) {
                            work.push(*from);
                        }
                    }
                }
            }
        }
        Self { live_in, live_out }
    }

    /// Live at the start of the block.
    pub fn live_in(&self, block: Block) -> &[Reg] {
        &self.live_in[block]
    }

    /// Live behind the block's terminator.
    pub fn live_out(&self, block: Block) -> &[Reg] {
        &self.live_out[block]
    }

    pub fn is_live_in(&self, reg: Reg, block: Block) -> bool {
        self.live_in[block].binary_search(&reg).is_ok()
    }
}
