//! Accesses of one warp to its slots since its lanes last synchronised.

use std::collections::BTreeMap;

use graph::StepRef;

/// Whether an access writes, and whether it crosses lanes.
type Access = (bool, bool);

/// Kinds of accesses since the lanes of a warp last synchronised, by warp and slot, each with the last step that made one.
#[derive(Debug)]
pub struct Lanes(Vec<BTreeMap<usize, BTreeMap<Access, StepRef>>>);

impl Lanes {
    pub fn new(warps: usize) -> Self {
        Self(vec![BTreeMap::new(); warps])
    }

    pub fn sync(&mut self, warp: usize) {
        self.0[warp].clear();
    }

    /// Notes an access. Gives an earlier one of the same warp that it is not ordered with: one of the two writes, and one
    /// of them crosses lanes.
    pub fn access(&mut self, warp: usize, slot: usize, at: StepRef, access: Access) -> Option<StepRef> {
        let earlier = self.0[warp].entry(slot).or_default();
        let conflicts = |&(writes, across): &Access| (writes || access.0) && (across || access.1);
        let found = earlier.iter().find(|(other, _)| conflicts(other)).map(|(_, &step)| step);
        earlier.insert(access, at);
        found
    }
}
