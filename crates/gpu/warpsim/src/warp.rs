//! A warp: registers, active lanes, and the stack that brings diverged lanes together again.

use super::counts::Counts;
use super::decode::{Call, Code, EXIT};
use super::domain::{ALL, Knowledge};
use super::memory::Local;
use super::place::Place;
use super::rows::Row;
use super::thread::{Member, Thread};

/// Lanes that execute together from `pc` until they reach `reconvergence`, where they wait for the other lanes of their join.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub pc: u32,
    /// Lanes of the path; empty once they have ended, wait, or have reached the join.
    pub mask: u32,
    pub reconvergence: u32,
    join: usize,
}

/// Place where lanes that diverged, or that were called apart, come together again.
struct Join {
    reconvergence: u32,
    /// The lanes that go on once all of them have come.
    mask: u32,
    come: u32,
    /// Join that they belong to then.
    outer: usize,
    frame: Option<Frame>,
}

/// Position of a warp.
pub(super) struct SavedState {
    path: Path,
    pub live: u32,
    ready: Vec<Path>,
    joins: Vec<Join>,
    free: Vec<usize>,
    waiting: Vec<Waiting>,
}

/// The join that is open as long as the kernel runs.
const WHOLE: usize = 0;

/// A call that has not returned.
struct Frame {
    call: Call,
    /// Bytes of local memory in use, with those of the function.
    stack: u64,
    /// Depth of nested calls.
    depth: usize,
    saved: Option<Saved>,
}

/// Contents that a recursion overwrites: rows and predicates of the function, each with the lanes that know it.
pub(super) type Saved = (Vec<(Row, u32)>, Vec<(u32, u32)>);

/// Lanes that wait at an instruction for the lanes that it names.
pub(super) struct Waiting {
    pub pc: u32,
    pub lanes: u32,
    pub named: u32,
    /// Whether all lanes of the warp must execute this very instruction, and none may go round it.
    pub aligned: bool,
    reconvergence: u32,
    join: usize,
}

/// Lanes that asked whether a phase is over, and their knowledge then.
pub(super) struct Asked {
    pub pc: u32,
    pub lanes: u32,
    pub before: Option<Saved>,
}

/// Depth of nested calls after which a recursion is taken for endless.
const MOST_FRAMES: usize = 1 << 10;

pub(super) struct Warp<K> {
    pub thread: Thread,
    pub path: Path,
    /// Paths that can go on, the next one last.
    ready: Vec<Path>,
    joins: Vec<Join>,
    /// Joins that are no longer used.
    free: Vec<usize>,
    /// Lanes that wait for other lanes; none where lanes run in lockstep.
    pub waiting: Vec<Waiting>,
    /// Paths whose lanes wait for a barrier in memory, for a cluster or for registers.
    pub asleep: Vec<Path>,
    /// Lanes that were told that a phase is not over.
    pub asked: Option<Box<Asked>>,
    /// Bytes of local memory of the kernel itself.
    own_bytes: u64,
    /// The condition code, one bit per lane.
    pub carry: u32,
    /// Lanes that have not returned.
    pub live: u32,
    pub regs: Vec<Row>,
    pub preds: Vec<u32>,
    pub knowledge: K,
    pub local: Local,
    pub counts: Counts,
}

impl<K> Member for Warp<K> {
    fn thread(&self) -> &Thread {
        &self.thread
    }

    fn thread_mut(&mut self) -> &mut Thread {
        &mut self.thread
    }
}

impl<K: Knowledge> Warp<K> {
    pub(super) fn new(index: usize, code: &Code) -> Self {
        Self {
            thread: Thread::new(index),
            path: Path { pc: 0, mask: 0, reconvergence: EXIT, join: WHOLE },
            ready: Vec::new(),
            joins: Vec::new(),
            free: Vec::new(),
            waiting: Vec::new(),
            asleep: Vec::new(),
            asked: None,
            own_bytes: code.local_bytes,
            carry: 0,
            live: 0,
            regs: vec![[0; 32]; code.registers],
            preds: vec![0; code.predicates],
            knowledge: K::new(code),
            local: Local::new(code.local_bytes),
            counts: Counts::default(),
        }
    }

