//! Contents of the files before any name is resolved: words and their places.

use diagnostics::{Source, Span};
use std::sync::Arc;

/// A piece of a source.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    pub source: &'a Arc<Source>,
    pub offset: usize,
    pub len: usize,
}

impl<'a> Word<'a> {
    pub fn text(&self) -> &'a str {
        self.source.text.get(self.offset..self.offset + self.len).unwrap_or("")
    }

    pub fn span(&self) -> Span {
        Span { source: Arc::clone(self.source), offset: self.offset, len: self.len }
    }

    /// From the start of this word to the end of `last`.
    pub fn to(&self, last: &Word<'a>) -> Word<'a> {
        Word { len: (last.offset + last.len).saturating_sub(self.offset), ..*self }
    }

    /// Without the blanks around it.
    pub fn trimmed(&self) -> Word<'a> {
        let text = self.text();
        let start = text.len() - text.trim_start().len();
        Word { offset: self.offset + start, len: text.trim().len(), ..*self }
    }
}

/// A CHEMKIN mechanism file.
#[derive(Debug, Default)]
pub struct File<'a> {
    /// Symbol and weight.
    pub elements: Vec<(Word<'a>, Option<Word<'a>>)>,
    pub species: Vec<Word<'a>>,
    pub thermo: Vec<ThermoSection<'a>>,
    /// Bodies of TRANSPORT sections.
    pub transport: Vec<Word<'a>>,
    pub reactions: Vec<ReactionSection<'a>>,
}

#[derive(Debug)]
pub struct ThermoSection<'a> {
    pub body: Word<'a>,
    /// Whether its records are NASA-9 instead of NASA-7.
    pub nasa9: bool,
}

#[derive(Debug)]
pub struct ReactionSection<'a> {
    /// The word REACTIONS
    pub key: Word<'a>,
    /// The words that follow it on its line.
    pub units: Vec<Word<'a>>,
    pub reactions: Vec<ReactionLines<'a>>,
}

/// A reaction line and the auxiliary lines below it.
#[derive(Debug)]
pub struct ReactionLines<'a> {
    /// The words of the reaction line, at least one.
    pub words: Vec<Word<'a>>,
    pub auxiliary: Vec<Item<'a>>,
}

/// `KEY` or `KEY / arguments /`
#[derive(Debug)]
pub struct Item<'a> {
    pub key: Word<'a>,
    /// Absent when no slash follows.
    pub arguments: Option<Vec<Word<'a>>>,
    /// Key and arguments.
    pub whole: Word<'a>,
}
