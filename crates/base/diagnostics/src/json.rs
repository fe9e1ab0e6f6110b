//! Diagnostics as JSON, for editors and scripts.

use super::render::LONGEST_QUOTE;
use super::{Diagnostic, Severity};
use serde::Serialize;

/// A JSON array with one object for each diagnostic: `id`, `severity`, `message`, `help`, and for those with a place
/// `file`, `line`, `column` (both from 1, in characters) and `text`, of which there are at most 200 bytes.
pub fn to_json(diagnostics: &[Diagnostic]) -> serde_json::Value {
    let entries: Vec<Entry> = diagnostics.iter().map(Entry::new).collect();
    serde_json::json!(entries)
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    severity: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Option<Place<'a>>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    text: &'a str,
}

impl<'a> Entry<'a> {
    fn new(diagnostic: &'a Diagnostic) -> Self {
        let place = diagnostic.span.as_ref().map(|span| {
            let (line, column) = span.line_column();
            let text = span.text();
            Place { file: &span.source.name, line, column, text: &text[..text.floor_char_boundary(LONGEST_QUOTE)] }
        });
        let severity = match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        Self { id: diagnostic.id, severity, message: &diagnostic.message, place, help: diagnostic.help.as_deref() }
    }
}
