//! Executes the machine code of one warp until it blocks.

mod access;
mod atomic;
mod bits;
mod copies;
mod flow;
mod functions;
mod integers;
mod lanes;
mod mbarrier;
mod memory;
mod selections;

pub(super) use copies::Copies;
pub(super) use mbarrier::Mbarrier;

use bits::bits;
use functions::function;
use integers::{integer, multiply};
use selections::selection;

use super::cluster::Cluster;
use super::code::Code;
use super::op::{Flow, Op, Purpose, Source};
use super::trace::{Arrival, Event as Happening, Trace};
use super::warp::Warp;
use crate::cta::Core;
use crate::exec::{Collector, Event, Stop};
use crate::hazard::{Hazard, Kind, LaneWait, Site};
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
    /// Barriers in shared memory, by their place.
    pub mbarriers: BTreeMap<u64, Mbarrier>,
    pub cluster: Cluster,
    /// Number of warps that run together.
    pub warps: usize,
    /// Number of warp instructions left.
    pub budget: u64,
    pub cta: u32,
    pub hazards: Collector,
    /// Races by instruction, if they are permitted.
    pub races: Option<BTreeMap<u32, Hazard>>,
    /// Trace of the execution, if it is wanted.
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
                if let (Op::Flow(Flow::ClusterBarrier { waits }), true) = (&decoded.op, mask == warp.live) {
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

    fn arrived(&mut self, _: usize, _: u32) {}

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

    /// Executes an instruction; some lane must be active.
    fn step(&mut self, warp: &mut Warp, pc: u32, op: &Op, mask: u32) -> Result<Option<Event>, Stop> {
        let code = self.code;
        match op {
            Op::Integer(op) => integer(code, warp, op, mask),
            Op::Multiply(op) => multiply(code, warp, op, mask),
            Op::Bits(op) => bits(code, warp, op, mask),
            Op::Function(op) => function(code, warp, op, mask),
            Op::Selection(op) => selection(code, warp, op, mask),
            Op::Lanes(op) => self.lanes(warp, pc, op, mask)?,
            Op::Access(op) => return self.access(warp, pc, op, mask),
            Op::Flow(op) => return self.flow(warp, pc, op, mask),
            Op::Nothing => {}
        }
        Ok(None)
    }

    /// Handles the case that no lane can go on: the warp has ended, or its lanes wait for each other.
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

    /// Returns the value that all lanes of the mask have.
    pub(super) fn agreed(&self, warp: &Warp, source: Source, mask: u32) -> Option<u32> {
        let word = warp.integer(self.code, source);
        let first = word[mask.trailing_zeros() as usize & 31];
        (0..32).all(|lane| mask >> lane & 1 == 0 || word[lane] == first).then_some(first)
    }

    pub(super) fn unsupported(&mut self, warp: &Warp, pc: u32, what: &str) -> Stop {
        self.fatal(warp, pc, Kind::Unsupported(what.to_owned()))
    }
}
