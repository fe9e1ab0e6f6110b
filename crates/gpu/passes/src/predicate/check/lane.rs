//! One lane on its way through a row.

use super::Kind;
use crate::predicate::plan::{Label, Mask, Region, Step};
use ptx::inst::Terminator;
use ptx::ir::{Block, Func};
use std::collections::{BTreeMap, BTreeSet};

/// States after which a row counts as too large.
const MOST_STATES: usize = 1 << 18;

/// Where a lane is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    step: usize,
    /// The block that it has to execute next; `None` is the end of the function.
    stands: Option<Block>,
    /// The block that ran in the last step but for masks, and where this lane went from there, if it executed it.
    ran: Option<(Block, bool)>,
    /// Its bits in the masks that will be read.
    masks: BTreeMap<Mask, bool>,
}

/// Returns the faults of a row, the first of each sort.
pub(super) fn follow(func: &Func, region: &Region) -> Vec<Kind> {
    let labels = match labels(&region.steps) {
        Ok(labels) => labels,
        Err(kind) => return vec![kind],
    };
    if let Some(step) = endless(&region.steps, &labels) {
        return vec![Kind::Endless { step }];
    }
    let live = live(&region.steps, &labels);
    let start = State { step: 0, stands: Some(region.entry), ran: None, masks: BTreeMap::new() };
    let mut seen = BTreeSet::from([start.clone()]);
    let mut work = vec![start];
    let mut walk = Walk { func, region, labels: &labels, found: Vec::new() };
    while let Some(state) = work.pop() {
        if seen.len() > MOST_STATES {
            return vec![Kind::Large];
        }
        for mut next in walk.step(state) {
            next.masks.retain(|mask, _| live.get(next.step).is_some_and(|live| live.contains(mask)));
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
        if !walk.found.is_empty() {
            return walk.found;
        }
    }
    Vec::new()
}

struct Walk<'a> {
    func: &'a Func,
    region: &'a Region,
    labels: &'a BTreeMap<Label, usize>,
    found: Vec<Kind>,
}

impl Walk<'_> {
    fn step(&mut self, mut state: State) -> Vec<State> {
        let at = state.step;
        let Some(step) = self.region.steps.get(at) else {
            if state.stands != self.region.exit {
                self.found.push(Kind::Left { stands: state.stands });
            }
            return Vec::new();
        };
        state.step += 1;
        if !matches!(
            step,
            Step::Take { .. } | Step::Copy { .. } | Step::Empty { .. } | Step::Join { .. } | Step::Drop { .. }
        ) {
            state.ran = None;
        }
        match step {
            Step::Run { block, guard } => match self.bit(&state, *guard, at) {
                Some(true) if state.stands != Some(*block) => {
                    self.found.push(Kind::Wrong { block: *block, stands: state.stands });
                }
                Some(true) => {
                    state.ran = Some((*block, true));
                    return self.ways(*block).into_iter().map(|stands| State { stands, ..state.clone() }).collect();
                }
                Some(false) => {
                    state.ran = Some((*block, false));
                    return vec![state];
                }
                None => {}
            },
            Step::Stack { entry, exit, guard } => match self.bit(&state, *guard, at) {
                Some(true) if state.stands != Some(*entry) => {
                    self.found.push(Kind::Wrong { block: *entry, stands: state.stands });
                }
                Some(true) => return vec![State { stands: *exit, ..state }],
                Some(false) => return vec![state],
                None => {}
            },
            Step::Take { .. } => return self.take(state, step, at).into_iter().collect(),
            Step::Copy { mask, from } => {
                if let Some(bit) = self.bit(&state, *from, at) {
                    state.masks.insert(*mask, bit);
                    return vec![state];
                }
            }
            Step::Empty { mask } => {
                state.masks.insert(*mask, false);
                return vec![state];
            }
            Step::Join { mask, with } => {
                if let (Some(own), Some(with)) = (self.bit(&state, Some(*mask), at), self.bit(&state, Some(*with), at))
                {
                    state.masks.insert(*mask, own | with);
                    return vec![state];
                }
            }
            Step::Drop { mask, of } => {
                if let (Some(own), Some(of)) = (self.bit(&state, Some(*mask), at), self.bit(&state, Some(*of), at)) {
                    state.masks.insert(*mask, own & !of);
                    return vec![state];
                }
            }
            Step::Label(_) => return vec![state],
            Step::Back { to } => return vec![State { step: self.labels[to], ..state }],
            Step::IfNone { mask, to, .. } => {
                if let Some(bit) = self.bit(&state, Some(*mask), at) {
                    let jumps = State { step: self.labels[to], ..state.clone() };
                    return if bit { vec![state] } else { vec![state, jumps] };
                }
            }
            Step::IfAny { mask, to } => {
                if let Some(bit) = self.bit(&state, Some(*mask), at) {
                    let jumps = State { step: self.labels[to], ..state.clone() };
                    return if bit { vec![jumps] } else { vec![state, jumps] };
                }
            }
        }
        Vec::new()
    }

    /// The edge that the block took goes into a mask.
    fn take(&mut self, mut state: State, step: &Step, at: usize) -> Option<State> {
        let Step::Take { mask, block, target, guard, more } = step else { return None };
        let ran = state.ran.filter(|(ran, _)| ran == block);
        let (Some((_, executed)), Some(guarded)) = (ran, self.bit(&state, *guard, at)) else {
            self.found.push(Kind::Late { step: at });
            return None;
        };
        if guarded && !executed {
            self.found.push(Kind::Late { step: at });
            return None;
        }
        let before = if *more { self.bit(&state, Some(*mask), at)? } else { false };
        state.masks.insert(*mask, before | (guarded && state.stands == *target));
        Some(state)
    }

    fn bit(&mut self, state: &State, guard: Option<Mask>, step: usize) -> Option<bool> {
        let Some(mask) = guard else { return Some(true) };
        let found = state.masks.get(&mask).copied();
        if found.is_none() {
            self.found.push(Kind::Unmade { step });
        }
        found
    }

    /// Where a lane may go from a block.
    fn ways(&self, block: Block) -> BTreeSet<Option<Block>> {
        match &self.func.blocks[block].terminator {
            Terminator::Ret | Terminator::Exit => BTreeSet::from([None]),
            other => other.targets().into_iter().map(Some).collect(),
        }
    }
}

