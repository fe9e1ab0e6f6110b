//! Activities: concentrations over the equilibrium constants of their species (see [`formation`]).
//!
//! With a_k = C_k/K_k, the net rate k_f prod C - k_r prod C of a reaction is k_f prod K (prod a - prod a), where the
//! first two products run over the reactants. So no reaction needs an equilibrium constant, an exponential or a
//! quotient of its own.

use super::plan::Plan;
use crate::build::{self, Operands};
use crate::options::Exponential;
use crate::thermodynamics::formation::{self, FormationConstants};
use crate::thermodynamics::gibbs::{self, Piecewise};
use graph::body::Id;
use graph::dataflow::{Graph, Step, Value};
use kinetics::Model;
use mechanism::{Arrhenius, Rate, Reaction, Reverse, SpeciesIndex};

/// Largest proven |ln| of a product of equilibrium constants over one side of a reaction. Concentrations leave the
/// rest of the range of doubles: three of 1e-37 kmol/m3 still give a normal number.
const LARGEST_SIDE: f64 = 430.0;
/// Largest proven |ln| of a rate constant with the equilibrium constants of the reactants.
const LARGEST_RATE: f64 = 690.0;

/// Values that species hand out; each exists only if something reads it.
pub struct Activities {
    /// kmol/m3
    pub concentration: Vec<Option<Value>>,
    /// K in kmol/m3, shifted by element potentials
    pub constant: Vec<Option<Value>>,
    /// 1/K
    pub inverse: Vec<Option<Value>>,
    /// C/K, and 1/K of quasi-steady species
    pub activity: Vec<Option<Value>>,
    /// By reaction, whether its rates are made of activities.
    pub serves: Vec<bool>,
}

/// Whether the reverse rate of a reaction can be made of activities, in range at all temperatures of the proof.
pub fn serves(r: &Reaction, formation: &FormationConstants) -> bool {
    let small = |nu: f64| nu.fract() == 0.0 && (1.0..=4.0).contains(&nu);
    let side = |terms: &[(SpeciesIndex, f64)]| terms.iter().map(|&(k, nu)| nu * formation.range[k]).sum::<f64>();
    let (reactants, products) = (side(&r.reactants), side(&r.products));
    r.reverse == Reverse::Equilibrium
        && r.forward_orders.is_empty()
        && r.reverse_orders.is_empty()
        && r.reactants.iter().chain(&r.products).all(|&(_, nu)| small(nu))
        && reactants.max(products) <= LARGEST_SIDE
        && rate_range(&r.rate).is_some_and(|rate| rate + reactants <= LARGEST_RATE)
}

/// An upper bound of the |ln| of a rate constant, where there is one.
pub fn rate_range(rate: &Rate) -> Option<f64> {
    match rate {
        Rate::Arrhenius(k) => Some(formation::arrhenius_range(k)),
        Rate::Falloff { low, high, .. } | Rate::ChemicallyActivated { low, high, .. } => {
            Some(formation::arrhenius_range(low) + formation::arrhenius_range(high))
        }
        Rate::Plog(table) => {
            let of_pressures = table.iter().map(|(_, terms)| sum_range(terms));
            of_pressures.collect::<Option<Vec<f64>>>().map(|ranges| ranges.into_iter().fold(0.0, f64::max))
        }
        Rate::LandauTeller(..) | Rate::Chebyshev(_) | Rate::LinearBurke(_) => None,
    }
}

/// An upper bound of the |ln| of a sum of rate constants, which lies between its largest term and that times their number; none where terms
/// may cancel.
fn sum_range(terms: &[Arrhenius]) -> Option<f64> {
    let terms = terms.iter().filter(|k| k.a != 0.0);
    let count = terms.clone().count();
    let may_cancel = count > 1 && terms.clone().any(|k| k.a < 0.0);
    let largest = terms.map(formation::arrhenius_range).fold(0.0, f64::max);
    (!may_cancel).then(|| largest + (count.max(1) as f64).ln())
}

