//! Classes of instructions, and the pipe that executes each.

use crate::instruction::{File, Instruction, Operand};

/// Purpose of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Arithmetic on real numbers, with conversions.
    Arithmetic,
    /// Arithmetic on integers: addresses and counters.
    Addresses,
    /// Moves of words between registers, with selections.
    Moves,
    /// Comparisons and logic of predicates.
    Predicates,
    Branches,
    /// Instructions that bring lanes together again after a branch.
    Convergence,
    Shuffles,
    Shared,
    Local,
    Global,
    /// Loads of constants into registers; operands in constant memory do not count.
    Constant,
    Barrier,
    /// Waits for scoreboards, fences, special registers, no operation.
    Other,
}

impl Class {
    pub const ALL: [Self; 13] = [
        Self::Arithmetic,
        Self::Addresses,
        Self::Moves,
        Self::Predicates,
        Self::Branches,
        Self::Convergence,
        Self::Shuffles,
        Self::Shared,
        Self::Local,
        Self::Global,
        Self::Constant,
        Self::Barrier,
        Self::Other,
    ];

    /// Returns the class as a key in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Addresses => "addresses",
            Self::Moves => "moves",
            Self::Predicates => "predicates",
            Self::Branches => "branches",
            Self::Convergence => "convergence",
            Self::Shuffles => "shuffles",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Global => "global",
            Self::Constant => "constant",
            Self::Barrier => "barrier",
            Self::Other => "other",
        }
    }
}

/// Unit that executes an instruction after its issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pipe {
    /// Double precision.
    Double,
    /// Single precision and products of integers.
    Fma,
    /// Integers, logic, comparisons.
    Alu,
    /// Approximations and conversions.
    Special,
    /// Products of matrices.
    Tensor,
    /// One value per warp.
    Uniform,
    /// Shared, local and global memory, and shuffles.
    Memory,
    /// Constants that are loaded into registers.
    Constant,
    /// Branches, barriers, convergence.
    Control,
}

impl Pipe {
    pub const ALL: [Self; 9] = [
        Self::Double,
        Self::Fma,
        Self::Alu,
        Self::Special,
        Self::Tensor,
        Self::Uniform,
        Self::Memory,
        Self::Constant,
        Self::Control,
    ];

    /// Returns the pipe as a key in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Double => "fp64",
            Self::Fma => "fma",
            Self::Alu => "alu",
            Self::Special => "special",
            Self::Tensor => "tensor",
            Self::Uniform => "uniform",
            Self::Memory => "memory",
            Self::Constant => "constant",
            Self::Control => "control",
        }
    }
}

impl Instruction {
    pub fn class(&self) -> Class {
        match self.operation() {
            "DADD" | "DMUL" | "DFMA" | "DMMA" | "DMNMX" | "FADD" | "FMUL" | "FFMA" | "FMNMX" | "MUFU" | "F2F"
            | "F2I" | "I2F" | "FRND" | "FCHK" | "I2FP" | "FFMA32I" | "FMUL32I" | "FADD32I" | "RRO" => Class::Arithmetic,
            "IMAD" if self.is_move() => Class::Moves,
            "HFMA2" | "MOV" | "UMOV" | "SEL" | "USEL" | "FSEL" | "PRMT" | "UPRMT" | "R2UR" | "CS2R" | "MOV32I"
            | "I2I" | "ICMP" | "FCMP" => Class::Moves,
            "ISETP" | "UISETP" | "FSETP" | "DSETP" | "PLOP3" | "UPLOP3" | "P2R" | "UP2UR" | "R2P" | "PSETP"
            | "CSETP" | "PSET" | "ISET" | "FSET" | "DSET" | "VOTE" | "VOTEU" | "QSPC" | "MATCH" => Class::Predicates,
            "BRA" | "BRX" | "BRXU" | "CALL" | "CAL" | "RET" | "EXIT" | "JMP" | "JMX" | "JCAL" | "BRK" | "CONT" => {
                Class::Branches
            }
            "NOP" if self.joins => Class::Convergence,
            "BSSY" | "BSYNC" | "BREAK" | "WARPSYNC" | "ENDCOLLECTIVE" | "YIELD" | "BMOV" | "SSY" | "SYNC" | "PBK"
            | "PCNT" => Class::Convergence,
            "SHFL" => Class::Shuffles,
            "LDS" | "STS" | "ATOMS" | "LDSM" | "LDSLK" | "STSCUL" | "SYNCS" => Class::Shared,
            "LDL" | "STL" => Class::Local,
            "LDG" | "STG" | "LD" | "ST" | "ATOM" | "ATOMG" | "RED" | "REDG" | "LDGSTS" => Class::Global,
            "LDC" | "ULDC" | "LDCU" => Class::Constant,
            "BAR" | "UCGABAR_ARV" | "UCGABAR_WAIT" => Class::Barrier,
            "S2R" | "S2UR" | "DEPBAR" | "LDGDEPBAR" | "MEMBAR" | "ERRBAR" | "CCTL" | "NOP" | "NANOSLEEP"
            | "TEXDEPBAR" => Class::Other,
            _ => Class::Addresses,
        }
    }

