//! Thermodynamic data: records in fixed columns (NASA-7 as in the CHEMKIN-II manual, NASA-9 as in NASA TP-2002-211556).

mod broken;
mod composition;
mod field;
mod nasa7;
mod nasa9;

pub use broken::{Broken, tell_stray};
pub use composition::is_possible;
pub use nasa7::check_ranges;

use self::composition::Atoms;
use self::field::words;
use super::Polynomials;
use super::names::Names;
use super::number;
use super::report::Report;
use super::syntax::{ThermoSection, Word};
use diagnostics::Source;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// A record whose columns are cut but not yet read: only the records of declared species are.
#[derive(Debug)]
pub struct Record<'a> {
    /// The columns that begin with the name of the species.
    pub name: Word<'a>,
    atoms: Atoms<'a>,
    functions: Functions<'a>,
}

#[derive(Debug)]
enum Functions<'a> {
    Nasa7(nasa7::Fields<'a>),
    Nasa9(nasa9::Fields<'a>),
}

/// The records of all thermo sections, and the blocks of lines that are none.
#[derive(Debug, Default)]
pub struct Records<'a> {
    pub records: Vec<Record<'a>>,
    pub broken: Vec<Broken<'a>>,
    /// Lines behind END.
    pub unread: Vec<Word<'a>>,
    /// The ranges of NASA-7 records meet at the default temperature, whatever stands in columns 66-73.
    single_break: bool,
}

impl<'a> Records<'a> {
    /// `single_break`: columns 66-73 of NASA-7 records hold something else than a temperature.
    pub fn new(single_break: bool) -> Self {
        Self { single_break, ..Self::default() }
    }

    /// Adds a thermo file.
    pub fn add_file(&mut self, source: &'a Arc<Source>) {
        self.add(Word { source, offset: 0, len: source.text.len() }, Rule::file);
    }

    /// Adds the body of a THERMO section.
    pub fn add_section(&mut self, section: &ThermoSection<'a>) {
        self.add(section.body, if section.nasa9 { Rule::body9 } else { Rule::body7 });
    }

    fn add(&mut self, body: Word<'a>, rule: Rule) {
        let pairs = Grammar::parse(rule, body.text()).expect("the grammar accepts every text");
        let mut defaults = nasa7::Defaults::new(self.single_break);
        for pair in pairs.flat_map(Pair::into_inner) {
            match pair.as_rule() {
                Rule::header => defaults = nasa7::Defaults::new(self.single_break),
                Rule::defaults => {
                    let given = pair.into_inner().filter_map(|p| number::parse(p.as_str()));
                    defaults.temperatures.iter_mut().zip(given).for_each(|(default, given)| *default = given);
                }
                Rule::record7 => self.records.push(nasa7::record(&body, pair, defaults)),
                Rule::record9 => self.records.push(nasa9::record(&body, pair)),
                Rule::unread => self.unread.push(cut(&body, &pair).trimmed()),
                Rule::broken7 => self.broken.push(Broken { block: cut(&body, &pair).trimmed(), nasa9: false }),
                Rule::broken9 => self.broken.push(Broken { block: cut(&body, &pair).trimmed(), nasa9: true }),
                _ => {}
            }
        }
    }
}

impl Record<'_> {
    /// Reads the polynomials; absent after an error.
    pub fn polynomials(&self, report: &mut Report) -> Option<Polynomials> {
        match &self.functions {
            Functions::Nasa7(fields) => fields.read(&self.place(), report).map(Polynomials::Nasa7),
            Functions::Nasa9(fields) => fields.read(&self.place(), report).map(Polynomials::Nasa9),
        }
    }

    /// Reads the composition as (index of the element, atoms); absent after an error.
    pub fn composition(&self, elements: &Names, report: &mut Report) -> Option<Vec<(usize, f64)>> {
        self.atoms.read(self.species(), elements, report)
    }

    /// Whether both records hold the same values, whatever their notes say.
    pub fn agrees_with(&self, other: &Record) -> bool {
        let functions = match (&self.functions, &other.functions) {
            (Functions::Nasa7(a), Functions::Nasa7(b)) => a.values() == b.values(),
            (Functions::Nasa9(a), Functions::Nasa9(b)) => a.values() == b.values(),
            _ => false,
        };
        functions && self.atoms.texts() == other.atoms.texts()
    }

    /// The first word of the name; what follows it is a note.
    pub fn species(&self) -> &str {
        self.place().text()
    }

    /// Returns the place of the name of the species.
    pub fn place(&self) -> Word<'_> {
        words(&self.name).next().unwrap_or(self.name)
    }
}

/// Whether a line has the digit of the first line of a NASA-7 entry in column 80.
pub fn begins_entry(line: &str) -> bool {
    line.chars().nth(79) == Some('1')
}

fn cut<'a>(body: &Word<'a>, pair: &Pair<'a, Rule>) -> Word<'a> {
    let span = pair.as_span();
    Word { offset: body.offset + span.start(), len: span.end() - span.start(), ..*body }
}

#[derive(pest_derive::Parser)]
#[grammar = "thermo.pest"]
struct Grammar;
