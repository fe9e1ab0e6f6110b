//! From a function to the question for an allocator.

use super::class::Class;
use super::problem::{Node, NodeData, Problem, index};
use super::vectors::Groups;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use ptx::analysis::access::Accesses;
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::inst::{InstData, Op, Operand, UnaryOp};
use ptx::ir::{Block, Func, Reg};
use std::collections::BTreeSet;

/// The function's nodes and their interference. `short`: registers that spilling made and that must not go to memory again.
pub fn problem(
    func: &Func,
    accesses: &Accesses,
    liveness: &Liveness,
    loops: &Loops,
    groups: &Groups,
    short: &BTreeSet<Reg>,
    (units, predicates): (u32, u32),
) -> Problem {
    let mut builder =
        Builder { func, accesses, node: SecondaryMap::new(), nodes: PrimaryMap::new(), edges: Vec::new() };
    builder.nodes(groups, short);
    let mut copies = Vec::new();
    let mut position = 0;
    for block in &func.layout {
        let weight = 10f64.powi(loops.depth(*block).min(12) as i32);
        builder.block(*block, liveness, weight, position, &mut copies);
        position += 2 * (func.blocks[*block].insts.len() as u32 + 2);
    }
    let neighbours = builder.neighbours();
    Problem { nodes: builder.nodes, neighbours, copies, units, predicates }
}

struct Builder<'a> {
    func: &'a Func,
    accesses: &'a Accesses,
    node: SecondaryMap<Reg, Option<Node>>,
    nodes: PrimaryMap<Node, NodeData>,
    edges: Vec<(Node, Node)>,
}

impl Builder<'_> {
    /// One node per group and per other register that the text mentions.
    fn nodes(&mut self, groups: &Groups, short: &BTreeSet<Reg>) {
        let unborn = (u32::MAX, 0);
        for group in groups {
            let widths = group.iter().map(|reg| Class::of(self.func.regs[*reg]));
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
        let mut mentioned = BTreeSet::new();
        for block in &self.func.layout {
            for inst in &self.func.blocks[*block].insts {
                mentioned.extend(self.accesses.reads(*inst));
                mentioned.extend(self.accesses.writes(*inst));
            }
            mentioned.extend(self.func.blocks[*block].terminator.condition());
        }
        for reg in mentioned {
            if self.node[reg].is_none() {
                let cost = (!short.contains(&reg)).then_some(0.0);
                let class = Class::of(self.func.regs[reg]);
                let data = NodeData { class, members: vec![(reg, 0)], cost, interval: unborn };
                self.node[reg] = Some(self.nodes.push(data));
            }
        }
    }

    fn of(&self, reg: Reg) -> Node {
        self.node[reg].expect("a mentioned register has a node")
    }

    /// Walks a block backwards. Reads are at even positions, writes at the odd ones behind them.
    fn block(&mut self, block: Block, liveness: &Liveness, weight: f64, first: u32, copies: &mut Vec<(Node, Node)>) {
        let data = &self.func.blocks[block];
        let last = first + 2 * (data.insts.len() as u32 + 1);
        let mut live: BTreeSet<Reg> = liveness.live_out(block).iter().copied().collect();
        live.iter().for_each(|reg| self.extend(*reg, last));
        if let Some(reg) = data.terminator.condition() {
            self.access(reg, weight, last);
            live.insert(reg);
        }
        for (i, inst) in data.insts.iter().enumerate().rev() {
            let position = first + 2 * (i as u32 + 1);
            let copied = copy(&self.func.insts[*inst]);
            if let Some((to, from)) = copied {
                copies.push((self.of(to), self.of(from)));
            }
            let written = self.accesses.writes(*inst);
            for reg in written {
                self.access(*reg, weight, position + 1);
                for other in live.iter().chain(written).filter(|other| copied.is_none_or(|(_, from)| from != **other)) {
                    self.edge(*reg, *other);
                }
            }
            written.iter().for_each(|reg| _ = live.remove(reg));
            for reg in self.accesses.reads(*inst) {
                self.access(*reg, weight, position);
                live.insert(*reg);
            }
        }
        live.iter().for_each(|reg| self.extend(*reg, first));
    }

    fn access(&mut self, reg: Reg, weight: f64, position: u32) {
        let node = self.of(reg);
        if let Some(cost) = &mut self.nodes[node].cost {
            *cost += weight;
        }
        self.extend(reg, position);
    }

    fn extend(&mut self, reg: Reg, position: u32) {
        let node = self.of(reg);
        let (first, last) = &mut self.nodes[node].interval;
        *first = (*first).min(position);
        *last = (*last).max(position);
    }

    fn edge(&mut self, a: Reg, b: Reg) {
        let (a, b) = (self.of(a), self.of(b));
        if a != b && self.nodes[a].class.file == self.nodes[b].class.file {
            self.edges.push((a, b));
            if self.edges.len() > 4 * self.nodes.len().max(1 << 20) {
                self.compact();
            }
        }
    }

    fn compact(&mut self) {
        self.edges.iter_mut().filter(|(a, b)| a > b).for_each(|(a, b)| std::mem::swap(a, b));
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    fn neighbours(&mut self) -> SecondaryMap<Node, Vec<Node>> {
        self.compact();
        let mut neighbours: Vec<Vec<Node>> = vec![Vec::new(); self.nodes.len()];
        for (a, b) in &self.edges {
            neighbours[index(*a)].push(*b);
            neighbours[index(*b)].push(*a);
        }
        let mut map = SecondaryMap::with_capacity(self.nodes.len());
        for (i, mut list) in neighbours.into_iter().enumerate() {
            list.sort_unstable();
            map[Node::new(i)] = list;
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
