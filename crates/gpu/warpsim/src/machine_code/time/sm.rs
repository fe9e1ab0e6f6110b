//! One SM: the warp that issues, its time, and the stalls of the others.

use super::barriers::{Barriers, Complete};
use super::cluster::ClusterBarrier;
use super::constants::Small;
use super::fetch::{PartCache, SharedCache};
use super::known::Known;
use super::mbarriers::Mbarriers;
use super::memory::{Access, Done, Memories, Queue};
use super::ports::Ports;
use super::warp::Warp;
use super::{Cause, Meeting, Timeline, WarpTime};
use crate::machine_code::trace::{Event, Line, Trace};
use machine::target::{Pipeline, Target};
use sass::{Class, Pipe};
use std::collections::VecDeque;

/// Clocks after which the scheduler turns to another warp if an operand in constant memory is not there.
const PATIENCE: u64 = 4;

pub(super) struct Sm<'t> {
    known: &'t [Known],
    pipeline: &'t Pipeline,
    /// Warps of all CTAs, one after the other.
    warps: Vec<Warp<'t>>,
    ctas: Vec<Cta>,
    parts: Vec<Part>,
    /// Instruction caches of the sub-partitions, one for each or one for all.
    part_caches: Vec<PartCache>,
    code: SharedCache,
    memories: Memories,
    /// Time at which the shared pipe of doubles is free.
    doubles: u64,
    /// First CTA that has not begun, and the times at which the places of those that have ended are free for others.
    waiting: usize,
    /// CTAs of a launch, those that run, and the time at which the last launch began.
    launch: usize,
    running: usize,
    began: u64,
    l1_bytes: u64,
    free: VecDeque<(u64, usize)>,
    /// Warps that can issue in the step.
    can_issue: Vec<usize>,
    timeline: Timeline,
}

/// CTAs that the SM holds at once.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub ctas: usize,
    /// Clocks from the begin of one to that of the next, in the first places.
    pub clocks_apart: u64,
    /// Part of the L1 cache that they leave.
    pub l1_bytes: u64,
    /// Times that the CTAs of the trace run, one launch after the other.
    pub launches: usize,
}

/// The result of a run.
pub(super) struct Ran {
    pub cycles: u64,
    pub warps: Vec<WarpTime>,
    /// Times at which each warp began its turns.
    pub turns: Vec<Vec<u64>>,
    pub timeline: Timeline,
}

struct Cta {
    /// Numbers of its warps.
    warps: std::ops::Range<usize>,
    /// Barriers of each CTA of the cluster.
    barriers: Vec<Barriers>,
    cluster: ClusterBarrier,
    mbarriers: Mbarriers,
    /// Warps that have not ended.
    live: usize,
    slot: usize,
}

/// A sub-partition.
struct Part {
    /// The resident warps that have not ended, oldest first.
    warps: Vec<usize>,
    pipes: [u64; Pipe::ALL.len()],
    /// Time at which the lanes that multiply integers are free.
    products: u64,
    queue: Queue,
    constants: Small,
    ports: Ports,
    /// Time before which nothing is issued.
    blocked: u64,
    /// The warp that issued last, unless it gave way.
    last: Option<usize>,
    /// Time at which it needs to be looked at again.
    next: u64,
}

