//! Unknown values that all threads of a CTA compute alike: such as a number of iterations that all load from one place. A branch
//! on one leads all threads the same way, so that barriers may lie behind it.
//!
//! Such a value has a name, which tells the instruction and the names of its operands ([`terms`]). The kernel is executed for each way that
//! a branch on a name may take ([`super::worlds`]). A loop is executed for no, for one and for more iterations: behind the second branch
//! everything that the loop may write is unknown, which stands for every later iteration, and then two iterations follow each other. That
//! covers all cases if a barrier of all threads lies in every iteration, since it orders all others.
//!
//! Values that all threads agree on before an iteration of such a loop must agree behind it, under equal names. Values that turn
//! out to differ are left out when the kernel is executed again.
//!
//! Loads from one place give one value: in shared memory because nothing races, in global memory by assumption.

mod cycle;
mod inputs;
mod passed;
mod slot;
mod slots;
mod terms;

pub(super) use passed::Passed;
pub(super) use terms::{Named, Term};

use super::known::{Known, results};
use super::worlds::{self, World};
use crate::decode::{Code, Collective, EXIT, MemoryAccess, Micro};
use crate::domain::Knowledge;
use crate::lanes::holds;
use crate::warp::Warp;
use cycle::{Course, Cycle, course, is_full, reached};
pub(super) use inputs::operands;
use ptx::inst::{BarKind, Op, Order, Space};
pub(super) use slot::Slot;
pub(super) use slots::knows;
use slots::{agreed, input, name};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use terms::{Input, Origin, Terms, What};

/// Values that threads do not agree on behind an iteration: the branch of the loop, and the slot of the value.
pub(super) type Apart = BTreeSet<(u32, Slot)>;

/// One execution.
pub(super) struct Common {
    pub(super) world: World,
    pub(super) apart: Apart,
    /// Loads from global memory that a choice rests on.
    pub(super) loads: BTreeSet<u32>,
    /// Branches of loops that are executed for all iterations.
    pub(super) general: BTreeSet<u32>,
    terms: Terms,
    chosen: HashMap<Term, bool>,
    courses: HashMap<u32, Rc<Course>>,
    warps: Vec<Progress>,
    /// Inputs of the first warp in the slots of a loop, by branch, entry and stage.
    agreed: HashMap<(u32, u32, u32), Vec<Option<Input>>>,
    pending: Option<Pending>,
    /// Reductions and votes that lie in loops, whose results are not chosen.
    pub(super) repeats: BTreeSet<u32>,
    /// Whether loads from shared memory give the same as every other thread gets at the same time.
    stable: bool,
    /// Whether iterations of loops are executed one after the other, up to [`MOST_ROUNDS`], and not as one for all.
    pub(super) bounded: bool,
    /// Branches of loops that ended only because of that limit.
    pub(super) cut: BTreeSet<u32>,
    pub(super) passed: Passed,
}

/// Progress of a warp.
#[derive(Default)]
struct Progress {
    /// Number of executions of each load.
    times: HashMap<u32, u32>,
    /// Number of times that it has begun the loop of each branch.
    entries: HashMap<u32, u32>,
    /// Number of barriers of all threads.
    barriers: u32,
    /// The reduction of all threads that the warp comes from, and its time.
    reduction: Option<(u32, [u32; 2])>,
    turns: Vec<Turn>,
    /// Number of executions of the branch of each loop that is executed iteration by iteration.
    rounds: HashMap<u32, u32>,
}

/// A loop that the warp is in.
struct Turn {
    pc: u32,
    entry: u32,
    /// Number of executions of its branch, and the barriers before the last one.
    evaluations: u32,
    barriers: u32,
    course: Rc<Course>,
}

/// Results of the instruction that is being executed.
struct Pending {
    mask: u32,
    pc: u32,
    /// Origin, if all lanes agree on its operands.
    origin: Option<(Origin, Option<u32>)>,
}

impl Common {
    pub(super) fn new(code: &Code, world: World, apart: Apart, bounded: bool) -> Self {
        let whole = |pc: &u32| !matches!(code.ops[*pc as usize].micro, Micro::Bar { .. }) || is_full(code, *pc);
        let stable = !code.copies && (0..code.ops.len() as u32).all(|pc| whole(&pc));
        Self {
            world,
            apart,
            loads: BTreeSet::new(),
            general: BTreeSet::new(),
            terms: Terms::new(code),
            chosen: HashMap::new(),
            courses: HashMap::new(),
            warps: Vec::new(),
            agreed: HashMap::new(),
            pending: None,
            repeats: repeats(code),
            stable,
            bounded,
            cut: BTreeSet::new(),
            passed: Passed::new(code, bounded),
        }
    }

