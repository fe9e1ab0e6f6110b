//! The elements of a species.

use super::field::{real, split_at_column, words};
use crate::names::Names;
use crate::number;
use crate::report::Report;
use crate::syntax::Word;

/// The columns of a record that hold its composition.
#[derive(Debug, Default)]
pub struct Atoms<'a> {
    /// Fields of two columns for the symbol and some for the number of atoms.
    pub fields: Vec<Word<'a>>,
    /// Whether the last field may hold something else, as columns 74-78 of NASA-7 records do in many files.
    pub last_is_loose: bool,
    /// Composition behind `&`, in free format.
    pub continuations: Vec<Word<'a>>,
}

impl Atoms<'_> {
    /// Reads (index of the element, atoms); absent after an error.
    pub fn read(&self, species: &str, elements: &Names, report: &mut Report) -> Option<Vec<(usize, f64)>> {
        let mut composition: Vec<(usize, f64)> = Vec::new();
        let mut valid = true;
        for (symbol, count) in self.atoms(species, report)? {
            match elements.find(symbol.text()) {
                Some(element) => match composition.iter_mut().find(|(known, _)| *known == element) {
                    Some((_, sum)) => *sum += count,
                    None => composition.push((element, count)),
                },
                // Without any element that is the cause, and it is reported.
                None if elements.len() == 0 => valid = false,
                None => {
                    let message = format!("species '{species}' contains the undeclared element '{}'", symbol.text());
                    let help = elements.suggestion(symbol.text(), "declare it in the ELEMENTS section");
                    report.error("thermo::undeclared-element", message, &symbol, help);
                    valid = false;
                }
            }
        }
        valid.then_some(composition)
    }

    pub fn texts(&self) -> Vec<&str> {
        self.fields.iter().chain(&self.continuations).map(Word::text).collect()
    }

    fn atoms(&self, species: &str, report: &mut Report) -> Option<Vec<(Word<'_>, f64)>> {
        let mut atoms = Vec::new();
        for (i, field) in self.fields.iter().enumerate() {
            let (symbol, count) = split_at_column(field, 2);
            let named = symbol.text().starts_with(|c: char| c.is_alphabetic());
            let loose = self.last_is_loose && i + 1 == self.fields.len();
            match (named, real(&count)) {
                (true, Some(Some(count))) => atoms.push((symbol, count)),
                (false, Some(_)) => {}
                (false, None) | (true, Some(None)) if loose => {}
                _ => return bad(field, species, report),
            }
        }
        for line in &self.continuations {
            let words: Vec<_> = words(line).collect();
            for pair in words.chunks(2) {
                match pair {
                    [symbol, count] => match number::parse(count.text()) {
                        Some(value) => atoms.push((*symbol, value)),
                        None => return bad(line, species, report),
                    },
                    _ => return bad(line, species, report),
                }
            }
        }
        atoms.retain(|(_, count)| *count != 0.0);
        Some(atoms)
    }
}

fn bad<T>(field: &Word, species: &str, report: &mut Report) -> Option<T> {
    let message = format!("malformed elemental composition '{}' of species '{species}'", field.text());
    let help = "each field has two columns for the symbol and the next for the number of atoms (NASA-7: five fields of \
                five columns from 25 on, the fifth in 74-78; NASA-9: five fields of eight from 11 on)";
    report.error("thermo::composition", message, field, help);
    None
}
