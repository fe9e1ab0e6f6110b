//! What the search knows of the versions of a kernel that are made, and what it asks of who makes them.

use super::{LayoutTime, LevelTime, Sensitivity, Told, Version};
use crate::failure::{Failure, FailureKind};
use crate::kernels::Kernel;
use crate::plan::Resolved;
use diagnostics::Diagnostic;

/// A version of a kernel that was made and has passed its checks.
pub trait Made {
    fn kernel(&self) -> Kernel;

    /// What it was asked to be.
    fn version(&self) -> Version;

    fn is_straight_line(&self) -> bool;

    /// Whether its inputs are copied ahead.
    fn copies_ahead(&self) -> bool;

    /// 32-bit registers that a thread holds from block to block of the code.
    fn registers_held(&self) -> u32;

    /// CTAs that an SM holds.
    fn ctas_per_sm(&self) -> u32;

    fn level_time(&self) -> LevelTime;

    fn layout_time(&self) -> LayoutTime;

    /// In nanoseconds per point, where its machine code was timed.
    fn predicted_ns(&self) -> Option<f64>;

    /// What decides which other ways to make the kernel are tried; nothing where its machine code was not timed. `fastest`: what the
    /// fastest version of the kernel takes, in nanoseconds per point.
    fn told(&self, fastest: f64) -> Option<Told<'_>>;

    /// The estimated time of data-parallel code beside it, in nanoseconds per point, which the first version of a kernel knows.
    fn data_parallel_ns(&self) -> Option<f64>;

    /// It stands for all versions of the kernel with other numbers of CTAs per SM, and knows what the first of them knew.
    fn chosen_of_levels(&mut self, times: Vec<LevelTime>, data_parallel_ns: Option<f64>);

    /// It stands for all versions of the kernel, in all layouts.
    fn chosen_of_layouts(&mut self, times: Vec<LayoutTime>);
}

/// Makes versions: the driver.
pub trait Maker {
    type Made: Made;

    /// A kernel as it was resolved, tried on the compilers.
    fn make(&mut self, own: &Resolved<'_>) -> Result<Self::Made, Failure>;

    /// A version with its constants in the order in which its machine code reads them; nothing where they are so already, or where that
    /// is not known.
    fn in_order(&mut self, made: &Self::Made, own: &Resolved<'_>) -> Result<Option<Self::Made>, Failure>;

    /// The same version under a name of its own, beside the one that is chosen.
    fn alternative(&mut self, made: &Self::Made, own: &Resolved<'_>) -> Result<Self::Made, Failure>;

    /// What a version takes if what is assumed of the target is otherwise; nothing where its machine code cannot be timed.
    fn sensitivity(&mut self, made: &Self::Made) -> Result<Option<Sensitivity>, Failure>;
}

/// What became of a version that is tried beside others, which are there and have passed: one that cannot be made is none, and one that
/// fails a check is left out with a warning.
pub fn attempted<T>(made: Result<Option<T>, Failure>, warnings: &mut Vec<Diagnostic>) -> Result<Option<T>, Failure> {
    match made {
        Err(failure) if failure.kind == FailureKind::Input => Ok(None),
        Err(failure) if failure.kind == FailureKind::Verification => {
            let left_out = |d: &Diagnostic| {
                format!("a version that --codegen auto tried failed a check and is left out: {}", d.message)
            };
            warnings.extend(failure.diagnostics.iter().map(|d| Diagnostic::warning(d.id, left_out(d))));
            Ok(None)
        }
        made => made,
    }
}
