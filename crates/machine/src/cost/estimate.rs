//! The fast estimate of time, from counts of PTX: before anything is compiled, and where nothing can run machine code.
//!
//! An SM takes as long as its busiest part and as long as the steps of its warps, one after the other, where too few of them are
//! there to hide that: the two are added as a norm, because neither hides the other wholly. What a step costs is known from the target's
//! pipeline but for a few factors, which were calibrated against the model of time for machine code (`docs/estimate.md`).

use super::Work;
use crate::target::{SHUFFLES_PER_CLOCK_PER_SM, Target};

/// How a kernel is spread over an SM.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Warps that share the work of a group of points.
    pub warps_per_group: u32,
    /// Groups of points that an SM works on at once.
    pub groups: u32,
    pub points_per_lane: u32,
    /// Barriers that a warp comes to in one turn of the streaming loop.
    pub barriers: f64,
    /// Warp instructions of PTX in the kernel's text.
    pub text: u64,
}

/// Instructions of machine code for one of PTX.
const EXPANSION: f64 = 1.84;
/// Clocks of a warp from one instruction to the next: dependences of fixed latency.
const STEP: f64 = 2.23;
/// Shares of the latency of shuffles and accesses of memory that no other step of the warp hides.
const SHUFFLE: f64 = 0.36;
const SHARED: f64 = 0.4;
const LOCAL: f64 = 0.23;
const GLOBAL: f64 = 0.14;
/// Clocks of fetching an instruction that is beyond the small instruction cache.
const FETCH: f64 = 1.0;
/// Work of the slowest of the warps that share a group, over that of the mean one.
const IMBALANCE: f64 = 1.51;
/// The norm by which busy parts and waiting add up: 1 as if nothing overlapped, infinite as if all did.
const NORM: f64 = 2.66;

/// Clocks of an addition of integers or singles where stall counts stand in the machine code: Jia et al. (2018), table 4.1.
const STALL: f64 = 4.0;

/// How often a byte of local memory is read or written, per point.
const REUSE: f64 = 8.4;

/// Bytes of an instruction of machine code.
const INSTRUCTION: f64 = 16.0;

impl Work {
    /// Clocks of an SM per point.
    pub fn estimated_clocks(&self, spread: &Spread, target: &Target) -> f64 {
        let issue = EXPANSION * self.instructions / f64::from(32 * target.sub_partitions);
        // shuffles and shared memory have one pipe
        let memory = self.shuffles / f64::from(SHUFFLES_PER_CLOCK_PER_SM)
            + self.shared_passes / f64::from(target.shared_passes_per_clock_per_sm());
        let busy = self.clocks(target).max(issue).max(memory).max(self.overflow(spread, target));
        (busy.powf(NORM) + self.waiting(spread, target).powf(NORM)).powf(1.0 / NORM)
    }

    /// Nanoseconds per point on the target's board, of its SMs and its memory.
    pub fn estimated_nanoseconds(&self, spread: &Spread, target: &Target) -> f64 {
        let memory = self.global_bytes / f64::from(target.board.gigabytes_per_second);
        target.board.nanoseconds(self.estimated_clocks(spread, target)).max(memory)
    }

    /// Clocks per point of local memory that caches do not hold: the part that comes from the L2 cache, or from the device's memory, at
    /// their rates.
    fn overflow(&self, spread: &Spread, target: &Target) -> f64 {
        let Some(pipeline) = &target.pipeline else { return 0.0 };
        let (memory, board) = (&pipeline.memory, &target.board);
        let held = f64::from(32 * spread.groups * spread.points_per_lane) * self.local_bytes / REUSE;
        let missing = |bytes: f64| if held > bytes { 1.0 - bytes / held } else { 0.0 };
        let sms = f64::from(board.multiprocessors);
        let device_rate = f64::from(board.gigabytes_per_second) * 1e3 / (sms * f64::from(board.megahertz));
        let from_l2 = missing(memory.l1_bytes.into()) / f64::from(memory.l2_bytes_per_clock_per_sm);
        let from_device = missing(f64::from(memory.l2_bytes) / sms) / device_rate;
        self.local_bytes * from_l2.max(from_device)
    }

