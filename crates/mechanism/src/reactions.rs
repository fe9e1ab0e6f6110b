//! All reactions of a file, and the checks on them: element balance and undeclared duplicates.

use super::auxiliary::{self, RawRate, report_number, report_unit};
use super::equation;
use super::names::Names;
use super::rate::Parts;
use super::report::{Report, brief};
use super::syntax::{File, ReactionLines};
use super::units::Units;
use super::{Collider, Element, Rate, Reaction, Reverse, Species, SpeciesIndex, number};
use diagnostics::{Diagnostic, Source};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Reads every reaction; those with errors are left out.
pub fn read(file: &File, names: &Names, report: &mut Report) -> Vec<Reaction> {
    let mut reactions = Vec::new();
    for section in &file.reactions {
        let mut units = Units::DEFAULT;
        for word in &section.units {
            if !units.apply(word.text()) {
                report_unit(word, report);
            }
        }
        reactions.extend(section.reactions.iter().filter_map(|lines| reaction(lines, names, units, report)));
    }
    reactions
}

/// Reports reactions that create or destroy atoms; more than 1e-3 of an atom counts.
pub fn check_balance(reactions: &[Reaction], species: &[Species], elements: &[Element], report: &mut Report) {
    for reaction in reactions {
        let mut atoms: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (index, nu) in &reaction.reactants {
            let composition = species[*index].composition.iter();
            composition.for_each(|(element, count)| atoms.entry(*element).or_default().0 += nu * count);
        }
        for (index, nu) in &reaction.products {
            let composition = species[*index].composition.iter();
            composition.for_each(|(element, count)| atoms.entry(*element).or_default().1 += nu * count);
        }
        let unbalanced: Vec<String> = (atoms.iter())
            .filter(|(_, (left, right))| (left - right).abs() > 1e-3)
            .map(|(element, (left, right))| {
                format!("{} {} -> {}", elements[*element].symbol, short(*left), short(*right))
            })
            .collect();
        if !unbalanced.is_empty() {
            let message =
                format!("the reaction '{}' is not balanced: {}", brief(&reaction.equation), unbalanced.join(", "));
            let diagnostic = Diagnostic::error("mechanism::unbalanced", message).at(reaction.span.clone());
            report.push(diagnostic.help("check the coefficients, and the compositions in the thermo data"));
        }
    }
}

/// Reports reactions that agree in species and third body but are not all marked DUPLICATE.
pub fn check_duplicates(reactions: &[Reaction], species_count: usize, report: &mut Report) {
    let lines = LineNumbers::new(reactions);
    let mut groups: HashMap<Key, Vec<usize>> = HashMap::new();
    for (i, reaction) in reactions.iter().enumerate() {
        groups.entry(Key::new(reaction)).or_default().push(i);
    }
    for (i, reaction) in reactions.iter().enumerate() {
        let group = &groups[&Key::new(reaction)];
        let mut partners = group
            .iter()
            .take(MOST_PARTNERS)
            .copied()
            .filter(|&j| j != i && overlap(reaction, &reactions[j], species_count));
        if reaction.duplicate {
            if partners.next().is_none() {
                let message =
                    format!("no other reaction equals '{}', which is marked DUPLICATE", brief(&reaction.equation));
                let diagnostic = Diagnostic::warning("mechanism::lone-duplicate", message).at(reaction.span.clone());
                report.push(diagnostic.help("remove DUPLICATE, or look for a typing error"));
            }
            continue;
        }
        // Of two unmarked reactions the later one is reported, once, with the line of the first.
        let Some(first) = partners.find(|&j| j < i || reactions[j].duplicate) else { continue };
        let message = format!(
            "line {} repeats the reaction '{}' of line {}, and not both are marked DUPLICATE",
            lines.of(reaction),
            brief(&reactions[first].equation),
            lines.of(&reactions[first]),
        );
        let diagnostic = Diagnostic::error("mechanism::undeclared-duplicate", message).at(reaction.span.clone());
        report.push(diagnostic.help("remove one of the two, or write DUPLICATE below both"));
    }
}

/// Reactions that a reaction is compared with: thousands of one equation are no mechanism, and would take quadratic time.
const MOST_PARTNERS: usize = 1000;

fn reaction(lines: &ReactionLines, names: &Names, units: Units, report: &mut Report) -> Option<Reaction> {
    let words = &lines.words;
    let place = words.first()?.to(words.last()?);
    let arrow = words.iter().rposition(|word| word.text().contains('='))?;
    let split = words.len().saturating_sub(3);
    // Read both even when the equation is wrong: every problem is reported.
    let auxiliary = auxiliary::read(&lines.auxiliary, names, units, report);
    if split <= arrow {
        let message = format!("the reaction '{}' lacks some of the numbers A, b and E", brief(place.text()));
        report.error("mechanism::rate-numbers", message, &place, "write three numbers behind the equation");
        return None;
    }
    let (equation, numbers) = words.split_at(split);
    let last = &equation[equation.len() - 1];
    if equation.len() > arrow + 1 && number::parse(last.text()).is_some() && names.find(last.text()).is_none() {
        let message = format!("the reaction '{}' has more numbers than A, b and E", brief(place.text()));
        report.error("mechanism::rate-numbers", message, &place, "write three numbers behind the equation");
        return None;
    }
    let equation = equation::parse(equation, names, report);
    let values: Vec<_> = numbers.iter().map(|word| (word, number::parse(word.text()))).collect();
    for (word, _) in values.iter().filter(|(_, value)| value.is_none()) {
        report_number(word, report);
    }
    let numbers = match values.as_slice() {
        &[(a, Some(_)), (_, Some(b)), (_, Some(e))] => RawRate { a: *a, b, e, units: None },
        _ => return None,
    };
    let (auxiliary, equation) = (auxiliary?, equation?);
    let units = auxiliary.units.unwrap_or(units);
    Parts { equation, numbers, auxiliary, units, place, report }.combine()
}

/// What makes two reactions the same up to direction: species, coefficients and the kind of third body.
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

fn short(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
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

    fn of(&self, reaction: &Reaction) -> usize {
        let ends = self.0.iter().find(|(source, _)| Arc::ptr_eq(source, &reaction.span.source));
        1 + ends.map_or(0, |(_, ends)| ends.partition_point(|&newline| newline < reaction.span.offset))
    }
}
