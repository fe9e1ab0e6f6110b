//! Register allocation as a pass: how much shared memory may be spent on spilling, and the proof of what was allocated.

pub use super::options::AllocationOptions as Options;
use super::outcome::{Failure, Outcome, Report};
use crate::allocate::report::{self, report};
use crate::allocate::spill_location::Rewriting;
use crate::allocate::{self, Algorithm, Allocation, Budget, Refusal, allocate, check};
use diagnostics::Diagnostic;
use machine::target::{self, Kernel};
use ptx::estimate::estimate;
use ptx::inst::Space;
use ptx::ir::Module;

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, options: &super::options::Options) -> Result<Outcome, Failure> {
    let kernel = &module.funcs[index].name;
    let Options { registers, predicates, algorithm, rewriting, .. } = options.allocation;
    let given = allocate::Options {
        registers,
        predicates,
        algorithm,
        rewriting,
        shared: budget(module, index, options)?,
        block: options.block,
        ..allocate::Options::default()
    };
    let allocation = cheapest(module, kernel, &given).map_err(|refusal| {
        let message = format!("{kernel} cannot have {registers} registers per thread: {refusal}");
        refused("opt::registers", message, "give more with --registers or --predicates")
    })?;
    check::prove(&allocation, kernel, options.source.as_ref()).map_err(Failure::Unproven)?;
    let report = report(&allocation);
    Ok(Outcome { module: allocation.module, report: Report::new(summary(&report), report) })
}

/// Returns the allocation that was asked for. Where it spills, also tries linear scan, with the same rewriting and with none, and
/// returns the one with the fewest estimated cycles, and of these with the fewest instructions.
fn cheapest(module: &Module, kernel: &str, given: &allocate::Options) -> Result<Allocation, Refusal> {
    let asked = allocate(module, kernel, given)?;
    if asked.locations.is_empty() {
        return Ok(asked);
    }
    let linear = |rewriting| {
        let options = allocate::Options { algorithm: Algorithm::LinearScan, rewriting, ..given.clone() };
        allocate(module, kernel, &options).ok()
    };
    let others = [given.rewriting, Rewriting::None].into_iter().filter_map(linear);
    let cost = |allocation: &Allocation| {
        let func = allocation.func();
        let instructions: usize = func.layout.iter().map(|block| func.blocks[*block].insts.len()).sum();
        (estimate(func), instructions)
    };
    Ok(std::iter::once(asked).chain(others).min_by_key(cost).expect("there is the one that was asked for"))
}

pub(super) fn refused(id: &'static str, message: String, help: &str) -> Failure {
    Failure::Refused(vec![Diagnostic::error(id, message).help(help)])
}

/// Shared memory that spilling may use without fewer CTAs on an SM than the registers allow.
fn budget(module: &Module, index: usize, options: &super::options::Options) -> Result<Budget, Failure> {
    let func = &module.funcs[index];
    let shape = options.block.or(func.threads);
    let threads = shape.map_or(1024, |shape| shape.iter().product::<u32>()).clamp(1, 1024);
    let own: u64 = module.variables.values().filter(|v| v.space == Space::Shared).map(|v| v.bytes).sum();
    let own = u32::try_from(own).unwrap_or(u32::MAX);
    let machine = options.machine(module, &func.name)?;
    let registers_per_thread = options.allocation.registers;
    let blocks = |shared_bytes| {
        target::occupancy(machine, Kernel { threads, registers_per_thread, shared_bytes, named_barriers: 0 }).blocks
    };
    let warps = threads.div_ceil(32);
    let most = machine.shared_bytes_per_cta.saturating_sub(own);
    let least = blocks(own);
    // occupancy falls with shared memory: the largest amount that keeps it, in steps of one slot for every warp
    let step = 8 * warps;
    let (mut low, mut high) = (0, most / step + 1);
    while low + 1 < high {
        let middle = (low + high) / 2;
        match blocks(own.saturating_add(middle * step)) >= least {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(Budget { bytes: options.allocation.shared.unwrap_or(low * step), warps })
}

fn summary(report: &report::Report) -> String {
    let mut text = format!(
        "{} registers, {} predicates; {} values spilled, {} bytes of local memory per thread, {} of shared memory per warp",
        report.registers, report.predicates, report.spilled, report.local_bytes, report.shared_bytes_per_warp
    );
    for (row, counts) in &report.rows {
        text += &format!("\n  {row:>6}: {} values, {} loads, {} stores", counts.values, counts.loads, counts.stores);
    }
    text
}
