//! Executes a function symbolically: values are numbers.

use super::convergent::is_convergent;
use super::numbers::{Number, Numbers, Side, TRUE, What, bare};
use ptx::inst::{Address, Base, BinaryOp, BoolOp, Cmp, Guard, InstData, Op, Operand, Space, Terminator, Type, UnaryOp};
use ptx::ir::{Block, Func, Inst, ParamKind, Reg};
use ptx::visit::Part;
use smallvec::SmallVec;
use std::collections::HashMap;

/// Actions of a thread since the last branch: its accesses, and how it goes on.
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
    pub regs: HashMap<Reg, Number>,
}

impl<'a> Thread<'a> {
    pub fn new(func: &'a Func, side: Side) -> Self {
        Self { func, side, regs: HashMap::new() }
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
        self.regs.get(&reg).copied().unwrap_or_else(|| {
            let number = numbers.number(What::Unwritten(self.side, reg));
            self.regs.insert(reg, number);
            number
        })
    }

    fn holds(&mut self, numbers: &mut Numbers, guard: Guard) -> Number {
        self.read(numbers, guard.pred) ^ Number::from(guard.negate)
    }

    fn operand(&mut self, numbers: &mut Numbers, operand: Operand) -> Number {
        match operand {
            Operand::Reg(reg) => self.read(numbers, reg),
            other => numbers.operand(other),
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
        match self.simple(numbers, op) {
            Some((reg, value)) => self.write(numbers, guard, reg, value),
            None => self.operation(numbers, op, guard, accesses),
        }
    }

    /// Gives a register a value, under a guard.
    fn write(&mut self, numbers: &mut Numbers, guard: Option<Number>, reg: Reg, value: Number) {
        let value = match guard {
            Some(guard) => {
                let old = self.read(numbers, reg);
                numbers.number(What::Either(guard, value, old))
            }
            None => value,
        };
        self.regs.insert(reg, value);
    }

    /// The result of an operation that only passes a value on, or adds a constant to it, or of a predicate that is known.
    fn simple(&mut self, numbers: &mut Numbers, op: &Op) -> Option<(Reg, Number)> {
        match op {
            Op::Unary { op: UnaryOp::Mov, a, ty, dst, .. } if *ty != Type::Pred || a.reg().is_some() => {
                Some((*dst, self.operand(numbers, *a)))
            }
            Op::Selp { a, b, pred, dst, .. } => {
                let [a, b] = [*a, *b].map(|operand| self.operand(numbers, operand));
                match self.read(numbers, *pred) {
                    TRUE => Some((*dst, a)),
                    number if number == TRUE ^ 1 || a == b => Some((*dst, b)),
                    _ => None,
                }
            }
            Op::Setp { cmp: cmp @ (Cmp::Eq | Cmp::Ne), a, b, other: None, combine, dst, .. }
                if a == b && a.reg().is_none() =>
            {
                let holds = *cmp == Cmp::Eq;
                match combine {
                    None => Some((*dst, TRUE ^ Number::from(!holds))),
                    Some((BoolOp::And, guard)) if holds => Some((*dst, self.holds(numbers, *guard))),
                    _ => None,
                }
            }
            Op::Binary { op: BinaryOp::Add, ty, dst, a, b, mode } if ty.is_integer() && !mode.sat => {
                let class = self.func.regs[*dst];
                let [a, b] = [*a, *b].map(|operand| self.operand(numbers, operand));
                let (value, bits) = match (numbers.as_constant(a), numbers.as_constant(b)) {
                    (None, Some(bits)) => (a, bits),
                    (Some(bits), None) => (b, bits),
                    _ => return None,
                };
                Some((*dst, numbers.sum(value, bits as i64, class)))
            }
            _ => None,
        }
    }

    /// Any other operation, applied to the numbers of what it reads. Accesses to memory and what is not known are written down:
    /// how many there are tells their results apart.
    fn operation(
        &mut self,
        numbers: &mut Numbers,
        op: &Op,
        guard: Option<Number>,
        accesses: &mut SmallVec<[Number; 8]>,
    ) {
        let func = self.func;
        let mut values = Vec::new();
        let mut results: SmallVec<[Reg; 4]> = SmallVec::new();
        op.parts(|part| match part {
            Part::Use(reg) => values.push(self.read(numbers, *reg)),
            Part::Touch(reg) => {
                values.push(self.read(numbers, *reg));
                results.push(*reg);
            }
            Part::Read(operand) => values.push(self.operand(numbers, *operand)),
            Part::At(Address { base: Base::Reg(reg), offset }) => {
                let number = self.read(numbers, *reg);
                values.push(if *offset == 0 { number } else { numbers.sum(number, *offset, func.regs[*reg]) });
            }
            Part::Def(reg) => results.push(*reg),
            // other addresses belong to the operation
            Part::At(_) | Part::Pass(_) => {}
        });
        let mut applied = numbers.number(What::Operation(bare(op), values));
        let mut access = 0;
        if orders(op) && !reads_input(func, op) {
            applied = guard.map_or(applied, |guard| numbers.number(What::Guarded(applied, guard)));
            accesses.push(applied);
            access = accesses.len() as u32;
        }
        for (reg, count) in results.iter().zip(0..) {
            let value = match (access, count) {
                (0, 0) => applied,
                (access, count) => numbers.number(What::Result(applied, access, count)),
            };
            self.write(numbers, guard, *reg, value);
        }
    }
}

/// Whether it reads an input of the function, which nothing changes: when that is executed does not matter.
fn reads_input(func: &Func, op: &Op) -> bool {
    let Op::Ld { space: Space::Param, addr: Address { base: Base::Param(param), .. }, .. } = op else { return false };
    func.params[*param].kind == ParamKind::Input
}

/// Whether it matters when the instruction is executed: it accesses memory or is not known.
fn orders(op: &Op) -> bool {
    matches!(op, Op::Ld { .. } | Op::St { .. } | Op::Atom { .. } | Op::Fence { .. } | Op::Carry { .. })
        || is_convergent(op)
}
