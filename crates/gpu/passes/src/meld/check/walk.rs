//! Walks through pairs of blocks, one of each function, and compares what is done between branches.

use super::analyses::Analyses;
use super::change::{Change, Condition, Kind, Names, OffsetOperand, Violation};
use super::execute::{End, Thread};
use super::numbers::{Number, Numbers, Side, TRUE, What};
use cranelift_entity::SecondaryMap;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::lists::table;
use ptx::inst::Operand;
use ptx::ir::{Block, Reg};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Known conditions of melds, by their positions: whether they are true. Nothing is said of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Known {
    which: u64,
    values: u64,
}

impl Known {
    fn value(self, position: usize) -> Option<bool> {
        (self.which >> position & 1 == 1).then_some(self.values >> position & 1 == 1)
    }

    fn with(self, position: usize, value: bool) -> Self {
        Self { which: self.which | 1 << position, values: self.values | u64::from(value) << position }
    }

    fn only(self, which: u64) -> Self {
        Self { which: self.which & which, values: self.values & which }
    }
}

/// A block of each function, and what is known there.
type State = (Block, Block, Known);

/// Those behind a state.
type Next = SmallVec<[State; 2]>;

/// Two functions that are executed side by side.
pub struct Walk<'a> {
    change: &'a Change<'a>,
    names: &'a Names,
    analyses: &'a Analyses,
    /// The blocks of both functions that differ by the names of registers only.
    same: &'a SecondaryMap<Block, bool>,
    /// The conditions that matter at the start of each block of the second function.
    matter: SecondaryMap<Block, u64>,
    /// The conditions that do not matter any more from a block on.
    ended: SecondaryMap<Block, u64>,
    numbers: Numbers,
    /// The numbers of registers where both functions begin, once they were asked for.
    begins: SecondaryMap<Reg, Option<Number>>,
    first: Thread<'a>,
    second: Thread<'a>,
    /// The blocks of the second function that were executed.
    pub visited: SecondaryMap<Block, bool>,
}

impl<'a> Walk<'a> {
    pub fn new(
        change: &'a Change<'a>,
        names: &'a Names,
        analyses: &'a Analyses,
        same: &'a SecondaryMap<Block, bool>,
    ) -> Self {
        let func = change.after;
        // the conditions that a register belongs to
        let mut of: SecondaryMap<Reg, u64> = table(func.regs.len());
        let mut ended: SecondaryMap<Block, u64> = table(func.blocks.len());
        for (position, condition) in change.conditions.iter().enumerate() {
            for end in ends(&analyses.dominators, condition) {
                ended[end] |= 1 << position;
            }
            of[condition.pred] |= 1 << position;
            condition.selected.iter().for_each(|(reg, _)| of[*reg] |= 1 << position);
        }
        let mut matter: SecondaryMap<Block, u64> = table(func.blocks.len());
        for block in &func.layout {
            matter[*block] = analyses.liveness_after.live_in(*block).iter().fold(0, |all, reg| all | of[*reg]);
        }
        Self {
            change,
            names,
            analyses,
            same,
            matter,
            ended,
            numbers: Numbers::default(),
            begins: table(change.before.regs.len()),
            first: Thread::new(change.before, Side::Before),
            second: Thread::new(func, Side::After),
            visited: table(func.blocks.len()),
        }
    }

    pub fn run(&mut self) -> Result<(), Violation> {
        let starts = starts(self.change, &self.analyses.dominators);
        let mut work: Vec<State> = starts.iter().map(|start| (*start, *start, Known::default())).collect();
        let mut seen: SecondaryMap<Block, SmallVec<[(Block, Known); 2]>> = table(self.change.before.blocks.len());
        let before_changes = before_changes(&self.analyses.cfg, self.same, &starts);
        while let Some(state) = work.pop() {
            let (old, new, known) = state;
            let unchanged = old == new && !before_changes[old] && known == Known::default();
            if unchanged || seen[old].contains(&(new, known)) {
                continue;
            }
            seen[old].push((new, known));
            match self.behind_equal(state) {
                Some(next) => work.extend(next),
                None => work.extend(self.compare(state)?),
            }
        }
        Ok(())
    }

