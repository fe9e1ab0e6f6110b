//! Reaction equations (CHEMKIN-II manual, SAND89-8009). Names may contain `+`, so the names that were declared decide where to split.

use super::SpeciesIndex;
use super::names::Names;
use super::number;
use super::report::{Report, brief};
use super::syntax::Word;
use std::ops::Range;

/// A resolved equation.
#[derive(Debug)]
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
    let (left, right, reversible) = context.arrow(report)?;
    let left = context.side(left, "reactant", report);
    let right = context.side(right, "product", report);
    let (left, right) = (left?, right?);
    if left.third_body != right.third_body {
        let message = format!("the third bodies on the two sides of '{}' differ", brief(&text));
        let help = "write +M, (+M) or (+SPECIES) on both sides";
        report.error("mechanism::third-body", message, &whole, help);
        return None;
    }
    let (reactants, products, third_body) = (left.terms, right.terms, left.third_body);
    let (text, reversible) = match right.photon {
        None => (text, reversible),
        Some(photon) => (context.without_photon(photon, reversible, report)?, false),
    };
    Some(Equation { text, reactants, products, reversible, third_body })
}

/// The arrow of an equation without blanks: its bytes, and whether it is reversible.
pub fn find_arrow(text: &str) -> Option<(Range<usize>, bool)> {
    let equals = text.find('=')?;
    let start = if text[..equals].ends_with('<') { equals - 1 } else { equals };
    let end = if text[equals + 1..].starts_with('>') { equals + 2 } else { equals + 1 };
    Some((start..end, !(end == equals + 2 && start == equals)))
}

struct Context<'a, 'n> {
    text: &'a str,
    /// Where each byte of `text` stands in the source.
    offsets: &'a [usize],
    whole: Word<'a>,
    species: &'n Names,
}

#[derive(Default)]
struct Side {
    terms: Vec<(SpeciesIndex, f64)>,
    third_body: ThirdBody,
    /// Where a product photon stands in the text.
    photon: Option<Range<usize>>,
}

enum Term {
    Species(SpeciesIndex, f64),
    ThirdBody,
    Photon,
}

impl Context<'_, '_> {
    fn arrow(&self, report: &mut Report) -> Option<(Range<usize>, Range<usize>, bool)> {
        let Some((arrow, reversible)) = find_arrow(self.text) else {
            let message = format!("the equation '{}' has no arrow", brief(self.text));
            report.error("mechanism::equation", message, &self.whole, "an equation has one of =, <=> and =>");
            return None;
        };
        if let Some(second) = self.text[arrow.end..].find('=') {
            let start = arrow.end + second;
            let place = self.place(start..start + 1);
            let message = format!("the equation '{}' has two arrows", brief(self.text));
            report.error("mechanism::equation", message, &place, "an equation has one of =, <=> and =>");
            return None;
        }
        Some((0..arrow.start, arrow.end..self.text.len(), reversible))
    }

