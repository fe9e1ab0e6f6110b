//! The analyses of a function that is melded, made once for all who ask.

use crate::analysis::access::Accesses;
use crate::analysis::cfg::Cfg;
use crate::analysis::dominators::{Dominators, post_dominators};
use crate::analysis::gated::Gated;
use crate::analysis::liveness::Liveness;
use crate::analysis::loops::Loops;
use crate::analysis::sites::Sites;
use crate::analysis::ssa;
use crate::ir::{Block, Func};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// What is known of a function.
pub struct Facts {
    pub cfg: Cfg,
    pub dominators: Dominators,
    pub loops: Loops,
    pub accesses: Accesses,
    sites: Sites,
    pub liveness: Liveness,
    /// Where lanes that part at the end of a block meet again.
    pub meets: SecondaryMap<Block, Option<Block>>,
}

impl Facts {
    pub fn compute(func: &Func) -> Self {
        let ssa::Facts { cfg, dominators, accesses, sites } = ssa::Facts::compute(func);
        let loops = Loops::compute(&cfg, &dominators);
        let liveness = Liveness::from_sites(func, &cfg, &sites);
        Self { cfg, dominators, loops, accesses, sites, liveness, meets: post_dominators(func) }
    }

    /// Gated SSA form of the function.
    pub fn gated(&self, func: &Func) -> Gated {
        let Self { cfg, dominators, accesses, sites, .. } = self;
        let facts = ssa::Facts {
            cfg: cfg.clone(),
            dominators: dominators.clone(),
            accesses: accesses.clone(),
            sites: sites.clone(),
        };
        Gated::from_facts(func, facts, self.loops.clone(), &self.meets, &BTreeSet::new())
    }
}
