//! Walks through pairs of blocks, one of each function, and compares what is done between branches.

use super::execute::{End, Number, Numbers, Outcome, TRUE, Thread, What};
use super::{Change, Facts, Kind, Violation, named};
use crate::analysis::access::Accesses;
use crate::analysis::cfg::Cfg;
use crate::analysis::liveness::Liveness;
use crate::inst::Operand;
use crate::ir::{Block, Reg};
use crate::passes::meld::emit::Held;
use std::collections::{BTreeMap, BTreeSet};

/// A block of each function, and whether the condition of the meld holds where that is known.
type State = (Block, Block, Option<bool>);

/// Two functions that are executed side by side.
pub struct Walk<'a> {
    change: &'a Change<'a>,
    facts: &'a Facts,
    after: Liveness,
    numbers: Numbers,
    /// The blocks of the second function that were executed.
    pub visited: BTreeSet<Block>,
}

impl<'a> Walk<'a> {
    pub fn new(change: &'a Change<'a>, facts: &'a Facts) -> Self {
        let func = change.after;
        let after = Liveness::compute(func, &Cfg::compute(func), &Accesses::compute(func));
        Self { change, facts, after, numbers: Numbers::default(), visited: BTreeSet::new() }
    }

    pub fn run(&mut self) -> Result<(), Violation> {
        let mut work: Vec<State> = self.change.roots.iter().map(|root| (*root, *root, None)).collect();
        let mut seen = BTreeSet::new();
        let before_changes = before_changes(self.change, self.facts);
        while let Some(state) = work.pop() {
            let (old, new, holds) = state;
            let unchanged = old == new && !before_changes.contains(&old) && !self.needs_condition(new);
            if !seen.insert(state) || unchanged {
                continue;
            }
            match self.behind_equal(state) {
                Some(next) => work.extend(next),
                None => work.extend(self.compare(old, new, holds)?),
            }
        }
        Ok(())
    }

    /// The pairs behind a block that is in both functions and differs by names alone: from equal values it makes equal ones, so that it
    /// need not be executed. `None` where it matters whether the condition of the meld holds.
    fn behind_equal(&mut self, (old, new, holds): (Block, Block, Option<bool>)) -> Option<Vec<State>> {
        if old != new || holds.is_some() || !self.facts.same.contains(&new) || self.needs_condition(new) {
            return None;
        }
        let targets = self.change.after.blocks[new].terminator.targets();
        if targets.iter().any(|target| self.needs_condition(*target)) {
            return None;
        }
        self.visited.insert(new);
        Some(targets.into_iter().map(|target| (target, target, None)).collect())
    }

    /// Whether the condition of the meld is alive at the start of a block of the second function, or what follows from it.
    fn needs_condition(&self, block: Block) -> bool {
        let mut regs =
            self.change.selected.iter().map(|(reg, _)| *reg).chain(self.change.condition.map(|guard| guard.pred));
        regs.any(|reg| self.after.is_live_in(reg, block))
    }

