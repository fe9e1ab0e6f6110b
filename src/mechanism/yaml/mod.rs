//! Cantera YAML files: one gas phase with its species and reactions, brought to the same parts as CHEMKIN files.
//!
//! Numbers keep their texts until their units are known, so that a mechanism gives the same bits in both formats.

mod phase;
mod reaction;
mod species;
mod system;
mod tree;

use super::auxiliary::report_number;
use super::names::Names;
use super::report::Report;
use super::syntax::Word;
use super::{Element, Reaction, Species, elements, number as reals};
use crate::diagnostic::{Diagnostic, Source};
use std::path::Path;
use std::sync::Arc;
use system::System;
use tree::{Content, Node};

/// What a file declares. Species with errors are absent, and reactions with errors are left out.
pub struct Contents {
    pub elements: Vec<Element>,
    pub species: Vec<Option<Species>>,
    pub reactions: Vec<Reaction>,
}

/// Whether a file of this name is YAML.
pub fn is_yaml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"))
}

/// Reads the first ideal-gas phase; absent after an error that leaves nothing to read.
pub fn read(source: &Arc<Source>, report: &mut Report) -> Option<Contents> {
    let root = match tree::parse(source) {
        Ok(root) => root,
        Err(diagnostic) => {
            report.push(diagnostic);
            return None;
        }
    };
    let system = System::DEFAULT.apply(root.get("units"), report);
    let phase = phase::select(&root, report)?;
    let elements = elements::read(&phase.elements, report);
    let declared = super::species::declared(&phase.species, report);
    let species = species::assemble(&declared, &elements, &phase.species_entries, report);
    let names = Names::new(declared.iter().map(Word::text));
    let reactions = reaction::read(&phase.reactions, &names, system, phase.declared_only, report);
    if reactions.is_empty() && report.errors() == 0 {
        let diagnostic = Diagnostic::warning("mechanism::no-reactions", "the mechanism has no reactions");
        report.push(diagnostic.at(root.place.span()).help("add reactions, unless only transport is wanted"));
    }
    Some(Contents { elements, species, reactions })
}

/// Says that a map lacks a key.
fn missing<T>(node: &Node, key: &str, report: &mut Report) -> Option<T> {
    report.error("yaml::missing-key", format!("this entry has no {key}"), &node.place, format!("add {key}"));
    None
}

/// Says that Singe does not know what a word stands for.
fn unsupported(word: &Word, help: &str, report: &mut Report) {
    report.error("yaml::unsupported", format!("'{}' is not supported", word.text()), word, help);
}

fn number(node: &Node, report: &mut Report) -> Option<f64> {
    let value = match node.content {
        Content::Scalar => reals::parse(node.place.text()),
        _ => None,
    };
    if value.is_none() {
        report_number(&node.place, report);
    }
    value
}

fn numbers(node: &Node, report: &mut Report) -> Option<Vec<f64>> {
    let Some(items) = node.items() else {
        report_number(&node.place, report);
        return None;
    };
    let values: Vec<Option<f64>> = items.iter().map(|item| number(item, report)).collect();
    values.into_iter().collect()
}