fn labels(steps: &[Step]) -> Result<BTreeMap<Label, usize>, Kind> {
    let mut labels = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        if let Step::Label(label) = step
            && labels.insert(*label, at).is_some()
        {
            return Err(Kind::Label { step: at });
        }
    }
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::IfNone { to, .. } | Step::IfAny { to, .. } | Step::Back { to } if !labels.contains_key(to) => {
                return Err(Kind::Label { step: at });
            }
            _ => {}
        }
    }
    Ok(labels)
}

/// A step that is passed again although every test on the way found its mask empty.
fn endless(steps: &[Step], labels: &BTreeMap<Label, usize>) -> Option<usize> {
    for start in 0..steps.len() {
        let Step::Back { to } = &steps[start] else { continue };
        let mut at = labels[to];
        let mut passed = BTreeSet::new();
        while passed.insert(at) {
            if at == start {
                return Some(start);
            }
            at = match steps.get(at) {
                Some(Step::IfNone { to, .. } | Step::Back { to }) => labels[to],
                Some(_) => at + 1,
                None => break,
            };
        }
    }
    None
}

/// The masks that are read before they are written again, in front of each step.
fn live(steps: &[Step], labels: &BTreeMap<Label, usize>) -> Vec<BTreeSet<Mask>> {
    let mut live: Vec<BTreeSet<Mask>> = vec![BTreeSet::new(); steps.len() + 1];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (at, step) in steps.iter().enumerate().rev() {
            let mut own = match step {
                Step::Back { to } => live[labels[to]].clone(),
                Step::IfNone { to, .. } | Step::IfAny { to, .. } => {
                    live[at + 1].union(&live[labels[to]]).copied().collect()
                }
                _ => live[at + 1].clone(),
            };
            match step {
                Step::Take { mask, guard, more, .. } => {
                    if !more {
                        own.remove(mask);
                    }
                    own.extend(guard.iter().chain(more.then_some(mask)));
                }
                Step::Copy { mask, from } => {
                    own.remove(mask);
                    own.extend(from);
                }
                Step::Empty { mask } => _ = own.remove(mask),
                Step::Join { mask, with: other } | Step::Drop { mask, of: other } => own.extend([mask, other]),
                Step::Run { guard, .. } | Step::Stack { guard, .. } => own.extend(guard),
                Step::IfNone { mask, .. } | Step::IfAny { mask, .. } => _ = own.insert(*mask),
                Step::Label(_) | Step::Back { .. } => {}
            }
            if own != live[at] {
                live[at] = own;
                changed = true;
            }
        }
    }
    live
}
