//! Phases and slots: list scheduling under a limit on shared memory.
//!
//! A step runs in the first phase in which its inputs are visible to its warp and slots for its outputs are free. What
//! does not fit is computed later, rather than kept in registers: a value exists only from just before it is read.
//! Within a phase the order is by depth in the graph, then by the length of the path that still depends on it, then by
//! shape, so that warps that do the same kind of work meet in the overlay.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cranelift_entity::SecondaryMap;
use order::Group;

use super::{Limits, Phase, Placement, Schedule, Storage, Way, banks};
use diagnostics::Diagnostic;
use graph::{Graph, Op, Part, Role, StepRef, Value};
use mapping::{Mapping, partial_sums};

pub(super) mod order;
mod turns;

/// Places every value and distributes the steps over phases, in up to four ways; barriers are not decided here, and so no clocks
/// either.
///
/// Where slots are scarce, a phase may fill all that are free, so that the next finds few, or only half of them; and the values
/// that most warps read keep their slots, or none do.
pub fn place(graph: &Graph, mapping: &Mapping, placement: Placement, limits: &Limits) -> Result<Vec<Way>, Diagnostic> {
    let attempts = Attempts::new(graph, mapping, limits);
    let (all, attempt) = (attempts.all, |placement, slots, phase_slots| attempts.make(placement, slots, phase_slots));
    let both = |placement: Placement, slots: u32| {
        let found: Vec<Way> =
            [slots, slots / 2].into_iter().filter_map(|phase_slots| attempt(placement, slots, phase_slots)).collect();
        (!found.is_empty()).then_some(found)
    };
    let store = |slots: u32| attempt(Placement::Store, slots, slots).map(|way| vec![way]);
    let Some(capacity) = limits.slots else {
        let is_too_much = !limits.target.is_cpu() && all > LOCAL_SLOTS;
        let ways = store(all).filter(|_| !is_too_much);
        return ways.ok_or_else(|| local_shortage(graph, all));
    };
    let found = match placement {
        Placement::Auto | Placement::Store if all <= capacity => store(all),
        // Many sums would wait in registers for the values that pass through a buffer.
        Placement::Auto if limits.are_registers_scarce() => {
            both(Placement::Mixed, capacity).or_else(|| both(Placement::Buffer, capacity))
        }
        Placement::Auto => {
            let ways = [Placement::Mixed, Placement::Buffer].into_iter().filter_map(|way| both(way, capacity));
            let found: Vec<Way> = ways.flatten().collect();
            (!found.is_empty()).then_some(found)
        }
        Placement::Store => None,
        Placement::Mixed => both(Placement::Mixed, capacity),
        Placement::Buffer => {
            let sizes = std::iter::successors(Some(SMALLEST_BUFFER), |s| Some(s * 2)).take_while(|&s| s < capacity);
            sizes.chain([capacity]).find_map(|size| both(Placement::Buffer, size))
        }
    };
    found.ok_or_else(|| shortage(graph, placement, all, capacity))
}

/// The same in the way of an earlier schedule; nothing where slots do not suffice.
pub fn place_like(graph: &Graph, mapping: &Mapping, limits: &Limits, like: &Way) -> Option<Way> {
    let attempts = Attempts::new(graph, mapping, limits);
    let slots = limits.slots.unwrap_or(attempts.all);
    attempts.make(like.schedule.placement, slots, like.slots_per_phase)
}

/// Common input of all attempts to place the values of a graph.
struct Attempts<'a> {
    graph: &'a Graph,
    mapping: &'a Mapping,
    limits: &'a Limits,
    /// Values that other warps read than the one that makes them.
    crossing: u32,
    /// Values that need slots.
    all: u32,
    follows: Follows,
    passing: SecondaryMap<Value, bool>,
    /// Those that keep their slots under mixed placement.
    stored: SecondaryMap<Value, bool>,
}

