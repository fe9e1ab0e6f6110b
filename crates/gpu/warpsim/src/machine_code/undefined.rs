//! Undefined values, which nobody wrote, in the registers of a warp. ptxas may fill registers from the stack before
//! anything was spilled there, if no later instruction needs the value, and may spill it again. It also loads four
//! words of shared memory where three are needed. That is right as long as nothing depends on it.
//!
//! ptxas also keeps predicates as single bits of a word that was never written as a whole. So bits that logic with immediates has
//! set or cleared since are known, and a test of such bits alone depends on nothing undefined.

mod bits;

use super::registers::{Registers, Span, span};
use ptx::inst::Space;
use sass::{Class, File, Instruction, Operand, Part};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Undefined {
    /// Lanes whose value nobody wrote, for each register, and each predicate behind them; empty until there is one.
    lanes: Vec<u32>,
    /// Bits that have been written since, for each register and each of these lanes.
    known: Vec<[u32; 32]>,
    /// Such bits of words of local memory that were stored, by address.
    spilled: BTreeMap<u64, [u32; 32]>,
    /// Number of registers and predicates with such lanes.
    count: usize,
    /// Origin of the last one.
    origin: Option<(Space, u64)>,
}

const PREDICATES: usize = 256;
const ALL: usize = PREDICATES + 8;

