//! Matrix products on tensor cores: each step's block of the matrix lies in a register of its own, an element per lane, and
//! so do the numbers of the slots that the lanes read. Nothing is broadcast.

use super::repeat::{Emitter, Member};
use super::tables::LANES;
use crate::program::{LaneRows, Node, TensorBlock, Var, WarpMask};
use graph::body::Tensor;
use graph::{StepRef, Value};

/// Rows of a block, and columns.
const ROWS: usize = 8;
const COLUMNS: usize = 4;

impl Emitter<'_> {
    /// The steps of the members in straight code. Members read the same slots.
    pub(super) fn tensor_steps(&mut self, tensor: Tensor, members: &[Member]) -> Vec<Node> {
        let most = members[0].steps.iter().map(|(_, steps)| steps.len()).max().unwrap_or(0);
        let all = mask(&members[0].steps);
        let mut nodes: Vec<Node> = Vec::new();
        for turn in 0..most {
            let steps: Vec<Vec<(u32, StepRef)>> = members.iter().map(|m| at_turn(m, turn)).collect();
            let warps = steps[0].iter().fold(0, |mask, (w, _)| mask | 1 << w);
            let code = match tensor {
                Tensor::Multiply { .. } => self.multiply(members, &steps),
                Tensor::Pass => self.store_blocks(members, &steps),
            };
            match nodes.last_mut() {
                _ if warps == all => nodes.extend(code),
                Some(Node::If { warps: mask, body }) if *mask == warps => body.extend(code),
                _ => nodes.push(Node::If { warps, body: code }),
            }
        }
        nodes
    }

    fn multiply(&mut self, members: &[Member], steps: &[Vec<(u32, StepRef)>]) -> Vec<Node> {
        let graph = self.graph;
        let rows = self.lane_rows(&steps[0], &|at, lane| graph.step(at).inputs[lane % COLUMNS]);
        let blocks: Vec<TensorBlock> = members
            .iter()
            .zip(steps)
            .map(|(member, steps)| {
                // The constants of a step are the block row by row, as the lanes hold it.
                let columns: Vec<(u32, Vec<f64>)> =
                    steps.iter().map(|&(w, at)| (w, graph.step(at).constants.clone())).collect();
                TensorBlock { register: self.tables.fragment(&columns), sums: sums(member) }
            })
            .collect();
        let loads = self.loads(blocks.iter().map(|block| block.register).collect(), &[rows]);
        loads.into_iter().chain([Node::Multiply { rows, blocks }]).collect()
    }

    fn store_blocks(&mut self, members: &[Member], steps: &[Vec<(u32, StepRef)>]) -> Vec<Node> {
        let graph = self.graph;
        let mut nodes = Vec::new();
        for (member, steps) in members.iter().zip(steps) {
            // A block that is not full repeats its last row, and all lanes of it store the same there.
            let rows = self.lane_rows(steps, &|at, lane| {
                let outputs = &graph.step(at).outputs;
                outputs[(lane / (LANES / ROWS)).min(outputs.len() - 1)]
            });
            nodes.extend(self.loads(vec![], &[rows]));
            nodes.push(Node::StoreBlock { rows, sums: sums(member) });
        }
        nodes
    }

    /// Where registers are short, they are loaded where they are used.
    fn loads(&self, reals: Vec<u32>, rows: &[LaneRows]) -> Option<Node> {
        let indices = rows.iter().map(|rows| rows.register).collect();
        self.tables.reload.then_some(Node::Stripes { reals, indices })
    }

    fn lane_rows(&mut self, steps: &[(u32, StepRef)], value: &dyn Fn(StepRef, usize) -> Value) -> LaneRows {
        let slot =
            |at, lane| self.slot_of[value(at, lane)].expect("a proven schedule has a slot for every value") as i32;
        let column = |at: StepRef| (0..LANES).map(|lane| slot(at, lane)).collect();
        let columns: Vec<(u32, Vec<i32>)> = steps.iter().map(|&(w, at)| (w, column(at))).collect();
        self.tables.lane_rows(&columns)
    }
}

fn sums(member: &Member) -> [Var; 8] {
    member.states[..].try_into().expect("an operation on tensor cores has eight running sums")
}

/// The steps that the warps run at one turn.
fn at_turn(member: &Member, turn: usize) -> Vec<(u32, StepRef)> {
    member.steps.iter().filter_map(|(w, steps)| steps.get(turn).map(|&at| (*w, at))).collect()
}

fn mask(steps: &[(u32, Vec<StepRef>)]) -> WarpMask {
    steps.iter().fold(0, |mask, (w, _)| mask | 1 << w)
}
