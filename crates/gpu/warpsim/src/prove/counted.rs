//! Loops that a counter ends, whatever data decide beside it.

use crate::decode::{Code, Micro};
use ptx::inst::{BinaryOp, BoolOp, Cmp, InstData, Op, Operand, Terminator, Type, UnaryOp};
use ptx::ir::Reg;
use ptx::visit::Part;
use std::collections::BTreeSet;

use super::region::successors;

/// Whether the loop of a branch, which consists of these instructions, goes on only as long as a counter has not reached its
/// bound: every iteration adds 1 to it and comes to the branch.
pub(super) fn is_counted(code: &Code, pc: u32, members: &BTreeSet<u32>) -> bool {
    let Micro::Branch { then, otherwise, .. } = &code.ops[pc as usize].micro else { return false };
    if members.len() > LARGEST {
        return false;
    }
    let (func, block) = code.place(pc);
    let Terminator::CondBra { guard, .. } = &func.blocks[block].terminator else { return false };
    let stays = match [then, otherwise].map(|target| members.contains(target)) {
        [true, false] => !guard.negate,
        [false, true] => guard.negate,
        _ => return false,
    };
    let search = Search { code, members };
    !search.goes_round(pc) && search.bounds(guard.pred, stays, 8)
}

/// Instructions of the largest loop that is looked at.
const LARGEST: usize = 1 << 10;

struct Search<'c, 'm> {
    code: &'c Code<'m>,
    members: &'c BTreeSet<u32>,
}

impl Search<'_, '_> {
    /// Whether some way round the loop leaves the instruction out.
    fn goes_round(&self, without: u32) -> bool {
        let within = |at: u32| successors(&self.code.ops[at as usize].micro, at).into_iter();
        let kept = |at: &u32| self.members.contains(at) && *at != without;
        // an order of the rest exists where nothing goes round
        let mut rest: BTreeSet<u32> = self.members.iter().copied().filter(kept).collect();
        loop {
            let last = rest.iter().copied().find(|at| !within(*at).any(|next| rest.contains(&next)));
            match last {
                Some(at) => rest.remove(&at),
                None => return !rest.is_empty(),
            };
        }
    }

    /// Returns the only instruction of the loop that writes the register, if every iteration executes it.
    fn definition(&self, reg: Reg) -> Option<(u32, &InstData)> {
        let mut writers = self.writers(reg);
        let (pc, data) = writers.next().filter(|_| writers.next().is_none())?;
        (data.guard.is_none() && !self.goes_round(pc)).then_some((pc, data))
    }

    fn writers(&self, reg: Reg) -> impl Iterator<Item = (u32, &InstData)> {
        let of_loop = self.members.iter().filter_map(|pc| Some((*pc, self.code.instruction(*pc)?.1)));
        of_loop.filter(move |(_, data)| {
            let mut writes = false;
            data.op.parts(|part| writes |= matches!(part, Part::Def(own) | Part::Touch(own) if *own == reg));
            writes
        })
    }

    /// Whether the predicate has the value only as long as a counter has not reached its bound.
    fn bounds(&self, pred: Reg, value: bool, depth: usize) -> bool {
        let Some((_, data)) = self.definition(pred).filter(|_| depth > 0) else { return false };
        let is = |operand: &Operand, value: bool| matches!(operand, Operand::Reg(reg) if self.bounds(*reg, value, depth - 1));
        match &data.op {
            Op::Setp { cmp, ty, dst, other: None, a, b, combine, .. } if *dst == pred && ty.is_integer() => {
                let compared = || self.is_below(if value { *cmp } else { opposite(*cmp) }, a, b);
                match combine {
                    None => compared(),
                    Some((BoolOp::And, guard)) if value => {
                        compared() || self.bounds(guard.pred, !guard.negate, depth - 1)
                    }
                    Some((BoolOp::Or, guard)) if !value => {
                        compared() || self.bounds(guard.pred, guard.negate, depth - 1)
                    }
                    _ => false,
                }
            }
            Op::Binary { op: BinaryOp::And, ty: Type::Pred, a, b, .. } if value => is(a, true) || is(b, true),
            Op::Binary { op: BinaryOp::Or, ty: Type::Pred, a, b, .. } if !value => is(a, false) || is(b, false),
            Op::Unary { op: UnaryOp::Not, ty: Type::Pred, a, .. } => is(a, !value),
            _ => false,
        }
    }

    /// Whether the comparison is one of a counter with a bound that it reaches.
    fn is_below(&self, cmp: Cmp, a: &Operand, b: &Operand) -> bool {
        let fixed = |operand: &Operand| match operand {
            Operand::Reg(reg) => self.writers(*reg).next().is_none(),
            Operand::Imm(_) | Operand::Param(_) => true,
            _ => false,
        };
        let up = |operand: &Operand| self.steps(operand) == Some(1);
        let down = |operand: &Operand| self.steps(operand) == Some(-1);
        match cmp {
            Cmp::Lt => up(a) && fixed(b) || fixed(a) && down(b),
            Cmp::Gt => down(a) && fixed(b) || fixed(a) && up(b),
            Cmp::Ne if *b == Operand::Imm(0) && self.clears(a) => true,
            Cmp::Ne => (up(a) || down(a)) && fixed(b) || fixed(a) && (up(b) || down(b)),
            _ => false,
        }
    }

    /// Whether every iteration clears the lowest bit of the register.
    fn clears(&self, operand: &Operand) -> bool {
        let Operand::Reg(reg) = operand else { return false };
        let mut written = self.definition(*reg);
        if let Some((_, InstData { op: Op::Unary { op: UnaryOp::Mov, a: Operand::Reg(from), .. }, .. })) = written {
            written = self.definition(*from);
        }
        let Some((
            _,
            InstData { op: Op::Binary { op: BinaryOp::And, a: Operand::Reg(a), b: Operand::Reg(b), .. }, .. },
        )) = written
        else {
            return false;
        };
        let less = |other: &Reg| {
            let Some((_, data)) = self.definition(*other) else { return false };
            matches!(&data.op, Op::Binary { op: BinaryOp::Add, ty, a: Operand::Reg(from), b: Operand::Imm(by), .. }
                if from == reg && *by & ty.mask() == ty.mask())
        };
        a == reg && less(b) || b == reg && less(a)
    }

    /// Returns the step that every iteration adds to the register.
    fn steps(&self, operand: &Operand) -> Option<i64> {
        let Operand::Reg(reg) = operand else { return None };
        let (_, data) = self.definition(*reg)?;
        let Op::Binary { op, ty, a: Operand::Reg(from), b: Operand::Imm(by), .. } = &data.op else { return None };
        let by = match ty.bytes() {
            4 => i64::from(*by as u32 as i32),
            8 => *by as i64,
            _ => return None,
        };
        match op {
            _ if from != reg => None,
            BinaryOp::Add => Some(by),
            BinaryOp::Sub => Some(by.wrapping_neg()),
            _ => None,
        }
    }
}

/// Returns the comparison that holds if this one does not.
fn opposite(cmp: Cmp) -> Cmp {
    match cmp {
        Cmp::Eq => Cmp::Ne,
        Cmp::Ge => Cmp::Lt,
        Cmp::Le => Cmp::Gt,
        // the others bound no counter
        _ => Cmp::Eq,
    }
}
