//! The elements of a species.

use super::field::{real, split_at_column, words};
use crate::elements::standard_weight;
use crate::names::Names;
use crate::number;
use crate::report::Report;
use crate::syntax::Word;

/// The columns of a record that hold its composition.
#[derive(Debug, Default)]
pub struct Atoms<'a> {
    /// Five fields of two columns for the symbol and some for the number of atoms.
    pub fields: Vec<Word<'a>>,
    /// Files are careless about the columns around the composition of NASA-7 records: the phase may stand in column 44,
    /// and anything in 74-78.
    pub is_nasa7: bool,
    /// Composition behind `&`, in free format.
    pub continuations: Vec<Word<'a>>,
    /// Text behind column 80: more of the composition, or a note.
    pub beyond: Option<Word<'a>>,
}

impl Atoms<'_> {
    /// Reads (index of the element, atoms); absent after an error.
    pub fn read(&self, species: &str, elements: &Names, report: &mut Report) -> Option<Vec<(usize, f64)>> {
        let mut composition: Vec<(usize, f64)> = Vec::new();
        let mut valid = true;
        for (symbol, count) in self.atoms(species, report)? {
            let element = find(&symbol, elements, report);
            valid &= element.is_some() && is_possible(&symbol, count, species, report);
            let Some(element) = element else { continue };
            match composition.iter_mut().find(|(known, _)| *known == element) {
                Some((_, sum)) => *sum += count,
                None => composition.push((element, count)),
            }
        }
        // As in Cantera, an element beyond column 80 replaces the same one before it.
        for (symbol, count) in self.beyond.iter().filter_map(|text| beyond(text, elements)).flatten() {
            let element = find(&symbol, elements, report);
            valid &= element.is_some();
            let Some(element) = element else { continue };
            match composition.iter_mut().find(|(known, _)| *known == element) {
                Some((_, former)) => *former = count,
                None => composition.push((element, count)),
            }
        }
        composition.retain(|(_, count)| *count != 0.0);
        valid.then_some(composition)
    }

    pub fn texts(&self) -> Vec<&str> {
        self.fields.iter().chain(&self.continuations).map(Word::text).collect()
    }

    fn atoms(&self, species: &str, report: &mut Report) -> Option<Vec<(Word<'_>, f64)>> {
        let mut atoms = Vec::new();
        for (i, field) in self.fields.iter().enumerate() {
            let field = if self.is_nasa7 && i == 3 { without_phase(field) } else { *field };
            let is_loose = self.is_nasa7 && i == 4;
            let (symbol, count) = split_at_column(&field, 2);
            let is_named = symbol.text().starts_with(|c: char| c.is_alphabetic());
            match real(&count) {
                Some(Some(count)) if is_named => atoms.push((symbol, count)),
                _ if is_loose => {}
                // Blank, or a zero anywhere.
                Some(_) if !is_named && real(&field).is_some_and(|zero| zero.unwrap_or(0.0) == 0.0) => {}
                Some(Some(_)) if matches!(symbol.text(), "" | "0") => {
                    let message = format!(
                        "the composition of species '{species}' has '{}' atoms of no element",
                        count.text().trim()
                    );
                    report.warning("thermo::composition", message, &field, COLUMNS);
                }
                _ => return bad(&field, species, report),
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

/// A field without the letter of the phase in its last column.
fn without_phase<'a>(field: &Word<'a>) -> Word<'a> {
    let figures = field.text().strip_suffix(['G', 'L', 'S', 'C', 'g', 'l', 's', 'c']);
    let is_count = |text: &&str| text.ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    figures.filter(is_count).map_or(*field, |text| Word { len: text.len(), ..*field })
}

/// Symbols and numbers in turn, with or without blanks; absent for what is a note.
fn beyond<'a>(text: &Word<'a>, elements: &Names) -> Option<Vec<(Word<'a>, f64)>> {
    let mut atoms = Vec::new();
    let mut rest = text.trimmed();
    while rest.len > 0 {
        let letters = rest.text().find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len);
        let symbol = Word { len: letters, ..rest };
        rest = Word { offset: rest.offset + letters, len: rest.len - letters, ..rest }.trimmed();
        let figures = rest.text().find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len);
        let count = number::parse(Word { len: figures, ..rest }.text())?;
        rest = Word { offset: rest.offset + figures, len: rest.len - figures, ..rest }.trimmed();
        if elements.find(symbol.text()).is_none() && standard_weight(symbol.text()).is_none() {
            return None;
        }
        atoms.push((symbol, count));
    }
    Some(atoms)
}

fn find(symbol: &Word, elements: &Names, report: &mut Report) -> Option<usize> {
    let element = elements.find(symbol.text());
    // Without any element that is the cause, and it is reported.
    if element.is_none() && elements.len() > 0 {
        let message = format!("the element '{}' is not declared", symbol.text());
        let help = elements.suggestion(symbol.text(), "declare it in the ELEMENTS section");
        report.error("thermo::undeclared-element", message, symbol, help);
    }
    element
}

/// Only electrons may lack.
pub fn is_possible(symbol: &Word, count: f64, species: &str, report: &mut Report) -> bool {
    let is_possible = count >= 0.0 || symbol.text().eq_ignore_ascii_case("E");
    if !is_possible {
        let message = format!("species '{species}' has {count} atoms of '{}'", symbol.text());
        report.error("thermo::composition", message, symbol, "only the electron E may have a negative number");
    }
    is_possible
}

fn bad<T>(field: &Word, species: &str, report: &mut Report) -> Option<T> {
    let message = format!("malformed elemental composition '{}' of species '{species}'", field.text());
    report.error("thermo::composition", message, field, COLUMNS);
    None
}

const COLUMNS: &str = "each field has two columns for the symbol and the next for the number of atoms (NASA-7: five \
                       fields of five columns from 25 on, the fifth in 74-78; NASA-9: five fields of eight from 11 on); \
                       longer numbers stand behind & at the end of the line";
