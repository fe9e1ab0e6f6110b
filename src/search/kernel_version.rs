//! Interface of the search: facts about the versions of a kernel, and demands on their maker.

use super::{LayoutTime, LevelTime, TimedKernel, Version};
use crate::plan::Resolved;
use command::{Failure, FailureKind};
use diagnostics::Diagnostic;
use kernels::Kernel;

/// A version of a kernel that was proven and simulated, and perhaps compiled.
pub trait KernelVersion {
    fn kernel(&self) -> Kernel;

    /// Returns the layout and the tuning that were asked for.
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

    /// Returns the predicted nanoseconds per point, where its machine code was timed.
    fn predicted_ns(&self) -> Option<f64>;

    /// Whether its time is of the steady state, or nothing can tell it; and whether it was timed under other assumptions, too.
    fn is_settled(&self) -> bool;

    fn is_doubted(&self) -> bool;

    /// Returns the estimated nanoseconds per point, where it was simulated.
    fn estimated_ns(&self) -> Option<f64>;

    /// Returns the nanoseconds per point that the memory of the board takes for inputs and outputs.
    fn floor_ns(&self) -> f64;

    /// Leaves it uncompiled, as its estimate is far from the fastest time.
    fn leave_out(&mut self);

    fn is_left_out(&self) -> bool;

    /// Takes in one that was left out.
    fn take_in(&mut self);

    /// Whether its machine code has something that cannot be run here.
    fn has_unknown_code(&self) -> bool;

    /// Marks one that is tried beside others, which are there if it fails.
    fn tried_beside(&mut self);

    fn was_tried_beside(&self) -> bool;

    /// Returns the data that decides which other ways to make the kernel are tried; `None` without timed machine code,
    /// unless it was left out. `fastest`: the time of the fastest version of the kernel, in nanoseconds per point.
    fn timed(&self, fastest: f64) -> Option<TimedKernel<'_>>;

    /// The estimated time of data-parallel code beside it, in nanoseconds per point, which the first version of a kernel knows.
    fn data_parallel_ns(&self) -> Option<f64>;

    /// It stands for all versions of the kernel with other numbers of CTAs per SM, and knows what the first of them knew.
    fn chosen_of_levels(&mut self, times: Vec<LevelTime>, data_parallel_ns: Option<f64>);

    /// It stands for all versions of the kernel, in all layouts.
    fn chosen_of_layouts(&mut self, times: Vec<LayoutTime>);
}

/// The time of a version: predicted, or where it was left out estimated.
pub fn time(version: &impl KernelVersion) -> f64 {
    let estimated = || version.estimated_ns().filter(|_| version.is_left_out());
    version.predicted_ns().or_else(estimated).unwrap_or(f64::INFINITY)
}

/// Makes versions: the driver.
pub trait VersionMaker {
    type Version: KernelVersion;

    /// A kernel as it was resolved, proven and simulated.
    fn make(&mut self, own: &Resolved<'_>) -> Result<Self::Version, Failure>;

    /// A version with its constants in the order in which its machine code reads them; nothing where they are so already, or where that
    /// is not known.
    fn in_order(&mut self, made: &Self::Version, own: &Resolved<'_>) -> Result<Option<Self::Version>, Failure>;

    /// Has the real compilers compile versions, where they are installed, and times what they make.
    fn compile(&mut self, made: &mut [&mut Self::Version]) -> Result<(), Failure>;

    /// Verifies what the real compilers made of a version, once.
    fn verify(&mut self, made: &mut Self::Version) -> Result<(), Failure>;

    /// The same version under a name of its own, beside the one that is chosen.
    fn alternative(&mut self, made: &Self::Version, own: &Resolved<'_>) -> Result<Self::Version, Failure>;

    /// Times a version in the steady state, where its machine code can be timed.
    fn settle(&mut self, made: &mut Self::Version) -> Result<(), Failure>;

    /// Times it again under other assumptions about the target.
    fn doubt(&mut self, made: &mut Self::Version) -> Result<(), Failure>;
}

/// Settles a version that is tried beside others, which are there and have passed. Returns `None` for one that cannot
/// be made, and, with a warning, for one that fails a check.
pub fn attempted<T>(made: Result<Option<T>, Failure>, warnings: &mut Vec<Diagnostic>) -> Result<Option<T>, Failure> {
    match made {
        Err(failure) if failure.kind == FailureKind::Input => Ok(None),
        Err(failure) if failure.kind == FailureKind::Verification => {
            warnings.extend(left_out(&failure));
            Ok(None)
        }
        made => made,
    }
}

/// Returns the warnings about a version that failed a check.
pub fn left_out(failure: &Failure) -> impl Iterator<Item = Diagnostic> + '_ {
    let text =
        |d: &Diagnostic| format!("a version that --codegen auto tried failed a check and is left out: {}", d.message);
    failure.diagnostics.iter().map(move |d| Diagnostic::warning(d.id, text(d)))
}
