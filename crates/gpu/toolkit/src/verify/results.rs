//! The result of a run, from which text, JSON and SARIF are made.

use super::proof::Proof;
use super::spots::Sources;
use super::texts::Text;
use diagnostics::Diagnostic;

/// Verdicts, and what they are about.
pub struct Results {
    pub texts: Vec<Text>,
    pub proofs: Vec<Proof>,
    /// Files that could not be read, and launches that do not fit.
    pub refused: Vec<Diagnostic>,
    pub has_baseline: bool,
    pub sources: Sources,
}
