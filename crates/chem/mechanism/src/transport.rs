//! Transport data in free format, one species a line (TRANFIT, SAND86-8246).

use super::report::Report;
use super::syntax::Word;
use super::{Aside, Geometry, Transport, number};
use diagnostics::Source;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// A line whose values are not yet read: only the lines of declared species are.
#[derive(Debug)]
pub struct Entry<'a> {
    pub name: Word<'a>,
    values: Vec<Word<'a>>,
}

/// All lines of a transport file.
pub fn parse_file<'a>(source: &'a Arc<Source>) -> Vec<Entry<'a>> {
    parse_section(&Word { source, offset: 0, len: source.text.len() })
}

/// All lines of the body of a TRANSPORT section.
pub fn parse_section<'a>(body: &Word<'a>) -> Vec<Entry<'a>> {
    lines(body, Rule::entry).filter_map(|pair| entry(body, pair)).collect()
}

/// The lines behind END.
pub fn behind_end<'a>(source: &'a Arc<Source>) -> Vec<Word<'a>> {
    let body = Word { source, offset: 0, len: source.text.len() };
    lines(&body, Rule::unread).map(|pair| word(&body, &pair).trimmed()).collect()
}

/// Whether a line could be an entry: a name, and six numbers.
pub fn is_entry(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(7).collect();
    words.len() == 7 && words[1..].iter().all(|word| number::parse(word).is_some())
}

fn lines<'a>(body: &Word<'a>, rule: Rule) -> impl Iterator<Item = Pair<'a, Rule>> {
    let pairs = Grammar::parse(Rule::file, body.text()).expect("the grammar accepts every text");
    pairs.flat_map(Pair::into_inner).filter(move |pair| pair.as_rule() == rule)
}

impl Entry<'_> {
    /// Reads the six values; absent after an error.
    pub fn values(&self, report: &mut Report) -> Option<Transport> {
        let name = self.name.text();
        let [flag, numbers @ ..] = self.values.as_slice() else { return self.too_short(report) };
        if numbers.len() < 5 {
            return self.too_short(report);
        }
        // Words may follow as a note. One more number makes it likely that one of the six is not what it should be.
        if let Some(seventh) = numbers.get(5).filter(|word| number::parse(word.text()).is_some()) {
            let message = format!("the transport data of species '{name}' has more than six values");
            report.forgivable("transport::too-long", message, seventh, COLUMNS);
        }
        let geometry = match number::parse(flag.text()) {
            Some(0.0) => Some(Geometry::Atom),
            Some(1.0) => Some(Geometry::Linear),
            Some(2.0) => Some(Geometry::Nonlinear),
            _ => {
                let message = format!("invalid geometry flag '{}' of species '{name}'", flag.text());
                let help = "the flag is an integer: 0 for an atom, 1 for a linear molecule, 2 for a nonlinear one";
                report.error("transport::geometry", message, flag, help);
                None
            }
        };
        let mut read = |word: &Word| {
            let value = number::parse(word.text());
            if value.is_none() {
                let message = format!("malformed number '{}' in the transport data of species '{name}'", word.text());
                report.error("transport::malformed-number", message, word, COLUMNS);
            }
            value
        };
        let values: Vec<Option<f64>> = numbers[..5].iter().map(&mut read).collect();
        let values = values.into_iter().collect::<Option<Vec<f64>>>()?;
        let [well_depth, diameter, dipole, polarizability, rotational_relaxation] = values[..] else { return None };
        let positive = well_depth > 0.0 && diameter > 0.0;
        if !positive {
            let message = format!("species '{name}' needs a positive well depth and a positive diameter");
            report.error("transport::not-positive", message, &self.name, COLUMNS);
        }
        let place = Aside(Some(self.name.span()));
        let transport = Transport {
            geometry: geometry?,
            well_depth,
            diameter,
            dipole,
            polarizability,
            rotational_relaxation,
            place,
        };
        positive.then_some(transport)
    }

    /// Returns the place of the geometry; the name in a line that has nothing else.
    pub fn flag(&self) -> Word<'_> {
        self.values.first().copied().unwrap_or(self.name)
    }

    /// Whether both lines hold the same numbers.
    pub fn agrees_with(&self, other: &Entry) -> bool {
        let values =
            |entry: &Entry| entry.values.iter().take(6).map(|word| number::parse(word.text())).collect::<Vec<_>>();
        values(self) == values(other)
    }

    /// Whether the line holds the six numbers of transport data, whatever they are.
    pub fn is_complete(&self) -> bool {
        self.values.len() >= 6 && self.values.iter().take(6).all(|word| number::parse(word.text()).is_some())
    }

    fn too_short(&self, report: &mut Report) -> Option<Transport> {
        let message = format!("the transport data of species '{}' has fewer than six values", self.name.text());
        report.error("transport::too-short", message, &self.name, COLUMNS);
        None
    }
}

const COLUMNS: &str =
    "a line reads: name, geometry, eps/k in K, sigma in Angstrom, dipole in Debye, polarizability in Angstrom^3, Zrot";

fn entry<'a>(body: &Word<'a>, pair: Pair<'a, Rule>) -> Option<Entry<'a>> {
    let mut words = pair.into_inner().map(|pair| word(body, &pair));
    Some(Entry { name: words.next()?, values: words.take(7).collect() })
}

fn word<'a>(body: &Word<'a>, pair: &Pair<'a, Rule>) -> Word<'a> {
    let span = pair.as_span();
    Word { offset: body.offset + span.start(), len: span.end() - span.start(), ..*body }
}

#[derive(pest_derive::Parser)]
#[grammar = "transport.pest"]
struct Grammar;
