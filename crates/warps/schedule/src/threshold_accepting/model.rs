//! The relations of operations that decide how much is alive when.

use cranelift_entity::SecondaryMap;
use graph::{Graph, Op, Part, StepRef, Value};
#[cfg(test)]
use kinetics::random::SplitMix64;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Relations that decide how much is alive when, in numbers.
pub struct Model {
    ops: Vec<Op>,
    /// Reads of values and operations: those that a trial may look at.
    pub size: usize,
    /// Instructions of the steps that run in each driver's turn.
    pub weights: Vec<u64>,
    /// The operations that others wait for, readers before what they read: their readers, drivers first, then others in this order; then the
    /// sums, which begin when their first adder runs.
    pub waited: Rows,
    /// Doubles of the values and sums that begin with each of `waited`.
    pub begun: Vec<i64>,
    /// Doubles of each value and sum.
    pub lives: Vec<i64>,
    /// Who reads each life, or adds to it; as in `waited`.
    pub readers: Rows,
    /// Which of `waited`, and which lives, have an operation among those.
    pub read_by: [Rows; 2],
}

/// Lists of numbers, all in one piece of memory.
#[derive(Default)]
pub struct Rows {
    ends: Vec<u32>,
    numbers: Vec<u32>,
}

impl Rows {
    pub fn push(&mut self, row: impl IntoIterator<Item = usize>) {
        self.numbers.extend(row.into_iter().map(|number| number as u32));
        self.ends.push(self.numbers.len() as u32);
    }

    pub fn row(&self, at: usize) -> &[u32] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.numbers[begin as usize..self.ends[at] as usize]
    }

    /// The rows that have each number below a count.
    fn turned(&self, count: usize) -> Self {
        let mut having = vec![Vec::new(); count];
        for at in 0..self.ends.len() {
            self.row(at).iter().for_each(|&number| having[number as usize].push(at));
        }
        let mut turned = Self::default();
        having.into_iter().for_each(|rows| turned.push(rows));
        turned
    }
}