impl<'a> Attempts<'a> {
    fn new(graph: &'a Graph, mapping: &'a Mapping, limits: &'a Limits) -> Self {
        let readers = reading_warps(graph, mapping);
        let crosses = |v: Value| readers[v] & !(1 << mapping.warp_of[graph.values[v].producer.op]) != 0;
        let crossing = graph.values.keys().filter(|&v| crosses(v)).count() as u32;
        let follows = if limits.straight { partial_sums::followers(graph, mapping) } else { BTreeMap::new() };
        let passing = passing(graph, &follows);
        let all = graph.values.keys().filter(|&v| !passing[v]).count() as u32;
        let stored = limits.slots.map_or_else(SecondaryMap::new, |capacity| most_read(graph, &readers, capacity));
        Self { graph, mapping, limits, crossing, all, follows, passing, stored }
    }

    fn make(&self, placement: Placement, slots: u32, phase_slots: u32) -> Option<Way> {
        let Self { graph, mapping, limits, .. } = *self;
        let permanent = |v: Value| match placement {
            Placement::Store | Placement::Auto => true,
            Placement::Mixed => self.stored[v],
            Placement::Buffer => false,
        };
        let uniform = mapping.warps > 1 && matches!(placement, Placement::Store | Placement::Auto);
        let budget = Budget { slots, phase_slots, states: limits.states };
        let (phases, slot_of, slots) =
            Placer::new(graph, mapping, budget, &permanent, uniform, &self.follows, &self.passing).run()?;
        let storage = if limits.slots.is_some() { Storage::Shared } else { Storage::Local };
        let (warps, crossing_values) = (mapping.warps, self.crossing);
        let schedule = Schedule { warps, phases, slot_of, slots, placement, storage, crossing_values };
        Some(Way { schedule, slots_per_phase: phase_slots, clocks: f64::NAN })
    }
}

/// Returns the values whose readers all follow the step that makes them: they pass in registers.
fn passing(graph: &Graph, follows: &Follows) -> SecondaryMap<Value, bool> {
    let mut left: SecondaryMap<Value, i64> = SecondaryMap::new();
    for at in graph.steps() {
        graph.step(at).inputs.iter().for_each(|&v| left[v] += 1);
    }
    for &at in follows.values().flatten() {
        graph.step(at).inputs.iter().for_each(|&v| left[v] -= 1);
    }
    let mut passing = SecondaryMap::new();
    for (v, info) in &graph.values {
        passing[v] = left[v] == 0 && follows.contains_key(&info.producer);
    }
    passing
}

/// Id of the diagnostic for too few slots.
pub const SHORTAGE: &str = "schedule::shared-memory";

/// Numbers of 8 bytes in the local memory of a GPU's thread: 512 KB (CUDA C++ Programming Guide, technical specifications).
const LOCAL_SLOTS: u32 = (512 << 10) / 8;

fn local_shortage(graph: &Graph, all: u32) -> Diagnostic {
    Diagnostic::error(
        SHORTAGE,
        format!(
            "{}: local memory does not suffice: data-parallel code has {all} values for each point, and a thread of a GPU has room for {LOCAL_SLOTS}",
            graph.kernel
        ),
    )
    .help("use --codegen overlay, whose warps share the values of their points, --target cpu, or leave the kernel out with --kernel")
}

fn shortage(graph: &Graph, placement: Placement, all: u32, capacity: u32) -> Diagnostic {
    Diagnostic::error(
        SHORTAGE,
        format!(
            "{}: shared memory does not suffice: the kernel has {all} values for each group of points, and one CTA has \
             room for {capacity} of them, which is too little with {} placement",
            graph.kernel,
            format!("{placement:?}").to_lowercase(),
        ),
    )
    .help(format!(
        "{}lower --ctas-per-sm and --layout points-per-lane=N where they are above 1, choose a target with more shared memory, use --codegen data-parallel, or \
         leave the kernel out with --kernel",
        if placement == Placement::Auto { "" } else { "use --layout placement=auto, " }
    ))
}

/// The smallest buffer that is tried, in slots: every warp of a CTA of eight can hand over one value.
const SMALLEST_BUFFER: u32 = 8;

/// The share of the slots that stored values may take under mixed placement, as a fraction. The rest is a buffer that other
/// values pass through: the less it has, the more phases there are.
const STORED: (usize, usize) = (3, 4);

