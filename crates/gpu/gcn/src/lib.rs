//! Runs machine code of AMD's GPUs, as Clang prints it: of CDNA with waves of 64 lanes, and of gfx1250 with waves of 32. Results are those of the
//! machine to the bit, as far as its documents tell them; of approximations they do not tell the last bits.
//!
//! The behaviour of instructions follows "AMD Instinct MI300 Instruction Set Architecture: CDNA3" and its predecessor on CDNA2. It was
//! compared with the pseudocode of the former opcode by opcode; docs/lab/amd.md has the differences. For gfx1250 no such guide is
//! published. Instructions that share a name with CDNA's are assumed to do the same, the rest follows LLVM's back end and its guides. No
//! machine has confirmed it. An unknown instruction, operand or modifier is refused before anything runs. These faults are found:
//!
//! - registers that are used before an `s_wait…` covers their load, or are written while an instruction on memory may read them again,
//! - registers and memory without a value,
//! - races between waves on the local data share (LDS), and writes to it that come after an arrival at a barrier,
//! - wrong uses of barriers,
//! - addresses where nothing lies.
//!
//! | module | what is there |
//! |---|---|
//! | `listing`, `decode`, `operand` | from the text to a [`Kernel`] |
//! | `family`, `gfx1250` | in what machines differ, and what CDNA has not |
//! | `instruction`, `forms` | what instructions there are, and what they compute |
//! | `float` | divisions and scaling of doubles |
//! | `wave`, `waits`, `memory` | what instructions work on, and what has not come yet |
//! | `barriers` | what orders the waves of a workgroup |
//! | `exec`, `run` | one instruction, and a launch |
#![forbid(unsafe_code)]

mod barriers;
mod decode;
mod exec;
mod family;
mod float;
mod forms;
mod gfx1250;
mod instruction;
mod listing;
mod memory;
mod operand;
mod run;
mod waits;
mod wave;

pub use listing::{Kernel, Refusal, read};
pub use memory::Array;
pub use run::{Argument, Hazard, Launch, Options, Report, run};
pub use wave::Counts;
