//! Whether the lanes of a warp, threads of their own, find in the warp's slots what the elected one wrote there. A
//! barrier of all lanes must be between a write and each other access of the slot, at a place that all lanes reach.

use super::divergence::{Kills, own_slot};
use super::state::Location;
use super::{Checker, Kind, Violation};
use crate::allocate::Sides;
use ptx::inst::{Op, Operand, Space};

impl Checker<'_> {
    pub(super) fn check_order(&self, kills: &Kills, found: &mut Vec<Violation>) {
        let Self { original, allocated, allocation, .. } = self;
        if allocation.sides == Sides::OneByOne {
            return;
        }
        for block in &allocated.layout {
            // at its beginning other lanes may still read anything
            let (mut read, mut written, mut anything) = (Vec::new(), Vec::new(), true);
            for inst in &allocated.blocks[*block].insts {
                if (inst.as_u32() as usize) < original.insts.len() {
                    continue;
                }
                let right = match &allocated.insts[*inst].op {
                    Op::BarWarp { mask } => {
                        (read, written, anything) = (Vec::new(), Vec::new(), false);
                        kills.gathered(*block) && names_all(mask)
                    }
                    Op::Ld { space: Space::Shared, ty, addr, .. } if !own_slot(allocation, addr.base) => {
                        let slot = Location::Shared { offset: addr.offset, bytes: ty.bytes() };
                        read.push(slot);
                        !written.iter().any(|other| slot.overlaps(*other))
                    }
                    Op::St { space: Space::Shared, ty, addr, .. } if !own_slot(allocation, addr.base) => {
                        let slot = Location::Shared { offset: addr.offset, bytes: ty.bytes() };
                        let free = !read.iter().chain(&written).any(|other: &Location| slot.overlaps(*other));
                        written.push(slot);
                        free && !anything && kills.gathered(*block)
                    }
                    _ => true,
                };
                if !right {
                    found.push(Violation { block: *block, inst: Some(*inst), kind: Kind::Unordered });
                }
            }
            if !written.is_empty() {
                found.push(Violation { block: *block, inst: None, kind: Kind::Unordered });
            }
        }
    }
}

/// The mask has all lanes.
pub fn names_all(mask: &Operand) -> bool {
    matches!(mask, Operand::Imm(bits) if *bits as u32 == u32::MAX)
}
