//! Checks that a meld, or another change of blocks, does for every thread what was there before. It shares no code with the
//! decision and the application: it executes both functions symbolically, side by side.
//!
//! Values are numbers: two computations have one number if they apply one operation to equal values. A state is a pair of
//! blocks, one of each function, and what is known of the condition of the meld. Between two branches whose condition is not
//! known both functions run straight on. There it must hold that
//!
//! - both have accessed memory in the same way, in the same order, with equal addresses and values;
//! - both branch on equal conditions, or both end;
//! - every register that the first function needs from there on has, by its new name, an equal value in the second.
//!
//! The walk begins at the changed blocks and ends at blocks that are as before and where the condition is needed no more.
//! Elsewhere the functions differ by the names of registers only, and no two registers that are alive together have one name.

use super::emit::Held;
use crate::analysis::access::Accesses;
use crate::analysis::cfg::Cfg;
use crate::analysis::liveness::Liveness;
use crate::inst::{Address, Base, BinaryOp, BoolOp, Cmp, Guard, InstData, Op, Operand, Terminator, Type, UnaryOp};
use crate::ir::{Block, Func, Inst, Reg};
use crate::visit::{Part, PartMut};
use cranelift_entity::EntityRef;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

/// A changed function beside the one that it was made from.
pub struct Change<'a> {
    pub before: &'a Func,
    pub after: &'a Func,
    /// New names of registers; the others keep theirs.
    pub renames: &'a BTreeMap<Reg, Reg>,
    /// Blocks of both functions from which on they may differ.
    pub roots: &'a [Block],
    /// What holds on one side of the meld.
    pub condition: Option<Guard>,
    /// New registers that hold one sum where the condition holds and another where it does not.
    pub selected: &'a [(Reg, [Held; 2])],
}

/// What is wrong, and from which block on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub block: Block,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Memory is accessed differently.
    Memory,
    /// The ways lead to different ends, or depend on different conditions.
    End,
    /// A register does not have the value that is needed later.
    Value(Reg),
    /// Two registers that are alive together have one name.
    Names(Reg, Reg),
    /// A block differs that no change accounts for.
    Elsewhere,
    /// An instruction that concerns several threads was added, removed or changed.
    Convergent,
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let block = self.block;
        match self.kind {
            Kind::Memory => write!(f, "from {block} on memory is accessed differently"),
            Kind::End => write!(f, "from {block} on the ways lead elsewhere"),
            Kind::Value(reg) => write!(f, "from {block} on {reg} gets another value"),
            Kind::Names(a, b) => write!(f, "in {block} {a} and {b} have one name"),
            Kind::Elsewhere => write!(f, "{block} was changed without a reason"),
            Kind::Convergent => write!(f, "in {block} what threads do together was changed"),
        }
    }
}

/// Compares both functions.
pub fn check(change: &Change) -> Result<(), Violation> {
    names(change)?;
    convergent(change)?;
    let mut walk = Walk::new(change);
    walk.run()?;
    elsewhere(change, &walk.visited)
}

fn named(change: &Change, reg: Reg) -> Reg {
    change.renames.get(&reg).copied().unwrap_or(reg)
}

/// Registers that are alive together have different names, in every block of the first function.
fn names(change: &Change) -> Result<(), Violation> {
    if change.renames.is_empty() {
        return Ok(());
    }
    let func = change.before;
    let cfg = Cfg::compute(func);
    let accesses = Accesses::compute(func);
    let liveness = Liveness::compute(func, &cfg, &accesses);
    // the registers of each shared name
    let mut shared: BTreeMap<Reg, BTreeSet<Reg>> = BTreeMap::new();
    for (from, to) in change.renames {
        shared.entry(*to).or_default().extend([*from, *to]);
    }
    let others = |reg: Reg| shared.get(&named(change, reg)).into_iter().flatten().copied().filter(move |o| *o != reg);
    for block in &cfg.order {
        let mut live: BTreeSet<Reg> = liveness.live_out(*block).iter().copied().collect();
        live.extend(func.blocks[*block].terminator.condition());
        let clash = |written: &[Reg], live: &BTreeSet<Reg>| {
            let mut pairs = written.iter().flat_map(|reg| others(*reg).map(|other| (*reg, other)));
            pairs.find(|(reg, other)| live.contains(other) || written.contains(other) && reg != other)
        };
        let found = |(a, b)| Violation { block: *block, kind: Kind::Names(a, b) };
        for inst in func.blocks[*block].insts.iter().rev() {
            let (reads, writes) = accesses.reads_and_writes(*inst);
            if let Some(pair) = clash(writes, &live) {
                return Err(found(pair));
            }
            writes.iter().for_each(|reg| _ = live.remove(reg));
            live.extend(reads);
        }
        if *block == cfg.entry
            && let Some(pair) = clash(&live.iter().copied().collect::<Vec<_>>(), &BTreeSet::new())
        {
            return Err(found(pair));
        }
    }
    Ok(())
}

