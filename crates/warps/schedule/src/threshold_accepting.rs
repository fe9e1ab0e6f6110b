//! An order of operations that keeps few values alive in straight-line code, found by threshold accepting (Dueck & Scheuer, J. Comput. Phys.
//! 90, 1990): a local search that takes a worse order, too, as long as it is not worse by more than a threshold, which falls to nothing.
//!
//! The search orders *drivers*: operations that only sums read, such as reactions; where there are several kinds of them, those with the most
//! work. Their inputs are made just before the first one that needs them, and what comes of them runs as soon as it can.

mod model;
mod order;

use cranelift_entity::SecondaryMap;
use graph::{Graph, Op};
use kinetics::random::SplitMix64;
use model::Model;
use order::Order;
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
    model.priorities(&Order::new(&model, best).times())
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
