//! Accesses of shared memory that depend on data: whether they happen, or where.

use super::arrays::{Arrays, arrays};
use super::assumption::Assumption;
use super::known::{Known, results};
use super::partial::{Prover, refuse};
use crate::decode::Manner;
use crate::decode::{MemoryAccess, Micro, Source};
use crate::domain::{Knowledge, Touch};
use crate::exec::Stop;
use crate::hazard::Access;
use crate::rows::Row;
use crate::warp::Warp;
use ptx::inst::Space;

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
    if let Some(register) = base.register()
        && let Some(both) = warp.knowledge.named.as_ref().and_then(|named| named.alternatives(register, mask)).copied()
    {
        return at_either(machine, warp, (pc, access), mask, register, both);
    }
    let found = machine.domain.arrays.entry(pc).or_insert_with(|| arrays(code, pc)).clone();
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
    warp.thread.touched |= mask;
    let base = code.base(code.rank(warp.thread.index));
    for range in ranges {
        let range = base + range.start..base + range.end;
        let by = machine.accessor(warp, pc, mask, bytes);
        let findings = machine.shared.somewhere(range.clone(), touch, &by);
        let reads = matches!(touch, Touch::Read | Touch::StrongRead);
        if !reads {
            machine.domain.kept.forget(range.clone());
        }
        let access = if reads { Access::Read } else { Access::Write };
        machine.report(warp, pc, Space::Shared, access, findings)?;
        if let Some(order) = &mut machine.domain.order
            && let Some(conflict) = order.somewhere(warp.thread.index, range, unknown, (touch, bytes), place)
        {
            let kind = super::partial::lane_race(machine.code, warp, touch, conflict);
            machine.record(warp, pc, kind)?;
        }
    }
    if touch == Touch::Write && mask.count_ones() > 1 {
        let array = if names.is_empty() { "shared memory".to_owned() } else { names.join(" or ") };
        let text = format!("its address depends on data: lanes may write different values to one element of {array}");
        machine.domain.open(pc, code.site(warp.thread.index as u32, pc), &text);
    }
    machine.domain.guarded = outer;
    warp.knowledge.forget(&results(micro), unknown);
    if !names.is_empty() {
        let site = code.site(warp.thread.index as u32, pc);
        machine.domain.assume_once(pc, Assumption::Inside { site, variables: names });
    }
    Ok(())
}

/// Handles an access at one of two addresses of each lane: it may happen at both.
fn at_either(
    machine: &mut Prover,
    warp: &mut Warp<Known>,
    (pc, access): (u32, &MemoryAccess),
    mask: u32,
    register: u32,
    both: [Row; 2],
) -> Result<(), Stop> {
    let outer = std::mem::replace(&mut machine.domain.guarded, true);
    let mut done = Ok(());
    for row in both {
        warp.write(register, &row, mask, mask);
        done = done.and_then(|()| machine.memory_access(warp, pc, access, mask));
    }
    machine.domain.guarded = outer;
    done?;
    warp.knowledge.learn(register, 0, mask);
    if let Some(named) = &mut warp.knowledge.named {
        named.choose_of(register, both, mask);
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
