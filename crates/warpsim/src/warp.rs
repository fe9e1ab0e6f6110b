//! A warp: registers, active lanes, and the stack that brings diverged lanes together again.

use super::counts::Counts;
use super::decode::{Call, Code, EXIT};
use super::memory::Local;
use super::rows::Row;
use super::shared::VectorClock;
use ptx::inst::Special;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    Waiting,
    Exited,
}

/// Lanes that execute together from `pc` until they reach `meet`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub pc: u32,
    pub mask: u32,
    pub meet: u32,
}

/// A call that has not returned.
struct Frame {
    /// Pending paths below the call.
    mark: usize,
    mask: u32,
    call: Call,
    /// What a recursion overwrites: rows and predicates of the function.
    saved: Option<(Vec<Row>, Vec<u32>)>,
}

/// Calls in each other after which a recursion is taken for endless.
const MOST_FRAMES: usize = 1 << 10;

/// The place of a CTA in its grid, and its shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub cta: u32,
    pub ctas: [u32; 3],
    pub threads: [u32; 3],
    pub dynamic_shared: u64,
}

impl Place {
    /// Threads of the CTA.
    pub(super) fn size(self) -> u32 {
        self.threads.iter().product()
    }
}

pub(super) struct Warp {
    pub index: usize,
    pub state: State,
    pub path: Path,
    /// Paths that wait for the current one; each resumes where those above it meet.
    pending: Vec<Path>,
    frames: Vec<Frame>,
    /// Results of calls that returned: from row, to row, lanes.
    pub returned: Vec<(u32, u32, u32)>,
    /// Bytes of local memory in use.
    stack: u64,
    /// The condition code, one bit per lane.
    pub carry: u32,
    /// Lanes that have not returned.
    pub live: u32,
    pub regs: Vec<Row>,
    pub preds: Vec<u32>,
    pub local: Local,
    pub clock: VectorClock,
    pub counts: Counts,
}

impl Warp {
    pub(super) fn new(index: usize, code: &Code) -> Self {
        Self {
            index,
            state: State::Exited,
            path: Path { pc: 0, mask: 0, meet: EXIT },
            pending: Vec::new(),
            frames: Vec::new(),
            returned: Vec::new(),
            stack: code.local_bytes,
            carry: 0,
            live: 0,
            regs: vec![[0; 32]; code.registers],
            preds: vec![0; code.predicates],
            local: Local::new(code.local_bytes),
            clock: [0; 32],
            counts: Counts::default(),
        }
    }

    /// Starts the kernel for one CTA.
    pub(super) fn start(&mut self, code: &Code, place: Place) {
        let first = 32 * self.index as u32;
        let Place { cta, ctas, threads, dynamic_shared } = place;
        self.live = u32::MAX >> (32 - (place.size() - first).min(32));
        self.path = Path { pc: 0, mask: self.live, meet: EXIT };
        self.pending.clear();
        self.frames.clear();
        self.stack = code.local_bytes;
        self.state = State::Ready;
        self.local.reset();
        for (row, word) in &code.arguments {
            self.regs[*row as usize] = [*word; 32];
        }
        for (special, row) in &code.specials {
            self.regs[*row as usize] = std::array::from_fn(|lane| {
                let thread = first + lane as u32;
                let lane = lane as u32;
                u64::from(match special {
                    Special::TidX => thread % threads[0],
                    Special::TidY => thread / threads[0] % threads[1],
                    Special::TidZ => thread / threads[0] / threads[1],
                    Special::NtidX => threads[0],
                    Special::NtidY => threads[1],
                    Special::NtidZ => threads[2],
                    Special::CtaidX => cta % ctas[0],
                    Special::CtaidY => cta / ctas[0] % ctas[1],
                    Special::CtaidZ => cta / ctas[0] / ctas[1],
                    Special::NctaidX => ctas[0],
                    Special::NctaidY => ctas[1],
                    Special::NctaidZ => ctas[2],
                    Special::WarpId => self.index as u32,
                    Special::NwarpId => place.size().div_ceil(32),
                    Special::LaneId => lane,
                    Special::LanemaskEq => 1 << lane,
                    Special::LanemaskLt => (1 << lane) - 1,
                    Special::LanemaskLe => u32::MAX >> (31 - lane),
                    Special::LanemaskGt => !(u32::MAX >> (31 - lane)),
                    Special::LanemaskGe => u32::MAX << lane,
                    Special::TotalSmemSize => code.shared_bytes as u32,
                    Special::DynamicSmemSize => dynamic_shared as u32,
                    // one multiprocessor, whose clock stands still
                    Special::NsmId => 1,
                    Special::SmId | Special::GridId | Special::Clock | Special::ClockHi => 0,
                    Special::Clock64 | Special::GlobalTimer => 0,
                })
            });
        }
    }

