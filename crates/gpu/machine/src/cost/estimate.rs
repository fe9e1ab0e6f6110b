//! The fast estimate of time, from counts of PTX: before anything is compiled, and where nothing can run machine code.
//!
//! An SM takes as long as its busiest part. If too few warps hide their latencies, it takes as long as the steps of its warps, one after
//! the other. The two are added as a norm, because neither hides the other wholly. The cost of a step is known from the target's pipeline,
//! except a few factors. These were calibrated against the model of time for machine code (`docs/lab/estimate.md`).

use super::Work;
use crate::target::{SHUFFLES_PER_CLOCK_PER_SM, Target};

/// Spread of a kernel over an SM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Warps that share the work of a group of points.
    pub warps_per_group: u32,
    /// Warps of a CTA that wait for each other.
    pub warps_per_barrier: u32,
    /// Groups of points that an SM works on at once.
    pub groups: u32,
    pub points_per_lane: u32,
    /// Barriers that a warp comes to in one turn of the streaming loop.
    pub barriers: f64,
    /// Warp instructions of PTX in the kernel's text.
    pub text: u64,
    /// Bytes of constant memory that the warps of a group read in one turn.
    pub constant_bytes: u64,
}

/// Factors that the target's pipeline does not give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// Instructions of machine code for one of PTX.
    pub expansion: f64,
    /// Clocks of a warp from one instruction to the next: dependences of fixed latency.
    pub step: f64,
    /// Shares of the latency of shuffles and accesses of memory that no other step of the warp hides.
    pub shuffle: f64,
    pub shared: f64,
    pub local: f64,
    pub global: f64,
    /// Waits for the memory of the device in one turn, one after the other.
    pub first: f64,
    /// Share of the latency of constants that the small cache does not hold.
    pub constants: f64,
    /// Clocks of fetching an instruction that is beyond the small instruction cache.
    pub fetch: f64,
    /// Additional clocks per fetched instruction if the cache of the SM does not hold code and constants.
    pub fetch_beyond: f64,
    /// Work of the slowest warp of a group, relative to the mean over the group's warps.
    pub imbalance: f64,
    /// The norm by which busy parts and waiting add up: 1 as if nothing overlapped, infinite as if all did.
    pub norm: f64,
    /// Number of reads and writes of a byte of local memory, per point.
    pub reuse: f64,
}

/// The factors with which the estimate comes nearest to the model of time.
pub const CALIBRATED: Factors = Factors {
    expansion: 1.0,
    step: 1.8,
    shuffle: 0.61,
    shared: 0.01,
    local: 0.27,
    global: 0.11,
    first: 3.4,
    constants: 0.57,
    fetch: 1.3,
    fetch_beyond: 0.24,
    imbalance: 2.3,
    norm: 2.1,
    reuse: 14.0,
};

/// Clocks of an addition of integers or singles where stall counts stand in the machine code: Jia et al. (2018), table 4.1.
const STALL: f64 = 4.0;

/// Bytes of a line of constants: mt4g.
const CONSTANT_LINE: f64 = 64.0;

/// Bytes of an instruction of machine code.
const INSTRUCTION: f64 = 16.0;

impl Work {
    /// Clocks of an SM per point.
    pub fn estimated_clocks(&self, spread: &Spread, target: &Target) -> f64 {
        self.clocks_by(&CALIBRATED, spread, target)
    }

    /// Clocks of an SM per point with other factors than the calibrated ones.
    pub fn clocks_by(&self, factors: &Factors, spread: &Spread, target: &Target) -> f64 {
        let issue = factors.expansion * self.instructions / f64::from(32 * target.sub_partitions);
        // shuffles and shared memory have one pipe
        let memory = self.shuffles / f64::from(SHUFFLES_PER_CLOCK_PER_SM)
            + self.shared_passes / f64::from(target.shared_passes_per_clock_per_sm());
        let busy = self.clocks(target).max(issue).max(memory).max(self.overflow(factors, spread, target));
        (busy.powf(factors.norm) + self.waiting(factors, spread, target).powf(factors.norm)).powf(1.0 / factors.norm)
    }

