//! A warp-level simulator of PTX, and a prover of its synchronisation. Both are one executor over two domains.
//!
//! # What it is
//!
//! [`run`] executes a kernel for one launch, 32 lanes at a time, with buffers for global memory. It returns the fault
//! that it met ([`Hazard`]: deadlocks, races, misused barriers, reads before any write, accesses out of bounds), or how
//! often each kind of instruction ran ([`Counts`]). [`prove::prove`] executes the same kernel once with its data
//! unknown. If nothing that matters depends on data, the [`Verdict`](prove::Verdict) holds for all data and all
//! interleavings.
//!
//! ```
//! use warpsim::prove::prove;
//! use warpsim::{Argument, Buffer, Launch, Options};
//!
//! // Each warp hands its doubles to the other one, which adds 1 to them.
//! let text = "
//! .version 6.0
//! .target sm_70
//! .address_size 64
//! .shared .align 8 .b8 box[512];
//! .entry swap(.param .u64 out)
//! {
//!     .reg .b32 %r<4>;
//!     .reg .b64 %a<3>;
//!     .reg .f64 %f<2>;
//!     mov.u32 %r0, %tid.x;
//!     ld.param.u64 %a0, [out];
//!     mul.wide.u32 %a1, %r0, 8;
//!     add.s64 %a0, %a0, %a1;
//!     ld.global.f64 %f0, [%a0];
//!     shl.b32 %r1, %r0, 3;
//!     mov.u32 %r2, box;
//!     add.s32 %r3, %r2, %r1;
//!     st.shared.f64 [%r3], %f0;
//!     bar.sync 0;
//!     xor.b32 %r1, %r1, 256;
//!     add.s32 %r3, %r2, %r1;
//!     ld.shared.f64 %f1, [%r3];
//!     add.f64 %f1, %f1, 0d3FF0000000000000;
//!     st.global.f64 [%a0], %f1;
//!     ret;
//! }";
//! let read = |text: &str| ptx::read::text("swap.ptx", text).expect("this is PTX");
//! let module = read(text);
//!
//! // Simulate: one CTA of 64 threads, whose one argument is buffer 0.
//! let launch = Launch::linear(1, 64, vec![Argument::Buffer(0)]);
//! let values: Vec<f64> = (0..64).map(f64::from).collect();
//! let mut buffers = [Buffer::in_out(&values)];
//! let report = warpsim::run(&module, "swap", &launch, &mut buffers, &Options::default()).expect("no hazard");
//! assert_eq!(buffers[0].reals()[..2], [33.0, 34.0]);
//! assert_eq!(report.total().barriers, 2);
//!
//! // Prove: for all values, and all interleavings of the warps.
//! assert!(prove(&module, "swap", &launch).expect("the launch fits").proven());
//!
//! // Without the barrier a warp may read before the other one has written, and the prover says where.
//! let verdict = prove(&read(&text.replace("bar.sync 0;", "")), "swap", &launch).expect("the launch fits");
//! assert!(!verdict.proven());
//! let said: Vec<String> = verdict.violations.iter().map(ToString::to_string).collect();
//! assert!(said[0].contains("line 23") && said[0].contains("reads shared 256") && said[1].contains("race on shared 256"));
//! ```
//!
//! # What is simulated
//!
//! - A warp has 32 lanes; lanes that diverge meet again at the immediate post-dominator of their branch. Up to sm_62 that is the
//!   rule. From sm_70 on lanes wait only for those that an instruction names, and meeting is a convenience.
//! - The warps of a CTA interleave as [`Schedule`] says; CTAs run one after the other, but those of a cluster together.
//! - Two accesses of one place in shared memory race unless barriers order them, whatever the interleaving that was simulated.
//! - An instruction that the simulator does not know ends the run; in a proof it takes away the values of what it writes, and
//!   stands in the way only where it could synchronise or access shared memory.
//!
//! # Modules
//!
//! | module | what is there |
//! |---|---|
//! | [`prove`] | the proof of synchronisation |
//! | [`machine_code`] | the other instruction set: what ptxas makes of PTX, on the same memories, barriers and launches |
//! | [`setup`] | a launch in a TOML file |
//! | `appraisal` | costs of versions of a kernel on one launch |
//! | `decode`, `micro` | from a kernel to a flat array of instructions on numbered rows of 32 values |
//! | `exec` | the loop over instructions, the effect of each, cooperation of lanes, accesses of memory |
//! | `domain` | the two domains: all values known, or only some |
//! | `warp`, `thread`, `cta`, `barrier` | paths of lanes and calls; the state of a warp in its CTA; interleaving of warps; the sixteen barriers |
//! | `shared`, `memory`, `buffer`, `atomic` | memories, with the detector of races |
//! | `rows`, `scalar`, `float`, `lanes` | arithmetic on whole rows, on one lane, and between lanes |
//! | `launch`, `place`, `options` | the input of a run: the launch, the place of a CTA in it, the order of warps |
//! | `hazard`, `counts`, `claims` | the output of a run; claims about its values, and their checks |
//!
//! `f64::mul_add` costs several nanoseconds where the crate is built for processors without fused multiply-add; build with
//! `-C target-feature=+fma` (or `target-cpu=native`) to simulate fast.
#![forbid(unsafe_code)]

