//! Runs machine code of AMD's GPUs with waves of 64 lanes (CDNA), as Clang prints it: results are those of the machine to the bit, as far as its
//! documents tell them; of approximations they do not tell the last bits.
//!
//! What instructions do is written down after "AMD Instinct MI300 Instruction Set Architecture: CDNA3" and its predecessor on CDNA2. It was compared
//! with the pseudocode of the former opcode by opcode; docs/lab/amd.md tells what differs. No machine has confirmed it. An instruction, an operand or a modifier that is not known is refused before anything runs. Found are:
//! registers that are used before an `s_waitcnt` covers what loads them, registers and memory without a value, races between
//! waves on the local data share (LDS), writes to it that a barrier comes before, and addresses where nothing lies.
//!
//! | module | what is there |
//! |---|---|
//! | `listing`, `decode`, `operand` | from the text to a [`Kernel`] |
//! | `instruction`, `forms` | what instructions there are, and what they compute |
//! | `float` | divisions and scaling of doubles |
//! | `wave`, `memory` | what instructions work on, and what has not come yet |
//! | `exec`, `run` | one instruction, and a launch |
#![forbid(unsafe_code)]

mod decode;
mod exec;
mod float;
mod forms;
mod instruction;
mod listing;
mod memory;
mod operand;
mod run;
mod wave;

pub use listing::{Kernel, Refusal, read};
pub use memory::Array;
pub use run::{Argument, Hazard, Launch, Options, Report, run};
pub use wave::{Counts, LANES};
