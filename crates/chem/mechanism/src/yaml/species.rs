//! The entries of species: composition, thermo and transport data.

use super::fields::{missing, number};
use super::phase::Listed;
use super::tree::Node;
use super::{keys, thermo, transport};
use crate::geometry;
use crate::names::Names;
use crate::report::Report;
use crate::syntax::Word;
use crate::thermo::{check_ranges, is_possible};
use crate::{Element, Polynomials, Species};

/// Whether all species need transport data, since some have them: as with CHEMKIN files. Where a phase asks for no transport and some
/// species lack data, those of the others are left out.
pub fn are_described(phase: &Node, listed: &[Listed], report: &mut Report) -> bool {
    let has = |species: &&Listed| species.entry.is_some_and(|entry| entry.get("transport").is_some());
    let described = listed.iter().filter(has).count();
    let asked = phase.get("transport").is_some_and(|model| model.place.text() != "none");
    if let (Some(lacking), 1.., false) = (listed.iter().find(|species| !has(species)), described, asked) {
        let (count, all) = (listed.len() - described, listed.len());
        let message =
            format!("{count} of the {all} species have no transport data, and the phase asks for no transport");
        let help =
            "there are no transport kernels: complete the data, and write transport: mixture-averaged into the phase";
        report.warning("transport::missing-species", message, &lacking.name, help);
        return false;
    }
    described > 0
}

/// The data of all declared species, with transport data where they are `described`. Those without complete data are reported and absent.
pub fn assemble(
    declared: &[Word],
    elements: &[Element],
    listed: &[Listed],
    described: bool,
    report: &mut Report,
) -> Vec<Option<Species>> {
    let names = Names::new(listed.iter().map(|species| species.name.text()));
    let symbols = Names::new(elements.iter().map(|element| element.symbol.as_str()));
    let found = |word: &Word| names.find(word.text()).map(|i| &listed[i]);
    let mut pressures: Vec<(&Word, f64)> = Vec::new();
    let species = declared.iter().map(|word| {
        let listed = found(word)?;
        let entry = listed.entry?;
        keys::misspelt(entry, &keys::SPECIES, report);
        let system = listed.system.apply(entry.get("units"), report);
        pressures.push((word, thermo::reference_pressure(entry, system)));
        let composition = composition(entry, word.text(), &symbols, report);
        let mut thermo = thermo::read(entry, system, report);
        if let Some(Polynomials::Nasa7(nasa)) = &mut thermo {
            check_ranges(nasa, &listed.name, report);
        }
        let transport = if described { transport::read(entry, word, report).map(Some) } else { Some(None) };
        let (composition, thermo, mut transport) = (composition?, thermo?, transport?);
        let weight: f64 = composition.iter().map(|(element, count)| count * elements[*element].weight).sum();
        if weight <= 0.0 {
            let message = format!("species '{}' has no atoms", word.text());
            report.error("thermo::composition", message, word, "check its composition");
            return None;
        }
        let shape = entry.get("transport").and_then(|given| given.get("geometry"));
        if let (Some(transport), Some(shape)) = (&mut transport, shape) {
            let (name, given) = (word.text(), transport.geometry);
            transport.geometry = geometry::checked(name, given, &composition, elements, &shape.place, report);
        }
        Some(Species { name: word.text().to_owned(), composition, weight, thermo, transport })
    });
    let species = species.collect();
    same_reference_pressure(&pressures, report);
    species
}

/// Reports the first species whose entropies are given for another pressure than those of the species before it.
fn same_reference_pressure(pressures: &[(&Word, f64)], report: &mut Report) {
    let Some((first, pressure)) = pressures.first() else { return };
    let differs = |(_, other): &&(&Word, f64)| (other / pressure - 1.0).abs() > 1e-12;
    if let Some((word, other)) = pressures.iter().find(differs) {
        let message = format!(
            "the reference pressure of species '{}' is {other} Pa, that of '{}' {pressure} Pa",
            word.text(),
            first.text()
        );
        let help = "give all species one reference-pressure, or have entropies converted to 1 atm";
        report.forgivable("thermo::reference-pressure", message, word, help);
    }
}

/// The elements of which the species consist, in the order of their first occurrence.
pub fn elements_of<'a>(listed: &[Listed<'_, 'a>]) -> Vec<(Word<'a>, Option<Word<'a>>)> {
    let mut elements: Vec<(Word, Option<Word>)> = Vec::new();
    for (symbol, _) in atoms(listed).flatten() {
        if elements.iter().all(|(known, _)| known.text() != symbol.text()) {
            elements.push((*symbol, None));
        }
    }
    elements
}

/// Leaves out the species that contain other elements.
pub fn retain_declared(listed: &mut Vec<Listed>, elements: &[Element]) {
    let symbols = Names::new(elements.iter().map(|element| element.symbol.as_str()));
    let known: Vec<bool> =
        atoms(listed).map(|atoms| atoms.iter().all(|(symbol, _)| symbols.find(symbol.text()).is_some())).collect();
    let mut known = known.into_iter();
    listed.retain(|_| known.next().unwrap_or(true));
}

fn atoms<'l, 'd, 'a>(listed: &'l [Listed<'d, 'a>]) -> impl Iterator<Item = &'l [(Word<'a>, Node<'a>)]> {
    let composition = |species: &'l Listed<'d, 'a>| species.entry.and_then(|entry| entry.get("composition"));
    listed.iter().map(move |species| composition(species).map_or(&[][..], Node::entries))
}

fn composition(entry: &Node, name: &str, elements: &Names, report: &mut Report) -> Option<Vec<(usize, f64)>> {
    let Some(given) = entry.get("composition") else { return missing(entry, "composition", report) };
    let mut composition = Vec::new();
    for (symbol, count) in given.entries() {
        let Some(element) = elements.find(symbol.text()) else {
            let message = format!("the element '{}' is not declared", symbol.text());
            let help = elements.suggestion(symbol.text(), "declare it in the elements of the phase");
            report.error("thermo::undeclared-element", message, symbol, help);
            return None;
        };
        let count = number(count, report)?;
        if !is_possible(symbol, count, name, report) {
            return None;
        }
        if count != 0.0 {
            composition.push((element, count));
        }
    }
    Some(composition)
}
