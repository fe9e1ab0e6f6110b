//! Data of another mechanism, or of another kind: when no species finds its entry, the cause is the file, and is told once.

use super::chemkin;
use super::names::Names;
use super::report::Report;
use super::syntax::Word;
use super::thermo::{Record, Records};
use super::transport::{self, Entry};
use diagnostics::{Diagnostic, Source, Span};
use std::sync::Arc;

/// The texts of the two files where they exist; sections inside the mechanism have none.
#[derive(Clone, Copy)]
pub struct Companions<'a> {
    pub thermo: Option<&'a Arc<Source>>,
    pub transport: Option<&'a Arc<Source>>,
}

/// Whether some of the species have a thermo entry; one error when none has.
pub fn has_thermo(declared: &[Word], records: &Records, files: Companions, report: &mut Report) -> bool {
    if declared.len() < 2 || some(declared, records.records.iter().map(Record::species)) {
        return true;
    }
    let kind = files.thermo.map(Kind::detect);
    let is_other = matches!(kind, Some(Kind::Empty | Kind::Mechanism | Kind::Transport));
    let names = Names::new(declared.iter().map(Word::text));
    let broken = || records.broken.iter().find(|broken| names.find(broken.species()).is_some());
    if let Some(broken) = (!is_other).then(broken).flatten() {
        broken.explain_all(report);
        return false;
    }
    let swapped =
        kind == Some(Kind::Transport) && files.transport.is_some_and(|other| Kind::detect(other) == Kind::Thermo);
    let first = records.records.first().map(Record::place);
    report.push(diagnostic("thermo", declared, files.thermo, kind, swapped, first));
    false
}

/// Whether some of the species have transport data; one error when none has.
pub fn has_transport(declared: &[Word], entries: &[Entry], files: Companions, report: &mut Report) -> bool {
    let names = |whole: bool| entries.iter().filter(move |entry| !whole || entry.is_complete()).map(|e| e.name.text());
    if declared.len() < 2 || some(declared, names(true)) {
        return true;
    }
    let kind = files.transport.map(Kind::detect);
    // Faults in lines of transport data are reported line by line.
    if !matches!(kind, Some(Kind::Mechanism | Kind::Thermo)) && some(declared, names(false)) {
        return true;
    }
    let first = entries.first().map(|entry| entry.name).filter(|_| kind == Some(Kind::Transport));
    report.push(diagnostic("transport", declared, files.transport, kind, false, first));
    false
}

fn some<'n>(declared: &[Word], entries: impl Iterator<Item = &'n str>) -> bool {
    let entries = Names::new(entries);
    declared.iter().any(|word| entries.find(word.text()).is_some())
}

fn diagnostic(
    what: &str,
    declared: &[Word],
    file: Option<&Arc<Source>>,
    kind: Option<Kind>,
    swapped: bool,
    first: Option<Word>,
) -> Diagnostic {
    let id = if what == "thermo" { "thermo::no-entries" } else { "transport::no-entries" };
    let none = format!("none of the {} species has {what} data", declared.len());
    let Some(file) = file else {
        let help = format!("name the file with --{what}, or complete the section inside the mechanism");
        return Diagnostic::error(id, none + ": the section inside the mechanism names other species").help(help);
    };
    let (cause, help) = match kind {
        _ if swapped => {
            ("the thermo and the transport file are swapped".to_owned(), "swap --thermo and --transport".to_owned())
        }
        Some(Kind::Empty) => (format!("'{}' is empty", file.name), format!("name another file with --{what}")),
        Some(Kind::Mechanism) => (format!("'{}' is a mechanism", file.name), format!("name the file with --{what}")),
        Some(Kind::Thermo) if what == "transport" => {
            (format!("'{}' holds thermo data", file.name), "name the file with --transport".to_owned())
        }
        Some(Kind::Transport) if what == "thermo" => {
            (format!("'{}' holds transport data", file.name), "name the file with --thermo".to_owned())
        }
        _ => match first {
            Some(word) => (
                format!("the entries of '{}' are of other species, the first of '{}'", file.name, word.text()),
                "give the file that belongs to this mechanism".to_owned(),
            ),
            None => (format!("'{}' has no entry that can be read", file.name), format!("name the file with --{what}")),
        },
    };
    let place = first.map_or(Span { source: Arc::clone(file), offset: 0, len: 0 }, |word| word.span());
    Diagnostic::error(id, format!("{none}: {cause}")).at(place).help(help)
}

/// Kind of a file, by the contents that can be read from it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Empty,
    Mechanism,
    Thermo,
    Transport,
    Unknown,
}

impl Kind {
    fn detect(source: &Arc<Source>) -> Self {
        let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('!');
        if source.text.lines().all(is_blank) {
            return Self::Empty;
        }
        let mechanism = chemkin::parse(source, &mut Report::default());
        let mut records = Records::default();
        records.add_file(source);
        if !mechanism.species.is_empty() {
            Self::Mechanism
        } else if !records.records.is_empty() {
            Self::Thermo
        } else if transport::parse_file(source).iter().any(Entry::is_complete) {
            Self::Transport
        } else {
            Self::Unknown
        }
    }
}
