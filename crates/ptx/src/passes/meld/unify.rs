//! Makes one register of two that are never alive together, so that melded instructions have common results and operands.

use super::facts::Facts;
use crate::analysis::lists::{filled, table};
use crate::ir::{Block, Func, Reg};
use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};

/// Which registers become which, of the pairs that are wanted, in order as far as the ones before allow it. Each once, in ascending
/// order.
pub fn unify(func: &Func, facts: &Facts, wanted: &[(Reg, Reg)]) -> Vec<(Reg, Reg)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut chosen: SecondaryMap<Reg, bool> = table(func.regs.len());
    wanted.iter().for_each(|(a, b)| (chosen[*a], chosen[*b]) = (true, true));
    let members: Vec<Reg> = func.regs.keys().filter(|reg| chosen[*reg]).collect();
    let interfering = Interference::compute(func, facts, &members);
    // by positions among the members: who belongs to each class, and the class of each
    let mut classes: Vec<SmallVec<[u32; 4]>> = (0..members.len() as u32).map(|member| smallvec![member]).collect();
    let mut of: Vec<u32> = (0..members.len() as u32).collect();
    for (a, b) in wanted {
        let [a, b] = [a, b].map(|reg| of[interfering.position(*reg).expect("it is wanted") as usize]);
        let apart = |x: &u32| classes[b as usize].iter().all(|y| !interfering.holds(*x, *y));
        if a == b || !classes[a as usize].iter().all(apart) {
            continue;
        }
        let (keeps, goes) = (a.min(b), a.max(b));
        let gone = std::mem::take(&mut classes[goes as usize]);
        gone.iter().for_each(|member| of[*member as usize] = keeps);
        classes[keeps as usize].extend(gone);
    }
    let renames = members.iter().zip(&of).map(|(reg, class)| (*reg, members[*class as usize]));
    renames.filter(|(from, to)| from != to).collect()
}

/// Pairs of members of which one is written while the other is alive, or that are both alive before anything is written.
struct Interference {
    /// The position of each register among the members.
    positions: SecondaryMap<Reg, Option<u32>>,
    /// Of a set of members.
    words: usize,
    /// A set for each member: those that are alive where it is written.
    rows: Vec<u64>,
}

impl Interference {
    fn compute(func: &Func, facts: &Facts, members: &[Reg]) -> Self {
        let mut positions = table(func.regs.len());
        members.iter().zip(0..).for_each(|(reg, member)| positions[*reg] = Some(member));
        let words = members.len().div_ceil(64);
        let mut found = Self { positions, words, rows: filled(0, words * members.len()) };
        let liveness = facts.liveness(func);
        let mut live = filled(0, words);
        found.set(&mut live, liveness.live_in(facts.cfg.entry), true);
        for reg in liveness.live_in(facts.cfg.entry) {
            found.add(*reg, &live);
        }
        // elsewhere no member is written
        let mut writes: SecondaryMap<Block, bool> = table(func.blocks.len());
        members.iter().flat_map(|reg| facts.sites(func).writers(*reg)).for_each(|block| writes[block] = true);
        for block in facts.cfg.order.iter().filter(|block| writes[**block]) {
            let data = &func.blocks[*block];
            live.fill(0);
            found.set(&mut live, liveness.live_out(*block), true);
            found.set(&mut live, data.terminator.condition().as_slice(), true);
            for inst in data.insts.iter().rev() {
                let (reads, writes) = facts.accesses.reads_and_writes(*inst);
                // results are alive together behind the instruction
                found.set(&mut live, writes, true);
                writes.iter().for_each(|reg| found.add(*reg, &live));
                found.set(&mut live, writes, false);
                found.set(&mut live, reads, true);
            }
        }
        found
    }

    fn position(&self, reg: Reg) -> Option<u32> {
        self.positions[reg]
    }

    /// Puts the members among the registers into a set, or takes them out.
    fn set(&self, set: &mut [u64], regs: &[Reg], inside: bool) {
        for member in regs.iter().filter_map(|reg| self.position(*reg)) {
            let bit = 1 << (member % 64);
            let word = &mut set[member as usize / 64];
            *word = if inside { *word | bit } else { *word & !bit };
        }
    }

    /// The register is written where these are alive.
    fn add(&mut self, reg: Reg, live: &[u64]) {
        if let Some(member) = self.position(reg) {
            let row = &mut self.rows[member as usize * self.words..][..self.words];
            row.iter_mut().zip(live).for_each(|(row, live)| *row |= live);
        }
    }

    /// Of two different members.
    fn holds(&self, a: u32, b: u32) -> bool {
        let row = |of: u32, other: u32| self.rows[of as usize * self.words + other as usize / 64] >> (other % 64) & 1;
        row(a, b) | row(b, a) == 1
    }
}
