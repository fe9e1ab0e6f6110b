//! CTAs of a kernel per SM: the formula of NVIDIA's `cuda_occupancy.h`, with all shared memory carved out; for AMD's machines,
//! the remarks of clang.

use super::{ComputeCapability, Target};

/// Resources that one CTA asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    pub threads: u32,
    pub registers_per_thread: u32,
    /// Static and dynamic shared memory.
    pub shared_bytes: u32,
    pub named_barriers: u32,
}

/// The CTAs that each resource allows; `None` where it sets no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub warps: u32,
    pub registers: u32,
    pub shared: Option<u32>,
    pub blocks: u32,
    pub barriers: Option<u32>,
}

/// The answer and what led to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occupancy {
    /// Resident CTAs per SM; 0 if the kernel cannot be launched.
    pub blocks: u32,
    pub warps: u32,
    /// Resident warps, as a share of the warps that the SM can hold.
    pub fraction: f64,
    pub limits: Limits,
    /// Registers and bytes of shared memory allocated to one CTA, after rounding.
    pub allocated_registers: u32,
    pub allocated_shared_bytes: u32,
}

impl Occupancy {
    /// The resources that allow no more CTAs than there are.
    pub fn limiting(&self) -> Vec<&'static str> {
        let Limits { warps, registers, shared, blocks, barriers } = self.limits;
        let limits = [
            ("warps", Some(warps)),
            ("registers", Some(registers)),
            ("shared memory", shared),
            ("blocks", Some(blocks)),
            ("named barriers", barriers),
        ];
        limits.iter().filter(|(_, limit)| *limit == Some(self.blocks)).map(|(name, _)| *name).collect()
    }
}

/// Resident CTAs per SM of a kernel.
pub fn occupancy(target: &Target, kernel: Kernel) -> Occupancy {
    // The cap is beyond every machine's limits, and small enough for the products below.
    let threads = kernel.threads.min(1 << 16);
    let registers_per_thread = kernel.registers_per_thread.min(1 << 12);
    let shared_bytes = kernel.shared_bytes.min(1 << 30);
    let warps = threads.div_ceil(32).max(1);
    // The last wave may be half empty if a wave is more than a warp.
    let places = target.amd().map_or(warps, |amd| amd.waves(threads) * amd.wavefront / 32);
    let warp_registers = (registers_per_thread * 32).next_multiple_of(target.register_unit);
    let allocated_shared_bytes =
        (shared_bytes + target.reserved_shared_bytes_per_cta).next_multiple_of(target.shared_unit);
    let limits = Limits {
        warps: if threads > target.threads_per_cta { 0 } else { target.warps_per_sm / places },
        registers: register_limit(target, registers_per_thread, warp_registers, warps),
        shared: shared_limit(target, allocated_shared_bytes),
        blocks: target.blocks_per_sm,
        barriers: barrier_limit(target, kernel.named_barriers),
    };
    let blocks = [Some(limits.warps), Some(limits.registers), limits.shared, Some(limits.blocks), limits.barriers]
        .into_iter()
        .flatten()
        .min()
        .expect("three limits are always there");
    Occupancy {
        blocks,
        warps: blocks * warps,
        fraction: f64::from(blocks * warps) / f64::from(target.warps_per_sm),
        limits,
        allocated_registers: warp_registers * warps.next_multiple_of(target.warp_granularity),
        allocated_shared_bytes,
    }
}

/// Returns the most 32-bit registers per thread with which registers allow this many CTAs on an SM; one unit if none does; all
/// that a thread has on a CPU. Warps get them in units, and sub-partitions have their own.
pub fn most_registers(target: &Target, threads: u32, ctas: u32) -> u32 {
    if target.is_cpu() {
        return target.max_registers_per_thread;
    }
    let warps = threads.div_ceil(32).max(1);
    let unit = (target.register_unit / 32).max(1);
    let fits = |per_thread: &u32| {
        register_limit(target, *per_thread, (per_thread * 32).next_multiple_of(target.register_unit), warps) >= ctas
    };
    (unit..=target.max_registers_per_thread).rev().find(fits).unwrap_or(unit)
}

fn register_limit(target: &Target, per_thread: u32, warp_registers: u32, warps: u32) -> u32 {
    if per_thread == 0 {
        return target.blocks_per_sm;
    }
    if per_thread > target.max_registers_per_thread {
        return 0;
    }
    if let Some(amd) = target.amd() {
        return amd.workgroups_with(per_thread, 32 * warps);
    }
    if target.warp_granularity > 1 {
        let resident = target.registers_per_sm / warp_registers;
        let resident = resident / target.warp_granularity * target.warp_granularity;
        return resident / warps.next_multiple_of(target.warp_granularity);
    }
    let with = |sub_partitions: u32| {
        if warp_registers * warps.next_multiple_of(sub_partitions) > target.registers_per_cta {
            return 0;
        }
        target.registers_per_sm / sub_partitions / warp_registers * sub_partitions / warps
    };
    // GP100 has two sub-partitions, the other Pascals four; a kernel must be launchable on all.
    if target.compute_capability == ComputeCapability(6, 0) && with(4) == 0 {
        return 0;
    }
    with(target.sub_partitions)
}

