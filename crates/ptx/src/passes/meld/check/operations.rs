//! Which operations are one: those that differ at most in what they name.

use crate::inst::{Access, Address, Base, BoolOp, Guard, Mode, Op, Operand, Type};
use crate::ir::Reg;
use crate::visit::PartMut;
use cranelift_entity::EntityRef;

/// An operation without its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// All of it in one word.
    Word(u32),
    /// By its position among those that were asked for and do not fit.
    Long(u32),
}

/// The operations that were asked for and do not fit into a word, without what they name. There are few.
#[derive(Default)]
pub struct Operations(Vec<Op>);

impl Operations {
    pub fn of(&mut self, op: &Op) -> Operation {
        if let Some(word) = word(op) {
            return Operation::Word(word);
        }
        let bare = bare(op);
        let position = self.0.iter().position(|known| *known == bare).unwrap_or_else(|| {
            self.0.push(bare);
            self.0.len() - 1
        });
        Operation::Long(position as u32)
    }
}

/// Everything of an operation but its operands, where it fits into a word: no other operation has the same.
fn word(op: &Op) -> Option<u32> {
    let word = |kind: u32, what: u32, ty: &Type, how: u32| Some(kind << 24 | what << 16 | (*ty as u32) << 8 | how);
    let rounded = |Mode { rounding, ftz, sat }: &Mode| (*rounding as u32) << 2 | u32::from(*ftz) << 1 | u32::from(*sat);
    match op {
        Op::Unary { op, mode, ty, .. } => word(0, *op as u32, ty, rounded(mode)),
        Op::Binary { op, mode, ty, .. } => word(1, *op as u32, ty, rounded(mode)),
        Op::Ternary { op, mode, ty, .. } => word(2, *op as u32, ty, rounded(mode)),
        Op::Cvt { mode, to, from, .. } => word(3, *to as u32, from, rounded(mode)),
        Op::Selp { ty, .. } => word(4, 0, ty, 0),
        Op::Setp { cmp, ftz, ty, other, combine, .. } => {
            let combined = match combine {
                None => 0,
                Some((BoolOp::And, Guard { negate, .. })) => 1 + u32::from(*negate),
                Some((BoolOp::Or, Guard { negate, .. })) => 3 + u32::from(*negate),
                Some((BoolOp::Xor, Guard { negate, .. })) => 5 + u32::from(*negate),
            };
            word(5, *cmp as u32, ty, combined << 2 | u32::from(other.is_some()) << 1 | u32::from(*ftz))
        }
        Op::Ld { space, read_only, access, ty, dst, addr } if plain(access, addr) && dst.len() < 64 => {
            word(6, *space as u32, ty, (dst.len() as u32) << 1 | u32::from(*read_only))
        }
        Op::St { space, access, ty, addr, src } if plain(access, addr) && src.len() < 64 => {
            word(7, *space as u32, ty, src.len() as u32)
        }
        _ => None,
    }
}

/// Nothing is said of the access, and the address is a value: others belong to the operation.
fn plain(access: &Access, addr: &Address) -> bool {
    matches!(addr.base, Base::Reg(_)) && *access == Access::default()
}

