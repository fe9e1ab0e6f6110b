//! One level of a region: the region itself without the insides of its loops, or the inside of one loop without its back
//! edges. Both are acyclic, and so is the labelled control-dependence graph of each (Ferrante, Ottenstein and Warren, TOPLAS 1987):
//! the edge from a loop's header to itself is what the loop's mask stands for.

use super::skeleton::Skeleton;
use super::structure::{Graph, Structure, analyse};
use ptx::analysis::loops::Loop;
use ptx::ir::Block;
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    Block(Block),
    Loop(Loop),
}

/// Where an edge leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum To {
    /// A node of the level, by its number.
    Node(usize),
    /// The next round of the loop.
    Next,
    /// Out of the level; `None` is the end of the function.
    Out(Option<Block>),
}

/// The nodes from which a node is controlled, each with the number of the edge.
pub type Classes = Vec<Vec<(usize, usize)>>;

pub struct Level {
    /// The first is the entry.
    pub nodes: Vec<Node>,
    /// For each node the blocks that it leads to, and where they are.
    pub edges: Vec<Vec<(Option<Block>, To)>>,
    /// For each node the edges that decide whether it runs, none if all lanes of the level's mask come to it.
    pub classes: Classes,
    pub structure: Structure,
}

/// The loops in the loop `around`, or in no other loop, stand for their blocks.
pub struct Scope<'a> {
    pub skeleton: &'a Skeleton,
    pub around: Option<Loop>,
    /// Edges to this block leave the level; inside a loop, all that leave the loop do as well.
    pub exit: Option<Block>,
    /// Edges to the header of `around` go to the next round.
    pub inside: bool,
}

impl Scope<'_> {
    fn node(&self, block: Block) -> Node {
        let inner = self.skeleton.loops.enclosing(block).take_while(|inner| Some(*inner) != self.around);
        inner.last().map_or(Node::Block(block), Node::Loop)
    }

    fn leads_to(&self, node: Node) -> Vec<Option<Block>> {
        match node {
            Node::Block(block) => self.skeleton.targets(block),
            Node::Loop(inner) => exits(self.skeleton, inner),
        }
    }

    /// The node at a block, or why there is none.
    fn resolve(&self, target: Option<Block>) -> Result<Node, To> {
        let loops = &self.skeleton.loops;
        let Some(block) = target.filter(|_| target != self.exit || self.inside) else { return Err(To::Out(target)) };
        match self.around.filter(|_| self.inside) {
            Some(around) if loops.loops[around].header == block => Err(To::Next),
            Some(around) if !loops.contains(around, block) => Err(To::Out(target)),
            _ => Ok(self.node(block)),
        }
    }

    /// The level that starts at the function's entry.
    pub fn whole(&self) -> Level {
        self.level(self.node(self.skeleton.cfg.entry))
    }

    /// The level that starts at a node.
    pub fn level(&self, first: Node) -> Level {
        let mut nodes = vec![first];
        let mut edges: Vec<Vec<(Option<Block>, To)>> = Vec::new();
        while let Some(node) = nodes.get(edges.len()).copied() {
            let mut own: Vec<(Option<Block>, To)> = Vec::new();
            for target in self.leads_to(node) {
                let to = match self.resolve(target) {
                    Err(to) => to,
                    Ok(found) => To::Node(nodes.iter().position(|node| *node == found).unwrap_or_else(|| {
                        nodes.push(found);
                        nodes.len() - 1
                    })),
                };
                own.push((target, to));
            }
            edges.push(own);
        }
        let structure = analyse(&graph(&edges));
        let classes = classes(&edges, &structure.nodes());
        Level { nodes, edges, classes, structure }
    }
}

/// Where the edges that leave a loop lead, each target once.
pub fn exits(skeleton: &Skeleton, inner: Loop) -> Vec<Option<Block>> {
    let mut found: Vec<Option<Block>> = Vec::new();
    for block in &skeleton.loops.loops[inner].blocks {
        for target in skeleton.targets(*block) {
            let leaves = target.is_none_or(|target| !skeleton.loops.contains(inner, target));
            if leaves && !found.contains(&target) {
                found.push(target);
            }
        }
    }
    found
}

fn graph(edges: &[Vec<(Option<Block>, To)>]) -> Graph {
    let mut outs: BTreeMap<To, usize> = BTreeMap::new();
    let mut number = |to: To| match to {
        To::Node(node) => node,
        out => {
            let next = edges.len() + outs.len();
            *outs.entry(out).or_insert(next)
        }
    };
    Graph { successors: edges.iter().map(|own| own.iter().map(|(_, to)| number(*to)).collect()).collect() }
}

/// Control dependence, of nodes in a topological order.
fn classes(edges: &[Vec<(Option<Block>, To)>], order: &[usize]) -> Classes {
    // post-dominators: the chain of each node up to the end, which has none
    let mut parent: Vec<Option<usize>> = vec![None; edges.len()];
    let chain = |parent: &[Option<usize>], from: Option<usize>| -> Vec<usize> {
        std::iter::successors(from, |node| parent[*node]).collect()
    };
    let node = |to: &To| match to {
        To::Node(node) => Some(*node),
        To::Next | To::Out(_) => None,
    };
    for &at in order.iter().rev() {
        let mut ways = edges[at].iter().map(|(_, to)| node(to));
        let mut common = chain(&parent, ways.next().flatten());
        for way in ways {
            let own = chain(&parent, way);
            common.retain(|node| own.contains(node));
        }
        parent[at] = common.first().copied();
    }
    let mut classes: Classes = vec![Vec::new(); edges.len()];
    for &at in order {
        for (number, (_, to)) in edges[at].iter().enumerate() {
            let mut runner = node(to);
            while let Some(block) = runner.filter(|_| runner != parent[at]) {
                classes[block].push((at, number));
                runner = parent[block];
            }
        }
    }
    classes
}
