//! Decides where spilled registers are kept.

use super::facts::Facts;
use super::options::Options;
use super::spill_location::{Known, Row, SpillLocation};
use ptx::inst::Type;
use ptx::ir::{Func, Reg};
use std::collections::BTreeMap;

/// Shared memory that is spoken for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// Bytes of a warp's slots.
    warp: u32,
    /// Bytes of a thread's own slots.
    thread: u32,
}

impl Used {
    /// With one more slot: sizes are summed, as if no slot were ever shared and each of a warp were aligned.
    fn with(self, row: Row, bytes: u32) -> Self {
        match row {
            Row::Own => Self { thread: self.thread + bytes, ..self },
            _ => Self { warp: self.warp + bytes.next_multiple_of(8), ..self },
        }
    }

    /// Bytes per warp.
    fn per_warp(self) -> u32 {
        self.warp + 32 * self.thread.next_multiple_of(8)
    }
}

/// The locations of registers, each with the cost that spilling it was estimated to have. Where shared memory does not suffice,
/// those get it that save most per byte.
pub fn decide(
    func: &Func,
    facts: &Facts,
    options: &Options,
    used: &mut Used,
    spilled: &[(Reg, f64)],
) -> BTreeMap<Reg, SpillLocation> {
    let Options { rewriting, own_slots, shared: budget, .. } = *options;
    let row = |reg: Reg| {
        let ty = func.regs[reg].class();
        let row = rewriting.row(facts.known[reg], matches!(ty, Type::B32 | Type::B64));
        match if row.shared() && facts.contested.contains(&reg) { Row::Local } else { row } {
            Row::Local if own_slots => Row::Own,
            row => row,
        }
    };
    let benefit = |(reg, cost): &(Reg, f64)| {
        let row = row(*reg);
        let lanes = if row == Row::Own { 32 } else { 1 };
        cost * (Row::Local.cost() - row.cost()) / f64::from(lanes * slot_bytes(func, *reg))
    };
    let mut order = spilled.to_vec();
    order.sort_by(|a, b| benefit(b).total_cmp(&benefit(a)).then(a.0.cmp(&b.0)));
    let mut locations = BTreeMap::new();
    for (reg, _) in order {
        let bytes = slot_bytes(func, reg);
        let mut row = row(reg);
        if row.shared() || row == Row::Own {
            let more = used.with(row, bytes);
            match more.per_warp() <= budget.per_warp() {
                true => *used = more,
                false => row = Row::Local,
            }
        }
        locations.insert(reg, location(row, facts.known[reg]));
    }
    locations
}

/// Offsets are given when all locations are known.
fn location(row: Row, known: Known) -> SpillLocation {
    match (row, known) {
        (Row::Constant, Known::Constant(value)) => SpillLocation::Constant { value },
        (Row::Affine, Known::Affine { stride, base: Some(base) }) => SpillLocation::Affine { stride, base },
        (Row::Residual, Known::Affine { stride, .. }) => SpillLocation::Residual { stride, offset: 0 },
        (Row::Uniform, _) => SpillLocation::Shared { offset: 0 },
        (Row::Own, _) => SpillLocation::Own { offset: 0 },
        _ => SpillLocation::Local { offset: 0 },
    }
}

/// The bytes of a register's slot. Predicates are kept as words.
pub fn slot_bytes(func: &Func, reg: Reg) -> u32 {
    func.regs[reg].bytes().max(4)
}
