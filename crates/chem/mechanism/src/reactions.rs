//! All reactions of a file, and whether they conserve the elements.

use super::auxiliary::{self, Auxiliary, RawRate, report_number, report_unit};
use super::equation::{self, Equation};
use super::names::Names;
use super::rate::Parts;
use super::report::{Report, brief};
use super::syntax::{File, ReactionLines, Word};
use super::units::Units;
use super::{Element, Reaction, Species, SpeciesIndex, number};
use diagnostics::Diagnostic;
use std::collections::BTreeMap;

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
    let words = without_text(words, arrow, names, report)?;
    let (equation, numbers) = words.split_at(words.len() - 3);
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
    warn_of_foreign_orders(&auxiliary, &equation, names, report);
    let units = auxiliary.units.unwrap_or(units);
    Parts { equation, numbers, auxiliary, units, place, report }.combine()
}

/// The words of a reaction up to its three numbers; text behind them is told, and absent after an error.
fn without_text<'w, 'a>(
    words: &'w [Word<'a>],
    arrow: usize,
    names: &Names,
    report: &mut Report,
) -> Option<&'w [Word<'a>]> {
    let is_number = |word: &Word| number::parse(word.text()).is_some() && names.find(word.text()).is_none();
    let begin = (arrow + 1..words.len() - 3).find(|&i| words[i..i + 3].iter().all(is_number));
    let text = begin.map_or(&[][..], |begin| &words[begin + 3..]);
    let (Some(begin), Some(first), Some(last)) = (begin, text.iter().find(|word| !is_number(word)), text.last()) else {
        return Some(words);
    };
    let message = format!("'{}' is a word too many behind the numbers A, b and E", first.text());
    let help = "write remarks behind !";
    report.forgivable("mechanism::trailing-text", message, &text[0].to(last), help);
    report.is_permissive().then(|| &words[..begin + 3])
}

/// An order of a species that does not react in this direction is legal, and mostly a typing error.
fn warn_of_foreign_orders(auxiliary: &Auxiliary, equation: &Equation, names: &Names, report: &mut Report) {
    let directions = [
        (&auxiliary.forward_orders, &equation.reactants, "reactant"),
        (&auxiliary.reverse_orders, &equation.products, "product"),
    ];
    for (orders, terms, role) in directions {
        let takes_part = |species: SpeciesIndex| terms.iter().any(|(term, _)| *term == species);
        for order in orders.iter().filter(|given| !takes_part(given.value.0)) {
            let message = format!("an order is given for '{}', which is no {role}", names.name(order.value.0));
            let help = "nothing, if it is meant: its concentration joins the product";
            report.warning("mechanism::foreign-order", message, &order.place, help);
        }
    }
}

fn short(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}
