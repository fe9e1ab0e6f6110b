//! Accesses of shared memory that depend on data: whether they happen, or where.

use super::arrays::{Arrays, arrays};
use super::assumption::Assumption;
use super::known::{Known, results};
use super::partial::{Prover, now, refuse};
use crate::decode::Manner;
use crate::decode::{MemoryAccess, Micro, Source};
use crate::domain::{Knowledge, Touch};
use crate::exec::Stop;
use crate::hazard::Access;
use crate::rows::Row;
use crate::shared::ADDRESS_MASK;
use crate::warp::Warp;
use ptx::inst::Space;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Handles an access under a guard that depends on data: the lanes of `possible` may execute it.
pub(super) fn guarded(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, possible: u32) -> Result<(), Stop> {
    let micro = &machine.code.ops[pc as usize].micro;
    let Micro::MemoryAccess(access) = micro else {
        return Err(refuse(machine, warp, pc, "is executed or not depending on data"));
    };
    if possible != 0 {
        let outer = std::mem::replace(&mut machine.domain.guarded, true);
        let done = machine.memory_access(warp, pc, access, possible);
        machine.domain.guarded = outer;
        done?;
        warp.knowledge.forget(&results(micro), possible);
    }
    Ok(())
}

/// Handles an access with unknown addresses: it may touch any element of the array that they are computed from.
pub(super) fn anywhere(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, mask: u32) -> Result<(), Stop> {
    let code = machine.code;
    let micro = &code.ops[pc as usize].micro;
    let Micro::MemoryAccess(access) = micro else {
        return Err(refuse(machine, warp, pc, "its address depends on data"));
    };
    let weak = code.conducts[pc as usize].manner == Manner::Weak;
    let (base, bytes, touch) = base_of(access, weak);
    if !matches!(touch, Touch::Read | Touch::StrongRead) {
        machine.domain.spins.store_somewhere();
    }
    machine.domain.parted = true;
    let found = machine.domain.arrays.entry(pc).or_insert_with(|| arrays(code, pc)).clone();
    if let Some(register) = base.register()
        && let Some(values) = warp.knowledge.choices.as_ref().and_then(|choices| choices.get(register, mask)).cloned()
        && (values.len() == 2 || are_inside(access, &values, mask, found.as_ref()))
        && (machine.domain.order.is_some() || touch != Touch::Write || are_apart(&values, mask, bytes))
    {
        return at_each(machine, warp, (pc, access), mask, register, values);
    }
    let found = found.filter(|_| code.ranks == 1 || access.space() == Space::Shared);
    let Some(Arrays { ranges, names }) = found else {
        return Err(refuse(machine, warp, pc, "its generic address depends on data"));
    };
    let known = mask & warp.knows(base);
    if known != 0 {
        machine.memory_access(warp, pc, access, known)?;
    }
    let unknown = mask & !known;
    let outer = std::mem::replace(&mut machine.domain.guarded, true);
    let place = machine.mark(pc);
    warp.thread.touch(mask);
    let base = code.base(code.rank(warp.thread.index));
    for range in ranges {
        let range = base + range.start..base + range.end;
        let by = machine.accessor(warp, pc, mask, bytes);
        let findings = machine.shared.somewhere(range.clone(), touch, &by);
        let reads = matches!(touch, Touch::Read | Touch::StrongRead);
        if !reads {
            machine.domain.forget(range.clone());
        }
        let access = if reads { Access::Read } else { Access::Write };
        machine.report(warp, pc, Space::Shared, access, findings)?;
        if let Some(order) = &mut machine.domain.order
            && let Some(conflict) = order.somewhere(now(&warp.thread), range, unknown, (touch, bytes), place)
        {
            let kind = super::partial::lane_race(machine.code, warp, touch, conflict);
            machine.record(warp, pc, kind)?;
        }
    }
    if touch == Touch::Write && mask.count_ones() > 1 {
        let array = if names.is_empty() { "shared memory".to_owned() } else { names.join(" or ") };
        let text = format!("its address depends on data: lanes may write different values to one element of {array}");
        machine.domain.open(pc, || code.site(warp.thread.index as u32, pc), &text);
    }
    machine.domain.guarded = outer;
    warp.knowledge.forget(&results(micro), unknown);
    if !names.is_empty() {
        let site = || code.site(warp.thread.index as u32, pc);
        machine.domain.assume_once(pc, || Assumption::Inside { site: site(), variables: names });
    }
    Ok(())
}

