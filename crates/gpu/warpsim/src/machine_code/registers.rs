//! The registers that an instruction reads and writes.

use sass::{Class, File, Instruction, Operand, Part, Register};

/// Consecutive registers: the first, and their number.
pub(super) type Span = (u8, u8);

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Registers {
    /// General registers that are read, one span per operand; without the guard.
    pub reads: [Option<Span>; 4],
    pub writes: Option<Span>,
    /// Predicates, one bit each.
    pub predicates_read: u8,
    pub predicates_written: u8,
}

impl Registers {
    pub(super) fn from_instruction(instruction: &Instruction) -> Self {
        let mut found = Self::default();
        let results = results(instruction);
        let mut reads = found.reads.iter_mut();
        for (at, operand) in instruction.operands.iter().enumerate() {
            match operand {
                Operand::Predicate { file: File::General, number: Some(number), .. } => {
                    let bit = 1u8.checked_shl(u32::from(*number)).unwrap_or(0);
                    match at < results {
                        true => found.predicates_written |= bit,
                        false => found.predicates_read |= bit,
                    }
                }
                Operand::Register(register) if at < results => {
                    found.writes = span(register, width(instruction, None)).or(found.writes);
                }
                Operand::Register(register) => {
                    if let Some(place) = reads.next() {
                        *place = span(register, width(instruction, Some(at - results)));
                    }
                }
                Operand::Memory { terms, .. } => {
                    for (term, place) in terms.iter().zip(&mut reads) {
                        *place = span(term, if term.part == Part::Wide { 2 } else { 1 });
                    }
                }
                _ => {}
            }
        }
        if let Some(Operand::Predicate { file: File::General, number: Some(number), .. }) = &instruction.guard {
            found.predicates_read |= 1u8.checked_shl(u32::from(*number)).unwrap_or(0);
        }
        found
    }
}

/// Returns the general registers that an operand names.
pub(super) fn span(register: &Register, count: u8) -> Option<Span> {
    (register.file == File::General).then_some(register.number.map(|number| (number, count))).flatten()
}

/// Counts the leading operands that are results.
fn results(instruction: &Instruction) -> usize {
    let operands = &instruction.operands;
    let is_predicate = |operand: &Operand| matches!(operand, Operand::Predicate { .. });
    match (instruction.operation(), instruction.class()) {
        ("STS" | "STG" | "STL" | "ST" | "RED" | "R2P" | "DEPBAR" | "LDGSTS", _) => 0,
        (_, Class::Branches | Class::Convergence | Class::Barrier) => 0,
        // a comparison has two, of which older listings hide none
        (_, Class::Predicates) => operands.iter().take_while(|operand| is_predicate(operand)).count().clamp(1, 2),
        // the result, and predicates beside it
        _ => {
            let before = operands.iter().take_while(|operand| is_predicate(operand)).count();
            // a predicate alone, such as that of `STSCUL P1, [R9], R6`
            if before > 0 && matches!(operands.get(before), Some(Operand::Memory { .. })) {
                return before;
            }
            let after = operands.iter().skip(before + 1).take_while(|operand| is_predicate(operand)).count();
            (before + 1 + after).min(operands.len())
        }
    }
}

/// Returns the number of registers of the result, or of the source with this number.
fn width(instruction: &Instruction, source: Option<usize>) -> u8 {
    let has = |word: &str| instruction.has(word);
    let of_memory = || match () {
        () if has("128") => 4,
        () if has("64") => 2,
        () => 1,
    };
    match (instruction.operation(), source) {
        ("DADD" | "DMUL" | "DFMA" | "DMNMX", _) | ("DSETP", Some(_)) => 2,
        ("DMMA", Some(1)) => 2,
        ("DMMA", of) => (if of == Some(0) { 2 } else { 4 }) * if has("16x8x4") { 2 } else { 1 },
        ("IMAD", None | Some(2)) if has("WIDE") => 2,
        // two registers of a special one, such as 0, unless 32 bits are asked for
        ("CS2R", None) if !has("32") => 2,
        ("SYNCS", None) if has("TRANS64") => 2,
        ("F2I", None) if has("S64") || has("U64") => 2,
        ("F2F", None) | ("I2F", None) if instruction.modifiers().next() == Some("F64") => 2,
        ("F2F", Some(_)) if instruction.modifiers().nth(1) == Some("F64") => 2,
        ("F2I" | "FRND", Some(_)) if has("F64") => 2,
        ("FRND", None) if has("F64") => 2,
        (_, _) if matches!(instruction.class(), Class::Shared | Class::Local | Class::Global | Class::Constant) => {
            of_memory()
        }
        _ => 1,
    }
}

/// An instruction as nvdisasm prints it.
#[cfg(test)]
pub(super) fn instruction(text: &str) -> Instruction {
    let text = format!("\t.section\t.text.k,\"ax\",@progbits\n        /*0000*/                   {text} ;\n");
    let listing = std::sync::Arc::new(diagnostics::Source { name: "k".to_owned(), text });
    let read = sass::instructions(&listing).unwrap_or_else(|d| panic!("{d:?}"));
    read["k"][0].clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers(text: &str) -> Registers {
        Registers::from_instruction(&instruction(text))
    }

    #[test]
    fn doubles_take_two_registers() {
        let found = registers("@!P2 DFMA R2, R4, R6, R8");
        assert_eq!(found.writes, Some((2, 2)));
        assert_eq!(found.reads, [Some((4, 2)), Some((6, 2)), Some((8, 2)), None]);
        assert_eq!(found.predicates_read, 1 << 2);
    }

    #[test]
    fn special_registers_have_64_bits_unless_told() {
        assert_eq!(registers("CS2R R4, SRZ").writes, Some((4, 2)));
        assert_eq!(registers("CS2R.32 R4, SR_CLOCKLO").writes, Some((4, 1)));
    }

    #[test]
    fn memory_takes_what_the_modifier_tells() {
        let load = registers("LDS.128 R4, [R2+0x10]");
        assert_eq!((load.writes, load.reads[0]), (Some((4, 4)), Some((2, 1))));
        let store = registers("STS.64 [R2], R6");
        assert_eq!((store.writes, store.reads), (None, [Some((2, 1)), Some((6, 2)), None, None]));
    }

    #[test]
    fn comparisons_write_predicates() {
        let found = registers("ISETP.GE.AND P1, PT, R0, R3, P4");
        assert_eq!((found.writes, found.predicates_written, found.predicates_read), (None, 1 << 1, 1 << 4));
        assert_eq!(found.reads, [Some((0, 1)), Some((3, 1)), None, None]);
    }
}