/// Whether an instruction concerns several threads, so that it must stay where it is.
fn is_convergent(op: &Op) -> bool {
    matches!(
        op,
        Op::Shfl { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::Mma { .. }
            | Op::Activemask { .. }
            | Op::Bar { .. }
            | Op::BarRed { .. }
            | Op::BarWarp { .. }
            | Op::Call { .. }
            | Op::Opaque { .. }
    )
}

/// The same instructions that concern several threads stand in both functions, each once and with the same guard.
fn convergent(change: &Change) -> Result<(), Violation> {
    let all = |func: &Func| -> BTreeMap<Inst, (Block, Option<Guard>)> {
        let insts = func.layout.iter().flat_map(|block| func.blocks[*block].insts.iter().map(|inst| (*inst, *block)));
        let convergent = insts.filter(|(inst, _)| is_convergent(&func.insts[*inst].op));
        convergent.map(|(inst, block)| (inst, (block, func.insts[inst].guard))).collect()
    };
    let (before, after) = (all(change.before), all(change.after));
    for (inst, (block, guard)) in &before {
        let guard = guard.map(|guard| Guard { pred: named(change, guard.pred), ..guard });
        if after.get(inst).is_none_or(|(_, new)| *new != guard) {
            return Err(Violation { block: *block, kind: Kind::Convergent });
        }
    }
    match after.iter().find(|(inst, _)| !before.contains_key(inst)) {
        Some((_, (block, _))) => Err(Violation { block: *block, kind: Kind::Convergent }),
        None => Ok(()),
    }
}

/// Blocks that were not visited are as before.
fn elsewhere(change: &Change, visited: &BTreeSet<Block>) -> Result<(), Violation> {
    let placed: BTreeSet<Block> = change.before.layout.iter().copied().collect();
    let mut kept = change.after.layout.iter().filter(|block| placed.contains(block) && !visited.contains(block));
    match kept.find(|block| !is_same(change, **block)) {
        Some(block) => Err(Violation { block: *block, kind: Kind::Elsewhere }),
        None => Ok(()),
    }
}

/// The roots, and the blocks from which others that differ can be reached without passing a root.
fn before_changes(change: &Change) -> BTreeSet<Block> {
    let cfg = Cfg::compute(change.before);
    let kept: BTreeSet<Block> = change.after.layout.iter().copied().collect();
    let differs = |block: &&Block| !kept.contains(block) || !is_same(change, **block);
    let mut work: Vec<Block> = cfg.order.iter().filter(differs).copied().chain(change.roots.iter().copied()).collect();
    let mut found = BTreeSet::new();
    while let Some(block) = work.pop() {
        if found.insert(block) && !change.roots.contains(&block) {
            work.extend(cfg.predecessors(block));
        }
    }
    found
}

/// Whether a block of both functions differs by the names of registers only.
fn is_same(change: &Change, block: Block) -> bool {
    let (old, new) = (&change.before.blocks[block], &change.after.blocks[block]);
    let mut terminator = old.terminator.clone();
    if let Some(reg) = terminator.condition_mut() {
        *reg = named(change, *reg);
    }
    let insts = old.insts.iter().zip(&new.insts);
    old.insts.len() == new.insts.len()
        && terminator == new.terminator
        && insts.into_iter().all(|(old, new)| {
            let mut data = change.before.insts[*old].clone();
            if let Some(guard) = &mut data.guard {
                guard.pred = named(change, guard.pred);
            }
            data.op.parts_mut(|part| match part {
                PartMut::Def(reg)
                | PartMut::Use(reg)
                | PartMut::Touch(reg)
                | PartMut::Read(Operand::Reg(reg))
                | PartMut::At(Address { base: Base::Reg(reg), .. }) => *reg = named(change, *reg),
                PartMut::Read(_) | PartMut::At(_) | PartMut::Pass(_) => {}
            });
            data == change.after.insts[*new]
        })
}

/// The number of a value; of a predicate twice that, and one more for its negation.
type Number = u32;

/// Numbers of values by what they are.
#[derive(Default)]
struct Numbers {
    known: BTreeMap<String, Number>,
    constants: BTreeMap<Number, u64>,
    /// Sums of another value and a constant.
    sums: BTreeMap<Number, (Number, i64)>,
}

impl Numbers {
    fn of(&mut self, what: String) -> Number {
        let next = 2 * self.known.len() as Number + 2;
        *self.known.entry(what).or_insert(next)
    }

    fn constant(&mut self, bits: u64) -> Number {
        let number = self.of(format!("constant {bits:x}"));
        self.constants.insert(number, bits);
        number
    }
}

/// The predicate that always holds; its negation is one more.
const TRUE: Number = 0;

/// What a thread has done since the last branch: its registers, its accesses, and how it goes on.
struct Outcome {
    regs: BTreeMap<Reg, Number>,
    accesses: Vec<Number>,
    /// The blocks on the way.
    way: Vec<Block>,
    end: End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// On this condition to the first block, else to the second.
    Branch(Number, Block, Block),
    Table(Number, Vec<Block>),
    Ret,
    Exit,
    Endless,
}

struct Walk<'a> {
    change: &'a Change<'a>,
    before: Liveness,
    after: Liveness,
    numbers: Numbers,
    visited: BTreeSet<Block>,
}

