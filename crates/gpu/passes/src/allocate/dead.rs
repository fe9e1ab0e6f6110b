//! Drops instructions whose results nobody reads; values that are computed again leave such behind.

use cranelift_entity::EntityRef;
use ptx::analysis::access::Accesses;
use ptx::analysis::liveness::Liveness;
use ptx::inst::{Op, Space};
use ptx::ir::{Func, Reg};
use std::collections::BTreeSet;

/// One pass; whether anything was dropped. Instructions from number `inserted` on are spill code, whose loads have no
/// other effect either.
pub fn run(func: &mut Func, liveness: &Liveness, accesses: &Accesses, inserted: usize) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let mut live: BTreeSet<Reg> = liveness.live_out(block).iter().copied().collect();
        live.extend(func.blocks[block].terminator.condition());
        let mut kept = Vec::new();
        for inst in func.blocks[block].insts.iter().rev() {
            let written = accesses.writes(*inst);
            let reload = inst.index() >= inserted && matches!(func.insts[*inst].op, Op::Ld { .. });
            if (reload || pure(&func.insts[*inst].op)) && !written.iter().any(|reg| live.contains(reg)) {
                changed = true;
                continue;
            }
            if func.insts[*inst].guard.is_none() {
                written.iter().for_each(|reg| _ = live.remove(reg));
            }
            live.extend(accesses.reads(*inst));
            kept.push(*inst);
        }
        kept.reverse();
        func.blocks[block].insts = kept;
    }
    changed
}

/// The instruction does nothing but make its results, from what never changes.
fn pure(op: &Op) -> bool {
    op.only_computes() || matches!(op, Op::Ld { space: Space::Param | Space::Const, .. })
}