mod appraisal;
mod arrived;
mod atomic;
mod barrier;
mod buffer;
mod byte;
mod claims;
mod clock;
mod counts;
mod cta;
mod decode;
mod domain;
mod exec;
mod float;
mod half;
mod hazard;
mod lanes;
mod launch;
pub mod launches;
pub mod machine_code;
mod mbarrier;
mod memory;
mod micro;
mod options;
mod place;
pub mod prove;
mod rows;
mod scalar;
pub mod setup;
mod shared;
mod slice;
mod thread;
mod warp;

pub use appraisal::Appraisal;
pub use buffer::Buffer;
pub use claims::Claims;
pub use counts::Counts;
pub use hazard::{Access, BarrierMisuse, Hazard, Hazards, Kind, LaneWait, MbarrierMisuse, Site, Wait};
pub use launch::{Argument, Launch};
pub use options::{Options, Schedule};

use domain::{Concrete, Everything};
use exec::{Asynchronous, Collector, Machine};
use memory::Segments;
use place::Place;
use ptx::ir::Module;
use shared::Shared;
use warp::Warp;

/// Returns the address of a buffer in simulated kernels, by its number: for values that are addresses.
pub fn buffer_address(buffer: usize) -> u64 {
    memory::segment_address(buffer)
}

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

/// As [`run`], with a check of the claims about the kernel's values at every instruction.
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
    if let Err(reason) = launch.check(func.threads, buffers.len()).and_then(|()| launch.all_given()) {
        return Err(unsupported(Kind::Unsupported(reason)));
    }
    let mut code = decode::decode(module, func, launch, buffers.len()).map_err(unsupported)?;
    let tables = std::mem::take(&mut code.tables);
    let place = Place { cluster: code.extents(), ..launch.place() };
    let mut warps: Vec<Warp<Everything>> = (0..code.warps()).map(|index| Warp::new(index, &code)).collect();
    let mut machine = Machine {
        code: &code,
        shared: Shared::new(code.all_shared(), code.shared_cell(), warps.len(), code.ranks as usize),
        segments: Segments { buffers, tables },
        bank_bytes: options.bank_bytes,
        budget: options.budget,
        executed: 0,
        cta: 0,
        arrivals: 0,
        asynchronous: Asynchronous::new(&code, place),
        hazards: Collector::new(options.hazards),
        domain: Concrete {
            checker: claims.map(|claims| claims::Checker::new(claims, &code, launch.threads[0], warps.len())),
        },
    };
    match cta::run_grid(&mut machine, &mut warps, place, cta::Picker::new(options.schedule), cta::ALL) {
        Ok(()) => {
            let mut counts = vec![Counts::default(); place.warps()];
            for warp in warps {
                counts[warp.thread.index % place.warps()] += warp.into_counts();
            }
            Ok(Report { warps: counts })
        }
        Err(exec::Stop) => Err(fail(machine.hazards.list)),
    }
}

/// The result of a clean run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Counts of each warp of a CTA, summed over CTAs.
    pub warps: Vec<Counts>,
}

impl Report {
    /// Returns the sum over warps.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in &self.warps {
            total += *counts;
        }
        total
    }

    /// Returns a count per grid point: a warp instruction stands for one operation of each of its 32 points.
    pub fn per_point(&self, count: impl Fn(&Counts) -> u64, points: u32) -> f64 {
        count(&self.total()) as f64 / f64::from(points.div_ceil(32).max(1))
    }
}
