//! Plan of a reaction: the directions that are left, and who reads or scales each of them (paper section 3.4).

use kinetics::Stiffness;
use kinetics::qssa::{Consumed, consumed};
use mechanism::{Mechanism, Reaction, SpeciesIndex};

/// Forward and reverse.
pub const DIRECTIONS: [usize; 2] = [0, 1];

/// A factor that is computed from rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// Concentration of the quasi-steady species with this place in the list.
    QuasiSteady(usize),
    /// Scale of the destruction of this stiff species.
    Stiff(SpeciesIndex),
}

/// How a reaction goes through the phases of the reduction (paper section 3.4).
#[derive(Debug, Clone)]
pub struct Plan {
    /// Directions that exist and were not dropped by the linearisation.
    pub live: [bool; 2],
    /// Quasi-steady species that each direction consumes.
    pub consumed: [Consumed; 2],
    /// Whether the quasi-steady system reads each direction.
    pub solved: [bool; 2],
    /// The stiff species on either side, in list order.
    pub stiff: Vec<SpeciesIndex>,
}

/// Species of one side of a reaction with their coefficients.
pub type Side<'a> = &'a [(SpeciesIndex, f64)];

/// Reactants and products of a direction.
pub fn sides(r: &Reaction, direction: usize) -> (Side<'_>, Side<'_>) {
    if direction == 0 { (&r.reactants, &r.products) } else { (&r.products, &r.reactants) }
}

pub fn plan(mechanism: &Mechanism, r: &Reaction, stiffness: Stiffness) -> Plan {
    let consumed = DIRECTIONS.map(|d| consumed(mechanism, sides(r, d).0));
    let live = DIRECTIONS.map(|d| consumed[d] != Consumed::Several && (d == 0 || r.is_reversible()));
    let makes = |d: usize| sides(r, d).1.iter().any(|(k, _)| mechanism.quasi_steady().contains(k));
    let solved = DIRECTIONS.map(|d| live[d] && (consumed[d] != Consumed::None || makes(d)));
    let touches = |k: &SpeciesIndex| r.reactants.iter().chain(&r.products).any(|(j, _)| j == k);
    let list = if stiffness == Stiffness::Off { &[] } else { mechanism.stiff() };
    let stiff = if live == [false; 2] { Vec::new() } else { list.iter().copied().filter(touches).collect() };
    Plan { live, consumed, solved, stiff }
}

impl Plan {
    /// Whether anything reads or scales the directions one by one, or drops one.
    pub fn is_split(&self, r: &Reaction) -> bool {
        self.solved != [false; 2] || !self.stiff.is_empty() || self.live != [true, r.is_reversible()]
    }

    /// The factors of the quasi-steady species, with their directions and powers.
    pub fn quasi_steady_factors(&self) -> Vec<Scale> {
        let of = |d: usize| match self.consumed[d] {
            Consumed::One(j) if self.live[d] => Some(Scale { direction: d, power: 1, factor: Factor::QuasiSteady(j) }),
            _ => None,
        };
        DIRECTIONS.into_iter().filter_map(of).collect()
    }

    pub fn stiff_factors(&self, r: &Reaction, k: SpeciesIndex) -> Vec<Scale> {
        let of = |d: usize| {
            let (_, nu) = sides(r, d).0.iter().find(|(j, _)| *j == k)?;
            self.live[d].then_some(Scale { direction: d, power: *nu as u32, factor: Factor::Stiff(k) })
        };
        DIRECTIONS.into_iter().filter_map(of).collect()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Scale {
    pub direction: usize,
    pub power: u32,
    pub factor: Factor,
}

/// nu'' - nu' of the species that have any.
pub fn net_coefficients(r: &Reaction) -> Vec<(usize, f64)> {
    let mut net: Vec<(usize, f64)> = Vec::new();
    for (list, sign) in [(&r.reactants, -1.0), (&r.products, 1.0)] {
        for &(k, nu) in list {
            match net.iter_mut().find(|(j, _)| *j == k) {
                Some((_, sum)) => *sum += sign * nu,
                None => net.push((k, sign * nu)),
            }
        }
    }
    net.retain(|&(_, nu)| nu != 0.0);
    net
}