    /// Starts the kernel for one CTA.
    pub(super) fn start(&mut self, code: &Code, place: Place) {
        let own = self.thread.index % place.warps();
        self.live = place.lanes(own);
        self.path = Path { pc: 0, mask: self.live, reconvergence: EXIT, join: WHOLE };
        self.ready.clear();
        self.waiting.clear();
        self.asleep.clear();
        self.asked = None;
        self.free.clear();
        self.joins.clear();
        self.joins.push(Join { reconvergence: EXIT, mask: self.live, come: 0, outer: WHOLE, frame: None });
        self.local.reset();
        self.knowledge.start(code);
        for (row, word) in &code.arguments {
            self.regs[*row as usize] = [*word; 32];
        }
        for (special, row) in &code.specials {
            let of = |lane| u64::from(place.special(*special, own, lane as u32, code.shared_bytes));
            self.regs[*row as usize] = std::array::from_fn(of);
        }
    }

    /// Returns the counts of executed instructions, once the warp is done.
    pub(super) fn into_counts(self) -> Counts {
        Counts { barrier_waits: self.thread.waits, ..self.counts }
    }

    /// Writes a register of the lanes of `mask`; those of `known` know the value.
    pub(super) fn write(&mut self, register: u32, row: &Row, known: u32, mask: u32) {
        self.knowledge.learn(register, known, mask);
        let target = &mut self.regs[register as usize];
        if mask == u32::MAX {
            *target = *row;
        } else {
            for lane in 0..32 {
                if mask >> lane & 1 == 1 {
                    target[lane] = row[lane];
                }
            }
        }
    }

    /// Writes a register computed from values that the lanes of `known` know; if no lane does, it is not computed.
    pub(super) fn compute(&mut self, register: u32, known: u32, mask: u32, make: impl FnOnce(&Self) -> Row) {
        if known & mask == 0 {
            self.knowledge.learn(register, 0, mask);
        } else {
            let row = make(self);
            self.write(register, &row, known, mask);
        }
    }

    /// Writes a predicate of the lanes of `mask`; those of `known` know the value.
    pub(super) fn write_pred(&mut self, pred: u32, bits: u32, known: u32, mask: u32) {
        self.knowledge.learn_pred(pred, known, mask);
        let target = &mut self.preds[pred as usize];
        *target = *target & !mask | bits & mask;
    }

    /// Sends all lanes of the path to `target`.
    pub(super) fn jump(&mut self, target: u32) {
        if target == self.path.reconvergence && target != EXIT {
            let Path { mask, join, .. } = self.path;
            self.joins[join].come |= mask;
            self.path.mask = 0;
            self.close(join);
            self.resume();
        } else {
            self.path.pc = target;
        }
    }

    /// Splits the lanes of the path for several targets; they meet again at `reconvergence`.
    pub(super) fn diverge(&mut self, ways: impl Iterator<Item = (u32, u32)>, reconvergence: u32) {
        let Path { mask, join: outer, .. } = self.path;
        let join =
            if reconvergence == self.path.reconvergence { outer } else { self.open(reconvergence, mask, outer, None) };
        for (pc, mask) in ways {
            if pc == reconvergence {
                self.joins[join].come |= mask;
            } else {
                self.ready.push(Path { pc, mask, reconvergence, join });
            }
        }
        self.path.mask = 0;
        self.resume();
    }

    /// Lets the lanes of the mask run by themselves from `pc` to `reconvergence`, where they stop.
    pub(super) fn begin_side(&mut self, pc: u32, mask: u32, reconvergence: u32) {
        self.ready.clear();
        self.free.clear();
        self.joins.clear();
        self.joins.push(Join { reconvergence: EXIT, mask: self.live, come: 0, outer: WHOLE, frame: None });
        self.path = Path { pc, mask, reconvergence, join: WHOLE };
    }

    /// Saves the warp's position, which a side would change.
    pub(super) fn save(&mut self) -> SavedState {
        let Self { path, live, .. } = *self;
        SavedState {
            path,
            live,
            ready: std::mem::take(&mut self.ready),
            joins: std::mem::take(&mut self.joins),
            free: std::mem::take(&mut self.free),
            waiting: std::mem::take(&mut self.waiting),
        }
    }

    pub(super) fn restore(&mut self, aside: SavedState) {
        (self.path, self.live) = (aside.path, aside.live);
        (self.ready, self.joins, self.free) = (aside.ready, aside.joins, aside.free);
        self.waiting = aside.waiting;
    }