/// The values to store under mixed placement: those that several warps read, most reads first.
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
    for v in shared.into_iter().take(capacity as usize * STORED.0 / STORED.1) {
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

/// Limits for the values and states of a schedule.
#[derive(Debug, Clone, Copy)]
struct Budget {
    slots: u32,
    /// The most slots that one phase may fill.
    phase_slots: u32,
    /// The most doubles of running states that a warp should hold.
    states: u32,
}

/// Steps of the same warp that run right behind a step, by that step: they add what it makes to sums.
type Follows = BTreeMap<StepRef, Vec<StepRef>>;

struct Placer<'a> {
    graph: &'a Graph,
    mapping: &'a Mapping,
    follows: &'a Follows,
    /// Number of those steps, by sum.
    adders: SecondaryMap<Op, usize>,
    /// Values that pass in registers.
    passing: &'a SecondaryMap<Value, bool>,
    /// Whether a warp may begin with what others follow in this phase.
    open: Vec<bool>,
    permanent: &'a dyn Fn(Value) -> bool,
    /// An iteration waits for the boundary even for its own warp's values: all warps then run it over the same values. Where
    /// slots are scarce, they are freed as early as possible instead.
    uniform: bool,
    budget: Budget,
    /// Doubles of running states that each warp holds.
    held: Vec<u32>,
    /// Longest path from each operation to a result.
    path: SecondaryMap<Op, u32>,
    /// Values that the phase has made.
    /// Whether a warp may begin one operation for which it has no room.
    crowded: bool,
    /// Steps that have not run, by group.
    waiting: BTreeMap<Group, Vec<StepRef>>,
    /// Reads of each value that are still to come.
    reads_left: SecondaryMap<Value, u32>,
    /// Phase in which a value was made, plus one.
    made: SecondaryMap<Value, u32>,
    /// Iterations of each operation that have not run, and whether its prologue has.
    iterations_left: SecondaryMap<Op, u32>,
    begun: SecondaryMap<Op, bool>,
    slot_of: SecondaryMap<Value, Option<u32>>,
    /// The remainder by [`banks::BANKS`] that the slot of a value should have, if any.
    bank: SecondaryMap<Value, Option<u32>>,
    /// Free slots, ascending from the end.
    free: Vec<u32>,
    used: u32,
}

/// A step that could run, with its place in the order.
type Ready = (Group, StepRef);

type Placed = (Vec<Phase>, SecondaryMap<Value, Option<u32>>, u32);

impl<'a> Placer<'a> {
    fn new(
        graph: &'a Graph,
        mapping: &'a Mapping,
        budget: Budget,
        permanent: &'a dyn Fn(Value) -> bool,
        uniform: bool,
        follows: &'a Follows,
        passing: &'a SecondaryMap<Value, bool>,
    ) -> Self {
        let mut reads_left: SecondaryMap<Value, u32> = SecondaryMap::new();
        for at in graph.steps() {
            for &v in &graph.step(at).inputs {
                reads_left[v] += 1;
            }
        }
        let mut iterations_left = SecondaryMap::new();
        let mut begun = SecondaryMap::new();
        for (op, operation) in &graph.ops {
            iterations_left[op] = operation.iterations.len() as u32;
            begun[op] = operation.prologue.is_none();
        }
        let path = graph.heights();
        let mut waiting = order::waiting(graph, mapping, &path);
        let following: BTreeSet<StepRef> = follows.values().flatten().copied().collect();
        let led: BTreeSet<Op> = following.iter().map(|at| at.op).collect();
        let waits = |at: &StepRef| !(following.contains(at) || at.part == Part::Prologue && led.contains(&at.op));
        waiting.values_mut().for_each(|steps| steps.retain(waits));
        waiting.retain(|_, steps| !steps.is_empty());
        Self {
            graph,
            mapping,
            follows,
            adders: turns::adders(follows),
            passing,
            open: vec![true; mapping.warps as usize],
            permanent,
            uniform,
            budget,
            held: vec![0; mapping.warps as usize],
            path,
            crowded: false,
            waiting,
            reads_left,
            made: SecondaryMap::new(),
            iterations_left,
            begun,
            slot_of: SecondaryMap::new(),
            bank: banks::preferred(graph),
            free: (0..budget.slots).rev().collect(),
            used: 0,
        }
    }

