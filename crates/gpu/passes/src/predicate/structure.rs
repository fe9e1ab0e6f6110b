//! Structural analysis of an acyclic graph (Sharir, "Structural Analysis: A New Approach to Flow Analysis in Optimizing
//! Compilers", Computer Languages 1980): which nodes follow each other in a row, which are the sides of a branch, and which
//! form neither. Loops and regions that keep the stack are single nodes of the graph.
//!
//! The nodes of a structure, written one structure after the other, are in a topological order in which each structure
//! is contiguous. The paper gets this schedule of blocks by a depth-first walk over the reversed graph that visits the
//! own structure first.

use std::collections::{BTreeMap, BTreeSet};

/// Where edges lead. The first node is the entry; numbers past the last node are ways out.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub successors: Vec<Vec<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One after the other.
    Block,
    /// A branch around one side.
    IfThen,
    /// A branch with two or more sides.
    IfThenElse,
    /// Anything else without cycles.
    Acyclic,
}

/// A tree of structures, each part in front of those that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Structure {
    Node(usize),
    Compound { kind: Kind, parts: Vec<Structure> },
}

impl Structure {
    /// The nodes in order.
    pub fn nodes(&self) -> Vec<usize> {
        match self {
            Self::Node(node) => vec![*node],
            Self::Compound { parts, .. } => parts.iter().flat_map(Self::nodes).collect(),
        }
    }

    /// Visits all compound structures, outer ones first.
    pub fn compounds(&self, visit: &mut impl FnMut(Kind, &[Structure])) {
        if let Self::Compound { kind, parts } = self {
            visit(*kind, parts);
            parts.iter().for_each(|part| part.compounds(visit));
        }
    }
}

/// The graph must be acyclic, and all nodes must be reachable from the first.
pub fn analyse(graph: &Graph) -> Structure {
    let mut state = State::new(graph);
    while state.parts.len() > 1 {
        let order = state.order();
        let simple = order.iter().rev().find_map(|node| state.simple(*node));
        let (kind, nodes) = match simple {
            Some(found) => found,
            None => (Kind::Acyclic, order.iter().rev().find_map(|node| state.acyclic(*node, &order)).unwrap_or(order)),
        };
        state.reduce(kind, &nodes);
    }
    state.parts.remove(&0).expect("the entry stays")
}

/// The graph in the making: a compound stands in the place of its first node.
struct State {
    count: usize,
    successors: BTreeMap<usize, BTreeSet<usize>>,
    parts: BTreeMap<usize, Structure>,
}

impl State {
    fn new(graph: &Graph) -> Self {
        let all = graph.successors.iter().enumerate();
        Self {
            count: graph.successors.len(),
            successors: all.clone().map(|(node, next)| (node, next.iter().copied().collect())).collect(),
            parts: all.map(|(node, _)| (node, Structure::Node(node))).collect(),
        }
    }

    fn predecessors(&self, node: usize) -> usize {
        self.successors.values().filter(|next| next.contains(&node)).count()
    }

