//! The keywords below a reaction line, read but not yet combined (CHEMKIN-II manual, SAND89-8009).

use super::chemkin::is_duplicate_mark;
use super::names::Names;
use super::report::Report;
use super::syntax::{Item, Word};
use super::units::{ATMOSPHERE, RateUnits, Units};
use super::{LandauTeller, SpeciesIndex, number, unsupported};
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// `A b E` as written: `A` stays text until its order is known.
#[derive(Debug, Clone, Copy)]
pub struct RawRate<'a> {
    pub a: Word<'a>,
    pub b: f64,
    pub e: f64,
    /// Units of `A`, if it has its own; energies are in the reaction's unit all the same.
    pub units: Option<RateUnits>,
}

/// A keyword with its numbers.
#[derive(Debug)]
pub struct Given<'a, T> {
    pub place: Word<'a>,
    pub value: T,
}

/// A collider of a linear-Burke rate.
#[derive(Debug)]
pub struct RawCollider<'a> {
    /// Absent: M
    pub species: Option<SpeciesIndex>,
    /// In the same unit as that of M, which is 1 where it is absent.
    pub efficiency: Option<RawRate<'a>>,
    /// The rate in this collider alone: the numbers of a reaction's line, and what stands below it.
    pub rate: Option<(RawRate<'a>, Box<Auxiliary<'a>>)>,
}

/// Contents of the auxiliary lines of one reaction.
#[derive(Debug, Default)]
pub struct Auxiliary<'a> {
    pub duplicate: bool,
    pub units: Option<Units>,
    pub low: Option<Given<'a, RawRate<'a>>>,
    pub high: Option<Given<'a, RawRate<'a>>>,
    pub reverse: Option<Given<'a, RawRate<'a>>>,
    pub troe: Option<Given<'a, Vec<f64>>>,
    pub sri: Option<Given<'a, Vec<f64>>>,
    pub landau_teller: Option<Given<'a, LandauTeller>>,
    pub reverse_landau_teller: Option<Given<'a, LandauTeller>>,
    /// Pressure in Pa
    pub plog: Vec<Given<'a, (f64, RawRate<'a>)>>,
    pub temperatures: Option<Given<'a, Vec<f64>>>,
    /// Pa
    pub pressures: Option<Given<'a, Vec<f64>>>,
    /// All numbers of all CHEB keywords in a row.
    pub chebyshev: Option<Given<'a, Vec<f64>>>,
    /// Colliders of linear-Burke rates, in the order of the file.
    pub burke: Vec<Given<'a, RawCollider<'a>>>,
    pub forward_orders: Vec<Given<'a, (SpeciesIndex, f64)>>,
    pub reverse_orders: Vec<Given<'a, (SpeciesIndex, f64)>>,
    pub efficiencies: Vec<Given<'a, (SpeciesIndex, f64)>>,
}

/// Reads all keywords of a reaction; absent after an error. `units` are those of the REACTIONS line.
pub fn read<'a>(items: &[Item<'a>], species: &Names, units: Units, report: &mut Report) -> Option<Auxiliary<'a>> {
    let mut reader = Reader { species, units, report, auxiliary: Auxiliary::default(), colliders: HashMap::new() };
    // Not `all`: every item is read, for every problem.
    let errors = items.iter().filter(|item| reader.item(item).is_none()).count();
    (errors == 0).then_some(reader.auxiliary)
}

struct Reader<'a, 'r> {
    species: &'r Names,
    units: Units,
    report: &'r mut Report,
    auxiliary: Auxiliary<'a>,
    /// Place in the list of each species' efficiency.
    colliders: HashMap<SpeciesIndex, usize>,
}

