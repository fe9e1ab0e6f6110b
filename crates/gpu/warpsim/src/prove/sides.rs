//! Branches on data: both sides are executed, by all lanes that may go there, and values that both leave are known behind them.
//!
//! Accesses on a side happen for some data only. They count as accesses, and a hazard there is one that the proof cannot exclude.
//! A branch that comes to itself again is a loop: it is executed once more without the values that the loop may have written,
//! which stands for every further iteration.

use super::aborts::{Lasting, lasting};
use super::agreed::is_one;
use super::answers::State;
use super::assumption::Assumption;
use super::common::Slot;
use super::known::Known;
use super::order::Behind;
use super::partial::{Partial, Prover, keeps_tables, refuse};
use super::peeks;
use super::region::Region;
use super::waits::{Progress, UNCHANGING, progress};
use crate::clock::VectorClock;
use crate::decode::{Code, EXIT, Micro};
use crate::domain::{Domain, Knowledge, Written};
use crate::exec::Stop;
use crate::warp::{SavedState, Warp};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Branches that lead all lanes of the warp the same way.
    together: BTreeSet<u32>,
    /// What the lanes were behind when they reached a branch again.
    back: BTreeMap<u32, Behind>,
}

impl Open {
    pub(super) fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// Whether one of the branches may lead the lanes of the warp different ways.
    pub(super) fn is_apart(&self) -> bool {
        self.branches.iter().any(|pc| !self.together.contains(pc))
    }
}

/// Number of nested branches after which the analysis gives up.
const MOST_OPEN: usize = 32;

