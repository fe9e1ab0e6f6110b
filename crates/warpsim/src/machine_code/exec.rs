//! Executes the machine code of one warp until it blocks.

mod atomic;
mod compute;
mod copies;
mod mbarrier;
mod memory;

pub(super) use copies::Copies;
pub(super) use mbarrier::Mbarrier;

use super::cluster::Cluster;
use super::code::Code;
use super::op::{Op, Purpose, Source};
use super::trace::{Arrival, Event as Happening, Trace};
use super::warp::{Path, Wait, Warp};
use crate::cta::Core;
use crate::exec::{Collector, Event, Stop};
use crate::hazard::{BarrierMisuse, Hazard, Kind, LaneWait, Site};
use crate::memory::Segments;
use crate::place::Place;
use crate::shared::Shared;
use crate::thread::State;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Machine<'c, 'b> {
    pub code: &'c Code<'c>,
    pub shared: Shared,
    pub segments: Segments<'b>,
    /// Words of shared memory that lanes have locked.
    pub locks: BTreeSet<u64>,
    /// Of each place in shared memory where there is one.
    pub mbarriers: BTreeMap<u64, Mbarrier>,
    pub cluster: Cluster,
    /// That run together.
    pub warps: usize,
    /// Warp instructions left.
    pub budget: u64,
    pub cta: u32,
    pub hazards: Collector,
    /// By the instruction, where they are permitted.
    pub races: Option<BTreeMap<u32, Hazard>>,
    /// What is executed, where that is asked for.
    pub trace: Option<Trace>,
}

impl Core for Machine<'_, '_> {
    type Warp = Warp;

    fn forgets(&self) -> bool {
        self.code.cubin.sm >= 70
    }

    fn begin(&mut self, cta: u32) {
        self.cta = cta;
        self.shared.reset();
        self.locks.clear();
        self.mbarriers.clear();
        self.cluster.begin(self.warps);
        if let Some(trace) = &mut self.trace {
            trace.begin();
        }
    }

    fn start(&self, warp: &mut Warp, place: Place) {
        warp.start(place);
    }

    fn run(&mut self, warp: &mut Warp, quantum: u64) -> Result<Event, Stop> {
        let code = self.code;
        for _ in 0..quantum {
            if !warp.proceed() {
                return self.end(warp);
            }
            let pc = warp.path.pc;
            let Some(decoded) = code.ops.get(pc as usize) else {
                return Err(self.fatal(warp, pc, Kind::Unsupported("the code ends without EXIT".to_owned())));
            };
            if self.budget == 0 {
                return Err(self.fatal(warp, pc, Kind::Budget));
            }
            self.budget -= 1;
            warp.executed[pc as usize] += 1;
            warp.path.pc = pc + 1;
            let active = warp.path.mask;
            let lanes = if decoded.uniform { u32::MAX } else { active };
            let mask = decoded.guard.map_or(lanes, |guard| lanes & warp.holds(guard));
            if !warp.undefined.is_empty() {
                let instruction = &code.kernel.instructions[pc as usize];
                if let Some((space, address)) = warp.follow(instruction, (active, mask)) {
                    self.record(warp, pc, Kind::Unwritten { space, address })?;
                }
            }
            let event = if mask == 0 { None } else { self.step(warp, pc, &decoded.op, mask)? };
            if let Some(row) = decoded.tested {
                warp.test(row, decoded.tests_on, mask);
            }
            if decoded.joins && mask != 0 {
                self.pop(warp, pc, Purpose::Join, mask)?;
            }
            if let Some(trace) = &mut self.trace {
                if let Some(Event::Barrier { kind, id, threads, .. }) = event {
                    trace.happens(Happening::Barrier(Arrival::new(id, kind, threads)));
                }
                if let (Op::ClusterBarrier { waits }, true) = (&decoded.op, mask == warp.live) {
                    trace.happens(Happening::Cluster { waits: *waits });
                }
                trace.record(warp.thread.index, pc);
            }
            if let Some(event) = event {
                return Ok(event);
            }
        }
        Ok(Event::Pause)
    }

