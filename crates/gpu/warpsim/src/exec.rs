//! Executes the instructions of one warp until it blocks, over either domain.

mod access;
mod asynchronous;
mod cluster;
mod compute;
mod cooperate;
mod core;
mod fragments;
mod machine;

use super::decode::{Code, Micro, Source};
use super::domain::{ALL, Domain, Knowledge, Undecided};
use super::hazard::{Access, BarrierMisuse, Hazard, Kind, LaneWait};
use super::lanes::{holds, ways};
use super::shared::Findings;
use super::thread::State;
use super::warp::{Asked, Waiting, Warp};
use ptx::inst::{BarKind, Space};
use std::ops::ControlFlow::{self, Break};

pub(super) use asynchronous::Asynchronous;
pub(super) use machine::{Collector, Event, Machine, PERHAPS, Stop};

impl<D: Domain> Machine<'_, '_, D> {
    /// Runs up to `quantum` instructions of a warp that is ready.
    fn execute(&mut self, warp: &mut Warp<D::Knowledge>, quantum: u64) -> Result<Event, Stop> {
        for _ in 0..quantum {
            if let Some(event) = self.step(warp)? {
                return Ok(event);
            }
        }
        Ok(Event::Pause)
    }

    /// Executes one instruction, or says why there is none.
    #[inline]
    pub(super) fn step(&mut self, warp: &mut Warp<D::Knowledge>) -> Result<Option<Event>, Stop> {
        let code = self.code;
        if warp.path.mask == 0 && !warp.proceed(code) {
            return self.end(warp).map(Some);
        }
        let pc = warp.path.pc;
        let op = &code.ops[pc as usize];
        if self.budget == 0 {
            return Err(D::exhausted(self, warp, pc, "more instructions than the analysis executes"));
        }
        self.budget = self.budget.saturating_sub(D::weight(&op.micro));
        self.executed += 1;
        warp.counts.count(op.class);
        let active = warp.path.mask;
        if let Some(broken) = D::before(self, warp, pc, active) {
            self.record(warp, pc, broken)?;
        }
        warp.path.pc = pc + 1;
        let mask = match op.guard {
            None => active,
            Some((pred, _)) if active & !warp.knowledge.pred(pred) != 0 => {
                D::undecided(self, warp, pc, active, Undecided::Guard)?;
                return Ok(None);
            }
            Some(guard) => active & holds(&warp.preds, guard),
        };
        warp.counts.lanes(op.class, mask);
        if let Some(asked) = &warp.asked
            && leaves(&op.micro, asked, pc, mask)
        {
            let from = asked.pc;
            warp.asked = None;
            D::gave_up(self, warp, from)?;
        }
        if let Break(event) = self.perform(warp, pc, mask)? {
            return Ok(event);
        }
        if let Some(broken) = D::after(self, warp, pc, active) {
            self.record(warp, pc, broken)?;
        }
        Ok(None)
    }

