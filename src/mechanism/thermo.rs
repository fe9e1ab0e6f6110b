//! Thermodynamic data: NASA-7 records in fixed columns (spec section 1.2).

use super::chemkin::grammar_failure;
use super::names::Names;
use super::report::Report;
use super::syntax::{ThermoSection, Word};
use super::{Nasa7, number};
use crate::diagnostic::Source;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// A record whose columns are cut but not yet read: only the records of declared species are.
#[derive(Debug)]
pub struct Record<'a> {
    /// Columns 1-18
    pub name: Word<'a>,
    /// The five composition fields of five columns.
    parts: Vec<Word<'a>>,
    /// Composition behind `&`, in free format.
    continuations: Vec<Word<'a>>,
    /// T_low, T_high, T_mid
    temperatures: Vec<Word<'a>>,
    /// a1..a7 of the high range, then of the low range
    coefficients: Vec<Word<'a>>,
    defaults: [f64; 3],
}

/// The records of all thermo sections, and the blocks of lines that are none.
#[derive(Debug, Default)]
pub struct Records<'a> {
    pub records: Vec<Record<'a>>,
    pub broken: Vec<Word<'a>>,
}

impl<'a> Records<'a> {
    /// Adds a thermo file.
    pub fn add_file(&mut self, source: &'a Arc<Source>, report: &mut Report) {
        let body = Word { source, offset: 0, len: source.text.len() };
        self.add_section(&ThermoSection { body, nasa9: None }, report);
    }

    /// Adds the body of a THERMO section.
    pub fn add_section(&mut self, section: &ThermoSection<'a>, report: &mut Report) {
        if let Some(word) = section.nasa9 {
            return report_nasa9(&word, report);
        }
        let body = section.body;
        let pairs = match Grammar::parse(Rule::file, body.text()) {
            Ok(pairs) => pairs,
            Err(error) => return report.push(grammar_failure(body.source, body.offset, &error)),
        };
        // CHEMKIN's own defaults, where the section states none.
        let mut defaults = [300.0, 1000.0, 5000.0];
        for pair in pairs.flat_map(Pair::into_inner) {
            match pair.as_rule() {
                Rule::header => {
                    let mut options = pair.into_inner();
                    if let Some(option) = options.find(|o| o.as_str().eq_ignore_ascii_case("NASA9")) {
                        return report_nasa9(&cut(&body, &option), report);
                    }
                }
                Rule::defaults => {
                    let given = pair.into_inner().filter_map(|p| number::parse(p.as_str()));
                    defaults.iter_mut().zip(given).for_each(|(default, given)| *default = given);
                }
                Rule::record => self.records.push(record(&body, pair, defaults)),
                Rule::broken => self.broken.push(cut(&body, &pair).trimmed()),
                _ => {}
            }
        }
    }
}

