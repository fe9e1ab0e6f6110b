//! Rates and latencies of an SM, in clocks, for the model of machine code.

use super::Target;
use serde::Deserialize;

/// Rates and latencies of an SM.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// Clocks from one warp instruction to the next on a pipe of a sub-partition.
    pub fma_interval: u32,
    /// The same between two products of integers, which may have fewer lanes there.
    pub product_interval: u32,
    pub alu_interval: u32,
    pub special_interval: u32,
    pub uniform_interval: u32,
    pub constant_interval: u32,
    /// Whether the sub-partitions share one pipe of doubles, whose results are waited for by scoreboards.
    pub doubles_are_shared: bool,
    /// Clocks from the issue to the result of doubles, if a scoreboard waits for it.
    pub double_latency: u32,
    pub tensor_latency: u32,
    pub special_latency: u32,
    /// Latencies for machine code without stall counts.
    pub fixed: Option<Fixed>,
    /// Whether CTAs of four warps do not all begin on the same sub-partition.
    pub ctas_rotate: bool,
    /// Whether the rotation is published or measured; otherwise it is assumed.
    #[serde(default)]
    pub ctas_rotate_is_known: bool,
    /// Clocks from the end of a CTA until another one begins in its place.
    pub cta_latency: u32,
    /// Clocks from the last arrival at a barrier until its warps go on, and the increase per warp that arrived.
    pub barrier_latency: u32,
    pub barrier_latency_per_warp: u32,
    /// Clocks from the last arrival at the barrier of a cluster; `None` without clusters.
    pub cluster_barrier_latency: Option<u32>,
    /// Clocks for which a fence holds its warp: a fence of the CTA, and one of the GPU.
    pub fence_latency: u32,
    pub gpu_fence_latency: u32,
    pub fetch: Fetch,
    pub constants: Constants,
    pub memory: Memory,
}

/// Latencies that older hardware keeps track of itself, register by register.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixed {
    /// Latency of single precision, integers, logic, comparisons and moves.
    pub arithmetic_latency: u32,
    /// Latency of products of integers.
    pub product_latency: u32,
    /// Clocks from an instruction of a warp to the next one that does not need its result.
    pub issue_interval: u32,
    /// Whether two independent instructions of a warp can be issued together.
    pub issues_two: bool,
}

/// Instruction fetch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetch {
    /// Decoded instructions that wait for their issue, per warp.
    pub buffer: u32,
    /// Clocks from the request of an instruction in the nearest cache to its place in the buffer.
    pub latency: u32,
    /// Instruction cache of each sub-partition, or one for all.
    pub l0_bytes: u32,
    pub l0_is_shared: bool,
    /// Lines that the prefetcher behind it runs ahead.
    pub prefetched_lines: u32,
    /// Instruction cache of the SM, which also holds constants that do not fit the small caches.
    pub l1_bytes: u32,
    /// Clocks from a miss of the small cache until the SM's cache delivers the line, and from one line to the next.
    pub l1_latency: u32,
    pub l1_interval: u32,
}

/// Constant memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Whether instructions on doubles take operands from constant memory; otherwise each takes an instruction of its own.
    pub are_operands_of_doubles: bool,
    /// Clocks for which such an instruction holds its pipe, if they are more than without the operand.
    pub double_operand_interval: Option<u32>,
    /// Upper bits of a double that an instruction has room for, where they are fewer than half of it: other literals lie in constant memory.
    pub literal_bits: Option<u32>,
    /// Size of the cache for operands, and of the one for loads.
    pub bytes: u32,
    /// Latency of a load that hits.
    pub load_latency: u32,
    /// Additional latency of a miss.
    pub miss_latency: u32,
}

/// Shared, local and global memory, and shuffles.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Instructions that a sub-partition holds back before issue stops.
    pub queue: u32,
    /// Clocks from the issue until the access leaves the sub-partition, and from one access to the next.
    pub address_latency: u32,
    pub address_interval: u32,
    /// Clocks from the issue until a load of shared memory has read its address.
    pub shared_operands_latency: u32,
    /// Clocks from one access to the next where the sub-partitions come together.
    pub accept_interval: u32,
    /// Clocks of a pass over the banks of shared memory, or of a shuffle.
    pub pass_interval: u32,
    pub shuffle_latency: u32,
    pub shared_latency: u32,
    /// Latency of loads from another CTA of the cluster; `None` without clusters.
    pub remote_latency: Option<u32>,
    /// Latency of arrivals at barriers in shared memory and of their tests, and clocks between two arrivals; `None` if the
    /// machine code has no instructions for them.
    pub mbarrier_latency: Option<u32>,
    pub mbarrier_interval: Option<u32>,
    /// Size of shared memory and the L1 cache together.
    pub l1_bytes: u32,
    pub l1_latency: u32,
    pub l1_bytes_per_clock: u32,
    /// Clocks of a pass over the banks of the L1 cache; `None` where that is as long as one of shared memory.
    pub l1_pass_interval: Option<u32>,
    /// Lines whose tags are looked up in a clock.
    pub l1_tags_per_clock: u32,
    /// L2 cache of the chip.
    pub l2_bytes: u32,
    pub l2_latency: u32,
    pub l2_bytes_per_clock_per_sm: u32,
    pub device_latency: u32,
    /// `None`: every address is translated at once.
    pub translation: Option<Translation>,
    /// Whether the L1 cache keeps global loads; it always keeps local memory.
    pub l1_keeps_global: bool,
}

/// Translation of addresses for the device memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translation {
    /// Memory whose pages are known at once, and the size of a page.
    pub megabytes: u32,
    pub page_megabytes: u32,
    /// Additional latency of an access to a page that is not known.
    pub miss_latency: u32,
}

impl Target {
    /// Clocks from one warp instruction to the next on a pipe of doubles.
    pub fn double_interval(&self) -> u32 {
        let shared = self.pipeline.as_ref().is_some_and(|pipeline| pipeline.doubles_are_shared);
        let pipes = if shared { 1 } else { self.sub_partitions };
        (32 * pipes).div_ceil(self.fp64_per_clock_per_sm).max(1)
    }

    /// Clocks for which a product of matrices with this many fused multiply-adds of doubles holds its sub-partition's pipe.
    pub fn tensor_interval(&self, products: u32) -> u32 {
        let rate = self.tensor_fp64_per_clock_per_sm.unwrap_or(self.fp64_per_clock_per_sm);
        (products * self.sub_partitions).div_ceil(rate).max(1)
    }
}
