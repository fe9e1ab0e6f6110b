//! Branches on data: both sides are executed, by all lanes that may go there, and values that both leave are known behind them.
//!
//! Accesses on a side happen for some data only. They count as accesses, and a hazard there is one that the proof cannot exclude.
//! A branch that comes to itself again is a loop: it is executed once more without the values that the loop may have written,
//! which stands for every further iteration.

use super::aborts::{Lasting, lasting};
use super::assumption::Assumption;
use super::known::Known;
use super::partial::{Prover, refuse};
use super::region::Region;
use super::waits::{Progress, UNCHANGING, progress};
use crate::clock::VectorClock;
use crate::decode::EXIT;
use crate::domain::{Domain, Knowledge};
use crate::exec::Stop;
use crate::rows::Row;
use crate::warp::{SavedState, Warp};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Branches on data whose sides are being executed.
#[derive(Default)]
pub(super) struct Open {
    /// Branches from the outermost to the innermost.
    branches: Vec<u32>,
    /// Branches that were reached again.
    again: BTreeSet<u32>,
    /// Branches that are executed for all iterations.
    general: BTreeSet<u32>,
}

impl Open {
    pub(super) fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }
}

/// Number of nested branches after which the analysis gives up.
const MOST_OPEN: usize = 32;

/// Instructions of a region that is executed only for what its sides agree on.
const SMALL: usize = 64;

/// State that a side leaves in the registers that it may write.
struct State {
    rows: Vec<(Row, u32)>,
    preds: Vec<(u32, u32)>,
}

/// Lets the lanes of the mask go on where they meet, or end, if the branch comes to no harm.
pub(super) fn pass(
    machine: &mut Prover,
    warp: &mut Warp<Known>,
    pc: u32,
    mask: u32,
    starts: &[u32],
    reconvergence: u32,
) -> Result<(), Stop> {
    let code = machine.code;
    if machine.domain.open.branches.contains(&pc) {
        if !machine.domain.open.general.contains(&pc) {
            machine.domain.open.again.insert(pc);
        }
        warp.path.mask = 0;
        return Ok(());
    }
    let tables = machine.segments.changeable();
    if let Some(Lasting { side, stores }) = lasting(code, tables, starts, reconvergence) {
        stores.into_iter().for_each(|pc| machine.domain.own_stores.somewhere(code, pc));
        warp.jump(side);
        return Ok(());
    }
    let new = || Region::new(code, tables, starts, reconvergence);
    let region = machine.domain.regions.entry(pc).or_insert_with(new).clone();
    if region.cyclic && region.touches {
        // an iteration may find the results of a later place of the loop
        machine.domain.kept.forget_all();
    }
    let together = mask == warp.live && warp.path.mask == mask && warp.waiting.is_empty();
    if together
        && !machine.domain.perhaps()
        && let Some(common) = &mut machine.domain.common
        && let Some(to) = common.way(code, tables, warp, pc, region.harmful.is_some())
    {
        warp.jump(to);
        return Ok(());
    }
    if let Some(at) = region.harmful {
        machine.domain.parted = true;
        let what = code.ops.get(at as usize).map_or("the end".to_owned(), |_| code.site(0, at).text);
        return Err(refuse(machine, warp, pc, &format!("branches on data before `{what}`")));
    }
    if reconvergence == EXIT && !warp.waiting.is_empty() {
        return Err(refuse(machine, warp, pc, "lanes end depending on data while others wait for them"));
    }
    let begin = warp.thread.clock;
    let executed = region.touches || !region.cyclic && region.size <= SMALL;
    let mut looped = region.cyclic && !region.touches;
    if !executed {
        warp.knowledge.forget(&region.written, mask);
        region.stores.iter().for_each(|pc| machine.domain.own_stores.somewhere(code, *pc));
    } else if machine.domain.open.branches.len() >= MOST_OPEN {
        return Err(refuse(machine, warp, pc, "too many branches on data lie in each other"));
    } else {
        let before = State::of(warp, &region.written);
        let aside = warp.save();
        machine.domain.open.branches.push(pc);
        let ways = Ways { starts, mask, reconvergence };
        let ended = execute(machine, warp, &ways, &region, &before, &aside);
        let mut known = ended?;
        if machine.domain.open.again.remove(&pc) {
            looped = true;
            before.restore(warp, &region.written);
            warp.knowledge.forget(&region.written, mask);
            let general = State::of(warp, &region.written);
            machine.domain.open.general.insert(pc);
            execute(machine, warp, &ways, &region, &general, &aside)?;
            machine.domain.open.general.remove(&pc);
            known = general;
        }
        machine.domain.open.branches.pop();
        warp.restore(aside);
        before.restore(warp, &region.written);
        known.write(warp, &region.written, mask);
        warp.knowledge.learn_carry(0, mask);
    }
    if looped {
        ends(machine, warp, pc, mask, reconvergence, begin);
    }
    match reconvergence {
        EXIT => warp.ret(),
        _ => warp.jump(reconvergence),
    }
    Ok(())
}

