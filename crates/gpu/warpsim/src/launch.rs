//! Launches of kernels.

use super::place::Place;

/// A launch of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// CTAs in x, y and z.
    pub ctas: [u32; 3],
    /// Threads per CTA in x, y and z.
    pub threads: [u32; 3],
    /// CTAs of a cluster in x, y and z; `None`: what the kernel's header says.
    pub cluster: Option<[u32; 3]>,
    /// Bytes of shared memory that the launch adds.
    pub shared: u64,
    /// Arguments, one per parameter.
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer, by its number.
    Buffer(usize),
    U32(u32),
    U64(u64),
    /// Any other value, as in memory: as many bytes as the parameter has.
    Bytes(Vec<u8>),
    /// No value: only proofs accept it.
    Any,
}

impl Launch {
    /// Makes a launch with one dimension.
    pub fn linear(ctas: u32, threads: u32, arguments: Vec<Argument>) -> Self {
        Self { ctas: [ctas, 1, 1], threads: [threads, 1, 1], cluster: None, shared: 0, arguments }
    }

    /// Makes a launch for kernels made by `lower::lower`: buffers 0 to `arrays`-1, points, stride.
    pub fn fields(ctas: u32, warps: u32, arrays: usize, points: u32, stride: u32) -> Self {
        let mut arguments: Vec<Argument> = (0..arrays).map(Argument::Buffer).collect();
        arguments.extend([Argument::U32(points), Argument::U32(stride)]);
        Self::linear(ctas, 32 * warps, arguments)
    }

    /// Returns the threads per CTA.
    pub fn size(&self) -> u32 {
        self.threads.iter().fold(1, |all, n| all.saturating_mul(*n))
    }

    /// Checks that every argument has a value.
    pub(super) fn all_given(&self) -> Result<(), String> {
        match self.arguments.contains(&Argument::Any) {
            true => Err("a launch with an argument that may be anything".to_owned()),
            false => Ok(()),
        }
    }

    pub(super) fn place(&self) -> Place {
        let Self { ctas, threads, shared, .. } = *self;
        Place { cta: 0, ctas, threads, dynamic_shared: shared, cluster: [1; 3] }
    }

    pub(super) fn check(&self, threads: Option<[u32; 3]>, buffers: usize) -> Result<(), String> {
        let [x, y, z] = self.threads;
        if !(1..=1024).contains(&self.size()) || threads.is_some_and(|threads| threads != self.threads) {
            return Err(format!("a launch with {x} x {y} x {z} threads per CTA"));
        }
        let ctas = self.ctas.iter().fold(1u32, |all, n| all.saturating_mul(*n));
        if ctas == u32::MAX {
            return Err("a launch with that many CTAs".to_owned());
        }
        if self.shared > MOST_SHARED {
            return Err(format!("a launch with {} bytes of shared memory", self.shared));
        }
        let missing = |a: &&Argument| matches!(a, Argument::Buffer(index) if *index >= buffers);
        match self.arguments.iter().find(missing) {
            Some(argument) => Err(format!("the argument {argument:?}, with {buffers} buffers")),
            None => Ok(()),
        }
    }
}

/// Bytes of shared memory that no machine exceeds, nor a kernel whose global rows are treated as shared memory to find races on them.
pub(super) const MOST_SHARED: u64 = 4 << 20;
