//! Executes a function symbolically: values are numbers, and two computations have one number if they apply one operation to
//! equal values.

use super::is_convergent;
use super::registers::Registers;
use crate::analysis::lists::table;
use crate::inst::{Address, Base, BinaryOp, BoolOp, Cmp, Guard, InstData, Op, Operand, Terminator, Type, UnaryOp};
use crate::ir::{Block, Func, Inst, Reg};
use crate::visit::{Part, PartMut};
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::mem::{Discriminant, discriminant};

/// The number of a value; of a predicate twice that, and one more for its negation.
pub type Number = u32;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// Of a register where both functions begin.
    Start(Reg),
    /// Of a register that nobody wrote, in one of the functions.
    Unwritten(Side, Reg),
    Constant(u64),
    /// Of a value and a constant, in so many bytes.
    Sum(Number, u64, u32),
    Operand(Operand),
    /// Under the first the second, else the third.
    Either(Number, Number, Number),
    /// An operation without its operands: the number of its shape.
    Operation(u32),
    /// An operation that has some of its values, on the next two, or the last one and [`NOTHING`].
    On(Number, Number, Number),
    /// An operation where it matters when it is executed, under a guard.
    Guarded(Number, Number),
    /// The result of this number, of an operation or of one access of so many. The first result of an operation that is no access
    /// has the number of the operation on its values.
    Result(Number, u32, u32),
}

/// One of the functions: the first is the one before the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    Before,
    After,
}

/// Numbers of values by what they are.
pub struct Numbers {
    known: FxHashMap<What, Number>,
    /// What has the number 2, 4, 6 and so on.
    values: Vec<What>,
    /// Operations without their operands, by their kind: there are few of each, and to hash one takes longer than to compare a few.
    kinds: Vec<(Discriminant<Op>, SmallVec<[u32; 4]>)>,
    /// Each in the place of its number.
    shapes: Vec<Op>,
}

impl Numbers {
    /// With room for so many values.
    pub fn with_capacity(values: usize) -> Self {
        let known = FxHashMap::with_capacity_and_hasher(values, FxBuildHasher);
        Self {
            known,
            values: Vec::with_capacity(values),
            kinds: Vec::with_capacity(16),
            shapes: Vec::with_capacity(32),
        }
    }

    pub fn of(&mut self, what: What) -> Number {
        let next = 2 * self.values.len() as Number + 2;
        *self.known.entry(what).or_insert_with(|| {
            self.values.push(what);
            next
        })
    }

    /// What a value is; `None` of the predicate that always holds, and of negations.
    fn what(&self, number: Number) -> Option<What> {
        let place = (number / 2).checked_sub(1).filter(|_| number.is_multiple_of(2))?;
        self.values.get(place as usize).copied()
    }

    pub fn constant(&mut self, bits: u64) -> Number {
        self.of(What::Constant(bits))
    }

    /// A value plus a constant, in the ring of the type.
    pub fn sum(&mut self, number: Number, offset: i64, ty: Type) -> Number {
        let (base, before) = match self.what(number) {
            Some(What::Sum(base, offset, _)) => (base, offset),
            _ => (number, 0),
        };
        match before.wrapping_add(offset as u64) & ty.mask() {
            0 => base,
            offset => self.of(What::Sum(base, offset, ty.bytes())),
        }
    }

    /// An operation without its operands.
    fn operation(&mut self, op: &Op) -> Number {
        let mut bare = op.clone();
        let none = Reg::new(0);
        bare.parts_mut(|part| match part {
            PartMut::Def(reg) | PartMut::Use(reg) | PartMut::Touch(reg) => *reg = none,
            PartMut::Read(operand) => *operand = Operand::Imm(0),
            PartMut::At(Address { base: base @ Base::Reg(_), offset }) => (*base, *offset) = (Base::Reg(none), 0),
            PartMut::At(_) | PartMut::Pass(_) => {}
        });
        let kind = discriminant(&bare);
        let place = self.kinds.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            self.kinds.push((kind, SmallVec::new()));
            self.kinds.len() - 1
        });
        let kind = &mut self.kinds[place].1;
        let known = kind.iter().copied().find(|shape| self.shapes[*shape as usize] == bare);
        let shape = known.unwrap_or_else(|| {
            let shape = self.shapes.len() as u32;
            self.shapes.push(bare);
            kind.push(shape);
            shape
        });
        self.of(What::Operation(shape))
    }
}

