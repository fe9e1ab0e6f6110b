//! Time that an SM takes for the instructions that its warps executed.
//!
//! Every sub-partition issues one instruction per clock: from the warp that issued last, while it can, otherwise from the
//! youngest that can. An instruction is held back by the stall count of the one before it, by the scoreboards that it waits for,
//! by instruction fetch, by its operand in constant memory, by its pipe, by the ports of the registers, and by barriers. Stall
//! counts and scoreboards are the machine code's own; on architectures without them latencies come from the target, register by
//! register. Rates, latencies and capacities are the target's ([`Pipeline`](machine::target::Pipeline)). After Huerta et al.,
//! "Dissecting and Modeling the Architecture of Modern GPU Cores" (MICRO 2025).
//!
//! The SM is one of a full GPU: it has its share of the L2 cache and of the rate of the device memory. It holds as many CTAs as
//! its resources allow; the next one of the launch begins when one has ended.
//!
//! | module | what is there |
//! |---|---|
//! | `known`, `registers` | properties of each instruction that the model needs |
//! | `sm` | issue: the chosen warp, its time, and the stalls of the others |
//! | `steady`, `floor` | the mean of a turn, once it settles, and the least that it can be |
//! | `warp` | position of a warp, and its waits |
//! | `cause`, `timeline` | cycles by cause, and over time |
//! | `fetch`, `constants`, `memory`, `behind`, `ways`, `cache`, `slots`, `ports`, `barriers` | the parts that an instruction may wait for |

mod barriers;
mod behind;
mod cache;
mod cause;
mod cluster;
mod constants;
mod critical;
mod fetch;
mod floor;
mod known;
mod mbarriers;
mod memory;
mod ports;
mod slots;
mod sm;
mod steady;
mod timeline;
mod warp;
mod ways;

pub use cause::{Cause, WarpTime};
pub(super) use steady::steady;
pub use steady::{Steady, Turns};
pub use timeline::{Bin, Meeting, Timeline};

use super::trace::{Event, Trace};
use machine::target::{self, Target, occupancy};
use sass::Kernel;
use serde::Serialize;
use std::collections::BTreeSet;

/// The result of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timing {
    pub cycles: u64,
    /// Warp instructions that were issued.
    pub issued: u64,
    /// CTAs that are on the SM at once.
    pub resident_ctas: u32,
    /// Times of the warps of all CTAs, one after the other.
    pub warps: Vec<WarpTime>,
    /// Times at which each warp began its turns, where these are known.
    #[serde(skip)]
    pub turns: Vec<Vec<u64>>,
    /// Clocks below which no turn of the CTAs that are on the SM at once can come.
    #[serde(skip)]
    pub least_turn: Option<u64>,
    #[serde(skip)]
    pub timeline: Timeline,
}

/// Runs the model on the trace of the warps, all of whose CTAs begin together as far as they fit. `None`: the machine code has no control
/// bits where the target needs them, a CTA does not fit the SM, or a warp waits for ever.
pub(super) fn simulate(kernel: &Kernel, shared_bytes: u64, trace: &Trace, target: &Target) -> Option<Timing> {
    simulate_apart(kernel, shared_bytes, trace, target, 0)
}

/// As [`simulate`], with CTAs that begin so many clocks apart.
pub(super) fn simulate_apart(
    kernel: &Kernel,
    shared_bytes: u64,
    trace: &Trace,
    target: &Target,
    clocks_apart: u64,
) -> Option<Timing> {
    simulate_held(kernel, shared_bytes, trace, target, (clocks_apart, 1))
}

/// As [`simulate`], for the last of several equal launches, each of which finds in the L2 cache what the one before left.
pub(super) fn simulate_launches(
    kernel: &Kernel,
    shared_bytes: u64,
    trace: &Trace,
    target: &Target,
    launches: usize,
) -> Option<Timing> {
    simulate_held(kernel, shared_bytes, trace, target, (0, launches))
}

fn simulate_held(
    kernel: &Kernel,
    shared_bytes: u64,
    trace: &Trace,
    target: &Target,
    (clocks_apart, launches): (u64, usize),
) -> Option<Timing> {
    let pipeline = target.pipeline.as_ref()?;
    let known = known::known(kernel, target, pipeline)?;
    let ranks = trace.ranks.max(1);
    let warps = (trace.ctas.iter().map(Vec::len).max().unwrap_or(0) / ranks) as u32;
    let system = target.reserved_shared_bytes_per_cta.min(kernel.shared_bytes);
    let asked = target::Kernel {
        threads: 32 * warps,
        registers_per_thread: kernel.registers,
        // the system's own part is in both where the kernel declares shared memory
        shared_bytes: (shared_bytes as u32).saturating_sub(system),
        named_barriers: named_barriers(trace),
    };
    let fits = occupancy(target, asked);
    let shared = fits.blocks * fits.allocated_shared_bytes;
    let l1_bytes = pipeline.memory.l1_bytes.saturating_sub(target.carve_out(shared));
    let held = sm::Held { ctas: fits.blocks as usize / ranks, clocks_apart, l1_bytes: l1_bytes.into(), launches };
    let least_turn = floor::least_clocks(trace, held.ctas * ranks, &known, target, pipeline);
    let sm::Ran { cycles, warps, turns, timeline } = sm::Sm::new(&known, target, pipeline, trace, held)?.run()?;
    let issued = trace.ctas.iter().flatten().map(|warp| warp.len() as u64).sum();
    Some(Timing { cycles, issued, resident_ctas: fits.blocks, warps, turns, least_turn, timeline })
}

/// Counts the barriers that the warps of a CTA came to.
fn named_barriers(trace: &Trace) -> u32 {
    let ids = |events: &[Event]| -> Vec<u32> {
        events
            .iter()
            .filter_map(|event| if let Event::Barrier(arrival) = event { Some(arrival.id) } else { None })
            .collect()
    };
    let first = trace.ctas.first().into_iter().flatten();
    first.flat_map(|warp| ids(&warp.events)).collect::<BTreeSet<u32>>().len() as u32
}
