//! Thread-aware predication. Divergent control flow becomes straight rows of instructions under predicates, with votes
//! and branches that all lanes take the same way. It follows Lee, Grover, Krashinsky, Stephenson, Keckler and Asanović,
//! "Exploring the Design Space of SPMD Divergence Management on Data-Parallel Architectures" (IISWC 2014).
//!
//! [`plan()`] decides and proves what becomes of a function, [`predicate`] applies it. What the paper leaves open or does otherwise:
//!
//! - Registers are written under guards, so that lanes that are masked off keep their values: no φ has to be resolved.
//! - The control-dependence graph is that of one level of a region, the inside of one loop or what is outside of all. Masks of
//!   loops take the place of the back edges, as in the paper; where all lanes of a loop run its exit, what is left of the loop's mask is
//!   the mask of the blocks behind it.
//! - Barriers, exchanges between lanes and calls of functions that may have some keep their branches, if all lanes take these
//!   the same way, or else the stack, and so do cycles with several entries. A branch at which lanes end for good is no
//!   reason to keep the stack for the others.
//! - Functions that rows call get a twin with an entrance mask as its last parameter, which all lanes call.
//! - A comparison that only its branch looks at makes the masks itself: `setp` combines it with the guard.

mod apply;
pub mod check;
mod decide;
mod level;
mod options;
pub mod plan;
mod report;
mod rows;
mod select;
mod skeleton;
mod spill;
mod structure;
mod together;
mod twin;
mod twins;

pub use decide::{divergent_branches, plan};
pub use options::Options;
pub use report::{Report, Structures, structures};

use check::Violation;
use ptx::ir::Module;

/// The module whose function at `index` has masks in the place of divergent branches, and what was done. In front of it stand the
/// twins of functions that it calls.
///
/// # Errors
/// Those of [`plan()`].
pub fn predicate(module: &Module, index: usize, options: &Options) -> Result<(Module, Report), Vec<Violation>> {
    let func = &module.funcs[index];
    let mut result = module.clone();
    let Some(plan) = plan(module, func, options)? else { return Ok((result, Report::new(func, None, func))) };
    let twins = twins::possible(module, options)?;
    result.funcs[index] = apply::apply(func, &plan, options.machine(module), &twins, false);
    let made = !plan.plan().regions.is_empty();
    let spilled = if made { spill::run(&mut result.funcs[index], options.predicates) } else { 0 };
    let (index, functions) = twins::add(module, &mut result, index, &twins, options)?;
    let report = Report { spilled, functions, ..Report::new(func, Some(plan.plan()), &result.funcs[index]) };
    Ok((result, report))
}
