//! The shared backend behind the compiler: what `singe ptx` offers for any PTX runs on the PTX of every kernel.

use diagnostics::Diagnostic;
use passes::allocate::report::report;
use passes::allocate::{Options, allocate, check};
use ptx::Module;
use ptx::analysis::calls;
use ptx::analysis::divergence::{self, BlockShape, Divergence};
use serde::Serialize;

/// Instructions of a kernel up to which it is analysed and allocated. Where many values are spilled, the allocator's time grows as their square: 10,000
/// take a second or two, the 60,000 of pairwise data-parallel code minutes.
const MOST_INSTRUCTIONS: usize = 10_000;

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
}

/// Analyses the branches of a kernel, and allocates at most so many registers per thread. `None` if the kernel is longer than 10,000
/// instructions or cannot have so few registers.
///
/// # Errors
/// `opt::unproven` if the allocator's checker refuses the allocation, which is a fault of ours.
pub fn backend(module: &Module, kernel: &str, registers: u32) -> Result<Option<Backend>, Vec<Diagnostic>> {
    let Some(func) = module.func(kernel).filter(|func| func.insts.len() <= MOST_INSTRUCTIONS) else { return Ok(None) };
    let Ok(allocation) = allocate(module, kernel, &Options { registers, ..Options::default() }) else {
        return Ok(None);
    };
    check::prove(&allocation, kernel, None)?;
    let block = func.threads.map_or(BlockShape::default(), BlockShape::Known);
    let options = divergence::Options { block, ..divergence::Options::default() };
    let gated = calls::gated(module, func, options);
    let result = Divergence::compute(func, &gated, options);
    let order = gated.facts.cfg.order.iter();
    let branches: Vec<bool> = order.filter_map(|block| result.uniform_branch(&gated, *block)).collect();
    let found = report(&allocation);
    Ok(Some(Backend {
        branches: branches.len(),
        uniform_branches: branches.iter().filter(|uniform| **uniform).count(),
        registers: found.registers,
        spilled: found.spilled,
        local_bytes: found.local_bytes,
    }))
}