    /// Nanoseconds per point on the target's board, of its SMs and its memory.
    pub fn estimated_nanoseconds(&self, spread: &Spread, target: &Target) -> f64 {
        let memory = self.device_bytes / f64::from(target.board.gigabytes_per_second);
        target.board.nanoseconds(self.estimated_clocks(spread, target)).max(memory)
    }

    /// Clocks per point of local memory that caches do not hold: the part that comes from the L2 cache, or from the device's memory, at
    /// their rates.
    fn overflow(&self, factors: &Factors, spread: &Spread, target: &Target) -> f64 {
        let Some(pipeline) = &target.pipeline else { return 0.0 };
        let (memory, board) = (&pipeline.memory, &target.board);
        let held = f64::from(32 * spread.groups * spread.points_per_lane) * self.local_bytes / factors.reuse;
        let missing = |bytes: f64| if held > bytes { 1.0 - bytes / held } else { 0.0 };
        let sms = f64::from(board.multiprocessors);
        let device_rate = f64::from(board.gigabytes_per_second) * 1e3 / (sms * f64::from(board.megahertz));
        let from_l2 = missing(memory.l1_bytes.into()) / f64::from(memory.l2_bytes_per_clock_per_sm);
        let from_device = missing(f64::from(memory.l2_bytes) / sms) / device_rate;
        self.local_bytes * from_l2.max(from_device)
    }

    /// Clocks per point of the steps of a warp, one after the other, for the groups that an SM works on at once.
    fn waiting(&self, factors: &Factors, spread: &Spread, target: &Target) -> f64 {
        let Latencies { step, shuffle, shared, local, global, device, constants, barrier, small_code, kept } =
            Latencies::for_target(target);
        // an access of doubles by a warp is 256 bytes
        let (local_accesses, global_accesses) = (self.local_bytes / 8.0, self.global_bytes / 8.0);
        let steps = factors.step * step * self.instructions
            + factors.shuffle * shuffle * self.shuffles
            + factors.shared * shared * self.shared_passes / 2.0
            + factors.local * local * local_accesses
            + factors.global * global * global_accesses;
        let warps = f64::from(spread.warps_per_group);
        let imbalance = if spread.warps_per_group > 1 { factors.imbalance } else { 1.0 };
        let points = f64::from(spread.points_per_lane);
        let code = factors.expansion * spread.text as f64;
        // from the L2 cache comes all of what the cache of the SM cannot hold whole
        let is_beyond = code * INSTRUCTION + spread.constant_bytes as f64 > kept;
        let (slower, further) = if is_beyond { (factors.fetch_beyond, global) } else { (0.0, 0.0) };
        let constants = factors.constants * (constants + further) * spread.missed_lines(target);
        let fetched = (factors.fetch + slower) * (code - small_code / INSTRUCTION).max(0.0);
        let barriers = spread.barriers * (barrier[0] + f64::from(spread.warps_per_barrier) * barrier[1]);
        let turn = points * imbalance * steps / warps + factors.first * device + constants + fetched + barriers;
        turn / (32.0 * points * f64::from(spread.groups.max(1)))
    }
}

impl Spread {
    /// Lines of constants that a warp misses in one turn: it comes to all of them in order, so that a cache which is too small has
    /// none of them when the warp comes again.
    fn missed_lines(&self, target: &Target) -> f64 {
        let held = target.pipeline.as_ref().map_or(u32::MAX, |pipeline| pipeline.constants.bytes);
        let parts = self.warps_per_group.min(target.sub_partitions);
        let fit = self.constant_bytes <= u64::from(held) * u64::from(parts);
        let bytes = self.constant_bytes as f64 / f64::from(self.warps_per_group);
        if fit { 0.0 } else { bytes / CONSTANT_LINE }
    }
}

/// Clocks from the issue to the result.
struct Latencies {
    /// Latency of arithmetic, relative to architectures with stall counts.
    step: f64,
    shuffle: f64,
    shared: f64,
    local: f64,
    global: f64,
    /// Latency of device memory.
    device: f64,
    /// Additional latency of a miss in the small cache for constants.
    constants: f64,
    /// Latency of a barrier, and its increase per warp.
    barrier: [f64; 2],
    /// Bytes of code that cost nothing to fetch.
    small_code: f64,
    /// Bytes of code and constants that the SM keeps.
    kept: f64,
}

