//! Reaction equations (CHEMKIN-II manual, SAND89-8009). Names may contain `+`, so the names that were declared decide where to split.

use super::SpeciesIndex;
use super::coefficient;
use super::names::Names;
use super::report::{Report, brief};
use super::syntax::Word;
use std::ops::Range;

/// A resolved equation.
#[derive(Debug, Clone)]
pub struct Equation {
    /// As written, blanks removed.
    pub text: String,
    pub reactants: Vec<(SpeciesIndex, f64)>,
    pub products: Vec<(SpeciesIndex, f64)>,
    pub reversible: bool,
    pub third_body: ThirdBody,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThirdBody {
    #[default]
    None,
    /// `+M`
    Mixture,
    /// `(+M)`
    FalloffMixture,
    /// `(+SPECIES)`
    FalloffSpecies(SpeciesIndex),
}

/// Reads the equation that consists of `words`; absent after an error.
pub fn parse(words: &[Word], species: &Names, report: &mut Report) -> Option<Equation> {
    let (first, last) = (words.first()?, words.last()?);
    let whole = first.to(last);
    let mut text = String::new();
    let mut offsets = Vec::new();
    for word in words {
        text.push_str(word.text());
        offsets.extend(word.offset..word.offset + word.len);
    }
    let context = Context { text: &text, offsets: &offsets, whole, species };
    let (arrow, reversible) = context.arrow(report)?;
    let left = context.side(0..arrow.start, "reactant", report);
    let right = context.side(arrow.end..text.len(), "product", report);
    let (left, right) = (left?, right?);
    if left.third_body != right.third_body {
        let message = format!("the third bodies on the two sides of '{}' differ", brief(&text));
        let help = "write +M, (+M) or (+SPECIES) on both sides";
        report.error("mechanism::third-body", message, &whole, help);
        return None;
    }
    let (reactants, products, third_body) = (left.terms, right.terms, left.third_body);
    let (text, reversible) = match right.photon {
        None => (respelt(&text, left.spelt.into_iter().chain(right.spelt)), reversible),
        Some(photon) => (context.without_photon(&arrow, photon, reversible, report)?, false),
    };
    Some(Equation { text, reactants, products, reversible, third_body })
}

/// The text with other names in some places.
fn respelt(text: &str, places: impl Iterator<Item = (Range<usize>, String)>) -> String {
    let mut places: Vec<_> = places.collect();
    places.sort_by_key(|(place, _)| place.start);
    let mut text = text.to_owned();
    places.into_iter().rev().for_each(|(place, name)| text.replace_range(place, &name));
    text
}

/// Returns the candidates for the arrow of an equation without blanks: bytes, and whether it is reversible. Names of species may hold
/// the same characters.
pub fn arrows(text: &str) -> impl Iterator<Item = (Range<usize>, bool)> {
    text.match_indices('=').map(|(equals, _)| {
        let start = if text[..equals].ends_with('<') { equals - 1 } else { equals };
        let end = if text[equals + 1..].starts_with('>') { equals + 2 } else { equals + 1 };
        (start..end, !(end == equals + 2 && start == equals))
    })
}

/// A hint where a line has an arrow of another notation.
pub fn foreign_arrow(line: &str) -> Option<String> {
    let arrows = [("<->", "<=>"), ("->", "=>"), ("\u{21CC}", "<=>"), ("\u{2194}", "<=>"), ("\u{2192}", "=>")];
    let (written, meant) = arrows.into_iter().find(|(written, _)| line.contains(written))?;
    Some(format!("did you mean '{meant}' by '{written}'?"))
}

struct Context<'a, 'n> {
    text: &'a str,
    /// Place of each byte of `text` in the source.
    offsets: &'a [usize],
    whole: Word<'a>,
    species: &'n Names,
}

#[derive(Default)]
struct Side {
    terms: Vec<(SpeciesIndex, f64)>,
    third_body: ThirdBody,
    /// Place of a product photon in the text.
    photon: Option<Range<usize>>,
    /// The declared names, and M, with the places of names that are spelt otherwise.
    spelt: Vec<(Range<usize>, String)>,
}

enum Term {
    /// With its coefficient, and the bytes of its name.
    Species(SpeciesIndex, f64, Range<usize>),
    ThirdBody,
    Photon,
}

impl Context<'_, '_> {
    /// Finds where to split the equation: behind the names that hold a `=` themselves.
    fn arrow(&self, report: &mut Report) -> Option<(Range<usize>, bool)> {
        let mut arrows: Vec<_> = arrows(self.text).take(MOST_ARROWS).collect();
        let help = "an equation has one of =, <=> and =>";
        let Some((first, _)) = arrows.first().cloned() else {
            let message = format!("the equation '{}' has no arrow", brief(self.text));
            let help = foreign_arrow(self.text).unwrap_or_else(|| help.to_owned());
            report.error("mechanism::equation", message, &self.whole, help);
            return None;
        };
        if arrows.len() == 1 {
            return arrows.pop();
        }
        let reads = |range: Range<usize>| self.side(range, "", &mut Report::default()).is_some();
        let splits = |arrow: &Range<usize>| [reads(0..arrow.start), reads(arrow.end..self.text.len())];
        let sides: Vec<[bool; 2]> = arrows.iter().map(|(arrow, _)| splits(arrow)).collect();
        let whole = sides.iter().position(|sides| *sides == [true; 2]);
        // With one side that reads, the problem is in the other one.
        let half = || sides.iter().position(|sides| sides.contains(&true)).filter(|_| self.species.any_contains('='));
        if let Some(found) = whole.or_else(half) {
            return Some(arrows.swap_remove(found));
        }
        let second = first.end + self.text[first.end..].find('=').unwrap_or(0);
        let message = format!("the equation '{}' has two arrows", brief(self.text));
        report.error("mechanism::equation", message, &self.place(second..second + 1), help);
        None
    }

