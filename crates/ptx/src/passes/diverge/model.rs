//! Who tells what a version of a kernel costs.

use super::super::meld;
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

    /// What the cycles are, for reports: such as `cycles of one SM of hopper`.
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
    /// What there is to say where it is the kernel as it was that has no cost.
    pub fn of_first(&self, kernel: &str) -> Diagnostic {
        let (Self::Refused(reason) | Self::Wrong(reason)) = self;
        Diagnostic::error("opt::no-cost", format!("{kernel}: what it costs cannot be told: {reason}"))
            .help("check the launch, and the architecture with --target")
    }
}

/// The estimate without a launch: one execution of all blocks, each level of loops counting eightfold.
#[derive(Debug, Clone, Copy)]
pub struct Static;

impl Model for Static {
    fn cycles(&self, module: &Module, kernel: &str) -> Result<u64, Unfit> {
        let func = module.func(kernel).ok_or_else(|| Unfit::Refused("the module has no such kernel".to_owned()))?;
        Ok(meld::estimate(func))
    }

    fn name(&self) -> String {
        "cycles of every block once, eight times per loop around it".to_owned()
    }
}
