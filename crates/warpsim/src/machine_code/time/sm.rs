//! One SM, clock by clock.

use super::barriers::{Barriers, Complete};
use super::{Cause, Meeting, Timeline, Timing, WarpTime};
use crate::machine_code::trace::{Step, Trace};
use machine::target::Pipeline;
use sass::{Class, Control, Kernel, Pipe};

/// Pipes of a sub-partition.
const PIPES: usize = Pipe::ALL.len();
/// Cycles in which nothing happens after which the warps are taken for stuck.
const PATIENCE: u64 = 1 << 20;

/// What is known of an instruction.
#[derive(Clone, Copy)]
struct Known {
    control: Control,
    pipe: Pipe,
    class: Class,
}

struct Warp<'t> {
    steps: &'t [Step],
    next: usize,
    cta: usize,
    /// When the stall count has passed.
    ready: u64,
    /// When each scoreboard is released, and what set it.
    scoreboards: [(u64, Class); 6],
    /// Held by a barrier until its phase is complete.
    held: bool,
    time: WarpTime,
}

/// Why a warp does not issue, and until when at least.
#[derive(Clone, Copy)]
enum Hindrance {
    Stall(u64),
    Scoreboard(u64, Class),
    Pipe(u64),
    Barrier,
}

struct Sm<'t> {
    known: Vec<Known>,
    pipeline: &'t Pipeline,
    warps: Vec<Warp<'t>>,
    barriers: Vec<Barriers>,
    /// When each pipe of each sub-partition takes the next instruction.
    pipes: Vec<[u64; PIPES]>,
    /// When the pipe that all share is free.
    shared_pipe: u64,
    /// The warp that each sub-partition issued from last.
    last: Vec<Option<usize>>,
    timeline: Timeline,
}

pub(super) fn run(kernel: &Kernel, trace: &Trace, pipeline: &Pipeline, sub_partitions: u32) -> Option<Timing> {
    let known = kernel.instructions.iter().map(|instruction| {
        Some(Known { control: instruction.control()?, pipe: instruction.pipe(), class: instruction.class() })
    });
    let known: Vec<Known> = known.collect::<Option<_>>()?;
    let all = trace.ctas.iter().enumerate().flat_map(|(cta, warps)| warps.iter().map(move |steps| (cta, steps)));
    let warps: Vec<Warp<'_>> = all.map(|(cta, steps)| Warp::new(cta, steps)).collect();
    let parts = sub_partitions.max(1) as usize;
    let mut sm = Sm {
        timeline: Timeline::new(warps.len()),
        known,
        pipeline,
        warps,
        barriers: trace.ctas.iter().map(|warps| Barriers::new(warps.len())).collect(),
        pipes: vec![[0; PIPES]; parts],
        shared_pipe: 0,
        last: vec![None; parts],
    };
    let cycles = sm.run()?;
    let warps: Vec<WarpTime> = sm.warps.into_iter().map(|warp| warp.time).collect();
    let issued = warps.iter().map(|warp| warp.of(Cause::Issued)).sum();
    Some(Timing { cycles, issued, warps, timeline: sm.timeline })
}

impl<'t> Warp<'t> {
    fn new(cta: usize, steps: &'t [Step]) -> Self {
        let scoreboards = [(0, Class::Other); 6];
        Self { steps, next: 0, cta, ready: 0, scoreboards, held: false, time: WarpTime::default() }
    }

    fn is_done(&self) -> bool {
        self.next == self.steps.len()
    }
}

