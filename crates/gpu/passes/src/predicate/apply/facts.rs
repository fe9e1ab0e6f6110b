//! Facts that are known where rows are written.

use crate::predicate::twin::Twins;
use ptx::analysis::liveness::Liveness;
use ptx::inst::Guard;
use ptx::ir::{Func, Inst, Reg};
use std::collections::BTreeSet;

/// Facts about the function as it was.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    pub old: &'a Func,
    pub liveness: &'a Liveness,
    pub local: &'a BTreeSet<Reg>,
    pub repeated: &'a BTreeSet<Inst>,
    pub sm: u32,
    pub twins: &'a Twins,
    /// The lanes for which the function runs, if these are not all.
    pub entrance: Option<Guard>,
}
