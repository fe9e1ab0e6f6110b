//! Sources of reactions: values that other operations computed.

use super::log_space::LogSpace;
use crate::build::Operands;
use graph::body::Id;
use graph::dataflow::Value;
use mechanism::{Collider, Rate, SpeciesIndex};

/// Values of other operations that a reaction reads.
pub struct Sources<'a> {
    pub scalars: &'a [u32],
    /// By species; absent: loaded from global memory by every reader.
    pub concentrations: Vec<Option<Value>>,
    /// -g/RT by species, where an equilibrium constant needs it
    pub gibbs: Vec<Option<Value>>,
    /// Species from this one on are quasi-steady: they react with concentration 1.
    pub transported: usize,
    pub third_bodies: Vec<(Vec<(SpeciesIndex, f64)>, Value)>,
    /// Values that the log-space form shares.
    pub log_space: Option<LogSpace>,
}

/// The colliders that a rate constant depends on; `transported` species count.
pub fn colliders(rate: &Rate, transported: usize) -> Vec<Collider> {
    match rate {
        Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => vec![collider.clone()],
        Rate::LinearBurke(rate) => {
            let listed = rate.colliders.iter().map(|collider| collider.species).filter(|&k| k < transported);
            [rate.rest()].into_iter().chain(listed.map(Collider::Species)).collect()
        }
        _ => Vec::new(),
    }
}

impl Operands {
    /// The concentration of a species, as these have it.
    pub fn concentration(&mut self, sources: &Sources<'_>, k: SpeciesIndex) -> Id {
        match sources.concentrations[k] {
            Some(value) => self.input(value),
            None => self.loaded(k),
        }
    }
}

/// The concentration of a collider.
pub fn third_body(o: &mut Operands, sources: &Sources<'_>, collider: &Collider) -> Id {
    match collider {
        Collider::Species(k) => o.concentration(sources, *k),
        Collider::Mixture(efficiencies) => {
            let known = sources.third_bodies.iter().find(|(known, _)| known == efficiencies);
            o.input(known.expect("every third body has its sum").1)
        }
    }
}
