//! Makes one register of two that are never alive together, so that melded instructions have common results and operands.

use super::facts::Facts;
use crate::ir::{Func, Reg};
use cranelift_entity::EntitySet;
use std::collections::{BTreeMap, BTreeSet};

/// Which registers become which, of the pairs that are wanted, in order as far as the ones before allow it.
pub fn unify(func: &Func, facts: &Facts, wanted: &[(Reg, Reg)]) -> BTreeMap<Reg, Reg> {
    let members: BTreeSet<Reg> = wanted.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let interfering = interference(func, facts, &members);
    let mut classes: BTreeMap<Reg, Vec<Reg>> = members.iter().map(|reg| (*reg, vec![*reg])).collect();
    let mut of: BTreeMap<Reg, Reg> = members.iter().map(|reg| (*reg, *reg)).collect();
    for (a, b) in wanted {
        let (a, b) = (of[a], of[b]);
        let apart = |x: &Reg| classes[&b].iter().all(|y| !interfering.contains(&ordered(*x, *y)));
        if a == b || !classes[&a].iter().all(apart) {
            continue;
        }
        let (keeps, goes) = ordered(a, b);
        let gone = classes.remove(&goes).unwrap_or_default();
        gone.iter().for_each(|reg| _ = of.insert(*reg, keeps));
        classes.entry(keeps).or_default().extend(gone);
    }
    of.retain(|from, to| from != to);
    of
}

fn ordered(a: Reg, b: Reg) -> (Reg, Reg) {
    (a.min(b), a.max(b))
}

/// Pairs of members of which one is written while the other is alive, or that are both alive before anything is written.
fn interference(func: &Func, facts: &Facts, members: &BTreeSet<Reg>) -> BTreeSet<(Reg, Reg)> {
    let mut pairs = BTreeSet::new();
    let mut ours = EntitySet::with_capacity(func.regs.len());
    members.iter().for_each(|reg| _ = ours.insert(*reg));
    // few members are alive at one place
    let insert = |live: &mut Vec<Reg>, reg: Reg| {
        if ours.contains(reg) && !live.contains(&reg) {
            live.push(reg);
        }
    };
    let mut live = Vec::new();
    facts.liveness.live_in(facts.cfg.entry).iter().for_each(|reg| insert(&mut live, *reg));
    live.iter().for_each(|a| pairs.extend(live.iter().map(|b| ordered(*a, *b))));
    let mut written = Vec::new();
    for block in &facts.cfg.order {
        let data = &func.blocks[*block];
        live.clear();
        facts.liveness.live_out(*block).iter().for_each(|reg| insert(&mut live, *reg));
        data.terminator.condition().iter().for_each(|reg| insert(&mut live, *reg));
        for inst in data.insts.iter().rev() {
            let (reads, writes) = facts.accesses.reads_and_writes(*inst);
            written.clear();
            writes.iter().for_each(|reg| insert(&mut written, *reg));
            for reg in &written {
                let others = live.iter().chain(&written).filter(|other| *other != reg);
                pairs.extend(others.map(|other| ordered(*reg, *other)));
            }
            live.retain(|reg| !written.contains(reg));
            reads.iter().for_each(|reg| insert(&mut live, *reg));
        }
    }
    pairs
}
