//! The functional warp simulator: runs a kernel lane by lane, detects hazards and counts instructions.
//!
//! A warp has 32 lanes under one program counter; lanes that diverge meet again at the immediate post-dominator of
//! their branch. Warps of a CTA interleave as [`Schedule`] says; CTAs run one after the other. Two accesses of one
//! place in shared memory race unless barriers order them, whatever the interleaving that was simulated.
//!
//! `f64::mul_add` costs several nanoseconds where the crate is built for processors without fused multiply-add; build with
//! `-C target-feature=+fma` (or `target-cpu=native`) to simulate fast.
#![forbid(unsafe_code)]

mod atomic;
mod barrier;
mod buffer;
mod claims;
mod counts;
mod cta;
mod decode;
mod exec;
mod float;
mod hazard;
mod lanes;
mod memory;
mod micro;
pub mod prove;
mod rows;
mod scalar;
pub mod setup;
mod shared;
mod warp;

pub use buffer::Buffer;
pub use claims::Claims;
pub use counts::{Counts, LONG_DOUBLE_SLOTS};
pub use hazard::{Access, BarrierMisuse, Hazard, Hazards, Kind, Site, Wait};

use exec::{Collector, Machine};
use memory::Segments;
use ptx::ir::Module;
use shared::Shared;
use warp::{Place, Warp};

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
    run_checked(module, kernel, launch, buffers, options, None)
}

/// As [`run`], and checks what is claimed of the kernel's values at every instruction.
///
/// # Errors
/// Those of [`run`]; a claim that does not hold is a hazard.
pub fn run_checked(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    claims: Option<&Claims>,
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
    let place = launch.place();
    let mut warps: Vec<Warp> = (0..place.size().div_ceil(32) as usize).map(|index| Warp::new(index, &code)).collect();
    let mut machine = Machine {
        code: &code,
        shared: Shared::new(code.shared_bytes, code.shared_cell(), warps.len()),
        segments: Segments { buffers, tables },
        bank_bytes: options.bank_bytes,
        budget: options.budget,
        cta: 0,
        hazards: Collector::new(options.hazards),
        checker: claims.map(|claims| claims::Checker::new(claims, &code, launch.threads[0], warps.len())),
    };
    match cta::run_grid(&mut machine, &mut warps, place, options.schedule) {
        Ok(()) => Ok(Report { warps: warps.into_iter().map(|warp| warp.counts).collect() }),
        Err(exec::Stop) => Err(fail(machine.hazards.list)),
    }
}

/// How a kernel is launched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// CTAs in x, y and z.
    pub ctas: [u32; 3],
    /// Threads per CTA in x, y and z.
    pub threads: [u32; 3],
    /// Bytes of shared memory that the launch adds.
    pub shared: u64,
    /// One per parameter.
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// The address of a buffer, by its number.
    Buffer(usize),
    U32(u32),
    U64(u64),
    /// Any other value, as it lies in memory.
    Bytes(Vec<u8>),
}

impl Launch {
    /// A launch with one dimension.
    pub fn linear(ctas: u32, threads: u32, arguments: Vec<Argument>) -> Self {
        Self { ctas: [ctas, 1, 1], threads: [threads, 1, 1], shared: 0, arguments }
    }

    /// The signature of kernels made by [`lower`](ptx::lower::lower): buffers 0 to `arrays`-1, points, stride.
    pub fn fields(ctas: u32, warps: u32, arrays: usize, points: u32, stride: u32) -> Self {
        let mut arguments: Vec<Argument> = (0..arrays).map(Argument::Buffer).collect();
        arguments.extend([Argument::U32(points), Argument::U32(stride)]);
        Self::linear(ctas, 32 * warps, arguments)
    }

    /// Threads per CTA.
    pub fn size(&self) -> u32 {
        self.threads.iter().fold(1, |all, n| all.saturating_mul(*n))
    }

    fn place(&self) -> Place {
        Place { cta: 0, ctas: self.ctas, threads: self.threads, dynamic_shared: self.shared }
    }

    fn check(&self, threads: Option<[u32; 3]>, buffers: usize) -> Result<(), String> {
        let [x, y, z] = self.threads;
        if !(1..=1024).contains(&self.size()) || threads.is_some_and(|threads| threads != self.threads) {
            return Err(format!("a launch with {x} x {y} x {z} threads per CTA"));
        }
        let ctas = self.ctas.iter().fold(1u32, |all, n| all.saturating_mul(*n));
        if ctas == u32::MAX {
            return Err("a launch with that many CTAs".to_owned());
        }
        if self.shared > MOST_SHARED {
            return Err(format!("a launch with {} bytes of shared memory", self.shared));
        }
        let missing = |a: &&Argument| matches!(a, Argument::Buffer(index) if *index >= buffers);
        match self.arguments.iter().find(missing) {
            Some(argument) => Err(format!("the argument {argument:?}, with {buffers} buffers")),
            None => Ok(()),
        }
    }
}

/// Bytes of shared memory that no machine exceeds.
const MOST_SHARED: u64 = 1 << 20;

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
