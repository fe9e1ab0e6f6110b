//! A warp whose registers may be unknown, lane by lane.

use crate::decode::{Call, Code, GuardBit, Micro, Source};
use crate::rows::Row;
use crate::warp::{Place, Warp};
use ptx::inst::{BarRedOp, BoolOp, VoteMode};

pub(super) struct Thread {
    pub warp: Warp,
    /// One bit per lane: the register's value is known.
    known: Vec<u32>,
    known_preds: Vec<u32>,
    /// Lanes that know the condition code.
    pub known_carry: u32,
}

impl Thread {
    pub(super) fn new(index: usize, code: &Code) -> Self {
        let (known, known_preds) = (vec![0; code.registers], vec![0; code.predicates]);
        Self { warp: Warp::new(index, code), known, known_preds, known_carry: 0 }
    }

    pub(super) fn start(&mut self, code: &Code, place: Place) {
        self.warp.start(code, place);
        self.known_carry = 0;
        self.known.fill(0);
        self.known_preds.fill(0);
        for (_, row) in code.specials.iter().filter(|(special, _)| special.is_fixed()) {
            self.known[*row as usize] = u32::MAX;
        }
        for (row, _) in &code.arguments {
            self.known[*row as usize] = u32::MAX;
        }
    }

    /// Calls a function; false when too many calls are open.
    pub(super) fn call(&mut self, call: &Call, mask: u32) -> bool {
        for (from, to) in &call.arguments {
            let known = self.known[*from as usize];
            self.learn(*to, known, mask);
        }
        call.locals.iter().for_each(|(row, _)| self.learn(*row, u32::MAX, mask));
        self.warp.call(call, mask)
    }

    /// What calls that have returned left behind.
    pub(super) fn take_results(&mut self) {
        for (from, to, mask) in std::mem::take(&mut self.warp.returned) {
            let known = self.known[from as usize];
            self.learn(to, known, mask);
        }
    }

    fn learn(&mut self, row: u32, known: u32, mask: u32) {
        let bits = &mut self.known[row as usize];
        *bits = *bits & !mask | known & mask;
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

    /// The lanes that know the predicate that a comparison is combined with.
    pub(super) fn knows_combination(&self, combine: Option<(BoolOp, GuardBit)>) -> u32 {
        combine.map_or(u32::MAX, |(_, (pred, _))| self.knows_pred(pred))
    }

    /// Writes a row of which the lanes `known` have a value.
    pub(super) fn write(&mut self, register: u32, row: &Row, known: u32, mask: u32) {
        self.warp.write(register, row, mask);
        self.learn(register, known, mask);
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
        | Micro::Each { d, .. }
        | Micro::Carry { d, .. }
        | Micro::Set { d, .. }
        | Micro::Select { d, .. }
        | Micro::Pack { d, .. }
        | Micro::Redux { d, .. }
        | Micro::Activemask { d }
        | Micro::Insert { d, .. }
        | Micro::Vote { mode: VoteMode::Ballot, d, .. }
        | Micro::Bar { result: Some((BarRedOp::Popc, d, _)), .. } => (vec![*d], vec![]),
        Micro::Take { elements, .. } => (elements.iter().map(|(d, ..)| *d).collect(), vec![]),
        Micro::Put { elements, .. } => (elements.iter().map(|(row, ..)| *row).collect(), vec![]),
        Micro::Atomic { d, .. } => (d.iter().copied().collect(), vec![]),
        Micro::Compare { d, other, .. } => (vec![], [*d].into_iter().chain(*other).collect()),
        Micro::Logic { d, .. }
        | Micro::SetPred { d, .. }
        | Micro::IsSpace { d, .. }
        | Micro::Vote { d, .. }
        | Micro::Bar { result: Some((_, d, _)), .. } => (vec![], vec![*d]),
        Micro::Shuffle { d, valid, .. } | Micro::Match { d, valid, .. } => (vec![*d], valid.iter().copied().collect()),
        Micro::Load { d, .. } => (d.to_vec(), vec![]),
        Micro::Matrix { d, .. } => (d.to_vec(), vec![]),
        Micro::Unpack { parts, .. } => (parts.iter().flatten().copied().collect(), vec![]),
        Micro::Unknown { rows, preds } => (rows.clone(), preds.clone()),
        // calls are never passed over
        Micro::Call(_)
        | Micro::Store { .. }
        | Micro::Bar { result: None, .. }
        | Micro::Meet
        | Micro::Nothing
        | Micro::Jump { .. }
        | Micro::Branch { .. }
        | Micro::Indirect { .. }
        | Micro::Ret
        | Micro::Exit => (vec![], vec![]),
    }
}
