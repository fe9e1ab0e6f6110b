//! Whether the kernel itself may change values that its threads are assumed to load alike from global memory.
//!
//! Stores are compared with loads by the bytes that they touch, if all of these are known. Otherwise they are compared by the
//! parameters that their addresses come from, each of which points to an array of its own.

use super::region::is_global_atomic;
use crate::decode::{Code, MemoryAccess, Micro};
use crate::memory::Lanes;
use ptx::asynchronous::{Async, view};
use ptx::inst::{Address, Base, Op, Space};
use ptx::ir::Param;
use std::collections::{BTreeMap, BTreeSet};

/// Accesses of global memory, by program counter.
#[derive(Default)]
pub(super) struct OwnStores {
    /// First and last byte of each store.
    stores: BTreeMap<u32, (u64, u64)>,
    loads: BTreeMap<u32, (u64, u64)>,
    /// Accesses that happen somewhere else as well, or may happen.
    elsewhere: BTreeSet<u32>,
}

impl OwnStores {
    pub(super) fn store(&mut self, pc: u32, lanes: &Lanes) {
        extend(&mut self.stores, pc, lanes);
    }

    pub(super) fn load(&mut self, pc: u32, lanes: &Lanes) {
        extend(&mut self.loads, pc, lanes);
    }

    /// Notes a bulk copy or reduction to global memory, or an atomic that the simulator does not know.
    pub(super) fn copies(&mut self, pc: u32) {
        self.stores.entry(pc).or_insert((u64::MAX, 0));
        self.elsewhere.insert(pc);
    }

    /// Notes that the access may happen, somewhere.
    pub(super) fn somewhere(&mut self, code: &Code, pc: u32) {
        if let Micro::MemoryAccess(access) = &code.ops[pc as usize].micro
            && matches!(access.space(), Space::Global | Space::Generic)
        {
            let is_load = matches!(access, MemoryAccess::Load { .. });
            let list = if is_load { &mut self.loads } else { &mut self.stores };
            list.entry(pc).or_insert((u64::MAX, 0));
            self.elsewhere.insert(pc);
        } else if is_global_atomic(code, pc) {
            self.copies(pc);
        }
    }

    /// Returns a store that may change what the instruction loads.
    pub(super) fn changes(&self, code: &Code, load: u32) -> Option<u32> {
        let of_load = self.loads.get(&load)?;
        let overlaps = |(store, range): &(&u32, &(u64, u64))| {
            let certain = !self.elsewhere.contains(*store) && !self.elsewhere.contains(&load);
            if certain { range.0 < of_load.1 && of_load.0 < range.1 } else { !are_apart(code, load, **store) }
        };
        self.stores.iter().find(overlaps).map(|(store, _)| *store)
    }
}

fn extend(list: &mut BTreeMap<u32, (u64, u64)>, pc: u32, lanes: &Lanes) {
    let range = list.entry(pc).or_insert((u64::MAX, 0));
    for lane in lanes.active() {
        let address = lanes.address(lane);
        *range = (range.0.min(address), range.1.max(address + u64::from(lanes.bytes)));
    }
}

/// Whether the addresses come from different parameters.
fn are_apart(code: &Code, a: u32, b: u32) -> bool {
    let [a, b] = [a, b].map(|pc| parameters(code, pc));
    a.zip(b).is_some_and(|(a, b)| !a.is_empty() && !b.is_empty() && a.is_disjoint(&b))
}

/// Returns the parameters that the address of an access of the kernel is computed from.
fn parameters(code: &Code, pc: u32) -> Option<BTreeSet<Param>> {
    let (_, data) = code.instruction(pc).filter(|_| code.is_kernel(pc))?;
    let copied = match &data.op {
        Op::Opaque { opcode, pieces, .. } => match view(code.module, opcode, pieces) {
            Some(Async::BulkStore { to, .. }) => Some(to),
            _ => None,
        },
        _ => None,
    };
    let addr = match &data.op {
        Op::Ld { addr, .. } | Op::St { addr, .. } | Op::Atom { addr, .. } => addr,
        _ => copied.as_ref()?,
    };
    let Address { base: Base::Reg(reg), .. } = addr else { return None };
    let origins = code.definitions(pc).origins([*reg], false);
    Some(origins.params)
}
