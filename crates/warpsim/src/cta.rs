//! Interleaves the warps of each CTA and connects them by barriers.

use super::Schedule;
use super::barrier::{Barriers, Outcome, join};
use super::decode::{Code, Micro};
use super::domain::{Domain, Knowledge};
use super::exec::{Event, Machine, Stop};
use super::hazard::{BarrierMisuse, Hazard, Kind, Wait};
use super::warp::{Place, State, Warp};
use ptx::inst::{BarKind, BarRedOp};

/// The largest clock that an epoch can hold.
const LAST_CLOCK: u32 = u32::MAX >> 5;

/// Runs all CTAs, one after the other.
pub(super) fn run_grid<D: Domain>(
    machine: &mut Machine<D>,
    warps: &mut [Warp<D::Knowledge>],
    place: Place,
    mut picker: Picker,
) -> Result<(), Stop> {
    for cta in 0..place.ctas.iter().product() {
        machine.cta = cta;
        machine.shared.reset();
        let before: Vec<u32> = warps.iter().map(|w| w.clock[w.index]).collect();
        for warp in warps.iter_mut() {
            warp.start(machine.code, Place { cta, ..place });
            // the start orders everything of the CTA before
            warp.clock[..before.len()].copy_from_slice(&before);
            warp.clock[warp.index] += 1;
        }
        let barriers = Barriers::new(place.size(), machine.code.independent_lanes());
        let (current, previous) = Default::default();
        Cta { machine, warps, barriers, current, previous, waits: Vec::new() }.run(&mut picker)?;
    }
    if machine.hazards.list.is_empty() { Ok(()) } else { Err(Stop) }
}

struct Cta<'a, 'm, 'b, D: Domain> {
    machine: &'a mut Machine<'m, 'b, D>,
    warps: &'a mut [Warp<D::Knowledge>],
    barriers: Barriers,
    /// Warps and times of arrival of the current and of the previous use of each barrier.
    current: [Vec<(usize, u32)>; 16],
    previous: [Vec<(usize, u32)>; 16],
    /// Warp, barrier and program counter of those that wait.
    waits: Vec<(usize, u32, u32)>,
}

