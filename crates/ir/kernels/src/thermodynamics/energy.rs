//! Enthalpies, energies and heat capacities of species, over R or RT.

use super::gibbs::{self, Terms};
use crate::build::Operands;
use graph::body::Id;
use graph::dataflow::{Graph, Step, Value};
use mechanism::{Polynomials, Species};

/// h/RT less a number, at the point's temperature.
pub fn energy(o: &mut Operands, thermo: &Polynomials, work: f64) -> Id {
    gibbs::value(o, &gibbs::of_ranges(thermo, |t| less(enthalpy7(t), work), |t| less(enthalpy9(t), work)))
}

/// cp/R less a number, at the point's temperature.
pub fn capacity(o: &mut Operands, thermo: &Polynomials, work: f64) -> Id {
    gibbs::value(o, &gibbs::of_ranges(thermo, |t| less(capacity7(t), work), |t| less(capacity9(t), work)))
}

/// Iterations that add (h/RT - work) times a production rate to the one running sum. A step makes the energy where it is used: made beforehand, energies
/// of all species would be alive at once.
pub fn sum_of_energies(graph: &mut Graph, species: &[Species], production: &[Value], work: f64) -> Vec<Step> {
    let iterations = species.iter().zip(production).map(|(species, &rate)| {
        let mut o = Operands::default();
        let (energy, rate) = (energy(&mut o, &species.thermo, work), o.input(rate));
        let sum = o.body.state(0);
        o.body.states = vec![o.body.fma(energy, rate, sum)];
        o.into_step(graph)
    });
    iterations.collect()
}

/// The function less a number.
pub fn less(mut terms: Terms, number: f64) -> Terms {
    terms[0] -= number;
    terms
}

/// h/RT = a1 + a2/2 T + a3/3 T^2 + a4/4 T^3 + a5/5 T^4 + a6/T
pub fn enthalpy7(a: &[f64; 7]) -> Terms {
    [a[0], a[1] / 2.0, a[2] / 3.0, a[3] / 4.0, a[4] / 5.0, 0.0, a[5], 0.0, 0.0]
}

/// h/RT = a3 + a4/2 T + a5/3 T^2 + a6/4 T^3 + a7/5 T^4 + (b1 + a2 ln T - a1 /T) /T
pub fn enthalpy9(a: &[f64; 9]) -> Terms {
    [a[2], a[3] / 2.0, a[4] / 3.0, a[5] / 4.0, a[6] / 5.0, 0.0, a[7], a[1], -a[0]]
}

/// cp/R = a1 + a2 T + a3 T^2 + a4 T^3 + a5 T^4
pub fn capacity7(a: &[f64; 7]) -> Terms {
    [a[0], a[1], a[2], a[3], a[4], 0.0, 0.0, 0.0, 0.0]
}

/// cp/R = a3 + a4 T + a5 T^2 + a6 T^3 + a7 T^4 + (a2 + a1 /T) /T
pub fn capacity9(a: &[f64; 9]) -> Terms {
    [a[2], a[3], a[4], a[5], a[6], 0.0, a[1], 0.0, a[0]]
}
