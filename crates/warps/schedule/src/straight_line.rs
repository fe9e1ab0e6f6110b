//! The order of one warp's steps in straight-line code, whose values have registers instead of memory: list scheduling that
//! keeps few of them alive.
//!
//! The step that frees the most doubles comes next. Where several steps free as many: one that feeds sums that have begun, then one
//! that is nearest to feeding a step that has all its other inputs, then one whose input was made last. So a value meets all sums that it
//! belongs to as soon as it is made, and is forgotten. From this order a search goes on ([`super::threshold_accepting`]): a step sees no further than
//! itself, and species that few reactions read are better met by these together.

use super::threshold_accepting;
use super::{Phase, Placement, Schedule, Storage};
use cranelift_entity::SecondaryMap;
use graph::{Graph, Op, Part, StepRef, Value};
use machine::target::Target;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Longer code, in instructions of the graph, is made of loops instead: compilers take more than linear time for one block.
const LONGEST: usize = 30_000;

/// The same for a sparse matrix on a GPU, whose entries share few values in the order of its columns. Longer ones are made as several kernels.
const LONGEST_MATRIX: usize = 80_000;

/// The most instructions of straight-line code of a graph.
pub fn longest(graph: &Graph, target: &Target) -> usize {
    if graph.pattern.is_empty() || target.is_cpu() { LONGEST } else { LONGEST_MATRIX }
}

/// Whether straight-line code of the graph is not too long; one row of an output, which cannot be made shorter, may alone make a part of a kernel longer.
/// Matrix products on tensor cores exchange values through memory.
pub fn is_short(graph: &Graph, target: &Target) -> bool {
    let instructions: usize = graph.steps().map(|at| graph.body(at).insts.len()).sum();
    let most = if graph.part.is_empty() { longest(graph, target) } else { 2 * longest(graph, target) };
    instructions <= most && !graph.steps().any(|at| graph.crosses_lanes(at))
}

/// One phase of one warp. A slot stands for a register here: it is given to another value when its own is read for the last
/// time, so that there are as many as values and running states alive at once.
pub fn schedule(graph: &Graph) -> Schedule {
    let greedy = list(graph, SecondaryMap::new());
    let mut seen = BTreeSet::new();
    let ops: Vec<Op> = greedy.order.iter().map(|at| at.op).filter(|&op| seen.insert(op)).collect();
    let searched = list(graph, threshold_accepting::priorities(graph, &ops));
    // Values that are alive do not alone decide what compilers spill: a few less of them in another order may be more spills.
    let is_better = if graph.part.is_empty() {
        2 * searched.crowding <= greedy.crowding
    } else {
        searched.crowding < greedy.crowding
    };
    let by_columns = columns(graph).map(|columns| list(graph, columns));
    let other = if is_better { searched } else { greedy };
    let found = match by_columns {
        Some(list) if list.crowding < other.crowding => list,
        _ => other,
    };
    let List { order, slot_of, slots, .. } = found;
    Schedule {
        warps: 1,
        phases: vec![Phase { runs: vec![order], syncs: Vec::new(), warp_syncs: 0 }],
        slot_of,
        slots,
        placement: Placement::Buffer,
        storage: Storage::Registers,
        crossing_values: 0,
    }
}

/// Priorities by which a matrix is made column by column: what serves several columns first, then what serves one alone; nothing where the output is
/// no sparse matrix.
fn columns(graph: &Graph) -> Option<SecondaryMap<Op, usize>> {
    let last = graph.pattern.iter().map(|&(row, _)| row).max()?;
    // Columns that an operation's results are in: none yet, one, or several.
    let mut reached: SecondaryMap<Op, BTreeSet<u32>> = SecondaryMap::new();
    for op in graph.ops.keys().rev() {
        let mut own = std::mem::take(&mut reached[op]);
        for part in graph.ops[op].parts() {
            let step = graph.step(StepRef { op, part });
            own.extend(step.stores.iter().map(|&(_, row)| graph.pattern[row as usize].1));
        }
        for part in graph.ops[op].parts() {
            for &input in &graph.step(StepRef { op, part }).inputs {
                let producer = graph.values[input].producer.op;
                reached[producer].extend(own.iter().copied());
            }
        }
        reached[op] = own;
    }
    let mut priorities = SecondaryMap::new();
    for op in graph.ops.keys() {
        let mut columns = reached[op].iter();
        priorities[op] = match (columns.next(), columns.next()) {
            (Some(&column), None) if column < last => 1 + column as usize,
            _ => 0,
        };
    }
    Some(priorities)
}

fn list(graph: &Graph, priorities: SecondaryMap<Op, usize>) -> List<'_> {
    let mut list = List::new(graph, priorities);
    while let Some(at) = list.next() {
        list.run(at);
    }
    list
}

struct List<'a> {
    graph: &'a Graph,
    /// The least comes first.
    priorities: SecondaryMap<Op, usize>,
    order: Vec<StepRef>,
    /// Steps that could run now.
    ready: BTreeSet<StepRef>,
    readers: SecondaryMap<Value, Vec<StepRef>>,
    /// Reads of each value that are still to come, and the time when it was made.
    reads_left: SecondaryMap<Value, u32>,
    made: SecondaryMap<Value, Option<usize>>,
    begun: SecondaryMap<Op, bool>,
    done: BTreeSet<StepRef>,
    iterations_left: SecondaryMap<Op, u32>,
    slot_of: SecondaryMap<Value, Option<u32>>,
    /// Slots of running states.
    states: SecondaryMap<Op, Vec<u32>>,
    free: BTreeSet<u32>,
    slots: u32,
    /// The sum over all instructions of the cube of what is alive.
    crowding: u64,
}

