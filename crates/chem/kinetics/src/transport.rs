//! Kinetic theory of pure species and pairs. Kee, Dixon-Lewis, Warnatz, Coltrin, Miller, SAND86-8246 (1986);
//! Hirschfelder, Curtiss, Bird, Molecular Theory of Gases and Liquids (1954).

use std::f64::consts::PI;

use super::collision::Profile;
use super::constants::{ANGSTROM, AVOGADRO, BOLTZMANN, DEBYE, GAS_CONSTANT, VACUUM_PERMITTIVITY};
use mechanism::{Geometry, Transport};

/// A species as a Stockmayer molecule, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub struct Molecule {
    /// kg/kmol
    pub weight: f64,
    /// J
    pub well_depth: f64,
    /// m
    pub diameter: f64,
    /// C m
    pub dipole: f64,
    /// m3
    pub polarizability: f64,
    /// Zrot at 298 K
    pub rotational_relaxation: f64,
    /// Rotational heat capacity over R.
    pub c_rot: f64,
}

/// Two molecules that collide.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// J
    pub well_depth: f64,
    /// m
    pub diameter: f64,
    /// Reduced dipole moment delta*
    pub delta: f64,
    /// kg
    pub reduced_mass: f64,
}

impl Molecule {
    /// `weight` in kg/kmol.
    pub fn new(weight: f64, transport: &Transport) -> Self {
        Self {
            weight,
            well_depth: BOLTZMANN * transport.well_depth,
            diameter: ANGSTROM * transport.diameter,
            dipole: DEBYE * transport.dipole,
            polarizability: ANGSTROM.powi(3) * transport.polarizability,
            rotational_relaxation: transport.rotational_relaxation,
            c_rot: match transport.geometry {
                Geometry::Atom => 0.0,
                Geometry::Linear => 1.0,
                Geometry::Nonlinear => 1.5,
            },
        }
    }

    /// Viscosity in Pa s; `profile` is that of the pair of two such molecules.
    pub fn viscosity(&self, profile: &Profile, t: f64) -> f64 {
        let omega = profile.omega22(BOLTZMANN * t / self.well_depth);
        let mass = self.weight / AVOGADRO;
        5.0 / 16.0 * (PI * mass * BOLTZMANN * t).sqrt() / (PI * self.diameter.powi(2) * omega)
    }

    /// Conductivity in W/m/K; `profile` is that of the pair of two such molecules, `cp_r` is cp/R at `t`.
    /// Rotational relaxation: Parker, Phys. Fluids 2 (1959) 449; Brau & Jonkman, J. Chem. Phys. 52 (1970) 477.
    pub fn conductivity(&self, profile: &Profile, cp_r: f64, t: f64) -> f64 {
        let eta = self.viscosity(profile, t);
        let f = self.weight * pair(self, self).diffusion(profile, t) / (GAS_CONSTANT * t * eta);
        let relaxation = |t: f64| {
            let t_star = BOLTZMANN * t / self.well_depth;
            1.0 + PI.powf(1.5) / t_star.sqrt() * (0.5 + 1.0 / t_star) + (PI * PI / 4.0 + 2.0) / t_star
        };
        let collisions = self.rotational_relaxation * relaxation(298.0) / relaxation(t);
        let exchange = 2.0 / PI * (2.5 - f) / (collisions + 2.0 / PI * (5.0 / 3.0 * self.c_rot + f));
        let translation = 2.5 * (1.0 - exchange * self.c_rot / 1.5) * 1.5;
        let rotation = f * (1.0 + exchange) * self.c_rot;
        let vibration = f * (cp_r - 2.5 - self.c_rot);
        eta * GAS_CONSTANT / self.weight * (translation + rotation + vibration)
    }

    /// mu^2 / (4 pi eps0 eps sigma^3), twice delta*.
    fn polarity(&self) -> f64 {
        self.dipole.powi(2) / (4.0 * PI * VACUUM_PERMITTIVITY * self.well_depth * self.diameter.powi(3))
    }
}

/// Combining rules, with the correction for a polar molecule that meets a nonpolar one.
pub fn pair(a: &Molecule, b: &Molecule) -> Pair {
    let well_depth = (a.well_depth * b.well_depth).sqrt();
    let diameter = 0.5 * (a.diameter + b.diameter);
    let reduced_mass = a.weight * b.weight / (AVOGADRO * (a.weight + b.weight));
    let induced = |polar: &Molecule, nonpolar: &Molecule| {
        let reduced_polarizability = nonpolar.polarizability / nonpolar.diameter.powi(3);
        let depths = (polar.well_depth / nonpolar.well_depth).sqrt();
        let xi = 1.0 + 0.25 * reduced_polarizability * polar.polarity() * depths;
        Pair { well_depth: well_depth * xi * xi, diameter: diameter * xi.powf(-1.0 / 6.0), delta: 0.0, reduced_mass }
    };
    match (a.dipole > 0.0, b.dipole > 0.0) {
        (true, false) => induced(a, b),
        (false, true) => induced(b, a),
        (false, false) => Pair { well_depth, diameter, delta: 0.0, reduced_mass },
        (true, true) => {
            let delta = a.dipole * b.dipole / (8.0 * PI * VACUUM_PERMITTIVITY * well_depth * diameter.powi(3));
            Pair { well_depth, diameter, delta, reduced_mass }
        }
    }
}

impl Pair {
    /// P D in Pa m2/s.
    pub fn diffusion(&self, profile: &Profile, t: f64) -> f64 {
        let omega = profile.omega11(BOLTZMANN * t / self.well_depth);
        let energy = BOLTZMANN * t;
        3.0 / 16.0 * (2.0 * PI / self.reduced_mass).sqrt() * energy * energy.sqrt()
            / (PI * self.diameter.powi(2) * omega)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::Integrals;
    use crate::fixtures::air_hydrogen;
    use crate::thermo::cp_r;
    use approx::assert_relative_eq;

    fn molecule(k: usize) -> Molecule {
        let species = &air_hydrogen().species[k];
        Molecule::new(species.weight, species.transport.as_ref().expect("fixture has transport"))
    }

    #[test]
    fn nitrogen_at_300_kelvin_is_close_to_measurement() {
        // Lemmon & Jacobsen, Int. J. Thermophys. 25 (2004) 21: 17.9 uPa s, 25.9 mW/m/K.
        let integrals = Integrals::new();
        let profile = integrals.profile(0.0);
        let nitrogen = molecule(3);
        assert_relative_eq!(nitrogen.viscosity(&profile, 300.0), 17.9e-6, max_relative = 0.02);
        let cp = cp_r(&air_hydrogen().species[3].thermo, 300.0);
        assert_relative_eq!(nitrogen.conductivity(&profile, cp, 300.0), 25.9e-3, max_relative = 0.03);
    }

    #[test]
    fn pairs_are_symmetric_and_correct_for_one_dipole() {
        let (water, nitrogen) = (molecule(2), molecule(3));
        let mixed = pair(&water, &nitrogen);
        assert_eq!(mixed, pair(&nitrogen, &water));
        assert_eq!(mixed.delta, 0.0);
        assert!(mixed.well_depth > (water.well_depth * nitrogen.well_depth).sqrt());
        assert!(mixed.diameter < 0.5 * (water.diameter + nitrogen.diameter));
        assert_relative_eq!(pair(&water, &water).delta, 0.5 * water.polarity(), max_relative = 1e-14);
    }
}
