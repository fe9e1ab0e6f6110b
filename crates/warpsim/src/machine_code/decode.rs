//! From the instructions of a listing to what the executor executes.
//!
//! Every modifier and every operand of an instruction must be known, else the instruction is not.

mod control;
mod integer;
mod kepler;
mod memory;
mod operands;
mod real;

use super::code::Code;
use super::constants;
use super::op::{Bit, Decoded, Source, Word};
use crate::Launch;
use crate::buffer::Buffer;
use diagnostics::{Diagnostic, Span};
use operands::Operands;
use sass::{Cubin, Instruction, Kernel};
use std::collections::{BTreeMap, HashMap};

/// What keeps a kernel from being executed.
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
        match decoder.instruction(instruction) {
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

struct Decoder<'c> {
    cubin: &'c Cubin,
    kernel: &'c Kernel,
    /// Of the launch.
    buffers: usize,
    banks: BTreeMap<u8, Buffer>,
    pool: Vec<Word>,
    /// Pairs of rows of the pool by their values.
    known: HashMap<(u32, u32), u32>,
}

impl Decoder<'_> {
    /// `None`: it is not known.
    fn instruction(&mut self, instruction: &Instruction) -> Option<Decoded> {
        let guard = match &instruction.guard {
            Some(guard) => Some(operands::bit(guard)?),
            None => None,
        };
        let is_kepler = self.cubin.sm < 50;
        let mut operands = Operands::new(instruction, self);
        if is_kepler {
            return kepler::decode(&mut operands, guard);
        }
        let op = integer::decode(&mut operands)
            .or_else(|| real::decode(&mut operands.again()))
            .or_else(|| memory::decode(&mut operands.again()))
            .or_else(|| control::decode(&mut operands.again()))?;
        Some(Decoded { guard, uniform: instruction.is_uniform(), tested: None, tests_on: false, joins: false, op })
    }

    /// Two rows of the pool with these values, as a source.
    fn constant(&mut self, low: u32, high: u32) -> Source {
        let pool = &mut self.pool;
        let row = *self.known.entry((low, high)).or_insert_with(|| {
            pool.extend([[low; 32], [high; 32]]);
            pool.len() as u32 - 2
        });
        Source { row: row | super::op::POOL, negate: false, absolute: false, invert: false }
    }

    /// Bytes of constant memory; `None` where nothing tells what is there.
    fn constant_at(&self, bank: u8, offset: i64, bytes: u32) -> Option<u64> {
        let buffer = self.banks.get(&bank)?;
        let offset = in_bank(offset).filter(|offset| offset.is_multiple_of(u64::from(bytes)))?;
        (offset.checked_add(u64::from(bytes))? <= buffer.bytes()).then(|| buffer.read(offset, bytes)).flatten()
    }
}

/// Offsets in a bank have 16 bits, which the disassembler takes for signed in loads.
fn in_bank(offset: i64) -> Option<u64> {
    let offset = if offset < 0 { offset + (1 << 16) } else { offset };
    u64::try_from(offset).ok()
}

/// The predicate that always holds, and the one that never does.
const HOLDS: Bit = (super::op::TRUE, false);
const FAILS: Bit = (super::op::TRUE, true);