impl<'a> Reader<'a, '_> {
    fn item(&mut self, item: &Item<'a>) -> Option<()> {
        let place = item.whole;
        let key = item.key.text().to_ascii_uppercase();
        match key.as_str() {
            "LOW" => {
                let value = self.rate(item)?;
                once(&mut self.auxiliary.low, place, value, self.report)
            }
            "HIGH" => {
                let value = self.rate(item)?;
                once(&mut self.auxiliary.high, place, value, self.report)
            }
            "REV" => {
                let value = self.rate(item)?;
                once(&mut self.auxiliary.reverse, place, value, self.report)
            }
            "TROE" => {
                let value = self.numbers(item, 3..=4)?;
                once(&mut self.auxiliary.troe, place, value, self.report)
            }
            "SRI" => {
                let value = self.numbers(item, 3..=5)?;
                if value.len() == 4 {
                    return self.wrong_count(item, "3 or 5", 4);
                }
                once(&mut self.auxiliary.sri, place, value, self.report)
            }
            "LT" => {
                let value = self.landau_teller(item)?;
                once(&mut self.auxiliary.landau_teller, place, value, self.report)
            }
            "RLT" => {
                let value = self.landau_teller(item)?;
                once(&mut self.auxiliary.reverse_landau_teller, place, value, self.report)
            }
            "TCHEB" => {
                let value = self.numbers(item, 2..=2)?;
                once(&mut self.auxiliary.temperatures, place, value, self.report)
            }
            "PCHEB" => {
                let value =
                    self.numbers(item, 2..=2)?.into_iter().map(|atmospheres| atmospheres * ATMOSPHERE).collect();
                once(&mut self.auxiliary.pressures, place, value, self.report)
            }
            "CHEB" => {
                let value = self.numbers(item, 1..=usize::MAX)?;
                match &mut self.auxiliary.chebyshev {
                    Some(given) => given.value.extend(value),
                    none => *none = Some(Given { place, value }),
                }
                Some(())
            }
            "PLOG" => {
                let value = self.plog(item)?;
                self.auxiliary.plog.push(Given { place, value });
                Some(())
            }
            "FORD" => {
                let value = self.order(item)?;
                let known = self.auxiliary.forward_orders.iter().position(|given| given.value.0 == value.0);
                self.at_most_orders(self.auxiliary.forward_orders.len(), item)?;
                push_once(&mut self.auxiliary.forward_orders, known, place, value, self.report)
            }
            "RORD" => {
                let value = self.order(item)?;
                let known = self.auxiliary.reverse_orders.iter().position(|given| given.value.0 == value.0);
                self.at_most_orders(self.auxiliary.reverse_orders.len(), item)?;
                push_once(&mut self.auxiliary.reverse_orders, known, place, value, self.report)
            }
            "UNITS" => self.unit(item),
            _ if is_duplicate_mark(&key) => {
                self.auxiliary.duplicate = true;
                Some(())
            }
            _ => self.efficiency(item, &key),
        }
    }

    fn rate(&mut self, item: &Item<'a>) -> Option<RawRate<'a>> {
        let values = self.numbers(item, 3..=3)?;
        Some(RawRate { a: *figures(item).first()?, b: values[1], e: values[2], units: None })
    }

    fn plog(&mut self, item: &Item<'a>) -> Option<(f64, RawRate<'a>)> {
        let values = self.numbers(item, 4..=4)?;
        let words = figures(item);
        if values[0] <= 0.0 {
            let message = format!("the pressure '{}' is not positive", words[0].text());
            self.report.error("mechanism::pressure", message, &words[0], "PLOG/ pressure in atm, A, b, E /");
            return None;
        }
        Some((values[0] * ATMOSPHERE, RawRate { a: words[1], b: values[2], e: values[3], units: None }))
    }

    fn landau_teller(&mut self, item: &Item<'a>) -> Option<LandauTeller> {
        let values = self.numbers(item, 2..=2)?;
        Some(LandauTeller { b: values[0], c: values[1] })
    }

    fn order(&mut self, item: &Item<'a>) -> Option<(SpeciesIndex, f64)> {
        let words = item.arguments.as_deref().unwrap_or(&[]);
        let [name, order] = words else {
            return self.wrong_count(item, "a species and a number, thus 2", words.len());
        };
        let Some(index) = self.species.find(name.text()) else {
            let help = self.species.suggestion(name.text(), "declare it in the SPECIES section");
            self.report.error("mechanism::unknown-species", format!("unknown species '{}'", name.text()), name, help);
            return None;
        };
        let order_value = self.number(order)?;
        if order_value < 0.0 {
            let message = format!("negative reaction order {order_value} of species '{}'", name.text());
            let help = "the rate grows without bound as this species vanishes";
            self.report.warning("mechanism::negative-order", message, order, help);
        }
        Some((index, order_value))
    }

    /// More orders than that are no reaction, and would make the search for repeated ones long.
    fn at_most_orders(&mut self, found: usize, item: &Item<'a>) -> Option<()> {
        if found >= MOST_ORDERS {
            return self.wrong_count(item, &format!("at most {MOST_ORDERS}"), found + 1);
        }
        Some(())
    }

    fn unit(&mut self, item: &Item<'a>) -> Option<()> {
        let mut units = self.auxiliary.units.unwrap_or(self.units);
        for word in item.arguments.as_deref().unwrap_or(&[]) {
            if !units.apply(word.text()) {
                report_unit(word, self.report);
                return None;
            }
        }
        self.auxiliary.units = Some(units);
        Some(())
    }

    /// `SPECIES/number/`, or a keyword that nobody knows.
    fn efficiency(&mut self, item: &Item<'a>, key: &str) -> Option<()> {
        if let Some(index) = self.species.find(item.key.text()) {
            let value = self.numbers(item, 1..=1)?[0];
            let known = self.colliders.get(&index).copied();
            self.colliders.entry(index).or_insert(self.auxiliary.efficiencies.len());
            return push_once(&mut self.auxiliary.efficiencies, known, item.whole, (index, value), self.report);
        }
        let looks_like_efficiency = matches!(figures(item).as_slice(), [word] if number::parse(word.text()).is_some());
        let unsupported = unsupported::keyword(key);
        if unsupported.is_some() || !looks_like_efficiency {
            let meaning = unsupported.map(|meaning| format!(" ({meaning})")).unwrap_or_default();
            let message = format!("the auxiliary keyword '{}'{meaning} is not supported", item.key.text());
            let help = match unsupported {
                Some(_) => "remove the reaction, or give a rate of the gas phase".to_owned(),
                None => Names::new(KEYWORDS)
                    .suggestion(key, &format!("known are {} and SPECIES/efficiency/", KEYWORDS.join(", "))),
            };
            self.report.error("mechanism::unsupported-keyword", message, &item.key, help);
            return None;
        }
        let message = format!("the third-body efficiency of the undeclared species '{}' is ignored", item.key.text());
        let help = self.species.suggestion(item.key.text(), "remove it, or declare the species");
        self.report.warning("mechanism::unused-efficiency", message, &item.key, help);
        Some(())
    }

    fn numbers(&mut self, item: &Item<'a>, count: RangeInclusive<usize>) -> Option<Vec<f64>> {
        let values: Vec<_> = figures(item).iter().map(|word| self.number(word)).collect();
        let values = values.into_iter().collect::<Option<Vec<f64>>>()?;
        if !count.contains(&values.len()) {
            let expected = match (count.start(), count.end()) {
                (low, high) if low == high => format!("{low}"),
                (low, &usize::MAX) => format!("at least {low}"),
                (low, high) => format!("{low} to {high}"),
            };
            return self.wrong_count(item, &expected, values.len());
        }
        Some(values)
    }

    fn number(&mut self, word: &Word<'a>) -> Option<f64> {
        let value = number::parse(word.text());
        if value.is_none() {
            report_number(word, self.report);
        }
        value
    }

    fn wrong_count<T>(&mut self, item: &Item<'a>, expected: &str, found: usize) -> Option<T> {
        let message = format!("{} takes {expected} values but has {found}", item.key.text().to_uppercase());
        let help = "write the values between slashes, separated by blanks";
        self.report.error("mechanism::value-count", message, &item.whole, help);
        None
    }
}

