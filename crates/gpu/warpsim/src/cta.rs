//! Interleaves the warps of each CTA and connects them by barriers, whatever instructions they execute.

use super::barrier::{Barriers, Outcome};
use super::clock::{SLOT_BITS, VectorClock};
use super::exec::{Event, Stop};
use super::hazard::{BarrierMisuse, Hazard, Kind, Site, Wait};
use super::options::Schedule;
use super::place::Place;
use super::thread::{Member, State, Thread};
use ptx::inst::BarKind;
use std::ops::Range;

/// The largest clock that an epoch can hold.
const LAST_CLOCK: u32 = u32::MAX >> SLOT_BITS;

/// An executor of warps: an instruction set with its memories.
pub(super) trait Core {
    type Warp: Member;

    /// Whether barriers wait only for threads that have not ended.
    fn forgets(&self) -> bool;
    /// Begins a CTA.
    fn begin(&mut self, cta: u32);
    /// Starts the warp in the CTA.
    fn start(&self, warp: &mut Self::Warp, place: Place);
    /// Notes that the warp has begun.
    fn begun(&mut self, _: &Thread) {}
    /// Runs up to `quantum` instructions of a warp that is ready.
    fn run(&mut self, warp: &mut Self::Warp, quantum: u64) -> Result<Event, Stop>;
    /// Returns the threads that bring a true predicate, and all that bring one, to the reduction at the barrier.
    fn brings(&self, warp: &Self::Warp, pc: u32) -> Option<(u32, u32)>;
    /// Returns the truth value of a reduction that is chosen for all its waiters instead of counted.
    fn chosen(&mut self, _pc: u32) -> Option<bool> {
        None
    }
    /// Gives the warp the result of the reduction that it waited for.
    fn gets(&self, warp: &mut Self::Warp, pc: u32, votes: (u32, u32), chosen: Option<bool>);
    /// Notes that a warp came to a barrier.
    fn arrived(&mut self, warp: usize, pc: u32);
    /// Records a hazard after which the run goes on, unless there are too many.
    fn record(&mut self, warp: &Self::Warp, pc: u32, kind: Kind) -> Result<(), Stop>;
    /// Records a hazard that ends the run.
    fn fatal(&mut self, warp: &Self::Warp, pc: u32, kind: Kind) -> Stop;
    /// Ends the run because it takes more of a resource than it may.
    fn exhausted(&mut self, warp: &Self::Warp, pc: u32, what: &str) -> Stop;
    fn site(&self, warp: u32, pc: u32) -> Site;
    /// Returns the warps whose lanes need no longer wait for something other than a barrier of the CTA.
    fn woken(&mut self) -> Vec<usize> {
        Vec::new()
    }
    /// Lets these lanes go on.
    fn wake(&mut self, _: &mut Self::Warp) {}
    /// Lets one of the copies that are under way end; false if there is none. `choice` selects it.
    fn advance(&mut self, _: &[Self::Warp], _: u64) -> Result<bool, Stop> {
        Ok(false)
    }
    /// Lists everything but barriers of the CTA for which the warp's lanes wait, with the instructions.
    fn asleep(&self, _: &Self::Warp) -> Vec<(u32, String)> {
        Vec::new()
    }
    /// Ends the CTA.
    fn finish(&mut self) {}
    /// Notes that all threads of a phase arrived, and none waited.
    fn unheeded(&mut self, _: &Self::Warp, _: u32, _: u32) {}
    fn hazards(&mut self) -> &mut Vec<Hazard>;
}

/// Every CTA of a launch, or every cluster.
pub(super) const ALL: Range<u32> = 0..u32::MAX;

/// Runs some CTAs, one after the other. If there are warps for several CTAs, those of each cluster run together.
pub(super) fn run_grid<C: Core>(
    core: &mut C,
    warps: &mut [C::Warp],
    place: Place,
    mut picker: Picker,
    only: Range<u32>,
) -> Result<(), Stop> {
    let ranks = (warps.len() / place.warps()) as u32;
    for number in only.start..only.end.min(place.ctas.iter().product::<u32>() / ranks) {
        let of_rank = |rank| if ranks == 1 { Place { cta: number, ..place } } else { place.in_cluster(number, rank) };
        let cta = of_rank(0).cta;
        core.begin(cta);
        let before: Vec<VectorClock> = warps.iter().map(|w| w.thread().clock).collect();
        for warp in warps.iter_mut() {
            let rank = warp.thread().index / place.warps();
            core.start(warp, of_rank(rank as u32));
            // the start orders everything of the previous CTA before this one
            let thread = warp.thread_mut();
            thread.state = State::Ready;
            thread.clock.start(&before);
            (thread.ahead, thread.touched, thread.ordered) = (Vec::new(), 0, thread.clock[thread.index]);
            thread.tick();
            core.begun(thread);
        }
        let banks = (0..ranks).map(|_| Bank::new(place.size(), core.forgets())).collect();
        Cta { core, warps, cta, banks, waits: Vec::new() }.run(&mut picker)?;
    }
    if core.hazards().is_empty() { Ok(()) } else { Err(Stop) }
}