impl<'a> Walk<'a> {
    fn new(change: &'a Change<'a>) -> Self {
        let liveness = |func: &Func| Liveness::compute(func, &Cfg::compute(func), &Accesses::compute(func));
        let (before, after) = (liveness(change.before), liveness(change.after));
        Self { change, before, after, numbers: Numbers::default(), visited: BTreeSet::new() }
    }

    fn run(&mut self) -> Result<(), Violation> {
        let mut work: Vec<(Block, Block, Option<bool>)> =
            self.change.roots.iter().map(|root| (*root, *root, None)).collect();
        let mut seen = BTreeSet::new();
        let before_changes = before_changes(self.change);
        while let Some(state) = work.pop() {
            let (old, new, holds) = state;
            let unchanged = old == new && !before_changes.contains(&old) && !self.needs_condition(new);
            if !seen.insert(state) || unchanged {
                continue;
            }
            work.extend(self.compare(old, new, holds)?);
        }
        Ok(())
    }

    /// Whether the condition of the meld is alive at the start of a block of the second function, or what follows from it.
    fn needs_condition(&self, block: Block) -> bool {
        let mut regs =
            self.change.selected.iter().map(|(reg, _)| *reg).chain(self.change.condition.map(|guard| guard.pred));
        regs.any(|reg| self.after.is_live_in(reg, block))
    }

