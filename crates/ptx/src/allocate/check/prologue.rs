//! Whether every warp gets a part of shared memory of its own: the instructions that compute where it begins are executed for
//! all threads of some shapes of the CTA.

use super::{Kind, Violation};
use crate::allocate::Allocation;
use crate::inst::{BinaryOp, Op, Operand, Special, TernaryOp, UnaryOp};
use crate::ir::{Inst, Reg};
use std::collections::BTreeMap;

/// The bytes of one warp's part; 0 without one.
pub fn check(allocation: &Allocation) -> Result<u32, Violation> {
    let Some((area, base)) = allocation.shared.zip(allocation.base) else { return Ok(0) };
    let func = allocation.func();
    let entry = func.layout[0];
    let wrong = Err(Violation { block: entry, inst: None, kind: Kind::Base });
    let prologue = &func.blocks[entry].insts[..allocation.prologue as usize];
    let bytes = allocation.module.variables[area].bytes;
    let shapes = match func.threads {
        Some(shape) => vec![shape],
        None => vec![[32, 1, 1], [96, 1, 1], [33, 1, 1], [16, 16, 1], [5, 3, 2], [7, 9, 11], [1024, 1, 1]],
    };
    let mut part = None;
    for shape in shapes {
        let threads = shape.iter().product::<u32>();
        for thread in 0..threads {
            let tid = [thread % shape[0], thread / shape[0] % shape[1], thread / (shape[0] * shape[1])];
            let Some(begin) = execute(allocation, prologue, base, tid, shape) else { return wrong };
            let warp = thread / 32;
            if warp == 0 && begin != 0 {
                return wrong;
            }
            if warp == 1 && part.is_none() {
                part = Some(begin);
            }
            if warp > 0 && part.is_none_or(|part| begin != warp.wrapping_mul(part)) {
                return wrong;
            }
        }
        if allocation.warps < threads.div_ceil(32) && func.threads.is_some() {
            return wrong;
        }
    }
    let part = part.map_or(bytes, u64::from);
    if part * u64::from(allocation.warps) > bytes || part % 8 != 0 { wrong } else { Ok(part as u32) }
}

/// The base in one thread, relative to the area.
fn execute(allocation: &Allocation, code: &[Inst], base: Reg, tid: [u32; 3], ntid: [u32; 3]) -> Option<u32> {
    let func = allocation.func();
    let mut values: BTreeMap<Reg, u32> = BTreeMap::new();
    for inst in code {
        let value = |operand: &Operand| match *operand {
            Operand::Reg(reg) => values.get(&reg).copied(),
            Operand::Imm(bits) => u32::try_from(bits).ok(),
            Operand::Variable(area) => (Some(area) == allocation.shared).then_some(0),
            Operand::Param(_) => None,
            Operand::Special(special) => match special {
                Special::TidX => Some(tid[0]),
                Special::TidY => Some(tid[1]),
                Special::TidZ => Some(tid[2]),
                Special::NtidX => Some(ntid[0]),
                Special::NtidY => Some(ntid[1]),
                Special::NtidZ => Some(ntid[2]),
                _ => None,
            },
        };
        let (dst, result) = match &func.insts[*inst].op {
            Op::Unary { op: UnaryOp::Mov, dst, a, .. } => (*dst, value(a)?),
            Op::Binary { op: BinaryOp::Shr, dst, a, b, .. } => (*dst, value(a)? >> value(b)?),
            Op::Ternary { op: TernaryOp::Mad, dst, a, b, c, .. } => {
                (*dst, value(a)?.wrapping_mul(value(b)?).wrapping_add(value(c)?))
            }
            _ => return None,
        };
        let register = allocation.physical[dst];
        values.retain(|other, _| !allocation.physical[*other].overlaps(register));
        values.insert(dst, result);
    }
    values.get(&base).copied()
}
