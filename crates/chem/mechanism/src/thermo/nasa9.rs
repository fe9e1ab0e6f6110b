//! NASA-9 records: two lines, then three for each range (McBride & Gordon, NASA RP-1311, appendix A).

use super::composition::Atoms;
use super::field::{checked, real, split_at_column};
use super::{Functions, Record, Rule, cut};
use crate::report::Report;
use crate::syntax::Word;
use crate::{Nasa9, number};
use pest::iterators::Pair;

#[derive(Debug)]
pub struct Fields<'a> {
    /// Number of ranges that the record announces.
    count: Option<Word<'a>>,
    ranges: Vec<Range<'a>>,
}

#[derive(Debug, Default)]
struct Range<'a> {
    /// The lowest and the highest temperature.
    limits: Vec<Word<'a>>,
    exponents: Option<Word<'a>>,
    /// a1..a7, b1, b2
    coefficients: Vec<Word<'a>>,
}

/// The columns of a record.
pub fn record<'a>(body: &Word<'a>, pair: Pair<'a, Rule>) -> Record<'a> {
    let mut name = *body;
    let mut atoms = Atoms::default();
    let mut fields = Fields { count: None, ranges: Vec::new() };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::range9 => fields.ranges.push(range(body, part)),
            _ => {
                for field in part.into_inner() {
                    let word = cut(body, &field);
                    match field.as_rule() {
                        Rule::name9 => name = word,
                        Rule::count => fields.count = Some(word),
                        Rule::part9 => atoms.fields.push(word),
                        Rule::continuation => atoms.continuations.push(word),
                        _ => {}
                    }
                }
            }
        }
    }
    Record { name, atoms, functions: Functions::Nasa9(fields) }
}

fn range<'a>(body: &Word<'a>, pair: Pair<'a, Rule>) -> Range<'a> {
    let mut range = Range::default();
    for field in pair.into_inner().flat_map(Pair::into_inner) {
        let word = cut(body, &field);
        match field.as_rule() {
            Rule::t9 => range.limits.push(word),
            Rule::exponents => range.exponents = Some(word),
            Rule::coefficient9 => range.coefficients.push(word),
            _ => {}
        }
    }
    range
}

impl Fields<'_> {
    /// The polynomials, with their ranges in ascending order; absent after an error.
    pub fn read(&self, species: &Word, report: &mut Report) -> Option<Nasa9> {
        self.check_count(species, report)?;
        let errors = report.errors();
        let mut ranges: Vec<(&Range, [f64; 2], [f64; 9])> = Vec::new();
        for range in &self.ranges {
            range.check_exponents(species, report);
            if let Some((limits, coefficients)) = range.read(species, report) {
                ranges.push((range, limits, coefficients));
            }
        }
        if report.errors() > errors {
            return None;
        }
        ranges.sort_by(|(_, a, _), (_, b, _)| a[0].total_cmp(&b[0]));
        for pair in ranges.windows(2) {
            let [(_, [_, end], _), (next, [start, _], _)] = pair else { continue };
            if (end - start).abs() > WIDEST_GAP {
                let message = format!(
                    "the NASA-9 polynomials of species '{}' have non-adjacent temperature ranges: one ends at {end} K, \
                     the next begins at {start} K",
                    species.text()
                );
                let place = next.limits.first().map_or(*species, Word::trimmed);
                report.error("thermo::ranges", message, &place, "let each range begin where the one below it ends");
            }
        }
        let first = ranges.first().map(|(_, limits, _)| limits[0]);
        let temperatures: Vec<f64> = first.into_iter().chain(ranges.iter().map(|(_, limits, _)| limits[1])).collect();
        if !temperatures.is_sorted_by(|a, b| a < b) || temperatures.first().is_none_or(|t| *t <= 0.0) {
            let message = format!("the temperatures {temperatures:?} K of species '{}' do not ascend", species.text());
            let help = "columns 2-11 and 12-22 hold the lowest and the highest temperature of a range";
            report.error("thermo::temperature-order", message, species, help);
        }
        let ranges = ranges.into_iter().map(|(_, _, coefficients)| coefficients).collect();
        (report.errors() == errors).then_some(Nasa9 { temperatures, ranges })
    }

    fn check_count(&self, species: &Word, report: &mut Report) -> Option<()> {
        let count = self.count?;
        let announced = number::parse(count.text().trim());
        if announced == Some(self.ranges.len() as f64) {
            return Some(());
        }
        let message = format!(
            "the NASA-9 entry of species '{}' announces {} temperature ranges, and {} can be read",
            species.text(),
            count.text().trim(),
            self.ranges.len()
        );
        let help = "each range has three lines: its limits, a1 to a5, and a6, a7, b1, b2 in columns 1-16, 17-32, 49-64 \
                    and 65-80";
        report.error("thermo::ranges", message, &count.trimmed(), help);
        None
    }

    pub fn values(&self) -> Vec<Option<Option<f64>>> {
        self.ranges.iter().flat_map(|range| range.limits.iter().chain(&range.coefficients)).map(real).collect()
    }
}

impl Range<'_> {
    fn read(&self, species: &Word, report: &mut Report) -> Option<([f64; 2], [f64; 9])> {
        let mut limits = [0.0; 2];
        for (limit, field) in limits.iter_mut().zip(&self.limits) {
            *limit = checked(field, species, COLUMNS, report)?.unwrap_or(0.0);
        }
        let mut coefficients = [0.0; 9];
        for (value, field) in coefficients.iter_mut().zip(&self.coefficients) {
            *value = checked(field, species, COLUMNS, report)?.unwrap_or(0.0);
        }
        Some((limits, coefficients))
    }

    /// Other exponents of T than the usual would make other functions of the same coefficients.
    fn check_exponents(&self, species: &Word, report: &mut Report) {
        let Some(field) = self.exponents.filter(|field| !field.text().trim().is_empty()) else { return };
        let mut rest = field;
        for expected in [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0] {
            let (head, tail) = split_at_column(&rest, 5);
            if number::parse(head.text()) != Some(expected) {
                let message = format!("the exponents of T of species '{}' are not those of NASA-9", species.text());
                let help = "columns 24-58 hold -2.0 -1.0 0.0 1.0 2.0 3.0 4.0";
                return report.error("thermo::malformed-entry", message, &field.trimmed(), help);
            }
            rest = tail;
        }
    }
}

/// Width of a coefficient.
const COLUMNS: usize = 16;

/// Kelvins between ranges that count as adjacent.
const WIDEST_GAP: f64 = 0.01;