    fn side(&self, range: Range<usize>, role: &str, report: &mut Report) -> Option<Side> {
        let collider = self.collider(range.clone());
        let mut side = Side::default();
        if let Some((place, body)) = &collider {
            side.third_body = *body;
            self.spell(place.start + 2..place.end - 1, *body, &mut side.spelt);
        }
        let mut valid = true;
        let mut at = range.start;
        while at < range.end {
            if let Some((place, _)) = collider.as_ref().filter(|(place, _)| place.start == at) {
                at = place.end;
            } else {
                let limit =
                    collider.as_ref().map_or(range.end, |(c, _)| if at < c.start { c.start } else { range.end });
                let (end, term) = self.term(at..limit);
                match term {
                    // A species that is written with the coefficient zero takes no part.
                    Some(Term::Species(_, 0.0, _)) => {}
                    Some(Term::Species(index, coefficient, name)) => {
                        self.spell(name, ThirdBody::FalloffSpecies(index), &mut side.spelt);
                        add(&mut side.terms, index, coefficient);
                        if side.terms.len() > MOST_SPECIES {
                            return self.too_many(role, report);
                        }
                    }
                    Some(Term::ThirdBody) if side.third_body == ThirdBody::None => {
                        side.third_body = ThirdBody::Mixture;
                        self.spell(at..end, ThirdBody::Mixture, &mut side.spelt);
                    }
                    Some(Term::ThirdBody) => valid &= self.second_third_body(at..end, report),
                    Some(Term::Photon) if role == "product" && side.photon.is_none() => side.photon = Some(at..end),
                    Some(Term::Photon) => valid &= self.bad_photon(at..end, report),
                    None => valid &= self.unknown(at..end, report),
                }
                at = end;
                if collider.as_ref().is_some_and(|(place, _)| place.start == at) {
                    continue;
                }
            }
            if at < range.end {
                // Whatever ended here is followed by `+`, except behind a collider.
                at += usize::from(self.text[at..].starts_with('+'));
                if at == range.end {
                    valid &= self.unknown(at - 1..at, report);
                }
            }
        }
        if valid && side.terms.is_empty() {
            let message = format!("no {role} species found in the reaction equation '{}'", brief(self.text));
            report.error("mechanism::equation", message, &self.whole, "both sides need at least one species");
            valid = false;
        }
        valid.then_some(side)
    }

