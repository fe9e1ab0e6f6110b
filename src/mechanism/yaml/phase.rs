//! Which elements, species and reactions the gas phase of a file consists of.

use super::tree::{Content, Node};
use super::{missing, unsupported};
use crate::mechanism::report::Report;
use crate::mechanism::syntax::Word;

/// What the first ideal-gas phase of a file selects.
pub struct Phase<'d, 'a> {
    pub elements: Vec<(Word<'a>, Option<Word<'a>>)>,
    pub species: Vec<Word<'a>>,
    /// The entries of all selected sections of species.
    pub species_entries: Vec<&'d Node<'a>>,
    pub reactions: Vec<&'d Node<'a>>,
    /// Whether reactions with undeclared species are left out.
    pub declared_only: bool,
}

/// Absent after an error.
pub fn select<'d, 'a>(root: &'d Node<'a>, report: &mut Report) -> Option<Phase<'d, 'a>> {
    let phases = root.get("phases").and_then(Node::items).unwrap_or(&[]);
    let gas = |phase: &&Node| phase.get("thermo").is_some_and(|thermo| thermo.place.text() == "ideal-gas");
    let Some(phase) = phases.iter().find(gas) else {
        let message = "the file has no phase whose thermo is ideal-gas";
        report.error("yaml::unsupported", message, &root.place, "Singe computes ideal gases only");
        return None;
    };
    let elements = phase.get("elements").and_then(Node::items);
    let Some(elements) = elements else { return missing(phase, "elements", report) };
    let weights = root.get("elements").and_then(Node::items).unwrap_or(&[]);
    let weight = |symbol: &Word| {
        let own = weights.iter().find(|e| e.get("symbol").is_some_and(|s| s.place.text() == symbol.text()));
        own.and_then(|entry| entry.get("atomic-weight")).map(|weight| weight.place)
    };
    let elements = elements.iter().map(|symbol| (symbol.place, weight(&symbol.place))).collect();

    let mut species = Vec::new();
    let mut species_entries = Vec::new();
    let Some(listed) = phase.get("species") else { return missing(phase, "species", report) };
    for (section, names) in sections(listed, "species") {
        let Some(entries) = section_items(root, section, listed, report) else { continue };
        species_entries.extend(entries);
        let all = entries.iter().filter_map(|entry| Some(entry.get("name")?.place));
        match &names.content {
            Content::List(names) => species.extend(names.iter().map(|name| name.place)),
            _ if names.place.text() == "all" => species.extend(all),
            _ => unsupported(&names.place, "list the species, or write all", report),
        }
    }

    let mut reactions = Vec::new();
    let mut declared_only = false;
    if phase.get("kinetics").is_some() {
        let listed = phase.get("reactions");
        let selected = listed.map_or_else(Vec::new, |listed| sections(listed, "reactions"));
        // `reactions` may be left out: then it is all of the section of that name.
        let default = if listed.is_none() { root.get("reactions").and_then(Node::items) } else { None };
        reactions.extend(default.unwrap_or(&[]));
        for (section, which) in selected {
            match which.place.text() {
                "none" => continue,
                "declared-species" => declared_only = true,
                _ => {}
            }
            reactions.extend(section_items(root, section, which, report).unwrap_or(&[]));
        }
    }
    Some(Phase { elements, species, species_entries, reactions, declared_only })
}

/// (section, what is taken from it) of a `species` or `reactions` entry of a phase.
fn sections<'d, 'a>(listed: &'d Node<'a>, default: &'static str) -> Vec<(&'d str, &'d Node<'a>)> {
    match &listed.content {
        Content::List(items) if items.iter().any(|item| !item.entries().is_empty()) => {
            let entries = items.iter().flat_map(|item| item.entries());
            entries.map(|(section, what)| (section.text(), what)).collect()
        }
        // A list of reactions names sections, a list of species names species.
        Content::List(items) if default == "reactions" => items.iter().map(|item| (item.place.text(), item)).collect(),
        Content::Map(entries) => entries.iter().map(|(section, what)| (section.text(), what)).collect(),
        _ => vec![(default, listed)],
    }
}

fn section_items<'d, 'a>(
    root: &'d Node<'a>,
    section: &str,
    named: &Node<'a>,
    report: &mut Report,
) -> Option<&'d [Node<'a>]> {
    let local = section.strip_prefix("__file__/").unwrap_or(section);
    let items = root.get(local).and_then(Node::items);
    if items.is_none() {
        let message = format!("the file has no section '{section}'");
        let help = "Singe reads one file: copy the entries of other files into it";
        report.error("yaml::missing-section", message, &named.place, help);
    }
    items
}
