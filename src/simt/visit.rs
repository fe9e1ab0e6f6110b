//! The operands of an instruction, for those who look at all of them alike.

use super::inst::{Address, Base, Callee, Guard, Op, Operand, Piece};
use super::ir::{Param, Reg, Variable};

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

    /// Renames all registers and variables.
    pub fn rename(&mut self, reg: impl Fn(Reg) -> Reg, variable: impl Fn(Variable) -> Variable) {
        self.parts_mut(|part| match part {
            PartMut::Def(r)
            | PartMut::Use(r)
            | PartMut::Touch(r)
            | PartMut::Read(Operand::Reg(r))
            | PartMut::At(Address { base: Base::Reg(r), .. }) => *r = reg(*r),
            PartMut::Read(Operand::Variable(v)) | PartMut::At(Address { base: Base::Variable(v), .. }) => {
                *v = variable(*v);
            }
            PartMut::Read(_) | PartMut::At(_) | PartMut::Pass(_) => {}
        });
    }
}