    /// `(+M)` or `(+SPECIES)` in a side. Names such as `CH2(S)` hold parentheses of their own, and not always both: what
    /// is followed by `+` or nothing comes first.
    fn collider(&self, range: Range<usize>) -> Option<(Range<usize>, ThirdBody)> {
        let side = &self.text[range.clone()];
        side.match_indices("(+").find_map(|(found, _)| {
            let inner = range.start + found + 2;
            let reach = self.text[inner..range.end].bytes().take(self.species.longest() + 2);
            let closes = reach.enumerate().filter(|(_, b)| *b == b')').map(|(i, _)| inner + i);
            let bodies = closes.filter_map(|close| {
                let name = &self.text[inner..close];
                let body = match self.species.find(name) {
                    Some(index) => Some(ThirdBody::FalloffSpecies(index)),
                    None => name.eq_ignore_ascii_case("M").then_some(ThirdBody::FalloffMixture),
                };
                Some((inner - 2..close + 1, body?))
            });
            let bodies: Vec<_> = bodies.collect();
            let goes_on = |(place, _): &&(Range<usize>, ThirdBody)| {
                let rest = &self.text[place.end..range.end];
                rest.is_empty() || rest.starts_with('+')
            };
            bodies.iter().find(goes_on).or(bodies.first()).cloned()
        })
    }

    /// The longest term at the start of `range` that ends at a `+` or with the range.
    fn term(&self, range: Range<usize>) -> (usize, Option<Term>) {
        let text = &self.text[range.clone()];
        let reach = text.len().min(self.species.longest() + coefficient::LONGEST);
        let ends = text.bytes().take(reach).enumerate().filter(|(i, b)| *b == b'+' && *i > 0).map(|(i, _)| i);
        let mut ends: Vec<usize> = ends.collect();
        if reach == text.len() {
            ends.push(reach);
        }
        let resolved = ends.iter().rev().find_map(|&end| Some((end, self.resolve(range.start..range.start + end)?)));
        match resolved {
            Some((end, term)) => (range.start + end, Some(term)),
            None => {
                let next = text.char_indices().skip(1).find(|(_, c)| *c == '+');
                (range.start + next.map_or(text.len(), |(i, _)| i), None)
            }
        }
    }

    fn resolve(&self, range: Range<usize>) -> Option<Term> {
        let text = &self.text[range.clone()];
        if let Some(index) = self.species.find(text) {
            return Some(Term::Species(index, 1.0, range));
        }
        if text.eq_ignore_ascii_case("M") {
            return Some(Term::ThirdBody);
        }
        let name = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if name.eq_ignore_ascii_case("HV") && self.species.find(name).is_none() {
            return Some(Term::Photon);
        }
        // Some names begin with digits or with what may be an exponent, so that the coefficient may end before them.
        let (figures, species, value) = coefficient::prefixes(text).find_map(|(end, value)| {
            let species = self.species.find(&text[end..])?;
            // `2E+2H` are two electrons and two atoms, not two hundred.
            let is_sum =
                text[..end].find('+').is_some_and(|plus| self.resolve(range.start..range.start + plus).is_some());
            (!is_sum).then_some((&text[..end], species, value))
        })?;
        // Without a point, a zero is more likely the letter O.
        let name = range.start + figures.len()..range.end;
        (value != 0.0 || figures.contains('.')).then_some(Term::Species(species, value, name))
    }

