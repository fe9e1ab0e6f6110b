//! `mbarrier.test_wait` and `try_wait`.
//!
//! Both may say that the phase is not over, and a loop around them asks again; without a loop the question is a peek. If values are
//! only partly known, the first answer of a loop is taken as no: the way back to the question must then do nothing that matters, and
//! the registers that it changes are unknown from there on. Asked again, the answer is no until a turn changes nothing that is known: what a
//! turn changes may lead out of the loop. Then lanes sleep until the phase is over.

use super::{Machine, Spot, Stop};
use crate::decode::Source;
use crate::domain::{ALL, Domain, Knowledge, Peek, Undecided, Written};
use crate::hazard::MbarrierMisuse;
use crate::mbarrier::Sleeper;
use crate::warp::{Asked, Warp};

impl<D: Domain> Machine<'_, '_, D> {
    pub(super) fn wait_in_memory(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        at: Spot,
        (phase, parity, wide): (Source, bool, bool),
        pred: Option<u32>,
        mask: u32,
    ) -> Result<(), Stop> {
        let row = phase.row(&warp.regs, &self.code.pool);
        let first = row[mask.trailing_zeros() as usize & 31];
        let alike = (0..32).all(|lane| mask >> lane & 1 == 0 || row[lane] == first);
        let places = self.places(warp, pc, at, false, mask)?;
        let ([(address, _)], true) = (&places[..], alike) else {
            return D::undecided(self, warp, pc, mask, Undecided::Mask);
        };
        let address = *address;
        if D::is_peek(self, pc) {
            return self.peek(warp, pc, address, (first, parity, wide), pred, mask);
        }
        let again = warp.asked.as_ref().is_some_and(|asked| (asked.pc, asked.lanes) == (pc, mask));
        if !D::MOVES && !again {
            warp.asked = Some(Box::new(warp.ask(pc, mask, true)));
            self.answer(warp, pred, false, mask);
            return Ok(());
        }
        if let Some(mut asked) = warp.asked.take() {
            let written = D::asked_between(self, pc);
            if forget_changes(warp, &mut asked, mask, &written, pred) {
                // what another turn changes may lead out of the loop
                warp.asked = Some(asked);
                self.answer(warp, pred, false, mask);
                return Ok(());
            }
        }
        let (over, asked) = self.asked_for(warp, pc, address, (first, parity, wide), mask)?;
        D::waits(self, warp, pc, asked)?;
        let clock = *warp.thread.clock_of(mask);
        warp.thread.tick();
        let (own, time) = (warp.thread.index, warp.thread.clock[warp.thread.index]);
        if over {
            let (last, arrived) = self.barrier_at(warp, pc, address, |barrier| {
                barrier.observe((own, mask), time, &clock)?;
                Ok((barrier.last, barrier.arrived_last(own)))
            })?;
            D::told(self, own, mask, &last);
            warp.thread.learn(mask, warp.live, |clock| clock.join(&last));
            self.met(warp, mask, arrived);
            self.answer(warp, pred, true, mask);
        } else if D::MOVES && !again {
            warp.asked = Some(Box::new(warp.ask(pc, mask, false)));
            self.answer(warp, pred, false, mask);
        } else {
            let sleeper = Sleeper { warp: own, pc, lanes: mask, time };
            self.barrier_at(warp, pc, address, |barrier| barrier.sleep(sleeper, &clock))?;
            warp.fall_asleep();
        }
        Ok(())
    }

    /// Asks for a phase without waiting for it: the answer is not known.
    fn peek(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        address: u64,
        phase: (u64, bool, bool),
        pred: Option<u32>,
        mask: u32,
    ) -> Result<(), Stop> {
        let (_, asked) = self.asked_for(warp, pc, address, phase, mask)?;
        warp.thread.tick();
        if let Some(pred) = pred {
            D::peeked(warp, pred, asked);
        }
        Ok(())
    }

    /// Returns whether the phase is over, and which one it is.
    fn asked_for(
        &mut self,
        warp: &mut Warp<D::Knowledge>,
        pc: u32,
        address: u64,
        (phase, parity, wide): (u64, bool, bool),
        lanes: u32,
    ) -> Result<(bool, Peek), Stop> {
        self.touch(warp, pc, address, lanes)?;
        if !self.barrier_at(warp, pc, address, |barrier| Ok(barrier.listens(wide)))? && !D::MOVES {
            D::undecided(self, warp, pc, lanes, Undecided::Scope)?;
        }
        let clock = *warp.thread.clock_of(lanes);
        let time = warp.thread.clock[warp.thread.index];
        self.barrier_at(warp, pc, address, |barrier| {
            let over = match parity {
                true => barrier.is_over(phase),
                false if phase + 1 == u64::from(barrier.phase) => true,
                false if phase == u64::from(barrier.phase) => false,
                false => return Err(MbarrierMisuse::Ambiguous),
            };
            let epoch = if D::MOVES { 0 } else { barrier.asked_for(over, &clock)? };
            Ok((over, Peek { address, epoch, wide, lanes, time }))
        })
    }

    fn answer(&self, warp: &mut Warp<D::Knowledge>, pred: Option<u32>, yes: bool, mask: u32) {
        if let Some(pred) = pred {
            warp.write_pred(pred, if yes { ALL } else { 0 }, ALL, mask);
        }
    }
}

/// Forgets values that one more turn of a loop changes, of those that it writes, as they are unknown behind it; returns whether the turn
/// left less known than it found, but for the answer.
fn forget_changes<K: Knowledge>(
    warp: &mut Warp<K>,
    asked: &mut Asked,
    mask: u32,
    (rows, preds): &Written,
    answer: Option<u32>,
) -> bool {
    let Some((old_rows, old_preds)) = &mut asked.before else { return false };
    let mut less = false;
    for register in rows {
        let (row, known) = &mut old_rows[*register as usize];
        let now = &warp.regs[*register as usize];
        let same = (0..32).filter(|lane| now[*lane] == row[*lane]).fold(0, |same, lane| same | 1 << lane);
        let left = warp.knowledge.row(*register) & *known & same;
        less |= *known & !left & mask != 0;
        *known = left;
        warp.knowledge.learn(*register, left, mask);
    }
    for pred in preds {
        let (bits, known) = &mut old_preds[*pred as usize];
        let left = warp.knowledge.pred(*pred) & *known & !(warp.preds[*pred as usize] ^ *bits);
        less |= Some(*pred) != answer && *known & !left & mask != 0;
        *known = left;
        warp.knowledge.learn_pred(*pred, left, mask);
    }
    less
}
