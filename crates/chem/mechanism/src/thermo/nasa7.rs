//! NASA-7 records of four lines.

use super::composition::Atoms;
use super::field::{checked, real};
use super::{Functions, Record, Rule, cut};
use crate::Nasa7;
use crate::report::Report;
use crate::syntax::Word;
use pest::iterators::Pair;

#[derive(Debug)]
pub struct Fields<'a> {
    /// T_low, T_high, T_mid
    temperatures: Vec<Word<'a>>,
    /// a1..a7 of the high range, then of the low range
    coefficients: Vec<Word<'a>>,
    defaults: Defaults,
}

/// Values for columns that a record leaves blank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Defaults {
    /// T_low, T_mid, T_high in K
    pub temperatures: [f64; 3],
    /// T_mid holds for all records, in columns 66-73 stands something else.
    single_break: bool,
}

impl Defaults {
    /// CHEMKIN's own, where the section states none.
    pub fn new(single_break: bool) -> Self {
        Self { temperatures: [300.0, 1000.0, 5000.0], single_break }
    }
}

/// The columns of a record.
pub fn record<'a>(body: &Word<'a>, pair: Pair<'a, Rule>, defaults: Defaults) -> Record<'a> {
    let mut name = *body;
    let mut atoms = Atoms { is_nasa7: true, ..Atoms::default() };
    let mut fields = Fields { temperatures: Vec::new(), coefficients: Vec::new(), defaults };
    for field in pair.into_inner().flat_map(Pair::into_inner) {
        let word = cut(body, &field);
        match field.as_rule() {
            Rule::name => name = word,
            Rule::part => atoms.fields.push(word),
            Rule::continuation => atoms.continuations.push(word),
            Rule::beyond => atoms.beyond = Some(word),
            Rule::t_low | Rule::t_high | Rule::t_mid => fields.temperatures.push(word),
            Rule::coefficient => fields.coefficients.push(word),
            _ => {}
        }
    }
    Record { name, atoms, functions: Functions::Nasa7(fields) }
}

impl Fields<'_> {
    /// The polynomials; absent after an error.
    pub fn read(&self, species: &Word, report: &mut Report) -> Option<Nasa7> {
        let [default_low, default_mid, default_high] = self.defaults.temperatures;
        let [low, high, mid] = self.temperatures.as_slice() else { return None };
        let t_low = checked(low, species, COLUMNS, report)?.unwrap_or(default_low);
        let t_high = checked(high, species, COLUMNS, report)?.unwrap_or(default_high);
        // If a record lies on one side of the default temperature, its only range ends there.
        let default_mid = default_mid.max(t_low).min(t_high);
        let t_mid = match real(mid) {
            _ if self.defaults.single_break => default_mid,
            Some(Some(given)) => given,
            None | Some(None) => {
                let message = format!(
                    "species '{}' has no common temperature in columns 66-73, {default_mid} K is taken",
                    species.text()
                );
                let help = "write the temperature where the two ranges meet";
                report.warning("thermo::common-temperature", message, mid, help);
                default_mid
            }
        };
        let mut values = [0.0; 14];
        for (value, field) in values.iter_mut().zip(&self.coefficients) {
            *value = checked(field, species, COLUMNS, report)?.unwrap_or(0.0);
        }
        if !(t_low <= t_mid && t_mid <= t_high && 0.0 < t_mid) {
            let message =
                format!("the temperatures {t_low}, {t_mid}, {t_high} K of species '{}' do not ascend", species.text());
            let help = "columns 46-55, 66-73 and 56-65 hold the lowest, the common and the highest temperature; where \
                        66-73 hold something else, use --single-intermediate-temperature";
            report.forgivable("thermo::temperature-order", message, species, help);
        }
        // A permissive reader takes the outer temperatures as the ends, and the common one between them.
        let (t_low, t_high) = (t_low.min(t_high), t_low.max(t_high));
        let t_mid = t_mid.max(t_low).min(t_high);
        let mut polynomials = Nasa7 { t_low, t_mid, t_high, low: [0.0; 7], high: [0.0; 7] };
        polynomials.high.copy_from_slice(&values[..7]);
        polynomials.low.copy_from_slice(&values[7..]);
        extend_the_only_range(&mut polynomials);
        check_ranges(&mut polynomials, species, report);
        Some(polynomials)
    }

    pub fn values(&self) -> (Defaults, Vec<Option<Option<f64>>>) {
        (self.defaults, self.temperatures.iter().chain(&self.coefficients).map(real).collect())
    }
}

/// Reports an empty range that has coefficients of its own, and warns of ranges that do not meet. A permissive reader gives an empty range the
/// coefficients of the other one.
pub fn check_ranges(nasa: &mut Nasa7, species: &Word, report: &mut Report) {
    let Nasa7 { t_low, t_mid, t_high, .. } = *nasa;
    if (t_low == t_mid || t_mid == t_high) && nasa.low != nasa.high {
        let message = format!(
            "species '{}' has one temperature range, {t_low} to {t_high} K, and two different sets of coefficients",
            species.text()
        );
        let help = "correct the lowest, the common or the highest temperature, or give one set of coefficients twice";
        report.forgivable("thermo::empty-range", message, species, help);
        if t_low == t_mid {
            nasa.low = nasa.high;
        } else {
            nasa.high = nasa.low;
        }
    }
    let step = nasa.step();
    if step > LARGEST_STEP {
        let message = format!(
            "the two ranges of species '{}' do not meet at {} K: cp/R, h/RT or s/R makes a step of {step:.2}",
            species.text(),
            nasa.t_mid
        );
        report.warning("thermo::step", message, species, "check its coefficients and its common temperature");
    }
}

/// Largest step of cp/R, h/RT and s/R without a warning; well-made data have a thousandth of it.
const LARGEST_STEP: f64 = 0.1;

/// Fills an empty range. If the ranges meet at an end, one is empty, and its coefficients are often left zero; those of the other range
/// are extrapolated outside the limits.
fn extend_the_only_range(nasa: &mut Nasa7) {
    if nasa.t_mid >= nasa.t_high && nasa.high == [0.0; 7] {
        nasa.high = nasa.low;
    } else if nasa.t_mid <= nasa.t_low && nasa.low == [0.0; 7] {
        nasa.low = nasa.high;
    }
}

/// Width of a coefficient.
const COLUMNS: usize = 15;
