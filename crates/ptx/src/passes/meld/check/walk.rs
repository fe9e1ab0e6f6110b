//! Walks through pairs of blocks, one of each function, and compares what is done between branches.

use super::alive::Alive;
use super::execute::{End, Number, Numbers, Side, TRUE, Thread, What};
use super::registers::Registers;
use super::{Change, Kind, Violation, named};
use crate::analysis::lists::table;
use crate::inst::Operand;
use crate::ir::Block;
use crate::passes::meld::emit::Held;
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// A block of each function, and whether the condition of the meld holds where that is known.
type State = (Block, Block, Option<bool>);

/// Two functions that are executed side by side.
pub struct Walk<'a> {
    change: &'a Change<'a>,
    /// The blocks of both functions that differ by the names of registers only.
    same: &'a SecondaryMap<Block, bool>,
    /// The condition of the meld and the selected registers, which follow from it, in the second function.
    alive: Alive,
    numbers: Numbers,
    first: Thread<'a>,
    second: Thread<'a>,
    /// The blocks of the second function that were executed.
    pub visited: SecondaryMap<Block, bool>,
}

impl<'a> Walk<'a> {
    pub fn new(change: &'a Change<'a>, same: &'a SecondaryMap<Block, bool>) -> Self {
        let func = change.after;
        let condition = change.condition.iter().map(|guard| guard.pred);
        let alive = Alive::compute(func, condition.chain(change.selected.iter().map(|(reg, _)| *reg)));
        Self {
            change,
            same,
            alive,
            numbers: Numbers::with_capacity(2 * func.insts.len()),
            first: Thread::new(change.before, Side::Before),
            second: Thread::new(func, Side::After),
            visited: table(func.blocks.len()),
        }
    }

    pub fn run(&mut self) -> Result<(), Violation> {
        let mut work: Vec<State> = self.change.roots.iter().map(|root| (*root, *root, None)).collect();
        let mut seen = BTreeSet::new();
        let before_changes = before_changes(self.change, self.same);
        while let Some(state) = work.pop() {
            let (old, new, holds) = state;
            let unchanged = old == new && !before_changes[old] && !self.alive.any(new);
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
        if old != new || holds.is_some() || !self.same[new] || self.alive.any(new) {
            return None;
        }
        let targets = self.change.after.blocks[new].terminator.targets();
        if targets.iter().any(|target| self.alive.any(*target)) {
            return None;
        }
        self.visited[new] = true;
        Some(targets.into_iter().map(|target| (target, target, None)).collect())
    }

    /// Executes both functions from a pair of blocks to their next branches, and compares; the pairs behind the branches.
    fn compare(&mut self, old: Block, new: Block, holds: Option<bool>) -> Result<Vec<State>, Violation> {
        let wrong = |kind| Violation { block: new, kind };
        let Self { change, numbers, first, second, .. } = self;
        first.regs.forget();
        second.regs.forget();
        let known = change.condition.zip(holds).map(|(guard, holds)| (guard.pred, holds ^ guard.negate));
        for &reg in change.liveness().live_in(old) {
            let name = named(change, reg);
            let number = match known {
                Some((pred, holds)) if pred == name => TRUE ^ Number::from(!holds),
                _ => numbers.of(What::Start(reg)),
            };
            first.regs.set(reg, number);
            if second.regs.get(name).is_some_and(|other| other != number) {
                return Err(wrong(Kind::Value(reg)));
            }
            second.regs.set(name, number);
        }
        if let Some((pred, holds)) = known {
            second.regs.set(pred, TRUE ^ Number::from(!holds));
        }
        for (reg, held) in change.selected.iter().filter(|_| holds.is_some()) {
            if let Some(number) = sum(change, numbers, held[usize::from(holds == Some(false))], &second.regs) {
                second.regs.set(*reg, number);
            }
        }
        let first = first.straight(numbers, old);
        let second = second.straight(numbers, new);
        second.way.iter().for_each(|block| self.visited[*block] = true);
        if first.accesses != second.accesses {
            return Err(wrong(Kind::Memory));
        }
        let mut next = Vec::new();
        match (&first.end, &second.end) {
            (End::Branch(a, a_then, a_otherwise), End::Branch(b, b_then, b_otherwise)) if a >> 1 == b >> 1 => {
                let [b_then, b_otherwise] = if a == b { [b_then, b_otherwise] } else { [b_otherwise, b_then] };
                next.push((*a_then, *b_then, self.knowledge(*a)));
                next.push((*a_otherwise, *b_otherwise, self.knowledge(*a ^ 1)));
            }
            (End::Table(a, targets), End::Table(b, others)) if a == b && targets.len() == others.len() => {
                next.extend(targets.iter().zip(others).map(|(a, b)| (*a, *b, self.knowledge(TRUE))));
            }
            (a, b) if a == b && !matches!(a, End::Branch(..) | End::Table(..)) => {}
            _ => return Err(wrong(Kind::End)),
        }
        for (old, new, holds) in &mut next {
            if !self.alive.any(*new) {
                *holds = None;
            }
            self.arrive(*old, *new, *holds).map_err(wrong)?;
        }
        Ok(next)
    }

    /// Whether the condition of the meld holds where a predicate does.
    fn knowledge(&self, holds: Number) -> Option<bool> {
        let guard = self.change.condition?;
        let number = self.second.regs.get(guard.pred)? ^ Number::from(guard.negate);
        match number {
            _ if number >> 1 == TRUE >> 1 => Some(number == TRUE),
            _ if number >> 1 == holds >> 1 => Some(number == holds),
            _ => None,
        }
    }

    /// What is needed behind a branch has equal values.
    fn arrive(&mut self, old: Block, new: Block, holds: Option<bool>) -> Result<(), Kind> {
        let Self { change, numbers, first, second, alive, .. } = self;
        for reg in change.liveness().live_in(old) {
            // what neither has touched is as it was
            let (a, b) = (first.regs.get(*reg), second.regs.get(named(change, *reg)));
            if a.is_none() || a != b {
                return Err(Kind::Value(*reg));
            }
        }
        for (reg, held) in change.selected.iter().filter(|_| holds.is_some()) {
            let expected = sum(change, numbers, held[usize::from(holds == Some(false))], &second.regs);
            if alive.at(*reg, new) && expected.is_some() && second.regs.get(*reg) != expected {
                return Err(Kind::Value(*reg));
            }
        }
        Ok(())
    }
}

/// The number of what a side of the meld holds in a selected register.
fn sum(change: &Change, numbers: &mut Numbers, (operand, offset): Held, regs: &Registers) -> Option<Number> {
    match operand {
        Operand::Imm(bits) if offset == 0 => Some(numbers.constant(bits)),
        Operand::Reg(reg) => {
            let number = regs.get(reg)?;
            Some(if offset == 0 { number } else { numbers.sum(number, offset, change.after.regs[reg]) })
        }
        _ => None,
    }
}

/// The roots, and the blocks from which others that differ can be reached without passing a root.
fn before_changes(change: &Change, same: &SecondaryMap<Block, bool>) -> SecondaryMap<Block, bool> {
    let cfg = &change.facts.cfg;
    let differs = |block: &&Block| !same[**block];
    let mut work: Vec<Block> = cfg.order.iter().filter(differs).copied().chain(change.roots.iter().copied()).collect();
    let mut found: SecondaryMap<Block, bool> = table(change.before.blocks.len());
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut found[block], true) && !change.roots.contains(&block) {
            work.extend(cfg.predecessors(block));
        }
    }
    found
}
