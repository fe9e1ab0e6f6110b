//! Values that nobody wrote, in the registers of a warp. ptxas fills registers from the stack before anything was spilled there,
//! where no later instruction needs the value, and may spill it again; and it loads four words of shared memory where three are
//! needed. That is right as long as nothing depends on it.
//!
//! Values are followed by registers, not by bits: where single bits of such a word are set and read again, as ptxas does with predicates
//! that it spills, that counts as undefined too, which may be a false alarm.

use super::registers::{Registers, Span, span};
use ptx::inst::Space;
use sass::{Class, File, Instruction, Operand, Part};

#[derive(Default)]
pub(super) struct Undefined {
    /// For each register, and each predicate behind them, the lanes whose value nobody wrote; empty until there is one.
    lanes: Vec<u32>,
    /// How many of them have such lanes.
    count: usize,
    /// From where the last came.
    origin: Option<(Space, u64)>,
}

const PREDICATES: usize = 256;
const ALL: usize = PREDICATES + 8;

impl Undefined {
    pub(super) fn reset(&mut self) {
        self.lanes.fill(0);
        self.count = 0;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Lanes of a register.
    pub(super) fn of(&self, register: u32) -> u32 {
        self.lanes.get(register as usize).copied().unwrap_or(0)
    }

    /// A register was filled from an address that these lanes have not written.
    pub(super) fn fill(&mut self, register: u32, lanes: u32, origin: (Space, u64)) {
        self.lanes.resize(ALL, 0);
        self.origin = Some(origin);
        // the last stands for no register
        if register < 255 {
            self.set(register as usize, lanes, lanes);
        }
    }

    /// An instruction is about to be executed by the lanes of the mask. The address that an undefined value came from, where
    /// something depends on it that is seen from outside: an address, another memory, the way of a lane, or what is not followed.
    /// `holds`: the lanes in which a predicate of this number holds.
    pub(super) fn follow(
        &mut self,
        instruction: &Instruction,
        (active, mask): (u32, u32),
        holds: impl Fn(u8) -> u32,
    ) -> Option<(Space, u64)> {
        let found = Registers::of(instruction);
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
        let sources = mask & (by_predicates | by_registers);
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
                self.set(register, mask, values);
            }
        }
        for at in (0..7).filter(|at| found.predicates_written >> at & 1 == 1) {
            self.set(PREDICATES + at, mask, values);
        }
        self.origin.filter(|_| used != 0)
    }

    /// For a selection the lanes whose source is undefined, of the two sources that one that they take.
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

    /// Of the lanes of the mask only these are undefined.
    fn set(&mut self, at: usize, mask: u32, undefined: u32) {
        let old = self.lanes[at];
        let new = old & !mask | undefined & mask;
        self.lanes[at] = new;
        self.count = self.count + usize::from(new != 0) - usize::from(old != 0);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine_code::registers::instruction;

    /// Lanes 0 to 7 of R18 were filled from address 1304; then the instructions. Which of them depends on that, and whether
    /// anything undefined is left.
    fn after(texts: &[&str]) -> (Option<usize>, bool) {
        let mut undefined = Undefined::default();
        undefined.fill(18, 0xff, (Space::Local, 1304));
        let used =
            texts.iter().position(|text| undefined.follow(&instruction(text), (u32::MAX, u32::MAX), |_| 0xf).is_some());
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

    /// The predicate holds in lanes 0 to 3, and lanes 0 to 7 are undefined.
    #[test]
    fn a_selection_takes_one_of_its_sources() {
        let mut undefined = Undefined::default();
        undefined.fill(18, 0xff, (Space::Local, 1304));
        for text in ["SEL R4, R18, R2, P0", "FSEL R6, R18, R2, !P0", "SEL R8, R2, R18, P0"] {
            assert_eq!(undefined.follow(&instruction(text), (u32::MAX, u32::MAX), |_| 0xf), None);
        }
        assert_eq!([4, 6, 8].map(|register| undefined.of(register)), [0xf, 0xf0, 0xf0]);
    }

    #[test]
    fn a_shuffle_brings_them_to_all_lanes() {
        let mut undefined = Undefined::default();
        undefined.fill(18, 1, (Space::Shared, 0));
        assert_eq!(
            undefined.follow(&instruction("SHFL.IDX PT, R4, R18, 0x3, 0x1f"), (u32::MAX, u32::MAX), |_| 0),
            None
        );
        assert_eq!(undefined.of(4), u32::MAX);
    }
}
