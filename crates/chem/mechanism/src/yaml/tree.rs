//! A YAML document as a tree whose nodes know where they stand.

use super::events::{self, Fault};
use super::quoted;
use crate::syntax::Word;
use diagnostics::{Diagnostic, Source, Span};
use std::sync::Arc;

/// A node. Scalars are what the source says, without quotes: readers decide what is a number.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// The scalar, or the beginning of a collection.
    pub place: Word<'a>,
    pub content: Content<'a>,
}

#[derive(Debug, Clone)]
pub enum Content<'a> {
    Scalar,
    List(Vec<Node<'a>>),
    Map(Vec<(Word<'a>, Node<'a>)>),
}

/// Reads one document.
pub fn parse(source: &Arc<Source>) -> Result<Node<'_>, Diagnostic> {
    let fault = match events::read(source, &source.text) {
        Ok(root) => return Ok(root),
        Err(fault) => fault,
    };
    let Fault { offset, message } = match quoted::joined(&source.text) {
        Ok(joined) => match events::read(source, &joined) {
            Ok(root) => return Ok(root),
            Err(_) => fault,
        },
        Err(open) if open < fault.offset => Fault { offset: open, message: "a quoted text has no end".to_owned() },
        Err(_) => fault,
    };
    let span = Span { source: Arc::clone(source), offset, len: 0 };
    let message = format!("this is not YAML: {message}");
    Err(Diagnostic::error("yaml::syntax", message).at(span).help("look for indentation, brackets and quotes"))
}

impl<'a> Node<'a> {
    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries().iter().find(|(k, _)| k.text() == key).map(|(_, value)| value)
    }

    /// Returns the place of a key of a map.
    pub fn key(&self, key: &str) -> Option<Word<'a>> {
        self.entries().iter().find(|(k, _)| k.text() == key).map(|(key, _)| *key)
    }

    /// The entries of a map; none for other nodes.
    pub fn entries(&self) -> &[(Word<'a>, Node<'a>)] {
        match &self.content {
            Content::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; absent for other nodes.
    pub fn items(&self) -> Option<&[Node<'a>]> {
        match &self.content {
            Content::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn scalar(&self) -> Option<Word<'a>> {
        matches!(self.content, Content::Scalar).then_some(self.place)
    }

    /// Whether a scalar says yes.
    pub fn is_true(&self) -> bool {
        self.scalar().is_some_and(|word| word.text().eq_ignore_ascii_case("true"))
    }
}

/// Whether a quoted word stands for another text than it shows.
pub fn is_escaped(word: &Word) -> bool {
    match word.source.text.get(..word.offset).and_then(|before| before.chars().next_back()) {
        Some('"') => word.text().contains('\\'),
        Some('\'') => word.text().contains("''"),
        _ => false,
    }
}
