//! The phase of a file that is read, and the elements, species and reactions that it selects.

use super::document::{self, Document, Section};
use super::fields::unsupported;
use super::keys;
use super::system::System;
use super::tree::{Content, Node};
use crate::Phase;
use crate::names::Names;
use crate::report::Report;
use crate::syntax::Word;

/// A species that the phase lists.
pub struct Listed<'d, 'a> {
    pub name: Word<'a>,
    /// Absent when its section lacks it.
    pub entry: Option<&'d Node<'a>>,
    pub system: System,
}

/// Reactions that the phase takes from one section.
pub struct Selected<'d, 'a> {
    pub section: Section<'d, 'a>,
    /// Whether reactions with undeclared species are left out.
    pub declared_only: bool,
}

/// The ideal-gas phase of this name, or the first one; absent after an error.
pub fn choose<'d, 'a>(root: &'d Node<'a>, name: Option<&str>, report: &mut Report) -> Option<&'d Node<'a>> {
    let Some(phases) = root.get("phases").and_then(Node::items).filter(|phases| !phases.is_empty()) else {
        report.error("yaml::phase", "the file has no phases", &root.place, "add a phase of the type ideal-gas");
        return None;
    };
    let kind = |phase: &Node<'a>| phase.get("thermo").map_or(phase.place, |thermo| thermo.place);
    let title = |phase: &Node<'a>| phase.get("name").map_or("", |name| name.place.text());
    let Some(name) = name else {
        let found = phases.iter().find(|phase| is_gas(phase));
        let first = kind(&phases[0]);
        if let Some(phase) = found.filter(|phase| !std::ptr::eq(*phase, &phases[0])) {
            let (taken, other) = (title(phase), title(&phases[0]));
            let message =
                format!("the phase '{taken}' is read: the first one, '{other}', is of the type '{}'", first.text());
            let place = phase.get("name").map_or(phase.place, |name| name.place);
            report.warning("yaml::phase-choice", message, &place, format!("say --phase {taken} if it is meant"));
        }
        if found.is_none() {
            let message = format!("the file has no phase of ideal gases: its first is of the type '{}'", first.text());
            report.error("yaml::phase", message, &first, "Singe computes phases of the type ideal-gas only");
        }
        return found;
    };
    let names = Names::new(phases.iter().map(title));
    let Some(phase) = phases.iter().find(|phase| title(phase) == name) else {
        let place = root.key("phases").unwrap_or(root.place);
        let known: Vec<&str> = phases.iter().map(title).collect();
        let help = names.suggestion(name, &format!("its phases are {}", known.join(", ")));
        report.error("yaml::phase", format!("the file has no phase '{name}'"), &place, help);
        return None;
    };
    if !is_gas(phase) {
        unsupported(&kind(phase), "Singe computes phases of the type ideal-gas only", report);
        return None;
    }
    Some(phase)
}

/// Returns the other phases of ideal gases in the file.
pub fn others(root: &Node, taken: &Node) -> Vec<Phase> {
    let phases = root.get("phases").and_then(Node::items).unwrap_or(&[]).iter();
    phases.filter(|phase| is_gas(phase) && !std::ptr::eq(*phase, taken)).map(in_words).collect()
}

/// Returns the names that a phase has.
pub fn in_words(phase: &Node) -> Phase {
    let text = |key: &str| phase.get(key).map(|value| value.place.text().to_owned());
    Phase { name: text("name"), transport: text("transport"), others: Vec::new() }
}

fn is_gas(phase: &Node) -> bool {
    phase.get("thermo").is_some_and(|thermo| thermo.place.text() == "ideal-gas")
}

/// The references of a phase to sections.
pub fn references<'a>(phase: &Node<'a>) -> Vec<Word<'a>> {
    let mut references = Vec::new();
    for key in ["elements", "species", "reactions"] {
        for (section, rule) in phase.get(key).map_or_else(Vec::new, rules) {
            references.extend(section);
            // Names in the list of reactions are those of sections.
            match (rule, key) {
                (Rule::Names(sections), "reactions") => references.extend(sections.iter().map(|section| section.place)),
                (Rule::Item(section), "reactions") => references.push(section),
                _ => {}
            }
        }
    }
    references
}

/// The species in the order of the list.
pub fn species<'d, 'a>(phase: &'d Node<'a>, documents: &'d [Document<'a>], report: &mut Report) -> Vec<Listed<'d, 'a>> {
    let mut listed = Vec::new();
    let everything = [(None, Rule::All)];
    let given = phase.get("species").map(rules);
    for (reference, rule) in given.as_deref().unwrap_or(&everything) {
        let Some(section) = find("species", reference, phase, documents, report) else { continue };
        let names: Vec<Option<Word>> =
            section.entries.iter().map(|entry| entry.get("name").map(|name| name.place)).collect();
        let (entries, system) = (section.entries, section.system);
        let all = || entries.iter().zip(&names).filter_map(|(entry, name)| Some((*name.as_ref()?, entry)));
        match rule {
            Rule::All => listed.extend(all().map(|(name, entry)| Listed { name, entry: Some(entry), system })),
            Rule::Names(wanted) => {
                let known = Names::new(names.iter().map(|name| name.map_or("", |name| name.text())));
                for node in *wanted {
                    let entry = known.find(node.place.text()).map(|i| &entries[i]);
                    if entry.is_none() {
                        let message = format!("no entry found for species '{}'", node.place.text());
                        let help = known.suggestion(node.place.text(), "add its entry to the species section");
                        report.error("thermo::missing-species", message, &node.place, help);
                    }
                    listed.push(Listed { name: node.place, entry, system });
                }
            }
            Rule::Other(word) => unsupported(word, "list the species, or write all", report),
            Rule::Item(word) => unsupported(word, "write it into the list of a section: - species: [H2, O2]", report),
        }
    }
    listed
}

