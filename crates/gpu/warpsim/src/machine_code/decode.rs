//! From the instructions of a listing to the executor's instructions.
//!
//! Every modifier and every operand of an instruction must be known, else the instruction is not.

mod control;
mod decoder;
mod integer;
mod kepler;
mod memory;
mod operands;
mod real;

use super::code::Code;
use super::constants;
use super::op::Decoded;
use crate::Launch;
use decoder::Decoder;
use diagnostics::{Diagnostic, Span};
use operands::Operands;
use sass::{Cubin, Instruction, Kernel};
use std::collections::HashMap;

/// Reason why a kernel cannot be executed.
pub(super) enum Refusal {
    /// Instructions that are not known.
    Unknown(Vec<Diagnostic>),
    /// The launch does not fit the kernel.
    Launch(String),
}

pub(super) fn decode<'c>(
    cubin: &'c Cubin,
    kernel: &'c Kernel,
    launch: &Launch,
    buffers: usize,
) -> Result<Code<'c>, Refusal> {
    let banks = constants::banks(cubin, kernel, launch, buffers).map_err(Refusal::Launch)?;
    let mut decoder = Decoder { cubin, kernel, buffers, banks, pool: Vec::new(), known: HashMap::new() };
    let (mut ops, mut unknown) = (Vec::with_capacity(kernel.instructions.len()), Vec::new());
    for instruction in &kernel.instructions {
        match decoded(&mut decoder, instruction) {
            Some(op) => ops.push(op),
            None => unknown.push(not_known(cubin, kernel, instruction)),
        }
    }
    if !unknown.is_empty() {
        return Err(Refusal::Unknown(unknown));
    }
    Ok(Code {
        cubin,
        kernel,
        ops,
        pool: decoder.pool,
        windows: constants::Windows::new(cubin.sm),
        banks: decoder.banks,
        local_bytes: kernel.stack_bytes.into(),
        shared_bytes: u64::from(kernel.shared_bytes) + launch.shared,
    })
}

fn not_known(cubin: &Cubin, kernel: &Kernel, instruction: &Instruction) -> Diagnostic {
    let span = Span::of_line(&cubin.listing, instruction.line);
    let text = span.text().split(';').next().unwrap_or_default().trim();
    let text = text.split_once("*/").map_or(text, |(_, text)| text.trim());
    let message = format!("{}: what `{text}` at {:#x} does is not known", kernel.name, instruction.address);
    Diagnostic::error("sass::unknown", message).at(span)
}

/// Decodes an instruction; `None`: it is not known.
fn decoded(decoder: &mut Decoder, instruction: &Instruction) -> Option<Decoded> {
    let guard = match &instruction.guard {
        Some(guard) => Some(operands::bit(guard)?),
        None => None,
    };
    let is_kepler = decoder.cubin.sm < 50;
    let mut operands = Operands::new(instruction, decoder);
    if is_kepler {
        return kepler::decode(&mut operands, guard);
    }
    let op = integer::decode(&mut operands)
        .or_else(|| real::decode(&mut operands.again()))
        .or_else(|| memory::decode(&mut operands.again()))
        .or_else(|| control::decode(&mut operands.again()))?;
    Some(Decoded { guard, uniform: instruction.is_uniform(), tested: None, tests_on: false, joins: false, op })
}
