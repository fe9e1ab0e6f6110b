//! Gathers diagnostics while the front end goes on after an error.

use super::lookalike;
use super::syntax::Word;
use diagnostics::{Diagnostic, Span};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// All diagnostics so far.
#[derive(Debug, Default)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
    permissive: bool,
}

/// More than anybody reads; keeps the work linear for files that are no mechanisms at all.
const MOST_DIAGNOSTICS: usize = 1000;

impl Report {
    /// `permissive` turns errors that have an obvious repair into warnings.
    pub fn new(permissive: bool) -> Self {
        Self { permissive, ..Self::default() }
    }

    pub fn error(&mut self, id: &'static str, message: impl Into<String>, place: &Word, help: impl Into<String>) {
        self.push(Diagnostic::error(id, message).at(place.span()).help(help));
    }

    pub fn warning(&mut self, id: &'static str, message: impl Into<String>, place: &Word, help: impl Into<String>) {
        self.push(Diagnostic::warning(id, message).at(place.span()).help(help));
    }

    /// An error that the permissive mode forgives.
    pub fn forgivable(&mut self, id: &'static str, message: impl Into<String>, place: &Word, help: impl Into<String>) {
        if self.permissive {
            self.warning(id, message, place, help);
        } else {
            self.error(id, message, place, help);
        }
    }

    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        if self.diagnostics.len() < MOST_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }

    /// Number of errors so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether all diagnostics have this id.
    pub fn has_only(&self, id: &str) -> bool {
        self.dropped == 0 && self.diagnostics.iter().all(|diagnostic| diagnostic.id == id)
    }

    /// Whether a diagnostic has this id.
    pub fn has(&self, id: &str) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.id == id)
    }

    /// Whether a file could not be opened: what it would have held is then not missing.
    pub fn has_unreadable_file(&self) -> bool {
        let unread = ["mechanism::unreadable-file", "mechanism::file-size", "mechanism::not-a-text"];
        self.diagnostics.iter().any(|diagnostic| unread.contains(&diagnostic.id))
    }

    /// All diagnostics by file and place; those without a place come first.
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        let mut files: Vec<String> = Vec::new();
        for span in self.diagnostics.iter().filter_map(|diagnostic| diagnostic.span.as_ref()) {
            if !files.contains(&span.source.name) {
                files.push(span.source.name.clone());
            }
        }
        let rank = |name: &str| files.iter().position(|known| known == name);
        self.diagnostics.sort_by_cached_key(|d| d.span.as_ref().map(|span| (rank(&span.source.name), span.offset)));
        self.diagnostics = gathered(self.diagnostics);
        self.diagnostics.iter_mut().filter(|diagnostic| diagnostic.is_error()).for_each(name_lookalikes);
        if self.dropped > 0 {
            let message = format!("{} further problems are not shown", self.dropped);
            let last = if self.errors > 0 { Diagnostic::error } else { Diagnostic::warning };
            self.diagnostics.push(last("mechanism::too-many-problems", message).help("repair those above first"));
        }
        self.diagnostics
    }
}

fn name_lookalikes(diagnostic: &mut Diagnostic) {
    let note = diagnostic.span.as_ref().and_then(lookalike::note);
    if let (Some(help), Some(note)) = (&mut diagnostic.help, note) {
        *help += &format!("; {note}");
    }
}

/// Names that are met in many places have one cause: the first place, with the lines of the others in its remedy.
fn gathered(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    let mut first: HashMap<(&str, String), usize> = HashMap::new();
    for diagnostic in diagnostics {
        // An entry that several species share by an alias is read several times.
        if kept.last().is_some_and(|(last, _)| *last == diagnostic) {
            continue;
        }
        let Some(span) = diagnostic.span.clone().filter(|_| OF_NAMES.contains(&diagnostic.id)) else {
            kept.push((diagnostic, Vec::new()));
            continue;
        };
        match first.entry((diagnostic.id, diagnostic.message.clone())) {
            Entry::Occupied(place) => kept[*place.get()].1.push(span),
            Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push((diagnostic, Vec::new()));
            }
        }
    }
    let told = |(mut diagnostic, others): (Diagnostic, Vec<Span>)| {
        if let Some(help) = diagnostic.help.as_mut().filter(|_| !others.is_empty()) {
            let mut places: Vec<String> =
                others.iter().take(MOST_LINES).map(|span| span.line_column().0.to_string()).collect();
            if others.len() > MOST_LINES {
                places.push(format!("and {} more", others.len() - MOST_LINES));
            }
            *help += &format!(" (likewise in line{} {})", if others.len() == 1 { "" } else { "s" }, places.join(", "));
        }
        diagnostic
    };
    kept.into_iter().map(told).collect()
}

/// What is said of a name, not of the place where it stands.
const OF_NAMES: [&str; 3] =
    ["mechanism::unknown-species", "mechanism::unused-efficiency", "thermo::undeclared-element"];

const MOST_LINES: usize = 10;

/// The beginning of a text that may be long, for messages.
pub fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
