//! A YAML document as a tree whose nodes know where they stand.

use super::quoted;
use crate::syntax::Word;
use diagnostics::{Diagnostic, Source, Span};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};
use std::fmt;
use std::sync::Arc;

/// A node. Scalars are what the source says, without quotes: readers decide what is a number.
#[derive(Debug)]
pub struct Node<'a> {
    /// The scalar, or the beginning of a collection.
    pub place: Word<'a>,
    pub content: Content<'a>,
}

#[derive(Debug)]
pub enum Content<'a> {
    Scalar,
    List(Vec<Node<'a>>),
    Map(Vec<(Word<'a>, Node<'a>)>),
}

/// Reads one document.
pub fn parse(source: &Arc<Source>) -> Result<Node<'_>, Diagnostic> {
    let error = match read(&source.text) {
        Ok(root) => return Ok(node(source, root)),
        Err(error) => error,
    };
    let place = error.location().map_or(0, |place| offset(&source.text, place));
    let (offset, message) = match quoted::joined(&source.text) {
        Ok(joined) => match read(&joined) {
            Ok(root) => return Ok(node(source, root)),
            Err(_) => (place, cause(&error.to_string()).to_owned()),
        },
        Err(open) if open < place => (open, "a quoted text has no end".to_owned()),
        Err(_) => (place, cause(&error.to_string()).to_owned()),
    };
    let span = Span { source: Arc::clone(source), offset, len: 0 };
    let message = format!("this is not YAML: {message}");
    Err(Diagnostic::error("yaml::syntax", message).at(span).help("look for indentation, brackets and quotes"))
}

fn read(text: &str) -> Result<Spanned<Kind>, serde_saphyr::Error> {
    let budget = serde_saphyr::budget! { max_nodes: MOST_NODES, max_events: 2 * MOST_NODES };
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { budget: budget })
}

/// The byte at a line and a column, both counted from 1.
fn offset(text: &str, place: Location) -> usize {
    let at = |x: u64| usize::try_from(x).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(line) = text.split('\n').nth(at(place.line())) else { return text.len() };
    let column = line.char_indices().nth(at(place.column())).map_or(line.len(), |(i, _)| i);
    line.as_ptr().addr() - text.as_ptr().addr() + column
}

/// What the parser says, without the place, which stands above it, and without advice to programmers.
fn cause(message: &str) -> &str {
    let line = message.lines().next().unwrap_or("");
    let told = line.strip_prefix("error: line ").and_then(|rest| rest.split_once(": ")).map_or(line, |(_, told)| told);
    let advice = [", set DuplicateKeyPolicy", "; use from_str"].iter().filter_map(|advice| told.find(advice)).min();
    &told[..advice.unwrap_or(told.len())]
}

impl<'a> Node<'a> {
    /// The value of a key of a map.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.entries().iter().find(|(k, _)| k.text() == key).map(|(_, value)| value)
    }

    /// Where a key of a map stands.
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

/// Far beyond the largest published mechanism (a reaction has about 30), and a bound for hostile files.
const MOST_NODES: usize = 20_000_000;

enum Kind {
    Scalar,
    List(Vec<Spanned<Kind>>),
    Map(Vec<(Spanned<String>, Spanned<Kind>)>),
}

fn node<'a>(source: &'a Arc<Source>, spanned: Spanned<Kind>) -> Node<'a> {
    let place = word(source, spanned.defined);
    match spanned.value {
        Kind::Scalar => Node { place, content: Content::Scalar },
        Kind::List(items) => {
            let items: Vec<Node> = items.into_iter().map(|item| node(source, item)).collect();
            let place = if place.len == 0 { items.first().map_or(place, |item| item.place) } else { place };
            Node { place, content: Content::List(items) }
        }
        Kind::Map(entries) => {
            let entries: Vec<(Word, Node)> =
                entries.into_iter().map(|(key, value)| (word(source, key.defined), node(source, value))).collect();
            // Block maps begin nowhere visible: the first entry stands for them.
            let first = entries.first().map(|(key, value)| match value.content {
                Content::Scalar if !value.place.text().contains('\n') => key.to(&value.place),
                _ => *key,
            });
            Node { place: first.unwrap_or(place), content: Content::Map(entries) }
        }
    }
}

fn word(source: &Arc<Source>, location: Location) -> Word<'_> {
    let at = |x: Option<u64>| x.and_then(|x| usize::try_from(x).ok()).unwrap_or(0);
    let word = Word { source, offset: at(location.span().byte_offset()), len: at(location.span().byte_len()) };
    let text = word.text();
    let quoted = text.len() >= 2 && ['"', '\''].iter().any(|q| text.starts_with(*q) && text.ends_with(*q));
    if quoted { Word { offset: word.offset + 1, len: word.len - 2, ..word } } else { word.trimmed() }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyKind)
    }
}

struct AnyKind;

impl<'de> Visitor<'de> for AnyKind {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scalar, a list or a map")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kind, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Kind::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Kind, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Kind::Map(entries))
    }
}