    /// Performs an instruction in the lanes of the mask; [`Break`] if the warp cannot go on from it, with the cause.
    #[inline]
    fn perform(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        mask: u32,
    ) -> Result<ControlFlow<Option<Event>>, Stop> {
        let code = self.code;
        let micro = &code.ops[pc as usize].micro;
        match micro {
            Micro::Jump { target } => warp.jump(*target),
            Micro::Branch { pred, negate, then, otherwise, reconvergence } => {
                if mask & !warp.knowledge.pred(*pred) != 0 {
                    D::undecided(self, warp, pc, mask, Undecided::Branch(&[*then, *otherwise], *reconvergence))?;
                    return Ok(Break(None));
                }
                let taken = mask & holds(&warp.preds, (*pred, *negate));
                if taken == mask {
                    warp.jump(*then);
                } else if taken == 0 {
                    warp.jump(*otherwise);
                } else {
                    warp.diverge([(*otherwise, mask & !taken), (*then, taken)].into_iter(), *reconvergence);
                }
            }
            Micro::Indirect { index, targets, reconvergence } => {
                self.indirect(warp, pc, *index, targets, *reconvergence)?
            }
            Micro::Call(call) if mask != 0 => {
                if !warp.call(call, mask) {
                    return Err(D::exhausted(self, warp, pc, "too many calls are open"));
                }
            }
            Micro::Ret | Micro::Exit | Micro::Trap => {
                if matches!(micro, Micro::Trap) {
                    D::undecided(self, warp, pc, mask, Undecided::Meaning)?;
                }
                if matches!(micro, Micro::Ret) {
                    warp.ret()
                } else {
                    warp.exit()
                }
                if !warp.waiting.is_empty()
                    && let Some(barrier) = self.gather(warp)?
                {
                    return Ok(Break(Some(barrier)));
                }
            }
            Micro::Bar { aligned, id, threads, .. } if mask != 0 => {
                if mask & !(warp.knows(*id) & warp.knows(threads.unwrap_or(*id))) != 0 {
                    D::undecided(self, warp, pc, mask, Undecided::Barrier)?;
                    return Ok(Break(None));
                }
                if mask != warp.path.mask && *aligned && code.independent_lanes() {
                    return Err(self.fatal(warp, pc, self.divergent(warp, pc, mask)));
                }
                if mask != warp.live && code.independent_lanes() {
                    warp.wait(pc, mask, ALL, *aligned);
                    return self.gather(warp).map(Break);
                }
                return self.arrive(warp, pc, mask, mask).map(|event| Break(Some(event)));
            }
            Micro::Collective(op) if mask != 0 => {
                if let Some(barrier) = self.cooperate(warp, pc, op, mask)? {
                    return Ok(Break(Some(barrier)));
                }
            }
            _ if mask == 0 => {}
            Micro::Copying(copying) => self.copying(warp, pc, copying, mask)?,
            Micro::Compute(op) => self.compute(warp, op, mask),
            Micro::Test(op) => self.test(warp, op, mask),
            Micro::Pieces(op) => self.pieces(warp, op, mask),
            Micro::MemoryAccess(op) => self.memory_access(warp, pc, op, mask)?,
            Micro::Unknown { .. } => D::undecided(self, warp, pc, mask, Undecided::Meaning)?,
            Micro::Collective(_) | Micro::Bar { .. } | Micro::Call(_) | Micro::Nothing => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Lets the lanes of the mask come to a barrier of the CTA, those of `here` at this instruction.
    fn arrive(&mut self, warp: &mut Warp<D::Knowledge>, pc: u32, mask: u32, here: u32) -> Result<Event, Stop> {
        let Micro::Bar { kind, id, threads, .. } = &self.code.ops[pc as usize].micro else { return Ok(Event::Pause) };
        let named = barrier(warp, self.code, *id, *threads, here).filter(|_| mask == warp.live);
        let Some((id, threads)) = named else { return Err(self.fatal(warp, pc, self.divergent(warp, pc, here))) };
        // one lane that arrives and goes on does not wait for the others
        if *kind == BarKind::Sync {
            D::ordered(self, warp, ALL);
            warp.thread.meet();
        }
        Ok(Event::Barrier { pc, kind: *kind, id, threads })
    }

    /// Handles the case that no lane can go on: the warp has ended, or its lanes wait for each other.
    fn end(&mut self, warp: &mut Warp<D::Knowledge>) -> Result<Event, Stop> {
        if warp.live == 0 {
            warp.thread.state = State::Exited;
            self.asynchronous.ended |= 1 << warp.thread.index;
            self.asynchronous.cluster.ends(&warp.thread);
            self.settle_cluster();
            return Ok(Event::Exit);
        }
        if let Some(event) = self.asleep_event(warp) {
            return Ok(event);
        }
        // only some lanes came to what all lanes of the warp have to execute, the others went round it
        if let Some(first) = warp.waiting.first().filter(|_| warp.waiting.iter().all(|waiting| waiting.aligned)) {
            let kind = match &self.code.ops[first.pc as usize].micro {
                Micro::Bar { .. } => self.divergent(warp, first.pc, first.lanes),
                _ => Kind::InactiveLane { lane: first.lanes.trailing_zeros(), source: (!first.lanes).trailing_zeros() },
            };
            return Err(self.fatal(warp, first.pc, kind));
        }
        let site = |pc| self.code.site(warp.thread.index as u32, pc);
        let wait = |w: &Waiting| LaneWait { site: site(w.pc), lanes: w.lanes, named: w.named & warp.live };
        let waits = warp.waiting.iter().map(wait).collect();
        self.hazards.list.push(Hazard { cta: self.cta, site: None, kind: Kind::Stuck { waits } });
        Err(Stop)
    }

    /// Returns the misuse of a barrier that only these lanes of the warp reach, or whose operands differ among them.
    fn divergent(&self, warp: &Warp<D::Knowledge>, pc: u32, lanes: u32) -> Kind {
        let Micro::Bar { id, threads, .. } = &self.code.ops[pc as usize].micro else { return Kind::Budget };
        let Some(number) = uniform(warp, self.code, *id, lanes) else { return Kind::LanesApart("barriers") };
        match threads.map(|threads| uniform(warp, self.code, threads, lanes)) {
            Some(None) => Kind::LanesApart("numbers of threads"),
            _ => Kind::Barrier { id: number as u32, misuse: BarrierMisuse::Divergent },
        }
    }

    fn indirect(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        index: u32,
        targets: &[u32],
        reconvergence: u32,
    ) -> Result<(), Stop> {
        let mask = warp.path.mask;
        if mask & !warp.knowledge.row(index) != 0 {
            return D::undecided(self, warp, pc, mask, Undecided::Branch(targets, reconvergence));
        }
        let ways = ways(&warp.regs[index as usize], targets, mask)
            .map_err(|index| self.fatal(warp, pc, Kind::BranchIndex { index }))?;
        match ways[..] {
            [(target, _)] => warp.jump(target),
            _ => warp.diverge(ways.into_iter(), reconvergence),
        }
        Ok(())
    }

    /// Records the findings of an access.
    pub(super) fn report(
        &mut self,
        warp: &Warp<D::Knowledge>,
        pc: u32,
        space: Space,
        access: Access,
        found: Findings,
    ) -> Result<(), Stop> {
        let earlier = found.conflict.as_ref().map(|conflict| conflict.time.map(|time| (conflict.warp as usize, time)));
        let uncertain = found.conflict.as_ref().is_some_and(|conflict| conflict.pc & PERHAPS != 0);
        let named = |place| if space == Space::Shared { self.code.named(place) } else { place };
        for kind in found.kinds(space, access, |warp, pc| self.code.site(warp, pc & !PERHAPS), named) {
            let hazard = self.hazard(warp, pc, kind);
            let before = match &hazard.kind {
                Kind::Race { .. } => earlier.flatten().map(Some),
                Kind::Unwritten { space: Space::Shared, .. } => Some(None),
                _ => None,
            };
            if self.domain.perhaps() || uncertain && matches!(hazard.kind, Kind::Race { .. }) {
                D::uncertain(self, pc, hazard)?;
            } else if before.is_none_or(|before| !D::defers(self, &warp.thread, pc, &hazard, before)) {
                self.hazards.record(hazard, pc)?;
            }
        }
        Ok(())
    }

    /// Returns the mark that an access leaves: the instruction, and whether it happened for certain.
    pub(super) fn mark(&self, pc: u32) -> u32 {
        if self.domain.perhaps() { pc | PERHAPS } else { pc }
    }

    /// Records a hazard after which the run goes on, unless there are too many.
    pub(super) fn record(&mut self, warp: &Warp<D::Knowledge>, pc: u32, kind: Kind) -> Result<(), Stop> {
        let hazard = self.hazard(warp, pc, kind);
        if self.domain.perhaps() {
            return D::uncertain(self, pc, hazard);
        }
        self.hazards.record(hazard, pc)
    }

    /// Records a hazard that ends the run.
    pub(super) fn fatal(&mut self, warp: &Warp<D::Knowledge>, pc: u32, kind: Kind) -> Stop {
        let hazard = self.hazard(warp, pc, kind);
        if self.domain.perhaps() {
            // it ends in either case
            let _ = D::uncertain(self, pc, hazard);
        } else {
            self.hazards.list.push(hazard);
        }
        Stop
    }

    pub(super) fn hazard(&self, warp: &Warp<D::Knowledge>, pc: u32, kind: Kind) -> Hazard {
        Hazard { cta: self.cta, site: Some(self.code.site(warp.thread.index as u32, pc)), kind }
    }
}

/// Whether lanes that were told that a phase is not over do something that matters before they ask again.
fn leaves(micro: &Micro, asked: &Asked, pc: u32, mask: u32) -> bool {
    let matters = match micro {
        Micro::Copying(_) => pc != asked.pc,
        Micro::MemoryAccess(op) => matches!(op.space(), Space::Shared | Space::Generic),
        Micro::Bar { .. } | Micro::Ret | Micro::Exit | Micro::Unknown { .. } => true,
        Micro::Collective(_) => true,
        _ => false,
    };
    matters && mask & asked.lanes != 0
}

/// Returns the value that all active lanes agree on.
fn uniform<K>(warp: &Warp<K>, code: &Code, source: Source, mask: u32) -> Option<u64> {
    let row = source.row(&warp.regs, &code.pool);
    let first = row[mask.trailing_zeros() as usize & 31];
    (0..32).all(|lane| mask >> lane & 1 == 0 || row[lane] == first).then_some(first)
}

/// Returns the barrier and its threads, if all lanes of the mask agree on them.
pub(super) fn barrier<K>(
    warp: &Warp<K>,
    code: &Code,
    id: Source,
    threads: Option<Source>,
    mask: u32,
) -> Option<(u32, Option<u32>)> {
    let id = uniform(warp, code, id, mask)? as u32;
    match threads {
        None => Some((id, None)),
        Some(threads) => Some((id, Some(uniform(warp, code, threads, mask)? as u32))),
    }
}