/// Values of a species that are read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Needs {
    concentration: bool,
    constant: bool,
    inverse: bool,
    activity: bool,
}

/// Reads beside those of reactions.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// By species, whether its concentration is.
    pub concentrations: &'a [bool],
    /// Whether 1/K is, of species with activities.
    pub inverses: bool,
    /// Concentrations are operations of their own: who reads them need not wait for the rest, nor keep it.
    pub is_separate: bool,
}

/// Adds one operation per species.
pub fn add(
    graph: &mut Graph,
    model: &Model,
    plans: &[Plan],
    serves: Vec<bool>,
    formation: &FormationConstants,
    read: Read<'_>,
    exponential: Exponential,
) -> Activities {
    let mechanism = &model.mechanism;
    let size = mechanism.species.len();
    let mut needs = vec![Needs::default(); size];
    for (k, needs) in needs.iter_mut().enumerate() {
        needs.concentration = read.concentrations[k];
    }
    for ((r, plan), _) in mechanism.reactions.iter().zip(plans).zip(&serves).filter(|(_, serves)| **serves) {
        let forward = plan.live == [true, false];
        for &(k, _) in r.reactants.iter().filter(|_| !forward && plan.live[1]) {
            needs[k].constant = true;
            needs[k].activity |= plan.live[0];
        }
        for &(k, _) in r.products.iter().filter(|_| plan.live[1]) {
            needs[k].activity = true;
        }
    }
    needs.iter_mut().for_each(|needs| needs.inverse = read.inverses && needs.activity);
    let none = vec![None; size];
    let mut all = Activities {
        concentration: none.clone(),
        constant: none.clone(),
        inverse: none.clone(),
        activity: none,
        serves,
    };
    let transported = model.species().len();
    let needed = needs.into_iter().enumerate().filter(|(_, needs)| *needs != Needs::default());
    for (k, mut needs) in needed {
        let name = &mechanism.species[k].name;
        if read.is_separate && needs.concentration && needs != (Needs { concentration: true, ..Needs::default() }) {
            let only = Needs { concentration: true, ..Needs::default() };
            let step = species(graph, k, only, formation, k < transported, exponential);
            let name = format!("concentration {name}");
            let op = graph.add(build::single(name.clone(), step), |_, _| name.clone());
            all.concentration[k] = Some(graph.ops[op].epilogue.outputs[0]);
            needs.concentration = false;
        }
        let step = species(graph, k, needs, formation, k < transported, exponential);
        let kinds = kinds(needs);
        let op = graph.add(build::single(format!("species {name}"), step), |_, n| format!("{} {name}", kinds[n]));
        let mut outputs = graph.ops[op].epilogue.outputs.iter().copied();
        let mut take = |needed: bool| if needed { outputs.next() } else { None };
        if needs.concentration {
            all.concentration[k] = take(true);
        }
        all.constant[k] = take(needs.constant);
        all.inverse[k] = take(needs.inverse);
        all.activity[k] = take(needs.activity);
    }
    all
}

fn kinds(needs: Needs) -> Vec<&'static str> {
    let all = [
        (needs.concentration, "concentration"),
        (needs.constant, "equilibrium"),
        (needs.inverse, "inverse equilibrium"),
        (needs.activity, "activity"),
    ];
    all.into_iter().filter_map(|(needed, name)| needed.then_some(name)).collect()
}

/// Concentration, equilibrium constant and activity of one species, as far as they are read.
fn species(
    graph: &mut Graph,
    k: SpeciesIndex,
    needs: Needs,
    formation: &FormationConstants,
    transported: bool,
    exponential: Exponential,
) -> Step {
    let mut o = Operands::default();
    let concentration = (transported && (needs.concentration || needs.activity)).then(|| o.loaded(k));
    let mut values = Vec::new();
    values.extend(concentration.filter(|_| needs.concentration));
    if needs.constant || needs.activity {
        let lg = log2_constant(&mut o, &formation.species[k], if needs.constant { 1.0 } else { -1.0 });
        let b = &mut o.body;
        let inverse = if needs.constant && needs.activity {
            let (constant, inverse) = exponential.both(b, lg);
            values.push(constant);
            Some(inverse)
        } else {
            let power = exponential.power(b, lg);
            values.extend(needs.constant.then_some(power));
            needs.activity.then_some(power)
        };
        values.extend(inverse.filter(|_| needs.inverse));
        values.extend(inverse.map(|inverse| concentration.map_or(inverse, |c| b.mul(c, inverse))));
    }
    o.body.values = values;
    o.into_step(graph)
}

