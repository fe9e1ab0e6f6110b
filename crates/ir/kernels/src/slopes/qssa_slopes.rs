//! Quasi-steady species in derivatives. Their concentrations x follow from those of the others, F(x, z) = 0 for their net rates F; with
//! derivatives at constant x beside those by x, the whole derivative of another species' net rate w is
//!
//! dw/dz = w_z - w_x (F_x)^-1 F_z
//!
//! (Lu & Law, J. Phys. Chem. A 110 (2006) 13202, for F). F_x is eliminated here, one species after the other in an order of least fill-in,
//! from sums that are not yet formed: a row that reacts with the species gets the species' row with a factor.

use std::collections::{BTreeMap, BTreeSet};

use super::reaction_slopes::By;
use super::terms::{Factor, Terms, summed, term};
use crate::build::{self, Operands, single};
use crate::chemistry::{qssa, split};
use crate::elimination::{Measure, Pattern, order};
use crate::rates::plan::Plan;
use crate::rates::sources::Sources;
use graph::dataflow::{Graph, Operation, Value};
use kinetics::qssa::SMALL;
use mechanism::{Mechanism, SpeciesIndex};

/// Solves for the quasi-steady concentrations. Reactions that read the sources from then on react with these.
pub fn solve(graph: &mut Graph, mechanism: &Mechanism, plans: &[Plan], sources: &mut Sources<'_>) {
    if mechanism.quasi_steady().is_empty() {
        return;
    }
    let reactions = mechanism.reactions.iter().zip(plans).enumerate();
    let rates: Vec<_> = reactions.map(|(i, (r, plan))| split::unscaled(graph, i, r, plan, sources)).collect();
    let solved = qssa::add(graph, mechanism, plans, &rates);
    for (&k, value) in mechanism.quasi_steady().iter().zip(solved) {
        sources.concentrations[k] = Some(value);
        let Some(log_space) = &mut sources.log_space else { continue };
        let Some(of_one) = log_space.activities.activity[k] else { continue };
        let mut o = Operands::default();
        let (concentration, of_one) = (o.input(value), o.input(of_one));
        o.body.values = vec![o.body.mul(concentration, of_one)];
        let step = o.into_step(graph);
        let name = format!("activity {}", mechanism.species[k].name);
        let op = graph.add(single(name.clone(), step), |_, _| name.clone());
        log_space.activities.activity[k] = Some(graph.ops[op].epilogue.outputs[0]);
    }
    sources.transported = mechanism.species.len();
}

/// Whether a derivative is by the concentration of a species, at whatever unit.
pub fn is_by(by: By, k: SpeciesIndex) -> bool {
    by == By::Concentration(k) || by == By::Activity(k)
}

/// Takes the quasi-steady species' rows and the derivatives by them out of the terms. `inverse` has 1/K by species. Net rates are not
/// changed: those of quasi-steady species are zero.
pub fn eliminate(graph: &mut Graph, mechanism: &Mechanism, inverse: &[Option<Value>], terms: &mut Terms) {
    for p in elimination_order(mechanism, terms) {
        let name = &mechanism.species[p].name;
        let own: Vec<By> = of_row(terms, p).filter(|by| !is_by(*by, p) && *by != By::Nothing).collect();
        let readers = readers(terms, p);
        let destruction = by_species(graph, terms, inverse, p, p, format!("destruction of {name}"), |o, slope| {
            let minus = o.body.neg(slope);
            let (one, small) = (o.body.literal(1.0), o.body.literal(SMALL));
            let floored = o.body.max(minus, small);
            o.body.div(one, floored)
        });
        let rows: Vec<(By, Value)> =
            own.into_iter().map(|by| (by, summed(graph, &terms[&(p, by)], format!("{name} by {by:?}")))).collect();
        for row in readers {
            let Some(destruction) = destruction else { continue };
            let of = format!("{} by {name} over destruction", mechanism.species[row].name);
            let factor = by_species(graph, terms, inverse, row, p, of, |o, slope| {
                let destruction = o.input(destruction);
                o.body.mul(slope, destruction)
            });
            let Some(factor) = factor else { continue };
            for &(by, value) in &rows {
                terms.entry((row, by)).or_default().push((value, Factor::Value(factor)));
            }
        }
        terms.retain(|&(row, by), _| row != p && !is_by(by, p));
    }
}

/// Returns the variables of a row's derivatives.
fn of_row(terms: &Terms, row: usize) -> impl Iterator<Item = By> + '_ {
    terms.range((row, By::Nothing)..(row + 1, By::Nothing)).map(|(&(_, by), _)| by)
}

/// The other rows that react with a species.
fn readers(terms: &Terms, p: SpeciesIndex) -> BTreeSet<usize> {
    terms.keys().filter(|&&(row, by)| row != p && is_by(by, p)).map(|&(row, _)| row).collect()
}

/// The quasi-steady species in the order of fewest products. Rows are unknowns, and so is each variable that is not of these species.
fn elimination_order(mechanism: &Mechanism, terms: &Terms) -> Vec<SpeciesIndex> {
    let list = mechanism.quasi_steady();
    let own = |by: By| match by {
        By::Concentration(k) | By::Activity(k) => list.contains(&k).then_some(k),
        _ => None,
    };
    let others: BTreeSet<By> = terms.keys().map(|&(_, by)| by).filter(|by| own(*by).is_none()).collect();
    let rows = mechanism.species.len() + 1;
    let numbers: BTreeMap<By, usize> = others.into_iter().zip(rows..).collect();
    let size = rows + numbers.len();
    let entries = terms.keys().map(|&(row, by)| (row, own(by).unwrap_or_else(|| numbers[&by])));
    let last: Vec<usize> = (0..size).filter(|unknown| !list.contains(unknown)).collect();
    let mut order = order(&Pattern::new(size, entries), &last, Measure::Products);
    order.truncate(list.len());
    order
}

/// Applies `finish` to a row's derivative by the concentration of a species, if it has one.
fn by_species(
    graph: &mut Graph,
    terms: &Terms,
    inverse: &[Option<Value>],
    row: usize,
    k: SpeciesIndex,
    name: String,
    finish: impl FnOnce(&mut Operands, u32) -> u32,
) -> Option<Value> {
    let of = |by: By| terms.get(&(row, by)).map_or(&[][..], Vec::as_slice);
    let (plain, scaled) = (of(By::Concentration(k)), of(By::Activity(k)));
    let states = u32::from(!plain.is_empty()) + u32::from(!scaled.is_empty());
    if states == 0 {
        return None;
    }
    let first = plain.iter().map(|_| 0).chain(scaled.iter().map(|_| states - 1));
    let all = first.zip(plain.iter().chain(scaled));
    let iterations = all.map(|(sum, &(value, factor))| term(graph, sum, states, value, factor)).collect();
    let mut o = Operands::default();
    let mut slope = (!plain.is_empty()).then(|| o.body.state(0));
    if let (false, Some(inverse)) = (scaled.is_empty(), inverse[k]) {
        let (inverse, sum) = (o.input(inverse), o.body.state(states - 1));
        slope = Some(match slope {
            Some(slope) => o.body.fma(sum, inverse, slope),
            None => o.body.mul(sum, inverse),
        });
    }
    let value = finish(&mut o, slope?);
    o.body.values = vec![value];
    let (epilogue, prologue) = (o.into_step(graph), Some(build::empty_sums(graph, states as usize)));
    let operation = Operation { name: name.clone(), states, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, _| name.clone());
    Some(graph.ops[op].epilogue.outputs[0])
}
