//! Interleaves the warps of each CTA and connects them by barriers.

use super::Schedule;
use super::barrier::{Barriers, Outcome, join};
use super::decode::{Code, Micro};
use super::exec::{Event, Machine, Stop};
use super::hazard::{BarrierMisuse, Hazard, Kind, Wait};
use super::warp::{Place, State, Warp};
use ptx::inst::{BarKind, BarRedOp};

/// The largest clock that an epoch can hold.
const LAST_CLOCK: u32 = u32::MAX >> 5;

/// Runs all CTAs, one after the other.
pub(super) fn run_grid(
    machine: &mut Machine,
    warps: &mut [Warp],
    place: Place,
    schedule: Schedule,
) -> Result<(), Stop> {
    let mut picker = Picker::new(schedule);
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
        Cta { machine, warps, barriers, waits: Vec::new() }.run(&mut picker)?;
    }
    if machine.hazards.list.is_empty() { Ok(()) } else { Err(Stop) }
}

struct Cta<'a, 'm, 'b> {
    machine: &'a mut Machine<'m, 'b>,
    warps: &'a mut [Warp],
    barriers: Barriers,
    /// Warp, barrier and program counter of those that wait.
    waits: Vec<(usize, u32, u32)>,
}

impl Cta<'_, '_, '_> {
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
        if warp.clock[index] >= LAST_CLOCK {
            return Err(self.machine.fatal(warp, pc, Kind::Budget));
        }
        let outcome = self
            .barriers
            .arrive(kind, id, threads, index, &warp.clock)
            .map_err(|misuse| self.machine.fatal(warp, pc, Kind::Barrier { id, misuse }))?;
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
                    take(self.machine.code, warp, at, votes);
                }
                self.waits.retain(|(_, barrier, _)| *barrier != id);
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
        let cta = self.machine.cta;
        let hazards = &mut self.machine.hazards.list;
        let before = hazards.len();
        let exited: Vec<u32> = self.warps.iter().filter(|w| w.state == State::Exited).map(|w| w.index as u32).collect();
        if !self.waits.is_empty() {
            let code = self.machine.code;
            let progress = |id: u32| {
                let barrier = self.barriers.incomplete().find(|(other, _)| *other == id);
                barrier.map_or((0, 0), |(_, barrier)| (barrier.arrived, barrier.expected))
            };
            let waits = self
                .waits
                .iter()
                .map(|(warp, barrier, pc)| {
                    let (arrived, expected) = progress(*barrier);
                    Wait { site: code.site(*warp as u32, *pc), barrier: *barrier, arrived, expected }
                })
                .collect();
            hazards.push(Hazard { cta, site: None, kind: Kind::Deadlock { waits, exited: exited.clone() } });
        }
        for (id, barrier) in self.barriers.incomplete() {
            let waiting: Vec<u32> = barrier.waiting.iter().map(|w| *w as u32).collect();
            let misuse = if waiting.is_empty() {
                BarrierMisuse::Unmatched { arrived: barrier.arrived, expected: barrier.expected }
            } else if exited.is_empty() {
                continue;
            } else {
                BarrierMisuse::Exited { waiting, exited: exited.clone() }
            };
            hazards.push(Hazard { cta, site: None, kind: Kind::Barrier { id, misuse } });
        }
        if hazards.len() == before { Ok(()) } else { Err(Stop) }
    }
}

/// The result of `bar.red`, once all have come.
fn take(code: &Code, warp: &mut Warp, pc: u32, (yes, all): (u32, u32)) {
    let Micro::Bar { result: Some((op, d, _)), .. } = &code.ops[pc as usize].micro else { return };
    let whole = |set: bool| if set { u32::MAX } else { 0 };
    match op {
        BarRedOp::Popc => warp.write(*d, &[yes.into(); 32], warp.live),
        BarRedOp::And => warp.write_pred(*d, whole(yes == all), warp.live),
        BarRedOp::Or => warp.write_pred(*d, whole(yes > 0), warp.live),
    }
}

/// Chooses the next warp and how long it runs.
struct Picker {
    schedule: Schedule,
    /// Of the random generator, or the first warp to try.
    state: u64,
}

impl Picker {
    fn new(schedule: Schedule) -> Self {
        let state = match schedule {
            Schedule::RoundRobin => 0,
            // xorshift must not start at 0
            Schedule::Random { seed } => seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        };
        Self { schedule, state }
    }

    fn pick(&mut self, warps: &[Warp]) -> Option<(usize, u64)> {
        let ready = |index: &usize| warps[*index].state == State::Ready;
        match self.schedule {
            Schedule::RoundRobin => {
                let first = self.state as usize;
                let next = (0..warps.len()).map(|step| (first + step) % warps.len()).find(ready)?;
                self.state = next as u64 + 1;
                Some((next, u64::MAX))
            }
            Schedule::Random { .. } => {
                let ready: Vec<usize> = (0..warps.len()).filter(ready).collect();
                let next = *ready.get(self.random() as usize % ready.len().max(1))?;
                Some((next, 1 + self.random() % 32))
            }
        }
    }

    /// Marsaglia's xorshift64.
    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 16
    }
}
