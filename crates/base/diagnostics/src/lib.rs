//! Diagnostics are data: an id, a severity, a span, a message and a remedy. Several are gathered before a step stops.
//!
//! ```
//! use diagnostics::{Diagnostic, Source, Span, Style, render, to_json};
//! use std::sync::Arc;
//!
//! let source = Arc::new(Source { name: "chem.inp".to_owned(), text: "SPECIES\nH2 O2 X2\nEND\n".to_owned() });
//! let span = Span { offset: 14, len: 2, source };
//! assert_eq!((span.line_column(), span.text()), ((2, 7), "X2"));
//! let unknown = Diagnostic::error("thermo::missing-species", "X2 has no thermodynamic data").at(span).help("add a THERMO record");
//! let text = render(std::slice::from_ref(&unknown), Style::Plain);
//! assert!(text.contains("chem.inp:2:7") && text.contains("H2 O2 X2") && text.contains("add a THERMO record"));
//! assert_eq!(to_json(&[unknown])[0]["line"], 2);
//! ```
//!
//! Every id has an [`Entry`] in the catalogue, from which the page of all diagnostics is made ([`page`]).
#![forbid(unsafe_code)]

mod catalogue;
mod file;
mod json;
mod quote;
mod render;
mod stderr;

pub use catalogue::{Entry, entries, page};
pub use file::{read_beginning, read_file};
pub use json::to_json;
pub use quote::{is_invisible, visible};
pub use render::{Style, render};
pub use stderr::to_stderr;

use std::fmt;
use std::sync::Arc;

/// A text that was read from a file, kept so that diagnostics can quote it.
#[derive(PartialEq, Eq)]
pub struct Source {
    /// The name under which the user knows the file.
    pub name: String,
    /// The whole text. When the file was read, bytes that are not UTF-8 were replaced by U+FFFD, line ends by line feeds,
    /// and control characters other than tabs by blanks.
    pub text: String,
}

/// The name alone: a whole file in the debug output of every span would hide all else.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Source").field(&self.name).finish()
    }
}

/// A range of bytes in a [`Source`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub source: Arc<Source>,
    pub offset: usize,
    pub len: usize,
}

impl Span {
    /// Line and column, both counted from 1; the column counts characters.
    pub fn line_column(&self) -> (usize, usize) {
        let end = self.offset.min(self.source.text.len());
        let before = &self.source.text.as_bytes()[..end];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
        (line, column)
    }

    /// A whole line without the blanks around it, counted from 1; empty behind the last one.
    pub fn of_line(source: &Arc<Source>, line: u32) -> Self {
        let start = |line: &str| line.as_ptr() as usize - source.text.as_ptr() as usize;
        let found = source.text.lines().nth(line.saturating_sub(1) as usize).map(str::trim);
        let (offset, len) = found.map_or((source.text.len(), 0), |line| (start(line), line.len()));
        Self { source: Arc::clone(source), offset, len }
    }

    /// The quoted text.
    pub fn text(&self) -> &str {
        self.source.text.get(self.offset..self.offset + self.len).unwrap_or("")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// One message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable identifier such as `mechanism::unknown-species`.
    pub id: &'static str,
    pub severity: Severity,
    /// The cause, in one sentence.
    pub message: String,
    /// Place of the cause, if it has one in a file.
    pub span: Option<Span>,
    /// Advice for the reader.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self { id, severity: Severity::Error, message: quote::shortened(message.into()), span: None, help: None }
    }

    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(id, message) }
    }

    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(quote::shortened(help.into()));
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
