//! Spill code that can be left out. A read needs no reload where its value is still in the register of the access before, as long as there is
//! room for it from there on; a write needs no store where nothing loads its value.

use super::class::File;
use super::spill_location::{Row, SpillLocation};
use super::text::{Live, Sizes, Text};
use cranelift_entity::SecondaryMap;
use ptx::ir::{Block, Reg};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// Registers by the positions in a block of the instructions that access them; the terminator is behind the last one.
type Places = BTreeSet<(u32, Reg)>;

/// Loads and stores that spill code leaves out in one block.
#[derive(Debug, Clone, Default)]
pub struct Spared {
    /// Reads without a reload.
    pub loads: Places,
    /// Writes without a store: nothing reads the slot before it is written again.
    pub stores: Places,
}

/// Finds where spilled registers keep their values up to the next read, in files of these sizes: over short distances first.
pub fn find(text: Text, spilled: &BTreeMap<Reg, SpillLocation>, sizes: Sizes) -> SecondaryMap<Block, Spared> {
    let mut spared: SecondaryMap<Block, Spared> = SecondaryMap::new();
    for block in &text.func.layout {
        let mut walk = Walk { text, spilled, places: Vec::new(), accesses: BTreeMap::new() };
        walk.block(*block);
        if !walk.accesses.is_empty() {
            let loads = walk.keep(sizes);
            spared[*block] = Spared { stores: walk.unread(text.liveness.live_out(*block), &loads), loads };
        }
    }
    spared
}

/// An access of a spilled register.
#[derive(Debug, Clone, Copy)]
struct Access {
    at: u32,
    read: bool,
    write: bool,
}

/// The time between two accesses of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gap {
    /// The value need not come from memory.
    computed: bool,
    length: u32,
    from: u32,
    reg: Reg,
    written: bool,
}

/// A block with two places for each instruction: in front of its reads, and behind its writes.
struct Walk<'a> {
    text: Text<'a>,
    spilled: &'a BTreeMap<Reg, SpillLocation>,
    /// Units that are taken at each place.
    places: Vec<Sizes>,
    /// The accesses of each spilled register, the last one first.
    accesses: BTreeMap<Reg, Vec<Access>>,
}

impl Walk<'_> {
    /// Counts the units, and finds the accesses.
    fn block(&mut self, block: Block) {
        let Text { func, accesses, liveness, .. } = self.text;
        let data = &func.blocks[block];
        let mut live = Live::default();
        let mut places = Vec::with_capacity(2 * data.insts.len() + 1);
        let spilled = self.spilled;
        let is_spilled = |reg: &Reg| spilled.contains_key(reg);
        let leaving = liveness.live_out(block).iter().copied().chain(data.terminator.condition());
        leaving.filter(|reg| !is_spilled(reg)).for_each(|reg| _ = live.insert(reg, self.text.class(reg)));
        places.push(live.units);
        let end = data.insts.len() as u32;
        if let Some(reg) = data.terminator.condition().filter(is_spilled) {
            places[0].add(self.text.class(reg));
            self.access(reg, end, false);
        }
        for (at, inst) in data.insts.iter().enumerate().rev() {
            let (reads, writes) = accesses.reads_and_writes(*inst);
            for (write, regs) in [(true, writes), (false, reads)] {
                let mut alone: SmallVec<[Reg; 4]> = SmallVec::new();
                for reg in regs {
                    if !is_spilled(reg) {
                        _ = live.insert(*reg, self.text.class(*reg));
                    } else if !alone.contains(reg) {
                        alone.push(*reg);
                    }
                }
                let mut units = live.units;
                alone.iter().for_each(|reg| units.add(self.text.class(*reg)));
                places.push(units);
                alone.into_iter().for_each(|reg| self.access(reg, at as u32, write));
                if write {
                    writes.iter().for_each(|reg| _ = live.remove(*reg, self.text.class(*reg)));
                }
            }
        }
        places.reverse();
        self.places = places;
    }

    fn access(&mut self, reg: Reg, at: u32, write: bool) {
        let list = self.accesses.entry(reg).or_default();
        match list.last_mut().filter(|access| access.at == at) {
            Some(access) => access.read |= !write,
            None => list.push(Access { at, read: !write, write }),
        }
    }

    fn keep(&mut self, sizes: Sizes) -> Places {
        let mut gaps = Vec::new();
        for (reg, accesses) in &self.accesses {
            for pair in accesses.windows(2).filter(|pair| pair[0].read) {
                let (next, before) = (pair[0], pair[1]);
                let computed = matches!(self.spilled[reg].row(), Row::Constant | Row::Affine);
                let (length, from) = (next.at - before.at, before.at);
                gaps.push(Gap { computed, length, from, reg: *reg, written: before.write });
            }
        }
        gaps.sort_unstable();
        let mut kept = BTreeSet::new();
        for Gap { length, from, reg, written, .. } in gaps {
            let class = self.text.class(reg);
            // the accesses have registers of their own already
            let first = 2 * from + if written { 2 } else { 1 };
            let between = &mut self.places[first as usize..2 * (from + length) as usize];
            let room = sizes.file(class.file);
            if between.iter().all(|taken| taken.file(class.file) + class.units <= room) {
                between.iter_mut().for_each(|taken| taken.add(class));
                kept.insert((from + length, reg));
            }
        }
        kept
    }
    /// The writes whose slots are written again, or not needed any more, before a load.
    fn unread(&self, leaving: &[Reg], loads: &Places) -> Places {
        let mut unread = Places::new();
        for (reg, accesses) in &self.accesses {
            let mut needed = leaving.binary_search(reg).is_ok();
            for access in accesses {
                if access.write && !needed {
                    unread.insert((access.at, *reg));
                }
                let is_loaded = access.read && !loads.contains(&(access.at, *reg));
                needed = is_loaded || (needed && !access.write);
            }
        }
        unread
    }
}

/// The sizes with room left for what spill code computes with, and for gaps between wide values.
pub fn room(sizes: Sizes) -> Sizes {
    let less = |file: File, spare: u32| sizes.file(file).saturating_sub(spare);
    Sizes { general: less(File::General, SPARE), predicates: less(File::Predicate, 1) }
}

const SPARE: u32 = 6;
