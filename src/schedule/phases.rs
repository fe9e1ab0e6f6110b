//! Phases and slots: list scheduling under a limit on shared memory.
//!
//! A step runs in the first phase in which its inputs are visible to its warp and slots for its outputs are free. What
//! does not fit is computed later, rather than kept in registers: a value exists only from just before it is read.
//! Within a phase the order is by depth in the graph, then by the length of the path that still depends on it, then by
//! shape, so that warps that do the same kind of work meet in the overlay.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use cranelift_entity::{EntityRef, SecondaryMap};

use super::{Limits, Phase, Placement, Schedule};
use crate::dataflow::{Duty, Graph, Op, Part, StepRef, Value};
use crate::diagnostic::Diagnostic;
use crate::mapping::Mapping;

/// Places every value and distributes the steps over phases; barriers are not decided here.
pub fn place(graph: &Graph, mapping: &Mapping, placement: Placement, limits: &Limits) -> Result<Schedule, Diagnostic> {
    let readers = reading_warps(graph, mapping);
    let crossing =
        graph.values.iter().filter(|(v, info)| readers[*v] & !(1 << mapping.warp_of[info.producer.op]) != 0).count()
            as u32;
    let all = graph.values.len() as u32;
    let stored = limits.slots.map_or_else(SecondaryMap::new, |capacity| most_read(graph, &readers, capacity));
    let attempt = |placement: Placement, slots: u32| {
        let permanent = |v: Value| match placement {
            Placement::Store | Placement::Auto => true,
            Placement::Mixed => stored[v],
            Placement::Buffer => false,
        };
        let (phases, slot_of, slots) = Placer::new(graph, mapping, slots, &permanent).run()?;
        Some(Schedule { warps: mapping.warps, phases, slot_of, slots, placement, crossing_values: crossing })
    };
    let Some(capacity) = limits.slots else {
        return attempt(Placement::Store, all).ok_or_else(|| shortage(graph, placement, all, all));
    };
    let found = match placement {
        Placement::Auto if all <= capacity => attempt(Placement::Store, all),
        Placement::Auto => attempt(Placement::Mixed, capacity).or_else(|| attempt(Placement::Buffer, capacity)),
        Placement::Store if all <= capacity => attempt(Placement::Store, all),
        Placement::Store => None,
        Placement::Mixed => attempt(Placement::Mixed, capacity),
        Placement::Buffer => {
            let sizes = std::iter::successors(Some(8u32), |s| Some(s * 2)).take_while(|&s| s < capacity);
            sizes.chain([capacity]).find_map(|size| attempt(Placement::Buffer, size))
        }
    };
    found.ok_or_else(|| shortage(graph, placement, all, capacity))
}

fn shortage(graph: &Graph, placement: Placement, all: u32, capacity: u32) -> Diagnostic {
    Diagnostic::error(
        "schedule::shared-memory",
        format!(
            "{}: shared memory does not suffice: the kernel has {all} values of 256 bytes for each group of 32 points, \
             and one CTA may use {} bytes ({capacity} values) with {} placement",
            graph.kernel,
            capacity * 256,
            format!("{placement:?}").to_lowercase(),
        ),
    )
    .help("lower --ctas-per-sm, use --placement auto, or choose a target with more shared memory")
}

/// The values to store under mixed placement: those that several warps read, most reads first, on up to three quarters
/// of the slots.
fn most_read(graph: &Graph, readers: &SecondaryMap<Value, u32>, capacity: u32) -> SecondaryMap<Value, bool> {
    let mut reads: SecondaryMap<Value, u32> = SecondaryMap::new();
    for at in graph.steps() {
        for &v in &graph.step(at).inputs {
            reads[v] += 1;
        }
    }
    let mut shared: Vec<Value> = graph.values.keys().filter(|&v| readers[v].count_ones() > 1).collect();
    shared.sort_by_key(|&v| (Reverse(reads[v]), v));
    let mut stored = SecondaryMap::new();
    for v in shared.into_iter().take(capacity as usize * 3 / 4) {
        stored[v] = true;
    }
    stored
}

/// The warps that read each value.
fn reading_warps(graph: &Graph, mapping: &Mapping) -> SecondaryMap<Value, u32> {
    let mut readers = SecondaryMap::new();
    for at in graph.steps() {
        for &v in &graph.step(at).inputs {
            readers[v] |= 1 << mapping.warp_of[at.op];
        }
    }
    readers
}

/// Position of a step in the order within a phase; equal keys are the same kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    /// What feeds a crew comes first, then the crew's own.
    duty: Duty,
    depth: u32,
    /// Operations with running states go through all their steps a few at a time, to spare registers.
    chunk: u32,
    part: u32,
    path: Reverse<u32>,
    shape: u32,
}

