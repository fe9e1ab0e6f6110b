//! Lower bounds on the time that machine code takes on an SM: each part runs at its peak rate, and nothing waits.

use crate::target::Target;
use serde::Serialize;

/// Machine code executed for 32 points, over all warps: warp instructions, wavefronts of shared memory, and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Executed {
    pub issued: f64,
    pub doubles: f64,
    /// Fused multiply-adds of products of matrices.
    pub matrix_multiply_adds: f64,
    pub shuffles: f64,
    pub shared_wavefronts: f64,
    pub local_bytes: f64,
    /// Chained double-precision results, divided by the groups of 32 points that are under way on an SM.
    pub chain: f64,
}

/// Clocks of an SM for 32 points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bound {
    /// Double precision, with products on tensor cores.
    pub fp64: f64,
    pub issue: f64,
    /// Shuffles and shared memory, which share a pipe.
    pub mio: f64,
    pub local: f64,
    /// The critical path, where the target's file has the latency of a double-precision result.
    pub latency: f64,
}

/// Bytes per clock of the L1 cache where the target's file has no pipeline (CUDA C Programming Guide: a line of 128 bytes).
const L1_BYTES_PER_CLOCK: u32 = 128;

impl Bound {
    pub fn new(executed: &Executed, target: &Target) -> Self {
        let (lanes, parts) = (32.0, f64::from(target.sub_partitions.max(1)));
        let pipeline = target.pipeline.as_ref();
        let l1 = pipeline.map_or(L1_BYTES_PER_CLOCK, |pipeline| pipeline.memory.l1_bytes_per_clock);
        let issues_two = pipeline.is_some_and(|pipeline| pipeline.fixed.as_ref().is_some_and(|fixed| fixed.issues_two));
        let tensor = f64::from(target.tensor_interval(TENSOR_PRODUCTS)) / parts / f64::from(TENSOR_PRODUCTS);
        Self {
            fp64: executed.doubles * lanes / f64::from(target.fp64_per_clock_per_sm)
                + executed.matrix_multiply_adds * tensor,
            issue: executed.issued / parts / if issues_two { 2.0 } else { 1.0 },
            mio: executed.shuffles
                + executed.shared_wavefronts * lanes / f64::from(target.shared_passes_per_clock_per_sm()),
            local: executed.local_bytes / f64::from(l1.max(1)),
            latency: executed.chain * pipeline.map_or(0.0, |pipeline| f64::from(pipeline.double_latency)),
        }
    }

    /// The busiest part, and its clocks.
    pub fn largest(&self) -> (&'static str, f64) {
        let parts = [
            ("FP64", self.fp64),
            ("issue", self.issue),
            ("shuffles and shared", self.mio),
            ("local", self.local),
            ("latency", self.latency),
        ];
        parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are parts")
    }

    /// Nanoseconds per point on the target's board.
    pub fn nanoseconds(&self, target: &Target) -> f64 {
        target.board.nanoseconds(self.largest().1 / 32.0)
    }
}

/// Fused multiply-adds of an `m8n8k4`.
const TENSOR_PRODUCTS: u32 = 8 * 8 * 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_part_of_hopper_decides() {
        let hopper = Target::by_name("hopper").unwrap();
        let executed = Executed { issued: 8000.0, doubles: 3000.0, ..Executed::default() };
        // two double-precision and four warp instructions per clock
        let bound = Bound::new(&executed, hopper);
        assert_eq!((bound.fp64, bound.issue, bound.largest()), (1500.0, 2000.0, ("issue", 2000.0)));
        let spilling = Bound::new(&Executed { local_bytes: 128.0 * 3000.0, shuffles: 2500.0, ..executed }, hopper);
        assert_eq!((spilling.mio, spilling.largest()), (2500.0, ("local", 3000.0)));
        // 800 results of 8 clocks each, of two groups of points at once
        let waiting = Bound::new(&Executed { chain: 800.0 / 2.0, ..executed }, hopper);
        assert_eq!(waiting.largest(), ("latency", 3200.0));
    }
}
