//! Gathers diagnostics while the front end goes on after an error.

use super::syntax::Word;
use crate::diagnostic::Diagnostic;

#[derive(Debug, Default)]
pub struct Report {
    pub diagnostics: Vec<Diagnostic>,
    /// Turns errors that have an obvious repair into warnings.
    pub permissive: bool,
}

impl Report {
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

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether a file could not be opened: what it would have held is then not missing.
    pub fn has_unreadable_file(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.id == "mechanism::unreadable-file")
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
        self.diagnostics
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
