//! The sparse solver, for any lattice: each value is looked at once in program order, and again when something that it
//! depends on fell.
//!
//! A value is settled if it is at the bottom or depends on settled values only. As definitions come before their uses in
//! program order, all that comes before the first loop is; behind it, values that depend on a loop are not. Dependences on
//! values that are not settled are entered when the dependent is looked at first.

use crate::simt::analysis::gated::Gated;
use crate::simt::analysis::ssa::{Def, Value};
use crate::simt::ir::{Func, Inst};
use cranelift_entity::{EntityRef, EntitySet};

/// What an analysis knows of values, and how it follows from what their operands are.
pub(super) trait Rules {
    /// A meet-semilattice of a small height.
    type State: Copy + PartialEq;
    /// Nothing is known yet.
    const TOP: Self::State;

    /// Whether the state cannot fall any more.
    fn is_bottom(state: Self::State) -> bool;

    /// The next state of a descending iteration, from the present one and the one that follows from the operands.
    fn descend(&mut self, present: Self::State, next: Self::State) -> Self::State;

    /// The state of a register that is read before it is written.
    fn undefined(&self) -> Self::State;

    /// The state of a φ or a copy.
    fn start(&mut self, states: &[Self::State], value: Value) -> Self::State;

    /// The state of result number `result` of an instruction that reads these values.
    fn result(&mut self, states: &[Self::State], inst: Inst, result: u32, reads: &[Value]) -> Self::State;
}

/// The states of all values, and how many were computed. A state falls at most a few times, so the time is linear in the
/// number of uses. Values that cannot be reached stay at the top.
pub(super) fn solve<R: Rules>(func: &Func, gated: &Gated, rules: &mut R) -> (Vec<R::State>, u64) {
    let mut solver = Solver {
        gated,
        rules,
        states: vec![R::TOP; gated.ssa.values.len()],
        settled: vec![false; gated.ssa.values.len()],
        dependents: Dependents { first: vec![NONE; gated.ssa.values.len()], links: Vec::new() },
        work: Vec::new(),
        waiting: EntitySet::new(),
        evaluations: 0,
    };
    for value in gated.ssa.undefined() {
        solver.states[value.index()] = solver.rules.undefined();
        solver.settled[value.index()] = true;
    }
    for block in &gated.facts.cfg.order {
        for value in gated.ssa.starts(*block) {
            solver.look_at_start(*value);
        }
        for inst in &func.blocks[*block].insts {
            solver.look_at(*inst);
        }
    }
    while let Some(value) = solver.work.pop() {
        solver.waiting.remove(value);
        solver.look_again(value);
    }
    (solver.states, solver.evaluations)
}

struct Solver<'a, R: Rules> {
    gated: &'a Gated,
    rules: &'a mut R,
    states: Vec<R::State>,
    settled: Vec<bool>,
    dependents: Dependents,
    work: Vec<Value>,
    waiting: EntitySet<Value>,
    evaluations: u64,
}

impl<R: Rules> Solver<'_, R> {
    fn look_at_start(&mut self, value: Value) {
        let state = self.rules.start(&self.states, value);
        let mut settled = true;
        if !R::is_bottom(state) {
            let gated = self.gated;
            settled = match &gated.ssa.values[value].def {
                Def::Phi(_, arguments) => self.enter(arguments, value),
                Def::Copy(_, source) => self.enter(&[*source], value),
                Def::Undefined | Def::Inst(..) => true,
            };
            for branch in gated.branches(value) {
                settled &= self.enter(gated.ssa.condition(*branch).as_slice(), value);
            }
        }
        self.first(value, state, settled);
    }

    fn look_at(&mut self, inst: Inst) {
        let accesses = &self.gated.facts.accesses;
        let writes = self.gated.ssa.writes(accesses, inst);
        if writes.is_empty() {
            return;
        }
        let reads = self.gated.ssa.reads(accesses, inst);
        for (result, value) in writes.iter().enumerate() {
            let state = self.rules.result(&self.states, inst, result as u32, reads);
            let settled = R::is_bottom(state) || self.enter(reads, *value);
            self.first(*value, state, settled);
        }
    }

    /// Remembers that `value` depends on these; whether all are settled.
    fn enter(&mut self, on: &[Value], value: Value) -> bool {
        let mut settled = true;
        for read in on {
            if !self.settled[read.index()] {
                self.dependents.enter(*read, value);
                settled = false;
            }
        }
        settled
    }

    fn first(&mut self, value: Value, state: R::State, settled: bool) {
        self.evaluations += 1;
        self.settled[value.index()] = settled;
        self.set(value, state);
    }

    fn look_again(&mut self, value: Value) {
        let next = match self.gated.ssa.values[value].def {
            Def::Inst(inst, result) => {
                let reads = self.gated.ssa.reads(&self.gated.facts.accesses, inst);
                self.rules.result(&self.states, inst, result, reads)
            }
            Def::Phi(..) | Def::Copy(..) => self.rules.start(&self.states, value),
            Def::Undefined => return,
        };
        self.evaluations += 1;
        let fallen = self.rules.descend(self.states[value.index()], next);
        self.set(value, fallen);
    }

    fn set(&mut self, value: Value, state: R::State) {
        let present = &mut self.states[value.index()];
        if *present != state {
            *present = state;
            for user in self.dependents.of(value) {
                if self.waiting.insert(user) {
                    self.work.push(user);
                }
            }
        }
    }
}

/// For each value, those that depend on it and were looked at already.
struct Dependents {
    first: Vec<u32>,
    /// A dependent, and where the next one is.
    links: Vec<(Value, u32)>,
}

const NONE: u32 = u32::MAX;

impl Dependents {
    fn enter(&mut self, value: Value, dependent: Value) {
        let first = &mut self.first[value.index()];
        self.links.push((dependent, *first));
        *first = self.links.len() as u32 - 1;
    }

    fn of(&self, value: Value) -> impl Iterator<Item = Value> {
        let link = |at: u32| self.links.get(at as usize);
        let mut next = self.first[value.index()];
        std::iter::from_fn(move || {
            let (dependent, after) = *link(next)?;
            next = after;
            Some(dependent)
        })
    }
}