    /// Begins a CTA.
    pub(super) fn begin(&mut self, code: &Code) {
        self.terms = Terms::new(code);
        self.chosen.clear();
        self.agreed.clear();
        self.warps = (0..code.warps()).map(|_| Progress::default()).collect();
    }

    /// Prepares an instruction that all lanes of the path certainly reach.
    pub(super) fn before(&mut self, code: &Code, warp: &mut Warp<Known>, pc: u32, active: u32) {
        self.pending = None;
        self.passed.begin();
        self.name_reduction(code, warp);
        let progress = &mut self.warps[warp.thread.index];
        progress.turns.retain(|turn| matches!(&*turn.course, Course::Loop(cycle) if cycle.contains(pc)));
        let op = &code.ops[pc as usize];
        let mask = match op.guard {
            None => active,
            Some((pred, _)) if active & !warp.knowledge.pred(pred) != 0 => return,
            Some(guard) => active & holds(&warp.preds, guard),
        };
        if mask == 0 {
            return;
        }
        if matches!(&op.micro, Micro::Bar { kind, .. } if *kind != BarKind::Arrive) {
            let whole = mask == warp.live && is_full(code, pc);
            progress.barriers += u32::from(whole);
            if let (true, Micro::Bar { result: Some(_), .. }) = (whole, &op.micro) {
                let times = progress.times.entry(pc).or_default();
                *times += 1;
                progress.reduction = Some((pc, [*times, progress.barriers]));
            }
        }
        self.passed.before(code, warp, pc, mask);
        let (mut what, mut time, mut load) = (What::At(pc), [0; 2], None);
        match &op.micro {
            // the kernel does not change what it loads there, or the proof does not use it
            Micro::MemoryAccess(MemoryAccess::Load { space: Space::Global, .. }) if is_weak(code, pc) => {
                (what, load) = (self.terms.like(code, pc), Some(pc));
            }
            Micro::MemoryAccess(MemoryAccess::Load { space: Space::Const, .. }) => what = self.terms.like(code, pc),
            Micro::MemoryAccess(access) => {
                let times = progress.times.entry(pc).or_default();
                *times += 1;
                time = [*times, progress.barriers];
                let is_shared = matches!(access, MemoryAccess::Load { space: Space::Shared, .. });
                if !(is_shared && self.stable && is_weak(code, pc)) {
                    let lane = u64::from(warp.thread.index as u32 * 32 + mask.trailing_zeros());
                    // the value that one thread gets is one, whatever it is
                    let own = Origin { what, result: 0, time, inputs: vec![Input::Value(lane)] };
                    let alone = self.bounded && mask.is_power_of_two();
                    self.pending = alone.then_some(Pending { mask, pc, origin: Some((own, None)) });
                    return;
                }
            }
            _ => what = self.terms.like(code, pc),
        }
        let operands = operands(&op.micro);
        let of_lanes = |mask: u32| Some((agreed(code, warp, operands.as_ref()?, mask)?, mask));
        // a shuffle may take the value of the first lane alone
        let first = || self.bounded.then(|| of_lanes(1 << mask.trailing_zeros())).flatten();
        let Some((inputs, mask)) = of_lanes(mask).or_else(first) else { return };
        let origin = Some((Origin { what, result: 0, time, inputs }, load));
        self.pending = Some(Pending { mask, pc, origin });
    }

    /// Names the result of the reduction that the warp comes from: all threads of its CTA have it.
    fn name_reduction(&mut self, code: &Code, warp: &mut Warp<Known>) {
        let Some((pc, time)) = self.warps[warp.thread.index].reduction.take() else { return };
        let (rows, preds) = results(&code.ops[pc as usize].micro);
        for slot in rows.into_iter().map(Slot::Row).chain(preds.into_iter().map(Slot::Pred)) {
            if warp.live & knows(warp, slot) == 0 {
                let cta = Input::Value(code.rank(warp.thread.index) as u64);
                let origin = Origin { what: What::At(pc), result: 0, time, inputs: vec![cta] };
                let term = self.terms.name(origin, None);
                name(warp, slot, term, warp.live);
            }
        }
    }

