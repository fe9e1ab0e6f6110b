//! From a function to the question for an allocator.

use super::class::File;
use super::neighbours::Neighbours;
use super::problem::{Node, NodeData, Problem};
use super::text::{Sizes, Text};
use super::vectors::Groups;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
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
    let (node, nodes) = (SecondaryMap::new(), PrimaryMap::new());
    let mut builder = Builder { text, wants_edges: asked.neighbours, node, nodes, edges: Vec::new() };
    builder.nodes(asked.groups, asked.short);
    let mut copies = Vec::new();
    let mut alive = Alive::default();
    let mut position = 0;
    for block in &func.layout {
        builder.block(*block, position, &mut alive, &mut copies);
        position += 2 * (func.blocks[*block].insts.len() as u32 + 2);
    }
    let neighbours = Neighbours::new(builder.nodes.len(), &builder.edges);
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
        let mut mentioned = vec![false; func.regs.len()];
        let mut mention = |reg: Reg| mentioned[reg.index()] = true;
        for block in &func.layout {
            for inst in &func.blocks[*block].insts {
                accesses.reads(*inst).iter().chain(accesses.writes(*inst)).for_each(|reg| mention(*reg));
            }
            func.blocks[*block].terminator.condition().into_iter().for_each(&mut mention);
        }
        for reg in func.regs.keys() {
            if mentioned[reg.index()] && self.node[reg].is_none() {
                let cost = (!short.contains(&reg)).then_some(0.0);
                let class = self.text.class(reg);
                let data = NodeData { class, members: vec![(reg, 0)], cost, interval: unborn };
                self.node[reg] = Some(self.nodes.push(data));
            }
        }
    }

    fn file(&self, reg: Reg) -> File {
        self.nodes[self.node(reg)].class.file
    }

    fn insert(&self, alive: &mut Alive, reg: Reg) {
        alive.insert(reg, self.node(reg), self.file(reg));
    }

    /// Notes that a register is written where others are `written` or alive, but for the one that it copies.
    fn edges(&mut self, reg: Reg, written: &[Reg], alive: &Alive, copied: Option<Reg>) {
        let (node, file) = (self.node(reg), self.file(reg));
        let differs = |other: Reg, to: Node| Some(other) != copied && to != node;
        let others = alive.files[file as usize].iter().filter(|(other, to)| differs(*other, *to));
        self.edges.extend(others.map(|(_, to)| (node, *to)));
        for other in written {
            let to = self.node(*other);
            if self.file(*other) == file && differs(*other, to) {
                self.edges.push((node, to));
            }
        }
    }

    fn node(&self, reg: Reg) -> Node {
        self.node[reg].expect("a mentioned register has a node")
    }

    /// Walks a block backwards. Reads are at even positions, writes at the odd ones behind them.
    fn block(&mut self, block: Block, first: u32, alive: &mut Alive, copies: &mut Vec<(Node, Node)>) {
        let Text { func, accesses, liveness, .. } = self.text;
        let weight = self.text.weight(block);
        let data = &func.blocks[block];
        let last = first + 2 * (data.insts.len() as u32 + 1);
        for reg in liveness.live_out(block) {
            self.extend(*reg, last);
            self.insert(alive, *reg);
        }
        if let Some(reg) = data.terminator.condition() {
            self.access(reg, weight, last);
            self.insert(alive, reg);
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
                if self.wants_edges {
                    self.edges(*reg, written, alive, copied.map(|(_, from)| from));
                }
            }
            written.iter().for_each(|reg| alive.remove(*reg, self.file(*reg)));
            for reg in accesses.reads(*inst) {
                self.access(*reg, weight, position);
                self.insert(alive, *reg);
            }
        }
        alive.drain().for_each(|reg| self.extend(reg, first));
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
}

/// Registers of each file that are alive, with their nodes, in no order.
#[derive(Default)]
struct Alive {
    files: [Vec<(Reg, Node)>; 2],
    /// One more than the place of a register in its list.
    places: SecondaryMap<Reg, u32>,
}

impl Alive {
    fn insert(&mut self, reg: Reg, node: Node, file: File) {
        let list = &mut self.files[file as usize];
        if self.places[reg] == 0 {
            list.push((reg, node));
            self.places[reg] = list.len() as u32;
        }
    }

    fn remove(&mut self, reg: Reg, file: File) {
        let list = &mut self.files[file as usize];
        let place = std::mem::take(&mut self.places[reg]);
        if place > 0 {
            list.swap_remove(place as usize - 1);
            if let Some((moved, _)) = list.get(place as usize - 1) {
                self.places[*moved] = place;
            }
        }
    }

    /// Takes out all that are left.
    fn drain(&mut self) -> impl Iterator<Item = Reg> {
        let places = &mut self.places;
        let left = self.files.iter_mut().flat_map(|list| list.drain(..));
        left.map(|(reg, _)| {
            places[reg] = 0;
            reg
        })
    }
}

/// The destination and the source of a plain copy.
pub(super) fn copy(inst: &InstData) -> Option<(Reg, Reg)> {
    match (&inst.op, inst.guard) {
        (Op::Unary { op: UnaryOp::Mov, dst, a: Operand::Reg(from), .. }, None) => Some((*dst, *from)),
        _ => None,
    }
}
