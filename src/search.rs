//! Where the request leaves a choice, several drafts of a kernel are made and the best is kept. How a draft is made is the
//! driver's business; what is varied, and what is better, stands here.

use crate::failure::Failure;
use crate::forms::{Choice, Variant};
use crate::graph::Graph;
use crate::kernels::{self, Form, Kernel};
use crate::lower;
use crate::mapping::Mapping;
use crate::output::Emit;
use crate::overlay::Codegen;
use crate::overlay::program::Program;
use crate::report::{self, KernelReport};
use crate::request::{POINTS_PER_LANE, Request};
use crate::schedule::proof::Proven;
use crate::schedule::{Limits, Schedule};
use diagnostics::Diagnostic;

/// What every warp does and when.
pub struct Plan {
    pub graph: Graph,
    pub mapping: Mapping,
    pub schedule: Schedule,
}

/// A proven plan with its program.
pub struct Draft {
    pub graph: Graph,
    pub mapping: Mapping,
    pub proven: Proven,
    pub program: Program,
}

/// With as many points per lane as the request says. Where the compiler may choose: with the most whose every step up saves a
/// tenth of the clocks, as long as registers suffice.
pub fn points_per_lane(
    request: &Request,
    mut draft: impl FnMut(&Request) -> Result<(Choice, Draft), Failure>,
) -> Result<(Choice, Draft), Failure> {
    let clocks = |request: &Request, draft: &Draft| request.rates().clocks(&draft.graph, request.cooperating_warps());
    let mut best = draft(request)?;
    let mut least = clocks(request, &best.1);
    for &points in POINTS_PER_LANE[1..].iter().filter(|_| request.points_per_lane.is_none()) {
        let request = Request { points_per_lane: Some(points), ..request.clone() };
        let Ok(wider) = draft(&request) else { break };
        let Draft { graph, mapping, program, .. } = &wider.1;
        let registers = report::estimated_registers(graph, mapping, program);
        let now = clocks(&request, &wider.1);
        if now > 0.9 * least || registers > request.registers() {
            break;
        }
        (best, least) = (wider, now);
    }
    Ok(best)
}

/// The predicted time of a kernel in data-parallel code, for the report on other layouts that were asked for alone. Nothing where
/// nothing is simulated, or where the kernel cannot be made so.
pub fn data_parallel(
    request: &Request,
    compile: impl FnOnce(&Request) -> Result<KernelReport, Failure>,
) -> Option<f64> {
    let is_told = request.emit.contains(&Emit::Report) && request.verify.is_some() && request.fault.is_none();
    if !is_told || request.codegens().any(|codegen| codegen == Codegen::DataParallel) {
        return None;
    }
    let layout = Request { codegen: Codegen::DataParallel, emit: Vec::new(), ..request.clone() };
    compile(&layout).ok()?.machine.predicted_ns
}

/// The cheapest form that fits shared memory and registers. Where registers suffice for none, the one that exceeds them
/// least.
pub fn form(
    request: &Request,
    mut choice: Choice,
    mut draft: impl FnMut(Variant) -> Result<Draft, Failure>,
) -> Result<(Choice, Draft), Failure> {
    let mut tried: Vec<(Variant, u32)> = Vec::new();
    let mut best: Option<(Variant, u32, Draft)> = None;
    let mut refusals = Vec::new();
    while let Some(variant) = choice.next(&tried) {
        match draft(variant) {
            Ok(draft) => {
                choice.recount(variant, &draft.graph, request.cooperating_warps());
                let excess = crowding(request, &draft.program);
                tried.push((variant, excess));
                let before = |other: Variant| choice.is_cheaper(variant, other);
                if best.as_ref().is_none_or(|&(other, least, _)| excess < least || excess == least && before(other)) {
                    best = Some((variant, excess, draft));
                }
            }
            Err(failure) => {
                tried.push((variant, u32::MAX));
                refusals.push(failure);
            }
        }
    }
    match best {
        Some((variant, _, draft)) => {
            choice.variant = variant;
            Ok((choice, draft))
        }
        None => Err(refusals.swap_remove(0)),
    }
}

