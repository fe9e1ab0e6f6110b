//! Barriers of the warp around the stores to what all its lanes read: from sm_70 on the lanes of a warp are threads of their own, and
//! no access of one is behind that of another but by such a barrier.

use ptx::inst::{InstData, Op, Operand};
use ptx::ir::{Func, Inst};
use std::collections::BTreeMap;

/// An access to bytes of the warp's part.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    pub begin: u32,
    pub end: u32,
    pub store: bool,
}

/// Puts a barrier between two accesses of which one writes what the other reads or writes. Within a block; no write stays
/// open at its end, and other blocks may have read everything before it.
pub fn insert(func: &mut Func, touches: &BTreeMap<Inst, Touch>) {
    for block in func.layout.clone() {
        let old = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(old.len());
        let anything = Touch { begin: 0, end: u32::MAX, store: false };
        let mut open = vec![anything];
        for inst in old {
            if let Some(touch) = touches.get(&inst) {
                if open.iter().any(|earlier| conflict(earlier, touch)) {
                    new.push(barrier(func));
                    open.clear();
                }
                open.push(*touch);
            }
            new.push(inst);
        }
        if open.iter().any(|touch| touch.store) {
            new.push(barrier(func));
        }
        func.blocks[block].insts = new;
    }
}

fn conflict(a: &Touch, b: &Touch) -> bool {
    (a.store || b.store) && a.begin < b.end && b.begin < a.end
}

fn barrier(func: &mut Func) -> Inst {
    let mask = Operand::Imm(u64::from(u32::MAX));
    func.insts.push(InstData { guard: None, op: Op::BarWarp { mask } })
}