    /// Writes a register of the active lanes.
    pub(super) fn write(&mut self, register: u32, row: &Row, mask: u32) {
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

    /// Writes a predicate of the active lanes.
    pub(super) fn write_pred(&mut self, pred: u32, bits: u32, mask: u32) {
        let target = &mut self.preds[pred as usize];
        *target = *target & !mask | bits & mask;
    }

    /// All lanes of the path go to `target`.
    pub(super) fn jump(&mut self, target: u32) {
        if target == self.path.meet && target != EXIT {
            self.resume();
        } else {
            self.path.pc = target;
        }
    }

    /// The lanes of the path part for several targets and meet again at `meet`.
    pub(super) fn diverge(&mut self, ways: impl Iterator<Item = (u32, u32)>, meet: u32) {
        if meet != self.path.meet {
            self.pending.push(Path { pc: meet, ..self.path });
        }
        for (pc, mask) in ways.filter(|(pc, _)| *pc != meet) {
            self.pending.push(Path { pc, mask, meet });
        }
        self.resume();
    }

    /// The lanes of `mask` go to a function, the others wait; false when too many calls are open.
    pub(super) fn call(&mut self, call: &Call, mask: u32) -> bool {
        if self.frames.len() >= MOST_FRAMES || !self.local.grow(self.stack + call.local_bytes) {
            return false;
        }
        self.pending.push(self.path);
        let recursive = self.frames.iter().any(|frame| frame.call.target == call.target);
        let saved = recursive.then(|| {
            let (rows, preds) = (call.rows.clone(), call.preds.clone());
            let rows = self.regs[rows.start as usize..rows.end as usize].to_vec();
            (rows, self.preds[preds.start as usize..preds.end as usize].to_vec())
        });
        let moved: Vec<Row> = call.arguments.iter().map(|(from, _)| self.regs[*from as usize]).collect();
        for ((_, to), row) in call.arguments.iter().zip(moved) {
            self.write(*to, &row, mask);
        }
        for (row, start) in &call.locals {
            self.write(*row, &[self.stack + start; 32], mask);
        }
        self.stack += call.local_bytes;
        self.frames.push(Frame { mark: self.pending.len(), mask, call: call.clone(), saved });
        self.path = Path { pc: call.target, mask, meet: EXIT };
        true
    }

    /// Whether the function is being executed.
    pub(super) fn is_inside(&self, call: &Call) -> bool {
        self.frames.iter().any(|frame| frame.call.target == call.target)
    }

    /// The lanes of the path return to the caller, or end.
    pub(super) fn ret(&mut self) {
        let Some(frame) = self.frames.last() else { return self.exit() };
        for path in &mut self.pending[frame.mark..] {
            path.mask &= !self.path.mask;
        }
        self.resume();
    }

    /// The lanes of the path end.
    pub(super) fn exit(&mut self) {
        self.live &= !self.path.mask;
        for path in &mut self.pending {
            path.mask &= self.live;
        }
        self.resume();
    }

    fn resume(&mut self) {
        loop {
            if self.frames.last().is_some_and(|frame| frame.mark == self.pending.len()) {
                self.leave();
            }
            match self.pending.pop() {
                Some(path) if path.mask != 0 => return self.path = path,
                Some(_) => {}
                None => return self.state = State::Exited,
            }
        }
    }

    /// The function is done in all its lanes.
    fn leave(&mut self) {
        let Some(Frame { mask, call, saved, .. }) = self.frames.pop() else { return };
        let moved: Vec<Row> = call.results.iter().map(|(from, _)| self.regs[*from as usize]).collect();
        if let Some((rows, preds)) = saved {
            self.regs[call.rows.start as usize..call.rows.end as usize].copy_from_slice(&rows);
            self.preds[call.preds.start as usize..call.preds.end as usize].copy_from_slice(&preds);
        }
        for ((from, to), row) in call.results.iter().zip(moved) {
            self.write(*to, &row, mask);
            self.returned.push((*from, *to, mask));
        }
        self.stack -= call.local_bytes;
    }
}
