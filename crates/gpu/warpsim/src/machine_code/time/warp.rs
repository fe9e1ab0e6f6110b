//! Position of a warp, and its waits.

use super::known::{Copies, Known};
use super::{Cause, Timeline, WarpTime};
use crate::machine_code::registers::Registers;
use crate::machine_code::trace::{Event, Line, WarpTrace};
use machine::target::Fetch;
use sass::Class;

pub(super) struct Warp<'t> {
    trace: &'t WarpTrace,
    /// Index among the warps of all CTAs.
    index: usize,
    next: usize,
    next_event: usize,
    next_line: usize,
    /// Times at which the marked steps were issued.
    pub passed: Vec<u64>,
    pub cta: usize,
    /// Time at which all known obstacles have passed.
    pub ready: u64,
    /// Time up to which its cycles are accounted for.
    counted: u64,
    /// Whether a barrier holds it until its phase is complete.
    pub is_at_barrier: bool,
    /// Whether the operand in constant memory of the next instruction is there.
    pub has_constant: bool,
    /// Release time of each scoreboard, and the class of its last holder.
    scoreboards: [(u64, Class); 6],
    /// Time at which each register, and behind them each predicate, has its value; empty if the machine code has scoreboards.
    values: Vec<(u64, Class)>,
    /// Issue times of the last instructions, newest first.
    issues: [u64; 4],
    /// The line of code of the instruction before.
    line: Option<u32>,
    /// Clocks in which another warp was chosen.
    passed_over: u64,
    /// End of the asynchronous copies so far, and by group.
    copied: u64,
    groups: Vec<u64>,
    pub time: WarpTime,
}

/// Registers and predicates that the hardware keeps track of.
const VALUES: usize = 256 + 8;

impl<'t> Warp<'t> {
    pub(super) fn new(trace: &'t WarpTrace, index: usize, cta: usize, tracks_registers: bool) -> Self {
        Self {
            trace,
            index,
            next: 0,
            next_event: 0,
            next_line: 0,
            passed: Vec::new(),
            cta,
            ready: 0,
            counted: 0,
            is_at_barrier: false,
            has_constant: false,
            scoreboards: [(0, Class::Other); 6],
            values: vec![(0, Class::Other); if tracks_registers { VALUES } else { 0 }],
            issues: [0; 4],
            line: None,
            passed_over: 0,
            copied: 0,
            groups: Vec::new(),
            time: WarpTime::default(),
        }
    }

    pub(super) fn start(&mut self, now: u64) {
        (self.counted, self.ready) = (now, now);
        self.issues = [now; 4];
    }

    pub(super) fn is_done(&self) -> bool {
        self.next == self.trace.len()
    }

    /// Returns the next instruction.
    pub(super) fn pc(&self) -> usize {
        self.trace.step(self.next).0 as usize
    }

    /// Takes the next instruction, with its events.
    pub(super) fn take(&mut self) -> (Option<Event>, &'t [Line]) {
        let (_, happens) = self.trace.step(self.next);
        self.next += 1;
        if !happens {
            return (None, &[]);
        }
        let event = self.trace.events[self.next_event];
        self.next_event += 1;
        let Event::Lines { count, .. } = event else { return (Some(event), &[]) };
        let lines = &self.trace.lines[self.next_line..][..count as usize];
        self.next_line += count as usize;
        (Some(event), lines)
    }

    /// Notes that the warp is chosen: the cycles until now went to others, or to the unit that executes the instruction.
    pub(super) fn chosen(&mut self, now: u64, timeline: &mut Timeline) {
        self.wait(now.saturating_sub(self.passed_over), Cause::Pipe, timeline);
        self.wait(now, Cause::NotSelected, timeline);
        self.passed_over = 0;
    }

    /// Notes that the warp issued.
    pub(super) fn issued(&mut self, now: u64, timeline: &mut Timeline) {
        if self.trace.marks.get(self.passed.len()).is_some_and(|mark| mark + 1 == self.next) {
            self.passed.push(now);
        }
        self.chosen(now, timeline);
        // if two instructions are issued together, the first one takes the clock
        self.wait(now + 1, Cause::Issued, timeline);
        self.issues = [now, self.issues[0], self.issues[1], self.issues[2]];
        self.has_constant = false;
    }

    /// Notes that the warp could have issued, and another one did.
    pub(super) fn pass_over(&mut self) {
        self.passed_over += 1;
    }

