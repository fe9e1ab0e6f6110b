//! How melds are decided.

use crate::options::THRESHOLD;

/// How to decide.
#[derive(Debug, Clone)]
pub struct Options {
    pub mode: Mode,
    /// The least share of the cycles of two subgraphs that melding them must save, from 0 to 0.5.
    pub threshold: f64,
    /// The shape of the CTA, where the kernel does not demand one.
    pub block: Option<[u32; 3]>,
}

impl Default for Options {
    fn default() -> Self {
        Self { mode: Mode::default(), threshold: THRESHOLD, block: None }
    }
}

/// Subgraphs that are melded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// All.
    #[default]
    Melding,
    /// Blocks of diamonds: Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and Optimizations" (PACT 2011).
    BranchFusion,
}