    /// Clocks per point of the steps of a warp, one after the other, for the groups that an SM works on at once.
    fn waiting(&self, spread: &Spread, target: &Target) -> f64 {
        let Latencies { step, shuffle, shared, local, global, barrier, small_code } = Latencies::of(target);
        // an access of doubles by a warp is 256 bytes
        let (local_accesses, global_accesses) = (self.local_bytes / 8.0, self.global_bytes / 8.0);
        let steps = STEP * step * self.instructions
            + SHUFFLE * shuffle * self.shuffles
            + SHARED * shared * self.shared_passes / 2.0
            + LOCAL * local * local_accesses
            + GLOBAL * global * global_accesses;
        let warps = f64::from(spread.warps_per_group);
        let imbalance = if spread.warps_per_group > 1 { IMBALANCE } else { 1.0 };
        let points = f64::from(spread.points_per_lane);
        let fetched = (EXPANSION * spread.text as f64 - small_code / INSTRUCTION).max(0.0);
        let turn =
            points * imbalance * steps / warps + FETCH * fetched + spread.barriers * (barrier[0] + warps * barrier[1]);
        turn / (32.0 * points * f64::from(spread.groups.max(1)))
    }
}

/// Clocks from the issue to the result.
struct Latencies {
    /// Of arithmetic, over that of the architectures with stall counts.
    step: f64,
    shuffle: f64,
    shared: f64,
    local: f64,
    global: f64,
    /// Of a barrier, and more for each of its warps.
    barrier: [f64; 2],
    /// Bytes of code that cost nothing to fetch.
    small_code: f64,
}

impl Latencies {
    fn of(target: &Target) -> Self {
        let Some(pipeline) = &target.pipeline else { return OLDER };
        let memory = &pipeline.memory;
        Self {
            step: pipeline.fixed.as_ref().map_or(1.0, |fixed| f64::from(fixed.arithmetic_latency) / STALL),
            shuffle: memory.shuffle_latency.into(),
            shared: memory.shared_latency.into(),
            local: memory.l1_latency.into(),
            global: memory.l2_latency.into(),
            barrier: [pipeline.barrier_latency, pipeline.barrier_latency_per_warp].map(f64::from),
            small_code: pipeline.fetch.l0_bytes.into(),
        }
    }
}

/// Where no pipeline is described: latencies of Kepler by Arafa et al., "PPT-GPU" (2019); an
/// instruction cache of 8 KiB for instructions of 8 bytes; barriers as on Kepler.
const OLDER: Latencies = Latencies {
    step: 9.0 / STALL,
    shuffle: 26.0,
    shared: 26.0,
    local: 32.0,
    global: 188.0,
    barrier: [20.0, 0.0],
    small_code: 16384.0,
};

#[cfg(test)]
mod tests {
    use super::*;

    const SPREAD: Spread = Spread { warps_per_group: 8, groups: 1, points_per_lane: 1, barriers: 6.0, text: 3000 };
    const WORK: Work = Work {
        slots: 5000.0,
        shuffles: 2000.0,
        shared_passes: 3000.0,
        global_bytes: 400.0,
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
        let more: [fn(&mut Work, &mut Spread); 8] = [
            |work, _| work.slots *= 2.0,
            |work, _| work.shuffles *= 2.0,
            |work, _| work.shared_passes *= 2.0,
            |work, _| work.global_bytes *= 2.0,
            |work, _| work.local_bytes *= 2.0,
            |work, _| work.instructions *= 2.0,
            |_, spread| spread.barriers *= 2.0,
            |_, spread| spread.text *= 2,
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
