//! A kernel that is ready to be executed for one launch.

use super::constants::Windows;
use super::op::{Access, Atomic, Decoded, Load, Op, Store, Word};
use crate::buffer::Buffer;
use crate::hazard::Site;
use diagnostics::Span;
use ptx::inst::Space;
use sass::{Cubin, Kernel};
use std::collections::BTreeMap;

pub(super) struct Code<'c> {
    pub cubin: &'c Cubin,
    pub kernel: &'c Kernel,
    /// Decoded instructions, one per instruction.
    pub ops: Vec<Decoded>,
    pub pool: Vec<Word>,
    pub windows: Windows,
    pub banks: BTreeMap<u8, Buffer>,
    pub local_bytes: u64,
    pub shared_bytes: u64,
}

impl Code<'_> {
    /// Returns the CTAs per cluster.
    pub(super) fn ranks(&self) -> u32 {
        self.kernel.cluster.iter().product()
    }

    /// Returns the place of a shared address among the memories of the cluster's CTAs, one behind the other. Its bits from 24 on
    /// are the rank of the CTA, which an address of the CTA's own memory may also leave out.
    pub(super) fn shared_place(&self, address: u64, bytes: u32, own: Option<u32>) -> u64 {
        if self.ranks() == 1 {
            return address;
        }
        let (rank, offset) = (own.map_or(address >> 24, u64::from), address & 0xff_ffff);
        let inside = rank < u64::from(self.ranks()) && offset + u64::from(bytes) <= self.shared_bytes;
        // an address outside all memories stays outside
        if inside { rank * self.shared_bytes + offset } else { 1 << 40 | address }
    }

    /// Returns the size of the smallest access of shared memory, which is the unit of the race detector.
    pub(super) fn shared_cell(&self) -> u32 {
        let sizes = self.ops.iter().filter_map(|op| match op.op {
            Op::Access(
                Access::Load(Load { space: Space::Shared | Space::Generic, bytes, .. })
                | Access::Store(Store { space: Space::Shared | Space::Generic, bytes, .. }),
            ) => Some(bytes),
            Op::Access(Access::Copy { bytes, .. }) => Some(bytes),
            Op::Access(Access::Atomic(Atomic { ty, .. })) => Some(ty.bytes()),
            _ => None,
        });
        sizes.min().unwrap_or(8).min(8)
    }

    /// Returns the instruction at an address. Before Volta the first of 8 words holds control bits, and execution goes on behind it.
    pub(super) fn at(&self, address: u64) -> Option<u32> {
        let is_control = self.cubin.sm < 70 && address.is_multiple_of(64);
        let address = if is_control { address + 8 } else { address };
        let found = self.kernel.instructions.binary_search_by_key(&address, |i| u64::from(i.address));
        found.ok().map(|index| index as u32)
    }

    pub(super) fn site(&self, warp: u32, pc: u32) -> Site {
        let text = self.kernel.instructions.get(pc as usize).map_or(String::new(), |instruction| {
            let line = Span::of_line(&self.cubin.listing, instruction.line);
            line.text().split(';').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        });
        Site { warp, pc, line: None, text }
    }
}