/// `sign` times the binary logarithm of K.
fn log2_constant(o: &mut Operands, function: &Piecewise, sign: f64) -> Id {
    let factor = sign * std::f64::consts::LOG2_E;
    let ranges = function.ranges.iter().map(|terms| terms.map(|c| factor * c)).collect();
    gibbs::value(o, &Piecewise { ranges, ends: function.ends.clone() })
}

/// The product of powers of values.
pub fn product(
    o: &mut Operands,
    first: Option<Id>,
    values: &[Option<Value>],
    side: &[(SpeciesIndex, f64)],
) -> Option<Id> {
    let mut result = first;
    for &(k, nu) in side {
        let value = o.input(values[k].expect("what a reaction reads of a species is made"));
        for _ in 0..nu as u32 {
            result = Some(result.map_or(value, |result| o.body.mul(result, value)));
        }
    }
    result
}

/// The rate that all of a reaction's rates share: k_f times the equilibrium constants of its reactants.
pub fn scaled_rate(o: &mut Operands, all: &Activities, r: &Reaction, forward: Id) -> Id {
    product(o, Some(forward), &all.constant, &r.reactants).unwrap_or(forward)
}

/// prod a over the reactants, where that is there already, less prod a over the products.
pub fn difference(o: &mut Operands, all: &Activities, r: &Reaction, ahead: Option<Id>) -> Id {
    let ahead = ahead.or_else(|| product(o, None, &all.activity, &r.reactants));
    let mut back: Vec<Id> = Vec::new();
    for &(k, nu) in &r.products {
        let activity = o.input(all.activity[k].expect("what a reaction reads of a species is made"));
        back.extend(std::iter::repeat_n(activity, nu as usize));
    }
    let ahead = ahead.unwrap_or_else(|| o.body.literal(1.0));
    let b = &mut o.body;
    match back[..] {
        [] => {
            let one = b.literal(1.0);
            b.sub(ahead, one)
        }
        [only] => b.sub(ahead, only),
        [first, ref rest @ .., last] => {
            let product = rest.iter().fold(first, |product, &a| b.mul(product, a));
            let minus = b.neg(product);
            b.fma(minus, last, ahead)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of one pressure and of two, whose sums are larger or smaller than each of their terms.
    #[test]
    fn the_range_of_a_table_holds_for_its_sums() {
        let term = |a: f64, e_over_r: f64| Arrhenius { a, b: 0.5, e_over_r };
        let large = vec![term(1e130, 0.0), term(1.1e130, 0.0), term(0.9e130, 0.0), term(0.0, 0.0)];
        let small = vec![term(1e-130, 9e3), term(1e-130, 9e3)];
        for table in [vec![(1e5, large.clone())], vec![(1e5, small.clone())], vec![(1e4, small), (1e5, large)]] {
            let range = rate_range(&Rate::Plog(table.clone())).expect("no term is negative");
            for (_, terms) in &table {
                for t in [200.0f64, 500.0, 1000.0, 4000.0] {
                    let sum: f64 = terms.iter().map(|k| k.a * t.powf(k.b) * (-k.e_over_r / t).exp()).sum();
                    assert!(sum.ln().abs() <= range * (1.0 + 1e-15), "{t} K: |ln| {} over {range}", sum.ln().abs());
                }
            }
        }
        let cancelling = vec![term(1.0, 0.0), term(-1.0 + 1e-12, 0.0)];
        assert_eq!(rate_range(&Rate::Plog(vec![(1e5, cancelling)])), None);
    }
}
