//! Problem of a register allocator: nodes that need registers, and which of them are alive together.

use super::class::Class;
use super::neighbours::Neighbours;
use super::text::Sizes;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use ptx::ir::Reg;

/// Registers that get their units together: one scalar, or the elements of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);
entity_impl!(Node, "node");

/// The question.
#[derive(Debug, Clone)]
pub struct Problem {
    pub nodes: PrimaryMap<Node, NodeData>,
    /// The interference graph.
    pub neighbours: Neighbours,
    /// Pairs that a copy joins: one register for both saves it.
    pub copies: Vec<(Node, Node)>,
    /// Units of the files.
    pub sizes: Sizes,
}

/// One node.
#[derive(Debug, Clone)]
pub struct NodeData {
    pub class: Class,
    /// The registers and the unit of the node at which each begins.
    pub members: Vec<(Reg, u32)>,
    /// Cost of spilling: accesses times ten to the depth of their loop. `None`: spilling would help nobody, because
    /// the node lives from one instruction to the next.
    pub cost: Option<f64>,
    /// The first and the last position in the text at which the node is alive.
    pub interval: (u32, u32),
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The first unit of each node.
    Assigned(SecondaryMap<Node, u32>),
    /// These must go to memory first.
    Spill(Vec<Node>),
    /// There are values that neither fit nor can be spilled: one of them.
    Stuck(Node),
}

impl Problem {
    /// For each node the nodes that copies tie it to.
    pub fn partners(&self) -> SecondaryMap<Node, Vec<Node>> {
        let mut partners = SecondaryMap::with_capacity(self.nodes.len());
        for (a, b) in &self.copies {
            let pair: [(Node, Node); 2] = [(*a, *b), (*b, *a)];
            for (from, to) in pair {
                let list: &mut Vec<Node> = &mut partners[from];
                list.push(to);
            }
        }
        partners
    }
}

/// The units of one file that are taken, at most 256.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Units([u128; 2]);

impl Units {
    pub fn take(&mut self, start: u32, count: u32) {
        for unit in start..start + count {
            self.0[(unit / 128) as usize] |= 1 << (unit % 128);
        }
    }

    pub fn release(&mut self, start: u32, count: u32) {
        for unit in start..start + count {
            self.0[(unit / 128) as usize] &= !(1 << (unit % 128));
        }
    }

    fn free(&self, start: u32, count: u32) -> bool {
        (start..start + count).all(|unit| self.0[(unit / 128) as usize] >> (unit % 128) & 1 == 0)
    }

    /// The first free registers for a value of that class: one of the preferred ones, else the lowest.
    pub fn first_free(&self, class: Class, size: u32, preferred: impl IntoIterator<Item = u32>) -> Option<u32> {
        let fits = |start: u32| start + class.units <= size && self.free(start, class.units);
        preferred
            .into_iter()
            .filter(|start| start.is_multiple_of(class.align()))
            .find(|start| fits(*start))
            .or_else(|| (0..size).step_by(class.align() as usize).find(|start| fits(*start)))
    }
}

/// The most units that a file can have.
pub const MOST_UNITS: u32 = 256;

/// The index of a node, for plain vectors.
pub fn index(node: Node) -> usize {
    node.index()
}
