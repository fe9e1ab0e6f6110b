//! Checks a schedule, sharing no code with the scheduler: deadlock freedom, safe barrier recycling, race freedom, and
//! that every step finds its inputs. Only what passes becomes [`Proven`], and only that is emitted.
//!
//! The schedules are static, so one execution decides all (Sharma, Bauer & Aiken, PLDI 2015): the warps' programs are
//! run to the point where each blocks, with vector clocks. If every use of a barrier happens after the previous use of
//! the same barrier completed, the uses pair up in the same way in every interleaving. The happens-before relation is
//! then the same, too, and two accesses that it does not order are a race. Two iterations of the streaming loop are
//! run: an access that conflicts two iterations apart is ordered if the one in between is, because it is the same
//! access of the same warp. No barrier may be left half full between iterations.

mod lanes;

use std::collections::BTreeMap;

use super::{Action, Schedule};
use diagnostics::Diagnostic;
use graph::{Graph, Op, Part, Role, StepRef, Value};
use lanes::Lanes;
use mapping::Mapping;

/// A schedule that passed [`prove`].
#[derive(Debug, Clone)]
pub struct Proven {
    schedule: Schedule,
    programs: Vec<Vec<Action>>,
}

impl Proven {
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the actions of each warp that the proof ran: code is emitted from these.
    pub fn programs(&self) -> &[Vec<Action>] {
        &self.programs
    }
}

/// Proves a schedule for any number of groups of points.
///
/// Errors: one diagnostic per kind of violation and place, at most [`MOST_VIOLATIONS`].
pub fn prove(graph: &Graph, mapping: &Mapping, schedule: Schedule, barriers: u32) -> Result<Proven, Vec<Diagnostic>> {
    let mut checker = Checker::new(graph, mapping, &schedule, barriers);
    for iteration in 1..=2 {
        checker.iteration(iteration);
        if !checker.violations.is_empty() {
            break;
        }
    }
    let Checker { violations, programs, .. } = checker;
    if violations.is_empty() { Ok(Proven { schedule, programs }) } else { Err(violations) }
}

/// Further violations are consequences more often than news.
pub const MOST_VIOLATIONS: usize = 10;

/// And so do the violations of one kind.
const MOST_ALIKE: usize = 3;

type Clock = Vec<u32>;

#[derive(Default, Clone)]
struct Barrier {
    threads: u32,
    /// (warp, time of arrival) of the current use
    arrived: Vec<(usize, u32)>,
    clock: Clock,
    waiting: Vec<usize>,
    /// Arrivals of the previous use
    previous: Vec<(usize, u32)>,
}

#[derive(Default, Clone)]
struct Slot {
    content: Option<Value>,
    write: Option<(usize, u32, StepRef)>,
    /// Last read by each warp
    reads: BTreeMap<usize, (u32, StepRef)>,
}

