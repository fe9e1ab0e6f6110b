//! Declared species with their thermo and transport data.

use super::geometry;
use super::names::Names;
use super::report::Report;
use super::syntax::Word;
use super::thermo::{Broken, Record, Records};
use super::transport::Entry;
use super::{Element, Polynomials, Species, Transport};
use diagnostics::is_invisible;
use std::sync::Arc;

/// Drops repeated declarations and names that CHEMKIN forbids, with a diagnostic for each.
pub fn declared<'a>(words: &[Word<'a>], report: &mut Report) -> Vec<Word<'a>> {
    let names = Names::new(words.iter().map(Word::text));
    let mut reported = vec![false; words.len()];
    let mut declared = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let name = word.text();
        // `find` folds the case only where no exact name exists, so this is the first exact occurrence.
        let first = names.find(name).unwrap_or(i);
        let alike = names.find_folded(name).unwrap_or(i);
        if name.contains('/') {
            let message = format!("'{name}' cannot be the name of a species");
            report.error("mechanism::species-name", message, word, "names hold no /; separate them by blanks");
        } else if let Some(c) = name.chars().find(|c| is_invisible(*c)) {
            let message =
                format!("the name of species '{name}' has a character that does not show (U+{:04X})", u32::from(c));
            report.error("mechanism::species-name", message, word, "type the name anew, without it");
        } else if first == i {
            declared.push(*word);
            if alike != i {
                let message =
                    format!("species '{name}' differs from '{}' only in the case of letters", names.name(alike));
                report.warning("mechanism::letter-case", message, word, "if the two are one species, write one name");
            }
        } else if !std::mem::replace(&mut reported[first], true) {
            let message = format!("multiple declarations for species '{name}'");
            report.warning("mechanism::repeated-species", message, word, "remove the later declarations");
        }
    }
    declared
}

/// A permissive reader leaves out the species whose only thermo entry cannot be parsed, with a warning; reactions that name
/// them are errors still.
pub fn without_broken<'a>(declared: Vec<Word<'a>>, thermo: &Records, report: &mut Report) -> Vec<Word<'a>> {
    if !report.is_permissive() || thermo.broken.is_empty() {
        return declared;
    }
    let records = Names::new(thermo.records.iter().map(Record::species));
    let broken = Names::new(thermo.broken.iter().map(Broken::species));
    let is_whole = |word: &Word| match broken.find(word.text()) {
        Some(found) if records.find(word.text()).is_none() => {
            thermo.broken[found].explain(report);
            false
        }
        _ => true,
    };
    declared.into_iter().filter(is_whole).collect()
}

/// The data of all declared species. Species without a complete record are reported and absent.
pub fn assemble(
    declared: &[Word],
    elements: &[Element],
    thermo: &Records,
    transport: Option<&[Entry]>,
    report: &mut Report,
) -> Vec<Option<Species>> {
    let data = Data {
        elements,
        element_names: Names::new(elements.iter().map(|element| element.symbol.as_str())),
        thermo,
        record_names: Names::new(thermo.records.iter().map(Record::species)),
        broken_names: Names::new(thermo.broken.iter().map(Broken::species)),
        transport,
        entry_names: Names::new(transport.unwrap_or(&[]).iter().map(|entry| entry.name.text())),
    };
    let names = Names::new(declared.iter().map(Word::text));
    data.warn_of_repetitions(&names, report);
    data.tell_lacking(declared, report);
    declared.iter().map(|word| data.species(word, report)).collect()
}

const ADD_ENTRY: &str = "add its entry to the thermo data";
const ADD_LINE: &str = "add its line to the transport data; chemistry alone needs none: --transport none";

/// Species without data that are named one by one; more have one cause.
const MOST_LACKING: usize = 10;

struct Data<'a> {
    elements: &'a [Element],
    element_names: Names,
    thermo: &'a Records<'a>,
    record_names: Names,
    broken_names: Names,
    transport: Option<&'a [Entry<'a>]>,
    entry_names: Names,
}

