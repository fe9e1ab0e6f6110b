//! Numbers of values: two computations have one number if they apply one operation to equal values.

use cranelift_entity::EntityRef;
use ptx::inst::{Address, Base, Op, Operand, Type};
use ptx::ir::Reg;
use ptx::visit::PartMut;
use std::collections::HashMap;

/// The number of a value; of a predicate twice that, and one more for its negation.
pub type Number = u32;

/// The predicate that always holds; its negation is one more.
pub const TRUE: Number = 0;

/// Definition of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum What {
    /// Value of a register where both functions begin.
    Start(Reg),
    /// Value of a register that nobody wrote, in one of the functions.
    Unwritten(Side, Reg),
    Constant(u64),
    /// Sum of a value and a constant, in so many bytes.
    Sum(Number, u64, u32),
    /// Value of an operand that is neither a register nor a constant.
    Operand(Operand),
    /// The second value under the first, else the third.
    Either(Number, Number, Number),
    /// An operation that names nothing, on the values of what it names.
    Operation(Op, Vec<Number>),
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
#[derive(Default)]
pub struct Numbers {
    known: HashMap<What, Number>,
    /// Those that others are made of by addition: the base and the offset of a sum, and the bits of a constant.
    sums: HashMap<Number, (Number, u64)>,
    constants: HashMap<Number, u64>,
}

impl Numbers {
    pub fn number(&mut self, what: What) -> Number {
        let next = 2 * self.known.len() as Number + 2;
        *self.known.entry(what).or_insert(next)
    }

    pub fn constant(&mut self, bits: u64) -> Number {
        let number = self.number(What::Constant(bits));
        self.constants.insert(number, bits);
        number
    }

    /// The constant that a value is.
    pub fn as_constant(&self, number: Number) -> Option<u64> {
        self.constants.get(&number).copied()
    }

    /// A value plus a constant, in the ring of the type.
    pub fn sum(&mut self, number: Number, offset: i64, ty: Type) -> Number {
        let (base, before) = self.sums.get(&number).copied().unwrap_or((number, 0));
        match before.wrapping_add(offset as u64) & ty.mask() {
            0 => base,
            offset => {
                let sum = self.number(What::Sum(base, offset, ty.bytes()));
                self.sums.insert(sum, (base, offset));
                sum
            }
        }
    }

    /// An operand that is no register.
    pub fn operand(&mut self, operand: Operand) -> Number {
        match operand {
            Operand::Imm(bits) => self.constant(bits),
            other => self.number(What::Operand(other)),
        }
    }
}

/// An operation that names nothing.
pub fn bare(op: &Op) -> Op {
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
    use ptx::inst::Special;

    /// One of each kind, and others that differ from it in one part.
    fn values() -> Vec<What> {
        let reg = |number| Reg::new(number);
        let mut values: Vec<What> = [1, 2].map(|n| What::Start(reg(n))).to_vec();
        for n in [1, 2] {
            values.extend([Side::Before, Side::After].map(|side| What::Unwritten(side, reg(n))));
        }
        values.extend([0, 1, 1 << 32, u64::MAX].map(What::Constant));
        values.extend([Special::TidX, Special::TidY].map(|special| What::Operand(Operand::Special(special))));
        let operations = [Type::U32, Type::U64].map(|ty| Op::Selp {
            ty,
            dst: reg(0),
            a: Operand::Imm(0),
            b: Operand::Imm(0),
            pred: reg(0),
        });
        for operation in operations {
            let lists = [vec![], vec![1], vec![2], vec![1, 2], vec![2, 1]];
            values.extend(lists.map(|list| What::Operation(operation.clone(), list)));
        }
        for (a, b) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
            values.push(What::Guarded(a, b));
            for c in [1, 2] {
                values.extend([What::Either(a, b, c), What::Result(a, b, c)]);
            }
            for offset in [1, 2, 1 << 32] {
                values.push(What::Sum(a, offset, b));
            }
        }
        values
    }

    #[test]
    fn values_that_differ_in_one_part_have_numbers_of_their_own() {
        let mut numbers = Numbers::default();
        let found: Vec<Number> = values().into_iter().map(|what| numbers.number(what)).collect();
        let mut all = found.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), found.len());
        assert!(all.iter().all(|number| number.is_multiple_of(2) && number >> 1 != TRUE >> 1));
        let again: Vec<Number> = values().into_iter().map(|what| numbers.number(what)).collect();
        assert_eq!(found, again);
    }

    #[test]
    fn sums_of_sums_are_sums() {
        let mut numbers = Numbers::default();
        let base = numbers.number(What::Start(Reg::new(3)));
        let once = numbers.sum(base, 5, Type::U32);
        assert_eq!(numbers.sum(once, -5, Type::U32), base);
        assert_eq!(numbers.sum(base, 1 << 32, Type::U32), base);
        assert_ne!(numbers.sum(base, 5, Type::U64), once);
        let constant = numbers.constant(7);
        assert_eq!([constant, base].map(|number| numbers.as_constant(number)), [Some(7), None]);
        assert_eq!(numbers.as_constant(constant + 1), None);
    }

    #[test]
    fn operations_that_differ_in_what_they_name_are_one() {
        const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n\
            .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [out];\n\
            add.u32 %r1, %r2, %r3;\nadd.u32 %r2, %r3, 5;\nadd.s32 %r1, %r2, %r3;\nsetp.eq.and.u32 %p1, %r1, %r2, %p3;\n\
            setp.eq.and.u32 %p1, %r1, %r2, !%p3;\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2+8];\n\
            ld.global.cg.u32 %r1, [%rd1];\nld.shared.u32 %r1, [s];\nld.shared.u32 %r1, [s+4];\n\
            ld.global.v2.u32 {%r1, %r2}, [%rd1];\nret;\n}";
        let func = ptx::read::text("k.ptx", KERNEL).expect("this is PTX").funcs[0].clone();
        let ops: Vec<Op> = func.insts.values().map(|data| bare(&data.op)).collect();
        let pairs = (0..ops.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
        let one: Vec<(usize, usize)> = pairs.filter(|(i, j)| ops[*i] == ops[*j]).collect();
        assert_eq!((ops.len(), one), (12, vec![(1, 2), (6, 7)]));
    }
}