    /// Executes both functions from a pair of blocks to their next branches, and compares; the pairs behind the branches.
    fn compare(
        &mut self,
        old: Block,
        new: Block,
        holds: Option<bool>,
    ) -> Result<Vec<(Block, Block, Option<bool>)>, Violation> {
        let wrong = |kind| Violation { block: new, kind };
        let (mut first, mut second) = (BTreeMap::new(), BTreeMap::new());
        let known = self.change.condition.zip(holds).map(|(guard, holds)| (guard.pred, holds ^ guard.negate));
        for &reg in self.before.live_in(old) {
            let name = named(self.change, reg);
            let number = match known {
                Some((pred, holds)) if pred == name => TRUE ^ Number::from(!holds),
                _ => self.numbers.of(format!("start {reg}")),
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
        let first = self.straight(self.change.before, old, first, "old");
        let second = self.straight(self.change.after, new, second, "new");
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
        for reg in self.before.live_in(old) {
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
                Some(if offset == 0 { number } else { self.sum(number, offset, ty) })
            }
            _ => None,
        }
    }

    /// A value plus a constant, in the ring of the type.
    fn sum(&mut self, number: Number, offset: i64, ty: Type) -> Number {
        let (base, before) = self.numbers.sums.get(&number).copied().unwrap_or((number, 0));
        let offset = before.wrapping_add(offset) as u64 & ty.mask();
        if offset == 0 {
            return base;
        }
        let sum = self.numbers.of(format!("sum {base} {offset:x} {}", ty.bytes()));
        self.numbers.sums.insert(sum, (base, offset as i64));
        sum
    }

    /// Runs from the start of a block to the next branch on a condition that is not known.
    fn straight(&mut self, func: &Func, start: Block, regs: BTreeMap<Reg, Number>, who: &str) -> Outcome {
        let mut outcome = Outcome { regs, accesses: Vec::new(), way: Vec::new(), end: End::Endless };
        let mut block = start;
        for _ in 0..=2 * func.layout.len() {
            outcome.way.push(block);
            for inst in &func.blocks[block].insts {
                self.execute(&func.insts[*inst], func, &mut outcome, who);
            }
            block = match &func.blocks[block].terminator {
                Terminator::Bra { target } => *target,
                Terminator::CondBra { guard, then, otherwise } => {
                    let number = self.read(guard.pred, &mut outcome, who) ^ Number::from(guard.negate);
                    match number {
                        TRUE => *then,
                        _ if number == TRUE ^ 1 => *otherwise,
                        _ => {
                            outcome.end = End::Branch(number, *then, *otherwise);
                            return outcome;
                        }
                    }
                }
                Terminator::Brx { index, targets } => {
                    let number = self.read(*index, &mut outcome, who);
                    outcome.end = End::Table(number, targets.clone());
                    return outcome;
                }
                Terminator::Ret => {
                    outcome.end = End::Ret;
                    return outcome;
                }
                Terminator::Exit => {
                    outcome.end = End::Exit;
                    return outcome;
                }
            };
        }
        outcome
    }

    /// The value of a register; what nobody wrote differs between the functions.
    fn read(&mut self, reg: Reg, outcome: &mut Outcome, who: &str) -> Number {
        let numbers = &mut self.numbers;
        *outcome.regs.entry(reg).or_insert_with(|| numbers.of(format!("{who} {reg}")))
    }

    fn operand(&mut self, operand: Operand, outcome: &mut Outcome, who: &str) -> Number {
        match operand {
            Operand::Reg(reg) => self.read(reg, outcome, who),
            Operand::Imm(bits) => self.numbers.constant(bits),
            other => self.numbers.of(format!("{other:?}")),
        }
    }

    fn execute(&mut self, data: &InstData, func: &Func, outcome: &mut Outcome, who: &str) {
        let guard = data.guard.map(|guard| self.read(guard.pred, outcome, who) ^ Number::from(guard.negate));
        if guard == Some(TRUE ^ 1) {
            return;
        }
        let guard = guard.filter(|guard| *guard != TRUE);
        let results = data.op.results();
        let values = match self.simple(&data.op, func, outcome, who) {
            Some(value) => vec![value],
            None => self.operation(&data.op, guard, outcome, who),
        };
        for (reg, value) in results.into_iter().zip(values) {
            let value = match guard {
                Some(guard) => {
                    let old = self.read(reg, outcome, who);
                    self.numbers.of(format!("either {guard} {value} {old}"))
                }
                None => value,
            };
            outcome.regs.insert(reg, value);
        }
    }

    /// The value of an operation that only passes one on, or adds a constant to it, or of a predicate that is known.
    fn simple(&mut self, op: &Op, func: &Func, outcome: &mut Outcome, who: &str) -> Option<Number> {
        match op {
            Op::Unary { op: UnaryOp::Mov, a, ty, .. } if *ty != Type::Pred || a.reg().is_some() => {
                Some(self.operand(*a, outcome, who))
            }
            Op::Selp { a, b, pred, .. } => {
                let [a, b] = [*a, *b].map(|operand| self.operand(operand, outcome, who));
                match self.read(*pred, outcome, who) {
                    TRUE => Some(a),
                    number if number == TRUE ^ 1 || a == b => Some(b),
                    _ => None,
                }
            }
            Op::Setp { cmp: cmp @ (Cmp::Eq | Cmp::Ne), a, b, other: None, combine, .. }
                if a == b && a.reg().is_none() =>
            {
                let holds = *cmp == Cmp::Eq;
                match combine {
                    None => Some(TRUE ^ Number::from(!holds)),
                    Some((BoolOp::And, Guard { pred, negate })) if holds => {
                        Some(self.read(*pred, outcome, who) ^ Number::from(*negate))
                    }
                    _ => None,
                }
            }
            Op::Binary { op: BinaryOp::Add, ty, dst, a, b, mode } if ty.is_integer() && !mode.sat => {
                let class = func.regs[*dst];
                let [a, b] = [*a, *b].map(|operand| self.operand(operand, outcome, who));
                let of = |number: Number| self.numbers.constants.get(&number).copied();
                match (of(a), of(b)) {
                    (None, Some(bits)) => Some(self.sum(a, bits as i64, class)),
                    (Some(bits), None) => Some(self.sum(b, bits as i64, class)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The values of any other operation: it applied to the numbers of what it reads. Accesses to memory and what is not known
    /// are written down, and their results are those of this very access.
    fn operation(&mut self, op: &Op, guard: Option<Number>, outcome: &mut Outcome, who: &str) -> Vec<Number> {
        let mut reads = Vec::new();
        op.parts(|part| match part {
            Part::Def(_) | Part::Pass(_) => {}
            Part::Use(reg) | Part::Touch(reg) => reads.push((Operand::Reg(*reg), 0)),
            Part::Read(operand) => reads.push((*operand, 0)),
            Part::At(Address { base: Base::Reg(reg), offset }) => reads.push((Operand::Reg(*reg), *offset)),
            Part::At(Address { base, offset }) => {
                reads.push((Operand::Imm(0), offset ^ i64::from(matches!(base, Base::Param(_)))))
            }
        });
        let numbers: Vec<Number> = reads
            .into_iter()
            .map(|(operand, offset)| {
                let number = self.operand(operand, outcome, who);
                let ty = operand
                    .reg()
                    .map(|reg| if who == "old" { self.change.before.regs[reg] } else { self.change.after.regs[reg] });
                match ty {
                    Some(ty) if offset != 0 => self.sum(number, offset, ty),
                    _ => number,
                }
            })
            .collect();
        let mut bare = op.clone();
        let none = Reg::new(0);
        bare.parts_mut(|part| match part {
            PartMut::Def(reg) | PartMut::Use(reg) | PartMut::Touch(reg) => *reg = none,
            PartMut::Read(operand) => *operand = Operand::Imm(0),
            PartMut::At(Address { base: base @ Base::Reg(_), offset }) => (*base, *offset) = (Base::Reg(none), 0),
            PartMut::At(_) | PartMut::Pass(_) => {}
        });
        let results = op.results().len();
        let mut what = format!("{bare:?} {numbers:?}");
        if orders(op) {
            what += &format!(" {guard:?}");
            let access = self.numbers.of(what);
            outcome.accesses.push(access);
            what = format!("access {access} at {}", outcome.accesses.len());
        }
        (0..results).map(|result| self.numbers.of(format!("{what} {result}"))).collect()
    }
}

/// Whether it matters when the instruction is executed: it accesses memory or is not known.
fn orders(op: &Op) -> bool {
    matches!(op, Op::Ld { .. } | Op::St { .. } | Op::Atom { .. } | Op::Fence { .. } | Op::Carry { .. })
        || is_convergent(op)
}
