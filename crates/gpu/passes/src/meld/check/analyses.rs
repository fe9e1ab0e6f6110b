//! Analyses of both functions that the checker makes by itself: nothing is taken from those who decide.

use super::change::Change;
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::liveness::Liveness;

pub struct Analyses {
    /// Graph of the first function, to which all other analyses but the last belong too.
    pub cfg: Cfg,
    pub dominators: Dominators,
    pub accesses: Accesses,
    pub liveness: Liveness,
    /// Liveness of the registers of the second function.
    pub liveness_after: Liveness,
}

impl Analyses {
    pub fn compute(change: &Change) -> Self {
        let cfg = Cfg::compute(change.before);
        let dominators = Dominators::compute(change.before, &cfg);
        let accesses = Accesses::compute(change.before);
        let liveness = Liveness::compute(change.before, &cfg, &accesses);
        let after = Cfg::compute(change.after);
        let liveness_after = Liveness::compute(change.after, &after, &Accesses::compute(change.after));
        Self { cfg, dominators, accesses, liveness, liveness_after }
    }
}
