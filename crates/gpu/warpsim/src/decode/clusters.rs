//! Clusters of CTAs: their size, and the CTAs that run together.

use super::{Code, Decoder};
use crate::Launch;
use crate::clock::WARPS;
use crate::hazard::Kind;
use crate::memory::{RANK_BITS, aligned_inside};
use ptx::inst::{Op, Operand, Space, Special};
use ptx::ir::{Func, Module};

/// Most bytes of shared memory of the CTAs that run together.
const MOST_SHARED: u64 = 2 << 20;

/// Returns the CTAs of a cluster in each direction: one if the header says nothing, `None` if it leaves the number open.
pub(super) fn shape(func: &Func) -> Option<[u32; 3]> {
    let said = |name: &str| func.directives.iter().find_map(|text| text.strip_prefix(name));
    if said(".blocksareclusters").is_some() {
        return None;
    }
    if let Some(extents) = said(".reqnctapercluster ") {
        let mut cluster = [1; 3];
        for (extent, text) in cluster.iter_mut().zip(extents.split(',')) {
            *extent = text.trim().parse().ok().filter(|n| (1..=16).contains(n))?;
        }
        return Some(cluster);
    }
    let most = said(".maxclusterrank ").is_some_and(|most| most.trim() != "1");
    (!most && said(".explicitcluster").is_none()).then_some([1; 3])
}

/// Returns the CTAs of a cluster that the launch gives, or else the header.
pub(super) fn of_launch(func: &Func, launch: &Launch) -> Result<Option<[u32; 3]>, Kind> {
    let Some(given) = launch.cluster else { return Ok(shape(func)) };
    let size = given.iter().try_fold(1u32, |size, extent| size.checked_mul(*extent));
    let fits = size.is_some_and(|size| (1..=16).contains(&size));
    let required = shape(func).filter(|_| func.directives.iter().any(|text| text.starts_with(".reqnctapercluster ")));
    if !fits || required.is_some_and(|required| required != given) {
        let [x, y, z] = given;
        return Err(Kind::Unsupported(format!("a launch in clusters of {x} x {y} x {z} CTAs")));
    }
    Ok(launch.cluster)
}

/// Returns the number of CTAs that run together: those of a cluster, or one if they have more warps than are followed.
pub(super) fn together(cluster: Option<[u32; 3]>, threads: u32) -> u32 {
    let ranks = cluster.unwrap_or([1; 3]).into_iter().product();
    if threads.div_ceil(32).saturating_mul(ranks) > WARPS as u32 { 1 } else { ranks }
}

/// Whether an arrival at the barrier of the cluster is relaxed.
pub(super) fn relaxed(module: &Module) -> bool {
    let is = |op: &Op| matches!(op, Op::Opaque { opcode, .. } if opcode.starts_with("barrier.cluster.arrive.relaxed"));
    module.funcs.iter().any(|func| func.insts.values().any(|data| is(&data.op)))
}

/// Whether a special register tells of the cluster.
pub(super) fn tells(special: Special) -> bool {
    Special::ALL.iter().any(|(known, name)| *known == special && name.contains("cluster"))
}

impl Decoder<'_> {
    /// Whether the instruction does not need the place in a cluster whose size is not known.
    pub(super) fn has_cluster(&self, op: &Op) -> bool {
        let mut reads = false;
        op.operands(|operand| reads |= matches!(operand, Operand::Special(special) if tells(special)));
        !reads || self.code.cluster.is_some()
    }
}

impl Code<'_> {
    /// Runs CTAs one after the other if their shared memory together is more than is followed.
    pub(super) fn keep_small(&mut self) {
        if self.all_shared() > MOST_SHARED {
            self.ranks = 1;
        }
    }

    /// Whether all CTAs of a cluster run together.
    pub(in super::super) fn is_whole(&self) -> bool {
        self.cluster.is_some_and(|extents| extents.into_iter().product::<u32>() == self.ranks)
    }

    /// Returns the CTAs of a cluster, for special registers.
    pub(in super::super) fn extents(&self) -> [u32; 3] {
        self.cluster.unwrap_or([1; 3])
    }

    /// Returns the number of warps that run together.
    pub(in super::super) fn warps(&self) -> usize {
        self.own_warps * self.ranks as usize
    }

    /// Returns the rank of the warp's CTA.
    pub(in super::super) fn rank(&self, warp: usize) -> usize {
        warp / self.own_warps
    }

    /// Returns the warps of the CTA of that rank.
    pub(in super::super) fn warps_of(&self, rank: usize) -> std::ops::Range<usize> {
        rank * self.own_warps..(rank + 1) * self.own_warps
    }

    /// Returns the bytes from the shared memory of one CTA to that of the next.
    fn stride(&self) -> u64 {
        if self.ranks == 1 { self.shared_bytes } else { self.shared_bytes.next_multiple_of(256) }
    }

    /// Returns the bytes of the shared memory of all CTAs that run together, one behind the other.
    pub(in super::super) fn all_shared(&self) -> u64 {
        self.stride() * u64::from(self.ranks)
    }

    /// Returns the start of a CTA's shared memory there.
    pub(in super::super) fn base(&self, rank: usize) -> u64 {
        self.stride() * rank as u64
    }

    /// Returns the rank of the CTA to which a place there belongs.
    pub(in super::super) fn rank_of(&self, place: u64) -> usize {
        if self.ranks == 1 { 0 } else { (place / self.stride()) as usize }
    }

    /// Returns the cluster address of a place there.
    pub(in super::super) fn named(&self, place: u64) -> u64 {
        match self.ranks {
            1 => place,
            _ => ((place / self.stride() + 1) << RANK_BITS) + place % self.stride(),
        }
    }

    /// Returns the place of an access by that warp; an address without a rank is one of its own CTA.
    pub(in super::super) fn located(&self, warp: usize, address: u64, bytes: u32, lane: usize) -> Result<u64, Kind> {
        let offset = address & ((1 << RANK_BITS) - 1);
        let rank = match address >> RANK_BITS {
            0 => self.rank(warp),
            number => number as usize - 1,
        };
        let extent = if rank < self.ranks as usize { self.shared_bytes } else { 0 };
        aligned_inside(Space::Shared, extent, offset, address, bytes, lane)?;
        Ok(self.base(rank) + offset)
    }
}
