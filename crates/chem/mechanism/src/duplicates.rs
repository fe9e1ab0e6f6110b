//! Reactions that repeat others without a mark.

use super::report::{Report, brief};
use super::{Blending, Collider, Rate, Reaction, Reverse, SpeciesIndex};
use diagnostics::{Diagnostic, Source};
use std::collections::HashMap;
use std::sync::Arc;

/// Reports reactions that agree in species, third body and form of the rate but are not all marked DUPLICATE. A mark of a reaction that no other
/// equals means nothing, and is taken away with a warning.
pub fn check(reactions: &mut [Reaction], species_count: usize, report: &mut Report) {
    for lone in judge(reactions, species_count, report) {
        reactions[lone].duplicate = false;
    }
}

/// The reactions that are marked alone.
fn judge(reactions: &[Reaction], species_count: usize, report: &mut Report) -> Vec<usize> {
    let mut marked_alone = Vec::new();
    let lines = LineNumbers::new(reactions);
    let mut groups: HashMap<Key, Vec<usize>> = HashMap::new();
    for (i, reaction) in reactions.iter().enumerate() {
        groups.entry(Key::new(reaction)).or_default().push(i);
    }
    for (i, reaction) in reactions.iter().enumerate() {
        let group = groups[&Key::new(reaction)].iter().take(MOST_PARTNERS).copied();
        let mut partners = group.filter(|&j| j != i && overlap(reaction, &reactions[j], species_count));
        if reaction.duplicate {
            if partners.next().is_none() {
                let message =
                    format!("no other reaction equals '{}', which is marked DUPLICATE", brief(&reaction.equation));
                let diagnostic = Diagnostic::warning("mechanism::lone-duplicate", message).at(reaction.span.clone());
                report.push(diagnostic.help("remove DUPLICATE, or look for a typing error"));
                marked_alone.push(i);
            }
            continue;
        }
        // If two reactions are unmarked, the later one is reported, with the lines of all before it.
        let form = form(reaction);
        let repeated: Vec<usize> = partners
            .filter(|&j| self::form(&reactions[j]) == form && (j < i || reactions[j].duplicate))
            .take(MOST_LINES)
            .collect();
        let Some(&first) = repeated.first() else { continue };
        let others: Vec<String> = repeated.iter().map(|&j| lines.line(&reactions[j]).to_string()).collect();
        let message = format!(
            "line {} repeats the reaction '{}' of line{} {}, and not {} are marked DUPLICATE",
            lines.line(reaction),
            brief(&reactions[first].equation),
            if others.len() == 1 { "" } else { "s" },
            others.join(", "),
            if others.len() == 1 { "both" } else { "all" },
        );
        let diagnostic = Diagnostic::error("mechanism::undeclared-duplicate", message).at(reaction.span.clone());
        report.push(diagnostic.help("remove what is repeated, or write DUPLICATE below each"));
    }
    marked_alone
}

/// Lines that one message names.
const MOST_LINES: usize = 10;

/// Reactions that a reaction is compared with: thousands of one equation are no mechanism, and would take quadratic time.
const MOST_PARTNERS: usize = 1000;

/// Properties that make two reactions the same up to direction: species, coefficients and the kind of third body.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    sides: [Vec<(SpeciesIndex, u64)>; 2],
    /// Whether it is in parentheses, and the species when it is one.
    third_body: Option<(bool, Option<SpeciesIndex>)>,
}

impl Key {
    fn new(reaction: &Reaction) -> Self {
        let side = |terms: &[(SpeciesIndex, f64)]| {
            let mut side: Vec<_> = terms.iter().map(|(species, nu)| (*species, nu.to_bits())).collect();
            side.sort_unstable();
            side
        };
        let mut sides = [side(&reaction.reactants), side(&reaction.products)];
        sides.sort_unstable();
        let collider = |falloff: bool, collider: &Collider| match collider {
            Collider::Mixture(_) => (falloff, None),
            Collider::Species(species) => (falloff, Some(*species)),
        };
        let third_body = match (&reaction.rate, &reaction.third_body) {
            (Rate::Falloff { collider: c, .. } | Rate::ChemicallyActivated { collider: c, .. }, _) => {
                Some(collider(true, c))
            }
            (_, Some(c)) => Some(collider(false, c)),
            _ => None,
        };
        Self { sides, third_body }
    }
}

