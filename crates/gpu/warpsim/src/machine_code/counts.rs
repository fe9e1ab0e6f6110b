//! Exact counts of executed instructions.

use super::warp::Warp;
use crate::hazard::Hazard;
use sass::{Class, Kernel, Pipe};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::ops::{AddAssign, Index};

/// The result of a clean run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Counts of each warp of a CTA, summed over CTAs.
    pub warps: Vec<Counts>,
    /// Bytes of the instructions that were executed at all.
    pub code_bytes: u64,
    /// Races, if they are permitted: the first at each instruction.
    #[serde(skip)]
    pub races: Vec<Hazard>,
}

/// Warp instructions and traffic of one warp, or of all. An instruction counts once per warp, whatever its active lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    pub instructions: u64,
    pub classes: Classes,
    pub pipes: Pipes,
    /// Fused multiply-adds of products of matrices of doubles.
    #[serde(skip)]
    pub matrix_multiply_adds: u64,
    /// Passes over the banks of shared memory.
    pub shared_wavefronts: u64,
    /// Bytes that active lanes loaded and stored.
    pub local_bytes: u64,
    pub global_load_bytes: u64,
    pub global_store_bytes: u64,
    /// Number of waits of the warp at a barrier. Depends on the interleaving.
    pub barrier_waits: u64,
}

/// Class, pipe and matrix multiply-adds of an instruction.
type Kind = (Class, Pipe, u32);

/// A count for each class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Classes([u64; Class::ALL.len()]);

/// A count for each pipe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipes([u64; Pipe::ALL.len()]);

impl Index<Class> for Classes {
    type Output = u64;

    fn index(&self, class: Class) -> &u64 {
        &self.0[class as usize]
    }
}

impl Index<Pipe> for Pipes {
    type Output = u64;

    fn index(&self, pipe: Pipe) -> &u64 {
        &self.0[pipe as usize]
    }
}

impl Report {
    pub(super) fn new(sm: u32, kernel: &Kernel, warps: &[Warp], warps_per_cta: usize) -> Self {
        let ran = |at: usize| warps.iter().any(|warp| warp.executed[at] > 0);
        let ran: Vec<u32> =
            (0..kernel.instructions.len()).filter(|at| ran(*at)).map(|at| kernel.instructions[at].address).collect();
        // the class of an instruction follows from its text: computed once for all warps
        let kinds: Vec<Kind> =
            kernel.instructions.iter().map(|i| (i.class(), i.pipe(), i.matrix_multiply_adds())).collect();
        let mut counts = vec![Counts::default(); warps_per_cta];
        for (index, warp) in warps.iter().enumerate() {
            counts[index % warps_per_cta] += &Counts::new(&kinds, warp);
        }
        Self { warps: counts, code_bytes: bytes(sm, &ran), races: Vec::new() }
    }

    /// Returns the sum over warps.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in &self.warps {
            total += counts;
        }
        total
    }
}

/// Returns the bytes of the instructions at these addresses. Before Volta one of 8 words has the control bits of the others.
fn bytes(sm: u32, addresses: &[u32]) -> u64 {
    if sm >= 70 {
        return 16 * addresses.len() as u64;
    }
    let mut groups: Vec<u32> = addresses.iter().map(|address| address / 64).collect();
    groups.dedup();
    8 * (addresses.len() + groups.len()) as u64
}

impl Counts {
    fn new(kinds: &[Kind], warp: &Warp) -> Self {
        let mut counts = Self {
            shared_wavefronts: warp.traffic.shared_wavefronts,
            local_bytes: warp.traffic.local_bytes,
            global_load_bytes: warp.traffic.global_load_bytes,
            global_store_bytes: warp.traffic.global_store_bytes,
            barrier_waits: warp.thread.waits,
            ..Self::default()
        };
        for ((class, pipe, multiply_adds), executed) in kinds.iter().zip(&warp.executed) {
            counts.instructions += executed;
            counts.classes.0[*class as usize] += executed;
            counts.pipes.0[*pipe as usize] += executed;
            counts.matrix_multiply_adds += u64::from(*multiply_adds) * executed;
        }
        counts
    }

    /// Returns the difference to an earlier count, which was a part of this one.
    pub fn since(&self, earlier: &Self) -> Self {
        let less = |mine: u64, theirs: u64| mine.saturating_sub(theirs);
        Self {
            instructions: less(self.instructions, earlier.instructions),
            classes: Classes(std::array::from_fn(|i| less(self.classes.0[i], earlier.classes.0[i]))),
            pipes: Pipes(std::array::from_fn(|i| less(self.pipes.0[i], earlier.pipes.0[i]))),
            matrix_multiply_adds: less(self.matrix_multiply_adds, earlier.matrix_multiply_adds),
            shared_wavefronts: less(self.shared_wavefronts, earlier.shared_wavefronts),
            local_bytes: less(self.local_bytes, earlier.local_bytes),
            global_load_bytes: less(self.global_load_bytes, earlier.global_load_bytes),
            global_store_bytes: less(self.global_store_bytes, earlier.global_store_bytes),
            barrier_waits: less(self.barrier_waits, earlier.barrier_waits),
        }
    }

    pub fn class(&self, class: Class) -> u64 {
        self.classes.0[class as usize]
    }

    pub fn pipe(&self, pipe: Pipe) -> u64 {
        self.pipes.0[pipe as usize]
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        self.instructions += other.instructions;
        for (mine, theirs) in self.classes.0.iter_mut().zip(&other.classes.0) {
            *mine += theirs;
        }
        for (mine, theirs) in self.pipes.0.iter_mut().zip(&other.pipes.0) {
            *mine += theirs;
        }
        self.matrix_multiply_adds += other.matrix_multiply_adds;
        self.shared_wavefronts += other.shared_wavefronts;
        self.local_bytes += other.local_bytes;
        self.global_load_bytes += other.global_load_bytes;
        self.global_store_bytes += other.global_store_bytes;
        self.barrier_waits += other.barrier_waits;
    }
}

impl Serialize for Classes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(serializer, Class::ALL.map(|class| (class.name(), self.0[class as usize])))
    }
}

impl Serialize for Pipes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(serializer, Pipe::ALL.map(|pipe| (pipe.name(), self.0[pipe as usize])))
    }
}

fn serialize<S: Serializer, const N: usize>(
    serializer: S,
    counts: [(&'static str, u64); N],
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(N))?;
    for (name, count) in counts {
        map.serialize_entry(name, &count)?;
    }
    map.end()
}