/// An operation that names nothing.
fn bare(op: &Op) -> Op {
    let mut bare = op.clone();
    let none = Reg::new(0);
    bare.parts_mut(|part| match part {
        PartMut::Def(reg) | PartMut::Use(reg) | PartMut::Touch(reg) => *reg = none,
        PartMut::Read(operand) => *operand = Operand::Imm(0),
        PartMut::At(Address { base: base @ Base::Reg(_), offset }) => (*base, *offset) = (Base::Reg(none), 0),
        PartMut::At(_) | PartMut::Pass(_) => {}
    });
    bare
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Func;

    /// Operations that differ in one thing each, some of them twice with other operands.
    const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n\
        .reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [out];\n\
        add.u32 %r1, %r2, %r3;\nadd.u32 %r2, %r3, 5;\nadd.s32 %r1, %r2, %r3;\nsub.u32 %r1, %r2, %r3;\nadd.f32 %f1, %f2, %f3;\n\
        add.rn.f32 %f1, %f2, %f3;\nadd.rz.f32 %f1, %f2, %f3;\nadd.ftz.f32 %f1, %f2, %f3;\nadd.sat.f32 %f1, %f2, %f3;\n\
        neg.f32 %f1, %f2;\nneg.ftz.f32 %f1, %f2;\nneg.s32 %r1, %r2;\nnot.b32 %r1, %r2;\nfma.rn.f32 %f1, %f2, %f3, %f4;\n\
        fma.rm.f32 %f1, %f2, %f3, %f4;\nmad.lo.u32 %r1, %r2, %r3, %r4;\nmad.lo.u32 %r4, %r2, 7, %r4;\ncvt.u32.u64 %r1, %rd1;\n\
        cvt.s32.u64 %r1, %rd1;\ncvt.rzi.u32.f32 %r1, %f1;\ncvt.rni.u32.f32 %r1, %f1;\ncvt.rzi.ftz.u32.f32 %r1, %f1;\n\
        setp.eq.u32 %p1, %r1, %r2;\nsetp.ne.u32 %p1, %r1, %r2;\nsetp.eq.s32 %p1, %r1, %r2;\nsetp.eq.f32 %p1, %f1, %f2;\n\
        setp.eq.ftz.f32 %p1, %f1, %f2;\nsetp.eq.u32 %p1|%p2, %r1, %r2;\nsetp.eq.and.u32 %p1, %r1, %r2, %p3;\n\
        setp.eq.and.u32 %p1, %r1, %r2, !%p3;\nsetp.eq.or.u32 %p1, %r1, %r2, %p3;\nsetp.eq.or.u32 %p1, %r1, %r2, !%p3;\n\
        setp.eq.xor.u32 %p1, %r1, %r2, %p3;\nsetp.eq.xor.u32 %p1, %r1, %r2, !%p3;\nselp.b32 %r1, %r2, %r3, %p1;\n\
        selp.b32 %r1, 1, 2, %p2;\nselp.f32 %f1, %f2, %f3, %p1;\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2+8];\n\
        ld.global.nc.u32 %r1, [%rd1];\nld.global.cg.u32 %r1, [%rd1];\nld.volatile.global.u32 %r1, [%rd1];\nld.shared.u32 %r1, [%rd1];\n\
        ld.shared.u32 %r1, [s];\nld.shared.u32 %r1, [s+4];\nld.u32 %r1, [%rd1];\nld.global.v2.u32 {%r1, %r2}, [%rd1];\n\
        ld.global.f32 %f1, [%rd1];\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], 3;\nst.shared.u32 [%rd1], %r1;\n\
        st.shared.u32 [s], %r1;\nst.global.wt.u32 [%rd1], %r1;\nst.global.v2.u32 [%rd1], {%r1, %r2};\nst.global.f32 [%rd1], %f1;\n\
        lop3.b32 %r1, %r2, %r3, %r4, 3;\nlop3.b32 %r1, %r2, %r3, %r4, 5;\nlop3.b32 %r4, %r2, %r3, 1, 5;\nmembar.gl;\nmembar.cta;\nret;\n}";

    fn kernel() -> Func {
        let source = diagnostics::Source { name: "k.ptx".to_owned(), text: KERNEL.to_owned() };
        crate::read::read(&source.into()).expect("this is PTX").funcs[0].clone()
    }

    #[test]
    fn operations_are_one_if_they_are_equal_without_operands() {
        let func = kernel();
        let ops: Vec<&Op> = func.insts.values().map(|data| &data.op).collect();
        let mut operations = Operations::default();
        let mut pairs = 0;
        for (i, a) in ops.iter().enumerate() {
            for b in &ops[..i] {
                let one = bare(a) == bare(b);
                assert_eq!(operations.of(a) == operations.of(b), one, "{a:?}\n{b:?}");
                pairs += u32::from(one);
            }
        }
        assert_eq!((ops.len(), pairs), (61, 6));
    }
}
