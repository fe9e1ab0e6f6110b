//! A warp whose registers may be unknown, lane by lane.

use crate::sim::decode::{Code, Micro, Source};
use crate::sim::rows::Row;
use crate::sim::warp::Warp;

pub(super) struct Thread {
    pub warp: Warp,
    /// One bit per lane: the register's value is known.
    known: Vec<u32>,
    known_preds: Vec<u32>,
}

impl Thread {
    pub(super) fn new(index: usize, code: &Code) -> Self {
        let (known, known_preds) = (vec![0; code.registers], vec![0; code.predicates]);
        Self { warp: Warp::new(index, code), known, known_preds }
    }

    pub(super) fn start(&mut self, code: &Code, cta: u32, ctas: u32, threads: u32) {
        self.warp.start(code, cta, ctas, threads);
        self.known.fill(0);
        self.known_preds.fill(0);
        for (_, row) in &code.specials {
            self.known[*row as usize] = u32::MAX;
        }
    }

    /// The lanes that know the source.
    pub(super) fn knows(&self, source: Source) -> u32 {
        source.register().map_or(u32::MAX, |register| self.known[register])
    }

    pub(super) fn knows_row(&self, register: u32) -> u32 {
        self.known[register as usize]
    }

    pub(super) fn knows_pred(&self, pred: u32) -> u32 {
        self.known_preds[pred as usize]
    }

    /// Writes a row of which the lanes `known` have a value.
    pub(super) fn write(&mut self, register: u32, row: &Row, known: u32, mask: u32) {
        self.warp.write(register, row, mask);
        let bits = &mut self.known[register as usize];
        *bits = *bits & !mask | known & mask;
    }

    pub(super) fn write_pred(&mut self, pred: u32, bits: u32, known: u32, mask: u32) {
        self.warp.write_pred(pred, bits, mask);
        let all = &mut self.known_preds[pred as usize];
        *all = *all & !mask | known & mask;
    }

    /// Takes the values of these lanes.
    pub(super) fn forget(&mut self, (rows, preds): &(Vec<u32>, Vec<u32>), mask: u32) {
        rows.iter().for_each(|row| self.known[*row as usize] &= !mask);
        preds.iter().for_each(|pred| self.known_preds[*pred as usize] &= !mask);
    }
}

/// Rows and predicates that an instruction writes.
pub(super) fn results(micro: &Micro) -> (Vec<u32>, Vec<u32>) {
    match micro {
        Micro::Map1 { d, .. }
        | Micro::Map2 { d, .. }
        | Micro::Map3 { d, .. }
        | Micro::Select { d, .. }
        | Micro::Pack { d, .. }
        | Micro::Insert { d, .. } => (vec![*d], vec![]),
        Micro::Vote { mode: crate::simt::inst::VoteMode::Ballot, d, .. } => (vec![*d], vec![]),
        Micro::Compare { d, .. } | Micro::Logic { d, .. } | Micro::SetPred { d, .. } | Micro::Vote { d, .. } => {
            (vec![], vec![*d])
        }
        Micro::Shuffle { d, valid, .. } => (vec![*d], valid.iter().copied().collect()),
        Micro::Load { d, .. } => (d.to_vec(), vec![]),
        Micro::Unpack { parts, .. } => (parts.iter().flatten().copied().collect(), vec![]),
        Micro::Unknown { rows, preds } => (rows.clone(), preds.clone()),
        Micro::Store { .. }
        | Micro::Bar { .. }
        | Micro::Nothing
        | Micro::Jump { .. }
        | Micro::Branch { .. }
        | Micro::Indirect { .. }
        | Micro::Ret => (vec![], vec![]),
    }
}