    fn brings(&self, _: &Warp, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn gets(&self, _: &mut Warp, _: u32, _: (u32, u32), _: Option<bool>) {}

    fn arrived(&mut self) {}

    fn woken(&mut self) -> Vec<usize> {
        self.cluster.woken()
    }

    fn wake(&mut self, warp: &mut Warp) {
        warp.thread.clock.join(self.cluster.clock());
    }

    fn asleep(&self, warp: &Warp) -> Vec<(u32, String)> {
        let waits = self.cluster.waits(warp.thread.index);
        let at = warp.path.pc.saturating_sub(1);
        if waits { vec![(at, "warps of the cluster at its barrier".to_owned())] } else { Vec::new() }
    }

    fn record(&mut self, warp: &Warp, pc: u32, kind: Kind) -> Result<(), Stop> {
        let is_race = matches!(kind, Kind::Race { .. } | Kind::LaneConflict { .. });
        let hazard = self.hazard(warp, pc, kind);
        if let Some(races) = self.races.as_mut().filter(|_| is_race) {
            races.entry(pc).or_insert(hazard);
            return Ok(());
        }
        self.hazards.record(hazard, pc)
    }

    fn fatal(&mut self, warp: &Warp, pc: u32, kind: Kind) -> Stop {
        let hazard = self.hazard(warp, pc, kind);
        self.hazards.list.push(hazard);
        Stop
    }

    fn exhausted(&mut self, warp: &Warp, pc: u32, _: &str) -> Stop {
        self.fatal(warp, pc, Kind::Budget)
    }

    fn site(&self, warp: u32, pc: u32) -> Site {
        self.code.site(warp, pc)
    }

    fn hazards(&mut self) -> &mut Vec<Hazard> {
        &mut self.hazards.list
    }
}

impl Machine<'_, '_> {
    fn hazard(&self, warp: &Warp, pc: u32, kind: Kind) -> Hazard {
        Hazard { cta: self.cta, site: Some(self.code.site(warp.thread.index as u32, pc)), kind }
    }

    /// Some lane is active.
    fn step(&mut self, warp: &mut Warp, pc: u32, op: &Op, mask: u32) -> Result<Option<Event>, Stop> {
        match op {
            Op::Branch { target, with, unless, whole } => {
                let taken = mask & with.map_or(u32::MAX, |with| warp.holds(with));
                let stays = match unless {
                    Some(lanes) => self.all_are_active(warp, *lanes),
                    None => *whole && taken != warp.path.mask,
                };
                let taken = if stays { 0 } else { taken };
                self.branch(warp, taken, *target);
            }
            Op::Push { purpose, target, to } => {
                if mask != warp.path.mask {
                    return Err(self.unsupported(warp, pc, "a token for some lanes only"));
                }
                warp.push(*purpose, *target);
                warp.path.pc = to.unwrap_or(warp.path.pc);
            }
            Op::Pop { purpose, with } => {
                let mask = mask & with.map_or(u32::MAX, |with| warp.holds(with));
                if mask != 0 {
                    self.pop(warp, pc, *purpose, mask)?;
                }
            }
            Op::Indirect { a, wide, base } => self.indirect(warp, pc, mask, (*a, *wide), *base)?,
            Op::Exit => warp.end(mask),
            Op::Join { barrier } => warp.join(*barrier, mask),
            Op::Leave { barrier, with } => {
                warp.leave(*barrier, mask & with.map_or(u32::MAX, |with| warp.holds(with)));
            }
            Op::Save { barrier, clear, d } => {
                let joined = warp.joined[*barrier as usize];
                warp.set(*d, &joined, mask);
                if *clear {
                    warp.rejoin(*barrier, &[0; 32], mask);
                }
            }
            Op::Restore { barrier, a } => {
                let joined = warp.integer(self.code, *a);
                warp.rejoin(*barrier, &joined, mask);
            }
            Op::Meet { barrier } => warp.wait(pc, mask, Wait::Convergence(*barrier)),
            Op::Gather { mask: named } => {
                let named = match named {
                    Some(named) => self.agreed(warp, *named, mask).ok_or_else(|| {
                        self.unsupported(warp, pc, "lanes that wait for different lanes at one instruction")
                    })?,
                    None => u32::MAX,
                };
                warp.wait(pc, mask, Wait::Lanes(named));
            }
            Op::Barrier { kind, id, threads } => {
                if mask != warp.live {
                    warp.wait(pc, mask, Wait::Warp);
                    return Ok(None);
                }
                let id = self.agreed(warp, *id, mask);
                let threads = threads.map(|threads| self.agreed(warp, threads, mask));
                return match (id, threads) {
                    (Some(id), None) => Ok(Some(Event::Barrier { pc, kind: *kind, id, threads: None })),
                    (Some(id), Some(Some(n))) => Ok(Some(Event::Barrier { pc, kind: *kind, id, threads: Some(n) })),
                    (id, _) => {
                        let id = id.unwrap_or(u32::MAX);
                        Err(self.fatal(warp, pc, Kind::Barrier { id, misuse: BarrierMisuse::Divergent }))
                    }
                };
            }
            Op::ClusterBarrier { .. } if mask != warp.live => warp.wait(pc, mask, Wait::Warp),
            Op::ClusterBarrier { waits: false } => {
                let index = warp.thread.index;
                if self.cluster.arrive(index, &warp.thread.clock).is_err() {
                    return Err(self.unsupported(warp, pc, "a second arrival at the barrier of the cluster"));
                }
                warp.thread.tick();
            }
            Op::ClusterBarrier { waits: true } => match self.cluster.wait(warp.thread.index) {
                Some(clock) => warp.thread.clock.join(&clock),
                None => return Ok(Some(Event::Asleep)),
            },
            Op::Mbarrier { on, address } => {
                let holds = self.mbarrier(warp, pc, on, address, mask)?;
                // others have to come first
                return Ok((holds != mask).then_some(Event::Pause));
            }
            Op::Copy { bytes, to, from } => self.copy(warp, pc, *bytes, (to, from), mask)?,
            Op::CloseCopies => warp.copies.close(),
            Op::AwaitCopies { pending } => self.await_copies(warp, pc, *pending as usize)?,
            op => self.compute(warp, pc, op, mask)?,
        }
        Ok(None)
    }

