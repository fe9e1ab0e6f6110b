//! Reactions with M beside the same ones with a named collider, which then counts twice.

use crate::report::{Report, brief};
use crate::{Collider, Reaction, SpeciesIndex};
use diagnostics::Diagnostic;
use std::collections::HashMap;

/// Treatment of such a pair, by the names of Cantera's `explicit-third-body-duplicates`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Warn,
    Error,
    MarkDuplicate,
    ModifyEfficiency,
}

/// Applies the rule to every reaction whose named collider also counts in a reaction with M.
pub fn check(rule: Rule, reactions: &mut [Reaction], report: &mut Report) {
    let mut with_m: HashMap<Sides, Vec<usize>> = HashMap::new();
    for (i, reaction) in reactions.iter().enumerate().filter(|(_, r)| r.third_body.is_some()) {
        with_m.entry(sides(reaction, None)).or_default().push(i);
    }
    for i in 0..reactions.len() {
        let Some(collider) = collider(&reactions[i]) else { continue };
        let Some(general) = with_m.get(&sides(&reactions[i], Some(collider))) else { continue };
        for &j in general {
            let (named, general) = (reactions[i].clone(), &mut reactions[j]);
            let Some(Collider::Mixture(efficiencies)) = &mut general.third_body else { continue };
            let own = efficiencies.iter_mut().find(|(species, _)| *species == collider);
            if own.as_ref().is_some_and(|(_, alpha)| *alpha == 0.0) || (named.duplicate && general.duplicate) {
                continue;
            }
            match rule {
                Rule::MarkDuplicate => {}
                Rule::ModifyEfficiency => {
                    match own {
                        Some((_, alpha)) => *alpha = 0.0,
                        None => efficiencies.push((collider, 0.0)),
                    }
                    efficiencies.sort_unstable_by_key(|(species, _)| *species);
                }
                Rule::Warn | Rule::Error => {
                    let severity = if rule == Rule::Error { Diagnostic::error } else { Diagnostic::warning };
                    let (one, other) = (brief(&named.equation), brief(&general.equation));
                    let message = format!("the collider of '{one}' also counts in '{other}'");
                    let help = "give it the efficiency 0 there, or mark both as duplicates if it is meant";
                    report.push(severity("mechanism::explicit-collider", message).at(named.span.clone()).help(help));
                }
            }
        }
    }
}

/// Reactants and products, sorted; coefficients as bits.
type Sides = [Vec<(SpeciesIndex, u64)>; 2];

/// Both sides without one molecule of the collider; a reversible reaction is the same in both directions.
fn sides(reaction: &Reaction, collider: Option<SpeciesIndex>) -> Sides {
    let mut sides = [&reaction.reactants, &reaction.products].map(|side| {
        let left = side.iter().map(|(species, nu)| (*species, nu - f64::from(Some(*species) == collider)));
        let mut left: Vec<_> = left.filter(|(_, nu)| *nu != 0.0).map(|(species, nu)| (species, nu.to_bits())).collect();
        left.sort_unstable();
        left
    });
    if reaction.is_reversible() {
        sides.sort_unstable();
    }
    sides
}

/// The only species on both sides of an ordinary reaction of whole coefficients, three on one of its sides.
fn collider(reaction: &Reaction) -> Option<SpeciesIndex> {
    let terms = [&reaction.reactants, &reaction.products];
    let whole = terms.iter().all(|side| side.iter().all(|(_, nu)| nu.fract() == 0.0));
    let three = terms.iter().any(|side| side.iter().map(|(_, nu)| nu).sum::<f64>() == 3.0);
    let mut common = reaction.reactants.iter().filter(|(k, _)| reaction.products.iter().any(|(j, _)| j == k));
    let found = common.next().map(|(species, _)| *species);
    found.filter(|_| whole && three && reaction.third_body.is_none() && common.next().is_none())
}
