//! How long an SM takes for what its warps executed.
//!
//! Every sub-partition issues one instruction per clock: of the warp that issued last, while it can, else of the youngest that
//! can. An instruction is held back by the stall count of the one before it, by the scoreboards that it waits for, by its pipe, and by
//! barriers. Stall counts and scoreboards are the machine code's own; rates and latencies are the target's
//! ([`Pipeline`]). After Huerta et al., "Analyzing modern NVIDIA GPU cores" (MICRO 2025).
//!
//! Not modelled: instruction fetch, misses of caches, banks of registers, other SMs. All CTAs of the launch are on the SM at once.

mod barriers;
mod cause;
mod critical;
mod sm;
mod timeline;

pub use cause::{Cause, WarpTime};
pub use timeline::{Bin, Meeting, Timeline};

use super::trace::Trace;
use machine::target::Pipeline;
use sass::Kernel;
use serde::Serialize;

/// The result of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Timing {
    pub cycles: u64,
    /// Warp instructions that were issued.
    pub issued: u64,
    /// Of all CTAs, one after the other.
    pub warps: Vec<WarpTime>,
    #[serde(skip)]
    pub timeline: Timeline,
}

/// Runs the model on what the warps executed. `None`: the machine code has no control bits, or a warp waits for ever.
pub(super) fn simulate(kernel: &Kernel, trace: &Trace, pipeline: &Pipeline, sub_partitions: u32) -> Option<Timing> {
    sm::run(kernel, trace, pipeline, sub_partitions)
}