impl Record<'_> {
    /// Reads the polynomials; absent after an error.
    pub fn polynomials(&self, report: &mut Report) -> Option<Nasa7> {
        let mut temperatures = [0.0; 3];
        for (i, field) in self.temperatures.iter().enumerate() {
            let [low, mid, high] = self.defaults;
            let default = [low, high, mid][i];
            temperatures[i] = match real(field) {
                None if i == 2 => {
                    self.no_middle(field, default, report);
                    default
                }
                value => self.checked(field, value, report)?.unwrap_or(default),
            };
        }
        let mut values = [0.0; 14];
        for (value, field) in values.iter_mut().zip(&self.coefficients) {
            *value = self.checked(field, real(field), report)?.unwrap_or(0.0);
        }
        let [t_low, t_high, t_mid] = temperatures;
        if !(t_low <= t_mid && t_mid <= t_high && 0.0 < t_mid) {
            let message = format!("the temperatures {t_low}, {t_mid}, {t_high} K of species '{}' do not ascend", self.species());
            let help = "columns 46-55, 66-73 and 56-65 hold the lowest, the common and the highest temperature";
            report.warning("thermo::temperature-order", message, &self.place(), help);
        }
        let mut polynomials = Nasa7 { t_low, t_mid, t_high, low: [0.0; 7], high: [0.0; 7] };
        polynomials.high.copy_from_slice(&values[..7]);
        polynomials.low.copy_from_slice(&values[7..]);
        Some(polynomials)
    }

    /// Reads the composition as (index of the element, atoms); absent after an error.
    pub fn composition(&self, elements: &Names, report: &mut Report) -> Option<Vec<(usize, f64)>> {
        let mut composition: Vec<(usize, f64)> = Vec::new();
        let mut valid = true;
        for (symbol, count) in self.atoms(report)? {
            match elements.find(symbol.text()) {
                Some(element) => match composition.iter_mut().find(|(known, _)| *known == element) {
                    Some((_, sum)) => *sum += count,
                    None => composition.push((element, count)),
                },
                None => {
                    let message = format!("species '{}' contains the undeclared element '{}'", self.species(), symbol.text());
                    let help = elements.suggestion(symbol.text(), "declare it in the ELEMENTS section");
                    report.error("thermo::undeclared-element", message, &symbol, help);
                    valid = false;
                }
            }
        }
        valid.then_some(composition)
    }

    fn atoms(&self, report: &mut Report) -> Option<Vec<(Word<'_>, f64)>> {
        let mut atoms = Vec::new();
        for (i, part) in self.parts.iter().enumerate() {
            let (symbol, count) = split_at_column(part, 2);
            let named = symbol.text().starts_with(|c: char| c.is_alphabetic());
            match (named, real(&count)) {
                (true, Some(Some(count))) => atoms.push((symbol, count)),
                (false, Some(_)) => {}
                // Columns 74-78 hold other things in many files.
                (false, None) | (true, Some(None)) if i == 4 => {}
                _ => return self.bad_composition(part, report),
            }
        }
        for line in &self.continuations {
            let words: Vec<_> = words(line).collect();
            for pair in words.chunks(2) {
                match pair {
                    [symbol, count] => match number::parse(count.text()) {
                        Some(value) => atoms.push((*symbol, value)),
                        None => return self.bad_composition(line, report),
                    },
                    _ => return self.bad_composition(line, report),
                }
            }
        }
        atoms.retain(|(_, count)| *count != 0.0);
        Some(atoms)
    }

    fn bad_composition<T>(&self, field: &Word, report: &mut Report) -> Option<T> {
        let message = format!("malformed elemental composition '{}' of species '{}'", field.text(), self.species());
        let help = "each field has two columns for the symbol and three for the number of atoms, from column 25 on";
        report.error("thermo::composition", message, field, help);
        None
    }

    fn no_middle(&self, field: &Word, default: f64, report: &mut Report) {
        let message = format!("species '{}' has no common temperature in columns 66-73, {default} K is taken", self.species());
        report.warning("thermo::common-temperature", message, field, "write the temperature where the two ranges meet");
    }

    fn checked(&self, field: &Word, value: Option<Option<f64>>, report: &mut Report) -> Option<Option<f64>> {
        if value.is_none() {
            let message = format!("malformed number '{}' in the thermo data of species '{}'", field.text(), self.species());
            let help = "coefficients have 15 columns each; look for a shifted or missing column";
            report.error("thermo::malformed-number", message, &field.trimmed(), help);
        }
        value
    }

    /// Whether both records hold the same values, whatever their notes say.
    pub fn agrees_with(&self, other: &Record) -> bool {
        let values = |record: &Record| {
            let fields = record.temperatures.iter().chain(&record.coefficients);
            (record.defaults, fields.map(real).collect::<Vec<_>>())
        };
        let parts = |record: &Record| record.parts.iter().map(|part| part.text().to_owned()).collect::<Vec<_>>();
        values(self) == values(other) && parts(self) == parts(other)
    }

    /// The first word of columns 1-18; what follows it is a note.
    pub fn species(&self) -> &str {
        self.place().text()
    }

    /// Where the name of the species stands.
    pub fn place(&self) -> Word<'_> {
        words(&self.name).next().unwrap_or(self.name)
    }
}

/// As Fortran reads a field: blanks are ignored. `None`: malformed. `Some(None)`: blank.
fn real(field: &Word) -> Option<Option<f64>> {
    let text: String = field.text().chars().filter(|c| !c.is_whitespace()).collect();
    if text.is_empty() { Some(None) } else { number::parse(&text).map(Some) }
}

fn split_at_column<'a>(field: &Word<'a>, column: usize) -> (Word<'a>, Word<'a>) {
    let text = field.text();
    let middle = text.char_indices().nth(column).map_or(text.len(), |(i, _)| i);
    let head = Word { len: middle, ..*field };
    (head.trimmed(), Word { offset: field.offset + middle, len: field.len - middle, ..*field })
}

fn words<'a>(line: &Word<'a>) -> impl Iterator<Item = Word<'a>> {
    let line = *line;
    let text = line.text();
    text.split_whitespace().map(move |word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        Word { offset: line.offset + start, len: word.len(), ..line }
    })
}

fn report_nasa9(word: &Word, report: &mut Report) {
    let help = "give the thermodynamic data as NASA-7 polynomials";
    report.error("thermo::nasa9", "NASA-9 polynomials are not supported", word, help);
}

fn record<'a>(body: &Word<'a>, pair: Pair<'a, Rule>, defaults: [f64; 3]) -> Record<'a> {
    let mut record = Record {
        name: *body,
        parts: Vec::new(),
        continuations: Vec::new(),
        temperatures: Vec::new(),
        coefficients: Vec::new(),
        defaults,
    };
    for field in pair.into_inner().flat_map(Pair::into_inner) {
        let word = cut(body, &field);
        match field.as_rule() {
            Rule::name => record.name = word,
            Rule::part => record.parts.push(word),
            Rule::continuation => record.continuations.push(word),
            Rule::t_low | Rule::t_high | Rule::t_mid => record.temperatures.push(word),
            Rule::coefficient => record.coefficients.push(word),
            _ => {}
        }
    }
    record
}

fn cut<'a>(body: &Word<'a>, pair: &Pair<'a, Rule>) -> Word<'a> {
    let span = pair.as_span();
    Word { offset: body.offset + span.start(), len: span.end() - span.start(), ..*body }
}

#[derive(pest_derive::Parser)]
#[grammar = "mechanism/thermo.pest"]
struct Grammar;