    /// Names the results behind it.
    pub(super) fn after(&mut self, code: &Code, warp: &mut Warp<Known>, pc: u32) {
        self.passed.after(code, warp, pc);
        let Some(Pending { mask, origin, .. }) = self.pending.take().filter(|pending| pending.pc == pc) else {
            return;
        };
        let Some((origin, load)) = origin else { return };
        let (rows, preds) = results(&code.ops[pc as usize].micro);
        let slots = rows.into_iter().map(Slot::Row).chain(preds.into_iter().map(Slot::Pred));
        for (result, slot) in slots.enumerate() {
            if mask & knows(warp, slot) == 0 && input(warp, slot, mask).is_none() {
                let origin = Origin { result: result as u32, inputs: origin.inputs.clone(), ..origin };
                let term = self.terms.name(origin, load);
                name(warp, slot, term, mask);
            }
        }
    }

    /// As [`way`](Self::way), for lanes of the warp that are all of their path, in an execution of loops iteration by iteration.
    pub(super) fn bounded_way(
        &mut self,
        code: &Code,
        tables: bool,
        warp: &Warp<Known>,
        pc: u32,
        mask: u32,
    ) -> Option<u32> {
        let Micro::Branch { pred, negate, then, otherwise, .. } = &code.ops[pc as usize].micro else { return None };
        let Input::Term(term) = input(warp, Slot::Pred(*pred), mask)? else { return None };
        let new = || Rc::new(course(code, tables, pc));
        let course = Rc::clone(self.courses.entry(pc).or_insert_with(new));
        let target = |value: bool| if value != *negate { *then } else { *otherwise };
        if let Course::Loop(Cycle { leave, .. }) | Course::Rounds { leave } = &*course {
            let rounds = self.warps[warp.thread.index].rounds.entry(pc).or_default();
            *rounds += 1;
            if *rounds > MOST_ROUNDS && !self.chosen.contains_key(&term) {
                self.chosen.insert(term, target(true) == *leave);
                self.cut.insert(pc);
            }
        }
        self.choose(term, true).map(target)
    }

    /// Returns the target of all lanes of the warp at a branch on a value that all threads agree on. `matters`: something that
    /// synchronises lies behind it.
    pub(super) fn way(
        &mut self,
        code: &Code,
        tables: bool,
        warp: &mut Warp<Known>,
        pc: u32,
        matters: bool,
    ) -> Option<u32> {
        let Micro::Branch { pred, negate, then, otherwise, .. } = &code.ops[pc as usize].micro else { return None };
        let Input::Term(term) = input(warp, Slot::Pred(*pred), warp.live)? else { return None };
        let new = || Rc::new(course(code, tables, pc));
        let course = Rc::clone(self.courses.entry(pc).or_insert_with(new));
        let target = |value: bool| if value != *negate { *then } else { *otherwise };
        match &*course {
            Course::Other | Course::Rounds { .. } => None,
            Course::Straight => self.choose(term, matters).map(target),
            Course::Loop(cycle) if matters => {
                let turn = self.turn(warp.thread.index, pc, &course);
                let Progress { barriers, turns, .. } = &mut self.warps[warp.thread.index];
                let (barriers, turn) = (*barriers, &mut turns[turn]);
                let (evaluations, entry) = (turn.evaluations, turn.entry);
                if evaluations >= GENERAL && cycle.touches && turn.barriers == barriers {
                    return None;
                }
                (turn.evaluations, turn.barriers) = (evaluations + 1, barriers);
                if evaluations == GENERAL && !self.agree(warp, pc, [entry, 1], cycle) {
                    return None;
                }
                if evaluations > GENERAL {
                    return Some(cycle.leave);
                }
                let to = self.choose(term, true).map(target)?;
                if evaluations + 1 == GENERAL && to == cycle.stay {
                    self.generalise(warp, pc, entry, cycle)?;
                }
                Some(to)
            }
            Course::Loop(_) => None,
        }
    }

