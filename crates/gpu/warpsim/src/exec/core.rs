//! The executor of PTX as the core that runs a CTA's warps.

use super::{Event, Machine, Stop};
use crate::cta::Core;
use crate::decode::{Code, Micro};
use crate::domain::{ALL, Domain, Knowledge};
use crate::hazard::{Hazard, Kind, Site};
use crate::place::Place;
use crate::thread::Thread;
use crate::warp::Warp;
use ptx::inst::BarRedOp;

impl<D: Domain> Core for Machine<'_, '_, D> {
    type Warp = Warp<D::Knowledge>;

    fn forgets(&self) -> bool {
        self.code.independent_lanes()
    }

    fn begin(&mut self, cta: u32) {
        self.cta = cta;
        self.shared.reset();
        D::begin(self);
    }

    fn start(&self, warp: &mut Self::Warp, place: Place) {
        warp.start(self.code, place);
    }

    fn begun(&mut self, thread: &Thread) {
        self.asynchronous.cluster.begins(thread);
    }

    fn run(&mut self, warp: &mut Self::Warp, quantum: u64) -> Result<Event, Stop> {
        self.execute(warp, quantum)
    }

    fn brings(&self, warp: &Self::Warp, pc: u32) -> Option<(u32, u32)> {
        let Micro::Bar { result: Some((_, _, (pred, negate))), .. } = &self.code.ops[pc as usize].micro else {
            return None;
        };
        let yes = (warp.preds[*pred as usize] ^ if *negate { u32::MAX } else { 0 }) & warp.live;
        Some((yes.count_ones(), warp.live.count_ones()))
    }

    fn chosen(&mut self, pc: u32) -> Option<bool> {
        self.domain.choose(pc)
    }

    fn gets(&self, warp: &mut Self::Warp, pc: u32, (yes, all): (u32, u32), chosen: Option<bool>) {
        match chosen {
            Some(true) => take(self.code, warp, pc, all, all, ALL, D::HANDED),
            Some(false) => take(self.code, warp, pc, 0, all, ALL, D::HANDED),
            None => take(self.code, warp, pc, yes, all, D::HANDED, D::HANDED),
        }
    }

    fn arrived(&mut self, warp: usize, pc: u32) {
        self.arrivals += 1;
        self.domain.arrived(warp, pc);
    }

    fn record(&mut self, warp: &Self::Warp, pc: u32, kind: Kind) -> Result<(), Stop> {
        Machine::record(self, warp, pc, kind)
    }

    fn fatal(&mut self, warp: &Self::Warp, pc: u32, kind: Kind) -> Stop {
        Machine::fatal(self, warp, pc, kind)
    }

    fn exhausted(&mut self, warp: &Self::Warp, pc: u32, what: &str) -> Stop {
        D::exhausted(self, warp, pc, what)
    }

    fn site(&self, warp: u32, pc: u32) -> Site {
        self.code.site(warp, pc)
    }

    fn woken(&mut self) -> Vec<usize> {
        self.woken_warps()
    }

    fn wake(&mut self, warp: &mut Self::Warp) {
        self.wake_lanes(warp);
    }

    fn advance(&mut self, warps: &[Self::Warp], choice: u64) -> Result<bool, Stop> {
        let waits = warps.iter().any(|warp| !warp.asleep.is_empty());
        if waits { self.advance_copies(choice) } else { Ok(false) }
    }

    fn asleep(&self, warp: &Self::Warp) -> Vec<(u32, String)> {
        self.missing(warp.thread.index)
    }

    fn finish(&mut self) {
        self.end_of_cta();
    }

    fn unheeded(&mut self, warp: &Self::Warp, pc: u32, id: u32) {
        let site = self.code.site(warp.thread.index as u32, pc);
        let text = format!("{site}: all threads arrive at barrier {id}, and none waits");
        self.asynchronous.warnings.insert(text);
    }

    fn hazards(&mut self) -> &mut Vec<Hazard> {
        &mut self.hazards.list
    }
}

/// Gives the result of `bar.red`, once all have come; the lanes of `known` know it, and those of `counted` a number.
fn take<K: Knowledge>(code: &Code, warp: &mut Warp<K>, pc: u32, yes: u32, all: u32, known: u32, counted: u32) {
    let Micro::Bar { result: Some((op, d, _)), .. } = &code.ops[pc as usize].micro else { return };
    let whole = |set: bool| if set { u32::MAX } else { 0 };
    match op {
        BarRedOp::Popc => {
            warp.write(*d, &[yes.into(); 32], counted, warp.live);
            return warp.knowledge.agree(*d, warp.live);
        }
        BarRedOp::And => warp.write_pred(*d, whole(yes == all), known, warp.live),
        BarRedOp::Or => warp.write_pred(*d, whole(yes > 0), known, warp.live),
    }
    warp.knowledge.agree_pred(*d, warp.live);
}