/// Notes the basis for the end of a loop of the branch, to which the lanes came with that knowledge.
fn ends(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, mask: u32, reconvergence: u32, begin: VectorClock) {
    let code = machine.code;
    let domain = &mut machine.domain;
    let new = || Rc::new(progress(code, pc, reconvergence));
    let progress = Rc::clone(domain.progress.entry(pc).or_insert_with(new));
    let site = code.site(warp.thread.index as u32, pc);
    let words = match &*progress {
        Progress::Others(loads) if loads.is_empty() => return domain.open(pc, site, UNCHANGING),
        Progress::Others(loads) => domain.spins.words(code, warp, loads, mask),
        Progress::Own => None,
        Progress::Counter => return,
    };
    domain.assume_once(pc, Assumption::LoopEnds(site));
    if let Some(words) = words {
        domain.spins.spin(warp, pc, words, begin);
    }
}

/// Targets of a branch.
struct Ways<'a> {
    starts: &'a [u32],
    mask: u32,
    reconvergence: u32,
}

/// Executes all sides from one state; returns the values that they agree on.
fn execute(
    machine: &mut Prover,
    warp: &mut Warp<Known>,
    ways: &Ways,
    region: &Region,
    before: &State,
    aside: &SavedState,
) -> Result<State, Stop> {
    let mut ends: Option<State> = None;
    let starts: BTreeSet<u32> = ways.starts.iter().copied().collect();
    for start in starts {
        before.restore(warp, &region.written);
        warp.live = aside.live;
        if start != ways.reconvergence {
            warp.begin_side(start, ways.mask, ways.reconvergence);
            while warp.proceed(machine.code) {
                if machine.step(warp)?.is_some() {
                    let pc = warp.path.pc;
                    return Err(refuse(
                        machine,
                        warp,
                        pc.min(machine.code.ops.len() as u32 - 1),
                        "synchronises on data",
                    ));
                }
            }
        }
        let end = State::of(warp, &region.written);
        ends = Some(match ends {
            None => end,
            Some(other) => other.meet(&end),
        });
    }
    Ok(ends.unwrap_or_else(|| State::of(warp, &region.written)))
}

type Written = (Vec<u32>, Vec<u32>);

impl State {
    fn of(warp: &Warp<Known>, (rows, preds): &Written) -> Self {
        let row = |row: &u32| (warp.regs[*row as usize], warp.knowledge.row(*row));
        let pred = |pred: &u32| (warp.preds[*pred as usize], warp.knowledge.pred(*pred));
        Self { rows: rows.iter().map(row).collect(), preds: preds.iter().map(pred).collect() }
    }

    fn restore(&self, warp: &mut Warp<Known>, written: &Written) {
        self.write(warp, written, u32::MAX);
    }

    fn write(&self, warp: &mut Warp<Known>, (rows, preds): &Written, mask: u32) {
        for (row, (values, known)) in rows.iter().zip(&self.rows) {
            warp.write(*row, values, *known, mask);
        }
        for (pred, (bits, known)) in preds.iter().zip(&self.preds) {
            warp.write_pred(*pred, *bits, *known, mask);
        }
    }

    /// Returns the knowledge that both states agree on.
    fn meet(mut self, other: &Self) -> Self {
        for ((values, known), (others, aware)) in self.rows.iter_mut().zip(&other.rows) {
            let same = (0..32).filter(|lane| values[*lane] == others[*lane]).fold(0, |same, lane| same | 1 << lane);
            *known &= aware & same;
        }
        for ((bits, known), (others, aware)) in self.preds.iter_mut().zip(&other.preds) {
            *known &= aware & !(*bits ^ others);
        }
        self
    }
}
