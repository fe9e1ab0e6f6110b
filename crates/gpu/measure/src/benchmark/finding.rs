//! Figures for the tables of targets, from the clocks of the series.

use super::list::{CODE, CONSTANTS, WARPS};
use super::{Sample, clocks};
use machine::target::Target;
use serde::Serialize;

/// A figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub what: &'static str,
    pub unit: &'static str,
    /// The entry of the target's table that the figure gives.
    pub entry: &'static str,
    pub value: f64,
}

/// The entries that come from the whole board.
pub const LAUNCH: &str = "board.launch_nanoseconds";
pub const DELIVERED: &str = "board.reached_gigabytes_per_second";
/// Entry for the rotation of CTAs; 1 means true.
pub const ROTATE: &str = "pipeline.ctas_rotate";

const CLOCKS: &str = "clocks";
const RATE: &str = "per clock and SM";
const BYTES: &str = "bytes";

/// Figures that are the clocks of a link of a series, divided by a number.
const DIRECT: [(&str, &str, &str, f64); 16] = [
    ("fused multiply-add of doubles, result to operand", "pipeline.double_latency", "double", 1.0),
    ("product of matrices of doubles, sum to sum", "pipeline.tensor_latency", "tensor", 1.0),
    ("approximation, result to operand", "pipeline.special_latency", "special", 1.0),
    (
        "fused multiply-adds of 32 bits, one after the other in a sub-partition",
        "pipeline.fma_interval",
        "single-rate",
        4.0,
    ),
    ("logic, one after the other in a sub-partition", "pipeline.alu_interval", "logic-rate", 4.0),
    ("approximations, one after the other in a sub-partition", "pipeline.special_interval", "special-rate", 4.0),
    ("load of shared memory", "pipeline.memory.shared_latency", "shared", 1.0),
    (
        "accesses of shared memory of a sub-partition, one after the other",
        "pipeline.memory.address_interval",
        "address-rate",
        4.0,
    ),
    ("words of shared memory, a pass over the banks", "pipeline.memory.pass_interval", "shared-rate", 16.0),
    ("shuffle", "pipeline.memory.shuffle_latency", "shuffle", 1.0),
    ("shuffles, one after the other in the SM", "pipeline.memory.accept_interval", "shuffle-rate", 16.0),
    ("load, L1 cache", "pipeline.memory.l1_latency", "l1", 1.0),
    ("load, L2 cache", "pipeline.memory.l2_latency", "l2", 1.0),
    ("load, device memory", "pipeline.memory.device_latency", "device", 1.0),
    ("fence of the CTA", "pipeline.fence_latency", "fence", 1.0),
    ("fence of the GPU", "pipeline.gpu_fence_latency", "fence-gpu", 1.0),
];

/// Returns all figures that follow from the samples.
pub fn findings(samples: &[Sample]) -> Vec<Finding> {
    let clocks = |series: &str| clocks(samples, series);
    let mut all = Vec::new();
    let mut add = |what, unit, entry, value: Option<f64>| {
        all.extend(value.map(|value| Finding { what, unit, entry, value }));
    };
    for (what, entry, series, divisor) in DIRECT {
        add(what, CLOCKS, entry, clocks(series).map(|clocks| clocks / divisor));
    }
    let rate = |series, results: f64| clocks(series).map(|clocks| 16.0 * results / clocks);
    add("fused multiply-adds of doubles", RATE, "fp64_per_clock_per_sm", rate("double-rate", 32.0));
    add("the same in products of matrices", RATE, "tensor_fp64_per_clock_per_sm", rate("tensor-rate", 256.0));
    let near = clocks("constant-64");
    add("load of a constant", CLOCKS, "pipeline.constants.load_latency", near);
    let miss = clocks("constant-8192").zip(near).map(|(far, near)| far - near);
    add("the same that misses its cache, more", CLOCKS, "pipeline.constants.miss_latency", miss);
    let tables = of_sizes(samples, "constant", &CONSTANTS);
    add("constants in their cache", BYTES, "pipeline.constants.bytes", capacity(&tables).map(|at| at.0));
    // the warps of a sub-partition come one after the other
    let barriers = of_sizes(samples, "barrier", &WARPS).into_iter();
    let barriers: Vec<(f64, f64)> =
        barriers.map(|(warps, clocks)| (warps, clocks + 1.0 - (warps / 4.0).max(1.0))).collect();
    let barrier = line(&barriers);
    add("barrier, without its warps", CLOCKS, "pipeline.barrier_latency", barrier.map(|line| line.0));
    add("barrier, for each warp", CLOCKS, "pipeline.barrier_latency_per_warp", barrier.map(|line| line.1));
    let loops = of_sizes(samples, "code", &CODE);
    let first = capacity(&loops);
    add("code in the first cache", BYTES, "pipeline.fetch.l0_bytes", first.map(|at| 1024.0 * at.0));
    let beyond: Vec<(f64, f64)> =
        loops.into_iter().filter(|at| first.is_some_and(|first| at.0 >= 1.5 * first.0)).collect();
    add("code in the second cache", BYTES, "pipeline.fetch.l1_bytes", capacity(&beyond).map(|at| 1024.0 * at.0));
    let fetch = clocks("jump-far").zip(clocks("jump-near")).map(|(far, near)| far - near);
    add("code that misses the first cache, more", CLOCKS, "pipeline.fetch.l1_latency", fetch);
    all
}

