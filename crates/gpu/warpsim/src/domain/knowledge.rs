//! A warp's knowledge of its values.

use crate::decode::Code;

/// Every lane.
pub(crate) const ALL: u32 = u32::MAX;

/// Lanes of a warp that know the values of its registers, its predicates and its condition code.
pub(crate) trait Knowledge {
    fn new(code: &Code) -> Self;
    /// Begins the kernel with its arguments known, and special registers that the launch fixes.
    fn start(&mut self, code: &Code);
    fn row(&self, register: u32) -> u32;
    fn pred(&self, pred: u32) -> u32;
    fn carry(&self) -> u32;
    /// Records that, among the lanes of `mask`, exactly those of `known` know the register.
    fn learn(&mut self, register: u32, known: u32, mask: u32);
    fn learn_pred(&mut self, pred: u32, known: u32, mask: u32);
    fn learn_carry(&mut self, known: u32, mask: u32);
    /// Records that all lanes of `mask` hold one value in the register, known or not.
    fn agree(&mut self, _register: u32, _mask: u32) {}
    fn agree_pred(&mut self, _pred: u32, _mask: u32) {}
}
