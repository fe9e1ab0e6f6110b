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
use std::ops::Range;

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
    let mut current = Order::new(&model, (0..model.weights.len() as u32).collect());
    let (mut best, mut least) = (current.drivers.clone(), current.cost);
    let trials = TRIALS.min(WORK / (model.size as u64 + 1));
    let mut random = SplitMix64::new(1);
    for trial in 0..trials * u64::from(model.weights.len() > 2) {
        let threshold = current.cost / THRESHOLD * (trials - trial) / trials;
        let most = current.cost + threshold;
        let turn = Rotation::new(model.weights.len(), &mut random);
        if !current.turn(&turn, most) {
            continue;
        }
        if current.cost < least {
            (best, least) = (current.drivers.clone(), current.cost);
        }
    }
    model.priorities(&Order::new(&model, best))
}

/// A move of some neighbours elsewhere.
struct Rotation {
    window: Range<usize>,
    left: usize,
}

impl Rotation {
    fn new(size: usize, random: &mut SplitMix64) -> Self {
        let length = if random.below(2) == 0 { 1 } else { 1 + random.below(LONGEST_MOVE as usize) }.min(size - 1);
        let from = random.below(size - length + 1);
        let to = random.below(size - length + 1);
        // Rotating the piece between both places moves one over the other.
        let left = if to > from { length } else { from - to };
        Self { window: from.min(to)..from.max(to) + length, left }
    }
}

/// Relations that decide how much is alive when, in numbers.
struct Model {
    ops: Vec<Op>,
    /// Reads of values and operations: the work of a trial.
    size: usize,
    /// Instructions of the steps that run in each driver's turn.
    weights: Vec<u64>,
    /// The operations that others wait for, readers before what they read: their readers, drivers first, then others in this order; then the
    /// sums, which begin when their first adder runs.
    waited: Rows,
    /// Doubles of the values and sums that begin with each of `waited`.
    begun: Vec<i64>,
    /// Doubles of each value and sum.
    lives: Vec<i64>,
    /// Who reads each life, or adds to it; as in `waited`.
    readers: Rows,
}

/// Lists of numbers, all in one piece of memory.
#[derive(Default)]
struct Rows {
    ends: Vec<u32>,
    numbers: Vec<u32>,
}

impl Rows {
    fn push(&mut self, row: impl IntoIterator<Item = usize>) {
        self.numbers.extend(row.into_iter().map(|number| number as u32));
        self.ends.push(self.numbers.len() as u32);
    }

    fn row(&self, at: usize) -> &[u32] {
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.numbers[begin as usize..self.ends[at] as usize]
    }
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
        Self { ops, size, weights, waited: rows, begun, lives, readers: of_lives }
    }

    /// Sums come first, then what drivers need before them.
    fn priorities(&self, order: &Order) -> SecondaryMap<Op, usize> {
        let mut all = SecondaryMap::new();
        for (&op, &time) in self.ops.iter().zip(&order.times) {
            all[op] = 1 + time as usize;
        }
        all
    }
}

/// An order of the drivers, with what follows from it.
struct Order<'m> {
    model: &'m Model,
    drivers: Vec<u32>,
    /// When drivers, and then operations that others wait for, run; behind all drivers where none waits.
    times: Vec<u32>,
    /// When each life ends.
    ends: Vec<u32>,
    /// Doubles that are alive at each time.
    alive: Vec<i64>,
    /// The sum over all instructions of the cube of what is alive: its peaks count most.
    cost: u64,
    /// Earlier entries of `times` and of `ends` that a move changed.
    earlier: [Vec<(u32, u32)>; 2],
    /// Doubles that come to life less those that die, then those that are alive, by time of the window.
    window: Vec<i64>,
}

impl<'m> Order<'m> {
    fn new(model: &'m Model, drivers: Vec<u32>) -> Self {
        let count = drivers.len();
        let mut order = Self {
            model,
            drivers,
            times: vec![0; count + model.waited.ends.len()],
            ends: vec![0; model.lives.len()],
            alive: vec![0; count],
            cost: 0,
            earlier: Default::default(),
            window: Vec::new(),
        };
        order.settle(&(0..count));
        order.cost = order.price(0, &order.window);
        std::mem::swap(&mut order.alive, &mut order.window);
        order
    }

