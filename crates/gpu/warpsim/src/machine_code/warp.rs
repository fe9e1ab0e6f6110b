//! A warp: registers, predicates, and the paths of its lanes.

use super::code::Code;
use super::exec::Copies;
use super::op::{Kind, NULL, POOL, PREDICATES, ROWS, SIGN, Source, TESTED, TRUE, UNIFORM, Word, ZERO};
use super::tokens::{BOTTOM, Tokens};
use super::undefined::Undefined;
use crate::memory::Local;
use crate::place::Place;
use crate::rows::Row;
use crate::thread::{Member, Thread};
use ptx::inst::Space;
use std::array::from_fn;

/// Lanes that execute together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub pc: u32,
    pub mask: u32,
    /// Topmost token of its stack.
    pub top: u32,
}

/// Reason for which lanes wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The lanes that joined a convergence barrier with them.
    Convergence(u8),
    /// The lanes of a token.
    Token(u32),
    /// The lanes of the mask.
    Lanes(u32),
    /// All lanes that have not ended, at the same instruction.
    Warp,
}

/// Lanes that wait at an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub path: Path,
    pub wait: Wait,
}

pub(super) struct Warp {
    pub thread: Thread,
    pub place: Place,
    /// Lanes that have not ended.
    pub live: u32,
    pub path: Path,
    pub ready: Vec<Path>,
    pub waiting: Vec<Waiting>,
    /// Lanes that joined each convergence barrier together, for each lane.
    pub joined: [Word; 16],
    pub tokens: Tokens,
    regs: Vec<Word>,
    preds: [u32; PREDICATES],
    pub local: Local,
    pub undefined: Undefined,
    /// Number of executions of each instruction.
    pub executed: Vec<u64>,
    pub traffic: Traffic,
    pub copies: Copies,
}

/// Traffic of memory.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    pub shared_wavefronts: u64,
    pub local_bytes: u64,
    pub global_load_bytes: u64,
    pub global_store_bytes: u64,
}

impl Member for Warp {
    fn thread(&self) -> &Thread {
        &self.thread
    }

    fn thread_mut(&mut self) -> &mut Thread {
        &mut self.thread
    }
}

impl Warp {
    pub(super) fn new(index: usize, code: &Code, place: Place) -> Self {
        Self {
            thread: Thread::new(index),
            place,
            live: 0,
            path: Path { pc: 0, mask: 0, top: BOTTOM },
            ready: Vec::new(),
            waiting: Vec::new(),
            joined: [[0; 32]; 16],
            tokens: Tokens::default(),
            regs: vec![[0; 32]; ROWS],
            preds: [0; PREDICATES],
            local: Local::new(code.local_bytes),
            undefined: Undefined::default(),
            executed: vec![0; code.ops.len()],
            traffic: Traffic::default(),
            copies: Copies::default(),
        }
    }

    /// Begins a CTA.
    pub(super) fn start(&mut self, place: Place) {
        self.place = place;
        self.live = place.lanes(self.thread.index % place.warps());
        self.path = Path { pc: 0, mask: self.live, top: BOTTOM };
        self.ready.clear();
        self.waiting.clear();
        self.joined = [[0; 32]; 16];
        self.tokens.clear();
        self.regs.fill([0; 32]);
        self.preds = [0; PREDICATES];
        self.preds[TRUE as usize] = u32::MAX;
        self.local.reset();
        self.undefined.reset();
        self.copies.clear();
    }

    /// Follows undefined values, as [`Undefined::follow`].
    pub(super) fn follow(&mut self, instruction: &sass::Instruction, lanes: (u32, u32)) -> Option<(Space, u64)> {
        let Self { undefined, preds, .. } = self;
        undefined.follow(instruction, lanes, |predicate| preds[usize::from(predicate)])
    }

    /// Returns a row without modifiers.
    pub(super) fn row<'a>(&'a self, code: &'a Code, row: u32) -> &'a Word {
        if row & POOL == 0 { &self.regs[row as usize] } else { &code.pool[(row & !POOL) as usize] }
    }