/// Rank of a step that is ready; the least is the best.
type Rank = (usize, i64, usize, usize, Reverse<Option<usize>>, StepRef);

impl<'a> List<'a> {
    fn new(graph: &'a Graph, priorities: SecondaryMap<Op, usize>) -> Self {
        let mut readers: SecondaryMap<Value, Vec<StepRef>> = SecondaryMap::new();
        let mut reads_left: SecondaryMap<Value, u32> = SecondaryMap::new();
        for at in graph.steps() {
            for &v in &graph.step(at).inputs {
                readers[v].push(at);
                reads_left[v] += 1;
            }
        }
        let mut iterations_left = SecondaryMap::new();
        for (op, operation) in &graph.ops {
            iterations_left[op] = operation.iterations.len() as u32;
        }
        let mut list = Self {
            graph,
            priorities,
            order: Vec::new(),
            ready: BTreeSet::new(),
            readers,
            reads_left,
            made: SecondaryMap::new(),
            begun: SecondaryMap::new(),
            done: BTreeSet::new(),
            iterations_left,
            slot_of: SecondaryMap::new(),
            states: SecondaryMap::new(),
            free: BTreeSet::new(),
            slots: 0,
            crowding: 0,
        };
        let all: Vec<StepRef> = graph.steps().filter(|&at| list.is_ready(at)).collect();
        list.ready.extend(all);
        list
    }

    fn next(&self) -> Option<StepRef> {
        self.ready.iter().copied().min_by_key(|&at| self.rank(at))
    }

    fn rank(&self, at: StepRef) -> Rank {
        let step = self.graph.step(at);
        let kept = step.outputs.iter().filter(|&&v| self.reads_left[v] > 0).count() as i64;
        let mut inputs: Vec<Value> = step.inputs.clone();
        inputs.sort_unstable();
        let freed =
            inputs.chunk_by(|a, b| a == b).filter(|reads| self.reads_left[reads[0]] == reads.len() as u32).count();
        let states = i64::from(self.graph.ops[at.op].states);
        let begins = if self.begun[at.op] { 0 } else { states };
        let ends = if at.part == Part::Epilogue { states } else { 0 };
        let readers = || step.outputs.iter().flat_map(|&v| &self.readers[v]);
        let not_begun: BTreeSet<Op> = readers().map(|reader| reader.op).filter(|&op| !self.begun[op]).collect();
        let missing = readers().map(|&reader| self.missing(reader)).min().unwrap_or(0);
        let last = step.inputs.iter().filter_map(|&v| self.made[v]).max();
        let change = kept + begins - ends - freed as i64;
        (self.priorities[at.op], change, not_begun.len(), missing, Reverse(last), at)
    }

    /// Inputs that are still to be made.
    fn missing(&self, at: StepRef) -> usize {
        self.graph.step(at).inputs.iter().filter(|&&v| self.made[v].is_none()).count()
    }

    fn is_ready(&self, at: StepRef) -> bool {
        let operation = &self.graph.ops[at.op];
        let may_begin = self.begun[at.op] || self.begins_itself(at.op);
        let in_turn = match at.part {
            Part::Prologue => !self.begins_itself(at.op),
            Part::Iteration(i) => {
                let first = operation.iterations.len() as u32 - self.iterations_left[at.op];
                may_begin && (!operation.ordered || i == first)
            }
            Part::Epilogue => may_begin && self.iterations_left[at.op] == 0,
        };
        in_turn && self.missing(at) == 0 && !self.done.contains(&at)
    }

    /// Whether an operation needs no prologue, or one that only sets its states: that runs just before what needs them.
    fn begins_itself(&self, op: Op) -> bool {
        let prologue = &self.graph.ops[op].prologue;
        prologue.as_ref().is_none_or(|step| step.inputs.is_empty() && step.outputs.is_empty() && step.stores.is_empty())
    }

    fn run(&mut self, at: StepRef) {
        let graph = self.graph;
        let operation = &graph.ops[at.op];
        self.ready.remove(&at);
        if !std::mem::replace(&mut self.begun[at.op], true) {
            if at.part != Part::Prologue && operation.prologue.is_some() {
                self.order.push(StepRef { op: at.op, part: Part::Prologue });
            }
            self.states[at.op] = (0..operation.states).map(|_| self.slot()).collect();
        }
        let alive = u64::from(self.slots) - self.free.len() as u64;
        self.crowding += graph.body(at).insts.len() as u64 * alive.pow(3);
        let now = self.order.len();
        self.order.push(at);
        let step = graph.step(at);
        for &v in &step.inputs {
            self.reads_left[v] -= 1;
            if self.reads_left[v] == 0 {
                self.free.extend(self.slot_of[v]);
            }
        }
        if at.part == Part::Epilogue {
            let states = std::mem::take(&mut self.states[at.op]);
            self.free.extend(states);
        }
        for &v in &step.outputs {
            self.made[v] = Some(now);
            self.slot_of[v] = Some(self.slot());
            if self.reads_left[v] == 0 {
                self.free.extend(self.slot_of[v]);
            }
        }
        if let Part::Iteration(_) = at.part {
            self.iterations_left[at.op] -= 1;
        }
        self.done.insert(at);
        let own = operation.parts().map(|part| StepRef { op: at.op, part });
        let fed = step.outputs.iter().flat_map(|&v| self.readers[v].iter().copied());
        let next: Vec<StepRef> = own.chain(fed).filter(|&next| self.is_ready(next)).collect();
        self.ready.extend(next);
    }

    fn slot(&mut self) -> u32 {
        self.free.pop_first().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }
}