    /// The lanes of `taken`, of the path, go to the target.
    fn branch(&mut self, warp: &mut Warp, taken: u32, target: u32) {
        let rest = warp.path.mask & !taken;
        if rest == 0 {
            warp.path.pc = target;
        } else if taken != 0 {
            warp.diverge(&[(warp.path.pc, rest), (target, taken)]);
        }
    }

    /// The lanes of the mask, of the path, go to the topmost token of the purpose.
    fn pop(&mut self, warp: &mut Warp, pc: u32, purpose: Purpose, mask: u32) -> Result<(), Stop> {
        warp.pop(purpose, mask).ok_or_else(|| self.unsupported(warp, pc, "lanes that meet where nothing was pushed"))
    }

    fn indirect(&mut self, warp: &mut Warp, pc: u32, mask: u32, (a, wide): (u32, bool), base: i64) -> Result<(), Stop> {
        let addresses = if wide { warp.pair(self.code, a) } else { warp.row(self.code, a).map(u64::from) };
        let rest = warp.path.mask & !mask;
        let mut ways: Vec<(u32, u32)> = Vec::new();
        for lane in (0..32).filter(|lane| mask >> lane & 1 == 1) {
            let address = addresses[lane].wrapping_add_signed(base);
            let target = self.code.at(address);
            let target = target.ok_or_else(|| self.fatal(warp, pc, Kind::BranchIndex { index: address }))?;
            match ways.iter_mut().find(|(to, _)| *to == target) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => ways.push((target, 1 << lane)),
            }
        }
        match ways[..] {
            [(target, _)] if rest == 0 => warp.path.pc = target,
            _ => {
                if rest != 0 {
                    warp.ready.push(Path { mask: rest, ..warp.path });
                }
                warp.diverge(&ways);
            }
        }
        Ok(())
    }

    /// No lane can go on: the warp has ended, or its lanes wait for each other.
    fn end(&mut self, warp: &mut Warp) -> Result<Event, Stop> {
        if warp.live == 0 {
            warp.thread.state = State::Exited;
            self.cluster.end(warp.thread.index);
            return Ok(Event::Exit);
        }
        let wait = |w: &super::warp::Waiting| LaneWait {
            site: self.code.site(warp.thread.index as u32, w.path.pc),
            lanes: w.path.mask,
            named: warp.named(w.wait, w.path.mask),
        };
        let waits = warp.waiting.iter().map(wait).collect();
        self.hazards.list.push(Hazard { cta: self.cta, site: None, kind: Kind::Stuck { waits } });
        Err(Stop)
    }

    /// The value that all lanes of the mask have.
    pub(super) fn agreed(&self, warp: &Warp, source: Source, mask: u32) -> Option<u32> {
        let word = warp.integer(self.code, source);
        let first = word[mask.trailing_zeros() as usize & 31];
        (0..32).all(|lane| mask >> lane & 1 == 0 || word[lane] == first).then_some(first)
    }

    /// Whether the path has all lanes of the mask that have not ended.
    fn all_are_active(&self, warp: &Warp, lanes: Source) -> bool {
        self.agreed(warp, lanes, warp.path.mask).is_some_and(|lanes| lanes & warp.live & !warp.path.mask == 0)
    }

    pub(super) fn unsupported(&mut self, warp: &Warp, pc: u32, what: &str) -> Stop {
        self.fatal(warp, pc, Kind::Unsupported(what.to_owned()))
    }
}