impl Undefined {
    pub(super) fn reset(&mut self) {
        self.lanes.fill(0);
        self.spilled.clear();
        self.count = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the undefined lanes of a register.
    pub(super) fn lanes(&self, register: u32) -> u32 {
        self.lanes.get(register as usize).copied().unwrap_or(0)
    }

    /// Notes that a register was filled from an address that these lanes have not written. `word` is the address of the register
    /// in local memory, if all lanes have the same.
    pub(super) fn fill(&mut self, register: u32, lanes: u32, origin: (Space, u64), word: Option<u64>) {
        self.lanes.resize(ALL, 0);
        self.known.resize(ALL, [0; 32]);
        self.origin = Some(origin);
        // the last stands for no register
        if register < 255 {
            let known = word.and_then(|word| self.spilled.get(&word)).copied().unwrap_or_default();
            self.set(register as usize, lanes, lanes, &known);
        }
    }

    /// Notes that the lanes of the mask store a register in a word of local memory; `whole`: all of its bits.
    pub(super) fn spill(&mut self, register: u32, word: u64, mask: u32, whole: bool) {
        let known = self.known.get(register as usize).filter(|_| whole).copied().unwrap_or_default();
        if known != [0; 32] || self.spilled.contains_key(&word) {
            let kept = self.spilled.entry(word).or_default();
            each(mask).for_each(|lane| kept[lane] = known[lane]);
        }
    }

    /// Follows an instruction that the lanes of the mask are about to execute. Returns the origin of an undefined value if
    /// something observable depends on it: an address, another memory, the path of a lane, or an operation that is not followed.
    /// `holds`: the lanes in which a predicate of this number holds.
    pub(super) fn follow(
        &mut self,
        instruction: &Instruction,
        (active, mask): (u32, u32),
        holds: impl Fn(u8) -> u32,
    ) -> Option<(Space, u64)> {
        let found = Registers::from_instruction(instruction);
        if let Some(Operand::Predicate { number: Some(number), .. }) = &instruction.guard
            && self.lanes[PREDICATES + usize::from(*number & 7)] & active != 0
        {
            return self.origin;
        }
        let predicates = (0..8).filter(|at| found.predicates_read >> at & 1 == 1);
        let by_predicates = predicates.fold(0, |lanes, at| lanes | self.lanes[PREDICATES + at]);
        let by_registers = match self.selected(instruction, holds) {
            Some(lanes) => lanes,
            None => found.reads.iter().flatten().fold(0, |lanes, read| lanes | self.any(*read)),
        };
        let (by_registers, mut known) = self.result(instruction, mask & by_registers);
        let sources = mask & by_predicates | by_registers;
        each(by_predicates).for_each(|lane| known[lane] = 0);
        let is_followed = found.writes.is_some() || found.predicates_written != 0;
        let used = match instruction.class() {
            Class::Local => mask & self.addresses(instruction),
            Class::Arithmetic | Class::Addresses | Class::Moves | Class::Predicates | Class::Shuffles
                if is_followed =>
            {
                0
            }
            _ => sources,
        };
        let values = match instruction.class() {
            Class::Shuffles if sources != 0 => mask,
            Class::Local => 0,
            _ => sources,
        };
        if let Some((first, count)) = found.writes {
            for register in (usize::from(first)..255).take(usize::from(count)) {
                self.set(register, mask, values, &known);
            }
        }
        for at in (0..7).filter(|at| found.predicates_written >> at & 1 == 1) {
            self.set(PREDICATES + at, mask, values, &[0; 32]);
        }
        self.origin.filter(|_| used != 0)
    }

    /// Returns the lanes of a selection whose chosen source, one of two, is undefined.
    fn selected(&self, instruction: &Instruction, holds: impl Fn(u8) -> u32) -> Option<u32> {
        let [Operand::Register(_), a, b, Operand::Predicate { file: File::General, number, negate }] =
            &instruction.operands[..]
        else {
            return None;
        };
        if !matches!(instruction.operation(), "SEL" | "FSEL") {
            return None;
        }
        let undefined = |operand: &Operand| match operand {
            Operand::Register(register) => span(register, 1).map_or(0, |read| self.any(read)),
            _ => 0,
        };
        let first = number.map_or(u32::MAX, holds) ^ if *negate { u32::MAX } else { 0 };
        Some(undefined(a) & first | undefined(b) & !first)
    }

    /// Returns the lanes, among those with undefined sources, whose result is undefined, and the bits of it that are known nevertheless.
    fn result(&self, instruction: &Instruction, lanes: u32) -> (u32, [u32; 32]) {
        let (mut undefined, mut known) = (lanes, [0; 32]);
        for lane in each(lanes) {
            let Some(open) = bits::of_result(instruction, |register| self.bits(register, lane)) else { break };
            known[lane] = !open;
            if open == 0 {
                undefined &= !(1 << lane);
            }
        }
        (undefined, known)
    }

    /// Marks only these lanes of the mask as undefined, but for the known bits.
    fn set(&mut self, at: usize, mask: u32, undefined: u32, known: &[u32; 32]) {
        let old = self.lanes[at];
        let new = old & !mask | undefined & mask;
        each(undefined & mask).for_each(|lane| self.known[at][lane] = known[lane]);
        self.lanes[at] = new;
        self.count = self.count + usize::from(new != 0) - usize::from(old != 0);
    }

    /// Returns the undefined bits of a register in a lane.
    fn bits(&self, register: u8, lane: usize) -> u32 {
        let at = usize::from(register);
        if self.lanes[at] >> lane & 1 == 0 { 0 } else { !self.known[at][lane] }
    }

    fn any(&self, (first, count): Span) -> u32 {
        (usize::from(first)..255).take(usize::from(count)).fold(0, |lanes, at| lanes | self.lanes[at])
    }

    fn addresses(&self, instruction: &Instruction) -> u32 {
        let terms = instruction.operands.iter().filter_map(|operand| match operand {
            Operand::Memory { terms, .. } => Some(terms),
            _ => None,
        });
        let spans = terms.flatten().filter_map(|term| span(term, if term.part == Part::Wide { 2 } else { 1 }));
        spans.fold(0, |lanes, read| lanes | self.any(read))
    }
}

/// Returns the lanes of a mask.
fn each(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine_code::registers::instruction;

    /// Runs the instructions after lanes 0 to 7 of R18 were filled from address 1304; those with a guard run in lanes 0 to 3.
    /// Returns which of them depends on that, and whether anything undefined is left.
    fn after(texts: &[&str]) -> (Option<usize>, bool) {
        let mut undefined = Undefined::default();
        undefined.fill(18, 0xff, (Space::Local, 1304), None);
        let used = texts.iter().position(|text| {
            let instruction = instruction(text);
            let mask = if instruction.guard.is_some() { 0xf } else { u32::MAX };
            undefined.follow(&instruction, (u32::MAX, mask), |_| 0xf).is_some()
        });
        (used, !undefined.is_empty())
    }

    #[test]
    fn values_may_be_moved_and_spilled_again() {
        assert_eq!(after(&["STL [R1+0x518], R18"]), (None, true));
        assert_eq!(after(&["MOV R4, R18", "IADD3 R5, R4, 0x1, RZ", "STL.64 [R1+0x20], R4"]), (None, true));
    }

    #[test]
    fn what_is_written_is_defined() {
        assert_eq!(after(&["MOV R18, RZ", "STG.E [R2], R18"]), (None, false));
        assert_eq!(after(&["DADD R18, R2, R4", "STS.64 [R8], R18"]), (None, false));
    }

    #[test]
    fn nothing_seen_from_outside_may_depend_on_them() {
        assert_eq!(after(&["STG.E [R2], R18"]).0, Some(0));
        assert_eq!(after(&["DADD R4, R2, R18", "STS.64 [R8], R4"]).0, Some(1));
        assert_eq!(after(&["ISETP.GE.AND P1, PT, R18, R3, PT", "@P1 BRA 0x40"]).0, Some(1));
        assert_eq!(after(&["ISETP.GE.AND P1, PT, R18, R3, PT", "@P1 MOV R3, RZ"]).0, Some(1));
        assert_eq!(after(&["LDG.E R4, [R18]"]).0, Some(0));
        assert_eq!(after(&["STL [R18], R3"]).0, Some(0));
        assert_eq!(after(&["R2UR UR4, R18"]).0, Some(0));
    }

    #[test]
    fn bits_of_a_word_that_was_never_written_may_be_set_and_tested() {
        let set = ["LOP3.LUT R18, R18, 0xffffffef, RZ, 0xc0, !PT", "@P0 LOP3.LUT R18, R18, 0x10, RZ, 0xfc, !PT"];
        let after_them = |text| after(&[set[0], set[1], text, "@P2 STG.E [R2], RZ"]).0;
        assert_eq!(after_them("LOP3.LUT P2, RZ, R18, 0x10, RZ, 0xc0, !PT"), None);
        assert_eq!(after_them("LOP3.LUT P2, RZ, R18, 0x8, RZ, 0xc0, !PT"), Some(3));
        assert_eq!(after(&[set[1], "LOP3.LUT P2, RZ, R18, 0x10, RZ, 0xc0, !PT", "@P2 EXIT"]).0, Some(2));
    }

    #[test]
    fn known_bits_are_spilled_and_filled() {
        let mut undefined = Undefined::default();
        undefined.fill(18, u32::MAX, (Space::Local, 8), Some(8));
        let clear = instruction("LOP3.LUT R18, R18, 0xffffffef, RZ, 0xc0, !PT");
        assert_eq!(undefined.follow(&clear, (u32::MAX, u32::MAX), |_| 0), None);
        for (word, mask, whole, bits) in [
            (16, u32::MAX, true, [!0x10; 2]),
            (24, u32::MAX, false, [u32::MAX; 2]),
            (32, 0xf0, true, [u32::MAX, !0x10]),
        ] {
            undefined.spill(18, word, mask, whole);
            undefined.fill(4, 0xff, (Space::Local, word), Some(word));
            assert_eq!([0, 5].map(|lane| undefined.bits(4, lane)), bits);
        }
        undefined.fill(4, 0xf, (Space::Local, 16), None);
        assert_eq!(undefined.bits(4, 0), u32::MAX);
    }

    /// Lanes that have left a loop keep what they had, while the others go on.
    #[test]
    fn bits_are_known_lane_by_lane() {
        let mut undefined = Undefined::default();
        undefined.fill(18, u32::MAX, (Space::Local, 8), None);
        let [clear, test] =
            ["LOP3.LUT R18, R18, 0xffffffef, RZ, 0xc0, !PT", "LOP3.LUT P2, RZ, R18, 0x10, RZ, 0xc0, !PT"]
                .map(instruction);
        let branch = instruction("@P2 BRA 0x40");
        assert_eq!(undefined.follow(&clear, (0x3f, 0x3f), |_| 0), None);
        assert_eq!([5, 6].map(|lane| undefined.bits(18, lane)), [!0x10, u32::MAX]);
        for (lanes, origin) in [(0x3f, None), (0x7f, Some((Space::Local, 8)))] {
            assert_eq!(undefined.follow(&test, (lanes, lanes), |_| 0), None);
            assert_eq!(undefined.follow(&branch, (lanes, lanes), |_| 0), origin);
        }
    }

    /// The predicate holds in lanes 0 to 3, and lanes 0 to 7 are undefined.
    #[test]
    fn a_selection_takes_one_of_its_sources() {
        let mut undefined = Undefined::default();
        undefined.fill(18, 0xff, (Space::Local, 1304), None);
        for text in ["SEL R4, R18, R2, P0", "FSEL R6, R18, R2, !P0", "SEL R8, R2, R18, P0"] {
            assert_eq!(undefined.follow(&instruction(text), (u32::MAX, u32::MAX), |_| 0xf), None);
        }
        assert_eq!([4, 6, 8].map(|register| undefined.lanes(register)), [0xf, 0xf0, 0xf0]);
    }

    #[test]
    fn a_shuffle_brings_them_to_all_lanes() {
        let mut undefined = Undefined::default();
        undefined.fill(18, 1, (Space::Shared, 0), None);
        assert_eq!(
            undefined.follow(&instruction("SHFL.IDX PT, R4, R18, 0x3, 0x1f"), (u32::MAX, u32::MAX), |_| 0),
            None
        );
        assert_eq!(undefined.lanes(4), u32::MAX);
    }
}
