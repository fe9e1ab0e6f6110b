//! How long an SM takes for what its warps executed.
//!
//! Every sub-partition issues one instruction per clock: of the warp that issued last, while it can, else of the youngest that
//! can. An instruction is held back by the stall count of the one before it, by the scoreboards that it waits for, by instruction
//! fetch, by its operand in constant memory, by its pipe, by the ports of the registers, and by barriers. Stall counts and scoreboards
//! are the machine code's own; on architectures without them latencies come from the target, register by register. Rates,
//! latencies and capacities are the target's ([`Pipeline`](machine::target::Pipeline)). After Huerta et al., "Dissecting and Modeling the Architecture of
//! Modern GPU Cores" (MICRO 2025).
//!
//! The SM is one of a full GPU: it has its share of the L2 cache and of the rate of the device memory. As many CTAs are on it as its
//! resources allow; the next one of the launch begins where one has ended.
//!
//! | module | what is there |
//! |---|---|
//! | `known`, `registers` | what the model needs to know of each instruction |
//! | `sm` | issue: which warp, when, and what holds the others back |
//! | `warp` | where a warp is, and where its cycles went |
//! | `fetch`, `constants`, `memory`, `cache`, `slots`, `ports`, `barriers` | the parts that an instruction may wait for |

mod barriers;
mod cache;
mod constants;
mod fetch;
mod known;
mod memory;
mod ports;
mod registers;
mod slots;
mod sm;
mod warp;

use super::trace::{Event, Trace};
use machine::target::{self, Pipeline, Target, occupancy};
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
    /// Of all CTAs, one after the other.
    pub warps: Vec<WarpTime>,
}

/// Where the cycles of a warp went, from the start of its CTA to its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct WarpTime {
    pub cycles: u64,
    pub issued: u64,
    /// The stall count of the instruction before.
    pub fixed_latency: u64,
    /// Scoreboards, by what set them.
    pub shared: u64,
    pub shuffles: u64,
    pub local: u64,
    pub global: u64,
    /// Loads of constants, and operands that miss the cache.
    pub constants: u64,
    /// Approximations, conversions, and the rest.
    pub special: u64,
    /// The pipe, the queue of the memory or a port of the registers was not free.
    pub pipe: u64,
    pub barrier: u64,
    /// The instruction was not there yet.
    pub fetch: u64,
    /// It could have issued, and another warp did.
    pub not_selected: u64,
}

/// Where a cycle of a warp can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    Issued,
    FixedLatency,
    Shared,
    Shuffles,
    Local,
    Global,
    Constants,
    Special,
    Pipe,
    Barrier,
    Fetch,
    NotSelected,
}

impl Cause {
    pub const ALL: [Self; 12] = [
        Self::Issued,
        Self::FixedLatency,
        Self::Shared,
        Self::Shuffles,
        Self::Local,
        Self::Global,
        Self::Constants,
        Self::Special,
        Self::Pipe,
        Self::Barrier,
        Self::Fetch,
        Self::NotSelected,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Issued => "issued",
            Self::FixedLatency => "fixed latency",
            Self::Shared => "shared",
            Self::Shuffles => "shuffles",
            Self::Local => "local",
            Self::Global => "global",
            Self::Constants => "constants",
            Self::Special => "special",
            Self::Pipe => "pipe",
            Self::Barrier => "barrier",
            Self::Fetch => "fetch",
            Self::NotSelected => "not selected",
        }
    }
}

impl WarpTime {
    pub fn of(&self, cause: Cause) -> u64 {
        *self.clone().part(cause)
    }

    fn part(&mut self, cause: Cause) -> &mut u64 {
        match cause {
            Cause::Issued => &mut self.issued,
            Cause::FixedLatency => &mut self.fixed_latency,
            Cause::Shared => &mut self.shared,
            Cause::Shuffles => &mut self.shuffles,
            Cause::Local => &mut self.local,
            Cause::Global => &mut self.global,
            Cause::Constants => &mut self.constants,
            Cause::Special => &mut self.special,
            Cause::Pipe => &mut self.pipe,
            Cause::Barrier => &mut self.barrier,
            Cause::Fetch => &mut self.fetch,
            Cause::NotSelected => &mut self.not_selected,
        }
    }
}

/// Runs the model on what the warps executed. `None`: the machine code has no control bits where the target needs them, a CTA does not
/// fit the SM, or a warp waits for ever.
pub(super) fn simulate(
    kernel: &Kernel,
    shared_bytes: u64,
    trace: &Trace,
    target: &Target,
    pipeline: &Pipeline,
) -> Option<Timing> {
    let known = known::known(kernel, target, pipeline)?;
    let warps = trace.ctas.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let asked = target::Kernel {
        threads: 32 * warps,
        registers_per_thread: kernel.registers,
        // the system's own part is in both
        shared_bytes: (shared_bytes as u32).saturating_sub(target.reserved_shared_bytes_per_cta),
        named_barriers: named_barriers(trace),
    };
    let fits = occupancy(target, asked);
    let shared = fits.blocks * fits.allocated_shared_bytes;
    let l1_bytes = pipeline.memory.l1_bytes.saturating_sub(target.carve_out(shared));
    let sm = sm::Sm::new(&known, target, pipeline, trace, fits.blocks as usize, l1_bytes.into())?;
    let (cycles, warps) = sm.run()?;
    Some(Timing { cycles, issued: warps.iter().map(|warp| warp.issued).sum(), resident_ctas: fits.blocks, warps })
}

/// Barriers that the warps of a CTA came to.
fn named_barriers(trace: &Trace) -> u32 {
    let ids = |events: &[Event]| -> Vec<u32> {
        events.iter().filter_map(|event| if let Event::Barrier(arrival) = event { Some(arrival.id) } else { None }).collect()
    };
    let first = trace.ctas.first().into_iter().flatten();
    first.flat_map(|warp| ids(&warp.events)).collect::<BTreeSet<u32>>().len() as u32
}
