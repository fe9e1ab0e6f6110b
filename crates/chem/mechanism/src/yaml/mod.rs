//! Cantera YAML files: one gas phase with its species and reactions, brought to the same parts as CHEMKIN files.
//!
//! Numbers keep their texts until their units are known, so that a mechanism gives the same bits in both formats.

mod burke;
mod collider;
mod document;
mod events;
mod explicit;
mod fields;
mod keys;
mod phase;
mod quoted;
mod rates;
mod reaction;
mod reverse;
mod species;
mod system;
mod thermo;
mod transport;
mod tree;

use super::names::Names;
use super::report::Report;
use super::syntax::Word;
use super::{Diffusion, Element, Phase, Reaction, Species, elements, lookalike};
use diagnostics::{Diagnostic, Source};
use document::Document;
pub use document::Load;
use std::path::Path;
use std::sync::Arc;
use tree::Node;

/// Declarations of a file. Species with errors are absent, and reactions with errors are left out.
pub struct Contents {
    pub phase: Phase,
    pub diffusion: Diffusion,
    pub elements: Vec<Element>,
    pub species: Vec<Option<Species>>,
    pub reactions: Vec<Reaction>,
}

/// Parts to read of a file.
#[derive(Clone, Copy)]
pub struct Selection<'a> {
    /// The name of the phase; the first one of ideal gases when it is left out.
    pub phase: Option<&'a str>,
    pub wants_transport: bool,
}

/// Whether a file of this name is YAML.
pub fn is_yaml(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("yaml") || e.eq_ignore_ascii_case("yml"))
}

/// Reads an ideal-gas phase with the sections of other files that it refers to; absent after an error that leaves nothing
/// to read.
pub fn read(source: &Arc<Source>, selection: Selection, load: &mut Load, report: &mut Report) -> Option<Contents> {
    let contents = contents(source, selection, load, report);
    if report.errors() > 0 {
        lookalike::warn_of_no_break_spaces(source, report);
    }
    contents
}

fn contents(source: &Arc<Source>, selection: Selection, load: &mut Load, report: &mut Report) -> Option<Contents> {
    let Selection { phase, wants_transport } = selection;
    let own = Document::new("", source, report)?;
    let others = others(&own, phase, load, report);
    let mut documents = vec![own];
    documents.extend(others.iter().filter_map(|(name, source)| Document::new(name, source, report)));
    documents.iter().for_each(|document| keys::misspelt_sections(&document.root, report));
    let phase = phase::choose(&documents[0].root, phase, report)?;
    keys::misspelt(phase, &keys::PHASE, report);

    let mut listed = phase::species(phase, &documents, report);
    let declared_elements = phase::elements(phase, &documents, report);
    let symbols = declared_elements.unwrap_or_else(|| species::elements_of(&listed));
    let elements = elements::read(&symbols, report);
    if phase.get("skip-undeclared-elements").is_some_and(Node::is_true) {
        species::retain_declared(&mut listed, &elements);
    }
    let words: Vec<Word> = listed.iter().map(|species| species.name).collect();
    for name in words.iter().filter(|name| tree::is_escaped(name)) {
        let message = format!("the name {} is written with escapes", name.text());
        report.error("mechanism::species-name", message, name, "write it plain or between the other quotes");
    }
    let declared = super::species::declared(&words, report);
    let described = wants_transport && species::are_described(phase, &listed, report);
    let species = species::assemble(&declared, &elements, &listed, described, report);

    let selected = phase::reactions(phase, &documents, report);
    let names = Names::of_species(declared.iter().map(Word::text));
    let skip_third_bodies = phase.get("skip-undeclared-third-bodies").is_some_and(Node::is_true);
    let mut reactions = reaction::read(&selected, &names, skip_third_bodies, report);
    if let Some(rule) = explicit::rule(phase.get("explicit-third-body-duplicates"), report) {
        crate::explicit::check(rule, &mut reactions, report);
    }
    if reactions.is_empty() && report.errors() == 0 {
        let diagnostic = Diagnostic::warning("mechanism::no-reactions", "the mechanism has no reactions");
        report.push(diagnostic.at(phase.place.span()).help("add reactions, unless only transport is wanted"));
    }
    let diffusion = if wants_transport { transport::diffusion(phase, report) } else { Diffusion::default() };
    let phase = Phase { others: phase::others(&documents[0].root, phase), ..phase::in_words(phase) };
    Some(Contents { phase, diffusion, elements, species, reactions })
}

fn others(own: &Document, phase: Option<&str>, load: &mut Load, report: &mut Report) -> Vec<(String, Arc<Source>)> {
    let mut others: Vec<(String, Arc<Source>)> = Vec::new();
    let mut asked: Vec<&str> = vec![""];
    // Faults of the phase are reported later, when it is chosen for good.
    let references = phase::choose(&own.root, phase, &mut Report::default()).map_or_else(Vec::new, phase::references);
    for reference in &references {
        let (file, _) = document::split(reference.text());
        if !asked.contains(&file) {
            asked.push(file);
            others.extend(load(file, reference, report).map(|source| (file.to_owned(), source)));
        }
    }
    others
}