impl Data<'_> {
    fn species(&self, word: &Word, report: &mut Report) -> Option<Species> {
        let thermo = self.thermo(word, report);
        let transport = self.transport(word, report);
        let ((composition, thermo), mut transport) = (thermo?, transport?);
        let weight: f64 = composition.iter().map(|(element, count)| count * self.elements[*element].weight).sum();
        if weight <= 0.0 {
            let message = format!("species '{}' has no atoms", word.text());
            report.error("thermo::composition", message, word, "check its composition in the thermo data");
            return None;
        }
        if let (Some(transport), Some(entry)) = (&mut transport, self.entry(word)) {
            let (given, flag) = (transport.geometry, entry.flag());
            transport.geometry = geometry::checked(word.text(), given, &composition, self.elements, &flag, report);
        }
        Some(Species { name: word.text().to_owned(), composition, weight, thermo, transport })
    }

    fn thermo(&self, word: &Word, report: &mut Report) -> Option<(Vec<(usize, f64)>, Polynomials)> {
        let name = word.text();
        if let Some(found) = self.record_names.find(name) {
            let record = &self.thermo.records[found];
            let polynomials = record.polynomials(report);
            let composition = record.composition(&self.element_names, report);
            return Some((composition?, polynomials?));
        }
        if let Some(found) = self.broken_names.find(name) {
            self.thermo.broken[found].explain(report);
        }
        None
    }

    /// `Some(None)`: there is no transport data at all.
    fn transport(&self, word: &Word, report: &mut Report) -> Option<Option<Transport>> {
        if self.transport.is_none() {
            return Some(None);
        }
        self.entry(word)?.values(report).map(Some)
    }

    fn entry(&self, word: &Word) -> Option<&Entry<'_>> {
        self.transport?.get(self.entry_names.find(word.text())?)
    }

    /// Reports the species that have no entry at all.
    fn tell_lacking(&self, declared: &[Word], report: &mut Report) {
        let is_known = |name: &str| self.record_names.find(name).or_else(|| self.broken_names.find(name)).is_some();
        let without_thermo: Vec<&Word> = declared.iter().filter(|word| !is_known(word.text())).collect();
        let described = |name: &str| self.transport.is_none() || self.entry_names.find(name).is_some();
        let without_transport: Vec<&Word> = declared.iter().filter(|word| !described(word.text())).collect();
        let (no_thermo, no_transport) = ("no thermo data found", "no transport data");
        for (lacking, id, what, names, help) in [
            (without_thermo, "thermo::missing-species", no_thermo, &self.record_names, ADD_ENTRY),
            (without_transport, "transport::missing-species", no_transport, &self.entry_names, ADD_LINE),
        ] {
            if let Some(first) = lacking.first().filter(|_| lacking.len() > MOST_LACKING) {
                let (count, all, name) = (lacking.len(), declared.len(), first.text());
                let message = format!("{what} for {count} of the {all} species, '{name}' the first of them");
                let help = "check that the file belongs to this mechanism, and add the entries";
                report.error(id, message, first, help);
                continue;
            }
            for word in lacking {
                let message = format!("{what} for species '{}'", word.text());
                report.error(id, message, word, names.suggestion(word.text(), help));
            }
        }
    }

    /// The first record counts. A repetition in another file is how files are overridden, and no mistake.
    fn warn_of_repetitions(&self, used: &Names, report: &mut Report) {
        for record in &self.thermo.records {
            let name = record.species();
            let Some(first) = self.record_names.find(name).map(|first| &self.thermo.records[first]) else { continue };
            let same_file = Arc::ptr_eq(first.name.source, record.name.source);
            if !std::ptr::eq(first, record) && same_file && used.find(name).is_some() && !first.agrees_with(record) {
                let message = format!("repeated thermo data for species '{name}' differs: the first entry counts");
                report.warning("thermo::repeated-species", message, &record.place(), "remove one of the entries");
            }
        }
        for broken in &self.thermo.broken {
            if used.find(broken.species()).is_some() && self.record_names.find(broken.species()).is_some() {
                broken.pass_over(report);
            }
        }
        for entry in self.transport.unwrap_or(&[]) {
            let name = entry.name.text();
            let Some(first) = self.entry_names.find(name).and_then(|first| self.transport?.get(first)) else {
                continue;
            };
            let same_file = Arc::ptr_eq(first.name.source, entry.name.source);
            if std::ptr::eq(first, entry) || !same_file || used.find(name).is_none() {
                continue;
            }
            let (id, help) = ("transport::repeated-species", "remove one of the lines");
            if first.agrees_with(entry) {
                report.warning(id, format!("duplicate transport data for species '{name}'"), &entry.name, help);
            } else {
                let message = format!("duplicate transport data for species '{name}' differs: the first line counts");
                report.forgivable(id, message, &entry.name, help);
            }
        }
    }
}
