//! Values that data choose from a few, lane by lane: such as the address of one of two slots of a thread, or of a counter of a
//! histogram of the warp.

use super::known::Known;
use crate::decode::{Code, Compute, MemoryAccess, Micro, Source, Test};
use crate::domain::Knowledge;
use crate::lanes::holds;
use crate::rows::Row;
use crate::warp::Warp;
use ptx::inst::{BinaryOp, Op, TernaryOp, UnaryOp};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Registers whose lanes hold one of a few values.
#[derive(Default)]
pub(super) struct Choices {
    /// The values, and the lanes.
    rows: BTreeMap<u32, (Rc<[Row]>, u32)>,
    /// Results of the instruction that is being executed, in these lanes.
    pending: Option<(u32, u32, Vec<Few>)>,
}

/// A register and its values.
type Few = (u32, Rc<[Row]>);

/// Values of one lane after which all count as unknown.
const MOST: usize = 256;

impl Choices {
    /// Returns the values of the register, if the lanes of the mask have one of a few.
    pub(super) fn get(&self, row: u32, mask: u32) -> Option<&Rc<[Row]>> {
        self.rows.get(&row).filter(|(_, lanes)| mask & !lanes == 0).map(|(values, _)| values)
    }

    /// Notes that the lanes of the mask hold one of the values.
    pub(super) fn note(&mut self, row: u32, values: Rc<[Row]>, mask: u32) {
        self.rows.insert(row, (values, mask));
    }

    /// Notes that the lanes of the mask hold another value.
    pub(super) fn forget(&mut self, row: u32, mask: u32) {
        if let Some((_, lanes)) = self.rows.get_mut(&row) {
            *lanes &= !mask;
        }
    }
}

/// Computes in front of an instruction the values that its results may have; returns how many that are.
pub(super) fn prepare(code: &Code, warp: &mut Warp<Known>, pc: u32, active: u32) -> u64 {
    let op = &code.ops[pc as usize];
    let mask = match op.guard {
        None => active,
        Some((pred, _)) if active & !warp.knowledge.pred(pred) != 0 => 0,
        Some(guard) => active & holds(&warp.preds, guard),
    };
    if let Some(choices) = &mut warp.knowledge.choices {
        choices.pending = None;
    }
    let Some(choices) = warp.knowledge.choices.as_ref().filter(|_| mask != 0) else { return 0 };
    let results: Vec<Few> = match &op.micro {
        Micro::MemoryAccess(MemoryAccess::Load { bytes: 1, extend: 0, d, .. }) => {
            let all: Rc<[Row]> = (0..256).map(|value| [value; 32]).collect();
            d.iter().map(|d| (*d, Rc::clone(&all))).collect()
        }
        micro => {
            let chosen = computed(warp, choices, &code.pool, micro, mask);
            chosen.or_else(|| drawn(code, warp, pc, mask)).into_iter().collect()
        }
    };
    let count = results.iter().map(|(_, values)| values.len() as u64).sum();
    if let Some(choices) = &mut warp.knowledge.choices {
        choices.pending = Some((pc, mask, results));
    }
    count
}

/// Notes the results behind it, where they are not known.
pub(super) fn follow(warp: &mut Warp<Known>, pc: u32) {
    let Some(choices) = &mut warp.knowledge.choices else { return };
    let Some((_, mask, results)) = choices.pending.take().filter(|(at, ..)| *at == pc) else { return };
    for (row, values) in results {
        if mask & warp.knowledge.row(row) == 0
            && let Some(choices) = &mut warp.knowledge.choices
        {
            choices.note(row, values, mask);
        }
    }
}

