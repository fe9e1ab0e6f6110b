//! Sizes of the copies of tensors that bring the bytes of one phase together.
//!
//! A phase says how many bytes all its copies bring. An execution without these copies gathers the places that they go to. The size of a
//! copy is at most the distance to the next place, and the sizes of a phase must give its bytes. The proof assumes each size by name.

use crate::domain::TensorCopy;
use std::collections::{BTreeMap, BTreeSet};

/// Sizes of copies by instruction, or the copies that decide them.
#[derive(Debug, Clone, Default)]
pub(super) struct Tensors {
    sizes: BTreeMap<u32, u64>,
    /// Sizes by place, which other instructions fill again.
    places: BTreeMap<u64, u64>,
    /// Sizes by the bytes that a phase expects besides those of its earlier copies; 0 where copies differ.
    turns: BTreeMap<u64, u64>,
    /// Copies of the first phase of each barrier, where they are gathered.
    gathered: Option<BTreeMap<u64, Phase>>,
    /// Whether copies share a phase whose bytes do not decide their sizes.
    open: bool,
}

/// Copies of one phase.
#[derive(Debug, Clone, Default)]
struct Phase {
    expected: u64,
    copies: Vec<(u32, u64)>,
}

impl Tensors {
    /// Gathers the copies instead of making them.
    pub(super) fn gathering() -> Self {
        Self { gathered: Some(BTreeMap::new()), ..Self::default() }
    }

    /// Gathers a copy, if copies are gathered.
    pub(super) fn gather(&mut self, pc: u32, copy: TensorCopy) -> bool {
        let Some(gathered) = &mut self.gathered else { return false };
        let phase = gathered.entry(copy.barrier).or_default();
        phase.expected = copy.unclaimed;
        phase.copies.push((pc, copy.to));
        true
    }

    /// Returns the size of a copy, which takes what its phase expects if it has no size of its own; 0: it is not known.
    pub(super) fn bytes(&self, pc: u32, TensorCopy { to, unclaimed, .. }: TensorCopy) -> u64 {
        let alone = !self.open && self.sizes.is_empty();
        let known = self.sizes.get(&pc).or_else(|| self.places.get(&to)).or_else(|| self.turns.get(&unclaimed));
        known.copied().unwrap_or(if alone { unclaimed } else { 0 })
    }

    /// Returns the sizes, or that there are none.
    pub(super) fn solved(&self, end: u64) -> Self {
        let shares = |phase: &Phase| phase.copies.len() > 1;
        let open = self.gathered.iter().flatten().any(|(_, phase)| shares(phase));
        self.solve(end).unwrap_or(Self { open, ..Self::default() })
    }

    /// Returns the sizes that the gathered copies decide, with the bytes of shared memory; `None` if they do not.
    fn solve(&self, end: u64) -> Option<Self> {
        let gathered = self.gathered.as_ref()?;
        let copies = || gathered.values().flat_map(|phase| &phase.copies);
        let places: BTreeSet<u64> = copies().map(|(_, to)| *to).chain(gathered.keys().copied()).chain([end]).collect();
        let mut most: BTreeMap<u32, u64> = BTreeMap::new();
        for (pc, to) in copies() {
            let room = places.range(to + 1..).next()? - to;
            most.entry(*pc).and_modify(|most| *most = room.min(*most)).or_insert(room);
        }
        let mut sizes = BTreeMap::new();
        while let Some(pc) = most.keys().find(|pc| !sizes.contains_key(*pc)) {
            let only = gathered.values().find_map(|phase| phase.only(&sizes));
            let (pc, size) = match only {
                Some((pc, size)) => (pc, size),
                // the tightest one fills its room
                None => {
                    let open = most.iter().filter(|(pc, _)| !sizes.contains_key(*pc));
                    open.min_by_key(|(_, room)| **room).map_or((*pc, 0), |(pc, room)| (*pc, *room))
                }
            };
            if size == 0 || size > most[&pc] {
                return None;
            }
            sizes.insert(pc, size);
        }
        let is_whole = |phase: &Phase| phase.copies.iter().map(|(pc, _)| sizes[pc]).sum::<u64>() == phase.expected;
        let whole = !sizes.is_empty() && gathered.values().all(is_whole);
        let places = copies().map(|(pc, to)| (*to, sizes[pc])).collect();
        let mut turns = BTreeMap::new();
        for phase in gathered.values() {
            let mut left = phase.expected;
            for (pc, _) in &phase.copies {
                let size = sizes[pc];
                turns.entry(left).and_modify(|known| *known = if *known == size { size } else { 0 }).or_insert(size);
                left = left.saturating_sub(size);
            }
        }
        whole.then(|| Self { sizes, places, turns, ..Self::default() })
    }
}

impl Phase {
    /// Returns the only instruction whose copies have no size yet, and what is left for each of them.
    fn only(&self, sizes: &BTreeMap<u32, u64>) -> Option<(u32, u64)> {
        let open: Vec<u32> = self.copies.iter().map(|(pc, _)| *pc).filter(|pc| !sizes.contains_key(pc)).collect();
        let first = *open.first()?;
        let known: u64 = self.copies.iter().filter_map(|(pc, _)| sizes.get(pc)).sum();
        let left = self.expected.checked_sub(known)?;
        let alike = open.iter().all(|pc| *pc == first) && left.is_multiple_of(open.len() as u64);
        alike.then(|| (first, left / open.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(copies: &[(u32, u64, u64, u64)], end: u64) -> Option<Vec<(u32, u64)>> {
        let mut tensors = Tensors::gathering();
        copies.iter().for_each(|(pc, to, barrier, unclaimed)| {
            tensors.gather(*pc, TensorCopy { to: *to, barrier: *barrier, unclaimed: *unclaimed });
        });
        Some(tensors.solve(end)?.sizes.into_iter().collect())
    }

    #[test]
    fn sizes_fill_what_a_phase_expects() {
        // two stages of one factor, then of the other
        let stages = [(1, 0, 3072, 1536), (2, 2048, 3072, 1536), (1, 1024, 3080, 1536), (2, 2560, 3080, 1536)];
        assert_eq!(solved(&stages, 4096), Some(vec![(1, 1024), (2, 512)]));
        // one instruction that brings both halves
        assert_eq!(solved(&[(1, 0, 512, 256), (1, 256, 512, 256)], 1024), Some(vec![(1, 128)]));
    }

    #[test]
    fn other_instructions_bring_as_much_in_their_turn() {
        let mut tensors = Tensors::gathering();
        let copy = |to, unclaimed| TensorCopy { to, barrier: 3072, unclaimed };
        tensors.gather(1, copy(0, 1536));
        tensors.gather(2, copy(1024, 1536));
        let solved = tensors.solve(4096).unwrap();
        assert_eq!(
            [(1536, 3), (512, 4), (256, 4)].map(|(left, pc)| solved.bytes(pc, copy(2048, left))),
            [1024, 512, 0]
        );
    }

    #[test]
    fn sizes_that_do_not_fit_are_not_taken() {
        assert_eq!(solved(&[(1, 0, 512, 1024), (2, 256, 512, 1024)], 4096), None, "they would overlap");
        assert_eq!(solved(&[(1, 0, 512, 0)], 1024), None, "nothing is expected");
    }
}
