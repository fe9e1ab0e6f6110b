//! Indices that a block looks up more than once.

use overlay::program::{ConstantRef, Index, Node, Value};
use std::collections::HashSet;

/// The indices that statements of this block, not of blocks inside it, look up more than once.
pub fn repeated(nodes: &[Node]) -> HashSet<Index> {
    let mut found = Found::default();
    for node in nodes {
        match node {
            Node::Let { value, .. } => found.value(value),
            Node::StoreSlot { row, .. } | Node::StoreField { row, .. } => found.index(row),
            Node::Loop { trips, .. } => found.index(trips),
            Node::Comment(_)
            | Node::Barrier { .. }
            | Node::WarpSync
            | Node::Multiply { .. }
            | Node::StoreBlock { .. }
            | Node::Stripes { .. }
            | Node::If { .. }
            | Node::Switch { .. } => {}
        }
    }
    found.again
}

#[derive(Default)]
struct Found {
    once: HashSet<Index>,
    again: HashSet<Index>,
}

impl Found {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Slot(row) | Value::Field { row, .. } => self.index(row),
            Value::Constant(ConstantRef::Striped { lane: entry, .. } | ConstantRef::Bank(entry)) => self.index(entry),
            _ => {}
        }
    }

    fn index(&mut self, index: &Index) {
        match index {
            Index::Striped { lane: entry, .. } | Index::Bank(entry) => {
                self.index(entry);
                if !self.once.insert(index.clone()) {
                    self.again.insert(index.clone());
                }
            }
            Index::Sum(a, b) => {
                self.index(a);
                self.index(b);
            }
            Index::Scaled(a, _) => self.index(a),
            Index::Literal(_) | Index::Counter(_) | Index::Own(_) => {}
        }
    }
}