/// Returns the register that an instruction writes and its values, if data choose its only unknown operand from a few values, or one of
/// two known operands.
fn computed(warp: &Warp<Known>, choices: &Choices, pool: &[Row], micro: &Micro, mask: u32) -> Option<Few> {
    let is_known = |source: &Source| mask & !warp.knows(*source) == 0;
    let row = |source: &Source| *source.row(&warp.regs, pool);
    let (d, sources): (u32, Vec<Source>) = match micro {
        Micro::Test(Test::Select { d, a, b, .. }) if is_known(a) && is_known(b) => {
            return Some((*d, Rc::new([row(a), row(b)])));
        }
        Micro::Compute(Compute::Map1 { d, a, .. }) => (*d, vec![*a]),
        Micro::Compute(Compute::Map2 { d, a, b, .. }) => (*d, vec![*a, *b]),
        Micro::Compute(Compute::Map3 { d, a, b, c, .. }) => (*d, vec![*a, *b, *c]),
        Micro::Compute(Compute::Each { d, sources, .. }) => (*d, sources.to_vec()),
        _ => return None,
    };
    let mut chosen = sources.iter().filter(|source| !is_known(source)).filter_map(|source| source.register());
    let unknown = chosen.next()?;
    let values = choices.get(unknown, mask).filter(|_| chosen.all(|other| other == unknown))?;
    let with = |value: &Row| {
        let of = |source: &Source| if source.register() == Some(unknown) { *value } else { row(source) };
        match micro {
            Micro::Compute(Compute::Map1 { f, a, .. }) => f(&of(a)),
            Micro::Compute(Compute::Map2 { f, a, b, .. }) => f(&of(a), &of(b)),
            Micro::Compute(Compute::Map3 { f, a, b, c, .. }) => f(&of(a), &of(b), &of(c)),
            Micro::Compute(Compute::Each { f, sources, .. }) => {
                let rows = [of(&sources[0]), of(&sources[1]), of(&sources[2])];
                std::array::from_fn(|lane| if mask >> lane & 1 == 1 { f(rows.map(|row| row[lane])) } else { 0 })
            }
            _ => [0; 32],
        }
    };
    Some((d, values.iter().map(with).collect()))
}

/// Returns the register that an instruction writes and its values, if it leaves few of an unknown operand.
fn drawn(code: &Code, warp: &Warp<Known>, pc: u32, mask: u32) -> Option<Few> {
    let (d, sources): (u32, &[Source]) = match &code.ops[pc as usize].micro {
        Micro::Compute(Compute::Map1 { d, a, .. }) => (*d, &[*a]),
        Micro::Compute(Compute::Map2 { d, a, b, .. }) => (*d, &[*a, *b]),
        Micro::Compute(Compute::Map3 { d, a, b, c, .. }) => (*d, &[*a, *b, *c]),
        Micro::Compute(Compute::Each { d, sources, .. }) => (*d, sources),
        _ => return None,
    };
    let first = mask.trailing_zeros() as usize;
    let known = |source: &Source| {
        let row = source.row(&warp.regs, &code.pool);
        let same = (0..32).all(|lane| mask >> lane & 1 == 0 || row[lane] == row[first]);
        (same && mask & !warp.knows(*source) == 0).then_some(row[first])
    };
    let (_, data) = code.instruction(pc)?;
    let values: Vec<u64> = match &data.op {
        Op::Binary { op: BinaryOp::And, ty, .. } => {
            let bits = known(&sources[0]).or_else(|| known(&sources[1]))? & ty.mask();
            parts_of(bits)?
        }
        Op::Binary { op: BinaryOp::Shr, ty, .. } if !ty.is_signed() => {
            let left = u64::from(8 * ty.bytes()).saturating_sub(known(&sources[1])?);
            below(1u64.checked_shl(left as u32)?)?
        }
        Op::Binary { op: BinaryOp::Rem, ty, .. } if !ty.is_signed() && !ty.is_float() => below(known(&sources[1])?)?,
        Op::Binary { op: BinaryOp::Min, ty, .. } if !ty.is_signed() && !ty.is_float() => {
            below(known(&sources[0]).or_else(|| known(&sources[1]))?.checked_add(1)?)?
        }
        Op::Ternary { op: TernaryOp::Bfe, ty, .. } if !ty.is_signed() => {
            below(1u64.checked_shl(known(&sources[2])? as u32 & 0xff)?)?
        }
        Op::Unary { op: UnaryOp::Popc, .. } => below(65)?,
        Op::Cvt { from, to, .. } if from.bytes() == 1 && !from.is_signed() && !to.is_float() => below(256)?,
        _ => return None,
    };
    Some((d, values.into_iter().map(|value| [value; 32]).collect()))
}

/// Returns the numbers that have only bits of the given one.
fn parts_of(bits: u64) -> Option<Vec<u64>> {
    if bits.count_ones() > MOST.ilog2() {
        return None;
    }
    let (mut all, mut part) = (vec![0], bits);
    while part != 0 {
        all.push(part);
        part = (part - 1) & bits;
    }
    Some(all)
}

/// Returns the numbers from 0 to below the end.
fn below(end: u64) -> Option<Vec<u64>> {
    (1..=MOST as u64).contains(&end).then(|| (0..end).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_with_these_bits() {
        let mut parts = parts_of(0b1010).unwrap();
        parts.sort_unstable();
        assert_eq!(parts, [0, 0b10, 0b1000, 0b1010]);
        assert_eq!(parts_of(0x1ff), None);
        assert_eq!(parts_of(0xff00).unwrap().len(), 256);
    }
}