impl<'t> Sm<'t> {
    /// Makes the SM; `None` if no CTA fits.
    pub(super) fn new(
        known: &'t [Known],
        target: &Target,
        pipeline: &'t Pipeline,
        trace: &'t Trace,
        held: Held,
    ) -> Option<Self> {
        if held.ctas == 0 {
            return None;
        }
        let part = || Part {
            warps: Vec::new(),
            pipes: [0; Pipe::ALL.len()],
            products: 0,
            queue: Queue::new(&pipeline.memory),
            constants: Small::new(&pipeline.constants),
            ports: Ports::default(),
            blocked: 0,
            last: None,
            next: u64::MAX,
        };
        let (mut warps, mut ctas) = (Vec::new(), Vec::new());
        let launches = (0..held.launches).flat_map(|_| &trace.ctas);
        for (number, traces) in launches.enumerate() {
            let first = warps.len();
            let tracks = pipeline.fixed.is_some();
            warps.extend((first..).zip(traces).map(|(index, trace)| Warp::new(trace, index, number, tracks)));
            let (live, ranks) = (traces.len(), trace.ranks.max(1));
            let barriers = (0..ranks).map(|_| Barriers::new(live / ranks)).collect();
            let cluster = ClusterBarrier::new(live, pipeline.cluster_barrier_latency.unwrap_or_default());
            ctas.push(Cta {
                warps: first..warps.len(),
                barriers,
                cluster,
                mbarriers: Mbarriers::default(),
                live,
                slot: 0,
            });
        }
        let parts = target.sub_partitions.max(1);
        let near = if pipeline.fetch.l0_is_shared { 1 } else { parts };
        let mut sm = Self {
            part_caches: (0..near).map(|_| PartCache::new(&pipeline.fetch)).collect(),
            known,
            pipeline,
            warps,
            ctas,
            parts: (0..parts).map(|_| part()).collect(),
            code: SharedCache::new(pipeline),
            memories: Memories::new(target, &pipeline.memory, held.l1_bytes),
            doubles: 0,
            waiting: 0,
            launch: trace.ctas.len(),
            running: 0,
            began: 0,
            l1_bytes: held.l1_bytes,
            free: VecDeque::new(),
            can_issue: Vec::new(),
            timeline: Timeline::new(held.launches * trace.ctas.iter().map(Vec::len).sum::<usize>()),
        };
        let begins = |slot: usize| slot as u64 * held.clocks_apart;
        sm.free.extend((0..held.ctas).map(|slot| (begins(slot), slot)));
        Some(sm)
    }

    /// Runs until all warps have ended; `None` if they never do.
    pub(super) fn run(mut self) -> Option<Ran> {
        let mut end = 0;
        loop {
            let (part, next) = self.parts.iter().map(|part| part.next).enumerate().min_by_key(|(_, next)| *next)?;
            let launch_begins = self.waiting < self.ctas.len() && self.waiting.is_multiple_of(self.launch);
            let goes_on = self.running == 0 || !launch_begins;
            if let Some((time, slot)) = self.free.pop_front_if(|(time, _)| goes_on && *time <= next) {
                if launch_begins {
                    self.began = end;
                    self.memories.forget(self.l1_bytes);
                }
                self.begin(slot, time.max(self.began));
                continue;
            }
            if next == u64::MAX {
                break;
            }
            if self.step(part, next) {
                end = next + 1;
            }
        }
        let ended = self.warps.iter().all(Warp::is_done);
        ended.then(|| {
            let (warps, turns) = self.warps.into_iter().map(|warp| (warp.time, warp.passed)).unzip();
            Ran { cycles: end - self.began, warps, turns, timeline: self.timeline }
        })
    }

    /// Begins the next CTA where another one has ended.
    fn begin(&mut self, slot: usize, now: u64) {
        while let Some(cta) = self.ctas.get_mut(self.waiting) {
            self.waiting += 1;
            cta.slot = slot;
            let warps = cta.warps.clone();
            if warps.is_empty() {
                continue;
            }
            self.running += 1;
            let first = first_part(slot, warps.len(), self.parts.len(), self.pipeline.ctas_rotate);
            for (number, index) in warps.clone().enumerate() {
                let part = (first + number) % self.parts.len();
                self.warps[index].start(now);
                self.parts[part].warps.push(index);
                self.prepare(part, index);
            }
            return;
        }
    }

