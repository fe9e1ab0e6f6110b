//! The file that was asked for and those that it refers to, with their sections.

use super::system::System;
use super::tree::{self, Node};
use crate::names::Names;
use crate::report::Report;
use crate::syntax::Word;
use diagnostics::Source;
use std::sync::Arc;

/// Finds the text of another file. The word is the reference, for the diagnostic when there is none.
pub type Load<'l> = dyn FnMut(&str, &Word, &mut Report) -> Option<Arc<Source>> + 'l;

/// A file and its tree.
pub struct Document<'a> {
    /// As references name it; empty for the file that was asked for.
    pub name: String,
    pub root: Node<'a>,
    /// The file's own `units`.
    pub system: System,
}

/// One section of a file.
#[derive(Clone, Copy)]
pub struct Section<'d, 'a> {
    pub entries: &'d [Node<'a>],
    pub system: System,
}

impl<'a> Document<'a> {
    /// Absent after a syntax error.
    pub fn new(name: &str, source: &'a Arc<Source>, report: &mut Report) -> Option<Self> {
        match tree::parse(source) {
            Ok(root) => {
                let system = System::DEFAULT.apply(root.get("units"), report);
                Some(Self { name: name.to_owned(), root, system })
            }
            Err(diagnostic) => {
                report.push(diagnostic);
                None
            }
        }
    }

    /// A list of entries. Its first item may be a `units` block for the others.
    fn section(&self, name: &str, report: &mut Report) -> Option<Section<'_, 'a>> {
        let entries = self.root.get(name)?.items()?;
        for units in entries.iter().skip(1).filter_map(only_units) {
            let message = "units that are not the first item of their list have no effect on those behind them";
            let help = "write the units first in the list, or into each entry";
            report.error("yaml::misplaced-units", message, &units, help);
        }
        match entries.split_first() {
            Some((first, rest)) if only_units(first).is_some() => {
                Some(Section { entries: rest, system: self.system.apply(first.get("units"), report) })
            }
            _ => Some(Section { entries, system: self.system }),
        }
    }
}

/// The key of an item that holds units alone.
fn only_units<'a>(item: &Node<'a>) -> Option<Word<'a>> {
    match item.entries() {
        [(key, _)] if key.text() == "units" => Some(*key),
        _ => None,
    }
}

/// Finds `section`, `__file__/section` or `file.yaml/section`; reports a section that is not there.
pub fn section<'d, 'a>(
    documents: &'d [Document<'a>],
    reference: &Word,
    report: &mut Report,
) -> Option<Section<'d, 'a>> {
    let (file, name) = split(reference.text());
    // A file that could not be read is reported already.
    named(documents.iter().find(|document| document.name == file)?, name, reference, report)
}

/// Finds a section of one file; reports at `place` when it is not there.
pub fn named<'d, 'a>(
    document: &'d Document<'a>,
    name: &str,
    place: &Word,
    report: &mut Report,
) -> Option<Section<'d, 'a>> {
    let section = document.section(name, report);
    if section.is_none() {
        let message = format!("there is no section '{name}'");
        let sections: Vec<&str> = document.root.entries().iter().map(|(key, _)| key.text()).collect();
        let help = Names::new(sections).suggestion(name, "a section is a list at the top level of its file");
        report.error("yaml::missing-section", message, place, help);
    }
    section
}

/// (file, section); the file is empty where it is the same one.
pub fn split(reference: &str) -> (&str, &str) {
    match reference.rsplit_once('/') {
        Some(("__file__", name)) => ("", name),
        Some((file, name)) => (file, name),
        None => ("", reference),
    }
}