    /// Returns the fused multiply-adds of a product of matrices, such as `DMMA.16x8x4`; 0 for all other instructions.
    pub fn matrix_multiply_adds(&self) -> u32 {
        let shape = |word: &str| {
            let sides: Vec<u32> = word.split('x').map_while(|side| side.parse().ok()).collect();
            (sides.len() == 3).then(|| sides.iter().product())
        };
        // older listings write DMMA.884
        if self.operation() == "DMMA" { self.modifiers().find_map(shape).unwrap_or(8 * 8 * 4) } else { 0 }
    }

    pub fn pipe(&self) -> Pipe {
        match (self.operation(), self.class()) {
            ("DADD" | "DMUL" | "DFMA" | "DSETP" | "DMNMX", _) => Pipe::Double,
            ("DMMA", _) => Pipe::Tensor,
            (
                "MUFU" | "F2F" | "F2I" | "I2F" | "FRND" | "FCHK" | "POPC" | "FLO" | "BREV" | "RRO" | "I2I" | "MATCH",
                _,
            ) => Pipe::Special,
            ("IMAD" | "FADD" | "FMUL" | "FFMA" | "HFMA2" | "XMAD" | "FFMA32I" | "FMUL32I" | "FADD32I", _) => Pipe::Fma,
            (_, Class::Branches | Class::Convergence | Class::Barrier) => Pipe::Control,
            (_, Class::Shuffles | Class::Shared | Class::Local | Class::Global) => Pipe::Memory,
            (operation, _) if operation.starts_with('U') || operation == "VOTEU" || operation == "LDCU" => {
                Pipe::Uniform
            }
            (_, Class::Constant) => Pipe::Constant,
            ("NOP" | "DEPBAR" | "LDGDEPBAR" | "MEMBAR" | "S2R" | "S2UR" | "CS2R" | "ERRBAR" | "CCTL", _) => {
                Pipe::Control
            }
            _ => Pipe::Alu,
        }
    }

    /// Whether it is a product with 0, which moves its last operand; the compiler uses it to spread moves over the pipes.
    fn is_move(&self) -> bool {
        let zero = |operand: &Operand| matches!(operand, Operand::Register(register) if register.number.is_none());
        let products = self.operands.iter().skip(1).take(2);
        self.has("MOV")
            || (self.has("U32") && !self.has("WIDE") && products.filter(|operand| zero(operand)).count() == 2)
    }

    /// Whether the instruction is executed once for the warp.
    pub fn is_uniform(&self) -> bool {
        let result = self.operands.first();
        let uniform = |operand: &Operand| match operand {
            Operand::Register(register) => register.file == File::Uniform,
            Operand::Predicate { file, .. } => *file == File::Uniform,
            _ => false,
        };
        self.operation().starts_with('U') && result.is_some_and(uniform)
    }
}
