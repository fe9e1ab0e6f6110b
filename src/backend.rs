//! The shared backend behind the compiler: what `singe ptx` offers for any PTX runs on the PTX of every kernel.

use diagnostics::Diagnostic;
use machine::target::{Target, occupancy};
use passes::allocate::report::report;
use passes::allocate::{Allocation, Options, allocate, check};
use passes::occupancy::{Demand, estimate, levels};
use ptx::Module;
use serde::Serialize;

/// Instructions of a kernel up to which levels of occupancy are tried: each takes an allocation.
const MOST_FOR_LEVELS: usize = 10_000;

/// Levels that are tried beside the kernel's own, at most.
const MOST_LEVELS: usize = 2;

/// Result of the divergence analysis and of the register allocator for one kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Backend {
    /// Conditional branches, and those on which all lanes of a warp agree.
    pub branches: usize,
    pub uniform_branches: usize,
    /// 32-bit registers per thread that the allocator uses.
    pub registers: u32,
    /// Registers of the text that lie in memory or are computed again.
    pub spilled: usize,
    /// Bytes of local memory per thread that spills take.
    pub local_bytes: u64,
    /// The kernel as it is, then with more CTAs per SM until an estimate finds that slower; none for long kernels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Level>,
}

/// A kernel with the registers that so many CTAs per SM leave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Level {
    pub ctas_per_sm: u32,
    pub registers: u32,
    pub local_bytes: u64,
    /// Clocks of an SM per CTA, estimated from the allocated text: they compare levels of one kernel.
    pub clocks: f64,
}

impl Backend {
    /// Returns the level with the least estimated time, the lowest of equal ones.
    pub fn fastest(&self) -> Option<&Level> {
        self.levels.iter().min_by(|a, b| a.clocks.total_cmp(&b.clocks))
    }
}

/// Analyses the branches of a kernel, and allocates at most so many registers per thread. `None` if the kernel cannot have so few.
///
/// # Errors
/// `opt::unproven` if the allocator's checker refuses an allocation, which is a fault of ours.
pub fn backend(
    module: &Module,
    kernel: &str,
    registers: u32,
    target: &Target,
) -> Result<Option<Backend>, Vec<Diagnostic>> {
    let Some(allocation) = allocated(module, kernel, registers)? else { return Ok(None) };
    let func = &allocation.prepared;
    let conditional = func.layout.iter().filter(|block| func.blocks[**block].terminator.condition().is_some());
    let divergent: Vec<bool> = conditional.map(|block| allocation.facts.divergent[*block]).collect();
    let found = report(&allocation);
    Ok(Some(Backend {
        branches: divergent.len(),
        uniform_branches: divergent.iter().filter(|divergent| !**divergent).count(),
        registers: found.registers,
        spilled: found.spilled,
        local_bytes: found.local_bytes,
        levels: at_levels(module, kernel, &allocation, target)?,
    }))
}

/// An allocation that its checker accepts.
fn allocated(module: &Module, kernel: &str, registers: u32) -> Result<Option<Allocation>, Vec<Diagnostic>> {
    let block = module.func(kernel).and_then(|func| func.threads);
    let Ok(allocation) = allocate(module, kernel, &Options { registers, block, ..Options::default() }) else {
        return Ok(None);
    };
    check::prove(&allocation, kernel, None)?;
    Ok(Some(allocation))
}

/// The kernel as it is allocated, and at the next levels of occupancy as long as each is faster than the one before.
fn at_levels(module: &Module, kernel: &str, own: &Allocation, target: &Target) -> Result<Vec<Level>, Vec<Diagnostic>> {
    let index = module.funcs.iter().position(|func| func.name == kernel);
    let index = index.filter(|index| module.funcs[*index].insts.len() <= MOST_FOR_LEVELS);
    let Some(demand) = index.and_then(|index| Demand::for_kernel(module, index, None, 0)) else {
        return Ok(Vec::new());
    };
    let level = |allocation: &Allocation, ctas_per_sm: u32| {
        let found = report(allocation);
        let clocks = estimate::clocks(allocation.func(), ctas_per_sm, &demand, target);
        Level { ctas_per_sm, registers: found.registers, local_bytes: found.local_bytes, clocks }
    };
    let resident = occupancy(target, demand.kernel(report(own).registers, demand.shared())).blocks;
    let mut found = vec![level(own, resident)];
    let higher = levels(target, &demand).into_iter().filter(|level| level.blocks > resident);
    for next in higher.take(MOST_LEVELS) {
        let Some(allocation) = allocated(module, kernel, next.registers)? else { break };
        let next = level(&allocation, next.blocks);
        let is_slower = found.last().is_some_and(|last| next.clocks >= last.clocks);
        found.push(next);
        if is_slower {
            break;
        }
    }
    Ok(found)
}
