//! Striped constants that are loaded where they are used: where registers are too few, each phase loads the registers
//! that it broadcasts from, so that none is held through the others.

use std::collections::BTreeSet;

use crate::emit::program::{ConstantRef, Index, Node, Value};

/// What the striped registers of some code are.
#[derive(Default)]
struct Used {
    reals: BTreeSet<u32>,
    indices: BTreeSet<u32>,
}

/// The node that loads all that the code broadcasts from; none for code without striped constants.
pub fn load(code: &[Node]) -> Option<Node> {
    let mut used = Used::default();
    used.nodes(code);
    let Used { reals, indices } = used;
    (!(reals.is_empty() && indices.is_empty()))
        .then(|| Node::Stripes { reals: reals.into_iter().collect(), indices: indices.into_iter().collect() })
}

impl Used {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Comment(_) | Node::Barrier { .. } | Node::Meet | Node::Stripes { .. } => {}
                // These come with loads of their own.
                Node::Multiply { .. } | Node::StoreBlock { .. } => {}
                Node::Let { value, .. } => self.value(value),
                Node::StoreSlot { row, .. } | Node::StoreField { row, .. } => self.index(row),
                Node::If { body, .. } => self.nodes(body),
                Node::Switch { arms } => arms.iter().for_each(|(_, body)| self.nodes(body)),
                Node::Loop { trips, body, .. } => {
                    self.index(trips);
                    self.nodes(body);
                }
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Constant(ConstantRef::Striped { register, lane }) => {
                self.reals.insert(*register);
                self.index(lane);
            }
            Value::Constant(ConstantRef::Bank(index)) | Value::Slot(index) | Value::Field { row: index, .. } => {
                self.index(index);
            }
            _ => {}
        }
    }

    fn index(&mut self, index: &Index) {
        match index {
            Index::Literal(_) | Index::Warp | Index::Counter(_) => {}
            Index::Striped { register, lane } => {
                self.indices.insert(*register);
                self.index(lane);
            }
            Index::Bank(inner) | Index::Scaled(inner, _) => self.index(inner),
            Index::Sum(a, b) => {
                self.index(a);
                self.index(b);
            }
        }
    }
}