    fn open(&mut self, reconvergence: u32, mask: u32, outer: usize, frame: Option<Frame>) -> usize {
        let join = Join { reconvergence, mask, come: 0, outer, frame };
        match self.free.pop() {
            Some(at) => {
                self.joins[at] = join;
                at
            }
            None => {
                self.joins.push(join);
                self.joins.len() - 1
            }
        }
    }

    /// Closes the join if all its lanes have come, or ended; those that have come go on behind it.
    fn close(&mut self, at: usize) {
        let Join { reconvergence, mask, come, outer, .. } = self.joins[at];
        if at == WHOLE || come != mask {
            return;
        }
        self.joins[at] = Join { reconvergence, mask: 0, come: 0, outer, frame: None };
        self.free.push(at);
        if mask != 0 {
            self.ready.push(Path {
                pc: reconvergence,
                mask,
                reconvergence: self.joins[outer].reconvergence,
                join: outer,
            });
        }
    }

    /// Returns the innermost call around a join.
    fn frame(&self, mut join: usize) -> Option<usize> {
        while join != WHOLE && self.joins[join].frame.is_none() {
            join = self.joins[join].outer;
        }
        (join != WHOLE).then_some(join)
    }

    /// Sends the lanes of `mask` to a function, while the others wait; false if too many calls are open.
    pub(super) fn call(&mut self, call: &Call, mask: u32) -> bool {
        let Path { pc, mask: all, join: outer, .. } = self.path;
        let around = self.frame(outer).and_then(|at| self.joins[at].frame.as_ref());
        let (start, depth) = around.map_or((self.own_bytes, 0), |frame| (frame.stack, frame.depth));
        let stack = start + call.local_bytes;
        let recursive = self.is_inside(call.target, outer);
        if depth >= MOST_FRAMES || !self.local.grow(stack) {
            return false;
        }
        let saved = recursive.then(|| {
            let rows = call.rows.clone().map(|row| (self.regs[row as usize], self.knowledge.row(row)));
            let preds = call.preds.clone().map(|pred| (self.preds[pred as usize], self.knowledge.pred(pred)));
            (rows.collect(), preds.collect())
        });
        let moved = self.read_all(call.arguments.iter().map(|(from, _)| *from));
        for ((_, to), (row, known)) in call.arguments.iter().zip(moved) {
            self.write(*to, &row, known, mask);
        }
        for (row, offset) in &call.locals {
            self.write(*row, &[start + offset; 32], ALL, mask);
        }
        let frame = Frame { call: call.clone(), stack, depth: depth + 1, saved };
        let join = self.open(pc, all, outer, Some(frame));
        self.joins[join].come = all & !mask;
        self.path = Path { pc: call.target, mask, reconvergence: EXIT, join };
        true
    }

    /// Whether the function at `target` is being executed around a join.
    fn is_inside(&self, target: u32, mut join: usize) -> bool {
        while let Some(at) = self.frame(join) {
            if self.joins[at].frame.as_ref().is_some_and(|frame| frame.call.target == target) {
                return true;
            }
            join = self.joins[at].outer;
        }
        false
    }

    /// Returns rows, each with the lanes that know it.
    fn read_all(&self, rows: impl Iterator<Item = u32>) -> Vec<(Row, u32)> {
        rows.map(|row| (self.regs[row as usize], self.knowledge.row(row))).collect()
    }

    /// Returns the lanes of the path to the caller, or ends them.
    pub(super) fn ret(&mut self) {
        let Path { mask, mut join, .. } = self.path;
        let Some(caller) = self.frame(join) else { return self.exit() };
        self.take_results(caller, mask);
        self.joins[caller].come |= mask;
        self.path.mask = 0;
        while join != caller {
            self.joins[join].mask &= !mask;
            let outer = self.joins[join].outer;
            self.close(join);
            join = outer;
        }
        self.close(caller);
        self.resume();
    }

