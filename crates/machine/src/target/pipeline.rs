//! What an SM needs in time, clocks throughout, for the model of machine code.

use serde::Deserialize;

/// Rates and latencies of an SM. Latencies of arithmetic stand in the machine code itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// From one warp instruction to the next on a pipe of a sub-partition.
    pub double_interval: u32,
    pub fma_interval: u32,
    pub alu_interval: u32,
    pub special_interval: u32,
    pub uniform_interval: u32,
    pub constant_interval: u32,
    /// From one access of memory, or shuffle, to the next of a sub-partition.
    pub memory_interval: u32,
    /// A pass over the banks of shared memory, a shuffle, or 128 bytes of another memory, on the pipe that the sub-partitions share.
    pub pass_interval: u32,
    /// From the issue to the result.
    pub special_latency: u32,
    pub shuffle_latency: u32,
    pub shared_latency: u32,
    pub constant_latency: u32,
    /// Of the L1 cache.
    pub local_latency: u32,
    /// Of the L2 cache.
    pub global_latency: u32,
    /// From the issue of an access of memory until its registers may be written again.
    pub operands_latency: u32,
    /// From the last arrival at a barrier until its warps go on, and more for each of them.
    pub barrier_latency: u32,
    pub barrier_latency_per_warp: u32,
}
