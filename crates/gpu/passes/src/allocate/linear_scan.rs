//! Linear scan: M. Poletto and V. Sarkar, "Linear scan register allocation" (TOPLAS 21(5), 1999), with aligned classes.
//! It is the baseline of the paper on affine divergence (section 5).

use super::class::Class;
use super::problem::{Answer, Node, Problem, Units};
use cranelift_entity::SecondaryMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Visits the live intervals by their beginning. Where no register is free, that value goes to memory whose interval
/// ends last: the new one, or those in the way of the best registers.
pub fn allocate(problem: &Problem) -> Answer {
    let mut order: Vec<Node> = problem.nodes.keys().collect();
    order.sort_by_key(|node| (problem.nodes[*node].interval, *node));
    let mut scan = Scan {
        problem,
        active: BTreeSet::new(),
        files: Default::default(),
        start: SecondaryMap::new(),
        spilled: Vec::new(),
    };
    for node in order {
        scan.expire(problem.nodes[node].interval.0);
        if let Err(stuck) = scan.assign(node) {
            return Answer::Stuck(stuck);
        }
    }
    if scan.spilled.is_empty() { Answer::Assigned(scan.start) } else { Answer::Spill(scan.spilled) }
}

struct Scan<'a> {
    problem: &'a Problem,
    /// The nodes that hold registers now, by the ends of their intervals.
    active: BTreeSet<(u32, Node)>,
    /// Registers of each file that are taken.
    files: [Taken; 2],
    start: SecondaryMap<Node, u32>,
    spilled: Vec<Node>,
}

/// The units of a file that are taken, and by whom.
#[derive(Default)]
struct Taken {
    units: Units,
    by: BTreeMap<u32, Node>,
}

impl Scan<'_> {
    fn class(&self, node: Node) -> Class {
        self.problem.nodes[node].class
    }

    fn last(&self, node: Node) -> u32 {
        self.problem.nodes[node].interval.1
    }

    fn expire(&mut self, position: u32) {
        while let Some((last, node)) = self.active.first().copied().filter(|(last, _)| *last < position) {
            self.active.remove(&(last, node));
            self.release(node);
        }
    }

    fn assign(&mut self, node: Node) -> Result<(), Node> {
        let class = self.class(node);
        let size = self.problem.sizes.file(class.file);
        if let Some(start) = self.files[class.file as usize].units.first_free(class, size, []) {
            self.take(node, start);
            return Ok(());
        }
        // The best registers are those whose occupants all may go and whose earliest end is the latest.
        let best = (0..size)
            .step_by(class.align() as usize)
            .filter(|start| start + class.units <= size)
            .map(|start| (start, self.occupants(class, start)))
            .filter(|(_, occupants)| occupants.iter().all(|o| self.problem.nodes[*o].cost.is_some()))
            .max_by_key(|(start, occupants)| {
                let earliest = occupants.iter().map(|o| self.last(*o)).min();
                (earliest, Reverse(occupants.len()), Reverse(*start))
            });
        let may_go = self.problem.nodes[node].cost.is_some();
        match best {
            Some((start, occupants)) if !may_go || occupants.iter().all(|o| self.last(*o) > self.last(node)) => {
                for occupant in &occupants {
                    self.active.remove(&(self.last(*occupant), *occupant));
                    self.release(*occupant);
                }
                self.spilled.extend(occupants);
                self.take(node, start);
                Ok(())
            }
            _ if may_go => {
                self.spilled.push(node);
                Ok(())
            }
            _ => Err(node),
        }
    }

    fn take(&mut self, node: Node, start: u32) {
        let class = self.class(node);
        let taken = &mut self.files[class.file as usize];
        taken.units.take(start, class.units);
        taken.by.extend((start..start + class.units).map(|unit| (unit, node)));
        self.start[node] = start;
        self.active.insert((self.last(node), node));
    }

    fn release(&mut self, node: Node) {
        let (class, start) = (self.class(node), self.start[node]);
        let taken = &mut self.files[class.file as usize];
        taken.units.release(start, class.units);
        (start..start + class.units).for_each(|unit| _ = taken.by.remove(&unit));
    }

    fn occupants(&self, class: Class, start: u32) -> Vec<Node> {
        let mut found: Vec<Node> =
            self.files[class.file as usize].by.range(start..start + class.units).map(|(_, node)| *node).collect();
        found.dedup();
        found
    }
}