struct Cta<'a, C: Core> {
    core: &'a mut C,
    warps: &'a mut [C::Warp],
    cta: u32,
    /// Barriers of each CTA that runs.
    banks: Vec<Bank>,
    /// Warp, barrier and program counter of each waiting warp.
    waits: Vec<(usize, u32, u32)>,
}

/// The barriers of one CTA.
struct Bank {
    barriers: Barriers,
    /// Warps and times of arrival of the current and of the previous use of each barrier.
    current: [Vec<(usize, u32)>; 16],
    previous: [Vec<(usize, u32)>; 16],
}

impl Bank {
    fn new(threads: u32, forgets: bool) -> Self {
        let (current, previous) = Default::default();
        Self { barriers: Barriers::new(threads, forgets), current, previous }
    }
}

impl<C: Core> Cta<'_, C> {
    fn run(&mut self, picker: &mut Picker) -> Result<(), Stop> {
        while let Some((index, quantum)) = self.next(picker)? {
            let warp = &mut self.warps[index];
            match self.core.run(warp, quantum)? {
                Event::Barrier { pc, kind, id, threads } => {
                    let votes = self.core.brings(&self.warps[index], pc);
                    self.barrier(index, pc, kind, votes, id, threads)?;
                }
                Event::Exit => {
                    let ended = self.bank(index).barriers.end();
                    ended.into_iter().for_each(|(id, outcome)| self.settle(index, 0, id, outcome))
                }
                Event::Asleep => {
                    let thread = warp.thread_mut();
                    thread.state = State::Waiting;
                    thread.waits += 1;
                }
                Event::Pause => {}
            }
            self.wake();
        }
        self.check_end()?;
        self.core.finish();
        Ok(())
    }

    /// Returns the number, among the running CTAs, of the one that the warp belongs to.
    fn rank(&self, index: usize) -> usize {
        index * self.banks.len() / self.warps.len()
    }

    fn bank(&mut self, index: usize) -> &mut Bank {
        let rank = self.rank(index);
        &mut self.banks[rank]
    }

    /// Picks the warp that runs next. Copies end only if no warp can run without.
    fn next(&mut self, picker: &mut Picker) -> Result<Option<(usize, u64)>, Stop> {
        loop {
            let next = picker.pick(self.warps);
            if next.is_some() || !self.core.advance(self.warps, picker.choice())? {
                return Ok(next);
            }
            self.wake();
        }
    }

    fn wake(&mut self) {
        for index in self.core.woken() {
            let warp = &mut self.warps[index];
            self.core.wake(warp);
            // it may wait at a barrier of the CTA with other lanes
            if !self.waits.iter().any(|(waiting, _, _)| *waiting == index) {
                warp.thread_mut().state = State::Ready;
            }
        }
    }

    fn barrier(
        &mut self,
        index: usize,
        pc: u32,
        kind: BarKind,
        votes: Option<(u32, u32)>,
        id: u32,
        threads: Option<u32>,
    ) -> Result<(), Stop> {
        let rank = self.rank(index);
        let (warp, bank) = (&mut self.warps[index], &mut self.banks[rank]);
        let clock = warp.thread().clock;
        if clock[index] >= LAST_CLOCK {
            return Err(self.core.exhausted(warp, pc, "too many arrivals at barriers"));
        }
        let mut previous = bank.previous.get(id as usize).into_iter().flatten();
        if let Some((unseen, _)) = previous.find(|(earlier, time)| clock[*earlier] < *time) {
            let misuse = BarrierMisuse::Recycled { unseen: *unseen as u32 };
            self.core.record(warp, pc, Kind::Barrier { id, misuse })?;
        }
        let outcome = bank
            .barriers
            .arrive(kind, votes, id, threads, index, &clock)
            .map_err(|misuse| self.core.fatal(warp, pc, Kind::Barrier { id, misuse }))?;
        self.core.arrived(index, pc);
        bank.current[id as usize].push((index, clock[index]));
        warp.thread_mut().tick();
        self.settle(index, pc, id, outcome);
        Ok(())
    }

    /// Applies the outcome of an arrival at the barrier by warp `index`, or of its end.
    fn settle(&mut self, index: usize, pc: u32, id: u32, outcome: Outcome) {
        let thread = self.warps[index].thread_mut();
        match outcome {
            Outcome::Continue => {}
            Outcome::Wait => {
                thread.state = State::Waiting;
                thread.waits += 1;
                self.waits.push((index, id, pc));
            }
            Outcome::Complete { released, clock, votes } => {
                if released.is_empty() {
                    self.core.unheeded(&self.warps[index], pc, id);
                }
                let chosen = if votes.1 > 0 { self.core.chosen(pc) } else { None };
                for &index in &released {
                    let at = self.waits.iter().find(|(warp, _, _)| *warp == index).map_or(pc, |(_, _, at)| *at);
                    let thread = self.warps[index].thread_mut();
                    thread.state = State::Ready;
                    thread.clock.join(&clock);
                    self.core.gets(&mut self.warps[index], at, votes, chosen);
                }
                self.waits.retain(|(warp, _, _)| !released.contains(warp));
                let bank = self.bank(index);
                bank.previous[id as usize] = std::mem::take(&mut bank.current[id as usize]);
            }
        }
    }

    /// Checks the end: without a ready warp all must have ended, and no barrier may be left in the middle of a phase.
    fn check_end(&mut self) -> Result<(), Stop> {
        let cta = self.cta;
        let mut found = Vec::new();
        let asleep = self.warps.iter().flat_map(|warp| {
            let index = warp.thread().index as u32;
            self.core.asleep(warp).into_iter().map(move |(pc, missing)| (index, pc, missing))
        });
        let site = |(warp, pc, missing)| (self.core.site(warp, pc), missing);
        let asleep: Vec<(Site, String)> = asleep.map(site).collect();
        if !self.waits.is_empty() || !asleep.is_empty() {
            let wait = |(warp, barrier, pc): &(usize, u32, u32)| {
                let phase = self.banks[self.rank(*warp)].barriers.incomplete().find(|(id, _)| id == barrier);
                let (arrived, expected) = phase.map_or((0, 0), |(_, phase)| (phase.arrived, phase.expected));
                Wait { site: self.core.site(*warp as u32, *pc), barrier: *barrier, arrived, expected }
            };
            let waits = self.waits.iter().map(wait).collect();
            let ended = self.warps.iter().map(Member::thread).filter(|thread| thread.state == State::Exited);
            found.push(Kind::Deadlock { waits, asleep, exited: ended.map(|thread| thread.index as u32).collect() });
        }
        let unmatched = self.banks.iter().flat_map(|bank| bank.barriers.incomplete());
        for (id, phase) in unmatched.filter(|(_, phase)| phase.waiting.is_empty()) {
            let misuse = BarrierMisuse::Unmatched { arrived: phase.arrived, expected: phase.expected };
            found.push(Kind::Barrier { id, misuse });
        }
        let clean = found.is_empty();
        self.core.hazards().extend(found.into_iter().map(|kind| Hazard { cta, site: None, kind }));
        if clean { Ok(()) } else { Err(Stop) }
    }
}

