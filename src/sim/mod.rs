//! The functional warp simulator: runs a kernel lane by lane, detects hazards and counts instructions.
//!
//! A warp has 32 lanes under one program counter; lanes that diverge meet again at the immediate post-dominator of
//! their branch. Warps of a CTA interleave as [`Schedule`] says; CTAs run one after the other. Two accesses of one
//! 8-byte word of shared memory race unless barriers order them, whatever the interleaving that was simulated.
//!
//! `f64::mul_add` costs several nanoseconds where the crate is built for processors without fused multiply-add; build with
//! `-C target-feature=+fma` (or `target-cpu=native`) to simulate fast.

mod barrier;
mod buffer;
mod counts;
mod cta;
mod decode;
mod exec;
mod hazard;
mod memory;
pub mod prove;
mod rows;
mod shared;
mod warp;

pub use buffer::Buffer;
pub use counts::{Counts, LONG_DOUBLE_SLOTS};
pub use hazard::{Access, BarrierMisuse, Hazard, Hazards, Kind, Site, Wait};

use crate::simt::ir::Module;
use exec::{Collector, Machine};
use memory::Segments;
use shared::Shared;
use warp::Warp;

/// Runs the module's entry `kernel` on the buffers.
///
/// # Errors
/// All hazards that showed. The contents of the buffers are then meaningless.
pub fn run(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
) -> Result<Report, Box<Hazards>> {
    let fail = |list| Box::new(Hazards { kernel: kernel.to_owned(), list });
    let unsupported = |kind| fail(vec![Hazard { cta: 0, site: None, kind }]);
    let Some(func) = module.func(kernel) else {
        return Err(unsupported(Kind::Unsupported("the module has no such kernel".to_owned())));
    };
    if let Err(reason) = launch.check(func.threads, buffers.len()) {
        return Err(unsupported(Kind::Unsupported(reason)));
    }
    let mut code = decode::decode(module, func, launch, buffers.len()).map_err(unsupported)?;
    let tables = std::mem::take(&mut code.tables);
    let mut warps: Vec<Warp> = (0..launch.threads.div_ceil(32) as usize).map(|index| Warp::new(index, &code)).collect();
    let mut machine = Machine {
        code: &code,
        shared: Shared::new(code.shared_bytes, warps.len()),
        segments: Segments { buffers, tables },
        bank_bytes: options.bank_bytes,
        budget: options.budget,
        cta: 0,
        hazards: Collector::new(options.hazards),
    };
    match cta::run_grid(&mut machine, &mut warps, launch.ctas, launch.threads, options.schedule) {
        Ok(()) => Ok(Report { warps: warps.into_iter().map(|warp| warp.counts).collect() }),
        Err(exec::Stop) => Err(fail(machine.hazards.list)),
    }
}

/// How a kernel is launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Number of CTAs.
    pub ctas: u32,
    /// Threads per CTA.
    pub threads: u32,
    /// One per parameter.
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer, by its number.
    Buffer(usize),
    U32(u32),
    U64(u64),
}

impl Launch {
    /// The signature of kernels made by [`lower`](crate::simt::lower::lower): buffers 0 to `arrays`-1, points, stride.
    pub fn fields(ctas: u32, warps: u32, arrays: usize, points: u32, stride: u32) -> Self {
        let mut arguments: Vec<Argument> = (0..arrays).map(Argument::Buffer).collect();
        arguments.extend([Argument::U32(points), Argument::U32(stride)]);
        Self { ctas, threads: 32 * warps, arguments }
    }

    fn check(&self, threads: Option<[u32; 3]>, buffers: usize) -> Result<(), String> {
        if !(1..=1024).contains(&self.threads) || threads.is_some_and(|threads| threads != [self.threads, 1, 1]) {
            return Err(format!("a launch with {} threads per CTA", self.threads));
        }
        let missing = |a: &&Argument| matches!(a, Argument::Buffer(index) if *index >= buffers);
        match self.arguments.iter().find(missing) {
            Some(argument) => Err(format!("the argument {argument:?}, with {buffers} buffers")),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub schedule: Schedule,
    /// Width of a shared-memory bank: 4, or 8 for Kepler in its 8-byte mode.
    pub bank_bytes: u32,
    /// Warp instructions after which the run is taken for endless.
    pub budget: u64,
    /// Races and unwritten reads after which the run ends; other hazards end it at once.
    pub hazards: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { schedule: Schedule::RoundRobin, bank_bytes: 4, budget: 1 << 30, hazards: 16 }
    }
}

/// How the warps of a CTA interleave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Each warp runs until it blocks.
    RoundRobin,
    /// Random warps run for random stretches.
    Random { seed: u64 },
}

/// The result of a clean run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Counts of each warp of a CTA, summed over CTAs.
    pub warps: Vec<Counts>,
}

impl Report {
    /// The sum over warps.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in &self.warps {
            total += *counts;
        }
        total
    }

    /// A count per grid point: a warp instruction stands for one operation of each of its 32 points.
    pub fn per_point(&self, count: impl Fn(&Counts) -> u64, points: u32) -> f64 {
        count(&self.total()) as f64 / f64::from(points.div_ceil(32).max(1))
    }
}

#[cfg(test)]
mod tests;
