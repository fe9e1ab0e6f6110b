//! The analyses of a function that is melded, made once for all who ask.

use crate::analysis::access::Accesses;
use crate::analysis::cfg::Cfg;
use crate::analysis::dominators::{Dominators, post_dominators};
use crate::analysis::gated::Gated;
use crate::analysis::liveness::Liveness;
use crate::analysis::loops::Loops;
use crate::analysis::sites::Sites;
use crate::analysis::ssa;
use crate::ir::{Block, Func, Reg};
use cranelift_entity::SecondaryMap;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// What is known of a function.
pub struct Facts {
    pub cfg: Cfg,
    pub dominators: Dominators,
    pub loops: Loops,
    pub accesses: Accesses,
    sites: Sites,
    liveness: OnceCell<Liveness>,
    /// Where lanes that part at the end of a block meet again.
    pub meets: SecondaryMap<Block, Option<Block>>,
}

impl Facts {
    pub fn compute(func: &Func) -> Self {
        let cfg = Cfg::compute(func);
        let dominators = Dominators::compute(func, &cfg);
        Self::of_graph(func, cfg, dominators)
    }

    /// As [`compute`](Self::compute), where the graph is known.
    pub fn of_graph(func: &Func, cfg: Cfg, dominators: Dominators) -> Self {
        let accesses = Accesses::compute(func);
        let sites = Sites::compute(func, &cfg, &accesses);
        Self::from_ssa(func, ssa::Facts { cfg, dominators, accesses, sites })
    }

    /// As [`compute`](Self::compute), where these are known.
    pub fn from_ssa(func: &Func, ssa::Facts { cfg, dominators, accesses, sites }: ssa::Facts) -> Self {
        let loops = Loops::compute(&cfg, &dominators);
        Self { cfg, dominators, loops, accesses, sites, liveness: OnceCell::new(), meets: post_dominators(func) }
    }

    /// Of the function that was analysed: where nothing is melded, nobody asks.
    pub fn liveness(&self, func: &Func) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::from_sites(func, &self.cfg, &self.sites))
    }

    /// The only block that writes the register.
    pub fn only_writer(&self, reg: Reg) -> Option<Block> {
        self.sites.only_writer(reg)
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
