//! Makes one register of two that are never alive together, so that melded instructions have common results and operands.

use super::facts::Facts;
use ptx::ir::{Block, Func, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the registers that become others, by the pairs that are wanted, in order as far as the ones before allow it. Each once, in
/// ascending order.
pub fn unify(func: &Func, facts: &Facts, wanted: &[(Reg, Reg)]) -> Vec<(Reg, Reg)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let members: BTreeSet<Reg> = wanted.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let interfering = Interference::compute(func, facts, &members);
    // the register that stands for each class, and who belongs to it
    let mut of: BTreeMap<Reg, Reg> = members.iter().map(|member| (*member, *member)).collect();
    let mut classes: BTreeMap<Reg, Vec<Reg>> = members.iter().map(|member| (*member, vec![*member])).collect();
    for (a, b) in wanted {
        let (a, b) = pair(of[a], of[b]);
        let apart = |x: &Reg| classes[&b].iter().all(|y| !interfering.holds(*x, *y));
        if a == b || !classes[&a].iter().all(apart) {
            continue;
        }
        let gone = classes.remove(&b).unwrap_or_default();
        gone.iter().for_each(|member| _ = of.insert(*member, a));
        classes.entry(a).or_default().extend(gone);
    }
    of.into_iter().filter(|(from, to)| from != to).collect()
}

/// Pairs of members, the smaller first, of which one is written while the other is alive, or that are both alive before anything is
/// written.
struct Interference(BTreeSet<(Reg, Reg)>);

impl Interference {
    fn compute(func: &Func, facts: &Facts, members: &BTreeSet<Reg>) -> Self {
        let mut found = Self(BTreeSet::new());
        let liveness = facts.liveness(func);
        let among =
            |regs: &[Reg]| -> BTreeSet<Reg> { regs.iter().copied().filter(|reg| members.contains(reg)).collect() };
        let first = among(liveness.live_in(facts.cfg.entry));
        first.iter().for_each(|reg| found.add(*reg, &first));
        // elsewhere no member is written
        let writes: BTreeSet<Block> = members.iter().flat_map(|reg| facts.sites(func).writers(*reg)).collect();
        for block in writes {
            let data = &func.blocks[block];
            let mut live = among(liveness.live_out(block));
            live.append(&mut among(data.terminator.condition().as_slice()));
            for inst in data.insts.iter().rev() {
                let (reads, writes) = facts.accesses.reads_and_writes(*inst);
                // results are alive together behind the instruction
                let written = among(writes);
                live.extend(&written);
                written.iter().for_each(|reg| found.add(*reg, &live));
                live.retain(|reg| !written.contains(reg));
                live.append(&mut among(reads));
            }
        }
        found
    }

    /// The register is written where these are alive.
    fn add(&mut self, reg: Reg, live: &BTreeSet<Reg>) {
        self.0.extend(live.iter().map(|other| pair(reg, *other)));
    }

    /// Whether two different members interfere.
    fn holds(&self, a: Reg, b: Reg) -> bool {
        self.0.contains(&pair(a, b))
    }
}

fn pair(a: Reg, b: Reg) -> (Reg, Reg) {
    (a.min(b), a.max(b))
}