impl Sm<'_> {
    /// The clocks until all warps have ended; `None` when they never do.
    fn run(&mut self) -> Option<u64> {
        let (mut now, mut quiet) = (0, 0);
        while self.warps.iter().any(|warp| !warp.is_done()) {
            let mut issued = false;
            let mut until = u64::MAX;
            for part in 0..self.pipes.len() {
                let chosen = self.choose(part, now);
                for index in self.of(part) {
                    if self.warps[index].is_done() {
                        continue;
                    }
                    if Some(index) == chosen {
                        self.spend(index, Cause::Issued, now, 1);
                        continue;
                    }
                    let hindrance = self.hindrance(part, index, now);
                    let (cause, time) = self.warps[index].blame(hindrance);
                    self.spend(index, cause, now, 1);
                    until = until.min(time.unwrap_or(u64::MAX));
                }
                if let Some(index) = chosen {
                    self.issue(part, index, now);
                    issued = true;
                }
            }
            now += 1;
            quiet = if issued { 0 } else { quiet + 1 };
            if !issued && until != u64::MAX && until > now {
                // nothing changes until then
                let skipped = until - now;
                for part in 0..self.pipes.len() {
                    for index in self.of(part).filter(|index| !self.warps[*index].is_done()).collect::<Vec<_>>() {
                        let hindrance = self.hindrance(part, index, now);
                        let (cause, _) = self.warps[index].blame(hindrance);
                        self.spend(index, cause, now, skipped);
                    }
                }
                now = until;
            }
            if quiet > PATIENCE || !issued && until == u64::MAX {
                return None;
            }
        }
        Some(now)
    }

    fn spend(&mut self, index: usize, cause: Cause, start: u64, clocks: u64) {
        self.warps[index].time.spend(cause, clocks);
        self.timeline.spend(index, cause, start, clocks);
    }

    /// The warps of a sub-partition.
    fn of(&self, part: usize) -> impl Iterator<Item = usize> + use<> {
        (part..self.warps.len()).step_by(self.pipes.len())
    }

    /// The warp that issued last while it can, else the youngest that can.
    fn choose(&self, part: usize, now: u64) -> Option<usize> {
        let can = |index: &usize| !self.warps[*index].is_done() && self.hindrance(part, *index, now).is_none();
        self.last[part].filter(can).or_else(|| self.of(part).filter(can).last())
    }

    fn hindrance(&self, part: usize, index: usize, now: u64) -> Option<Hindrance> {
        let warp = &self.warps[index];
        if warp.held {
            return Some(Hindrance::Barrier);
        }
        if warp.ready > now {
            return Some(Hindrance::Stall(warp.ready));
        }
        let known = self.known[warp.steps[warp.next].pc as usize];
        let waits = (0..6).filter(|i| known.control.wait >> i & 1 == 1).map(|i| warp.scoreboards[i]);
        if let Some((time, class)) = waits.filter(|(time, _)| *time > now).max_by_key(|(time, _)| *time) {
            return Some(Hindrance::Scoreboard(time, class));
        }
        let free = self.pipes[part][known.pipe as usize];
        (free > now).then_some(Hindrance::Pipe(free))
    }

    fn issue(&mut self, part: usize, index: usize, now: u64) {
        let warp = &mut self.warps[index];
        let step = warp.steps[warp.next];
        let Known { control, pipe, class } = self.known[step.pc as usize];
        warp.next += 1;
        warp.ready = now + u64::from(control.stall.max(1));
        self.last[part] = Some(index).filter(|_| !control.yields);
        let interval = interval(self.pipeline, pipe);
        self.pipes[part][pipe as usize] = now + u64::from(interval);
        let mut started = now;
        if pipe == Pipe::Memory {
            started = self.shared_pipe.max(now);
            self.shared_pipe = started + u64::from(step.passes * self.pipeline.pass_interval);
        }
        let through = if pipe == Pipe::Memory { self.shared_pipe } else { now };
        let done = through + u64::from(latency(self.pipeline, class));
        if let Some(scoreboard) = control.write {
            warp.scoreboards[scoreboard as usize] = (done, class);
        }
        if let Some(scoreboard) = control.read {
            warp.scoreboards[scoreboard as usize] = (started + u64::from(self.pipeline.operands_latency), class);
        }
        let (cta, ended) = (warp.cta, warp.is_done());
        if let Some(arrival) = step.barrier {
            warp.held = arrival.waits;
            if let Some(complete) = self.barriers[cta].arrive(index, arrival, now) {
                self.release(cta, complete, now);
            }
        }
        if ended {
            for complete in self.barriers[cta].end() {
                self.release(cta, complete, now);
            }
        }
    }

    /// The phase of a barrier is complete.
    fn release(&mut self, cta: usize, complete: Complete, now: u64) {
        let Pipeline { barrier_latency, barrier_latency_per_warp, .. } = self.pipeline;
        let Complete { barrier, arrivals, waiting } = complete;
        let released = now + u64::from(barrier_latency + waiting.len() as u32 * barrier_latency_per_warp);
        for &index in &waiting {
            self.warps[index].held = false;
            self.warps[index].ready = self.warps[index].ready.max(released);
        }
        self.timeline.meetings.push(Meeting { cta, barrier, arrivals, waiting, released });
    }
}

impl Warp<'_> {
    /// What a clock in which the warp does not issue goes to, and the time when that may change, where it is known.
    fn blame(&self, hindrance: Option<Hindrance>) -> (Cause, Option<u64>) {
        let after_barrier = self.next > 0 && self.steps[self.next - 1].barrier.is_some();
        match hindrance {
            None => (Cause::NotSelected, None),
            Some(Hindrance::Barrier) => (Cause::Barrier, None),
            Some(Hindrance::Stall(until)) if after_barrier => (Cause::Barrier, Some(until)),
            Some(Hindrance::Stall(until)) => (Cause::FixedLatency, Some(until)),
            Some(Hindrance::Pipe(until)) => (Cause::Pipe, Some(until)),
            Some(Hindrance::Scoreboard(until, class)) => {
                let cause = match class {
                    Class::Shared => Cause::Shared,
                    Class::Shuffles => Cause::Shuffles,
                    Class::Local => Cause::Local,
                    Class::Global => Cause::Global,
                    Class::Constant => Cause::Constants,
                    _ => Cause::Special,
                };
                (cause, Some(until))
            }
        }
    }
}

fn interval(pipeline: &Pipeline, pipe: Pipe) -> u32 {
    match pipe {
        Pipe::Double | Pipe::Tensor => pipeline.double_interval,
        Pipe::Fma => pipeline.fma_interval,
        Pipe::Alu => pipeline.alu_interval,
        Pipe::Special => pipeline.special_interval,
        Pipe::Uniform => pipeline.uniform_interval,
        Pipe::Memory => pipeline.memory_interval,
        Pipe::Constant => pipeline.constant_interval,
        Pipe::Control => 1,
    }
}

/// Until a scoreboard that the instruction sets is released.
fn latency(pipeline: &Pipeline, class: Class) -> u32 {
    match class {
        Class::Shuffles => pipeline.shuffle_latency,
        Class::Shared => pipeline.shared_latency,
        Class::Local => pipeline.local_latency,
        Class::Global => pipeline.global_latency,
        Class::Constant => pipeline.constant_latency,
        _ => pipeline.special_latency,
    }
}
