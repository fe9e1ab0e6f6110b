//! Who tells what a version of a kernel costs: the one question of every pass that chooses between versions.

use crate::estimate;
use crate::ir::Module;
use diagnostics::Diagnostic;
use std::fmt::Debug;

/// Tells what a kernel takes.
pub trait Model: Debug + Send + Sync {
    /// Cycles of one launch.
    ///
    /// # Errors
    /// This version cannot be executed, or it does something else than the one that the model was made for.
    fn cycles(&self, module: &Module, kernel: &str) -> Result<u64, Unfit>;

    /// Cycles of one SM that is given at least so many CTAs of the launch one after the other, each with so many bytes of shared
    /// memory beside what the text declares.
    ///
    /// # Errors
    /// As [`cycles`](Self::cycles); also where the model knows nothing of CTAs that share an SM.
    fn cycles_of_ctas(&self, module: &Module, kernel: &str, ctas: u32, launch_shared: u32) -> Result<u64, Unfit> {
        let _ = (module, kernel, ctas, launch_shared);
        Err(Unfit::Refused("this model of costs knows nothing of occupancy".to_owned()))
    }

    /// Returns the estimates for a kernel in which the lanes of every warp agree at every branch. A version for other lanes may worsen them.
    /// `None` for a model with a launch, which shows how the lanes branch.
    fn cycles_of_agreement(&self, module: &Module, kernel: &str) -> Option<[u64; 2]> {
        let _ = (module, kernel);
        None
    }

    /// Registers per thread that the machine code takes; `None` where nothing assembles it.
    fn registers(&self, module: &Module, kernel: &str) -> Option<u32> {
        let _ = (module, kernel);
        None
    }

    /// Returns the name of the cycles, for reports: such as `cycles of one SM of hopper`.
    fn name(&self) -> String;
}

/// Why a version of a kernel has no cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// It cannot be run or assembled.
    Refused(String),
    /// Its results are others: a fault of what made it.
    Wrong(String),
}

impl Unfit {
    /// Returns the diagnostic for the original kernel when that has no cost.
    pub fn of_first(&self, kernel: &str) -> Diagnostic {
        let (Self::Refused(reason) | Self::Wrong(reason)) = self;
        Diagnostic::error("opt::no-cost", format!("{kernel}: what it costs cannot be told: {reason}"))
            .help("check the launch, where a buffer that the kernel writes needs `output = true`, and the architecture with --target")
    }
}

/// The estimate without a launch: one execution of all blocks, each as often as its [`executions`](estimate::executions).
#[derive(Debug, Clone, Copy)]
pub struct Static;

impl Model for Static {
    fn cycles(&self, module: &Module, kernel: &str) -> Result<u64, Unfit> {
        let func = module.func(kernel).ok_or_else(|| Unfit::Refused("the module has no such kernel".to_owned()))?;
        Ok(estimate::estimate(func))
    }

    fn cycles_of_agreement(&self, module: &Module, kernel: &str) -> Option<[u64; 2]> {
        module.func(kernel).map(estimate::agreement::estimates)
    }

    fn name(&self) -> String {
        "cycles of every block once, eight times per loop around it".to_owned()
    }
}