impl<D: Domain> Cta<'_, '_, '_, D> {
    fn run(&mut self, picker: &mut Picker) -> Result<(), Stop> {
        while let Some((index, quantum)) = picker.pick(self.warps) {
            let warp = &mut self.warps[index];
            match self.machine.run(warp, quantum)? {
                Event::Barrier { pc, kind, id, threads } => {
                    self.bring(index, pc, id);
                    self.barrier(index, pc, kind, id, threads)?;
                }
                Event::Exit => {
                    self.barriers.end().into_iter().for_each(|(id, outcome)| self.settle(index, 0, id, outcome))
                }
                Event::Pause => {}
            }
        }
        self.check_end()
    }

    fn barrier(&mut self, index: usize, pc: u32, kind: BarKind, id: u32, threads: Option<u32>) -> Result<(), Stop> {
        let warp = &mut self.warps[index];
        let clock = warp.clock;
        if clock[index] >= LAST_CLOCK {
            return Err(D::exhausted(self.machine, warp, pc, "too many arrivals at barriers"));
        }
        let mut previous = self.previous.get(id as usize).into_iter().flatten();
        if let Some((unseen, _)) = previous.find(|(earlier, time)| clock[*earlier] < *time) {
            let misuse = BarrierMisuse::Recycled { unseen: *unseen as u32 };
            self.machine.record(warp, pc, Kind::Barrier { id, misuse })?;
        }
        let outcome = self
            .barriers
            .arrive(kind, id, threads, index, &clock)
            .map_err(|misuse| self.machine.fatal(warp, pc, Kind::Barrier { id, misuse }))?;
        self.machine.arrivals += 1;
        self.current[id as usize].push((index, clock[index]));
        warp.clock[index] += 1;
        self.settle(index, pc, id, outcome);
        Ok(())
    }

    /// What comes of it that warp `index` came to the barrier, or ended.
    fn settle(&mut self, index: usize, pc: u32, id: u32, outcome: Outcome) {
        let warp = &mut self.warps[index];
        match outcome {
            Outcome::Continue => {}
            Outcome::Wait => {
                warp.state = State::Waiting;
                warp.counts.barrier_waits += 1;
                self.waits.push((index, id, pc));
            }
            Outcome::Complete { released, clock, votes } => {
                for index in released {
                    let at = self.waits.iter().find(|(warp, _, _)| *warp == index).map_or(pc, |(_, _, at)| *at);
                    let warp = &mut self.warps[index];
                    warp.state = State::Ready;
                    join(&mut warp.clock, &clock);
                    take(self.machine.code, warp, at, votes, D::HANDED);
                }
                self.waits.retain(|(_, barrier, _)| *barrier != id);
                self.previous[id as usize] = std::mem::take(&mut self.current[id as usize]);
            }
        }
    }

    /// The predicates of `bar.red`.
    fn bring(&mut self, index: usize, pc: u32, id: u32) {
        if let Micro::Bar { result: Some((_, _, (pred, negate))), .. } = &self.machine.code.ops[pc as usize].micro {
            let warp = &self.warps[index];
            let yes = (warp.preds[*pred as usize] ^ if *negate { u32::MAX } else { 0 }) & warp.live;
            self.barriers.vote(id, yes.count_ones(), warp.live.count_ones());
        }
    }

    /// When no warp is ready all must have ended, and no barrier may be left in the middle of a phase.
    fn check_end(&mut self) -> Result<(), Stop> {
        let (code, cta) = (self.machine.code, self.machine.cta);
        let mut found = Vec::new();
        if !self.waits.is_empty() {
            let wait = |(warp, barrier, pc): &(usize, u32, u32)| {
                let phase = self.barriers.incomplete().find(|(id, _)| id == barrier);
                let (arrived, expected) = phase.map_or((0, 0), |(_, phase)| (phase.arrived, phase.expected));
                Wait { site: code.site(*warp as u32, *pc), barrier: *barrier, arrived, expected }
            };
            let waits = self.waits.iter().map(wait).collect();
            let ended = self.warps.iter().filter(|warp| warp.state == State::Exited);
            found.push(Kind::Deadlock { waits, exited: ended.map(|warp| warp.index as u32).collect() });
        }
        for (id, phase) in self.barriers.incomplete().filter(|(_, phase)| phase.waiting.is_empty()) {
            let misuse = BarrierMisuse::Unmatched { arrived: phase.arrived, expected: phase.expected };
            found.push(Kind::Barrier { id, misuse });
        }
        let clean = found.is_empty();
        self.machine.hazards.list.extend(found.into_iter().map(|kind| Hazard { cta, site: None, kind }));
        if clean { Ok(()) } else { Err(Stop) }
    }
}

/// The result of `bar.red`, once all have come; the lanes of `known` know it.
fn take<K: Knowledge>(code: &Code, warp: &mut Warp<K>, pc: u32, (yes, all): (u32, u32), known: u32) {
    let Micro::Bar { result: Some((op, d, _)), .. } = &code.ops[pc as usize].micro else { return };
    let whole = |set: bool| if set { u32::MAX } else { 0 };
    match op {
        BarRedOp::Popc => warp.write(*d, &[yes.into(); 32], known, warp.live),
        BarRedOp::And => warp.write_pred(*d, whole(yes == all), known, warp.live),
        BarRedOp::Or => warp.write_pred(*d, whole(yes > 0), known, warp.live),
    }
}

/// Chooses the next warp and how long it runs.
pub(super) struct Picker {
    turn: Turn,
    /// Of the random generator, or the warp that ran last.
    state: u64,
}

/// How long a warp runs.
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

    /// A warp arrives as often as it can before another one answers: what it may not do too early shows at once.
    pub(super) fn until_blocked() -> Self {
        Self { turn: Turn::UntilBlocked, state: 0 }
    }

    fn pick<K>(&mut self, warps: &[Warp<K>]) -> Option<(usize, u64)> {
        let ready = |index: &usize| warps[*index].state == State::Ready;
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