/// Reactions whose rates have different forms add up without being marked, as in Cantera: a tabulated rate beside an
/// Arrhenius expression is no oversight.
fn form(reaction: &Reaction) -> &'static str {
    let blending = match &reaction.rate {
        Rate::Arrhenius(_) | Rate::LandauTeller(..) => return "Arrhenius",
        Rate::Plog(_) => return "PLOG",
        Rate::Chebyshev(_) => return "CHEB",
        Rate::LinearBurke(_) => return "linear-Burke",
        Rate::Falloff { blending, .. } | Rate::ChemicallyActivated { blending, .. } => blending,
    };
    match (blending, matches!(reaction.rate, Rate::Falloff { .. })) {
        (Blending::Lindemann, true) => "LOW",
        (Blending::Troe { .. }, true) => "LOW, TROE",
        (Blending::Sri { .. }, true) => "LOW, SRI",
        (Blending::Lindemann, false) => "HIGH",
        (Blending::Troe { .. }, false) => "HIGH, TROE",
        (Blending::Sri { .. }, false) => "HIGH, SRI",
    }
}

/// Whether two reactions with the same key share a direction and a collider.
fn overlap(a: &Reaction, b: &Reaction, species_count: usize) -> bool {
    let both_irreversible = a.reverse == Reverse::Irreversible && b.reverse == Reverse::Irreversible;
    if both_irreversible && !same_side(&a.reactants, &b.reactants) {
        return false;
    }
    let none: &[(SpeciesIndex, f64)] = &[];
    let (a, b) = (efficiencies(a).unwrap_or(none), efficiencies(b).unwrap_or(none));
    let acts = |list: &[(SpeciesIndex, f64)], species| list.iter().all(|(s, alpha)| *s != species || *alpha != 0.0);
    // Species outside both lists act in both; the lists alone decide only when they name every species.
    a.len() + b.len() < species_count || (0..species_count).any(|species| acts(a, species) && acts(b, species))
}

fn efficiencies(reaction: &Reaction) -> Option<&[(SpeciesIndex, f64)]> {
    let collider = match &reaction.rate {
        Rate::Falloff { collider, .. } | Rate::ChemicallyActivated { collider, .. } => Some(collider),
        _ => reaction.third_body.as_ref(),
    };
    match collider? {
        Collider::Mixture(efficiencies) => Some(efficiencies),
        Collider::Species(_) => None,
    }
}

fn same_side(a: &[(SpeciesIndex, f64)], b: &[(SpeciesIndex, f64)]) -> bool {
    a.len() == b.len() && a.iter().all(|term| b.contains(term))
}

/// Line numbers of reactions without a scan of the text for each: where the lines of each source end.
struct LineNumbers(Vec<(Arc<Source>, Vec<usize>)>);

impl LineNumbers {
    fn new(reactions: &[Reaction]) -> Self {
        let mut sources: Vec<(Arc<Source>, Vec<usize>)> = Vec::new();
        for source in reactions.iter().map(|reaction| &reaction.span.source) {
            if sources.iter().all(|(known, _)| !Arc::ptr_eq(known, source)) {
                let ends = source.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i);
                sources.push((Arc::clone(source), ends.collect()));
            }
        }
        Self(sources)
    }

    fn line(&self, reaction: &Reaction) -> usize {
        let ends = self.0.iter().find(|(source, _)| Arc::ptr_eq(source, &reaction.span.source));
        1 + ends.map_or(0, |(_, ends)| ends.partition_point(|&newline| newline < reaction.span.offset))
    }
}
