//! Control flow: branches, lanes that meet, barriers.

use super::Machine;
use crate::cta::Core;
use crate::exec::{Event, Stop};
use crate::hazard::Kind;
use crate::machine_code::op::{Flow, Purpose, Source};
use crate::machine_code::warp::{Path, Wait, Warp};
use ptx::inst::BarKind;

impl Machine<'_, '_> {
    /// Executes the instruction; some lane must be active.
    pub(super) fn flow(&mut self, warp: &mut Warp, pc: u32, op: &Flow, mask: u32) -> Result<Option<Event>, Stop> {
        match op {
            Flow::Branch { target, with, unless, whole } => {
                let taken = mask & with.map_or(u32::MAX, |with| warp.holds(with));
                let stays = match unless {
                    Some(lanes) => self.all_are_active(warp, *lanes),
                    None => *whole && taken != warp.path.mask,
                };
                let taken = if stays { 0 } else { taken };
                self.branch(warp, taken, *target);
            }
            Flow::Push { purpose, target, to } => {
                if mask != warp.path.mask {
                    return Err(self.unsupported(warp, pc, "a token for some lanes only"));
                }
                warp.push(*purpose, *target);
                warp.path.pc = to.unwrap_or(warp.path.pc);
            }
            Flow::Pop { purpose, with } => {
                let mask = mask & with.map_or(u32::MAX, |with| warp.holds(with));
                if mask != 0 {
                    self.pop(warp, pc, *purpose, mask)?;
                }
            }
            Flow::Indirect { a, wide, base } => self.indirect(warp, pc, mask, (*a, *wide), *base)?,
            Flow::Exit { with } => warp.end(mask & with.map_or(u32::MAX, |with| warp.holds(with))),
            Flow::Join { barrier } => warp.join(*barrier, mask),
            Flow::Leave { barrier, with } => {
                warp.leave(*barrier, mask & with.map_or(u32::MAX, |with| warp.holds(with)));
            }
            Flow::Save { barrier, clear, d } => {
                let joined = warp.joined[*barrier as usize];
                warp.set(*d, &joined, mask);
                if *clear {
                    warp.rejoin(*barrier, &[0; 32], mask);
                }
            }
            Flow::Restore { barrier, a } => {
                let joined = warp.integer(self.code, *a);
                warp.rejoin(*barrier, &joined, mask);
            }
            Flow::Meet { barrier } => warp.wait(pc, mask, Wait::Convergence(*barrier)),
            Flow::Gather { mask: named } => {
                let named = match named {
                    Some(named) => self.agreed(warp, *named, mask).ok_or_else(|| {
                        self.unsupported(warp, pc, "lanes that wait for different lanes at one instruction")
                    })?,
                    None => u32::MAX,
                };
                warp.wait(pc, mask, Wait::Lanes(named));
            }
            Flow::Barrier { kind, id, threads } => return self.barrier(warp, pc, (*kind, *id, *threads), mask),
            Flow::ClusterBarrier { .. } if mask != warp.live => warp.wait(pc, mask, Wait::Warp),
            Flow::ClusterBarrier { waits: false } => {
                let index = warp.thread.index;
                if self.cluster.arrive(index, &warp.thread.clock).is_err() {
                    return Err(self.unsupported(warp, pc, "a second arrival at the barrier of the cluster"));
                }
                warp.thread.tick();
            }
            Flow::ClusterBarrier { waits: true } => match self.cluster.wait(warp.thread.index) {
                Some(clock) => warp.thread.clock.join(&clock),
                None => return Ok(Some(Event::Asleep)),
            },
        }
        Ok(None)
    }

    fn barrier(
        &mut self,
        warp: &mut Warp,
        pc: u32,
        (kind, id, threads): (BarKind, Source, Option<Source>),
        mask: u32,
    ) -> Result<Option<Event>, Stop> {
        if mask != warp.live {
            warp.wait(pc, mask, Wait::Warp);
            return Ok(None);
        }
        let id = self.agreed(warp, id, mask);
        let threads = threads.map(|threads| self.agreed(warp, threads, mask));
        match (id, threads) {
            (Some(id), None) => Ok(Some(Event::Barrier { pc, kind, id, threads: None })),
            (Some(id), Some(Some(n))) => Ok(Some(Event::Barrier { pc, kind, id, threads: Some(n) })),
            (None, _) => Err(self.fatal(warp, pc, Kind::LanesApart("barriers"))),
            (Some(_), Some(None)) => Err(self.fatal(warp, pc, Kind::LanesApart("numbers of threads"))),
        }
    }

    /// Sends the lanes of `taken`, of the path, to the target.
    fn branch(&mut self, warp: &mut Warp, taken: u32, target: u32) {
        let rest = warp.path.mask & !taken;
        if rest == 0 {
            warp.path.pc = target;
        } else if taken != 0 {
            warp.diverge(&[(warp.path.pc, rest), (target, taken)]);
        }
    }

    /// Sends the lanes of the mask, of the path, to the topmost token of the purpose.
    pub(super) fn pop(&mut self, warp: &mut Warp, pc: u32, purpose: Purpose, mask: u32) -> Result<(), Stop> {
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

    /// Whether the path has all lanes of the mask that have not ended.
    fn all_are_active(&self, warp: &Warp, lanes: Source) -> bool {
        self.agreed(warp, lanes, warp.path.mask).is_some_and(|lanes| lanes & warp.live & !warp.path.mask == 0)
    }
}
