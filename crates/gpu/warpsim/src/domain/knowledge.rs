//! What a warp knows of its values.

use crate::decode::Code;

/// Every lane.
pub(crate) const ALL: u32 = u32::MAX;

/// Which lanes of a warp know the values of its registers, its predicates and its condition code.
pub(crate) trait Knowledge {
    fn new(code: &Code) -> Self;
    /// At the start of the kernel: its arguments, and special registers that the launch fixes.
    fn start(&mut self, code: &Code);
    fn row(&self, register: u32) -> u32;
    fn pred(&self, pred: u32) -> u32;
    fn carry(&self) -> u32;
    /// Of the lanes of `mask` those of `known` know the register, and no others.
    fn learn(&mut self, register: u32, known: u32, mask: u32);
    fn learn_pred(&mut self, pred: u32, known: u32, mask: u32);
    fn learn_carry(&mut self, known: u32, mask: u32);
}
