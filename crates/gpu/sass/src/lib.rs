//! Reads machine code of NVIDIA GPUs (SASS), as ptxas writes it into a cubin and nvdisasm prints it.
//!
//! A cubin is an ELF file. It has the launch data of a kernel (registers, stack, shared memory, parameters, constant banks,
//! tables) and the encoded instructions, but no public document describes the encodings. nvdisasm knows: [`read`] takes the file
//! and its listing, and gives typed [`Instruction`]s. From the encodings themselves it takes the control bits alone
//! ([`Control`]): the stall count of an instruction, and the scoreboards that it sets and waits for. Their layout was found by
//! Jia, Maggioni, Staiger and Scarpazza ("Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section
//! 2.1).
//!
//! | module | what is there |
//! |---|---|
//! | `elf`, `attributes` | sections, symbols and relocations of the file; the attributes that ptxas leaves for the driver |
//! | `cubin` | the facts of kernels and tables, put together |
//! | [`fatbin`] | PTX texts inside fat binaries and the files that carry them |
//! | `listing` | from nvdisasm's text to instructions |
//! | `operand` | from the text of an operand to an [`Operand`] |
//! | `instruction`, `control` | what the reader gives |
//! | `class` | the class of an instruction, and the pipe that executes it |
#![forbid(unsafe_code)]

mod attributes;
mod class;
mod control;
mod cubin;
mod elf;
pub mod fatbin;
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

/// Reads the instructions of each kernel from a listing alone, without information that only encodings hold.
///
/// # Errors
/// Lines that are no instructions, and labels without a place.
pub fn instructions(listing: &Arc<Source>) -> Result<BTreeMap<String, Vec<Instruction>>, Vec<Diagnostic>> {
    listing::read(listing)
}

/// Returns the architecture of the machine code, such as 90; it decides which disassembler knows it.
///
/// # Errors
/// The bytes are no cubin.
pub fn architecture(name: &str, bytes: &[u8]) -> Result<u32, Vec<Diagnostic>> {
    cubin::architecture_of(name, bytes)
}

/// Reads a cubin and its listing by `nvdisasm -c`.
///
/// # Errors
/// The bytes are no cubin, or the listing is not the one of this cubin.
pub fn read(name: &str, bytes: &[u8], listing: &Arc<Source>) -> Result<Cubin, Vec<Diagnostic>> {
    cubin::read(name, bytes, listing)
}