    /// Executes both functions from a pair of blocks to their next branches, and compares; the pairs behind the branches.
    fn compare(&mut self, old: Block, new: Block, holds: Option<bool>) -> Result<Vec<State>, Violation> {
        let wrong = |kind| Violation { block: new, kind };
        let (mut first, mut second) = (BTreeMap::new(), BTreeMap::new());
        let known = self.change.condition.zip(holds).map(|(guard, holds)| (guard.pred, holds ^ guard.negate));
        for &reg in self.facts.liveness.live_in(old) {
            let name = named(self.change, reg);
            let number = match known {
                Some((pred, holds)) if pred == name => TRUE ^ Number::from(!holds),
                _ => self.numbers.of(What::Start(reg)),
            };
            first.insert(reg, number);
            if second.insert(name, number).is_some_and(|other| other != number) {
                return Err(wrong(Kind::Value(reg)));
            }
        }
        if let Some((pred, holds)) = known {
            second.insert(pred, TRUE ^ Number::from(!holds));
        }
        for (reg, held) in self.change.selected.iter().filter(|_| holds.is_some()) {
            if let Some(number) = self.held(held[usize::from(holds == Some(false))], &second) {
                second.insert(*reg, number);
            }
        }
        let (before, after, numbers) = (self.change.before, self.change.after, &mut self.numbers);
        let first = Thread { func: before, who: "old", numbers }.straight(old, first);
        let second = Thread { func: after, who: "new", numbers: &mut self.numbers }.straight(new, second);
        self.visited.extend(&second.way);
        if first.accesses != second.accesses {
            return Err(wrong(Kind::Memory));
        }
        let mut next = Vec::new();
        match (&first.end, &second.end) {
            (End::Branch(a, a_then, a_otherwise), End::Branch(b, b_then, b_otherwise)) if a >> 1 == b >> 1 => {
                let [b_then, b_otherwise] = if a == b { [b_then, b_otherwise] } else { [b_otherwise, b_then] };
                next.push((*a_then, *b_then, self.knowledge(&second, *a)));
                next.push((*a_otherwise, *b_otherwise, self.knowledge(&second, *a ^ 1)));
            }
            (End::Table(a, targets), End::Table(b, others)) if a == b && targets.len() == others.len() => {
                next.extend(targets.iter().zip(others).map(|(a, b)| (*a, *b, self.knowledge(&second, TRUE))));
            }
            (a, b) if a == b && !matches!(a, End::Branch(..) | End::Table(..)) => {}
            _ => return Err(wrong(Kind::End)),
        }
        for (old, new, holds) in &mut next {
            if !self.needs_condition(*new) {
                *holds = None;
            }
            self.arrive(&first, &second, *old, *new, *holds).map_err(wrong)?;
        }
        Ok(next)
    }

    /// Whether the condition of the meld holds where a predicate does.
    fn knowledge(&self, outcome: &Outcome, holds: Number) -> Option<bool> {
        let guard = self.change.condition?;
        let number = outcome.regs.get(&guard.pred)? ^ Number::from(guard.negate);
        match number {
            _ if number >> 1 == TRUE >> 1 => Some(number == TRUE),
            _ if number >> 1 == holds >> 1 => Some(number == holds),
            _ => None,
        }
    }

    /// What is needed behind a branch has equal values.
    fn arrive(
        &mut self,
        first: &Outcome,
        second: &Outcome,
        old: Block,
        new: Block,
        holds: Option<bool>,
    ) -> Result<(), Kind> {
        for reg in self.facts.liveness.live_in(old) {
            // what neither has touched is as it was
            let (a, b) = (first.regs.get(reg), second.regs.get(&named(self.change, *reg)));
            if a.is_none() || a != b {
                return Err(Kind::Value(*reg));
            }
        }
        for (reg, held) in self.change.selected.iter().filter(|_| holds.is_some()) {
            let expected = self.held(held[usize::from(holds == Some(false))], &second.regs);
            if self.after.is_live_in(*reg, new) && expected.is_some() && second.regs.get(reg).copied() != expected {
                return Err(Kind::Value(*reg));
            }
        }
        Ok(())
    }

    /// The number of a sum.
    fn held(&mut self, (operand, offset): Held, regs: &BTreeMap<Reg, Number>) -> Option<Number> {
        match operand {
            Operand::Imm(bits) if offset == 0 => Some(self.numbers.constant(bits)),
            Operand::Reg(reg) => {
                let number = *regs.get(&reg)?;
                let ty = self.change.after.regs[reg];
                Some(if offset == 0 { number } else { self.numbers.sum(number, offset, ty) })
            }
            _ => None,
        }
    }
}

/// The roots, and the blocks from which others that differ can be reached without passing a root.
fn before_changes(change: &Change, Facts { cfg, same, .. }: &Facts) -> BTreeSet<Block> {
    let differs = |block: &&Block| !same.contains(block);
    let mut work: Vec<Block> = cfg.order.iter().filter(differs).copied().chain(change.roots.iter().copied()).collect();
    let mut found = BTreeSet::new();
    while let Some(block) = work.pop() {
        if found.insert(block) && !change.roots.contains(&block) {
            work.extend(cfg.predecessors(block));
        }
    }
    found
}