impl Model {
    pub fn new(graph: &Graph, order: &[Op]) -> Self {
        let mut readers: SecondaryMap<Op, BTreeSet<(Op, bool)>> = SecondaryMap::new();
        let mut value_readers: SecondaryMap<Value, BTreeSet<Op>> = SecondaryMap::new();
        let is_sum = |op: Op| !graph.ops[op].iterations.is_empty() && !graph.ops[op].ordered;
        for at in graph.steps() {
            let adds = is_sum(at.op) && at.part != Part::Epilogue;
            for &value in &graph.step(at).inputs {
                readers[graph.values[value].producer.op].insert((at.op, adds));
                if !adds {
                    value_readers[value].insert(at.op);
                }
            }
        }
        let instructions =
            |op: Op| graph.ops[op].parts().map(|part| graph.body(StepRef { op, part }).insts.len() as u64).sum();
        // Number of sums between an operation and the last result that it reaches, its own included.
        let mut stages: SecondaryMap<Op, usize> = SecondaryMap::new();
        for op in graph.ops.keys().rev() {
            stages[op] =
                readers[op].iter().map(|&(reader, _)| stages[reader]).max().unwrap_or(0) + usize::from(is_sum(op));
        }
        let feeds = |op: Op| !is_sum(op) && !readers[op].is_empty() && readers[op].iter().all(|&(_, adds)| adds);
        let work = |stage: usize| -> u64 {
            graph.ops.keys().filter(|&op| feeds(op) && stages[op] == stage).map(instructions).sum()
        };
        let most = graph.ops.keys().map(|op| stages[op]).max().unwrap_or(0);
        let stage = (1..=most).max_by_key(|&stage| (work(stage), Reverse(stage))).unwrap_or(1);
        let is_driver = |op: Op| feeds(op) && stages[op] == stage;
        let is_late = |op: Op| stages[op] < stage || is_sum(op) && stages[op] == stage;
        let drivers: Vec<Op> = order.iter().copied().filter(|&op| is_driver(op)).collect();
        // Producers stand before their readers in the graph, but for operations that wait half-way.
        let waited: Vec<Op> = graph.ops.keys().rev().filter(|&op| !is_driver(op) && !is_late(op)).collect();
        let ops: Vec<Op> = drivers.iter().chain(&waited).copied().collect();
        let mut place: SecondaryMap<Op, Option<usize>> = SecondaryMap::new();
        ops.iter().enumerate().for_each(|(n, &op)| place[op] = Some(n));
        let places = |found: &mut dyn Iterator<Item = Op>| found.filter_map(|op| place[op]).collect::<Vec<_>>();
        let (mut rows, mut size) = (Rows::default(), ops.len());
        for &op in &waited {
            let own = places(&mut readers[op].iter().map(|&(reader, _)| reader));
            size += own.len();
            // What is not placed before it does not tell when it runs.
            rows.push(own.into_iter().filter(|reader| Some(*reader) < place[op]));
        }
        let (mut begun, mut lives, mut of_lives) = (vec![0; waited.len()], Vec::new(), Rows::default());
        for (value, info) in graph.values.iter().filter(|(value, _)| !value_readers[*value].is_empty()) {
            let Some(maker) = place[info.producer.op].filter(|_| !is_driver(info.producer.op)) else { continue };
            begun[maker - drivers.len()] += 1;
            lives.push(1);
            of_lives.push(places(&mut value_readers[value].iter().copied()));
        }
        for op in graph.ops.keys().filter(|&op| is_sum(op)) {
            let parts = graph.ops[op].parts().filter(|part| *part != Part::Epilogue);
            let inputs = parts.flat_map(|part| graph.ops[op].step(part).inputs.clone());
            let makers: BTreeSet<Op> = inputs.map(|value| graph.values[value].producer.op).collect();
            // A sum that others wait for is alive until they have it.
            let adders: Vec<usize> = places(&mut makers.into_iter()).into_iter().chain(place[op]).collect();
            if !adders.is_empty() {
                begun.push(i64::from(graph.ops[op].states));
                lives.push(i64::from(graph.ops[op].states));
                rows.push(adders.iter().copied());
                of_lives.push(adders);
            }
        }
        size += of_lives.numbers.len();
        let weights = drivers.iter().map(|&op| instructions(op)).collect();
        Self { ops, size, ..Self::of(weights, (rows, begun), (of_lives, lives)) }
    }

    /// What drivers weigh; which operations wait for which, with what begins with them; and who reads which lives.
    fn of(weights: Vec<u64>, (waited, begun): (Rows, Vec<i64>), (readers, lives): (Rows, Vec<i64>)) -> Self {
        let places = weights.len() + begun.len();
        let read_by = [waited.turned(places), readers.turned(places)];
        Self { ops: Vec::new(), size: 0, weights, waited, begun, lives, readers, read_by }
    }

    /// Sums come first, then what drivers need before them.
    pub fn priorities(&self, times: &[u32]) -> SecondaryMap<Op, usize> {
        let mut all = SecondaryMap::new();
        for (&op, &time) in self.ops.iter().zip(times) {
            all[op] = 1 + time as usize;
        }
        all
    }
}

#[cfg(test)]
impl Model {
    /// Drivers 0 to 19; others that wait for some of those before them; lives of some of these.
    pub fn made_up(random: &mut SplitMix64) -> Self {
        let (mut waited, mut readers, mut lives) = (Rows::default(), Rows::default(), Vec::new());
        for place in 20..40 {
            waited.push((0..random.below(4)).map(|_| random.below(place)).collect::<Vec<_>>());
            lives.push(1 + random.below(3) as i64);
            readers.push((0..random.below(4)).map(|_| random.below(40)).collect::<Vec<_>>());
        }
        let weights = (0..20).map(|_| 1 + random.below(9) as u64).collect();
        Self::of(weights, (waited, lives.clone()), (readers, lives))
    }
}
