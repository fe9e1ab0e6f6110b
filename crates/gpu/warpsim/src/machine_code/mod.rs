//! Runs machine code: ptxas's output for a kernel, on the same memories, barriers and launches as PTX.
//!
//! Registers, predicates, convergence and every instruction are those of the machine, Volta and later; results are equal in bits
//! to those of a GPU, but for approximations (`MUFU`), whose last bits no document specifies: here they are computed exactly and
//! cut. Quotients and roots that the compiler builds on them are rounded correctly whatever these bits are.
//!
//! An instruction that is not known is a diagnostic before anything runs. Counts are exact: each instruction
//! counts once per warp that issues it.

mod cluster;
mod code;
mod constants;
mod converge;
mod counts;
mod decode;
mod exec;
mod op;
mod registers;
mod time;
mod tokens;
mod trace;
mod turns;
mod undefined;
mod warp;

pub use counts::{Counts, Report};
pub use time::{Bin, Cause, Meeting, Steady, Timeline, Timing, Turns, WarpTime};
pub use turns::EXECUTED_TURNS;

use crate::buffer::Buffer;
use crate::cta::{ALL, Picker, run_grid};
use crate::exec::{Collector, Stop};
use crate::hazard::{Hazard, Hazards, Kind};
use crate::memory::Segments;
use crate::place::Place;
use crate::shared::Shared;
use crate::{Launch, Options};
use cluster::Cluster;
use decode::Refusal;
use diagnostics::Diagnostic;
use exec::Machine;
use machine::target::Target;
use ptx::inst::{Space, Type};
use sass::{Cubin, Kernel};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use trace::Trace;
use warp::Warp;

/// Reason why there is no report.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// Instructions that are not known.
    Unknown(Vec<Diagnostic>),
    /// Hazards of the run, or the launch does not fit the kernel.
    Hazards(Box<Hazards>),
}

/// Whether machine code for the architecture, such as 90, can be run.
pub fn runs(sm: u32) -> bool {
    constants::layout(sm).is_some()
}

/// Runs a kernel on the buffers.
///
/// # Errors
/// The kernel has instructions that are not known, or hazards showed. The contents of the buffers are then meaningless.
pub fn run(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
) -> Result<Report, Failure> {
    execute(cubin, kernel, launch, buffers, options, None, ALL).map(|(report, _)| report)
}

/// Runs a kernel on the buffers, and returns its time on one SM of the target.
///
/// # Errors
/// Those of [`run`]; the target has no description of its pipeline, the machine code no control bits, or a CTA does not fit the SM.
pub fn time(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    target: &Target,
) -> Result<(Report, Timing), Failure> {
    time_of_many(cubin, kernel, launch, buffers, options, target, 0)
}

/// Returns the clocks of a turn of the loop in which a launch of [`EXECUTED_TURNS`] spends its time, in the steady state on an SM of each
/// target; on the first one also with CTAs that begin `apart`. `None`: there is no loop that all warps turn as often.
///
/// # Errors
/// Those of [`run`].
pub fn steady(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    targets: &[Target],
    apart: bool,
) -> Result<Option<Steady>, Failure> {
    let (_, traced) = traced(cubin, kernel, launch, buffers, options, ALL)?;
    Ok(traced.and_then(|Traced { kernel, shared, trace }| time::steady(kernel, shared, trace, targets, apart)))
}

/// As [`time`], with so many turns of the loop in which the launch spends its time: its own are repeated. `None`: there is no loop that all
/// warps turn alike, three times at least.
///
/// # Errors
/// Those of [`run`].
pub fn time_of_turns(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    target: &Target,
    turns: usize,
) -> Result<(Report, Option<Timing>), Failure> {
    let (report, traced) = traced(cubin, kernel, launch, buffers, options, ALL)?;
    let timing = traced.and_then(|Traced { kernel, shared, trace }| {
        time::simulate(kernel, shared, &trace.prolonged(turns, None)?, target)
    });
    Ok((report, timing))
}

/// As [`time`], for an SM that is given at least this many CTAs: those of the launch repeat, at the same addresses, until there are.
///
/// # Errors
/// Those of [`time`].
pub fn time_of_many(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    target: &Target,
    ctas: usize,
) -> Result<(Report, Timing), Failure> {
    let fail = |text: &str| unsupported(kernel, text.to_owned());
    if target.pipeline.is_none() {
        return Err(fail("a target whose pipeline is not described"));
    }
    let (report, traced) = traced(cubin, kernel, launch, buffers, options, ALL)?;
    let timing = traced
        .and_then(|Traced { kernel, shared, trace }| time::simulate(kernel, shared, &trace.repeated(ctas), target));
    Ok((report, timing.ok_or_else(|| fail(UNFIT))?))
}