/// The sections of reactions.
pub fn reactions<'d, 'a>(
    phase: &'d Node<'a>,
    documents: &'d [Document<'a>],
    report: &mut Report,
) -> Vec<Selected<'d, 'a>> {
    let Some(kinetics) = phase.get("kinetics").filter(|kinetics| kinetics.place.text() != "none") else {
        return Vec::new();
    };
    if !matches!(kinetics.place.text(), "gas" | "bulk") {
        unsupported(&kinetics.place, "the kinetics of a gas are of the type gas", report);
        return Vec::new();
    }
    let mut selected = Vec::new();
    let given = phase.get("reactions");
    if given.is_none() && documents.first().is_some_and(|own| own.root.get("reactions").is_none()) {
        return selected;
    }
    let mut add = |reference: &Option<Word<'a>>, rule: Option<&Word<'a>>, report: &mut Report| {
        let declared_only = match rule.map_or("all", |word| word.text()) {
            "none" => return,
            "all" => false,
            "declared-species" => true,
            _ => {
                rule.into_iter().for_each(|word| unsupported(word, "write all, declared-species or none", report));
                return;
            }
        };
        let section = find("reactions", reference, phase, documents, report);
        selected.extend(section.map(|section| Selected { section, declared_only }));
    };
    let Some(given) = given else {
        add(&None, None, report);
        return selected;
    };
    for (reference, rule) in rules(given) {
        match rule {
            Rule::All => add(&reference, None, report),
            Rule::Names(sections) => sections.iter().for_each(|name| add(&Some(name.place), None, report)),
            Rule::Other(word) => add(&reference, Some(&word), report),
            Rule::Item(section) => add(&Some(section), None, report),
        }
    }
    selected
}

/// Symbol and weight of the elements; absent when the phase does not list them.
pub fn elements<'d, 'a>(
    phase: &'d Node<'a>,
    documents: &'d [Document<'a>],
    report: &mut Report,
) -> Option<Vec<(Word<'a>, Option<Word<'a>>)>> {
    let mut elements = Vec::new();
    let own = documents.first()?.root.get("elements").and_then(Node::items).unwrap_or(&[]);
    own.iter().for_each(|entry| keys::misspelt(entry, &keys::ELEMENT, report));
    let weight = |symbol: &Node<'a>, entries: &'d [Node<'a>]| {
        let is_it = |entry: &&Node| entry.get("symbol").is_some_and(|s| s.place.text() == symbol.place.text());
        entries.iter().find(is_it).and_then(|entry| entry.get("atomic-weight")).map(|weight| weight.place)
    };
    for (reference, rule) in rules(phase.get("elements")?) {
        let (entries, is_default) = match &reference {
            None => (own, true),
            Some(word) if word.text() == "default" => (&[][..], true),
            Some(word) => match document::section(documents, word, report) {
                Some(section) => (section.entries, false),
                None => continue,
            },
        };
        match rule {
            Rule::Names(symbols) => elements.extend(symbols.iter().map(|s| (s.place, weight(s, entries)))),
            Rule::All if !is_default => {
                let symbols = entries.iter().filter_map(|entry| entry.get("symbol"));
                elements.extend(symbols.map(|s| (s.place, weight(s, entries))));
            }
            Rule::Item(word) => unsupported(&word, "write it into the list of a section: - default: [H, O]", report),
            _ => unsupported(&phase.get("elements")?.place, "list the elements", report),
        }
    }
    Some(elements)
}

enum Rule<'d, 'a> {
    All,
    Names(&'d [Node<'a>]),
    Other(Word<'a>),
    /// An item beside sections in a list.
    Item(Word<'a>),
}

/// (section, what is taken from it) of a list of elements, species or reactions; no section stands for the usual one.
fn rules<'d, 'a>(listed: &'d Node<'a>) -> Vec<(Option<Word<'a>>, Rule<'d, 'a>)> {
    let rule = |node: &'d Node<'a>| match &node.content {
        Content::List(names) => Rule::Names(names),
        _ if node.place.text() == "all" => Rule::All,
        _ => Rule::Other(node.place),
    };
    match &listed.content {
        Content::List(items) if items.iter().any(|item| !item.entries().is_empty()) => {
            let section = |(section, what): &'d (Word<'a>, Node<'a>)| (Some(*section), rule(what));
            let rules = |item: &'d Node<'a>| match item.entries() {
                [] => vec![(None, Rule::Item(item.place))],
                entries => entries.iter().map(section).collect(),
            };
            items.iter().flat_map(rules).collect()
        }
        Content::Map(entries) => entries.iter().map(|(section, what)| (Some(*section), rule(what))).collect(),
        _ => vec![(None, rule(listed))],
    }
}

fn find<'d, 'a>(
    usual: &str,
    reference: &Option<Word<'a>>,
    phase: &Node<'a>,
    documents: &'d [Document<'a>],
    report: &mut Report,
) -> Option<Section<'d, 'a>> {
    match reference {
        Some(word) => document::section(documents, word, report),
        None => {
            let place = phase.key(usual).unwrap_or(phase.place);
            document::named(documents.first()?, usual, &place, report)
        }
    }
}
