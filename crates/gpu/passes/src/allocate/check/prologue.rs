//! Whether every warp gets a part of shared memory of its own, and every thread slots of its own: the instructions that compute
//! where they begin are executed for all threads of some shapes of the CTA.

use super::{Kind, Violation};
use crate::allocate::Allocation;
use crate::allocate::prologue::Owner;
use ptx::inst::{BinaryOp, Cmp, Op, Operand, Special, TernaryOp, Type, UnaryOp};
use ptx::ir::{Inst, Reg, Variable};
use std::collections::BTreeMap;

/// The memory for spilling that belongs to one warp, and to one thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct Parts {
    /// Bytes of a warp's part; 0 without one.
    pub warp: u32,
    /// Bytes of one thread in each row of threads' own slots.
    unit: i64,
    /// Bytes of a row, and of all rows.
    row: i64,
    rows: i64,
}

impl Parts {
    /// Returns the number of the thread's own byte, row after row, at that distance from its first one; `None` if it is another thread's.
    pub fn own_byte(&self, offset: i64, bytes: u32) -> Option<i64> {
        if self.row == 0 || offset < 0 {
            return None;
        }
        let (row, inside) = (offset / self.row, offset % self.row);
        let fits = inside + i64::from(bytes) <= self.unit && (row + 1) * self.row <= self.rows;
        fits.then_some(row * self.unit + inside)
    }
}

/// The parts, if they lie apart and inside their areas.
pub fn check(allocation: &Allocation) -> Result<Parts, Violation> {
    let wrong = Violation { block: allocation.func().layout[0], inst: None, kind: Kind::Base };
    let mut parts = Parts::default();
    let bytes = |area: Variable| allocation.module.variables[area].bytes;
    if let Some((area, base)) = allocation.shared.zip(allocation.base) {
        let part = distance(allocation, area, base, 32).ok_or(wrong.clone())?;
        let part = part.map_or(bytes(area), u64::from);
        if part * u64::from(allocation.warps) > bytes(area) || part % 8 != 0 {
            return Err(wrong);
        }
        parts.warp = part as u32;
        if allocation.elected.is_some_and(|elected| !elects(allocation, area, elected)) {
            return Err(wrong);
        }
    }
    if let Some((area, base)) = allocation.own.zip(allocation.own_base) {
        let unit = distance(allocation, area, base, 1).flatten().filter(|unit| [4, 8].contains(unit));
        let unit = i64::from(unit.ok_or(wrong.clone())?);
        let row = unit * 32 * i64::from(allocation.warps);
        parts = Parts { unit, row, rows: bytes(area) as i64 / row * row, ..parts };
    }
    Ok(parts)
}

/// Returns the owner of the part of an area that begins in a register behind the prologue, if one begins there.
pub fn owner(allocation: &Allocation, area: Variable, base: Reg) -> Option<Owner> {
    let apart = |threads| distance(allocation, area, base, threads);
    match apart(1) {
        Some(Some(4 | 8)) => Some(Owner::Thread),
        _ => apart(32).filter(|distance| *distance != Some(0)).map(|_| Owner::Warp),
    }
}

/// Whether a prologue may have the instruction.
pub fn executable(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary { op: UnaryOp::Mov, .. }
            | Op::Binary { op: BinaryOp::Shr, .. }
            | Op::Ternary { op: TernaryOp::Mad, .. }
            | Op::Setp { cmp: Cmp::Eq, ty: Type::U32, other: None, combine: None, .. }
    )
}

