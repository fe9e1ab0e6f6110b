//! Striped constants that are loaded where they are used: where registers are too few, each phase loads the registers
//! that it broadcasts from, so that none is held through the others.

use std::collections::BTreeSet;

use crate::program::{ConstantRef, Index, Node, Value};

/// The striped registers of some code.
#[derive(Default, Clone, PartialEq, Eq)]
struct Used {
    reals: BTreeSet<u32>,
    indices: BTreeSet<u32>,
}

/// More registers than this are not loaded in front of a branch, but on each of its paths.
const AHEAD: usize = 2;

/// The code of a phase with loads of all that it broadcasts from, each in front of the first node that needs it.
pub fn load(code: Vec<Node>) -> Vec<Node> {
    on_path(code, Used::default())
}

fn on_path(code: Vec<Node>, mut loaded: Used) -> Vec<Node> {
    let needs: Vec<(bool, Used)> = code.iter().map(|node| (is_straight(node), Used::by(node))).collect();
    let mut nodes = Vec::new();
    for (n, node) in code.into_iter().enumerate() {
        let mut missing = needs[n].1.beyond(&loaded);
        if is_straight(&node) && missing != Used::default() {
            // A few loads at once, for the straight code ahead.
            for (_, next) in needs[n + 1..].iter().take_while(|(straight, _)| *straight) {
                let both = missing.with(next.beyond(&loaded));
                if both.reals.len() > AHEAD {
                    break;
                }
                missing = both;
            }
        }
        match node {
            Node::If { warps, body } if missing.reals.len() > AHEAD => {
                nodes.push(Node::If { warps, body: on_path(body, loaded.clone()) });
            }
            Node::Switch { arms } if missing.reals.len() > AHEAD => {
                let arms = arms.into_iter().map(|(warps, body)| (warps, on_path(body, loaded.clone())));
                nodes.push(Node::Switch { arms: arms.collect() });
            }
            node => {
                if missing != Used::default() {
                    let Used { reals, indices } = missing.clone();
                    nodes.push(Node::Stripes {
                        reals: reals.into_iter().collect(),
                        indices: indices.into_iter().collect(),
                    });
                    loaded = loaded.with(missing);
                }
                nodes.push(node);
            }
        }
    }
    nodes
}

fn is_straight(node: &Node) -> bool {
    matches!(node, Node::Let { .. } | Node::StoreSlot { .. } | Node::StoreField { .. })
}

impl Used {
    fn by(node: &Node) -> Self {
        let mut used = Self::default();
        used.nodes(std::slice::from_ref(node));
        used
    }

    fn beyond(&self, other: &Self) -> Self {
        Self { reals: &self.reals - &other.reals, indices: &self.indices - &other.indices }
    }

    fn with(&self, other: Self) -> Self {
        Self { reals: &self.reals | &other.reals, indices: &self.indices | &other.indices }
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => {}
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
            Index::Literal(_) | Index::Counter(_) | Index::Own(_) => {}
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
