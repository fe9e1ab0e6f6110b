//! Registers to spill before an interference graph is made: at every place some of those that are alive beyond what the files have.
//!
//! A graph of values of which thousands are alive together grows as the square of their number, and so does the time to colour it. Behind
//! this step a place has no more of them than registers, and the graph grows as the text.

use super::class::File;
use super::text::{Live, Sizes, Text};
use cranelift_entity::SecondaryMap;
use ptx::ir::{Block, Reg};
use std::collections::BTreeSet;

/// Returns the registers to spill, with their costs: where a place has too many, those with the least cost for the length of text that they
/// would take a register for. Those that are `kept` stay. None where a graph of all is small.
pub fn find(text: Text, kept: &BTreeSet<Reg>, sizes: Sizes) -> Vec<(Reg, f64)> {
    let ranges = ranges(text);
    let mut spilled = BTreeSet::new();
    if ranges.values().map(|range| u64::from(range.length)).sum::<u64>() <= SMALL {
        return Vec::new();
    }
    for block in &text.func.layout {
        let walk = Walk { text, ranges: &ranges, kept, sizes, spilled: &mut spilled, live: Live::default() };
        walk.block(*block);
    }
    spilled.into_iter().map(|reg| (reg, ranges[reg].cost)).collect()
}

/// Sum of the lengths of live ranges, which a graph has about as many edges as, up to which it is made of all of them: with it what to
/// spill is chosen better.
const SMALL: u64 = 1 << 21;

/// The live range of a register.
#[derive(Debug, Clone, Copy, Default)]
struct Range {
    /// Weighted accesses.
    cost: f64,
    /// Instructions at which it is alive.
    length: u32,
}

impl Range {
    /// The cost per length, as bits that are in the order of the numbers.
    fn price(self) -> u64 {
        (self.cost / f64::from(self.length.max(1))).to_bits()
    }
}

fn ranges(text: Text) -> SecondaryMap<Reg, Range> {
    let Text { func, accesses, liveness, .. } = text;
    let mut ranges: SecondaryMap<Reg, Range> = SecondaryMap::new();
    // one more than the place at which the range ends, while it lasts
    let mut ends: SecondaryMap<Reg, u32> = SecondaryMap::new();
    for block in &func.layout {
        let (data, weight) = (&func.blocks[*block], text.weight(*block));
        let last = data.insts.len() as u32 + 1;
        liveness.live_out(*block).iter().for_each(|reg| ends[*reg] = last);
        if let Some(reg) = data.terminator.condition() {
            ranges[reg].cost += weight;
            ends[reg] = last;
        }
        for (at, inst) in data.insts.iter().enumerate().rev() {
            let place = at as u32 + 1;
            for reg in accesses.writes(*inst) {
                ranges[*reg].cost += weight;
                ranges[*reg].length += std::mem::take(&mut ends[*reg]).max(place + 1) - place;
            }
            for reg in accesses.reads(*inst) {
                ranges[*reg].cost += weight;
                if ends[*reg] == 0 {
                    ends[*reg] = place;
                }
            }
        }
        liveness.live_in(*block).iter().for_each(|reg| ranges[*reg].length += std::mem::take(&mut ends[*reg]));
    }
    ranges
}

/// A walk through a block backwards.
struct Walk<'a> {
    text: Text<'a>,
    ranges: &'a SecondaryMap<Reg, Range>,
    kept: &'a BTreeSet<Reg>,
    sizes: Sizes,
    spilled: &'a mut BTreeSet<Reg>,
    live: Live,
}

/// Registers that are alive and may be spilled, the cheapest first, by file.
type Candidates = [BTreeSet<(u64, Reg)>; 2];

impl Walk<'_> {
    fn block(mut self, block: Block) {
        let Text { func, accesses, liveness, .. } = self.text;
        let mut candidates = Candidates::default();
        for reg in liveness.live_out(block) {
            if !self.spilled.contains(reg) {
                self.insert(*reg, &mut candidates);
            }
        }
        let condition = func.blocks[block].terminator.condition();
        condition.iter().for_each(|reg| self.insert(*reg, &mut candidates));
        self.relieve(condition.as_slice(), &mut candidates);
        self.leave(condition.as_slice());
        for inst in func.blocks[block].insts.iter().rev() {
            let (reads, writes) = accesses.reads_and_writes(*inst);
            writes.iter().for_each(|reg| self.insert(*reg, &mut candidates));
            self.relieve(writes, &mut candidates);
            writes.iter().for_each(|reg| self.remove(*reg, &mut candidates));
            reads.iter().for_each(|reg| self.insert(*reg, &mut candidates));
            self.relieve(reads, &mut candidates);
            self.leave(reads);
        }
    }

    fn insert(&mut self, reg: Reg, candidates: &mut Candidates) {
        let class = self.text.class(reg);
        if self.live.insert(reg, class) && !self.kept.contains(&reg) && !self.spilled.contains(&reg) {
            candidates[class.file as usize].insert((self.ranges[reg].price(), reg));
        }
    }

    fn remove(&mut self, reg: Reg, candidates: &mut Candidates) {
        let class = self.text.class(reg);
        if self.live.remove(reg, class) {
            candidates[class.file as usize].remove(&(self.ranges[reg].price(), reg));
        }
    }

    /// Spilled registers take a register at the instruction alone.
    fn leave(&mut self, reads: &[Reg]) {
        for reg in reads.iter().filter(|reg| self.spilled.contains(reg)) {
            self.live.remove(*reg, self.text.class(*reg));
        }
    }

    /// Spills until the files suffice, or nothing is left but what the instruction `needs`.
    fn relieve(&mut self, needs: &[Reg], candidates: &mut Candidates) {
        for file in [File::General, File::Predicate] {
            let of_file = &mut candidates[file as usize];
            while self.live.units.file(file) > self.sizes.file(file) {
                let Some(found) = of_file.iter().find(|(_, reg)| !needs.contains(reg)).copied() else { break };
                of_file.remove(&found);
                self.spilled.insert(found.1);
                self.live.remove(found.1, self.text.class(found.1));
            }
        }
    }
}
