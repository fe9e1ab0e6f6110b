//! Names that pass from thread to thread through shared memory: such as a ticket that one thread takes and all of them read.
//!
//! A kernel without races reads the last write before, in any interleaving. So a word has the name that was stored there last.

use super::super::known::Known;
use super::slot::Slot;
use super::slots::{input, knows, name};
use super::terms::{Input, Term};
use crate::decode::{Code, Collective, Manner, MemoryAccess, Micro};
use crate::shared::ADDRESS_MASK;
use crate::warp::Warp;
use ptx::inst::{Op, Operand, ShflMode, Space};
use std::collections::BTreeMap;
use std::ops::Range;

/// Words of shared memory with names.
pub(in super::super) struct Passed {
    /// Size and name of each word, by its address.
    words: BTreeMap<u64, (u64, Term)>,
    is_used: bool,
    /// Words that each lane of the present instruction accesses.
    accessed: Vec<(u32, Range<u64>)>,
    /// Name that a shuffle gives to these lanes.
    shuffled: Option<(Term, u32)>,
}

impl Passed {
    pub(super) fn new(code: &Code, is_used: bool) -> Self {
        let is_used = is_used && code.ranks == 1;
        Self { words: BTreeMap::new(), is_used, accessed: Vec::new(), shuffled: None }
    }

    pub(in super::super) fn forget_all(&mut self) {
        self.words.clear();
    }

    /// Forgets the names of words that something may be written to.
    pub(in super::super) fn forget(&mut self, range: &Range<u64>) {
        if !self.words.is_empty() {
            self.words.retain(|start, (bytes, _)| *start >= range.end || start + *bytes <= range.start);
        }
    }

    /// Begins an instruction of which nothing is known.
    pub(super) fn begin(&mut self) {
        (self.accessed, self.shuffled) = (Vec::new(), None);
    }

    /// Notes the places of an instruction that the lanes of the mask certainly execute.
    pub(super) fn before(&mut self, code: &Code, warp: &Warp<Known>, pc: u32, mask: u32) {
        if !self.is_used {
            return;
        }
        let lanes = || (0..32u32).filter(move |lane| mask >> lane & 1 == 1);
        match &code.ops[pc as usize].micro {
            Micro::MemoryAccess(
                MemoryAccess::Load { space: Space::Shared, bytes, base, offset, .. }
                | MemoryAccess::Store { space: Space::Shared, bytes, base, offset, .. },
            ) if is_whole(code, pc, *bytes) && mask & !warp.knows(*base) == 0 => {
                let row = base.row(&warp.regs, &code.pool);
                let start = |lane: u32| row[lane as usize].wrapping_add(*offset) & ADDRESS_MASK;
                self.accessed = lanes().map(|lane| (lane, start(lane)..start(lane) + u64::from(*bytes))).collect();
            }
            Micro::Collective(Collective::Shuffle { mode: ShflMode::Idx, a, lane, clamp, .. })
                if mask & !warp.know([*lane, *clamp]) == 0 =>
            {
                let [lane, clamp] = [lane, clamp].map(|source| source.row(&warp.regs, &code.pool));
                let from = lane[mask.trailing_zeros() as usize & 31] & 31;
                let same = lanes().all(|at| lane[at as usize] & 31 == from && clamp[at as usize] == 31);
                let term = a.register().and_then(|row| input(warp, Slot::Row(row), 1 << from));
                if let (true, Some(Input::Term(term))) = (same && mask >> from & 1 == 1, term) {
                    self.shuffled = Some((term, mask));
                }
            }
            _ => {}
        }
    }

    /// Names what was loaded, and the words that were stored.
    pub(super) fn after(&mut self, code: &Code, warp: &mut Warp<Known>, pc: u32) {
        let accessed = std::mem::take(&mut self.accessed);
        match &code.ops[pc as usize].micro {
            Micro::MemoryAccess(MemoryAccess::Load { d, .. }) => {
                for (lane, range) in accessed {
                    let word = self.words.get(&range.start).filter(|(bytes, _)| range.start + bytes == range.end);
                    if let Some((_, term)) = word.filter(|_| knows(warp, Slot::Row(d[0])) >> lane & 1 == 0) {
                        name(warp, Slot::Row(d[0]), *term, 1 << lane);
                    }
                }
            }
            Micro::MemoryAccess(MemoryAccess::Store { a, .. }) => {
                let starts: Vec<u64> = accessed.iter().map(|(_, range)| range.start).collect();
                for (lane, Range { start, end }) in accessed {
                    let is_alone = starts.iter().filter(|other| **other == start).count() == 1;
                    let stored = a[0].register().and_then(|row| input(warp, Slot::Row(row), 1 << lane));
                    if let (true, Some(Input::Term(term))) = (is_alone, stored) {
                        self.words.insert(start, (end - start, term));
                    }
                }
            }
            Micro::Collective(Collective::Shuffle { d, .. }) => {
                if let Some((term, mask)) =
                    self.shuffled.take().filter(|(_, mask)| mask & knows(warp, Slot::Row(*d)) == 0)
                {
                    name(warp, Slot::Row(*d), term, mask);
                }
            }
            _ => {}
        }
    }
}

/// Whether the weak access moves one whole register.
fn is_whole(code: &Code, pc: u32, bytes: u32) -> bool {
    let Some((func, data)) = code.instruction(pc) else { return false };
    let reg = match &data.op {
        Op::Ld { dst, .. } if dst.len() == 1 => dst[0],
        Op::St { src, .. } if src.len() == 1 => match src[0] {
            Operand::Reg(reg) => reg,
            _ => return false,
        },
        _ => return false,
    };
    code.conducts[pc as usize].manner == Manner::Weak && func.regs[reg].bytes() == bytes
}
