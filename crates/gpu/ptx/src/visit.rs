//! The operands of an instruction, for those who look at all of them alike.

use super::inst::{Address, Base, Callee, Guard, Op, Operand, Piece, Terminator};
use super::ir::{Block, Param, Reg, Variable};

/// A part of an instruction that names a register, an operand or an address.
pub enum Part<'a> {
    /// A register that is written.
    Def(&'a Reg),
    /// A register that is read.
    Use(&'a Reg),
    Read(&'a Operand),
    At(&'a Address),
    /// A register that an unknown instruction may read and write.
    Touch(&'a Reg),
    /// A parameter that a call passes or receives.
    Pass(&'a Param),
}

/// As [`Part`], to change it.
pub enum PartMut<'a> {
    Def(&'a mut Reg),
    Use(&'a mut Reg),
    Read(&'a mut Operand),
    At(&'a mut Address),
    Touch(&'a mut Reg),
    Pass(&'a mut Param),
}

/// One body for both ways to visit: patterns bind as the instruction is borrowed.
macro_rules! visit_parts {
    ($op:expr, $visit:ident, $part:ident, $iter:ident) => {{
        macro_rules! each {
            ($kind:ident: $list:expr) => {
                $list.$iter().for_each(|x| $visit($part::$kind(x)))
            };
        }
        match $op {
            Op::Unary { dst, a, .. }
            | Op::Cvt { dst, a, .. }
            | Op::Cvta { dst, a, .. }
            | Op::Isspacep { dst, a, .. } => {
                $visit($part::Read(a));
                $visit($part::Def(dst));
            }
            Op::Binary { dst, a, b, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                $visit($part::Def(dst));
            }
            Op::Ternary { dst, a, b, c, .. } | Op::Slct { dst, a, b, c, .. } | Op::Lop3 { dst, a, b, c, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                $visit($part::Read(c));
                $visit($part::Def(dst));
            }
            Op::Carry { dst, a, b, c, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                each!(Read: c);
                $visit($part::Def(dst));
            }
            Op::Setp { dst, other, a, b, combine, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                if let Some((_, Guard { pred, .. })) = combine {
                    $visit($part::Use(pred));
                }
                $visit($part::Def(dst));
                each!(Def: other);
            }
            Op::Set { dst, a, b, combine, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                if let Some((_, Guard { pred, .. })) = combine {
                    $visit($part::Use(pred));
                }
                $visit($part::Def(dst));
            }
            Op::Selp { dst, a, b, pred, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                $visit($part::Use(pred));
                $visit($part::Def(dst));
            }
            Op::Pack { dst, parts, .. } => {
                each!(Read: parts);
                $visit($part::Def(dst));
            }
            Op::Unpack { parts, src, .. } => {
                $visit($part::Read(src));
                for part in parts {
                    each!(Def: part);
                }
            }
            Op::Bfi { dst, a, b, pos, len, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(b));
                $visit($part::Read(pos));
                $visit($part::Read(len));
                $visit($part::Def(dst));
            }
            Op::Ld { dst, addr, .. } => {
                $visit($part::At(addr));
                each!(Def: dst);
            }
            Op::St { addr, src, .. } => {
                $visit($part::At(addr));
                each!(Read: src);
            }
            Op::Atom { dst, addr, a, b, .. } => {
                $visit($part::At(addr));
                $visit($part::Read(a));
                each!(Read: b);
                each!(Def: dst);
            }
            Op::Shfl { dst, valid, src, lane, clamp, mask, .. } => {
                $visit($part::Read(src));
                $visit($part::Read(lane));
                $visit($part::Read(clamp));
                each!(Read: mask);
                $visit($part::Def(dst));
                each!(Def: valid);
            }
            Op::Vote { dst, pred, mask, .. } => {
                let Guard { pred, .. } = pred;
                $visit($part::Use(pred));
                each!(Read: mask);
                $visit($part::Def(dst));
            }
            Op::Match { dst, valid, a, mask, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(mask));
                $visit($part::Def(dst));
                each!(Def: valid);
            }
            Op::Redux { dst, a, mask, .. } => {
                $visit($part::Read(a));
                $visit($part::Read(mask));
                $visit($part::Def(dst));
            }
            Op::Mma { dst, a, b, c } => {
                each!(Read: a);
                $visit($part::Read(b));
                each!(Read: c);
                each!(Def: dst);
            }
            Op::Activemask { dst } => $visit($part::Def(dst)),
            Op::Bar { id, threads, .. } => {
                $visit($part::Read(id));
                each!(Read: threads);
            }
            Op::BarRed { dst, id, threads, pred, .. } => {
                let Guard { pred, .. } = pred;
                $visit($part::Read(id));
                each!(Read: threads);
                $visit($part::Use(pred));
                $visit($part::Def(dst));
            }
            Op::BarWarp { mask } => $visit($part::Read(mask)),
            Op::Fence { .. } | Op::Directive(_) => {}
            Op::Call { callee, results, arguments, .. } => {
                if let Callee::Reg(reg, _) = callee {
                    $visit($part::Use(reg));
                }
                each!(Pass: arguments);
                each!(Pass: results);
            }
            Op::Opaque { pieces, .. } => {
                for piece in pieces {
                    if let Piece::Reg(reg) = piece {
                        $visit($part::Touch(reg));
                    }
                }
            }
        }
    }};
}

impl Op {
    /// Visits all parts: what is read before what is written.
    pub fn parts(&self, mut visit: impl FnMut(Part)) {
        visit_parts!(self, visit, Part, iter)
    }

    /// Visits all parts, to change them.
    pub fn parts_mut(&mut self, mut visit: impl FnMut(PartMut)) {
        visit_parts!(self, visit, PartMut, iter_mut)
    }

    /// Visits what the instruction reads: operands and the bases of addresses.
    pub fn operands(&self, mut visit: impl FnMut(Operand)) {
        self.parts(|part| match part {
            Part::Use(reg) | Part::Touch(reg) => visit(Operand::Reg(*reg)),
            Part::Read(operand) => visit(*operand),
            Part::At(Address { base: Base::Reg(reg), .. }) => visit(Operand::Reg(*reg)),
            Part::At(Address { base: Base::Variable(variable), .. }) => visit(Operand::Variable(*variable)),
            Part::At(_) | Part::Def(_) | Part::Pass(_) => {}
        });
    }

    /// The registers that the instruction may write.
    pub fn results(&self) -> Vec<Reg> {
        let mut results = Vec::new();
        self.parts(|part| {
            if let Part::Def(reg) | Part::Touch(reg) = part {
                results.push(*reg);
            }
        });
        results
    }

    /// Visits every register and variable that the instruction names, reads in the order of [`operands`](Self::operands) and
    /// writes in the order of [`results`](Self::results). What an unknown instruction names is visited once and counts as both.
    pub fn slots(&mut self, mut visit: impl FnMut(Slot)) {
        self.parts_mut(|part| match part {
            PartMut::Def(reg) => visit(Slot::Write(reg)),
            PartMut::Touch(reg) => visit(Slot::Both(reg)),
            PartMut::Use(reg)
            | PartMut::Read(Operand::Reg(reg))
            | PartMut::At(Address { base: Base::Reg(reg), .. }) => visit(Slot::Read(reg)),
            PartMut::Read(Operand::Variable(variable))
            | PartMut::At(Address { base: Base::Variable(variable), .. }) => visit(Slot::Variable(variable)),
            PartMut::Read(_) | PartMut::At(_) | PartMut::Pass(_) => {}
        });
    }
}

/// A place in an instruction that names a register or a variable.
pub enum Slot<'a> {
    Read(&'a mut Reg),
    Write(&'a mut Reg),
    /// The instruction may read it and may write it.
    Both(&'a mut Reg),
    Variable(&'a mut Variable),
}

impl Terminator {
    /// The register that decides where to go.
    pub fn condition(&self) -> Option<Reg> {
        match self {
            Self::CondBra { guard, .. } => Some(guard.pred),
            Self::Brx { index, .. } => Some(*index),
            Self::Bra { .. } | Self::Ret | Self::Exit => None,
        }
    }

    /// Visits the successors, in the order of [`targets`](Self::targets).
    pub fn each_target(&self, mut visit: impl FnMut(Block)) {
        match self {
            Self::Bra { target } => visit(*target),
            Self::CondBra { then, otherwise, .. } => {
                visit(*then);
                visit(*otherwise);
            }
            Self::Brx { targets, .. } => targets.iter().copied().for_each(visit),
            Self::Ret | Self::Exit => {}
        }
    }

    /// [`each_target`](Self::each_target), to change them.
    pub fn targets_mut(&mut self, visit: impl FnMut(&mut Block)) {
        match self {
            Self::Bra { target } => [target].into_iter().for_each(visit),
            Self::CondBra { then, otherwise, .. } => [then, otherwise].into_iter().for_each(visit),
            Self::Brx { targets, .. } => targets.iter_mut().for_each(visit),
            Self::Ret | Self::Exit => {}
        }
    }

    /// [`condition`](Self::condition), to change it.
    pub fn condition_mut(&mut self) -> Option<&mut Reg> {
        match self {
            Self::CondBra { guard, .. } => Some(&mut guard.pred),
            Self::Brx { index, .. } => Some(index),
            Self::Bra { .. } | Self::Ret | Self::Exit => None,
        }
    }
}
