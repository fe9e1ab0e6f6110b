//! Linear scan: M. Poletto and V. Sarkar, "Linear scan register allocation" (TOPLAS 21(5), 1999), with aligned classes.
//! It is the baseline of the paper on affine divergence (section 5).

use super::class::File;
use super::problem::{Answer, Node, Problem, Units};
use cranelift_entity::SecondaryMap;

/// Visits the live intervals by their beginning. Where no register is free, that value goes to memory whose interval
/// ends last: the new one, or those in the way of the best registers.
pub fn allocate(problem: &Problem) -> Answer {
    let mut order: Vec<Node> = problem.nodes.keys().collect();
    order.sort_by_key(|node| (problem.nodes[*node].interval, *node));
    let mut scan = Scan { problem, active: Vec::new(), start: SecondaryMap::new(), spilled: Vec::new() };
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
    /// The nodes that hold registers now.
    active: Vec<Node>,
    start: SecondaryMap<Node, u32>,
    spilled: Vec<Node>,
}

impl Scan<'_> {
    fn expire(&mut self, position: u32) {
        let nodes = &self.problem.nodes;
        self.active.retain(|node| nodes[*node].interval.1 >= position);
    }

    fn assign(&mut self, node: Node) -> Result<(), Node> {
        let class = self.problem.nodes[node].class;
        let size = self.problem.size(class.file);
        if let Some(start) = self.taken(class.file).first_free(class, size, []) {
            self.start[node] = start;
            self.active.push(node);
            return Ok(());
        }
        // The best registers are those whose occupants all may go and whose earliest end is the latest.
        let last = |node: Node| self.problem.nodes[node].interval.1;
        let best = (0..size)
            .step_by(class.align() as usize)
            .filter(|start| start + class.units <= size)
            .map(|start| (start, self.occupants(class.file, start, class.units)))
            .filter(|(_, occupants)| occupants.iter().all(|o| self.problem.nodes[*o].cost.is_some()))
            .max_by_key(|(start, occupants)| {
                let earliest = occupants.iter().map(|o| last(*o)).min();
                (earliest, std::cmp::Reverse(occupants.len()), std::cmp::Reverse(*start))
            });
        let may_go = self.problem.nodes[node].cost.is_some();
        match best {
            Some((start, occupants)) if !may_go || occupants.iter().all(|o| last(*o) > last(node)) => {
                self.active.retain(|n| !occupants.contains(n));
                self.spilled.extend(occupants);
                self.start[node] = start;
                self.active.push(node);
                Ok(())
            }
            _ if may_go => {
                self.spilled.push(node);
                Ok(())
            }
            _ => Err(node),
        }
    }

    fn taken(&self, file: File) -> Units {
        let mut taken = Units::default();
        for node in &self.active {
            let class = self.problem.nodes[*node].class;
            if class.file == file {
                taken.take(self.start[*node], class.units);
            }
        }
        taken
    }

    fn occupants(&self, file: File, start: u32, count: u32) -> Vec<Node> {
        let overlaps = |node: &&Node| {
            let class = self.problem.nodes[**node].class;
            let at = self.start[**node];
            class.file == file && at < start + count && start < at + class.units
        };
        self.active.iter().filter(overlaps).copied().collect()
    }
}
