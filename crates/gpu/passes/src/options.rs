//! Options of the passes.

use super::outcome::Failure;
use crate::allocate::spill_location::Rewriting;
use crate::allocate::{self, Algorithm};
use crate::predicate;
use diagnostics::{Diagnostic, Source};
use machine::target::Target;
use ptx::cost::Model;
use ptx::ir::Module;
use std::sync::Arc;

/// Options of passes beside the kernel.
#[derive(Debug, Clone)]
pub struct Options {
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
    /// The machine; otherwise the one of the text.
    pub target: Option<&'static Target>,
    pub allocation: AllocationOptions,
    /// The least share of cycles that a meld must save.
    pub threshold: f64,
    pub predication: PredicationOptions,
    pub occupancy: OccupancyOptions,
    /// Model of the costs of the kernel's versions; `None` for estimates.
    pub model: Option<Arc<dyn Model>>,
    /// The text that the module was read from, for messages that quote it.
    pub source: Option<Arc<Source>>,
}

impl Options {
    /// The machine that is named, or that of the text.
    pub(crate) fn machine(&self, module: &Module, kernel: &str) -> Result<&'static Target, Failure> {
        let own = || Target::by_name(&format!("sm_{}", module.sm));
        self.target.map_or_else(own, Ok).map_err(|unknown| {
            let message = format!("{kernel}: {unknown}");
            Failure::Refused(vec![Diagnostic::error("opt::target", message).help("name the machine with --target")])
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            block: None,
            target: None,
            allocation: AllocationOptions::default(),
            threshold: THRESHOLD,
            predication: PredicationOptions::default(),
            occupancy: OccupancyOptions::default(),
            model: None,
            source: None,
        }
    }
}

/// The least share of cycles that a meld must save where nobody says.
pub const THRESHOLD: f64 = 0.2;

/// Options of register allocation.
#[derive(Debug, Clone)]
pub struct AllocationOptions {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Predicate registers per thread.
    pub predicates: u32,
    pub algorithm: Algorithm,
    pub rewriting: Rewriting,
    /// Bytes of shared memory per CTA for spilling; by default what costs no occupancy.
    pub shared: Option<u32>,
}

impl Default for AllocationOptions {
    fn default() -> Self {
        let allocate::Options { registers, predicates, algorithm, rewriting, .. } = allocate::Options::default();
        Self { registers, predicates, algorithm, rewriting, shared: None }
    }
}

/// Options of predication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredicationOptions {
    /// Branches that all lanes take the same way stay.
    pub sbu: bool,
    /// A vote skips a side of a branch that no lane takes.
    pub rbu: bool,
    /// Predicate registers per thread.
    pub predicates: u32,
}

impl Default for PredicationOptions {
    fn default() -> Self {
        Self { sbu: false, rbu: false, predicates: predicate::Options::default().predicates }
    }
}

/// Level of occupancy that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetLevel {
    /// So many resident warps per SM.
    Warps(u32),
    /// Whatever takes least time.
    #[default]
    Auto,
}

/// Options of the occupancy pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct OccupancyOptions {
    pub level: TargetLevel,
    /// Bytes of shared memory that the launch adds.
    pub launch_shared: u32,
}
