//! An order of operations that keeps few values alive in straight-line code, found by threshold accepting (Dueck & Scheuer, J. Comput. Phys.
//! 90, 1990): a local search that takes a worse order, too, as long as it is not worse by more than a threshold, which falls to nothing.
//!
//! The search orders *drivers*: operations that only sums read, such as reactions; where there are several kinds of them, those with the most
//! work. Their inputs are made just before the first one that needs them, and what comes of them runs as soon as it can.

use cranelift_entity::SecondaryMap;
use graph::{Graph, Op, Part, StepRef, Value};
use kinetics::random::SplitMix64;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Orders that are tried.
const TRIALS: u64 = 60_000;
/// Work of all trials at most, in reads of values: larger graphs have fewer trials.
const WORK: u64 = 250_000_000;
/// Most drivers that move together.
const LONGEST_MOVE: u64 = 12;
/// The first threshold, in parts of the cost.
const THRESHOLD: u64 = 100;

/// When each operation should run, the least first, by an order that starts from this one of all operations.
pub fn priorities(graph: &Graph, order: &[Op]) -> SecondaryMap<Op, usize> {
    let model = Model::new(graph, order);
    let mut drivers: Vec<usize> = (0..model.weights.len()).collect();
    let mut scratch = Scratch::default();
    let mut cost = model.cost(&drivers, &mut scratch);
    let (mut best, mut least) = (drivers.clone(), cost);
    let trials = TRIALS.min(WORK / (model.size() as u64 + 1));
    let mut random = SplitMix64::new(1);
    for trial in 0..trials * u64::from(drivers.len() > 2) {
        let threshold = cost / THRESHOLD * (trials - trial) / trials;
        let undo = shift(&mut drivers, &mut random);
        let changed = model.cost(&drivers, &mut scratch);
        if changed > cost + threshold {
            undo(&mut drivers);
            continue;
        }
        cost = changed;
        if cost < least {
            (best, least) = (drivers.clone(), cost);
        }
    }
    model.cost(&best, &mut scratch);
    model.priorities(&scratch)
}

/// Moves some neighbours elsewhere; the result moves them back.
fn shift(drivers: &mut [usize], random: &mut SplitMix64) -> impl Fn(&mut [usize]) + use<> {
    let size = drivers.len();
    let length = if random.below(2) == 0 { 1 } else { 1 + random.below(LONGEST_MOVE as usize) }.min(size - 1);
    let from = random.below(size - length + 1);
    let to = random.below(size - length + 1);
    // Rotating the piece between both places moves one over the other.
    let (first, last) = (from.min(to), from.max(to) + length);
    let left = if to > from { length } else { from - to };
    drivers[first..last].rotate_left(left);
    move |drivers| drivers[first..last].rotate_right(left)
}

/// Relations that decide how much is alive when, in numbers.
struct Model {
    ops: Vec<Op>,
    /// Instructions of the steps that run in each driver's turn.
    weights: Vec<u64>,
    /// The operations that others wait for, readers before what they read: their readers, drivers first, then others in this order.
    waited: Vec<Vec<usize>>,
    /// Values: who makes them, and who reads them, as in `waited`; doubles.
    values: Vec<(usize, Vec<usize>)>,
    /// Sums: who adds to them, and how many doubles they take.
    sums: Vec<(Vec<usize>, i64)>,
}

#[derive(Default)]
struct Scratch {
    /// When drivers, and then operations that others wait for, run.
    times: Vec<usize>,
    /// Doubles that come to life less those that die, by time.
    changes: Vec<i64>,
}

impl Model {
    fn new(graph: &Graph, order: &[Op]) -> Self {
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
        let values = graph.values.iter().filter(|(value, _)| !value_readers[*value].is_empty());
        let values = values.filter_map(|(value, info)| {
            let maker = place[info.producer.op].filter(|_| !is_driver(info.producer.op))?;
            Some((maker, places(&mut value_readers[value].iter().copied())))
        });
        let adders = |op: Op| {
            let parts = graph.ops[op].parts().filter(|part| *part != Part::Epilogue);
            let inputs = parts.flat_map(|part| graph.ops[op].step(part).inputs.clone());
            let makers: BTreeSet<Op> = inputs.map(|value| graph.values[value].producer.op).collect();
            // A sum that others wait for is alive until they have it.
            let own = place[op];
            let mut all = places(&mut makers.into_iter());
            all.extend(own);
            all
        };
        let sums = graph.ops.keys().filter(|&op| is_sum(op)).map(|op| (adders(op), i64::from(graph.ops[op].states)));
        Self {
            weights: drivers.iter().map(|&op| instructions(op)).collect(),
            waited: waited.iter().map(|&op| places(&mut readers[op].iter().map(|&(reader, _)| reader))).collect(),
            values: values.collect(),
            sums: sums.collect(),
            ops,
        }
    }

    fn size(&self) -> usize {
        let reads = self.waited.iter().chain(self.values.iter().map(|(_, readers)| readers));
        reads.chain(self.sums.iter().map(|(adders, _)| adders)).map(Vec::len).sum::<usize>() + self.ops.len()
    }

    /// The sum over all instructions of the cube of what is alive: its peaks count most.
    fn cost(&self, drivers: &[usize], scratch: &mut Scratch) -> u64 {
        let Scratch { times, changes } = scratch;
        times.clear();
        times.resize(self.ops.len(), usize::MAX);
        drivers.iter().enumerate().for_each(|(time, &driver)| times[driver] = time);
        for (n, readers) in self.waited.iter().enumerate() {
            times[drivers.len() + n] = readers.iter().map(|&reader| times[reader]).min().unwrap_or(usize::MAX);
        }
        let last = drivers.len();
        changes.clear();
        changes.resize(last + 1, 0);
        let mut alive = |from: usize, to: usize, doubles: i64| {
            changes[from.min(last)] += doubles;
            changes[to.min(last)] -= doubles;
        };
        for (maker, readers) in &self.values {
            let death = readers.iter().map(|&reader| times[reader]).max().unwrap_or(0);
            alive(times[*maker], death, 1);
        }
        for (adders, doubles) in &self.sums {
            let when = || adders.iter().map(|&adder| times[adder]);
            if let (Some(from), Some(to)) = (when().min(), when().max()) {
                alive(from, to, *doubles);
            }
        }
        let mut live = 0i64;
        let mut sum = 0;
        for (&driver, change) in drivers.iter().zip(changes) {
            live += *change;
            sum += self.weights[driver] * (live.max(0) as u64).pow(3);
        }
        sum
    }

    /// Sums come first, then what drivers need before them.
    fn priorities(&self, scratch: &Scratch) -> SecondaryMap<Op, usize> {
        let mut all = SecondaryMap::new();
        for (&op, &time) in self.ops.iter().zip(&scratch.times) {
            all[op] = time.saturating_add(1);
        }
        all
    }
}
