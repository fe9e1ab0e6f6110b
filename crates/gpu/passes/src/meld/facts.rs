//! The analyses of a function that is melded, made once for all who ask.

use cranelift_entity::SecondaryMap;
use ptx::analysis::access::Accesses;
use ptx::analysis::dominators::post_dominators_of_reachable;
use ptx::analysis::gated::Gated;
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::analysis::ssa;
use ptx::ir::{Block, Func, Reg};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

/// Facts about a function.
pub struct Facts {
    known: Arc<ssa::Facts>,
    pub loops: Arc<Loops>,
    liveness: OnceCell<Liveness>,
    /// Where lanes that part at the end of a block meet again.
    pub meets: SecondaryMap<Block, Option<Block>>,
}

impl Deref for Facts {
    type Target = ssa::Facts;

    fn deref(&self) -> &ssa::Facts {
        &self.known
    }
}

impl Facts {
    pub fn compute(func: &Func) -> Self {
        Self::from_ssa(ssa::Facts::compute(func))
    }

    /// As [`compute`](Self::compute), where these are known.
    pub fn from_ssa(known: ssa::Facts) -> Self {
        let loops = Arc::new(Loops::compute(&known.cfg, &known.dominators));
        let meets = post_dominators_of_reachable(&known.cfg);
        Self { known: Arc::new(known), loops, liveness: OnceCell::new(), meets }
    }

    /// Returns the facts of a function with the same graph and other registers, or without some of the instructions.
    pub fn with_accesses(self, accesses: impl FnOnce(Accesses) -> Accesses) -> Self {
        let Self { known, loops, meets, .. } = self;
        let known = Arc::new(Arc::unwrap_or_clone(known).with_accesses(accesses));
        Self { known, loops, liveness: OnceCell::new(), meets }
    }

    /// Returns the liveness of the function that was analysed, computed on demand: where nothing is melded, nobody asks.
    pub fn liveness(&self, func: &Func) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::from_sites(func, &self.cfg, self.sites(func)))
    }

    /// The only block of the function that writes the register.
    pub fn only_writer(&self, func: &Func, reg: Reg) -> Option<Block> {
        self.sites(func).only_writer(reg)
    }

    /// Gated SSA form of the function.
    pub fn gated(&self, func: &Func) -> Gated {
        Gated::from_facts(func, Arc::clone(&self.known), Arc::clone(&self.loops), &self.meets, &BTreeSet::new())
    }
}