    /// The nodes in a topological order: reverse post-order.
    fn order(&self) -> Vec<usize> {
        let (mut seen, mut order) = (BTreeSet::from([0]), Vec::new());
        let ahead = |node: usize| -> Vec<usize> {
            self.successors[&node].iter().copied().filter(|next| *next < self.count).collect()
        };
        let mut path = vec![(0, ahead(0))];
        while let Some((node, rest)) = path.last_mut() {
            match rest.pop() {
                Some(next) if seen.insert(next) => path.push((next, ahead(next))),
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// A node with all that belongs to its structure, if that is a simple one.
    fn simple(&self, node: usize) -> Option<(Kind, Vec<usize>)> {
        let next = &self.successors[&node];
        let own = |side: usize| side < self.count && self.predecessors(side) == 1;
        if next.len() == 1 {
            let only = *next.first()?;
            return own(only).then(|| (Kind::Block, vec![node, only]));
        }
        let leads = |side: &usize| match self.successors.get(side) {
            Some(next) if own(*side) && next.len() == 1 => next.first().copied(),
            _ => None,
        };
        let meets = next.iter().map(|side| leads(side).unwrap_or(*side)).chain(next.iter().copied());
        let meets: BTreeSet<usize> = meets.collect();
        let meet = meets.into_iter().find(|meet| next.iter().all(|side| side == meet || leads(side) == Some(*meet)))?;
        let sides: Vec<usize> = next.iter().copied().filter(|side| *side != meet).collect();
        let kind = if sides.len() == 1 { Kind::IfThen } else { Kind::IfThenElse };
        Some((kind, std::iter::once(node).chain(sides).collect()))
    }

    /// The nodes from one up to where all ways from it meet again, if it is the only entry.
    fn acyclic(&self, node: usize, order: &[usize]) -> Option<Vec<usize>> {
        let place: BTreeMap<usize, usize> = order.iter().enumerate().map(|(place, node)| (*node, place)).collect();
        // ways out come last; where several ways are left, the farthest along has all others behind it or meets none
        let mut open: BTreeSet<(usize, usize)> = BTreeSet::new();
        let key = |next: usize| (place.get(&next).copied().unwrap_or(usize::MAX), next);
        open.extend(self.successors[&node].iter().map(|next| key(*next)));
        let mut nodes = vec![node];
        while open.len() > 1 {
            let (at, next) = *open.first()?;
            if at == usize::MAX {
                break;
            }
            open.pop_first();
            nodes.push(next);
            open.extend(self.successors[&next].iter().map(|next| key(*next)));
        }
        let inside: BTreeSet<usize> = nodes.iter().copied().collect();
        let alone =
            |inner: &usize| self.successors.iter().all(|(from, next)| !next.contains(inner) || inside.contains(from));
        (nodes.len() > 1 && nodes[1..].iter().all(alone)).then_some(nodes)
    }

    fn reduce(&mut self, kind: Kind, nodes: &[usize]) {
        let first = nodes[0];
        let inside: BTreeSet<usize> = nodes.iter().copied().collect();
        let mut parts = Vec::new();
        let mut next = BTreeSet::new();
        for node in nodes {
            next.extend(self.successors.remove(node).unwrap_or_default());
            match self.parts.remove(node) {
                Some(Structure::Compound { kind: Kind::Block, parts: inner }) if kind == Kind::Block => {
                    parts.extend(inner)
                }
                Some(part) => parts.push(part),
                None => {}
            }
        }
        next.retain(|node| !inside.contains(node));
        self.successors.insert(first, next);
        self.parts.insert(first, Structure::Compound { kind, parts });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(successors: &[&[usize]]) -> Structure {
        analyse(&Graph { successors: successors.iter().map(|next| next.to_vec()).collect() })
    }

    fn shape(structure: &Structure) -> String {
        match structure {
            Structure::Node(node) => node.to_string(),
            Structure::Compound { kind, parts } => {
                let parts: Vec<String> = parts.iter().map(shape).collect();
                format!("{kind:?}({})", parts.join(" "))
            }
        }
    }

    #[test]
    fn sides_in_sides() {
        // the paper's Figure 5a: N2 chooses between N3 and an if with the sides N5 and N6; all meet at N8
        let graph: [&[usize]; 7] = [&[1, 2], &[6], &[3, 4], &[5], &[5], &[6], &[7]];
        assert_eq!(shape(&found(&graph)), "Block(IfThenElse(0 1 Block(IfThenElse(2 3 4) 5)) 6)");
    }

    #[test]
    fn a_short_circuit_is_no_branch_with_two_sides() {
        // Figure 8: 0 to 1 or 2, 1 to 2 or 3, all meet at 3
        let graph: [&[usize]; 4] = [&[1, 2], &[2, 3], &[3], &[4]];
        assert_eq!(shape(&found(&graph)), "Block(Acyclic(0 1 2) 3)");
    }

    #[test]
    fn a_structure_without_a_name_inside_a_side() {
        let graph: [&[usize]; 6] = [&[1, 5], &[2, 3], &[3, 4], &[4], &[5], &[6]];
        assert_eq!(shape(&found(&graph)), "Block(IfThen(0 Block(Acyclic(1 2 3) 4)) 5)");
    }
}
