//! Heat capacities and enthalpies of species as tables of coefficients: what reactors need of them beside their kernels.

use crate::base::tables::real;
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;
use kinetics::reactor::Constant;
use kinetics::thermo::h_rt;
use mechanism::{Nasa7, Nasa9, Polynomials};

/// The coefficients of one range of temperature: cp/R = q0 + q1 T + q2 T^2 + q3 T^3 + q4 T^4 + q6/T + q7/T^2, less 1 at constant volume;
/// q5 is the constant of its integral. The last two are 0 for NASA-7.
pub type Coefficients = [f64; 8];

/// Energies of all species, with equal numbers of ranges.
#[derive(Debug, Clone, PartialEq)]
pub struct Energies {
    /// In K, where each range but the last ends; a species of fewer ranges has its last one several times.
    pub ends: Vec<Vec<f64>>,
    pub ranges: Vec<Vec<Coefficients>>,
    /// h at 298.15 K and 1 atm, in J/kg.
    pub of_formation: Vec<f64>,
}

/// Temperature of enthalpies of formation, in K.
const STANDARD: f64 = 298.15;

impl Energies {
    /// At constant pressure of enthalpies, at constant volume of energies.
    pub fn new(model: &Model, constant: Constant) -> Self {
        let species = model.species();
        let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
        let mut ranges: Vec<Vec<Coefficients>> = species.iter().map(|s| coefficients(&s.thermo, work)).collect();
        let mut ends: Vec<Vec<f64>> = species.iter().map(|s| s.thermo.breaks().to_vec()).collect();
        let most = ranges.iter().map(Vec::len).max().unwrap_or(1);
        for (ranges, ends) in ranges.iter_mut().zip(&mut ends) {
            let last = *ranges.last().expect("a species has a range");
            ranges.resize(most, last);
            ends.resize(most - 1, STANDARD);
        }
        let of_formation = species.iter().map(|s| h_rt(&s.thermo, STANDARD) * GAS_CONSTANT * STANDARD / s.weight);
        Self { ends, ranges, of_formation: of_formation.collect() }
    }

    /// Whether any species has terms of NASA-9.
    pub fn has_inverse_powers(&self) -> bool {
        self.ranges.iter().flatten().any(|range| range[6..] != [0.0; 2])
    }

    /// The rows of both tables as C++.
    pub(super) fn tables(&self) -> [String; 2] {
        let row = |values: &[f64]| values.iter().map(|&x| real(x)).collect::<Vec<_>>().join(", ");
        let ends =
            self.ends.iter().map(|ends| format!("  {{{}}},\n", if ends.is_empty() { "0.0".into() } else { row(ends) }));
        let ranges = self.ranges.iter().map(|ranges| {
            let rows: Vec<String> = ranges.iter().map(|range| format!("   {{{}}}", row(range))).collect();
            format!("  {{\n{}}},\n", rows.join(",\n"))
        });
        [ends.collect(), ranges.collect()]
    }
}

fn coefficients(thermo: &Polynomials, work: f64) -> Vec<Coefficients> {
    match thermo {
        Polynomials::Nasa7(Nasa7 { low, high, .. }) => {
            [low, high].map(|a| [a[0] - work, a[1], a[2], a[3], a[4], a[5], 0.0, 0.0]).to_vec()
        }
        Polynomials::Nasa9(Nasa9 { ranges, .. }) => {
            ranges.iter().map(|a| [a[2] - work, a[3], a[4], a[5], a[6], a[7], a[1], a[0]]).collect()
        }
    }
}