    /// Issues from a sub-partition, if anything can be issued, and finds the time of its next step.
    fn step(&mut self, part: usize, now: u64) -> bool {
        let (chosen, next) = self.choose(part, now);
        let Some(index) = chosen else {
            self.parts[part].next = next;
            return false;
        };
        let known = &self.known[self.warps[index].pc()];
        if let Some(line) = known.constant
            && known.class != Class::Constant
            && !self.warps[index].has_constant
        {
            let own = &mut self.parts[part];
            let there = own.constants.operand(line, now, &self.pipeline.constants, &mut self.code);
            self.warps[index].has_constant = true;
            if there > now {
                self.warps[index].chosen(now, &mut self.timeline);
                self.warps[index].wait(there, Cause::Constants, &mut self.timeline);
                own.blocked = there.min(now + PATIENCE);
                own.last = None;
                own.next = now + 1;
                return false;
            }
        }
        let others = self.can_issue.iter().filter(|other| **other != index);
        others.for_each(|other| self.warps[*other].pass_over());
        self.parts[part].next = now + 1;
        self.issue(part, index, now);
        if let Some(second) = self.second(part, index, now, known) {
            self.issue(part, second, now);
        }
        true
    }

    /// Returns a warp that can issue another instruction together with the one that it just issued.
    fn second(&self, part: usize, index: usize, now: u64, first: &Known) -> Option<usize> {
        let two = self.pipeline.fixed.as_ref().is_some_and(|fixed| fixed.issues_two);
        let warp = &self.warps[index];
        if !two || warp.is_at_barrier || warp.is_done() || !matches!(first.pipe, Pipe::Fma | Pipe::Alu | Pipe::Double) {
            return None;
        }
        let known = &self.known[warp.pc()];
        let goes = warp.is_independent(now) && known.pipe != Pipe::Control && known.pipe != first.pipe;
        (goes && known.constant.is_none() && self.unit(part, index, known) <= now).then_some(index)
    }

    /// Chooses the warp that issues, of all that can; without one, returns the time of the next that can.
    fn choose(&mut self, part: usize, now: u64) -> (Option<usize>, u64) {
        let own = &self.parts[part];
        self.can_issue.clear();
        if own.blocked > now {
            return (None, own.blocked);
        }
        let mut next = u64::MAX;
        for &index in &own.warps {
            let warp = &self.warps[index];
            // Most warps wait, and for longer than the first that can go on.
            if warp.is_at_barrier || warp.ready > now && warp.ready >= next {
                continue;
            }
            let free = warp.ready.max(self.unit(part, index, &self.known[warp.pc()]));
            if free <= now {
                self.can_issue.push(index);
            }
            next = next.min(free.max(now + 1));
        }
        let last = own.last.filter(|last| self.can_issue.contains(last));
        (last.or(self.can_issue.last().copied()), next)
    }

    /// Returns the time at which the unit that executes the instruction takes the next one.
    fn unit(&self, part: usize, index: usize, known: &Known) -> u64 {
        let own = &self.parts[part];
        let pipe = match known.pipe {
            Pipe::Memory => own.queue.free(&self.pipeline.memory),
            Pipe::Double if self.pipeline.doubles_are_shared => self.doubles,
            pipe if known.is_product => own.pipes[pipe as usize].max(own.products),
            pipe => own.pipes[pipe as usize],
        };
        pipe.max(own.ports.free(known, index))
    }

