//! `mbarrier.test_wait` and `try_wait`.
//!
//! Both may say that the phase is not over, and a loop around them asks again. If values are only partly known, the first answer
//! of a loop is taken as no: the way back to the question must then do nothing that matters, and the registers that it changes
//! are unknown behind the loop. Asked again, lanes sleep until the phase is over.

use super::{Machine, Spot, Stop};
use crate::decode::Source;
use crate::domain::{ALL, Domain, Knowledge, Undecided};
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
        let again = warp.asked.as_ref().is_some_and(|asked| (asked.pc, asked.lanes) == (pc, mask));
        if !D::MOVES && !again {
            warp.asked = Some(Box::new(warp.ask(pc, mask, true)));
            self.answer(warp, pred, false, mask);
            return Ok(());
        }
        if let Some(asked) = warp.asked.take() {
            forget_changes(warp, &asked, mask);
        }
        self.touch(warp, pc, address, mask)?;
        if !self.barrier_at(warp, pc, address, |barrier| Ok(barrier.listens(wide)))? && !D::MOVES {
            return D::undecided(self, warp, pc, mask, Undecided::Scope);
        }
        let over = self.barrier_at(warp, pc, address, |barrier| match parity {
            true => Ok(barrier.is_over(first)),
            false if first + 1 == u64::from(barrier.phase) => Ok(true),
            false if first == u64::from(barrier.phase) => Ok(false),
            false => Err(MbarrierMisuse::Ambiguous),
        })?;
        let clock = *warp.thread.clock_of(mask);
        warp.thread.tick();
        let (own, time) = (warp.thread.index, warp.thread.clock[warp.thread.index]);
        if over {
            let (last, whole) = self.barrier_at(warp, pc, address, |barrier| {
                barrier.observe(own, time, &clock)?;
                Ok((barrier.last, barrier.whole_last >> own & 1 == 1))
            })?;
            warp.thread.learn(mask, warp.live, |clock| clock.join(&last));
            if whole && mask == warp.live {
                warp.thread.meet();
                D::ordered(self, warp, ALL);
            }
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

    fn answer(&self, warp: &mut Warp<D::Knowledge>, pred: Option<u32>, yes: bool, mask: u32) {
        if let Some(pred) = pred {
            warp.write_pred(pred, if yes { ALL } else { 0 }, ALL, mask);
        }
    }
}

/// Forgets values that one more turn of a loop changes, as they are unknown behind it.
fn forget_changes<K: Knowledge>(warp: &mut Warp<K>, asked: &Asked, mask: u32) {
    let Some((rows, preds)) = &asked.before else { return };
    for (register, (row, known)) in (0..).zip(rows) {
        let now = &warp.regs[register as usize];
        let same = (0..32).filter(|lane| now[*lane] == row[*lane]).fold(0, |same, lane| same | 1 << lane);
        warp.knowledge.learn(register, warp.knowledge.row(register) & known & same, mask);
    }
    for (pred, (bits, known)) in (0..).zip(preds) {
        let same = !(warp.preds[pred as usize] ^ bits);
        warp.knowledge.learn_pred(pred, warp.knowledge.pred(pred) & known & same, mask);
    }
}
