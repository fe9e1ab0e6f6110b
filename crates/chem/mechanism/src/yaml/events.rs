//! From the events of the YAML parser to a tree.

use super::tree::{Content, Node};
use crate::syntax::Word;
use diagnostics::Source;
use granit_parser::{Event, Parser, ScanError, Span};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Why a text is not read, and the byte where that shows.
pub struct Fault {
    pub offset: usize,
    pub message: String,
}

/// Reads one document. `text` is that of the source, or one of the same length whose words stand in the same places.
pub fn read<'a>(source: &'a Arc<Source>, text: &str) -> Result<Node<'a>, Fault> {
    let mut builder =
        Builder { source, open: Vec::new(), anchors: HashMap::new(), root: None, documents: 0, nodes: 0, copies: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| scan_fault(text, &error))?;
        builder.take(event, span)?;
    }
    let nothing = Node { place: Word { source, offset: 0, len: 0 }, content: Content::Scalar };
    Ok(builder.root.unwrap_or(nothing))
}

/// Far beyond the largest published mechanism (a reaction has about 30), and a bound for hostile files.
const MOST_NODES: usize = 20_000_000;
/// Nodes that aliases stand for, at most: ten lists of aliases in lists of aliases would be more than a machine holds.
const MOST_COPIES: usize = 1_000_000;

struct Builder<'a> {
    source: &'a Arc<Source>,
    open: Vec<Open<'a>>,
    /// Nodes that aliases may name, each with the number of nodes in it.
    anchors: HashMap<usize, (Node<'a>, usize)>,
    root: Option<Node<'a>>,
    documents: usize,
    nodes: usize,
    copies: usize,
}

/// A collection that has begun.
struct Open<'a> {
    place: Word<'a>,
    anchor: usize,
    /// Nodes read before it began.
    before: usize,
    items: Items<'a>,
}

enum Items<'a> {
    List(Vec<Node<'a>>),
    Map { entries: Vec<(Word<'a>, Node<'a>)>, keys: HashSet<&'a str>, key: Option<Word<'a>> },
}

impl<'a> Builder<'a> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let place = word(self.source, &span);
        match event {
            Event::DocumentStart(..) if self.documents > 0 => Err(fault(place.offset, "a second document begins")),
            Event::DocumentStart(..) => {
                self.documents += 1;
                Ok(())
            }
            Event::Scalar(_, _, anchor, _) => {
                let before = self.nodes;
                self.node(anchor, before, Node { place, content: Content::Scalar })
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(place, anchor, Items::List(Vec::new()));
                Ok(())
            }
            Event::MappingStart(_, anchor, _) => {
                self.begin(place, anchor, Items::Map { entries: Vec::new(), keys: HashSet::new(), key: None });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                self.node(open.anchor, open.before, collection(open.place, open.items))
            }
            Event::Alias(anchor) => {
                let (node, nodes) =
                    self.anchors.get(&anchor).ok_or_else(|| fault(place.offset, "a text within itself"))?;
                let (node, nodes, before) = (node.clone(), *nodes, self.nodes);
                self.copies += nodes;
                if self.copies > MOST_COPIES {
                    return Err(fault(place.offset, "aliases stand for too much text"));
                }
                self.nodes += nodes - 1;
                self.node(0, before, node)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, place: Word<'a>, anchor: usize, items: Items<'a>) {
        self.open.push(Open { place, anchor, before: self.nodes, items });
    }

    /// A complete node: it belongs to the collection that is open.
    fn node(&mut self, anchor: usize, before: usize, node: Node<'a>) -> Result<(), Fault> {
        let offset = node.place.offset;
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(fault(offset, "there are too many texts"));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), self.nodes - before));
        }
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(node),
            Some(Items::List(items)) => items.push(node),
            Some(Items::Map { entries, keys, key }) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => *key = Some(new_key(keys, &node)?),
            },
        }
        Ok(())
    }
}

fn new_key<'a>(keys: &mut HashSet<&'a str>, node: &Node<'a>) -> Result<Word<'a>, Fault> {
    let Content::Scalar = node.content else {
        return Err(fault(node.place.offset, "a key is a list or a map"));
    };
    let text = node.place.text();
    match text {
        "<<" => Err(fault(node.place.offset, "maps are not merged (`<<`): write the entries out")),
        _ if !keys.insert(text) => Err(fault(node.place.offset, format!("the key `{text}` stands here twice"))),
        _ => Ok(node.place),
    }
}

fn collection<'a>(place: Word<'a>, items: Items<'a>) -> Node<'a> {
    match items {
        Items::List(items) => {
            let place = if place.len == 0 { items.first().map_or(place, |item| item.place) } else { place };
            Node { place, content: Content::List(items) }
        }
        Items::Map { entries, .. } => {
            // Block maps begin nowhere visible: the first entry stands for them.
            let first = entries.first().map(|(key, value)| match value.content {
                Content::Scalar if !value.place.text().contains('\n') => key.to(&value.place),
                _ => *key,
            });
            Node { place: first.unwrap_or(place), content: Content::Map(entries) }
        }
    }
}

fn word<'a>(source: &'a Arc<Source>, span: &Span) -> Word<'a> {
    let range = span.byte_range().unwrap_or_default();
    let word = Word { source, offset: range.start, len: range.len() };
    let text = word.text();
    let quoted = text.len() >= 2 && ['"', '\''].iter().any(|q| text.starts_with(*q) && text.ends_with(*q));
    if quoted { Word { offset: word.offset + 1, len: word.len - 2, ..word } } else { word.trimmed() }
}

fn scan_fault(text: &str, error: &ScanError) -> Fault {
    fault(error.marker().byte_offset().unwrap_or(text.len()), error.info())
}

fn fault(offset: usize, message: impl Into<String>) -> Fault {
    Fault { offset, message: message.into() }
}