/// Returns the distance of the parts of two groups of so many threads, where it is the same for all threads of all shapes; `Some(None)` when
/// there is one group only.
fn distance(allocation: &Allocation, area: Variable, base: Reg, threads_per_part: u32) -> Option<Option<u32>> {
    let func = allocation.func();
    let prologue = &func.blocks[func.layout[0]].insts[..allocation.prologue as usize];
    let mut distance = None;
    for shape in shapes(allocation) {
        let threads = shape.iter().product::<u32>();
        for thread in 0..threads {
            let begin = execute(allocation, prologue, area, base, thread, shape)?.wrapping_sub(AREA);
            let number = thread / threads_per_part;
            if number == 0 && begin != 0 {
                return None;
            }
            if number == 1 && distance.is_none() {
                distance = Some(begin);
            }
            if number > 0 && distance.is_none_or(|distance| begin != number.wrapping_mul(distance)) {
                return None;
            }
        }
        if allocation.warps < threads.div_ceil(32) && allocation.block.is_some() {
            return None;
        }
    }
    Some(distance)
}

/// Whether a predicate is true behind the prologue in the first lane of each warp, and in no other. That lane always exists.
pub fn elects(allocation: &Allocation, area: Variable, elected: Reg) -> bool {
    let func = allocation.func();
    let prologue = &func.blocks[func.layout[0]].insts[..allocation.prologue as usize];
    shapes(allocation).into_iter().all(|shape| {
        (0..shape.iter().product::<u32>()).all(|thread| {
            execute(allocation, prologue, area, elected, thread, shape) == Some(u32::from(thread.is_multiple_of(32)))
        })
    })
}

/// The shape of the CTA, or a few.
fn shapes(allocation: &Allocation) -> Vec<[u32; 3]> {
    match allocation.block {
        Some(shape) => vec![shape],
        None => vec![[32, 1, 1], [96, 1, 1], [33, 1, 1], [16, 16, 1], [5, 3, 2], [7, 9, 11], [1024, 1, 1]],
    }
}

/// Where the area is taken to begin: nothing that is computed from numbers of threads alone comes near.
const AREA: u32 = 0x5555_0000;

/// Returns the content of a register in one thread behind the code.
fn execute(
    allocation: &Allocation,
    code: &[Inst],
    area: Variable,
    reg: Reg,
    thread: u32,
    ntid: [u32; 3],
) -> Option<u32> {
    let func = allocation.func();
    let tid = [thread % ntid[0], thread / ntid[0] % ntid[1], thread / (ntid[0] * ntid[1])];
    let mut values: BTreeMap<Reg, u32> = BTreeMap::new();
    for inst in code {
        let value = |operand: &Operand| match *operand {
            Operand::Reg(reg) => values.get(&reg).copied(),
            Operand::Imm(bits) => u32::try_from(bits).ok(),
            Operand::Variable(other) => (other == area).then_some(AREA),
            Operand::Param(_) => None,
            Operand::Special(special) => match special {
                Special::LaneId => Some(thread % 32),
                Special::TidX => Some(tid[0]),
                Special::TidY => Some(tid[1]),
                Special::TidZ => Some(tid[2]),
                Special::NtidX => Some(ntid[0]),
                Special::NtidY => Some(ntid[1]),
                Special::NtidZ => Some(ntid[2]),
                _ => None,
            },
        };
        let sum = |a: u32, b: u32, c: u32| a.wrapping_mul(b).wrapping_add(c);
        let (dst, result) = match &func.insts[*inst].op {
            Op::Unary { op: UnaryOp::Mov, dst, a, .. } => (*dst, value(a)),
            Op::Binary { op: BinaryOp::Shr, dst, a, b, .. } => {
                (*dst, value(a).zip(value(b)).and_then(|(a, b)| a.checked_shr(b)))
            }
            Op::Ternary { op: TernaryOp::Mad, dst, a, b, c, .. } => {
                (*dst, value(a).zip(value(b)).zip(value(c)).map(|((a, b), c)| sum(a, b, c)))
            }
            Op::Setp { cmp: Cmp::Eq, dst, a, b, .. } => (*dst, value(a).zip(value(b)).map(|(a, b)| u32::from(a == b))),
            _ => return None,
        };
        let register = allocation.physical[dst];
        values.retain(|other, _| !allocation.physical[*other].overlaps(register));
        values.extend(result.map(|result| (dst, result)));
    }
    values.get(&reg).copied()
}