    fn side(&self, range: Range<usize>, role: &str, report: &mut Report) -> Option<Side> {
        let collider = self.collider(range.clone());
        let mut side = Side::default();
        if let Some((_, body)) = &collider {
            side.third_body = *body;
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
                    Some(Term::Species(index, coefficient)) => {
                        add(&mut side.terms, index, coefficient);
                        if side.terms.len() > MOST_SPECIES {
                            return self.too_many(role, report);
                        }
                    }
                    Some(Term::ThirdBody) if side.third_body == ThirdBody::None => side.third_body = ThirdBody::Mixture,
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

    /// `(+M)` or `(+SPECIES)` in a side. Names such as `CH2(S)` hold parentheses of their own.
    fn collider(&self, range: Range<usize>) -> Option<(Range<usize>, ThirdBody)> {
        let mut from = range.start;
        while let Some(found) = self.text[from..range.end].find("(+") {
            let start = from + found;
            let mut depth = 0usize;
            let close = self.text[start..range.end].bytes().take(self.species.longest() + 8).position(|b| {
                depth += usize::from(b == b'(');
                depth -= usize::from(b == b')');
                depth == 0
            });
            if let Some(close) = close {
                let inner = &self.text[start + 2..start + close];
                let body = match self.species.find(inner) {
                    Some(index) => Some(ThirdBody::FalloffSpecies(index)),
                    None => inner.eq_ignore_ascii_case("M").then_some(ThirdBody::FalloffMixture),
                };
                if let Some(body) = body {
                    return Some((start..start + close + 1, body));
                }
            }
            from = start + 2;
        }
        None
    }

    /// The longest term at the start of `range` that ends at a `+` or with the range.
    fn term(&self, range: Range<usize>) -> (usize, Option<Term>) {
        let text = &self.text[range.clone()];
        let reach = text.len().min(self.species.longest() + LONGEST_COEFFICIENT);
        let ends = text.bytes().take(reach).enumerate().filter(|(i, b)| *b == b'+' && *i > 0).map(|(i, _)| i);
        let mut ends: Vec<usize> = ends.collect();
        if reach == text.len() {
            ends.push(reach);
        }
        let resolved = ends.iter().rev().find_map(|&end| Some((end, self.resolve(&text[..end])?)));
        match resolved {
            Some((end, term)) => (range.start + end, Some(term)),
            None => {
                let next = text.char_indices().skip(1).find(|(_, c)| *c == '+');
                (range.start + next.map_or(text.len(), |(i, _)| i), None)
            }
        }
    }

    fn resolve(&self, text: &str) -> Option<Term> {
        if let Some(index) = self.species.find(text) {
            return Some(Term::Species(index, 1.0));
        }
        if text.eq_ignore_ascii_case("M") {
            return Some(Term::ThirdBody);
        }
        let name = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if name.eq_ignore_ascii_case("HV") && self.species.find(name).is_none() {
            return Some(Term::Photon);
        }
        // Some names begin with digits, so that the coefficient may end before the last of them.
        let figures = (text.len() - name.len()).min(LONGEST_COEFFICIENT);
        let (name, figures) = (1..=figures).find_map(|end| Some((self.species.find(&text[end..])?, &text[..end])))?;
        Some(Term::Species(name, number::parse(figures).filter(|x| *x > 0.0)?))
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
    fn without_photon(&self, photon: Range<usize>, reversible: bool, report: &mut Report) -> Option<String> {
        let kind = if reversible { "reversible " } else { "" };
        let message = format!("the {kind}reaction '{}' contains a product photon (HV)", brief(self.text));
        let help = "photons are not supported: remove it and write =>, as --permissive does";
        report.forgivable("mechanism::photon", message, &self.place(photon.clone()), help);
        if !report.is_permissive() {
            return None;
        }
        let (arrow, _) = find_arrow(self.text)?;
        let before = self.text[arrow.end..photon.start].trim_end_matches('+');
        let after = self.text[photon.end..].trim_start_matches('+');
        let plus = if before.is_empty() || after.is_empty() { "" } else { "+" };
        Some(format!("{}=>{before}{plus}{after}", &self.text[..arrow.start]))
    }

    fn unknown(&self, range: Range<usize>, report: &mut Report) -> bool {
        let text = &self.text[range.clone()];
        let place = self.place(range);
        let name = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
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
            let help = self.species.suggestion(name, "declare it in the SPECIES section");
            report.error("mechanism::unknown-species", format!("unknown species '{name}'"), &place, help);
        }
        false
    }

    fn second_third_body(&self, range: Range<usize>, report: &mut Report) -> bool {
        let message = format!("the equation '{}' has more than one third body on a side", brief(self.text));
        report.error("mechanism::third-body", message, &self.place(range), "write either +M or (+M), once");
        false
    }

    /// Where a part of the blank-free text stands in the source.
    fn place(&self, range: Range<usize>) -> Word<'_> {
        let start = self.offsets.get(range.start).copied().unwrap_or(self.whole.offset);
        let last = range.end.checked_sub(1).and_then(|i| self.offsets.get(i)).copied().unwrap_or(start);
        Word { offset: start, len: (last + 1).saturating_sub(start), ..self.whole }
    }
}

/// Different species on one side; more are no equation, and would make the search for repeated species long.
const MOST_SPECIES: usize = 100;

/// Digits of a coefficient that are looked at.
const LONGEST_COEFFICIENT: usize = 24;

fn add(terms: &mut Vec<(SpeciesIndex, f64)>, index: SpeciesIndex, coefficient: f64) {
    match terms.iter_mut().find(|(known, _)| *known == index) {
        Some((_, sum)) => *sum += coefficient,
        None => terms.push((index, coefficient)),
    }
}
