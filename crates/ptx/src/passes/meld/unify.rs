//! Makes one register of two that are never alive together, so that melded instructions have common results and operands.

use super::facts::Facts;
use crate::analysis::lists::table;
use crate::ir::{Func, Reg};
use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;

/// Which registers become which, of the pairs that are wanted, in order as far as the ones before allow it.
pub fn unify(func: &Func, facts: &Facts, wanted: &[(Reg, Reg)]) -> BTreeMap<Reg, Reg> {
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    let mut members: Vec<Reg> = wanted.iter().flat_map(|(a, b)| [*a, *b]).collect();
    members.sort_unstable();
    members.dedup();
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
    members: usize,
    pairs: Vec<bool>,
}

impl Interference {
    fn compute(func: &Func, facts: &Facts, members: &[Reg]) -> Self {
        let mut positions = table(func.regs.len());
        members.iter().zip(0..).for_each(|(reg, member)| positions[*reg] = Some(member));
        let mut found = Self { positions, members: members.len(), pairs: vec![false; members.len() * members.len()] };
        // few members are alive at one place
        let insert = |found: &Self, live: &mut Vec<u32>, reg: Reg| {
            if let Some(member) = found.position(reg).filter(|member| !live.contains(member)) {
                live.push(member);
            }
        };
        let liveness = facts.liveness(func);
        let mut live = Vec::new();
        liveness.live_in(facts.cfg.entry).iter().for_each(|reg| insert(&found, &mut live, *reg));
        live.iter().for_each(|a| live.iter().for_each(|b| found.add(*a, *b)));
        let mut written = Vec::new();
        for block in &facts.cfg.order {
            let data = &func.blocks[*block];
            live.clear();
            liveness.live_out(*block).iter().for_each(|reg| insert(&found, &mut live, *reg));
            data.terminator.condition().iter().for_each(|reg| insert(&found, &mut live, *reg));
            for inst in data.insts.iter().rev() {
                let (reads, writes) = facts.accesses.reads_and_writes(*inst);
                written.clear();
                writes.iter().for_each(|reg| insert(&found, &mut written, *reg));
                for member in &written {
                    live.iter().chain(&written).for_each(|other| found.add(*member, *other));
                }
                live.retain(|member| !written.contains(member));
                reads.iter().for_each(|reg| insert(&found, &mut live, *reg));
            }
        }
        found
    }

    fn position(&self, reg: Reg) -> Option<u32> {
        self.positions[reg]
    }

    fn add(&mut self, a: u32, b: u32) {
        self.pairs[a as usize * self.members + b as usize] = true;
        self.pairs[b as usize * self.members + a as usize] = true;
    }

    /// Of two different members.
    fn holds(&self, a: u32, b: u32) -> bool {
        self.pairs[a as usize * self.members + b as usize]
    }
}
