//! Lewis numbers by file: a line `SPECIES VALUE` for each species; `!` or `#` in front of a word begins a comment.

use super::names::Names;
use super::number;
use super::report::Report;
use super::syntax::Word;
use super::{Species, SpeciesIndex};
use diagnostics::{Diagnostic, Source};
use std::sync::Arc;

/// Reads the Lewis numbers of the transported species, in file order. Quasi-steady species need none.
pub fn read(source: &Arc<Source>, species: &[Species], quasi_steady: &[SpeciesIndex], report: &mut Report) -> Vec<f64> {
    let names = Names::new(species.iter().map(|s| s.name.as_str()));
    let mut numbers: Vec<Option<f64>> = vec![None; species.len()];
    let mut is_named = vec![false; species.len()];
    for line in lines(source) {
        let [name, value] = line[..] else {
            if let [first, .., last] | [first @ last] = &line[..] {
                let help = "a line reads: SPECIES VALUE";
                report.error("lewis::syntax", "this is no species with its Lewis number", &first.to(last), help);
            }
            continue;
        };
        let Some(k) = names.find(name.text()) else {
            let message = format!("unknown species '{}': its Lewis number has no effect", name.text());
            let help = names.suggestion(name.text(), "remove the line, if the mechanism is the right one");
            report.warning("lewis::unknown-species", message, &name, help);
            continue;
        };
        if std::mem::replace(&mut is_named[k], true) {
            let message = format!("species '{}' has two Lewis numbers", name.text());
            report.error("lewis::repeated-species", message, &name, "remove one of the lines");
            continue;
        }
        numbers[k] = number::parse(value.text()).filter(|&number| number > 0.0 && (1.0 / number).is_finite());
        if numbers[k].is_none() {
            let message = format!("'{}' is no Lewis number of species '{}'", value.text(), name.text());
            report.error("lewis::number", message, &value, "a Lewis number is finite and above 0");
        }
    }
    let is_transported = |k: &usize| !quasi_steady.contains(k);
    let missing = (0..species.len()).filter(|k| is_transported(k) && !is_named[*k]);
    tell_missing(source, &missing.map(|k| species[k].name.as_str()).collect::<Vec<_>>(), report);
    (0..species.len()).filter(is_transported).filter_map(|k| numbers[k]).collect()
}

/// Species that a message lists.
const MOST_LISTED: usize = 20;

fn tell_missing(source: &Source, missing: &[&str], report: &mut Report) {
    if missing.is_empty() {
        return;
    }
    let listed = missing[..missing.len().min(MOST_LISTED)].join(", ");
    let more = if missing.len() > MOST_LISTED { ", …" } else { "" };
    let message = format!("'{}' lacks the Lewis numbers of {} species: {listed}{more}", source.name, missing.len());
    report.push(Diagnostic::error("lewis::missing-species", message).help("add a line SPECIES VALUE for each"));
}

/// The words of each line in front of its comment; none of an empty line.
fn lines(source: &Arc<Source>) -> impl Iterator<Item = Vec<Word<'_>>> {
    let start = source.text.as_ptr() as usize;
    source.text.lines().map(move |line| {
        let words = line.split_whitespace().take_while(|word| !word.starts_with(['!', '#']));
        words.map(|word| Word { source, offset: word.as_ptr() as usize - start, len: word.len() }).collect()
    })
}