/// The words between the slashes of an item that takes numbers; commas separate them as blanks do.
fn figures<'a>(item: &Item<'a>) -> Vec<Word<'a>> {
    let words = item.arguments.as_deref().unwrap_or(&[]).iter();
    let parts = words.flat_map(|word| {
        let text = word.text();
        let start = move |part: &str| part.as_ptr().addr() - text.as_ptr().addr();
        text.split(',').map(move |part| Word { offset: word.offset + start(part), len: part.len(), ..*word })
    });
    parts.filter(|part| part.len > 0).collect()
}

/// Says that a word is not a number.
pub fn report_number(word: &Word, report: &mut Report) {
    let message = format!("malformed number '{}'", word.text());
    report.error("mechanism::malformed-number", message, word, "a number reads like 1.2E+10 or 3.5D-4");
}

/// Says that a word is not a unit.
pub fn report_unit(word: &Word, report: &mut Report) {
    let known = "known are CAL/MOLE, KCAL/MOLE, JOULES/MOLE, KJOULES/MOLE, KELVINS, EVOLTS, MOLES and MOLECULES";
    let text = word.text().to_uppercase();
    let meant = ABBREVIATIONS.iter().find(|(start, _)| text.starts_with(start)).map(|(_, keyword)| keyword);
    let help = meant.map_or(known.to_owned(), |keyword| format!("did you mean '{keyword}'?"));
    report.error("mechanism::unknown-unit", format!("unknown unit '{}'", word.text()), word, help);
}