/// Returns size and clocks of a link of the series `NAME-SIZE`.
fn of_sizes(samples: &[Sample], name: &str, sizes: &[u32]) -> Vec<(f64, f64)> {
    let of = |size: &u32| Some((f64::from(*size), clocks(samples, &format!("{name}-{size}"))?));
    sizes.iter().filter_map(of).collect()
}

/// Returns the last size whose clocks equal those of the first within 5 %. `None`: no size takes more, or there is none.
fn capacity(of_sizes: &[(f64, f64)]) -> Option<(f64, f64)> {
    let most = 1.05 * of_sizes.first()?.1;
    let beyond = of_sizes.iter().position(|at| at.1 > most)?;
    of_sizes.get(beyond.checked_sub(1)?).copied()
}

/// Fits a straight line by least squares: its value at 0, and its slope.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread;
    (spread > 0.0).then_some((y - slope * x, slope))
}

/// Returns the value of an entry in a target's table. `None`: the table has no entry of that name.
pub fn entry(target: &Target, name: &str) -> Option<f64> {
    match name {
        LAUNCH => return target.board.launch_nanoseconds.map(f64::from),
        DELIVERED => return target.board.reached_gigabytes_per_second.map(f64::from),
        _ => {}
    }
    let pipeline = target.pipeline.as_ref()?;
    if name == ROTATE {
        return Some(f64::from(u8::from(pipeline.ctas_rotate)));
    }
    let (fetch, constants, memory) = (&pipeline.fetch, &pipeline.constants, &pipeline.memory);
    let value = match name {
        "fp64_per_clock_per_sm" => target.fp64_per_clock_per_sm,
        "tensor_fp64_per_clock_per_sm" => target.tensor_fp64_per_clock_per_sm?,
        "pipeline.double_latency" => pipeline.double_latency,
        "pipeline.tensor_latency" => pipeline.tensor_latency,
        "pipeline.special_latency" => pipeline.special_latency,
        "pipeline.fma_interval" => pipeline.fma_interval,
        "pipeline.alu_interval" => pipeline.alu_interval,
        "pipeline.special_interval" => pipeline.special_interval,
        "pipeline.barrier_latency" => pipeline.barrier_latency,
        "pipeline.barrier_latency_per_warp" => pipeline.barrier_latency_per_warp,
        "pipeline.fence_latency" => pipeline.fence_latency,
        "pipeline.gpu_fence_latency" => pipeline.gpu_fence_latency,
        "pipeline.fetch.l0_bytes" => fetch.l0_bytes,
        "pipeline.fetch.l1_bytes" => fetch.l1_bytes,
        "pipeline.fetch.l1_latency" => fetch.l1_latency,
        "pipeline.constants.bytes" => constants.bytes,
        "pipeline.constants.load_latency" => constants.load_latency,
        "pipeline.constants.miss_latency" => constants.miss_latency,
        "pipeline.memory.address_interval" => memory.address_interval,
        "pipeline.memory.accept_interval" => memory.accept_interval,
        "pipeline.memory.pass_interval" => memory.pass_interval,
        "pipeline.memory.shared_latency" => memory.shared_latency,
        "pipeline.memory.shuffle_latency" => memory.shuffle_latency,
        "pipeline.memory.l1_latency" => memory.l1_latency,
        "pipeline.memory.l2_latency" => memory.l2_latency,
        "pipeline.memory.device_latency" => memory.device_latency,
        _ => return None,
    };
    Some(value.into())
}