struct Placer<'a> {
    graph: &'a Graph,
    mapping: &'a Mapping,
    permanent: &'a dyn Fn(Value) -> bool,
    /// Steps that have not run, by group.
    waiting: BTreeMap<Group, Vec<StepRef>>,
    /// Reads of each value that are still to come.
    reads_left: SecondaryMap<Value, u32>,
    /// Phase in which a value was made, plus one.
    made: SecondaryMap<Value, u32>,
    /// Rounds of each operation that have not run, and whether its first step has.
    rounds_left: SecondaryMap<Op, u32>,
    begun: SecondaryMap<Op, bool>,
    slot_of: SecondaryMap<Value, Option<u32>>,
    /// Free slots, ascending from the end.
    free: Vec<u32>,
    used: u32,
}

type Placed = (Vec<Phase>, SecondaryMap<Value, Option<u32>>, u32);

impl<'a> Placer<'a> {
    fn new(graph: &'a Graph, mapping: &'a Mapping, slots: u32, permanent: &'a dyn Fn(Value) -> bool) -> Self {
        let mut reads_left: SecondaryMap<Value, u32> = SecondaryMap::new();
        for at in graph.steps() {
            for &v in &graph.step(at).inputs {
                reads_left[v] += 1;
            }
        }
        let mut rounds_left = SecondaryMap::new();
        let mut begun = SecondaryMap::new();
        for (op, operation) in &graph.ops {
            rounds_left[op] = operation.rounds.len() as u32;
            begun[op] = operation.before.is_none();
        }
        let (depth, path) = depths(graph);
        let mut longest: BTreeMap<u32, u32> = BTreeMap::new();
        for at in graph.steps() {
            let entry = longest.entry(graph.step(at).shape.index() as u32).or_default();
            *entry = (*entry).max(path[at.op]);
        }
        let chunk = chunks(graph, mapping, &depth);
        let mut waiting: BTreeMap<Group, Vec<StepRef>> = BTreeMap::new();
        for at in graph.steps() {
            let shape = graph.step(at).shape.index() as u32;
            let part = match at.part {
                Part::Before => 0,
                Part::Round(_) => 1,
                Part::After => 2,
            };
            let group = Group {
                duty: graph.duty(at),
                depth: depth[at.op],
                chunk: chunk[at.op],
                part,
                path: Reverse(longest[&shape]),
                shape,
            };
            waiting.entry(group).or_default().push(at);
        }
        Self {
            graph,
            mapping,
            permanent,
            waiting,
            reads_left,
            made: SecondaryMap::new(),
            rounds_left,
            begun,
            slot_of: SecondaryMap::new(),
            free: (0..slots).rev().collect(),
            used: 0,
        }
    }

    /// `None` when a phase can run nothing: the slots do not suffice.
    fn run(mut self) -> Option<Placed> {
        let mut phases = Vec::new();
        while !self.waiting.is_empty() {
            // As long as a crew is not fed, the rest waits, so that it can run beside the crew.
            let fed = self.waiting.keys().next().is_none_or(|group| group.duty != Duty::Feeds);
            let mut runs = self.phase(phases.len() as u32, if fed { Duty::Rest } else { Duty::Member });
            if !fed && runs.iter().all(Vec::is_empty) {
                runs = self.phase(phases.len() as u32, Duty::Rest);
            }
            if runs.iter().all(Vec::is_empty) {
                return None;
            }
            phases.push(Phase { runs, syncs: Vec::new() });
        }
        Some((phases, self.slot_of, self.used))
    }

    /// One phase, of the groups up to a duty.
    fn phase(&mut self, phase: u32, last: Duty) -> Vec<Vec<StepRef>> {
        let mut runs = vec![Vec::new(); self.mapping.warps as usize];
        let mut released = Vec::new();
        let groups: Vec<Group> = self.waiting.keys().copied().take_while(|group| group.duty <= last).collect();
        for group in groups {
            let steps = self.waiting.remove(&group).expect("the key was just listed");
            let (ready, mut later): (Vec<_>, Vec<_>) = steps.into_iter().partition(|&at| self.ready(at, phase));
            let (run, postponed) = self.choose(ready);
            later.extend(postponed);
            for at in run {
                self.execute(at, phase, &mut released);
                runs[self.mapping.warp_of[at.op] as usize].push(at);
            }
            if !later.is_empty() {
                later.sort_unstable();
                self.waiting.insert(group, later);
            }
        }
        self.free.extend(released);
        self.free.sort_unstable_by_key(|&s| Reverse(s));
        runs
    }

    fn ready(&self, at: StepRef, phase: u32) -> bool {
        let operation = &self.graph.ops[at.op];
        let in_turn = match at.part {
            Part::Before => true,
            Part::Round(_) => self.begun[at.op],
            Part::After => self.begun[at.op] && self.rounds_left[at.op] == 0,
        };
        let warp = self.mapping.warp_of[at.op];
        in_turn
            && operation.step(at.part).inputs.iter().all(|&v| {
                let made = self.made[v];
                let own = self.mapping.warp_of[self.graph.values[v].producer.op] == warp;
                made != 0 && (made <= phase || own)
            })
    }