/// Chooses the next warp and how long it runs.
pub(super) struct Picker {
    turn: Turn,
    /// State of the random generator, or the warp that ran last.
    state: u64,
}

/// Length of a warp's turn.
#[derive(Clone, Copy)]
enum Turn {
    UntilBarrier,
    UntilBlocked,
    Random,
}

impl Picker {
    pub(super) fn new(schedule: Schedule) -> Self {
        match schedule {
            Schedule::RoundRobin => Self { turn: Turn::UntilBarrier, state: u64::MAX },
            // xorshift must not start at 0
            Schedule::Random { seed } => {
                Self { turn: Turn::Random, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
            }
        }
    }

    /// Lets a warp arrive as often as it can before another one answers: arrivals that come too early show at once.
    pub(super) fn until_blocked() -> Self {
        Self { turn: Turn::UntilBlocked, state: 0 }
    }

    /// Returns a number to choose by: the last of several, or a random one.
    fn choice(&mut self) -> u64 {
        if matches!(self.turn, Turn::Random) { self.random() } else { u64::MAX }
    }

    fn pick<W: Member>(&mut self, warps: &[W]) -> Option<(usize, u64)> {
        let ready = |index: &usize| warps[*index].thread().state == State::Ready;
        let first = match self.turn {
            Turn::UntilBarrier => self.state.wrapping_add(1) as usize,
            Turn::UntilBlocked => self.state as usize,
            Turn::Random => {
                let ready: Vec<usize> = (0..warps.len()).filter(ready).collect();
                let next = *ready.get(self.random() as usize % ready.len().max(1))?;
                return Some((next, 1 + self.random() % 32));
            }
        };
        let next = (0..warps.len()).map(|step| (first + step) % warps.len()).find(ready)?;
        self.state = next as u64;
        Some((next, u64::MAX))
    }

    /// Marsaglia's xorshift64.
    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 16
    }
}
