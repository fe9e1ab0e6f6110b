//! Executes a function symbolically: values are numbers, and two computations have one number if they apply one operation to
//! equal values.

use super::is_convergent;
use crate::inst::{Address, Base, BinaryOp, BoolOp, Cmp, Guard, InstData, Op, Operand, Terminator, Type, UnaryOp};
use crate::ir::{Block, Func, Reg};
use crate::visit::{Part, PartMut};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The number of a value; of a predicate twice that, and one more for its negation.
pub type Number = u32;

/// What a value is.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum What {
    /// Of a register where both functions begin.
    Start(Reg),
    /// Of a register that nobody wrote, in one of the functions.
    Unwritten(&'static str, Reg),
    Constant(u64),
    /// Of a value and a constant, in so many bytes.
    Sum(Number, u64, u32),
    Operand(Operand),
    /// Under the first the second, else the third.
    Either(Number, Number, Number),
    /// An operation without its operands, on these values.
    Operation(Op, Vec<Number>),
    /// The same where it matters when it is executed, under a guard.
    Access(Op, Vec<Number>, Option<Number>),
    /// The result of this number, of an operation or of one access of so many.
    Result(Number, usize, usize),
}

/// Numbers of values by what they are.
#[derive(Default)]
pub struct Numbers {
    known: FxHashMap<What, Number>,
    constants: BTreeMap<Number, u64>,
    /// Sums of another value and a constant.
    sums: BTreeMap<Number, (Number, i64)>,
}

impl Numbers {
    pub fn of(&mut self, what: What) -> Number {
        let next = 2 * self.known.len() as Number + 2;
        *self.known.entry(what).or_insert(next)
    }

    pub fn constant(&mut self, bits: u64) -> Number {
        let number = self.of(What::Constant(bits));
        self.constants.insert(number, bits);
        number
    }

    /// A value plus a constant, in the ring of the type.
    pub fn sum(&mut self, number: Number, offset: i64, ty: Type) -> Number {
        let (base, before) = self.sums.get(&number).copied().unwrap_or((number, 0));
        let offset = before.wrapping_add(offset) as u64 & ty.mask();
        if offset == 0 {
            return base;
        }
        let sum = self.of(What::Sum(base, offset, ty.bytes()));
        self.sums.insert(sum, (base, offset as i64));
        sum
    }
}

/// The predicate that always holds; its negation is one more.
pub const TRUE: Number = 0;

/// What a thread has done since the last branch: its registers, its accesses, and how it goes on.
pub struct Outcome {
    pub regs: BTreeMap<Reg, Number>,
    pub accesses: Vec<Number>,
    /// The blocks on the way.
    pub way: Vec<Block>,
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
    Endless,
}

/// A thread of one function.
pub struct Thread<'a> {
    pub func: &'a Func,
    /// Makes what nobody wrote in one function differ from what nobody wrote in the other.
    pub who: &'static str,
    pub numbers: &'a mut Numbers,
}

impl Thread<'_> {
    /// Runs from the start of a block to the next branch on a condition that is not known.
    pub fn straight(&mut self, start: Block, regs: BTreeMap<Reg, Number>) -> Outcome {
        let mut outcome = Outcome { regs, accesses: Vec::new(), way: Vec::new(), end: End::Endless };
        let mut block = start;
        for _ in 0..=2 * self.func.layout.len() {
            outcome.way.push(block);
            for inst in &self.func.blocks[block].insts {
                self.execute(&self.func.insts[*inst], &mut outcome);
            }
            block = match &self.func.blocks[block].terminator {
                Terminator::Bra { target } => *target,
                Terminator::CondBra { guard, then, otherwise, .. } => {
                    let number = self.read(guard.pred, &mut outcome) ^ Number::from(guard.negate);
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
                    let number = self.read(*index, &mut outcome);
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
    fn read(&mut self, reg: Reg, outcome: &mut Outcome) -> Number {
        let (numbers, who) = (&mut *self.numbers, self.who);
        *outcome.regs.entry(reg).or_insert_with(|| numbers.of(What::Unwritten(who, reg)))
    }

    fn operand(&mut self, operand: Operand, outcome: &mut Outcome) -> Number {
        match operand {
            Operand::Reg(reg) => self.read(reg, outcome),
            Operand::Imm(bits) => self.numbers.constant(bits),
            other => self.numbers.of(What::Operand(other)),
        }
    }

    fn execute(&mut self, data: &InstData, outcome: &mut Outcome) {
        let guard = data.guard.map(|guard| self.read(guard.pred, outcome) ^ Number::from(guard.negate));
        if guard == Some(TRUE ^ 1) {
            return;
        }
        let guard = guard.filter(|guard| *guard != TRUE);
        let results = data.op.results();
        let values = match self.simple(&data.op, outcome) {
            Some(value) => vec![value],
            None => self.operation(&data.op, guard, outcome),
        };
        for (reg, value) in results.into_iter().zip(values) {
            let value = match guard {
                Some(guard) => {
                    let old = self.read(reg, outcome);
                    self.numbers.of(What::Either(guard, value, old))
                }
                None => value,
            };
            outcome.regs.insert(reg, value);
        }
    }

    /// The value of an operation that only passes one on, or adds a constant to it, or of a predicate that is known.
    fn simple(&mut self, op: &Op, outcome: &mut Outcome) -> Option<Number> {
        match op {
            Op::Unary { op: UnaryOp::Mov, a, ty, .. } if *ty != Type::Pred || a.reg().is_some() => {
                Some(self.operand(*a, outcome))
            }
            Op::Selp { a, b, pred, .. } => {
                let [a, b] = [*a, *b].map(|operand| self.operand(operand, outcome));
                match self.read(*pred, outcome) {
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
                        Some(self.read(*pred, outcome) ^ Number::from(*negate))
                    }
                    _ => None,
                }
            }
            Op::Binary { op: BinaryOp::Add, ty, dst, a, b, mode } if ty.is_integer() && !mode.sat => {
                let class = self.func.regs[*dst];
                let [a, b] = [*a, *b].map(|operand| self.operand(operand, outcome));
                let of = |number: Number| self.numbers.constants.get(&number).copied();
                match (of(a), of(b)) {
                    (None, Some(bits)) => Some(self.numbers.sum(a, bits as i64, class)),
                    (Some(bits), None) => Some(self.numbers.sum(b, bits as i64, class)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The values of any other operation: it applied to the numbers of what it reads. Accesses to memory and what is not known
    /// are written down, and their results are those of this very access.
    fn operation(&mut self, op: &Op, guard: Option<Number>, outcome: &mut Outcome) -> Vec<Number> {
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
                let number = self.operand(operand, outcome);
                let ty = operand.reg().map(|reg| self.func.regs[reg]);
                match ty {
                    Some(ty) if offset != 0 => self.numbers.sum(number, offset, ty),
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
        let (number, place) = if orders(op) {
            let access = self.numbers.of(What::Access(bare, numbers, guard));
            outcome.accesses.push(access);
            (access, outcome.accesses.len())
        } else {
            (self.numbers.of(What::Operation(bare, numbers)), 0)
        };
        (0..results).map(|result| self.numbers.of(What::Result(number, place, result))).collect()
    }
}

/// Whether it matters when the instruction is executed: it accesses memory or is not known.
fn orders(op: &Op) -> bool {
    matches!(op, Op::Ld { .. } | Op::St { .. } | Op::Atom { .. } | Op::Fence { .. } | Op::Carry { .. })
        || is_convergent(op)
}
