//! The reference evaluator as the system of a plain integrator.

use super::*;

/// The reference evaluator as the same system, with a dense Jacobian by dual numbers and partial pivoting.
pub struct Reference<'a> {
    pub project: &'a Project,
    pub fixed: f64,
}

impl Reference<'_> {
    pub fn state(&self, y: &[f64]) -> State {
        let species = self.project.model.species();
        let (fractions, temperature) = (&y[..species.len()], y[species.len()]);
        let moles: Vec<f64> = fractions.iter().zip(species).map(|(y, s)| y.max(0.0) / s.weight).collect();
        let sum: f64 = moles.iter().sum();
        let mass: f64 = fractions.iter().map(|y| y.max(0.0)).sum();
        let pressure = match self.project.constant {
            Constant::Pressure => self.fixed,
            Constant::Volume => self.fixed * kinetics::constants::GAS_CONSTANT * temperature * sum / mass,
        };
        State { temperature, pressure, mole_fractions: moles.iter().map(|n| n / sum).collect() }
    }
}

impl System for Reference<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let (model, state) = (&self.project.model, self.state(y));
        let all = tendency(model, &state, &kinetics::production(model, &state), self.project.constant);
        [all.mass_fractions, vec![all.temperature]].concat()
    }

    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        let all = kinetics::jacobian::tendency(&self.project.model, &self.state(y), self.project.constant);
        Box::new(move |right| {
            let row = |i: usize| -> Vec<f64> {
                let entry = |j: usize| if i == j { diagonal } else { 0.0 } - all.values[j * all.rows + i];
                (0..right.len()).map(entry).chain([right[i]]).collect()
            };
            solve((0..right.len()).map(row).collect())
        })
    }
}