    /// The pairs behind a block that is in both functions and differs by names alone: from equal values it makes equal ones, so that it
    /// need not be executed. `None` where it matters how it branches.
    fn behind_equal(&mut self, (old, new, known): State) -> Option<Next> {
        if old != new || known != Known::default() || !self.same[new] || self.change.roots.contains(&old) {
            return None;
        }
        self.visited[new] = true;
        let targets = self.change.after.blocks[new].terminator.targets();
        Some(targets.into_iter().map(|target| (target, target, known)).collect())
    }

    /// Executes both functions from a pair of blocks to their next branches, and compares; the pairs behind the branches.
    fn compare(&mut self, (old, new, known): State) -> Result<Next, Violation> {
        let wrong = |kind| Violation { block: new, kind };
        self.start(old, known).map_err(wrong)?;
        let Self { numbers, first, second, same, matter, ended, .. } = self;
        // nothing that is known matters in a block that is as before
        let stop = |block: Block| same[block] && known.which & matter[block] & !ended[block] == 0;
        let at_once = old != new;
        let first = first.straight(numbers, old, at_once, stop);
        let second = second.straight(numbers, new, at_once, stop);
        second.way.iter().for_each(|block| self.visited[*block] = true);
        if first.accesses != second.accesses {
            return Err(wrong(Kind::Memory));
        }
        let known = second.way.iter().skip(1).fold(known, |known, block| known.only(!self.ended[*block]));
        let mut next = Next::new();
        match (&first.end, &second.end) {
            (End::Branch(a, a_then, a_otherwise), End::Branch(b, b_then, b_otherwise)) if a >> 1 == b >> 1 => {
                let [b_then, b_otherwise] = if a == b { [b_then, b_otherwise] } else { [b_otherwise, b_then] };
                next.push((*a_then, *b_then, self.knowledge(known, *a)));
                next.push((*a_otherwise, *b_otherwise, self.knowledge(known, *a ^ 1)));
            }
            (End::Table(a, targets), End::Table(b, others)) if a == b && targets.len() == others.len() => {
                next.extend(targets.iter().zip(others).map(|(a, b)| (*a, *b, self.knowledge(known, TRUE))));
            }
            (End::At(a), End::At(b)) if a == b => next.push((*a, *b, self.knowledge(known, TRUE))),
            (End::Ret, End::Ret) | (End::Exit, End::Exit) | (End::Endless, End::Endless) => {}
            _ => return Err(wrong(Kind::End)),
        }
        for (old, new, known) in &mut next {
            *known = known.only(self.matter[*new] & !self.ended[*new]);
            self.arrive(*old, *new, *known).map_err(wrong)?;
        }
        Ok(next)
    }

    /// Gives what the first function needs equal values in both, and what is known those that it has.
    fn start(&mut self, old: Block, known: Known) -> Result<(), Kind> {
        let Self { change, names, analyses, numbers, begins, first, second, .. } = self;
        first.regs.clear();
        second.regs.clear();
        let all = change.conditions.iter().enumerate();
        let conditions: SmallVec<[(&Condition, bool); 4]> =
            all.filter_map(|(position, condition)| Some((condition, known.value(position)?))).collect();
        let value = |holds: bool| TRUE ^ Number::from(!holds);
        for &reg in analyses.liveness.live_in(old) {
            let name = names.get(reg);
            let number = match conditions.iter().find(|(condition, _)| condition.pred == name) {
                Some((_, holds)) => value(*holds),
                None => *begins[reg].get_or_insert_with(|| numbers.number(What::Start(reg))),
            };
            first.regs.insert(reg, number);
            if second.regs.get(&name).is_some_and(|other| *other != number) {
                return Err(Kind::Value(reg));
            }
            second.regs.insert(name, number);
        }
        for (condition, holds) in &conditions {
            second.regs.insert(condition.pred, value(*holds));
        }
        for (condition, holds) in &conditions {
            for (reg, held) in &condition.selected {
                if let Some(number) = sum(change, numbers, held[usize::from(!holds)], &second.regs) {
                    second.regs.insert(*reg, number);
                }
            }
        }
        Ok(())
    }