struct Checker<'a> {
    graph: &'a Graph,
    mapping: &'a Mapping,
    programs: Vec<Vec<Action>>,
    limit: u32,
    clocks: Vec<Clock>,
    barriers: BTreeMap<u32, Barrier>,
    slots: Vec<Slot>,
    lanes: Lanes,
    /// The last step that each warp ran
    last: Vec<Option<StepRef>>,
    /// Values that each warp has in registers since the last boundary
    held: Vec<Vec<Value>>,
    schedule: &'a Schedule,
    violations: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn new(graph: &'a Graph, mapping: &'a Mapping, schedule: &'a Schedule, limit: u32) -> Self {
        let warps = schedule.warps as usize;
        Self {
            graph,
            mapping,
            programs: (0..schedule.warps).map(|w| schedule.actions(w)).collect(),
            limit,
            clocks: vec![vec![0; warps]; warps],
            barriers: BTreeMap::new(),
            slots: vec![Slot::default(); schedule.slots as usize],
            lanes: Lanes::new(warps),
            last: vec![None; warps],
            held: vec![Vec::new(); warps],
            schedule,
            violations: Vec::new(),
        }
    }

    fn report(&mut self, id: &'static str, message: String) {
        let alike = self.violations.iter().filter(|d| d.id == id).count();
        if alike < MOST_ALIKE && self.violations.len() < MOST_VIOLATIONS {
            self.violations.push(Diagnostic::error(id, format!("{}: {message}", self.graph.kernel)));
        }
    }

    fn describe(&self, at: StepRef) -> String {
        let part = match at.part {
            Part::Prologue => "prologue".to_owned(),
            Part::Iteration(i) => format!("iteration {i}"),
            Part::Epilogue => "epilogue".to_owned(),
        };
        format!("operation \"{}\" ({part})", self.graph.ops[at.op].name)
    }

    /// Where a warp stands.
    fn place(&self, w: usize) -> String {
        self.last[w].map_or("before its first operation".into(), |at| format!("after {}", self.describe(at)))
    }

    /// One iteration of the streaming loop, from and to a state in which no barrier is in use.
    fn iteration(&mut self, number: u32) {
        let warps = self.programs.len();
        let mut position = vec![0usize; warps];
        let mut blocked = vec![None; warps];
        let mut done: BTreeMap<StepRef, usize> = BTreeMap::new();
        loop {
            let mut progress = false;
            for w in 0..warps {
                while blocked[w].is_none() && position[w] < self.programs[w].len() {
                    let action = self.programs[w][position[w]];
                    self.clocks[w][w] += 1;
                    position[w] += 1;
                    progress = true;
                    match action {
                        Action::Run(at) => {
                            self.last[w] = Some(at);
                            self.run(w, at, &mut done);
                        }
                        Action::Arrive { id, threads } => self.barrier(w, id, threads, false, &mut blocked),
                        Action::Sync { id, threads } => {
                            self.lanes.sync(w);
                            self.barrier(w, id, threads, true, &mut blocked);
                        }
                        Action::WarpSync => self.lanes.sync(w),
                        Action::Boundary => self.held[w].clear(),
                    }
                }
            }
            if !progress {
                break;
            }
        }
        for (w, id) in blocked.iter().enumerate() {
            if let Some(id) = id {
                let barrier = &self.barriers[id];
                let (arrived, expected) = (barrier.arrived.len(), barrier.threads / 32);
                self.report(
                    "proof::deadlock",
                    format!(
                        "deadlock in iteration {number}: warp {w} waits at barrier {id} ({arrived} of {expected} warps \
                         came) {}",
                        self.place(w)
                    ),
                );
            }
        }
        if !self.violations.is_empty() {
            return;
        }
        let half_full: Vec<(u32, Vec<usize>)> = self
            .barriers
            .iter()
            .filter(|(_, b)| !b.arrived.is_empty())
            .map(|(&id, b)| (id, b.arrived.iter().map(|a| a.0).collect()))
            .collect();
        for (id, arrived) in half_full {
            self.report(
                "proof::barrier-left-open",
                format!("barrier {id} still holds the arrivals of warps {arrived:?} at the end of an iteration"),
            );
        }
        for at in self.graph.steps() {
            if !done.contains_key(&at) {
                self.report("proof::missing-step", format!("{} is never run", self.describe(at)));
            }
        }
    }

    fn run(&mut self, w: usize, at: StepRef, done: &mut BTreeMap<StepRef, usize>) {
        if self.mapping.warp_of[at.op] as usize != w {
            self.report("proof::wrong-warp", format!("{} runs in warp {w}, which does not own it", self.describe(at)));
        }
        if let Some(group) = &self.graph.qssa_warps
            && group.roles[at.op] == Role::Member
            && w >= group.warps as usize
        {
            let message =
                format!("{} runs in warp {w}, and only warps below {} may run it", self.describe(at), group.warps);
            self.report("proof::outside-qssa-warps", message);
        }
        if let Some(other) = done.insert(at, w) {
            self.report("proof::repeated-step", format!("{} runs twice (warps {other} and {w})", self.describe(at)));
        }
        if !self.parts_in_order(at.op, at.part, done) {
            self.report("proof::step-order", format!("{} runs before the steps that it continues", self.describe(at)));
        }
        let graph = self.graph;
        let step = graph.step(at);
        for &v in &step.inputs {
            self.read(w, at, v);
        }
        for &v in &step.outputs {
            self.write(w, at, v);
        }
    }

    fn parts_in_order(&self, op: Op, part: Part, done: &BTreeMap<StepRef, usize>) -> bool {
        let operation = &self.graph.ops[op];
        let ran = |part: Part| done.contains_key(&StepRef { op, part });
        let begun = operation.prologue.is_none() || ran(Part::Prologue);
        match part {
            Part::Prologue => true,
            Part::Iteration(i) => begun && (!operation.ordered || i == 0 || ran(Part::Iteration(i - 1))),
            Part::Epilogue => begun && (0..operation.iterations.len() as u32).all(|i| ran(Part::Iteration(i))),
        }
    }

    fn slot(&mut self, v: Value, at: StepRef) -> Option<usize> {
        let slot = self.schedule.slot_of[v].filter(|&s| (s as usize) < self.slots.len());
        if slot.is_none() {
            let name = &self.graph.values[v].name;
            self.report("proof::no-slot", format!("value \"{name}\" of {} has no slot", self.describe(at)));
        }
        slot.map(|s| s as usize)
    }

    fn read(&mut self, w: usize, at: StepRef, v: Value) {
        if self.schedule.slot_of[v].is_none() && self.held[w].contains(&v) {
            return;
        }
        let Some(slot) = self.slot(v, at) else { return };
        self.within_warp(w, slot, at, false);
        let state = &self.slots[slot];
        if let Some((writer, time, step)) = state.write
            && self.clocks[w][writer] < time
        {
            self.race(slot, w, at, writer, step);
        } else if state.content != Some(v) {
            let name = &self.graph.values[v].name;
            let found = state.content.map_or("nothing".into(), |c| format!("\"{}\"", self.graph.values[c].name));
            self.report(
                "proof::wrong-value",
                format!("warp {w}, {}: slot {slot} should hold \"{name}\" and holds {found}", self.describe(at)),
            );
        }
        let time = self.clocks[w][w];
        self.slots[slot].reads.insert(w, (time, at));
    }

    /// A value without a slot is there for what its warp runs before the next boundary.
    fn write(&mut self, w: usize, at: StepRef, v: Value) {
        if self.schedule.slot_of[v].is_none() {
            self.held[w].push(v);
            return;
        }
        let Some(slot) = self.slot(v, at) else { return };
        self.within_warp(w, slot, at, true);
        let unordered =
            |&(warp, time, step): &(usize, u32, StepRef)| (self.clocks[w][warp] < time).then_some((warp, step));
        let state = &self.slots[slot];
        let conflicts: Vec<(usize, StepRef)> = state
            .write
            .iter()
            .chain(&state.reads.iter().map(|(&r, &(time, step))| (r, time, step)).collect::<Vec<_>>())
            .filter_map(unordered)
            .collect();
        for (warp, step) in conflicts {
            self.race(slot, w, at, warp, step);
        }
        let time = self.clocks[w][w];
        self.slots[slot] = Slot { content: Some(v), write: Some((w, time, at)), reads: BTreeMap::new() };
    }

    /// Two accesses of one warp are in order lane by lane; where one of them crosses lanes, the lanes must have met.
    fn within_warp(&mut self, w: usize, slot: usize, at: StepRef, writes: bool) {
        let across = self.graph.body(at).tensor.is_some();
        if let Some(earlier) = self.lanes.access(w, slot, at, (writes, across)) {
            self.report(
                "proof::lanes",
                format!(
                    "race on slot {slot}: the lanes of warp {w} do not meet between {} and {}",
                    self.describe(earlier),
                    self.describe(at)
                ),
            );
        }
    }

    fn race(&mut self, slot: usize, w: usize, at: StepRef, other: usize, step: StepRef) {
        self.report(
            "proof::race",
            format!(
                "race on slot {slot}: warp {w}, {}, is not ordered with warp {other}, {}",
                self.describe(at),
                self.describe(step)
            ),
        );
    }

    fn barrier(&mut self, w: usize, id: u32, threads: u32, wait: bool, blocked: &mut [Option<u32>]) {
        let warps = self.programs.len();
        if id >= self.limit {
            let message = format!("warp {w} uses barrier {id}, and a CTA has {}, {}", self.limit, self.place(w));
            self.report("proof::barrier-limit", message);
        }
        let mut barrier = self.barriers.remove(&id).unwrap_or_default();
        if barrier.arrived.is_empty() {
            barrier.threads = threads;
            barrier.clock = vec![0; warps];
        }
        let previous_open = barrier.previous.iter().find(|&&(p, time)| self.clocks[w][p] < time);
        if let Some(&(p, _)) = previous_open {
            self.report(
                "proof::barrier-recycling",
                format!(
                    "warp {w} uses barrier {id} again, and does not know that warp {p} has passed its previous use"
                ),
            );
        }
        if barrier.threads != threads || threads == 0 || !threads.is_multiple_of(32) || threads as usize > 32 * warps {
            self.report(
                "proof::barrier-count",
                format!(
                    "warp {w} expects {threads} threads at barrier {id}, where others expect {} and the CTA has {}, {}",
                    barrier.threads,
                    32 * warps,
                    self.place(w)
                ),
            );
        }
        if barrier.arrived.iter().any(|&(p, _)| p == w) {
            let message = format!("warp {w} arrives twice at one use of barrier {id}, {}", self.place(w));
            self.report("proof::barrier-twice", message);
        }
        let time = self.clocks[w][w];
        barrier.arrived.push((w, time));
        for (all, own) in barrier.clock.iter_mut().zip(&self.clocks[w]) {
            *all = (*all).max(*own);
        }
        if wait {
            barrier.waiting.push(w);
            blocked[w] = Some(id);
        }
        if barrier.arrived.len() as u32 * 32 >= barrier.threads {
            // Who reuses a barrier knows that a waiting warp has left it, and so that all copies of all warps had come, where a CTA
            // has several groups of warps.
            if barrier.waiting.is_empty() {
                self.report("proof::barrier-count", format!("no warp waits at barrier {id}, {}", self.place(w)));
            }
            for &waiter in &barrier.waiting {
                blocked[waiter] = None;
                for (own, all) in self.clocks[waiter].iter_mut().zip(&barrier.clock) {
                    *own = (*own).max(*all);
                }
            }
            barrier = Barrier { previous: barrier.arrived, ..Barrier::default() };
        }
        self.barriers.insert(id, barrier);
    }
}
