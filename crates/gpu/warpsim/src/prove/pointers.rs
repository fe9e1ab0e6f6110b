//! Parameters of 64 bits that may be pointers, told from sizes and strides by what the kernel does with them.

use ptx::inst::{Address, Base, BinaryOp, Op, Operand, Space, TernaryOp};
use ptx::ir::{Func, Param, Reg};
use ptx::visit::Part;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the parameters that may reach an address by sums. A product, a quotient or a shifted value is no pointer.
pub(super) fn pointers(func: &Func) -> BTreeSet<Param> {
    let (mut stack, mut found, mut writers) = (Vec::new(), BTreeSet::new(), BTreeMap::<Reg, Vec<&Op>>::new());
    for op in func.insts.values().map(|inst| &inst.op) {
        addresses(op, &mut |reg| stack.push(reg));
        op.parts(|part| match part {
            Part::Def(reg) | Part::Touch(reg) => writers.entry(*reg).or_default().push(op),
            // what is loaded through its address is not followed
            Part::Read(Operand::Param(param)) => drop(found.insert(*param)),
            _ => {}
        });
    }
    let mut seen: BTreeSet<Reg> = stack.iter().copied().collect();
    while let Some(reg) = stack.pop() {
        for op in writers.get(&reg).into_iter().flatten() {
            if let Op::Ld { space: Space::Param, addr: Address { base: Base::Param(param), .. }, .. } = op {
                found.insert(*param);
            }
            summands(op).into_iter().filter(|own| seen.insert(*own)).for_each(|own| stack.push(own));
        }
    }
    found
}

/// Visits the registers that the instruction uses as addresses, or gives to code that may.
fn addresses(op: &Op, visit: &mut impl FnMut(Reg)) {
    match op {
        Op::Cvta { a: Operand::Reg(reg), .. } => visit(*reg),
        Op::St { space: Space::Param, src, .. } => {
            src.iter().filter_map(|operand| operand.reg()).for_each(visit);
        }
        Op::Opaque { .. } => op.parts(|part| match part {
            Part::Touch(reg) | Part::At(Address { base: Base::Reg(reg), .. }) => visit(*reg),
            _ => {}
        }),
        _ => op.parts(|part| {
            if let Part::At(Address { base: Base::Reg(reg), .. }) = part {
                visit(*reg);
            }
        }),
    }
}

/// Returns the registers whose values go into the result as they are, or as parts of a sum.
fn summands(op: &Op) -> Vec<Reg> {
    let operands = match op {
        Op::Binary {
            op: BinaryOp::Mul | BinaryOp::MulWide | BinaryOp::MulHi | BinaryOp::Div | BinaryOp::Rem, ..
        } => vec![],
        Op::Binary { op: BinaryOp::Shl | BinaryOp::Shr, .. } => vec![],
        Op::Ternary { op: TernaryOp::Mad | TernaryOp::MadWide, c, .. } => vec![*c],
        Op::Selp { a, b, .. } | Op::Slct { a, b, .. } => vec![*a, *b],
        Op::Setp { .. } | Op::Set { .. } => vec![],
        op if op.only_computes() => {
            let mut all = Vec::new();
            op.parts(|part| {
                if let Part::Read(operand) = part {
                    all.push(*operand)
                }
            });
            all
        }
        _ => vec![],
    };
    operands.into_iter().filter_map(|operand| operand.reg()).collect()
}