/// Whether an access of shared memory at each of these addresses lies in the variables that the address is computed from.
fn are_inside(access: &MemoryAccess, values: &[Row], mask: u32, arrays: Option<&Arrays>) -> bool {
    let (MemoryAccess::Load { offset, bytes, .. }
    | MemoryAccess::Store { offset, bytes, .. }
    | MemoryAccess::Atomic { offset, bytes, .. }) = access;
    let parts = if let MemoryAccess::Store { a, .. } = access { a.len() as u64 } else { 1 };
    let end = u64::from(*bytes) * parts;
    let inside = |value: u64| {
        let start = value.wrapping_add(*offset) & ADDRESS_MASK;
        let fits = |range: &Range<u64>| range.start <= start && start + end <= range.end;
        start.is_multiple_of((*bytes).into()) && arrays.is_some_and(|arrays| arrays.ranges.iter().any(fits))
    };
    let all = |row: &Row| (0..32).all(|lane| mask >> lane & 1 == 0 || inside(row[lane]));
    access.space() == Space::Shared && values.iter().all(all)
}

/// Whether no two lanes may access the same bytes.
fn are_apart(values: &[Row], mask: u32, bytes: u32) -> bool {
    let lanes = (0..32).filter(|lane| mask >> lane & 1 == 1);
    let all = lanes.flat_map(|lane| values.iter().map(move |row| (row[lane], lane)));
    let all: BTreeSet<(u64, usize)> = all.collect();
    all.iter().zip(all.iter().skip(1)).all(|((a, of_a), (b, of_b))| of_a == of_b || b - a >= u64::from(bytes))
}

/// Handles an access at one of a few addresses of each lane: it may happen at all of them.
fn at_each(
    machine: &mut Prover,
    warp: &mut Warp<Known>,
    (pc, access): (u32, &MemoryAccess),
    mask: u32,
    register: u32,
    values: Rc<[Row]>,
) -> Result<(), Stop> {
    let outer = std::mem::replace(&mut machine.domain.guarded, true);
    let mut done = Ok(());
    for row in values.iter() {
        warp.write(register, row, mask, mask);
        done = done.and_then(|()| machine.memory_access(warp, pc, access, mask));
    }
    machine.domain.guarded = outer;
    done?;
    machine.budget = machine.budget.saturating_sub(values.len() as u64);
    warp.knowledge.learn(register, 0, mask);
    if let Some(choices) = &mut warp.knowledge.choices {
        choices.note(register, values, mask);
    }
    warp.knowledge.forget(&results(&machine.code.ops[pc as usize].micro), mask);
    Ok(())
}

/// Returns the base of an access's address, its bytes, and the kind of the access.
fn base_of(access: &MemoryAccess, weak: bool) -> (Source, u32, Touch) {
    match access {
        MemoryAccess::Load { base, bytes, .. } if weak => (*base, *bytes, Touch::Read),
        MemoryAccess::Load { base, bytes, .. } => (*base, *bytes, Touch::StrongRead),
        MemoryAccess::Store { base, bytes, .. } if weak => (*base, *bytes, Touch::Write),
        MemoryAccess::Store { base, bytes, .. } => (*base, *bytes, Touch::StrongWrite),
        MemoryAccess::Atomic { base, bytes, .. } => (*base, *bytes, Touch::Atomic),
    }
}

/// Returns the lanes of `active` for which a guard may hold.
pub(super) fn possible(warp: &Warp<Known>, guard: Option<(u32, bool)>, active: u32) -> u32 {
    let Some((pred, negate)) = guard else { return active };
    let (known, holds) = (warp.knowledge.pred(pred), crate::lanes::holds(&warp.preds, (pred, negate)));
    active & (holds | !known)
}