/// As [`time`], for the SM that gets most CTAs of a launch that has the board to itself: its SMs take them in turns.
///
/// # Errors
/// Those of [`time`].
pub fn time_on_board(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    target: &Target,
) -> Result<(Report, Timing), Failure> {
    let fail = |text: &str| unsupported(kernel, text.to_owned());
    if target.pipeline.is_none() {
        return Err(fail("a target whose pipeline is not described"));
    }
    let (report, traced) = traced(cubin, kernel, launch, buffers, options, ALL)?;
    let timing = traced.and_then(|Traced { kernel, shared, trace }| {
        let (trace, busy) = trace.of_first(target.board.multiprocessors);
        time::simulate(kernel, shared, &trace, &target.among(busy))
    });
    Ok((report, timing.ok_or_else(|| fail(UNFIT))?))
}

/// Returns the time of the last of several equal launches, one after the other, on an SM that takes these CTAs: neighbours, as
/// they share what the L2 cache holds. Only those are executed, so that others must not decide what they do.
///
/// # Errors
/// Those of [`time`].
pub fn time_of_launches(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    target: &Target,
    (launches, only): (usize, Range<u32>),
) -> Result<Timing, Failure> {
    let (_, traced) = traced(cubin, kernel, launch, buffers, options, only)?;
    let timing = traced
        .and_then(|Traced { kernel, shared, trace }| time::simulate_launches(kernel, shared, &trace, target, launches));
    timing.ok_or_else(|| unsupported(kernel, UNFIT.to_owned()))
}

/// Reason why a launch that was run has no times.
const UNFIT: &str = "machine code without control bits, or CTAs that do not fit the SM";

/// A kernel that was executed, the bytes of shared memory of its CTAs, and what they did.
struct Traced<'a> {
    kernel: &'a Kernel,
    shared: u64,
    trace: Trace,
}

fn traced<'a>(
    cubin: &'a Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    only: Range<u32>,
) -> Result<(Report, Option<Traced<'a>>), Failure> {
    let (report, trace) = execute(cubin, kernel, launch, buffers, options, Some(Trace::default()), only)?;
    let found = cubin.kernel(kernel).zip(trace);
    let traced = found.map(|(kernel, trace)| {
        let shared = u64::from(kernel.shared_bytes) + launch.shared;
        Traced { kernel, shared, trace }
    });
    Ok((report, traced))
}

fn unsupported(kernel: &str, text: String) -> Failure {
    let list = vec![Hazard { cta: 0, site: None, kind: Kind::Unsupported(text) }];
    Failure::Hazards(Box::new(Hazards { kernel: kernel.to_owned(), list }))
}

fn execute(
    cubin: &Cubin,
    kernel: &str,
    launch: &Launch,
    buffers: &mut [Buffer],
    options: &Options,
    trace: Option<Trace>,
    only: Range<u32>,
) -> Result<(Report, Option<Trace>), Failure> {
    let unsupported = |text| unsupported(kernel, text);
    let Some(found) = cubin.kernel(kernel) else {
        return Err(unsupported("the cubin has no such kernel".to_owned()));
    };
    launch.check(found.threads, buffers.len()).map_err(unsupported)?;
    let code = decode::decode(cubin, found, launch, buffers.len()).map_err(|refusal| match refusal {
        Refusal::Unknown(diagnostics) => Failure::Unknown(diagnostics),
        Refusal::Launch(reason) => unsupported(reason),
    })?;
    let place = Place { cluster: found.cluster, ..launch.place() };
    if place.ctas.iter().zip(found.cluster).any(|(ctas, cluster)| cluster == 0 || !ctas.is_multiple_of(cluster)) {
        return Err(unsupported(format!("{:?} CTAs in clusters of {:?}", place.ctas, found.cluster)));
    }
    let mut warps: Vec<Warp> =
        (0..place.warps() * code.ranks() as usize).map(|index| Warp::new(index, &code, place)).collect();
    let table = |bytes: &[u8]| Buffer::words(Type::U8, bytes.iter().map(|byte| u64::from(*byte)));
    let mut machine = Machine {
        code: &code,
        shared: Shared::new(
            code.shared_bytes * u64::from(code.ranks()),
            code.shared_cell(),
            warps.len(),
            code.ranks() as usize,
        ),
        segments: Segments {
            buffers,
            tables: cubin.tables.iter().map(|found| (Space::Global, table(&found.bytes))).collect(),
        },
        locks: BTreeSet::new(),
        mbarriers: BTreeMap::new(),
        cluster: Cluster::default(),
        warps: warps.len(),
        budget: options.budget,
        cta: 0,
        hazards: Collector::new(options.hazards),
        races: options.permits_races.then(BTreeMap::new),
        trace,
    };
    if let Some(trace) = &mut machine.trace {
        trace.ranks = code.ranks() as usize;
    }
    match run_grid(&mut machine, &mut warps, place, Picker::new(options.schedule), only) {
        Ok(()) => {
            let report = Report::new(cubin.sm, found, &warps, place.warps());
            let races = machine.races.into_iter().flat_map(BTreeMap::into_values).collect();
            Ok((Report { races, ..report }, machine.trace))
        }
        Err(Stop) => {
            let list = machine.hazards.list;
            Err(Failure::Hazards(Box::new(Hazards { kernel: kernel.to_owned(), list })))
        }
    }
}
