//! Where φs are: at the iterated dominance frontier of the writers of a register, where it is live.

use super::{Facts, Pin};
use crate::analysis::lists::{Lists, table};
use crate::analysis::sites::LiveBlocks;
use crate::ir::{Block, Func, Reg};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};

/// The registers that need a φ at the start of each block, in ascending order. Pins write.
pub(super) fn phis(func: &Func, facts: &Facts, pins: &[Pin]) -> Lists<Block, Reg> {
    let (cfg, sites) = (&facts.cfg, facts.sites(func));
    let frontiers = facts.dominators.frontiers(cfg);
    let pinned: Lists<Reg, Block> =
        Lists::new(func.regs.len(), &pins.iter().map(|pin| (pin.reg, pin.block)).collect::<Vec<_>>());
    let mut live = LiveBlocks::new(func);
    let mut phis = Vec::with_capacity(func.regs.len());
    let mut placed: SecondaryMap<Block, PackedOption<Reg>> = table(func.blocks.len());
    let mut work = Vec::with_capacity(func.blocks.len());
    for reg in func.regs.keys() {
        let pinned = pinned.get(reg);
        if sites.exposed(reg).is_empty() || pinned.is_empty() && facts.plain(sites, reg) {
            continue;
        }
        live.walk(reg, sites, cfg, None);
        work.extend(sites.writers(reg).chain(pinned.iter().copied()));
        if live.is_live_in(reg, cfg.entry) {
            work.push(cfg.entry);
        }
        while let Some(block) = work.pop() {
            for &join in frontiers.get(block) {
                if placed[join] != reg.into() && live.is_live_in(reg, join) {
                    placed[join] = reg.into();
                    phis.push((join, reg));
                    work.push(join);
                }
            }
        }
    }
    Lists::new(func.blocks.len(), &phis)
}