/// How units that CHEMKIN does not know begin, and its keywords for them.
const ABBREVIATIONS: [(&str, &str); 8] = [
    ("KCAL", "KCAL/MOLE"),
    ("CAL", "CAL/MOLE"),
    ("KJ", "KJOULES/MOLE"),
    ("J", "JOULES/MOLE"),
    ("EV", "EVOLTS"),
    ("K", "KELVINS"),
    ("MOLEC", "MOLECULES"),
    ("MOL", "MOLES"),
];

/// FORD or RORD keywords of one reaction
const MOST_ORDERS: usize = 100;

const KEYWORDS: [&str; 15] = [
    "DUP", "LOW", "HIGH", "TROE", "SRI", "REV", "LT", "RLT", "FORD", "RORD", "PLOG", "TCHEB", "PCHEB", "CHEB", "UNITS",
];

fn once<'a, T>(slot: &mut Option<Given<'a, T>>, place: Word<'a>, value: T, report: &mut Report) -> Option<()> {
    if slot.is_some() {
        let what = format!("'{}' is given twice for one reaction", place.text());
        forgiven("mechanism::repeated-keyword", what, &place, report)?;
    }
    *slot = Some(Given { place, value });
    Some(())
}

/// Adds a value, or puts it in the place of the one that the species has.
fn push_once<'a>(
    list: &mut Vec<Given<'a, (SpeciesIndex, f64)>>,
    known: Option<usize>,
    place: Word<'a>,
    value: (SpeciesIndex, f64),
    report: &mut Report,
) -> Option<()> {
    let given = Given { place, value };
    match known.and_then(|known| list.get_mut(known)) {
        Some(first) => {
            let what = format!("'{}' repeats a species of the same reaction", place.text());
            if first.value == value {
                report.warning("mechanism::repeated-species", what, &place, "keep one of the two");
            } else {
                forgiven("mechanism::repeated-species", what + " with another value", &place, report)?;
            }
            *first = given;
        }
        None => list.push(given),
    }
    Some(())
}

/// An error that the permissive mode forgives: it takes the last, as Cantera's ck2yaml does.
fn forgiven(id: &'static str, what: String, place: &Word, report: &mut Report) -> Option<()> {
    let taken = if report.is_permissive() { "; the last counts" } else { "" };
    report.forgivable(id, what + taken, place, "keep one of the two");
    report.is_permissive().then_some(())
}