    /// Lets lanes return from a call: the contents that a recursion overwrote come back, and the results go to the caller.
    fn take_results(&mut self, caller: usize, mask: u32) {
        let Some(Frame { call, saved, stack, depth }) = self.joins[caller].frame.take() else { return };
        let moved = self.read_all(call.results.iter().map(|(from, _)| *from));
        if let Some((rows, preds)) = &saved {
            for (register, (row, known)) in call.rows.clone().zip(rows) {
                self.write(register, row, *known, mask);
            }
            for (pred, (bits, known)) in call.preds.clone().zip(preds) {
                self.write_pred(pred, *bits, *known, mask);
            }
        }
        for ((_, to), (row, known)) in call.results.iter().zip(moved) {
            self.write(*to, &row, known, mask);
        }
        self.joins[caller].frame = Some(Frame { call, saved, stack, depth });
    }

    /// Ends the lanes of the path.
    pub(super) fn exit(&mut self) {
        self.live &= !self.path.mask;
        self.path.mask = 0;
        for at in (0..self.joins.len()).rev() {
            let open = self.joins[at].mask != 0;
            self.joins[at].mask &= self.live;
            self.joins[at].come &= self.live;
            if open {
                self.close(at);
            }
        }
        self.resume();
    }

    /// Resumes the next path, if there is one.
    fn resume(&mut self) {
        if let Some(path) = self.ready.pop() {
            self.path = path;
        }
    }

    /// Lets the path's lanes `lanes` wait where the path stands now until those come that the instruction at `pc` names.
    pub(super) fn wait(&mut self, pc: u32, lanes: u32, named: u32, aligned: bool) {
        let Path { reconvergence, join, .. } = self.path;
        self.path.mask &= !lanes;
        self.waiting.push(Waiting { pc, lanes, named, aligned, reconvergence, join });
    }

    /// Lets the path wait where it stands for something other than an instruction of other lanes.
    pub(super) fn fall_asleep(&mut self) {
        self.asleep.push(self.path);
        self.path.mask = 0;
        self.resume();
    }

    /// Lets these lanes go on behind the instruction at which they fell asleep.
    pub(super) fn wake_up(&mut self, pc: u32, lanes: u32) {
        if let Some(at) = self.asleep.iter().position(|path| path.pc == pc + 1 && path.mask == lanes) {
            let path = self.asleep.remove(at);
            self.ready.push(path);
        }
    }

    /// Records that these lanes are told that a phase is not over; with `remember` also their knowledge then.
    pub(super) fn ask(&self, pc: u32, lanes: u32, remember: bool) -> Asked {
        let row = |register| (self.regs[register as usize], self.knowledge.row(register));
        let pred = |pred| (self.preds[pred as usize], self.knowledge.pred(pred));
        let rows = || (0..self.regs.len() as u32).map(row).collect();
        let preds = || (0..self.preds.len() as u32).map(pred).collect();
        Asked { pc, lanes, before: remember.then(|| (rows(), preds())) }
    }

    /// Lets these lanes go on behind the instruction at which they waited.
    pub(super) fn go_on(&mut self, waiting: &[Waiting]) {
        for Waiting { pc, lanes, reconvergence, join, .. } in waiting {
            let fits = |path: &&mut Path| path.pc == pc + 1 && path.join == *join;
            match self.ready.iter_mut().find(fits) {
                Some(path) => path.mask |= lanes,
                None => self.ready.push(Path { pc: pc + 1, mask: *lanes, reconvergence: *reconvergence, join: *join }),
            }
        }
    }

    /// Finds a path that goes on after the current one; false if there is none. Lanes wait where they meet by choice, not by
    /// rule: before all lanes are stuck those that do go on, unless others wait for them at an instruction that they went round.
    /// If only the kernel's end follows, they have ended.
    pub(super) fn proceed(&mut self, code: &Code) -> bool {
        if self.path.mask != 0 {
            return true;
        }
        self.resume();
        let aligned = self.waiting.iter().any(|waiting| waiting.aligned);
        let may_go = |join: &Join| join.come != 0 && (!aligned || code.ends(join.reconvergence));
        if self.path.mask == 0
            && self.asleep.is_empty()
            && let Some(at) = (1..self.joins.len()).rev().find(|at| may_go(&self.joins[*at]))
        {
            let Join { reconvergence, come, outer, .. } = self.joins[at];
            self.joins[at].mask &= !come;
            self.joins[at].come = 0;
            self.path =
                Path { pc: reconvergence, mask: come, reconvergence: self.joins[outer].reconvergence, join: outer };
        }
        self.path.mask != 0
    }
}