impl Latencies {
    fn for_target(target: &Target) -> Self {
        let Some(pipeline) = &target.pipeline else { return OLDER };
        let memory = &pipeline.memory;
        Self {
            step: pipeline.fixed.as_ref().map_or(1.0, |fixed| f64::from(fixed.arithmetic_latency) / STALL),
            shuffle: memory.shuffle_latency.into(),
            shared: memory.shared_latency.into(),
            local: memory.l1_latency.into(),
            global: memory.l2_latency.into(),
            device: memory.device_latency.into(),
            constants: pipeline.constants.miss_latency.into(),
            barrier: [pipeline.barrier_latency, pipeline.barrier_latency_per_warp].map(f64::from),
            small_code: pipeline.fetch.l0_bytes.into(),
            kept: pipeline.fetch.l1_bytes.into(),
        }
    }
}

/// Latencies for targets without a pipeline: those of Kepler by Arafa et al., "PPT-GPU" (2019); an instruction cache of 8 KiB for
/// instructions of 8 bytes; barriers as on Kepler.
const OLDER: Latencies = Latencies {
    step: 9.0 / STALL,
    shuffle: 26.0,
    shared: 26.0,
    local: 32.0,
    global: 188.0,
    device: 331.0,
    constants: 0.0,
    barrier: [20.0, 0.0],
    small_code: 16384.0,
    kept: f64::INFINITY,
};

#[cfg(test)]
mod tests {
    use super::*;

    const SPREAD: Spread = Spread {
        warps_per_group: 8,
        warps_per_barrier: 8,
        groups: 1,
        points_per_lane: 1,
        barriers: 6.0,
        text: 3000,
        constant_bytes: 20_000,
    };
    const WORK: Work = Work {
        slots: 5000.0,
        shuffles: 2000.0,
        shared_passes: 3000.0,
        global_bytes: 400.0,
        device_bytes: 400.0,
        local_bytes: 100.0,
        instructions: 20_000.0,
    };

    #[test]
    fn no_estimate_is_below_the_busiest_pipe() {
        for target in Target::all() {
            for groups in [1, 4, 64] {
                let spread = Spread { groups, ..SPREAD };
                assert!(WORK.estimated_clocks(&spread, target) >= WORK.clocks(target), "{}", target.name);
                assert!(WORK.estimated_nanoseconds(&spread, target) >= WORK.nanoseconds(target), "{}", target.name);
            }
        }
    }

    #[test]
    fn groups_hide_the_waiting_of_each_other() {
        for target in Target::all() {
            let clocks = |groups| WORK.estimated_clocks(&Spread { groups, ..SPREAD }, target);
            assert!(clocks(1) > clocks(2) && clocks(2) > clocks(16), "{}", target.name);
        }
    }

    #[test]
    fn more_of_anything_never_takes_less_time() {
        let more: [fn(&mut Work, &mut Spread); 10] = [
            |work, _| work.slots *= 2.0,
            |work, _| work.shuffles *= 2.0,
            |work, _| work.shared_passes *= 2.0,
            |work, _| work.global_bytes *= 2.0,
            |work, _| work.device_bytes *= 2.0,
            |work, _| work.local_bytes *= 2.0,
            |work, _| work.instructions *= 2.0,
            |_, spread| spread.barriers *= 2.0,
            |_, spread| spread.text *= 2,
            |_, spread| spread.constant_bytes *= 2,
        ];
        for target in Target::all() {
            for (at, change) in more.iter().enumerate() {
                let (mut work, mut spread) = (WORK, SPREAD);
                change(&mut work, &mut spread);
                let [before, after] = [(WORK, SPREAD), (work, spread)].map(|(w, s)| w.estimated_clocks(&s, target));
                assert!(after >= before, "{} {at}: {before} {after}", target.name);
            }
        }
    }
}