/// By how much the values that pass from block to block exceed a thread's registers.
fn crowding(request: &Request, program: &Program) -> u32 {
    if request.codegen == Codegen::DataParallel {
        return 0;
    }
    let module = lower::lower(program, request.target.compute_capability);
    let needed = module.entries().map(ptx::analysis::pressure::compute).max().unwrap_or(0);
    let available = request.registers();
    // Registers are given away in units, but a thread cannot have more than the most.
    let unit = (request.target.register_unit / 32).max(1);
    let whole = if available < request.target.max_registers_per_thread { available / unit * unit } else { available };
    needed.saturating_sub(whole)
}

/// Constants in shared memory, and slots that matrix products read, leave less room to the slots; how much is known only
/// when the program is there.
///
/// Errors: the constants leave no slot.
pub fn slots(
    kernel: Kernel,
    request: &Request,
    mut draft: impl FnMut(&Limits) -> Result<Draft, Failure>,
) -> Result<Draft, Failure> {
    let mut limits = request.limits();
    let points_per_lane = request.points();
    let total = limits.slots.map(|slots| slots * points_per_lane);
    loop {
        let draft = draft(&limits)?;
        let program = &draft.program;
        let rows = program.constants.shared_rows().iter().sum::<u32>();
        // Slots lie further apart where matrix products read them.
        let Some(total) = total.map(|total| total * 32 / program.pitch()) else { return Ok(draft) };
        if program.slots + rows <= total {
            return Ok(draft);
        }
        // The slots shrink with every turn, so this ends.
        let left =
            (total.saturating_sub(rows) / points_per_lane).min((program.slots / points_per_lane).saturating_sub(1));
        if left == 0 {
            return Err(Failure::input([crowded_out(kernel, 8 * program.pitch() * rows, 8 * program.pitch() * total)]));
        }
        limits.slots = Some(left);
    }
}

fn crowded_out(kernel: Kernel, bytes: u32, available: u32) -> Diagnostic {
    let message =
        format!("{kernel}: the constants take {bytes} bytes of shared memory, and a CTA may have {available}");
    let remedy = "use --constants stripe or constant-bank, more warps, or fewer CTAs per SM or points per lane";
    Diagnostic::error("schedule::constants", message).help(remedy)
}

/// What a warp's load from global memory costs, in slots: its 256 bytes take two clocks of a cache that gives 128 bytes a clock,
/// and in these an SM issues up to four double-precision instructions.
const LOAD: u64 = 4;

/// Inputs pass through shared memory, unless leaving them in global memory gives a shorter schedule or is all that fits. The
/// lean chemistry does without activities where they do not fit.
pub fn inputs(
    kernel: Kernel,
    options: &kernels::Options,
    limits: &Limits,
    mut plan: impl FnMut(&kernels::Options) -> Result<Plan, Failure>,
) -> Result<Plan, Failure> {
    let cost = |Plan { graph, schedule, .. }: &Plan| {
        let loads = graph.steps().map(|at| graph.step(at).rows.len() as u64).sum::<u64>() / u64::from(schedule.warps);
        // A value that was loaded where it is used has held no register before.
        let load = if limits.are_registers_scarce() { 0 } else { LOAD };
        schedule.cost(graph, limits.points_per_lane) + u64::from(limits.points_per_lane) * load * loads
    };
    let staged = plan(options);
    let read = plan(&kernels::Options { stage_inputs: false, ..*options });
    match (staged, read) {
        (Ok(staged), Ok(read)) => Ok(if cost(&read) < cost(&staged) { read } else { staged }),
        (Ok(only), Err(_)) | (Err(_), Ok(only)) => Ok(only),
        (Err(_), Err(_)) if options.form == Form::Lean && kernel == Kernel::Chemistry => {
            plan(&kernels::Options { stage_inputs: false, activities: false, ..*options })
        }
        (Err(_), Err(refusal)) => Err(refusal),
    }
}