    fn issue(&mut self, part: usize, index: usize, now: u64) {
        let (warp, own) = (&mut self.warps[index], &mut self.parts[part]);
        let known = &self.known[warp.pc()];
        let (event, lines) = warp.take();
        warp.issued(now, &mut self.timeline);
        own.last = Some(index).filter(|_| !known.control.is_some_and(|control| control.yields));
        own.ports.take(known, index, now);
        match known.pipe {
            Pipe::Double if self.pipeline.doubles_are_shared => {
                self.doubles = self.doubles.max(now) + u64::from(known.interval)
            }
            pipe => own.pipes[pipe as usize] = now + u64::from(known.interval),
        }
        if known.is_product {
            own.products = now + u64::from(self.pipeline.product_interval);
        }
        let memory = &self.pipeline.memory;
        let done = match (event, known.class) {
            (Some(Event::Shared { passes }), _) => self.memories.shared(&mut own.queue, memory, now, passes, known),
            (Some(Event::Arrives { .. }), _) => {
                let passes = memory.mbarrier_interval.unwrap_or(1);
                self.memories.shared(&mut own.queue, memory, now, passes, known).with(memory.mbarrier_latency, memory)
            }
            (Some(Event::Awaits { .. }), _) => {
                self.memories.shared(&mut own.queue, memory, now, 1, known).with(memory.mbarrier_latency, memory)
            }
            (Some(Event::Remote { passes }), _) => {
                self.memories.shared(&mut own.queue, memory, now, passes, known).with(memory.remote_latency, memory)
            }
            (Some(Event::Lines { passes, updates, .. }), class) => {
                let slot = self.ctas[warp.cta].slot as u64;
                // the local memory of each warp on the SM lies elsewhere
                let cta = &self.ctas[warp.cta].warps;
                let resident = slot * cta.len() as u64 + (index - cta.start) as u64;
                let place = if class == Class::Local { 1 << 63 | resident << 40 } else { 0 };
                let lines = lines.iter().map(|line| Line { number: line.number | place, ..*line });
                let access = Access { known, passes, updates, cta: warp.cta };
                self.memories.lines((&mut own.queue, memory), now, access, lines)
            }
            (Some(Event::Constant { line, addresses }), _) => {
                let result = own.constants.load(line, addresses, now, &self.pipeline.constants, &mut self.code);
                Done { sources: result, result }
            }
            (None, Class::Constant) => {
                let line = known.constant.unwrap_or_default();
                let result = own.constants.load(line, 1, now, &self.pipeline.constants, &mut self.code);
                Done { sources: result, result }
            }
            (_, Class::Shuffles) => self.memories.shuffle(&mut own.queue, memory, now),
            _ => Done { sources: now + u64::from(known.latency), result: now + u64::from(known.latency) },
        };
        let result = match known.copies {
            Some(step) => warp.copies(step, done.result, &mut self.timeline),
            None => done.result,
        };
        warp.sets(known, done.sources, result);
        self.after(part, index, (now, done.result), known, event);
    }

    /// Applies the effects of an issue on this warp and on others.
    fn after(&mut self, part: usize, index: usize, (now, result): (u64, u64), known: &Known, event: Option<Event>) {
        let warp = &mut self.warps[index];
        let (cta, ended) = (warp.cta, warp.is_done());
        if !ended {
            let stall = match (known.control, &self.pipeline.fixed) {
                // a warp that gives way does so for a clock at least
                (Some(control), _) => u64::from(control.stall.max(if control.yields { 2 } else { 1 })),
                (None, fixed) => fixed.as_ref().map_or(1, |fixed| fixed.issue_interval.into()),
            };
            warp.wait(now + stall, Cause::FixedLatency, &mut self.timeline);
            warp.wait(now + u64::from(known.holds), Cause::Global, &mut self.timeline);
            self.prepare(part, index);
        }
        if let Some(Event::Barrier(arrival)) = event {
            self.warps[index].is_at_barrier = arrival.waits;
            let rank = self.ctas[cta].rank(index);
            if let Some(complete) = self.ctas[cta].barriers[rank].arrive(index, arrival, now) {
                self.release(cta, complete, now);
            }
        }
        let in_cluster = index - self.ctas[cta].warps.start;
        match event {
            Some(Event::Arrives { place, lanes }) => {
                let waiting = self.ctas[cta].mbarriers.arrive(place, lanes, result);
                let again = result + u64::from(self.pipeline.memory.shared_latency);
                self.let_go(&waiting, again);
            }
            Some(Event::Awaits { place, arrivals }) => match self.ctas[cta].mbarriers.wait(place, arrivals, index) {
                Some(over) => self.warps[index].wait(over, Cause::Barrier, &mut self.timeline),
                None => self.warps[index].is_at_barrier = true,
            },
            Some(Event::Cluster { waits: false }) => {
                let (waiting, released) = self.ctas[cta].cluster.arrive(in_cluster, now);
                self.go_on(cta, &waiting, released);
            }
            Some(Event::Cluster { waits: true }) => match self.ctas[cta].cluster.wait(in_cluster) {
                Some(over) => self.warps[index].wait(over, Cause::Barrier, &mut self.timeline),
                None => self.warps[index].is_at_barrier = true,
            },
            _ => {}
        }
        if ended {
            self.parts[part].warps.retain(|other| *other != index);
            let rank = self.ctas[cta].rank(index);
            for complete in self.ctas[cta].barriers[rank].end() {
                self.release(cta, complete, now);
            }
            let (waiting, released) = self.ctas[cta].cluster.end(in_cluster, now);
            self.go_on(cta, &waiting, released);
            self.ctas[cta].live -= 1;
            if self.ctas[cta].live == 0 {
                self.running -= 1;
                self.free.push_back((now + 1 + u64::from(self.pipeline.cta_latency), self.ctas[cta].slot));
            }
        }
    }

