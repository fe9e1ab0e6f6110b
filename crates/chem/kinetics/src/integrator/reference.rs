//! The published formulas as a system of a plain integrator: rates of change and a dense Jacobian by dual numbers, and partial pivoting.

use super::advance::{Growth, Solver, System};
use crate::constants::GAS_CONSTANT;
use crate::linear_algebra::elimination::Factors;
use crate::reactor::{Constant, tendency};
use crate::{Model, State, jacobian, production};

/// A reactor whose unknowns are the mass fractions, then the temperature.
pub struct Reference<'a> {
    pub model: &'a Model,
    pub constant: Constant,
    /// The pressure in Pa or the density in kg/m^3, by what is constant.
    pub fixed: f64,
}

impl Reference<'_> {
    /// The state of some unknowns; those below zero count as zero.
    pub fn state(&self, y: &[f64]) -> State {
        let species = self.model.species();
        let (fractions, temperature) = (&y[..species.len()], y[species.len()]);
        let moles: Vec<f64> = fractions.iter().zip(species).map(|(y, s)| y.max(0.0) / s.weight).collect();
        let sum: f64 = moles.iter().sum();
        let mass: f64 = fractions.iter().map(|y| y.max(0.0)).sum();
        let pressure = match self.constant {
            Constant::Pressure => self.fixed,
            Constant::Volume => self.fixed * GAS_CONSTANT * temperature * sum / mass,
        };
        State { temperature, pressure, mole_fractions: moles.iter().map(|n| n / sum).collect() }
    }
}

impl System for Reference<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let state = self.state(y);
        let all = tendency(self.model, &state, &production(self.model, &state), self.constant);
        [all.mass_fractions, vec![all.temperature]].concat()
    }

    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        let all = jacobian::tendency(self.model, &self.state(y), self.constant);
        let row = |i: usize| -> Vec<f64> {
            let entry = |j: usize| if i == j { diagonal } else { 0.0 } - all.values[j * all.rows + i];
            (0..all.rows).map(entry).collect()
        };
        let factors = Factors::new((0..all.rows).map(row).collect());
        // Exchanged rows leave the determinant alone: what grows may always be in doubt.
        let growth = if factors.is_negative() { Growth::Certain } else { Growth::Doubtful };
        Solver { growth, solve: Box::new(move |right| factors.solve(right)) }
    }
}