    /// Returns a source of 32 bits as an integer.
    pub(super) fn integer(&self, code: &Code, source: Source) -> Word {
        let word = self.row(code, source.row);
        match source {
            Source { invert: true, .. } => word.map(|x| !x),
            Source { negate: true, .. } => word.map(u32::wrapping_neg),
            _ => *word,
        }
    }

    /// Returns two registers as 64 bits.
    pub(super) fn pair(&self, code: &Code, row: u32) -> Row {
        let (low, high) = (self.row(code, row), self.row(code, row + 1));
        from_fn(|i| u64::from(low[i]) | u64::from(high[i]) << 32)
    }

    /// Returns a source as the bits of its kind.
    pub(super) fn bits(&self, code: &Code, source: Source, kind: Kind) -> Row {
        let sign = match kind {
            Kind::Integer => return self.integer(code, source).map(u64::from),
            Kind::Long => {
                let pair = self.pair(code, source.row);
                return match source {
                    Source { invert: true, .. } => pair.map(|x| !x),
                    Source { negate: true, .. } => pair.map(u64::wrapping_neg),
                    _ => pair,
                };
            }
            Kind::Single | Kind::Flushed => 1 << 31,
            Kind::Double => 1 << 63,
        };
        let bits =
            if kind == Kind::Double { self.pair(code, source.row) } else { self.row(code, source.row).map(u64::from) };
        let bits = if kind == Kind::Flushed { bits.map(flushed) } else { bits };
        let (keep, flip) = (if source.absolute { !sign } else { u64::MAX }, if source.negate { sign } else { 0 });
        if (keep, flip) == (u64::MAX, 0) { bits } else { bits.map(|x| x & keep ^ flip) }
    }

    /// Writes 32 bits of the lanes of the mask; a uniform register has one value for the warp, that of the first of them.
    pub(super) fn set(&mut self, row: u32, word: &Word, mask: u32) {
        if row == ZERO {
            return;
        }
        let target = &mut self.regs[row as usize];
        if (UNIFORM..TESTED).contains(&row) {
            *target = [word[mask.trailing_zeros() as usize & 31]; 32];
        } else if mask == u32::MAX {
            *target = *word;
        } else {
            for lane in 0..32 {
                if mask >> lane & 1 == 1 {
                    target[lane] = word[lane];
                }
            }
        }
    }

    /// Writes 64 bits to two registers.
    pub(super) fn set_pair(&mut self, row: u32, bits: &Row, mask: u32) {
        if row != ZERO {
            self.set(row, &bits.map(|x| x as u32), mask);
            self.set(row + 1, &bits.map(|x| (x >> 32) as u32), mask);
        }
    }

    /// Returns the lanes for which a predicate holds.
    pub(super) fn holds(&self, (pred, negate): (u8, bool)) -> u32 {
        let bits = self.preds[pred as usize];
        if negate { !bits } else { bits }
    }

    /// Notes in the condition code where a row is 0, and its signs; with `on`, only if the noted row before was 0, too.
    pub(super) fn test(&mut self, row: u32, on: bool, mask: u32) {
        let lanes = |holds: fn(u32) -> bool| {
            (0..32).fold(0, |bits, lane| bits | u32::from(holds(self.regs[row as usize][lane])) << lane)
        };
        let (zeros, signs) = (lanes(|word| word == 0), lanes(|word| word >> 31 == 1));
        let before = if on { self.holds((NULL, false)) } else { u32::MAX };
        self.set_pred(Some(NULL), zeros & before, mask);
        self.set_pred(Some(SIGN), signs, mask);
    }

    pub(super) fn set_pred(&mut self, pred: Option<u8>, bits: u32, mask: u32) {
        if let Some(pred) = pred {
            let target = &mut self.preds[pred as usize];
            *target = *target & !mask | bits & mask;
        }
    }
}

/// Replaces subnormal singles by 0 of their sign.
fn flushed(bits: u64) -> u64 {
    if f32::from_bits(bits as u32).is_subnormal() { bits & 1 << 31 } else { bits }
}
