//! Context of the rules: the function and what is known of it.

use super::basis::{Basis, Block as BlockShape};
use crate::analysis::gated::Gated;
use crate::inst::{Op, Operand};
use crate::ir::Func;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub block: BlockShape,
    /// Conversions and wide products of indices do not wrap. The simulator can check it.
    pub assume_index_no_wrap: bool,
}

/// The function and what is known of it.
pub(super) struct Context<'a> {
    pub func: &'a Func,
    pub gated: &'a Gated,
    pub basis: &'a Basis,
    pub options: Options,
}

impl Context<'_> {
    /// Whether an operand is a special register that may differ from lane to lane.
    pub fn reads_divergent_special(&self, op: &Op) -> bool {
        let mut found = false;
        op.operands(|operand| {
            found |= matches!(operand, Operand::Special(s) if !self.basis.state(s).is_uniform());
        });
        found
    }
}
