//! Assignment of terms to warps: equal work for all warps, at each depth of the graph, few parts of sums, and few values that several warps load.
//! Found by threshold accepting (Dueck & Scheuer, J. Comput. Phys. 90, 1990).

use kinetics::random::SplitMix64;
use std::collections::BTreeMap;

/// An operation that makes terms, as numbers.
pub struct Maker {
    /// Double-precision slots, with those that add its terms.
    pub work: f64,
    /// The class of makers that run at the same time.
    pub class: usize,
    /// Sums that it adds to.
    pub sums: Vec<usize>,
    /// Inputs that it reads.
    pub inputs: Vec<usize>,
}

/// Instructions that a part of a sum takes besides those that add its terms: stored, loaded and added.
const PART: f64 = 4.0;
/// Instructions by which a warp loads a value.
const LOAD: f64 = 1.0;
/// Trials for each maker and warp.
const TRIALS: usize = 400;
/// Most trials.
const MOST_TRIALS: usize = 3_000_000;

/// The warp of each maker, from a first assignment on.
pub fn assign(makers: &[Maker], warps: usize, first: &[usize]) -> Vec<usize> {
    let mut state = State::new(makers, warps, first);
    let mut cost = state.cost();
    let (mut best, mut least) = (state.warp_of.clone(), cost);
    let trials = (TRIALS * makers.len() * warps).min(MOST_TRIALS);
    let mean = makers.iter().map(|m| m.work).sum::<f64>() / makers.len().max(1) as f64;
    let mut random = SplitMix64::new(1);
    for trial in 0..trials * usize::from(warps > 1 && makers.len() > 1) {
        let threshold = mean / 2.0 * (trials - trial) as f64 / trials as f64;
        let (a, b) = (random.below(makers.len()), random.below(makers.len()));
        let (from, to) = (state.warp_of[a], state.warp_of[b]);
        let swaps = random.below(2) == 0;
        let target = if swaps { to } else { random.below(warps) };
        if target == from {
            continue;
        }
        state.shift(a, target);
        if swaps {
            state.shift(b, from);
        }
        let changed = state.cost();
        if changed > cost + threshold {
            state.shift(a, from);
            if swaps {
                state.shift(b, to);
            }
            continue;
        }
        cost = changed;
        if cost < least {
            (best, least) = (state.warp_of.clone(), cost);
        }
    }
    best
}

struct State<'a> {
    makers: &'a [Maker],
    warps: usize,
    warp_of: Vec<usize>,
    /// Work by class and warp.
    work: Vec<Vec<f64>>,
    /// By sum and warp, and by input and warp: makers that have to do with it.
    adding: Vec<u32>,
    reading: Vec<u32>,
    parts: u32,
    loads: u32,
}

impl<'a> State<'a> {
    fn new(makers: &'a [Maker], warps: usize, first: &[usize]) -> Self {
        let classes = makers.iter().map(|m| m.class + 1).max().unwrap_or(0);
        let most = |of: fn(&Maker) -> &Vec<usize>| makers.iter().flat_map(of).max().map_or(0, |n| n + 1);
        let mut state = Self {
            makers,
            warps,
            warp_of: first.to_vec(),
            work: vec![vec![0.0; warps]; classes],
            adding: vec![0; warps * most(|m| &m.sums)],
            reading: vec![0; warps * most(|m| &m.inputs)],
            parts: 0,
            loads: 0,
        };
        for n in 0..makers.len() {
            state.add(n);
        }
        state
    }

    /// Clocks of the longest warp in each class, and a warp's share of the traffic.
    fn cost(&self) -> f64 {
        let longest = |work: &Vec<f64>| work.iter().copied().fold(0.0, f64::max);
        let traffic = PART * f64::from(self.parts) + LOAD * f64::from(self.loads);
        self.work.iter().map(longest).sum::<f64>() + traffic / self.warps as f64
    }

    fn shift(&mut self, maker: usize, warp: usize) {
        self.remove(maker);
        self.warp_of[maker] = warp;
        self.add(maker);
    }

    fn add(&mut self, maker: usize) {
        let (warp, Maker { work, class, sums, inputs }) = (self.warp_of[maker], &self.makers[maker]);
        self.work[*class][warp] += work;
        for (counts, all, of) in
            [(&mut self.adding, &mut self.parts, sums), (&mut self.reading, &mut self.loads, inputs)]
        {
            for &n in of {
                let count = &mut counts[n * self.warps + warp];
                *all += u32::from(*count == 0);
                *count += 1;
            }
        }
    }

    fn remove(&mut self, maker: usize) {
        let (warp, Maker { work, class, sums, inputs }) = (self.warp_of[maker], &self.makers[maker]);
        self.work[*class][warp] -= work;
        for (counts, all, of) in
            [(&mut self.adding, &mut self.parts, sums), (&mut self.reading, &mut self.loads, inputs)]
        {
            for &n in of {
                let count = &mut counts[n * self.warps + warp];
                *count -= 1;
                *all -= u32::from(*count == 0);
            }
        }
    }
}

/// Numbers for things, in the order in which they are first met.
pub struct Numbers<T>(BTreeMap<T, usize>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Ord> Numbers<T> {
    pub fn number(&mut self, thing: T) -> usize {
        let next = self.0.len();
        *self.0.entry(thing).or_insert(next)
    }
}