    /// `None` when a phase can run nothing: the slots do not suffice.
    fn run(mut self) -> Option<Placed> {
        let mut phases = Vec::new();
        while !self.waiting.is_empty() {
            // As long as the QSSA warps are not fed, the rest waits, so that both run side by side.
            let fed = self.waiting.keys().next().is_none_or(|group| group.role != Role::Feeder);
            let mut runs = self.phase(phases.len() as u32, if fed { Role::Other } else { Role::Member });
            if !fed && runs.iter().all(Vec::is_empty) {
                runs = self.phase(phases.len() as u32, Role::Other);
            }
            if runs.iter().all(Vec::is_empty) {
                self.crowded = true;
                runs = self.phase(phases.len() as u32, Role::Other);
                self.crowded = false;
            }
            if runs.iter().all(Vec::is_empty) {
                return None;
            }
            phases.push(Phase { runs, syncs: Vec::new(), warp_syncs: 0 });
        }
        Some((phases, self.slot_of, self.used))
    }

    /// One phase, of the groups up to a role.
    fn phase(&mut self, phase: u32, last: Role) -> Vec<Vec<StepRef>> {
        let mut runs = vec![Vec::new(); self.mapping.warps as usize];
        let mut load = vec![0; self.mapping.warps as usize];
        let mut released = Vec::new();
        self.open = (0..self.mapping.warps).map(|warp| self.crowded || self.may_begin(warp, phase)).collect();
        // Where one began alone, the others would wait for it, and it for them.
        if !self.open.iter().all(|&open| open) {
            self.open.fill(false);
        }
        let groups: Vec<Group> = self.waiting.keys().copied().take_while(|group| group.role <= last).collect();
        for class in groups.chunk_by(|a, b| a.class() == b.class()) {
            let mut ready = Vec::new();
            for &group in class {
                let steps = self.waiting.remove(&group).expect("the key was just listed");
                let (now, later): (Vec<_>, Vec<_>) = steps.into_iter().partition(|&at| self.ready(at, phase));
                ready.extend(now.into_iter().map(|at| (group, at)));
                self.postpone(later.into_iter().map(|at| (group, at)));
            }
            let (ready, crowded_out) = self.with_room(ready);
            self.postpone(crowded_out);
            let (run, postponed) = self.choose(ready, &mut load);
            for (_, at) in run {
                for at in self.turn(at) {
                    self.execute(at, phase, &mut released);
                    runs[self.mapping.warp_of[at.op] as usize].push(at);
                }
            }
            self.postpone(postponed);
        }
        if !self.follows.is_empty() {
            let begins = |at: StepRef| at.part == Part::Prologue || self.is_alone(at);
            let earlier = |at: StepRef| begins(at) && self.graph.step(at).inputs.iter().all(|&v| self.made[v] <= phase);
            let ordered = |run| turns::ordered(self.follows, &self.adders, run, earlier);
            runs = runs.into_iter().map(ordered).collect();
        }
        self.free.extend(released);
        self.free.sort_unstable_by_key(|&s| Reverse(s));
        runs
    }

    /// A step with what follows it: prologues of the sums that it is the first to add to, and the steps that add.
    fn turn(&self, at: StepRef) -> Vec<StepRef> {
        let mut steps = vec![at];
        let mut begun = BTreeSet::new();
        for &next in self.follows.get(&at).into_iter().flatten() {
            if !self.begun[next.op] && begun.insert(next.op) {
                steps.push(StepRef { op: next.op, part: Part::Prologue });
            }
            steps.push(next);
        }
        steps
    }

    /// Whether a warp may begin with operations that make terms and hold nothing: when it can run all of them, so that no sum waits in
    /// registers for a boundary.
    fn may_begin(&self, warp: u32, phase: u32) -> bool {
        let own = self.follows.keys().filter(|at| self.mapping.warp_of[at.op] == warp && self.is_alone(**at));
        own.filter(|at| !self.is_done(**at)).all(|&at| self.sees_inputs(at, phase))
    }