/// Instructions of a region that is executed only for what its sides agree on.
const SMALL: usize = 64;

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
    let together = mask == warp.live && warp.path.mask == mask && warp.waiting.is_empty();
    let one = together && decides(code, pc).is_some_and(|slot| is_one(warp, slot, mask));
    if machine.domain.open.branches.contains(&pc) {
        return come_again(machine, warp, pc, one);
    }
    if let Some(side) = peeks::way(code, warp, pc, mask, reconvergence) {
        warp.jump(side);
        return Ok(());
    }
    let tables = keeps_tables(machine);
    if let Some(Lasting { side, stores }) = lasting(code, tables, starts, reconvergence) {
        stores.into_iter().for_each(|pc| machine.domain.own_stores.somewhere(code, pc));
        warp.jump(side);
        return Ok(());
    }
    let new = || Region::new(code, tables, starts, reconvergence);
    let region = machine.domain.regions.entry(pc).or_insert_with(new).clone();
    if mask == warp.path.mask
        && region.harmful.is_some()
        && !machine.domain.perhaps()
        && let Some(common) = machine.domain.common.as_mut().filter(|common| common.bounded)
        && let Some(to) = common.bounded_way(code, tables, warp, pc, mask)
    {
        warp.jump(to);
        return Ok(());
    }
    if region.cyclic && region.touches {
        // an iteration may find the results of a later place of the loop
        machine.domain.forget_all();
    }
    if together
        && !machine.domain.perhaps()
        && let Some(common) = machine.domain.common.as_mut().filter(|common| !common.bounded)
        && let Some(to) = common.way(code, tables, warp, pc, region.harmful.is_some())
    {
        warp.jump(to);
        return Ok(());
    }
    if let Some(at) = if one { region.harmful_together } else { region.harmful } {
        machine.domain.parted = true;
        let what = code.ops.get(at as usize).map_or("the end".to_owned(), |_| code.site(0, at).text);
        return Err(refuse(machine, warp, pc, &format!("branches on data before `{what}`")));
    }
    if reconvergence == EXIT && !warp.waiting.is_empty() {
        return Err(refuse(machine, warp, pc, "lanes end depending on data while others wait for them"));
    }
    let begin = warp.thread.clock;
    let executed = region.touches || region.exchanges || code.products || !region.cyclic && region.size <= SMALL;
    let mut looped = region.cyclic && !executed;
    if !executed {
        warp.knowledge.forget(&region.written, mask);
        region.stores.iter().for_each(|pc| machine.domain.own_stores.somewhere(code, *pc));
    } else if machine.domain.open.branches.len() >= MOST_OPEN {
        return Err(refuse(machine, warp, pc, "too many branches on data lie in each other"));
    } else {
        let ways = Ways { starts, mask, reconvergence, pc, one };
        looped = both(machine, warp, &ways, &region)?;
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

/// A side comes back to its own branch, whose lanes wait there; `one` says whether all of them go on the same way.
fn come_again(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, one: bool) -> Result<(), Stop> {
    if machine.domain.open.together.contains(&pc) {
        if !one {
            return Err(refuse(machine, warp, pc, "lanes that exchange values may not all come back"));
        }
        machine.domain.reached_again(warp, pc);
    }
    if !machine.domain.open.general.contains(&pc) {
        machine.domain.open.again.insert(pc);
    }
    warp.path.mask = 0;
    Ok(())
}

/// Executes the sides; returns whether the branch is that of a loop.
fn both(machine: &mut Prover, warp: &mut Warp<Known>, ways: &Ways, region: &Region) -> Result<bool, Stop> {
    let Ways { mask, pc, one, .. } = *ways;
    let before = State::of(warp, &region.written);
    let aside = warp.save();
    let behind = machine.domain.behind(warp);
    machine.domain.open.branches.push(pc);
    if one {
        machine.domain.open.together.insert(pc);
    }
    let mut known = execute(machine, warp, ways, region, (&before, &behind), &aside)?;
    let looped = machine.domain.open.again.remove(&pc);
    if looped {
        before.restore(warp, &region.written);
        warp.knowledge.forget(&region.written, mask);
        let mut general = State::of(warp, &region.written);
        if one {
            general.agree_as(&before, &known);
        }
        machine.domain.open.general.insert(pc);
        // an iteration follows one that stands for all
        for turn in 0.. {
            let back = machine.domain.open.back.remove(&pc).or_else(|| behind.clone());
            let end = execute(machine, warp, ways, region, (&general, &back), &aside)?;
            let stable = !general.agree_as(&general.clone(), &end);
            if turn > 0 && stable || !one {
                break;
            }
        }
        machine.domain.open.general.remove(&pc);
        known = general;
    }
    machine.domain.open.branches.pop();
    machine.domain.open.together.remove(&pc);
    machine.domain.open.back.remove(&pc);
    machine.domain.restore(warp, &behind);
    warp.restore(aside);
    before.restore(warp, &region.written);
    if !one {
        // lanes may have left a loop in different iterations
        known.part();
    }
    known.write(warp, &region.written, mask);
    warp.knowledge.learn_carry(0, mask);
    Ok(looped)
}

/// Returns the slot that decides a branch.
fn decides(code: &Code, pc: u32) -> Option<Slot> {
    match &code.ops[pc as usize].micro {
        Micro::Branch { pred, .. } => Some(Slot::Pred(*pred)),
        Micro::Indirect { index, .. } => Some(Slot::Row(*index)),
        _ => None,
    }
}

impl Partial {
    /// Returns what the lanes of the warp are behind.
    fn behind(&self, warp: &Warp<Known>) -> Option<Behind> {
        self.order.as_ref().map(|order| order.behind(warp.thread.index))
    }

    fn restore(&mut self, warp: &Warp<Known>, behind: &Option<Behind>) {
        if let (Some(order), Some(behind)) = (&mut self.order, behind) {
            order.restore(warp.thread.index, behind);
        }
    }

    /// Notes that all lanes came back to the branch of a loop.
    fn reached_again(&mut self, warp: &Warp<Known>, pc: u32) {
        let Some(behind) = self.behind(warp) else { return };
        self.open.back.entry(pc).and_modify(|back| back.meet(&behind)).or_insert(behind);
    }
}

/// Notes the basis for the end of a loop of the branch, to which the lanes came with that knowledge.
fn ends(machine: &mut Prover, warp: &mut Warp<Known>, pc: u32, mask: u32, reconvergence: u32, begin: VectorClock) {
    let code = machine.code;
    let domain = &mut machine.domain;
    let new = || Rc::new(progress(code, pc, reconvergence));
    let progress = Rc::clone(domain.progress.entry(pc).or_insert_with(new));
    let index = warp.thread.index as u32;
    let site = || code.site(index, pc);
    let words = match &*progress {
        Progress::Others(loads) if loads.is_empty() => return domain.open(pc, site, UNCHANGING),
        Progress::Others(loads) => domain.spins.words(code, warp, loads, mask),
        Progress::Own => None,
        Progress::Counter => return,
    };
    domain.assume_once(pc, || Assumption::LoopEnds(site()));
    if let Some(words) = words {
        domain.spins.spin(warp, pc, words, begin);
    }
}

/// Targets of a branch.
struct Ways<'a> {
    starts: &'a [u32],
    mask: u32,
    reconvergence: u32,
    pc: u32,
    /// Whether all lanes go the same way.
    one: bool,
}