    /// Chooses the value of a truth term, the same for all who ask.
    fn choose(&mut self, term: Term, needed: bool) -> Option<bool> {
        let value = match self.chosen.get(&term) {
            Some(value) => *value,
            None if needed => self.world.choose(if self.bounded { MOST_BOUNDED } else { worlds::MOST })?,
            None => return None,
        };
        self.chosen.insert(term, value);
        self.loads.extend(self.terms.loads(term));
        Some(value)
    }

    /// Returns the place of the loop among those that the warp is in.
    fn turn(&mut self, warp: usize, pc: u32, course: &Rc<Course>) -> usize {
        let Progress { entries, turns, barriers, .. } = &mut self.warps[warp];
        turns.iter().position(|turn| turn.pc == pc).unwrap_or_else(|| {
            let entry = entries.entry(pc).or_default();
            *entry += 1;
            let course = Rc::clone(course);
            turns.push(Turn { pc, entry: *entry, evaluations: 0, barriers: *barriers, course });
            turns.len() - 1
        })
    }

    /// Generalises the loop: from here on the warp is in any iteration.
    fn generalise(&mut self, warp: &mut Warp<Known>, pc: u32, entry: u32, cycle: &Cycle) -> Option<()> {
        if !self.agree(warp, pc, [entry, 0], cycle) {
            return None;
        }
        self.general.insert(pc);
        warp.knowledge.forget(&cycle.written, warp.live);
        let before = &self.agreed[&(pc, entry, 0)];
        for (result, (slot, input)) in slots(cycle).zip(before).enumerate() {
            if input.is_some() && !self.apart.contains(&(pc, slot)) {
                let (what, time) = (What::At(pc), [entry, 0]);
                let origin = Origin { what, result: result as u32, time, inputs: Vec::new() };
                name(warp, slot, self.terms.name(origin, None), warp.live);
            }
        }
        Some(())
    }

    /// Whether the warp holds in all slots of the loop the inputs of the first warp; slots that differ are noted.
    fn agree(&mut self, warp: &Warp<Known>, pc: u32, [entry, stage]: [u32; 2], cycle: &Cycle) -> bool {
        let now: Vec<Option<Input>> = slots(cycle).map(|slot| input(warp, slot, warp.live)).collect();
        let first = self.agreed.entry((pc, entry, stage)).or_insert_with(|| now.clone()).clone();
        let base = self.agreed.get(&(pc, entry, 0));
        let mut agree = true;
        for (at, slot) in slots(cycle).enumerate() {
            let claimed = base.is_some_and(|base| base[at].is_some()) && !self.apart.contains(&(pc, slot));
            if let (true, Some(Input::Term(term))) = (claimed, &now[at]) {
                // equality in other warps rests on the loads that it came from
                self.loads.extend(self.terms.loads(*term));
            }
            if claimed && (now[at].is_none() || now[at] != first[at]) {
                self.apart.insert((pc, slot));
                agree = false;
            }
        }
        agree
    }
}

/// Evaluations of a loop's branch of which the last stands for all later ones.
const GENERAL: u32 = 2;

/// Iterations of a loop that are executed one after the other: a ring of up to seven stages has come back to its first state after them.
pub(super) const MOST_ROUNDS: u32 = 16;

/// Choices of an execution of loops iteration by iteration.
const MOST_BOUNDED: usize = 64;

fn slots(cycle: &Cycle) -> impl Iterator<Item = Slot> {
    let (rows, preds) = &cycle.written;
    rows.iter().map(|row| Slot::Row(*row)).chain(preds.iter().map(|pred| Slot::Pred(*pred)))
}

/// Returns the reductions and votes that come back to themselves.
fn repeats(code: &Code) -> BTreeSet<u32> {
    let reduces = |pc: &u32| {
        let micro = &code.ops[*pc as usize].micro;
        matches!(micro, Micro::Bar { result: Some(_), .. } | Micro::Collective(Collective::Vote { .. }))
    };
    let comes_back = |pc: &u32| reached(code, *pc + 1, EXIT).contains(pc);
    (0..code.ops.len() as u32).filter(reduces).filter(comes_back).collect()
}

/// Whether threads do not communicate by the load.
fn is_weak(code: &Code, pc: u32) -> bool {
    let instruction = code.instruction(pc);
    instruction.is_some_and(
        |(_, data)| matches!(&data.op, Op::Ld { access, .. } if matches!(access.order, Order::None | Order::Weak)),
    )
}