    /// Prevents issue before a time, for this cause.
    pub(super) fn wait(&mut self, until: u64, cause: Cause, timeline: &mut Timeline) {
        if until > self.counted {
            self.time.spend(cause, until - self.counted);
            timeline.spend(self.index, cause, self.counted, until - self.counted);
            self.counted = until;
        }
        self.ready = self.ready.max(until);
    }

    /// Whether the next instruction waits for nothing but its turn.
    pub(super) fn is_independent(&self, now: u64) -> bool {
        self.ready <= now + 1
    }

    /// Waits for registers as for scoreboards, whose release times stand with their setter.
    pub(super) fn wait_for_values(&mut self, known: &Known, timeline: &mut Timeline) {
        let (mut until, mut class) = (0, Class::Other);
        let mut see = |(time, by): (u64, Class)| {
            if time > until {
                (until, class) = (time, by);
            }
        };
        if let Some(control) = known.control {
            if control.wait != 0 {
                (0..6).filter(|i| control.wait >> i & 1 == 1).for_each(|i| see(self.scoreboards[i]));
            }
        } else if !self.values.is_empty() {
            let Registers { reads, writes, predicates_read, predicates_written } = known.registers;
            for (first, count) in reads.into_iter().flatten() {
                (0..count).for_each(|i| see(self.values[usize::from(first) + usize::from(i)]));
            }
            (0..8).filter(|p| predicates_read >> p & 1 == 1).for_each(|p| see(self.values[256 + p]));
            // a write must come after earlier accesses that are still on their way there
            let mut see_after = |(time, by): (u64, Class)| see((time.saturating_sub(known.least_latency()), by));
            if let Some((first, count)) = writes {
                (0..count).for_each(|i| see_after(self.values[usize::from(first) + usize::from(i)]));
            }
            (0..8).filter(|p| predicates_written >> p & 1 == 1).for_each(|p| see_after(self.values[256 + p]));
        }
        self.wait(until, cause(class), timeline);
    }

    /// Applies an instruction's effect on asynchronous copies, one of which ends at `ends`; returns the time of its result.
    pub(super) fn copies(&mut self, step: Copies, ends: u64, timeline: &mut Timeline) -> u64 {
        match step {
            Copies::Start => self.copied = self.copied.max(ends),
            Copies::Close => {
                self.groups.push(self.copied);
                return ends.max(self.copied);
            }
            Copies::Await { pending } => {
                let over = self.groups.len().checked_sub(pending + 1).map_or(0, |last| self.groups[last]);
                self.wait(over, Cause::Global, timeline);
            }
        }
        ends
    }

    /// Notes the times at which the instruction has its results, and is done with its sources.
    pub(super) fn sets(&mut self, known: &Known, sources: u64, result: u64) {
        let set = |entry: &mut (u64, Class), time: u64| {
            if time > entry.0 {
                *entry = (time, known.class);
            }
        };
        match known.control {
            Some(control) => {
                if let Some(scoreboard) = control.write {
                    set(&mut self.scoreboards[usize::from(scoreboard)], result);
                }
                if let Some(scoreboard) = control.read {
                    set(&mut self.scoreboards[usize::from(scoreboard)], sources);
                }
            }
            None if !self.values.is_empty() => {
                if let Some((first, count)) = known.registers.writes {
                    (0..count).for_each(|i| set(&mut self.values[usize::from(first) + usize::from(i)], result));
                }
                let written = known.registers.predicates_written;
                (0..8).filter(|p| written >> p & 1 == 1).for_each(|p| set(&mut self.values[256 + p], result));
            }
            None => {}
        }
    }

    /// Returns the request time of the line of the next instruction, if it is not the line of the instruction before. A
    /// sequential line is requested as soon as there is room in the buffer, another one when the branch is issued.
    pub(super) fn asks_for(&mut self, line: u32, fetch: &Fetch) -> Option<u64> {
        if self.line == Some(line) {
            return None;
        }
        let follows = self.line.is_some_and(|before| before + 1 == line);
        let ahead = if follows { (fetch.buffer as usize).min(self.issues.len()) - 1 } else { 0 };
        self.line = Some(line);
        Some(self.issues[ahead] + 1)
    }
}

/// Returns the cause of a wait for a result of this class.
fn cause(class: Class) -> Cause {
    match class {
        Class::Shared => Cause::Shared,
        Class::Shuffles => Cause::Shuffles,
        Class::Local => Cause::Local,
        Class::Global => Cause::Global,
        Class::Constant => Cause::Constants,
        _ => Cause::Special,
    }
}