/// The number of no value.
const NOTHING: Number = Number::MAX;

/// The predicate that always holds; its negation is one more.
pub const TRUE: Number = 0;

/// What a thread has done since the last branch: its accesses, and how it goes on.
pub struct Outcome {
    pub accesses: SmallVec<[Number; 8]>,
    /// The blocks on the way.
    pub way: SmallVec<[Block; 8]>,
    pub end: End,
}

/// How a thread goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// On this condition to the first block, else to the second.
    Branch(Number, Block, Block),
    Table(Number, Vec<Block>),
    Ret,
    Exit,
    /// It comes to this block, which both functions have.
    At(Block),
    Endless,
}

/// A thread of one function.
pub struct Thread<'a> {
    func: &'a Func,
    /// Makes what nobody wrote in one function differ from what nobody wrote in the other.
    side: Side,
    pub regs: Registers,
    /// The operations of instructions that were executed.
    operations: SecondaryMap<Inst, Option<Number>>,
}

impl<'a> Thread<'a> {
    pub fn new(func: &'a Func, side: Side) -> Self {
        let (regs, operations) = (Registers::new(func.regs.len()), table(func.insts.len()));
        Self { func, side, regs, operations }
    }

    /// Runs from the start of a block to the next branch on a condition that is not known, or up to a block where it is to
    /// stop; `at_once`: which may be the first one.
    pub fn straight(
        &mut self,
        numbers: &mut Numbers,
        start: Block,
        at_once: bool,
        stop: impl Fn(Block) -> bool,
    ) -> Outcome {
        let func = self.func;
        let mut outcome = Outcome { accesses: SmallVec::new(), way: SmallVec::new(), end: End::Endless };
        let mut block = start;
        for _ in 0..=2 * func.layout.len() {
            if (at_once || !outcome.way.is_empty()) && stop(block) {
                outcome.end = End::At(block);
                return outcome;
            }
            outcome.way.push(block);
            for inst in &func.blocks[block].insts {
                self.execute(numbers, *inst, &mut outcome.accesses);
            }
            block = match &func.blocks[block].terminator {
                Terminator::Bra { target } => *target,
                Terminator::CondBra { guard, then, otherwise, .. } => match self.holds(numbers, *guard) {
                    TRUE => *then,
                    number if number == TRUE ^ 1 => *otherwise,
                    number => {
                        outcome.end = End::Branch(number, *then, *otherwise);
                        return outcome;
                    }
                },
                Terminator::Brx { index, targets } => {
                    outcome.end = End::Table(self.read(numbers, *index), targets.clone());
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
    fn read(&mut self, numbers: &mut Numbers, reg: Reg) -> Number {
        self.regs.get(reg).unwrap_or_else(|| {
            let number = numbers.of(What::Unwritten(self.side, reg));
            self.regs.set(reg, number);
            number
        })
    }

    fn holds(&mut self, numbers: &mut Numbers, guard: Guard) -> Number {
        self.read(numbers, guard.pred) ^ Number::from(guard.negate)
    }

    fn operand(&mut self, numbers: &mut Numbers, operand: Operand) -> Number {
        match operand {
            Operand::Reg(reg) => self.read(numbers, reg),
            Operand::Imm(bits) => numbers.constant(bits),
            other => numbers.of(What::Operand(other)),
        }
    }

    fn execute(&mut self, numbers: &mut Numbers, inst: Inst, accesses: &mut SmallVec<[Number; 8]>) {
        let func = self.func;
        let InstData { guard, op } = &func.insts[inst];
        let guard = guard.map(|guard| self.holds(numbers, guard));
        if guard == Some(TRUE ^ 1) {
            return;
        }
        let guard = guard.filter(|guard| *guard != TRUE);
        let simple = self.simple(numbers, op);
        let operation = if simple.is_none() { self.operation(numbers, inst, guard, accesses) } else { (TRUE, 0) };
        let mut count = 0;
        op.parts(|part| {
            let (Part::Def(reg) | Part::Touch(reg)) = part else { return };
            let value = simple.unwrap_or_else(|| match (operation, count) {
                ((applied, 0), 0) => applied,
                ((operation, access), count) => numbers.of(What::Result(operation, access, count)),
            });
            count += 1;
            let value = match guard {
                Some(guard) => {
                    let old = self.read(numbers, *reg);
                    numbers.of(What::Either(guard, value, old))
                }
                None => value,
            };
            self.regs.set(*reg, value);
        });
    }

    /// The value of an operation that only passes one on, or adds a constant to it, or of a predicate that is known.
    fn simple(&mut self, numbers: &mut Numbers, op: &Op) -> Option<Number> {
        match op {
            Op::Unary { op: UnaryOp::Mov, a, ty, .. } if *ty != Type::Pred || a.reg().is_some() => {
                Some(self.operand(numbers, *a))
            }
            Op::Selp { a, b, pred, .. } => {
                let [a, b] = [*a, *b].map(|operand| self.operand(numbers, operand));
                match self.read(numbers, *pred) {
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
                    Some((BoolOp::And, guard)) if holds => Some(self.holds(numbers, *guard)),
                    _ => None,
                }
            }
            Op::Binary { op: BinaryOp::Add, ty, dst, a, b, mode } if ty.is_integer() && !mode.sat => {
                let class = self.func.regs[*dst];
                let [a, b] = [*a, *b].map(|operand| self.operand(numbers, operand));
                match (numbers.what(a), numbers.what(b)) {
                    (Some(What::Constant(_)), Some(What::Constant(_))) => None,
                    (_, Some(What::Constant(bits))) => Some(numbers.sum(a, bits as i64, class)),
                    (Some(What::Constant(bits)), _) => Some(numbers.sum(b, bits as i64, class)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Any other operation, applied to the numbers of what it reads. Accesses to memory and what is not known are written down:
    /// the second number tells them apart.
    fn operation(
        &mut self,
        numbers: &mut Numbers,
        inst: Inst,
        guard: Option<Number>,
        accesses: &mut SmallVec<[Number; 8]>,
    ) -> (Number, u32) {
        let func = self.func;
        let op = &func.insts[inst].op;
        let mut applied = *self.operations[inst].get_or_insert_with(|| numbers.operation(op));
        let mut first = None;
        op.parts(|part| {
            let value = match part {
                Part::Use(reg) | Part::Touch(reg) => self.read(numbers, *reg),
                Part::Read(operand) => self.operand(numbers, *operand),
                Part::At(Address { base: Base::Reg(reg), offset }) => {
                    let number = self.read(numbers, *reg);
                    if *offset == 0 { number } else { numbers.sum(number, *offset, func.regs[*reg]) }
                }
                // other addresses belong to the shape
                Part::At(_) | Part::Def(_) | Part::Pass(_) => return,
            };
            match first.take() {
                Some(first) => applied = numbers.of(What::On(applied, first, value)),
                None => first = Some(value),
            }
        });
        if let Some(last) = first {
            applied = numbers.of(What::On(applied, last, NOTHING));
        }
        if !orders(op) {
            return (applied, 0);
        }
        let access = guard.map_or(applied, |guard| numbers.of(What::Guarded(applied, guard)));
        accesses.push(access);
        (access, accesses.len() as u32)
    }
}

/// Whether it matters when the instruction is executed: it accesses memory or is not known.
fn orders(op: &Op) -> bool {
    matches!(op, Op::Ld { .. } | Op::St { .. } | Op::Atom { .. } | Op::Fence { .. } | Op::Carry { .. })
        || is_convergent(op)
}