    fn is_alone(&self, at: StepRef) -> bool {
        let operation = &self.graph.ops[at.op];
        operation.prologue.is_none() && operation.iterations.is_empty()
    }

    fn is_done(&self, at: StepRef) -> bool {
        self.graph.step(at).outputs.iter().any(|&v| self.made[v] != 0)
    }

    fn postpone(&mut self, steps: impl IntoIterator<Item = Ready>) {
        let mut groups = BTreeSet::new();
        for (group, at) in steps {
            self.waiting.entry(group).or_default().push(at);
            groups.insert(group);
        }
        for group in groups {
            // two runs that are in order by themselves: a stable sort merges them
            self.waiting.entry(group).or_default().sort();
        }
    }

    fn ready(&self, at: StepRef, phase: u32) -> bool {
        let in_turn = match at.part {
            Part::Prologue => self.is_due(at, phase),
            Part::Iteration(_) => self.begun[at.op],
            Part::Epilogue => self.begun[at.op] && self.iterations_left[at.op] == 0,
        };
        let holds_back =
            self.follows.contains_key(&at) && self.is_alone(at) && !self.open[self.mapping.warp_of[at.op] as usize];
        in_turn && !holds_back && self.sees_inputs(at, phase)
    }

    fn sees_inputs(&self, at: StepRef, phase: u32) -> bool {
        let warp = self.mapping.warp_of[at.op];
        let at_once = !(self.uniform && matches!(at.part, Part::Iteration(_)));
        let crosses = self.graph.crosses_lanes(at);
        self.graph.step(at).inputs.iter().all(|&v| {
            let (made, producer) = (self.made[v], self.graph.values[v].producer);
            // Values that lanes exchange are there from the boundary on.
            let crosses = crosses || self.graph.crosses_lanes(producer);
            let own = self.mapping.warp_of[producer.op] == warp && !crosses;
            made != 0 && (made <= phase || own && at_once)
        })
    }

    /// A prologue that only sets states waits until the operation can go on, so that they hold no registers before; that of
    /// one warp alone, which holds the states of all operations, until the operation can end.
    fn is_due(&self, at: StepRef, phase: u32) -> bool {
        let step = self.graph.step(at);
        if !(step.inputs.is_empty() && step.outputs.is_empty()) {
            return true;
        }
        let sees = |part: Part| self.sees_inputs(StepRef { op: at.op, part }, phase);
        let mut parts = self.graph.ops[at.op].parts();
        if self.mapping.warps == 1 && !self.crowded {
            return parts.all(sees);
        }
        let mut next = parts.filter(|part| matches!(part, Part::Iteration(_))).peekable();
        next.peek().is_none() || next.any(sees)
    }

    /// Keeps operations that hold their results from beginning where a warp has no room for them: those come first whose
    /// results are needed first. The QSSA warps are fed in any case.
    fn with_room(&self, ready: Vec<Ready>) -> (Vec<Ready>, Vec<Ready>) {
        let holds = |&(group, at): &Ready| {
            at.part == Part::Prologue && group.role != Role::Feeder && self.graph.ops[at.op].ordered
        };
        let (mut holding, mut others): (Vec<Ready>, Vec<Ready>) = ready.into_iter().partition(holds);
        holding.sort_by_key(|&(_, at)| (Reverse(self.path[at.op]), at));
        let mut held = self.held.clone();
        let mut crowded = vec![self.crowded; held.len()];
        let (fitting, crowded_out) = holding.into_iter().partition(|&(_, at): &Ready| {
            let (warp, states) = (self.mapping.warp_of[at.op] as usize, self.graph.ops[at.op].states);
            let fits = held[warp] + states <= self.budget.states || std::mem::take(&mut crowded[warp]);
            held[warp] += if fits { states } else { 0 };
            fits
        });
        let fitting: Vec<Ready> = fitting;
        others.extend(fitting);
        others.sort_unstable();
        (others, crowded_out)
    }

