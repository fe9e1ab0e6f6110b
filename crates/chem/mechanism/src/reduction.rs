//! The published reduction of a mechanism: `QSSA … END` lists quasi-steady species, `STIFF … END` stiff ones
//! (Lu & Law, J. Phys. Chem. A 110 (2006) 13202; Lu, Law, Yoo & Chen, Combust. Flame 156 (2009) 1542).

use super::names::Names;
use super::report::Report;
use super::syntax::Word;
use super::{Collider, Rate, Reaction, Reduction, Species, SpeciesIndex};
use diagnostics::{Diagnostic, Source};
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// Reads the lists and checks them against the mechanism.
pub fn read(source: &Arc<Source>, species: &[Species], reactions: &[Reaction], report: &mut Report) -> Reduction {
    let names = Names::new(species.iter().map(|s| s.name.as_str()));
    let mut reduction = Reduction::default();
    let pairs = Grammar::parse(Rule::file, &source.text).expect("the grammar accepts every text");
    for pair in pairs.flat_map(Pair::into_inner) {
        match pair.as_rule() {
            Rule::list => list(source, pair, &names, &mut reduction, report),
            Rule::stray | Rule::end => {
                let word = word(source, &pair);
                let message = format!("'{}' stands outside the lists", word.text());
                report.error("reduction::stray", message, &word, "the file reads: QSSA names END STIFF names END");
            }
            _ => {}
        }
    }
    check_colliders(&reduction, species, reactions, report);
    check_exponents(&reduction, species, reactions, report);
    check_system(&reduction, species, reactions, report);
    if !reduction.qssa.is_empty() && reduction.qssa.len() == species.len() {
        let message = "every species is quasi-steady: none is left to transport";
        report.push(Diagnostic::error("reduction::nothing-left", message).help("shorten the QSSA list"));
    }
    reduction
}

fn list(source: &Arc<Source>, pair: Pair<'_, Rule>, names: &Names, reduction: &mut Reduction, report: &mut Report) {
    let whole = word(source, &pair);
    let mut stiff = false;
    let mut closed = false;
    for part in pair.into_inner() {
        let place = word(source, &part);
        match part.as_rule() {
            Rule::key => stiff = place.text().eq_ignore_ascii_case("STIFF"),
            Rule::end => closed = true,
            _ => entry(&place, stiff, names, reduction, report),
        }
    }
    if !closed {
        let key = Word { len: if stiff { 5 } else { 4 }, ..whole };
        let message = format!("the list {} is not closed", key.text());
        report.forgivable("reduction::unclosed", message, &key, "write END after its last species");
    }
}

fn entry(place: &Word, stiff: bool, names: &Names, reduction: &mut Reduction, report: &mut Report) {
    let name = place.text();
    let Some(k) = names.find(name) else {
        let message = format!("unknown species '{name}'");
        let help = names.suggestion(name, "declare it in SPECIES, or remove it here");
        report.error("reduction::unknown-species", message, place, help);
        return;
    };
    let (own, other) =
        if stiff { (&mut reduction.stiff, &reduction.qssa) } else { (&mut reduction.qssa, &reduction.stiff) };
    if own.contains(&k) {
        let message = format!("species '{name}' is listed twice");
        report.forgivable("reduction::repeated-species", message, place, "remove it once");
    } else if other.contains(&k) {
        let message = format!("species '{name}' is both quasi-steady and stiff");
        report.error(
            "reduction::qssa-and-stiff",
            message,
            place,
            "a quasi-steady species is not integrated: remove one",
        );
    } else {
        own.push(k);
    }
}

/// A quasi-steady species has no concentration of its own that a third body could count.
fn check_colliders(reduction: &Reduction, species: &[Species], reactions: &[Reaction], report: &mut Report) {
    for r in reactions {
        let of_rate = match &r.rate {
            Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
            _ => None,
        };
        for collider in r.third_body.iter().chain(of_rate) {
            if let Collider::Species(k) = collider
                && reduction.qssa.contains(k)
            {
                let message = format!("the quasi-steady species '{}' is the only collider here", species[*k].name);
                report.push(
                    Diagnostic::error("reduction::collider", message)
                        .at(r.span.clone())
                        .help("remove the species from the QSSA list"),
                );
            }
        }
    }
}

/// Without a direction that consumes a species linearly its balance determines nothing: the system is singular.
fn check_system(reduction: &Reduction, species: &[Species], reactions: &[Reaction], report: &mut Report) {
    for &k in &reduction.qssa {
        let alone = |side: &Vec<(SpeciesIndex, f64)>| {
            let mut listed = side.iter().filter(|(j, _)| reduction.qssa.contains(j));
            listed.next() == Some(&(k, 1.0)) && listed.next().is_none()
        };
        let consumed = |r: &Reaction| alone(&r.reactants) || r.is_reversible() && alone(&r.products);
        if !reactions.iter().any(consumed) {
            let message = format!("no reaction consumes the quasi-steady species '{}' linearly", species[k].name);
            report.push(
                Diagnostic::error("reduction::singular", message)
                    .help("its concentration cannot be solved for: remove it from the QSSA list"),
            );
        }
    }
}

/// The linear system needs rates that are linear in a quasi-steady species; twice the power is dropped by the method, and
/// anything else is an error.
fn check_exponents(reduction: &Reduction, species: &[Species], reactions: &[Reaction], report: &mut Report) {
    let quasi_steady = |k: &SpeciesIndex| reduction.qssa.contains(k);
    for r in reactions {
        let ordered = r.forward_orders.iter().chain(&r.reverse_orders).find(|(k, _)| quasi_steady(k));
        let sides = [Some(&r.reactants), r.is_reversible().then_some(&r.products)];
        let fraction = sides.into_iter().flatten().flatten().find(|(k, nu)| quasi_steady(k) && *nu < 1.0);
        let mut all = r.reactants.iter().chain(&r.products);
        if let Some((k, nu)) = all.find(|(k, nu)| reduction.stiff.contains(k) && nu.fract() != 0.0) {
            let message = format!("the stiff species '{}' reacts with the coefficient {nu}", species[*k].name);
            report.push(
                Diagnostic::error("reduction::not-whole", message)
                    .at(r.span.clone())
                    .help("its rates are scaled once for each molecule: remove it from the STIFF list"),
            );
        }
        if let Some(&(k, power)) = ordered.or(fraction) {
            let name = &species[k].name;
            let message = format!("the rate depends on the quasi-steady species '{name}' with the power {power}");
            report.push(
                Diagnostic::error("reduction::not-linear", message)
                    .at(r.span.clone())
                    .help("a quasi-steady species reacts with the power 1: remove it from the QSSA list"),
            );
        }
    }
}

fn word<'a>(source: &'a Arc<Source>, pair: &Pair<'_, Rule>) -> Word<'a> {
    let span = pair.as_span();
    Word { source, offset: span.start(), len: span.end() - span.start() }
}

#[derive(pest_derive::Parser)]
#[grammar = "reduction.pest"]
struct Grammar;
