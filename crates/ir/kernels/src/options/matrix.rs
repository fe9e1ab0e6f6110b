//! Instructions that multiply with constant matrices.

/// Instruction that multiplies values with constant matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    /// A fused multiply-add per point and element.
    Dfma,
    /// `mma.sync.m8n8k4` of doubles, which takes as many slots as this many fused multiply-adds of a warp.
    Dmma { slots: u32 },
}