    /// Splits the ready steps into those that run now and the others. Iterations that must keep their order run up to
    /// the first gap. As many steps with outputs run as there are free slots, those of the warp with the least work in
    /// this phase first.
    fn choose(&self, ready: Vec<Ready>, load: &mut [u64]) -> (Vec<Ready>, Vec<Ready>) {
        let (ready, mut postponed) = self.in_order(ready);
        let need = |at: StepRef| self.graph.step(at).outputs.iter().filter(|&&v| !self.passing[v]).count();
        let cost = |at: StepRef| self.turn(at).into_iter().map(|at| self.graph.body(at).slots().max(1)).sum::<u64>();
        let warp = |at: StepRef| self.mapping.warp_of[at.op] as usize;
        let total: usize = ready.iter().map(|&(_, at)| need(at)).sum();
        let allowed = self.free.len();
        if total <= allowed {
            for &(_, at) in &ready {
                load[warp(at)] += cost(at);
            }
            return (ready, postponed);
        }
        let mut queues: Vec<Vec<Ready>> = vec![Vec::new(); load.len()];
        for (group, at) in ready {
            queues[warp(at)].push((group, at));
        }
        for queue in &mut queues {
            // Rounds of one warp's operations take turns; the next step stands at the end.
            queue.sort_by_key(|&(group, at)| (matches!(at.part, Part::Iteration(_)).then_some(at.part), group, at));
            queue.reverse();
        }
        let mut left = allowed.min(self.budget.phase_slots as usize);
        let mut run = Vec::new();
        while let Some(w) = (0..queues.len()).filter(|&w| !queues[w].is_empty()).min_by_key(|&w| (load[w], w)) {
            let fits = queues[w].last().is_some_and(|&(_, at)| need(at) <= left);
            if !fits && self.follows.is_empty() {
                postponed.append(&mut queues[w]);
                continue;
            }
            if !fits {
                // Steps that make terms need no slots, and go on.
                postponed.extend(queues[w].extract_if(.., |&mut (_, at)| need(at) > left));
                continue;
            }
            let (group, at) = queues[w].pop().expect("the queue is not empty");
            left -= need(at);
            load[w] += cost(at);
            run.push((group, at));
        }
        run.sort_unstable();
        (run, postponed)
    }

    /// Drops the iterations of ordered operations whose predecessors are not ready.
    fn in_order(&self, ready: Vec<Ready>) -> (Vec<Ready>, Vec<Ready>) {
        let mut next: BTreeMap<Op, u32> = BTreeMap::new();
        ready.into_iter().partition(|(_, at)| {
            let operation = &self.graph.ops[at.op];
            let Part::Iteration(i) = at.part else { return true };
            if !operation.ordered {
                return true;
            }
            let first = operation.iterations.len() as u32 - self.iterations_left[at.op];
            let expected = next.entry(at.op).or_insert(first);
            let fits = i == *expected;
            *expected += u32::from(fits);
            fits
        })
    }

    fn execute(&mut self, at: StepRef, phase: u32, released: &mut Vec<u32>) {
        let held = &mut self.held[self.mapping.warp_of[at.op] as usize];
        match at.part {
            Part::Prologue => {
                self.begun[at.op] = true;
                *held += self.graph.ops[at.op].states;
            }
            Part::Iteration(_) => self.iterations_left[at.op] -= 1,
            Part::Epilogue => *held = held.saturating_sub(self.graph.ops[at.op].states),
        }
        let graph = self.graph;
        let step = graph.step(at);
        for &v in &step.outputs {
            self.made[v] = phase + 1;
            if self.passing[v] {
                continue;
            }
            let slot = banks::take(&mut self.free, self.bank[v]).expect("choose() counted the slots");
            self.used = self.used.max(slot + 1);
            self.slot_of[v] = Some(slot);
        }
        for &v in &step.inputs {
            self.reads_left[v] -= 1;
            if self.reads_left[v] == 0 && !(self.permanent)(v) {
                released.extend(self.slot_of[v]);
            }
        }
    }
}