/// Executes all sides from one state; returns the values that they agree on.
fn execute(
    machine: &mut Prover,
    warp: &mut Warp<Known>,
    ways: &Ways,
    region: &Region,
    (before, behind): (&State, &Option<Behind>),
    aside: &SavedState,
) -> Result<State, Stop> {
    let mut ends: Option<State> = None;
    let starts: BTreeSet<u32> = ways.starts.iter().copied().collect();
    for start in starts {
        before.restore(warp, &region.written);
        machine.domain.restore(warp, behind);
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

impl State {
    pub(super) fn of(warp: &Warp<Known>, (rows, preds): &Written) -> Self {
        let row = |row: &u32| (warp.regs[*row as usize], warp.knowledge.row(*row));
        let pred = |pred: &u32| (warp.preds[*pred as usize], warp.knowledge.pred(*pred));
        let one = |slot: Slot, noted: u32| if is_one(warp, slot, warp.live) { noted | warp.live } else { noted };
        let (of_rows, of_preds) = &warp.knowledge.one;
        let one_row = |row: &u32| one(Slot::Row(*row), of_rows[*row as usize]);
        let one_pred = |pred: &u32| one(Slot::Pred(*pred), of_preds[*pred as usize]);
        let one = (rows.iter().map(one_row).collect(), preds.iter().map(one_pred).collect());
        Self { rows: rows.iter().map(row).collect(), preds: preds.iter().map(pred).collect(), one }
    }

    fn restore(&self, warp: &mut Warp<Known>, written: &Written) {
        self.write(warp, written, u32::MAX);
    }

    pub(super) fn write(&self, warp: &mut Warp<Known>, (rows, preds): &Written, mask: u32) {
        for (row, (values, known)) in rows.iter().zip(&self.rows) {
            warp.write(*row, values, *known, mask);
        }
        for (pred, (bits, known)) in preds.iter().zip(&self.preds) {
            warp.write_pred(*pred, *bits, *known, mask);
        }
        if warp.live & !mask == 0 {
            let (of_rows, of_preds) = &self.one;
            rows.iter().zip(of_rows).for_each(|(row, one)| warp.knowledge.agree(*row, *one));
            preds.iter().zip(of_preds).for_each(|(pred, one)| warp.knowledge.agree_pred(*pred, *one));
        }
    }

    /// Takes the lanes to agree where they do in both states; returns whether they agree on less than before.
    fn agree_as(&mut self, a: &Self, b: &Self) -> bool {
        let (mut less, pairs) = (false, [(&mut self.one.0, &a.one.0, &b.one.0), (&mut self.one.1, &a.one.1, &b.one.1)]);
        for (own, a, b) in pairs {
            for (own, (a, b)) in own.iter_mut().zip(a.iter().zip(b)) {
                less |= *own & !(a & b) != 0;
                *own = a & b;
            }
        }
        less
    }

    /// Takes nothing of the lanes for equal.
    pub(super) fn part(&mut self) {
        self.one.0.fill(0);
        self.one.1.fill(0);
    }

    /// Returns the knowledge that both states agree on.
    pub(super) fn meet(mut self, other: &Self) -> Self {
        for ((values, known), (others, aware)) in self.rows.iter_mut().zip(&other.rows) {
            let same = (0..32).filter(|lane| values[*lane] == others[*lane]).fold(0, |same, lane| same | 1 << lane);
            *known &= aware & same;
        }
        for ((bits, known), (others, aware)) in self.preds.iter_mut().zip(&other.preds) {
            *known &= aware & !(*bits ^ others);
        }
        self.one.0.iter_mut().zip(&other.one.0).for_each(|(own, other)| *own &= other);
        self.one.1.iter_mut().zip(&other.one.1).for_each(|(own, other)| *own &= other);
        self
    }
}