    /// Finds the reason that holds back the next instruction of a warp.
    fn prepare(&mut self, part: usize, index: usize) {
        let warp = &mut self.warps[index];
        if warp.is_done() {
            return;
        }
        let known = &self.known[warp.pc()];
        warp.wait_for_values(known, &mut self.timeline);
        if let Some(asked) = warp.asks_for(known.line, &self.pipeline.fetch) {
            let near = part % self.part_caches.len();
            let there = self.part_caches[near].line(known.line, asked, &self.pipeline.fetch, &mut self.code);
            warp.wait(there, Cause::Fetch, &mut self.timeline);
        }
        self.parts[part].next = self.parts[part].next.min(warp.ready);
    }

    /// Completes the phase of a barrier.
    fn release(&mut self, cta: usize, complete: Complete, now: u64) {
        let Pipeline { barrier_latency, barrier_latency_per_warp, .. } = self.pipeline;
        let Complete { barrier, arrivals, waiting } = complete;
        let released = now + u64::from(barrier_latency + arrivals.len() as u32 * barrier_latency_per_warp);
        self.let_go(&waiting, released);
        self.timeline.meetings.push(Meeting { cta, barrier, arrivals, waiting, released });
    }

    /// Lets warps of a cluster, by their numbers there, go on.
    fn go_on(&mut self, cta: usize, waiting: &[usize], released: u64) {
        let first = self.ctas[cta].warps.start;
        let waiting: Vec<usize> = waiting.iter().map(|warp| first + warp).collect();
        self.let_go(&waiting, released);
    }

    fn let_go(&mut self, waiting: &[usize], released: u64) {
        for &index in waiting {
            let warp = &mut self.warps[index];
            warp.is_at_barrier = false;
            warp.wait(released, Cause::Barrier, &mut self.timeline);
            let ready = warp.ready;
            for part in self.parts.iter_mut().filter(|part| part.warps.contains(&index)) {
                part.next = part.next.min(ready);
            }
        }
    }
}

/// Returns the sub-partition of a CTA's first warp: the one behind the last warp of the slot before. If they rotate, it moves one
/// further after each round. So first warps, which often have more to do, do not all come to the same one.
fn first_part(slot: usize, warps: usize, parts: usize, rotates: bool) -> usize {
    let slots_per_round = (1..=parts).find(|slots| (slots * warps).is_multiple_of(parts)).unwrap_or(1);
    let rounds = if rotates { slot / slots_per_round } else { 0 };
    (slot * warps + rounds) % parts
}

impl Cta {
    /// Returns the rank in its cluster of the CTA that a warp belongs to.
    fn rank(&self, index: usize) -> usize {
        (index - self.warps.start) * self.barriers.len() / self.warps.len()
    }
}

#[cfg(test)]
mod tests {
    use super::first_part;

    #[test]
    fn first_warps_come_to_all_sub_partitions_and_warps_are_spread_evenly() {
        for warps in 1..=16 {
            let mut firsts = [0; 4];
            let mut all = [0usize; 4];
            for slot in 0..16 {
                let first = first_part(slot, warps, 4, true);
                firsts[first] += 1;
                (0..warps).for_each(|number| all[(first + number) % 4] += 1);
                let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
                assert!(most - least <= 2, "{warps} warps, {slot}: {all:?}");
            }
            assert_eq!(firsts, [4; 4], "{warps} warps");
            assert_eq!(all, [4 * warps; 4], "{warps} warps");
            assert!((0..16).all(|slot| first_part(slot, warps, 4, false) == slot * warps % 4), "{warps} warps");
        }
    }
}
