//! From a function to the question for an allocator.

use super::problem::{Node, NodeData, Problem, index};
use super::text::{Sizes, Text};
use super::vectors::Groups;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use ptx::inst::{InstData, Op, Operand, UnaryOp};
use ptx::ir::{Block, Reg};
use std::collections::BTreeSet;

/// Question to an allocator beside the text.
pub struct Asked<'a> {
    pub groups: &'a Groups,
    /// Registers that spilling made and that must not go to memory again.
    pub short: &'a BTreeSet<Reg>,
    pub sizes: Sizes,
    /// Whether it wants the interference of the nodes; else it has their intervals alone.
    pub neighbours: bool,
}

/// The function's nodes and their interference.
pub fn problem(text: Text, asked: &Asked) -> Problem {
    let func = text.func;
    let (node, nodes, edges) = (SecondaryMap::new(), PrimaryMap::new(), Vec::new());
    let mut builder = Builder { text, wants_edges: asked.neighbours, node, nodes, edges };
    builder.nodes(asked.groups, asked.short);
    let mut copies = Vec::new();
    let mut position = 0;
    for block in &func.layout {
        builder.block(*block, position, &mut copies);
        position += 2 * (func.blocks[*block].insts.len() as u32 + 2);
    }
    let neighbours = builder.neighbours();
    Problem { nodes: builder.nodes, neighbours, copies, sizes: asked.sizes }
}

struct Builder<'a> {
    text: Text<'a>,
    wants_edges: bool,
    node: SecondaryMap<Reg, Option<Node>>,
    nodes: PrimaryMap<Node, NodeData>,
    edges: Vec<(Node, Node)>,
}

impl Builder<'_> {
    /// One node per group and per other register that the text mentions.
    fn nodes(&mut self, groups: &Groups, short: &BTreeSet<Reg>) {
        let unborn = (u32::MAX, 0);
        for group in groups {
            let widths = group.iter().map(|reg| self.text.class(*reg));
            let mut class = widths.clone().next().expect("a group has elements");
            let mut members = Vec::new();
            class.units = 0;
            for (reg, width) in group.iter().zip(widths) {
                members.push((*reg, class.units));
                class.units += width.units;
            }
            let node = self.nodes.push(NodeData { class, members, cost: None, interval: unborn });
            group.iter().for_each(|reg| self.node[*reg] = Some(node));
        }
        let Text { func, accesses, .. } = self.text;
        let mut mentioned = BTreeSet::new();
        for block in &func.layout {
            for inst in &func.blocks[*block].insts {
                mentioned.extend(accesses.reads(*inst));
                mentioned.extend(accesses.writes(*inst));
            }
            mentioned.extend(func.blocks[*block].terminator.condition());
        }
        for reg in mentioned {
            if self.node[reg].is_none() {
                let cost = (!short.contains(&reg)).then_some(0.0);
                let class = self.text.class(reg);
                let data = NodeData { class, members: vec![(reg, 0)], cost, interval: unborn };
                self.node[reg] = Some(self.nodes.push(data));
            }
        }
    }

    fn node(&self, reg: Reg) -> Node {
        self.node[reg].expect("a mentioned register has a node")
    }

    /// Walks a block backwards. Reads are at even positions, writes at the odd ones behind them.
    fn block(&mut self, block: Block, first: u32, copies: &mut Vec<(Node, Node)>) {
        let Text { func, accesses, liveness, .. } = self.text;
        let weight = self.text.weight(block);
        let data = &func.blocks[block];
        let last = first + 2 * (data.insts.len() as u32 + 1);
        let mut live: BTreeSet<Reg> = liveness.live_out(block).iter().copied().collect();
        live.iter().for_each(|reg| self.extend(*reg, last));
        if let Some(reg) = data.terminator.condition() {
            self.access(reg, weight, last);
            live.insert(reg);
        }
        for (i, inst) in data.insts.iter().enumerate().rev() {
            let position = first + 2 * (i as u32 + 1);
            let copied = copy(&func.insts[*inst]);
            if let Some((to, from)) = copied {
                copies.push((self.node(to), self.node(from)));
            }
            let written = accesses.writes(*inst);
            for reg in written {
                self.access(*reg, weight, position + 1);
                if !self.wants_edges {
                    continue;
                }
                for other in live.iter().chain(written).filter(|other| copied.is_none_or(|(_, from)| from != **other)) {
                    self.edge(*reg, *other);
                }
            }
            written.iter().for_each(|reg| _ = live.remove(reg));
            for reg in accesses.reads(*inst) {
                self.access(*reg, weight, position);
                live.insert(*reg);
            }
        }
        live.iter().for_each(|reg| self.extend(*reg, first));
    }

    fn access(&mut self, reg: Reg, weight: f64, position: u32) {
        let node = self.node(reg);
        if let Some(cost) = &mut self.nodes[node].cost {
            *cost += weight;
        }
        self.extend(reg, position);
    }

    fn extend(&mut self, reg: Reg, position: u32) {
        let node = self.node(reg);
        let (first, last) = &mut self.nodes[node].interval;
        *first = (*first).min(position);
        *last = (*last).max(position);
    }

    fn edge(&mut self, a: Reg, b: Reg) {
        let (a, b) = (self.node(a), self.node(b));
        if a != b && self.nodes[a].class.file == self.nodes[b].class.file {
            self.edges.push((a, b));
        }
    }

    fn neighbours(&self) -> SecondaryMap<Node, Vec<Node>> {
        let mut degrees = vec![0; self.nodes.len()];
        for (a, b) in &self.edges {
            degrees[index(*a)] += 1;
            degrees[index(*b)] += 1;
        }
        let mut map: SecondaryMap<Node, Vec<Node>> = SecondaryMap::with_capacity(self.nodes.len());
        for node in self.nodes.keys() {
            map[node] = Vec::with_capacity(degrees[index(node)]);
        }
        for (a, b) in &self.edges {
            map[*a].push(*b);
            map[*b].push(*a);
        }
        for node in self.nodes.keys() {
            map[node].sort_unstable();
            map[node].dedup();
        }
        map
    }
}

/// The destination and the source of a plain copy.
pub(super) fn copy(inst: &InstData) -> Option<(Reg, Reg)> {
    match (&inst.op, inst.guard) {
        (Op::Unary { op: UnaryOp::Mov, dst, a: Operand::Reg(from), .. }, None) => Some((*dst, *from)),
        _ => None,
    }
}