    /// Returns the conditions that are known behind a branch that is taken where a predicate holds.
    fn knowledge(&self, before: Known, holds: Number) -> Known {
        let mut known = Known::default();
        for (position, condition) in self.change.conditions.iter().enumerate() {
            match self.second.regs.get(&condition.pred).copied() {
                Some(number) if number >> 1 == TRUE >> 1 && before.value(position).is_some() => {
                    known = known.with(position, number == TRUE);
                }
                Some(number) if number >> 1 == holds >> 1 && holds != TRUE => {
                    known = known.with(position, number == holds)
                }
                _ => {}
            }
        }
        known
    }

    /// Checks that the values which are needed behind a branch are equal.
    fn arrive(&mut self, old: Block, new: Block, known: Known) -> Result<(), Kind> {
        let Self { change, names, analyses, numbers, first, second, .. } = self;
        for reg in analyses.liveness.live_in(old) {
            // a register that neither has touched is as it was
            let (a, b) = (first.regs.get(reg), second.regs.get(&names.get(*reg)));
            if a.is_none() || a != b {
                return Err(Kind::Value(*reg));
            }
        }
        for (position, condition) in change.conditions.iter().enumerate() {
            let Some(holds) = known.value(position) else { continue };
            for (reg, held) in &condition.selected {
                let expected = sum(change, numbers, held[usize::from(!holds)], &second.regs);
                if analyses.liveness_after.is_live_in(*reg, new)
                    && expected.is_some()
                    && second.regs.get(reg).copied() != expected
                {
                    return Err(Kind::Value(*reg));
                }
            }
        }
        Ok(())
    }
}

/// The number of what a side of the meld holds in a selected register.
fn sum(
    change: &Change,
    numbers: &mut Numbers,
    (operand, offset): OffsetOperand,
    regs: &HashMap<Reg, Number>,
) -> Option<Number> {
    match operand {
        Operand::Imm(bits) if offset == 0 => Some(numbers.constant(bits)),
        Operand::Reg(reg) => {
            let number = *regs.get(&reg)?;
            Some(if offset == 0 { number } else { numbers.sum(number, offset, change.after.regs[reg]) })
        }
        _ => None,
    }
}

/// Where a condition matters no more: the ends of its regions that do not lie in another one of them.
fn ends<'a>(dominators: &'a Dominators, condition: &'a Condition) -> impl Iterator<Item = Block> + 'a {
    let behind = |first: Block, block: Block| dominators.dominates(first, block);
    let regions = condition.regions.iter();
    regions.clone().filter_map(|(_, end)| *end).filter(move |block| {
        let within = |(branch, end): &(Block, Option<Block>)| {
            behind(*branch, *block) && !end.is_some_and(|end| behind(end, *block))
        };
        !regions.clone().any(within)
    })
}

/// The roots that are not behind another one, through which all ways to them lead.
fn starts(change: &Change, dominators: &Dominators) -> Vec<Block> {
    let behind = |root: Block, other: Block| root != other && dominators.dominates(other, root);
    let mut starts: Vec<Block> = change.roots.to_vec();
    starts.retain(|root| !change.roots.iter().any(|other| behind(*root, *other)));
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// The starts, and the blocks from which others that differ can be reached without passing a start.
fn before_changes(cfg: &Cfg, same: &SecondaryMap<Block, bool>, starts: &[Block]) -> SecondaryMap<Block, bool> {
    let differs = |block: &&Block| !same[**block];
    let mut work: Vec<Block> = cfg.order.iter().filter(differs).copied().chain(starts.iter().copied()).collect();
    let mut found: SecondaryMap<Block, bool> = table(cfg.blocks());
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut found[block], true) && !starts.contains(&block) {
            work.extend(cfg.predecessors(block));
        }
    }
    found
}
