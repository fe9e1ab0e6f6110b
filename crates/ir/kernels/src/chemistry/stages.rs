//! Stages of the rates of a reaction, and the values that each hands out.

use crate::rates::plan::{Factor, Plan, Scale};
use graph::body::{Body, Id};
use graph::dataflow::{StepRef, Value};
use kinetics::Stiffness;
use mechanism::{Reaction, SpeciesIndex};

/// Values that the operation of a reaction hands out.
pub struct Rates {
    /// By direction, with every quasi-steady concentration 1: for the quasi-steady system.
    pub unscaled: [Option<Value>; 2],
    /// By stiff species, the rates by direction that its sums see.
    pub staged: Vec<(SpeciesIndex, [Option<Value>; 2])>,
    /// Net rate of progress after all scaling.
    pub progress: Value,
}

/// Inputs that are connected when the factors exist.
pub type Late = Vec<(StepRef, usize, Factor)>;

/// Stages that follow the first rates of a reaction.
pub struct Stages {
    /// The stiff species that read the first rates.
    pub at_once: Vec<SpeciesIndex>,
    /// The factors to take in, and the stiff species that read the rates then.
    pub iterations: Vec<(Vec<Scale>, Vec<SpeciesIndex>)>,
    /// The factors of the net rate of progress.
    pub last: Vec<Scale>,
}

pub fn stages(r: &Reaction, plan: &Plan, stiffness: Stiffness) -> Stages {
    let mut pending = plan.quasi_steady_factors();
    let mut iterations: Vec<(Vec<Scale>, Vec<SpeciesIndex>)> = Vec::new();
    if stiffness == Stiffness::Sequential {
        for &k in &plan.stiff {
            iterations.push((std::mem::replace(&mut pending, plan.stiff_factors(r, k)), vec![k]));
        }
    } else if !plan.stiff.is_empty() {
        iterations.push((std::mem::take(&mut pending), plan.stiff.clone()));
        pending = plan.stiff.iter().flat_map(|&k| plan.stiff_factors(r, k)).collect();
    }
    let at_once = if iterations.first().is_some_and(|(factors, _)| factors.is_empty()) {
        iterations.remove(0).1
    } else {
        Vec::new()
    };
    Stages { at_once, iterations, last: pending }
}

/// One thing for each direction that is given, by its number among these.
pub fn numbered<T>(given: [bool; 2], mut of: impl FnMut(u32) -> T) -> [Option<T>; 2] {
    let mut next = 0..;
    given.map(|given| given.then(|| of(next.next().expect("directions are two"))))
}

/// Multiplies rates by factors, which are the inputs from `first` on.
pub fn scale(b: &mut Body, rates: &mut [Option<Id>; 2], factors: &[Scale], first: u32) {
    for (input, scale) in (first..).zip(factors) {
        let factor = b.input(input);
        for _ in 0..scale.power {
            rates[scale.direction] = rates[scale.direction].map(|rate| b.mul(rate, factor));
        }
    }
}

/// The net rate of progress.
pub fn net(b: &mut Body, rates: [Option<Id>; 2]) -> Id {
    match rates {
        [Some(forward), Some(reverse)] => b.sub(forward, reverse),
        [Some(forward), None] => forward,
        [None, Some(reverse)] => b.neg(reverse),
        [None, None] => unreachable!("a reaction without directions has no operation"),
    }
}