    /// Those of the ready steps that run now: rounds that must keep their order up to the first gap, and as many steps
    /// with outputs as there are free slots, every warp in turn.
    fn choose(&self, ready: Vec<StepRef>) -> (Vec<StepRef>, Vec<StepRef>) {
        let (mut ready, mut postponed) = self.in_order(ready);
        let need = |at: StepRef| self.graph.step(at).outputs.len();
        let total: usize = ready.iter().map(|&at| need(at)).sum();
        if total <= self.free.len() {
            return (ready, postponed);
        }
        let mut turn = vec![0u32; self.mapping.warps as usize];
        let mut stopped: Vec<Op> = Vec::new();
        let mut by_turn: Vec<(u32, StepRef)> = Vec::new();
        // Rounds of one warp's operations take turns too.
        ready.sort_by_key(|at| (matches!(at.part, Part::Round(_)).then_some(at.part), *at));
        for at in ready {
            let turn = &mut turn[self.mapping.warp_of[at.op] as usize];
            by_turn.push((*turn, at));
            *turn += 1;
        }
        by_turn.sort_by_key(|&(turn, _)| turn);
        let mut left = self.free.len();
        let mut run = Vec::new();
        for (_, at) in by_turn {
            let ordered = self.graph.ops[at.op].ordered;
            if need(at) <= left && !(ordered && stopped.contains(&at.op)) {
                left -= need(at);
                run.push(at);
            } else {
                stopped.push(at.op);
                postponed.push(at);
            }
        }
        run.sort_unstable();
        (run, postponed)
    }

    /// Drops the rounds of ordered operations whose predecessors are not ready.
    fn in_order(&self, ready: Vec<StepRef>) -> (Vec<StepRef>, Vec<StepRef>) {
        let mut next: BTreeMap<Op, u32> = BTreeMap::new();
        ready.into_iter().partition(|at| {
            let operation = &self.graph.ops[at.op];
            let Part::Round(i) = at.part else { return true };
            if !operation.ordered {
                return true;
            }
            let first = operation.rounds.len() as u32 - self.rounds_left[at.op];
            let expected = next.entry(at.op).or_insert(first);
            let fits = i == *expected;
            *expected += u32::from(fits);
            fits
        })
    }

    fn execute(&mut self, at: StepRef, phase: u32, released: &mut Vec<u32>) {
        match at.part {
            Part::Before => self.begun[at.op] = true,
            Part::Round(_) => self.rounds_left[at.op] -= 1,
            Part::After => {}
        }
        let graph = self.graph;
        let step = graph.step(at);
        for &v in &step.outputs {
            let slot = self.free.pop().expect("choose() counted the slots");
            self.used = self.used.max(slot + 1);
            self.slot_of[v] = Some(slot);
            self.made[v] = phase + 1;
        }
        for &v in &step.inputs {
            self.reads_left[v] -= 1;
            if self.reads_left[v] == 0 && !(self.permanent)(v) {
                released.extend(self.slot_of[v]);
            }
        }
    }
}

/// Running states of the operations of one chunk, about.
const CHUNK_STATES: u32 = 16;

/// Numbers the chunks of each warp's operations of one depth and kind.
fn chunks(graph: &Graph, mapping: &Mapping, depth: &SecondaryMap<Op, u32>) -> SecondaryMap<Op, u32> {
    let mut rank: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
    let mut chunk = SecondaryMap::new();
    for (op, operation) in &graph.ops {
        if let Some(size) = CHUNK_STATES.checked_div(operation.states) {
            let rank = rank.entry((mapping.warp_of[op], depth[op], operation.after.shape.index() as u32)).or_default();
            chunk[op] = *rank / size.max(1);
            *rank += 1;
        }
    }
    chunk
}

/// (longest path from a source, longest path to a sink), in operations.
fn depths(graph: &Graph) -> (SecondaryMap<Op, u32>, SecondaryMap<Op, u32>) {
    let mut depth: SecondaryMap<Op, u32> = SecondaryMap::new();
    let mut path: SecondaryMap<Op, u32> = SecondaryMap::new();
    let inputs = |op: Op| {
        let parts = graph.ops[op].parts();
        parts.flat_map(move |part| graph.step(StepRef { op, part }).inputs.iter().map(|&v| graph.values[v].producer.op))
    };
    // Producers are added before their readers.
    for op in graph.ops.keys() {
        depth[op] = inputs(op).map(|from| depth[from] + 1).max().unwrap_or(0);
    }
    for op in graph.ops.keys().rev() {
        for from in inputs(op) {
            path[from] = path[from].max(path[op] + 1);
        }
    }
    (depth, path)
}
