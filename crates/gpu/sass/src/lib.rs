//! Reads machine code of NVIDIA GPUs (SASS), as ptxas writes it into a cubin and nvdisasm prints it.
//!
//! A cubin is an ELF file. It has what a launch needs to know of a kernel (registers, stack, shared memory, parameters,
//! constant banks, tables) and the encoded instructions, but no public document tells what the encodings mean. nvdisasm
//! knows: [`read`] takes the file and the listing of it, and gives typed [`Instruction`]s. From the encodings themselves it takes the
//! control bits alone ([`Control`]): how long an instruction stalls its warp, which scoreboards it sets and waits for. Their
//! layout was found by Jia, Maggioni, Staiger and Scarpazza ("Dissecting the NVIDIA Volta GPU Architecture via
//! Microbenchmarking", 2018, section 2.1).
//!
//! | module | what is there |
//! |---|---|
//! | `elf`, `attributes` | sections, symbols and relocations of the file; the attributes that ptxas leaves for the driver |
//! | `cubin` | the facts of kernels and tables, put together |
//! | `listing` | from nvdisasm's text to instructions |
//! | `operand` | from the text of an operand to an [`Operand`] |
//! | `instruction`, `control` | what the reader gives |
//! | `class` | what an instruction counts as, and the pipe that executes it |
#![forbid(unsafe_code)]

mod attributes;
mod class;
mod control;
mod cubin;
mod elf;
mod instruction;
mod listing;
mod operand;

pub use class::{Class, Pipe};
pub use control::Control;
pub use cubin::{Bank, Cubin, Kernel, Patch, Table};
pub use instruction::{File, Instruction, Operand, Part, Register};

use diagnostics::{Diagnostic, Source};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The instructions of each kernel in a listing alone, without what only the encodings tell.
///
/// # Errors
/// Lines that are no instructions, and labels that stand nowhere.
pub fn instructions(listing: &Arc<Source>) -> Result<BTreeMap<String, Vec<Instruction>>, Vec<Diagnostic>> {
    listing::read(listing)
}

/// The architecture that the machine code is for, such as 90; it tells which disassembler knows it.
///
/// # Errors
/// The bytes are no cubin.
pub fn architecture(name: &str, bytes: &[u8]) -> Result<u32, Vec<Diagnostic>> {
    cubin::architecture_of(name, bytes)
}

/// Reads a cubin whose listing is what `nvdisasm -c` prints.
///
/// # Errors
/// The bytes are no cubin, or the listing is not the one of this cubin.
pub fn read(name: &str, bytes: &[u8], listing: &Arc<Source>) -> Result<Cubin, Vec<Diagnostic>> {
    cubin::read(name, bytes, listing)
}