fn shared_limit(target: &Target, bytes: u32) -> Option<u32> {
    if bytes > target.shared_bytes_per_cta + target.reserved_shared_bytes_per_cta {
        return Some(0);
    }
    target.shared_bytes_per_sm.checked_div(bytes)
}

/// All CTAs of an SM share its named barriers. NVIDIA's calculator models this from compute capability 9 on only.
fn barrier_limit(target: &Target, named_barriers: u32) -> Option<u32> {
    if named_barriers > target.named_barriers_per_cta {
        return Some(0);
    }
    let per_sm = target.named_barriers_per_sm.filter(|_| target.compute_capability.0 >= 9)?;
    per_sm.checked_div(named_barriers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/machine/occupancy_golden.csv");

    #[test]
    fn agrees_with_every_golden_row() {
        let Ok(text) = std::fs::read_to_string(GOLDEN) else {
            testkit::skip::skip("../shared is absent");
            return;
        };
        let mut rows = 0;
        for row in text.lines().skip(1) {
            let (cc, numbers) = row.split_once(',').unwrap();
            let n: Vec<u32> = numbers.split(',').map(|x| x.parse().unwrap()).collect();
            let target = Target::by_name(&format!("sm_{}", cc.replace('.', ""))).unwrap();
            let kernel = Kernel { threads: n[0], registers_per_thread: n[1], shared_bytes: n[2], named_barriers: n[3] };
            let got = occupancy(target, kernel);
            let unlimited = i32::MAX as u32;
            let Limits { warps, registers, shared, blocks, barriers } = got.limits;
            let limits = [warps, registers, shared.unwrap_or(unlimited), blocks, barriers.unwrap_or(unlimited)];
            assert_eq!((got.blocks, limits.as_slice()), (n[4], &n[5..10]), "{row}");
            // The header's own list also has resources that would allow a little more; it never lacks one of ours.
            let names = ["warps", "registers", "shared memory", "blocks", "named barriers"];
            let header: Vec<&str> = (0..5).filter(|i| n[10] >> i & 1 == 1).map(|i| names[i]).collect();
            assert!(got.limiting().iter().all(|name| header.contains(name)), "{row}");
            assert_eq!((got.allocated_registers, got.allocated_shared_bytes), (n[11], n[12]), "{row}");
            rows += 1;
        }
        assert_eq!(rows, 4912);
    }

    #[test]
    fn fermi_gives_registers_to_pairs_of_warps() {
        let target = Target::by_name("fermi").unwrap();
        let kernel = Kernel { threads: 160, registers_per_thread: 63, shared_bytes: 0, named_barriers: 16 };
        let got = occupancy(target, kernel);
        // 63 * 32 = 2016 registers, 2048 after rounding: 16 warps; five warps count as six.
        assert_eq!((got.blocks, got.allocated_registers), (2, 6 * 2048));
    }

    #[test]
    fn a_kernel_that_asks_for_too_much_is_not_resident() {
        let target = Target::by_name("kepler").unwrap();
        let fits = Kernel { threads: 256, registers_per_thread: 64, shared_bytes: 1024, named_barriers: 16 };
        assert_eq!(occupancy(target, fits).blocks, 4);
        for kernel in [
            Kernel { threads: 1056, ..fits },
            Kernel { registers_per_thread: 256, ..fits },
            Kernel { shared_bytes: 48 * 1024 + 1, ..fits },
            Kernel { named_barriers: 17, ..fits },
            Kernel { threads: u32::MAX, registers_per_thread: u32::MAX, shared_bytes: u32::MAX, named_barriers: 0 },
        ] {
            assert_eq!(occupancy(target, kernel).blocks, 0, "{kernel:?}");
        }
    }

    #[test]
    fn as_many_registers_as_the_units_allow() {
        let most = |target: &str, warps: u32, ctas| most_registers(Target::by_name(target).unwrap(), 32 * warps, ctas);
        assert_eq!([4, 8, 12, 16, 32].map(|warps| most("hopper", warps, 1)), [255, 255, 168, 128, 64]);
        // three warps on two of the sub-partitions
        assert_eq!(most("hopper", 10, 1), 168);
        assert_eq!([1, 2, 3, 4].map(|ctas| most("hopper", 8, ctas)), [255, 128, 80, 64]);
        assert_eq!(most("kepler", 32, 2), 32);
        assert_eq!(most("fermi", 8, 1), 63);
    }
}
