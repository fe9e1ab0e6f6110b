//! A warp: registers, active lanes, and the stack that brings diverged lanes together again.

use super::counts::Counts;
use super::decode::{Code, EXIT};
use super::memory::Local;
use super::rows::Row;
use super::shared::VectorClock;
use crate::simt::inst::Special;

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

pub(super) struct Warp {
    pub index: usize,
    pub state: State,
    pub path: Path,
    /// Paths that wait for the current one; each resumes where those above it meet.
    pending: Vec<Path>,
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
            live: 0,
            regs: vec![[0; 32]; code.registers],
            preds: vec![0; code.predicates],
            local: Local::new(code.local_bytes),
            clock: [0; 32],
            counts: Counts::default(),
        }
    }

    /// Starts the kernel for CTA `cta` of `ctas`, each of `threads` threads.
    pub(super) fn start(&mut self, code: &Code, cta: u32, ctas: u32, threads: u32) {
        let first = 32 * self.index as u32;
        self.live = u32::MAX >> (32 - (threads - first).min(32));
        self.path = Path { pc: 0, mask: self.live, meet: EXIT };
        self.pending.clear();
        self.state = State::Ready;
        self.local.reset();
        for (special, row) in &code.specials {
            self.regs[*row as usize] = std::array::from_fn(|lane| match special {
                Special::TidX => u64::from(first) + lane as u64,
                Special::NtidX => threads.into(),
                Special::CtaidX => cta.into(),
                Special::NctaidX => ctas.into(),
                Special::NtidY | Special::NtidZ | Special::NctaidY | Special::NctaidZ => 1,
                Special::WarpId => self.index as u64,
                Special::LaneId => lane as u64,
                _ => 0,
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

    /// The lanes of the path return.
    pub(super) fn exit(&mut self) {
        self.live &= !self.path.mask;
        for path in &mut self.pending {
            path.mask &= self.live;
        }
        self.resume();
    }

    fn resume(&mut self) {
        match std::iter::from_fn(|| self.pending.pop()).find(|path| path.mask != 0) {
            Some(path) => self.path = path,
            None => self.state = State::Exited,
        }
    }
}