    /// Notes a name that is not spelt as it was declared.
    fn spell(&self, place: Range<usize>, body: ThirdBody, spelt: &mut Vec<(Range<usize>, String)>) {
        let name = if let ThirdBody::FalloffSpecies(index) = body { self.species.name(index) } else { "M" };
        if self.text[place.clone()] != *name {
            spelt.push((place, name.to_owned()));
        }
    }

    fn too_many(&self, role: &str, report: &mut Report) -> Option<Side> {
        let message = format!("the equation '{}' has more than {MOST_SPECIES} {role} species", brief(self.text));
        report.error("mechanism::equation", message, &self.whole, "look for a line end that is missing");
        None
    }

    fn bad_photon(&self, range: Range<usize>, report: &mut Report) -> bool {
        let help = "remove the reaction: Singe has no radiation field";
        let message = "photochemical reactions (HV) are not supported";
        report.error("mechanism::photon", message, &self.place(range), help);
        false
    }

    /// The irreversible equation without its product photon, which leaves the gas: where that is forgiven.
    fn without_photon(
        &self,
        arrow: &Range<usize>,
        photon: Range<usize>,
        reversible: bool,
        report: &mut Report,
    ) -> Option<String> {
        let kind = if reversible { "reversible " } else { "" };
        let message = format!("the {kind}reaction '{}' contains a product photon (HV)", brief(self.text));
        let help = "photons are not supported: remove it and write =>, as --permissive does";
        report.forgivable("mechanism::photon", message, &self.place(photon.clone()), help);
        if !report.is_permissive() {
            return None;
        }
        let before = self.text[arrow.end..photon.start].trim_end_matches('+');
        let after = self.text[photon.end..].trim_start_matches('+');
        let plus = if before.is_empty() || after.is_empty() { "" } else { "+" };
        Some(format!("{}=>{before}{plus}{after}", &self.text[..arrow.start]))
    }

    fn unknown(&self, range: Range<usize>, report: &mut Report) -> bool {
        let text = &self.text[range.clone()];
        let place = self.place(range);
        let name = coefficient::prefixes(text).last().map_or(text, |(end, _)| &text[end..]);
        if name.is_empty() || name == "+" {
            report.error(
                "mechanism::equation",
                "the equation lacks a species here",
                &place,
                "write a species after each + and each coefficient",
            );
        } else if name.starts_with("(+") {
            let message = format!("unknown collider '{name}'");
            report.error(
                "mechanism::unknown-species",
                message,
                &place,
                "it is (+M) or (+SPECIES) with a declared species",
            );
        } else {
            // A coefficient of zero makes no term of a known name.
            let name = if self.species.find(name).is_some() { text } else { name };
            let help = self.species.suggestion(name, "declare it among the species");
            report.error("mechanism::unknown-species", format!("unknown species '{name}'"), &place, help);
        }
        false
    }

    fn second_third_body(&self, range: Range<usize>, report: &mut Report) -> bool {
        let message = format!("the equation '{}' has more than one third body on a side", brief(self.text));
        report.error("mechanism::third-body", message, &self.place(range), "write either +M or (+M), once");
        false
    }

    /// Returns the place in the source of a part of the blank-free text.
    fn place(&self, range: Range<usize>) -> Word<'_> {
        let start = self.offsets.get(range.start).copied().unwrap_or(self.whole.offset);
        let last = range.end.checked_sub(1).and_then(|i| self.offsets.get(i)).copied().unwrap_or(start);
        Word { offset: start, len: (last + 1).saturating_sub(start), ..self.whole }
    }
}

/// Different species on one side; more are no equation, and would make the search for repeated species long.
const MOST_SPECIES: usize = 100;

/// Most candidates for the arrow of one equation; a text with more is no equation, and would make the search long.
const MOST_ARROWS: usize = 8;

fn add(terms: &mut Vec<(SpeciesIndex, f64)>, index: SpeciesIndex, coefficient: f64) {
    match terms.iter_mut().find(|(known, _)| *known == index) {
        Some((_, sum)) => *sum += coefficient,
        None => terms.push((index, coefficient)),
    }
}