    /// Makes a move, unless the cost would be more than that; returns whether it did.
    ///
    /// What a window contains stays in it, and so does what begins or ends with that: no other time changes.
    fn turn(&mut self, Rotation { window, left }: &Rotation, most: u64) -> bool {
        let before = self.price(window.start, &self.alive[window.clone()]);
        self.drivers[window.clone()].rotate_left(*left);
        self.settle(window);
        let cost = self.cost - before + self.price(window.start, &self.window);
        if cost > most {
            self.drivers[window.clone()].rotate_right(*left);
            self.time(window);
            for (list, earlier) in [&mut self.times, &mut self.ends].into_iter().zip(&self.earlier) {
                earlier.iter().for_each(|(at, time)| list[*at as usize] = *time);
            }
            return false;
        }
        self.alive[window.clone()].copy_from_slice(&self.window);
        self.cost = cost;
        true
    }

    /// Notes the times of the drivers in the window.
    fn time(&mut self, window: &Range<usize>) {
        for (time, driver) in window.clone().zip(&self.drivers[window.clone()]) {
            self.times[*driver as usize] = time as u32;
        }
    }

    /// Brings up to date what begins or ends in the window, and counts what is alive there.
    fn settle(&mut self, window: &Range<usize>) {
        self.time(window);
        let Self { model, drivers, times, ends, alive, earlier: [earlier_times, earlier_ends], .. } = self;
        let (last, inside) = (drivers.len() as u32, window.start as u32..window.end as u32);
        earlier_times.clear();
        earlier_ends.clear();
        let changes = &mut self.window;
        changes.clear();
        changes.resize(window.len(), 0);
        let mut change = |time: u32, doubles: i64| {
            if inside.contains(&time) {
                changes[time as usize - window.start] += doubles;
            }
        };
        for (at, begun) in model.begun.iter().enumerate() {
            let place = drivers.len() + at;
            if inside.contains(&times[place]) {
                let readers = model.waited.row(at).iter();
                let first = readers.map(|reader| times[*reader as usize]).min().unwrap_or(last);
                earlier_times.push((place as u32, std::mem::replace(&mut times[place], first)));
                change(first, *begun);
            }
        }
        for (at, doubles) in model.lives.iter().enumerate() {
            if inside.contains(&ends[at]) {
                let end = model.readers.row(at).iter().map(|reader| times[*reader as usize]).max().unwrap_or(0);
                earlier_ends.push((at as u32, std::mem::replace(&mut ends[at], end)));
                change(end, -doubles);
            }
        }
        let mut now = if window.start == 0 { 0 } else { alive[window.start - 1] };
        for change in changes {
            now += *change;
            *change = now;
        }
    }

    /// The cost of that much alive from a time on.
    fn price(&self, start: usize, alive: &[i64]) -> u64 {
        let drivers = self.drivers[start..].iter().zip(alive);
        drivers.map(|(driver, alive)| self.model.weights[*driver as usize] * (*alive.max(&0) as u64).pow(3)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drivers 0 to 19; others that wait for some of those before them; lives of some of these.
    fn made_up(random: &mut SplitMix64) -> Model {
        let (mut waited, mut readers, mut lives) = (Rows::default(), Rows::default(), Vec::new());
        for place in 20..40 {
            waited.push((0..random.below(4)).map(|_| random.below(place)).collect::<Vec<_>>());
            lives.push(1 + random.below(3) as i64);
            readers.push((0..random.below(4)).map(|_| random.below(40)).collect::<Vec<_>>());
        }
        let weights = (0..20).map(|_| 1 + random.below(9) as u64).collect();
        Model { ops: Vec::new(), size: 0, weights, waited, begun: lives.clone(), lives, readers }
    }

    #[test]
    fn what_a_move_leaves_is_what_its_order_gives() {
        let mut random = SplitMix64::new(7);
        for _ in 0..50 {
            let model = made_up(&mut random);
            let mut current = Order::new(&model, (0..20).collect());
            let mut taken = 0;
            for _ in 0..100 {
                let most = current.cost + current.cost / 50;
                taken += usize::from(current.turn(&Rotation::new(20, &mut random), most));
                let anew = Order::new(&model, current.drivers.clone());
                assert_eq!((current.cost, &current.alive), (anew.cost, &anew.alive));
                assert_eq!((&current.times, &current.ends), (&anew.times, &anew.ends));
            }
            assert!((1..100).contains(&taken), "{taken}");
        }
    }
}
