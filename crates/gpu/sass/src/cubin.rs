//! The facts of a cubin and its kernels, put together from the file and its listing.

use crate::attributes::{self, Attribute};
use crate::elf::{Elf, Relocation, Section, SymbolKind};
use crate::instruction::{Instruction, Operand};
use crate::listing;
use diagnostics::{Diagnostic, Source};
use std::ops::Range;
use std::sync::Arc;

/// Machine code for one architecture.
#[derive(Debug, Clone, PartialEq)]
pub struct Cubin {
    /// Architecture, such as 90.
    pub sm: u32,
    pub kernels: Vec<Kernel>,
    /// Tables in global memory.
    pub tables: Vec<Table>,
    /// Output of the disassembler, which messages quote.
    pub listing: Arc<Source>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    pub name: String,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread.
    pub stack_bytes: u32,
    /// Bytes of static shared memory, including the system's own part.
    pub shared_bytes: u32,
    /// Threads per CTA that `.reqntid` asks for.
    pub threads: Option<[u32; 3]>,
    /// CTAs per cluster.
    pub cluster: [u32; 3],
    /// Range of each parameter in bank 0.
    pub parameters: Vec<Range<u32>>,
    /// Constant memory, apart from bank 0, which the driver fills.
    pub banks: Vec<Bank>,
    pub instructions: Vec<Instruction>,
}

/// A variable in global memory with its first contents.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A bank of constant memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Bank {
    pub number: u8,
    pub bytes: Vec<u8>,
    pub patches: Vec<Patch>,
}

/// An address of 64 bits that the loader writes into a bank.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    pub offset: u32,
    /// Name of the table.
    pub symbol: String,
    pub addend: i64,
}

impl Kernel {
    /// Returns the doubles of constant memory that instructions name, as bits, in the order of the code. Excludes bank 0, which
    /// the driver fills, and accesses by an index.
    pub fn constants(&self) -> Vec<u64> {
        let double = |bank: u8, offset: i64| {
            let bytes = &self.banks.iter().find(|found| found.number == bank)?.bytes;
            let at = usize::try_from(offset & !7).ok()?;
            let bytes = bytes.get(at..at + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let mut found = Vec::new();
        for instruction in &self.instructions {
            let count = if instruction.has("128") { 2 } else { 1 };
            for operand in &instruction.operands {
                if let Operand::Constant { bank, index, offset, .. } = operand
                    && index.as_ref().is_none_or(|register| register.number.is_none())
                {
                    found.extend((0..count).filter_map(|at| double(*bank, offset + 8 * at)));
                }
            }
        }
        found
    }
}

impl Cubin {
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// The relocation of 64 bits to an address.
const ADDRESS: u32 = 2;
/// Volta is the first architecture whose instructions have 16 bytes each.
const FIRST_OF_16_BYTES: u32 = 70;

pub(crate) fn architecture_of(name: &str, bytes: &[u8]) -> Result<u32, Vec<Diagnostic>> {
    Elf::read(bytes).map(|elf| architecture(elf.flags)).map_err(|text| no_cubin(name, &text))
}

pub(crate) fn read(name: &str, bytes: &[u8], listing: &Arc<Source>) -> Result<Cubin, Vec<Diagnostic>> {
    let wrong = |text: String| no_cubin(name, &text);
    let elf = Elf::read(bytes).map_err(wrong)?;
    let sm = architecture(elf.flags);
    let mut codes = listing::read(listing)?;
    let general = elf.section(".nv.info").map_or(Vec::new(), |(_, section)| attributes::read(section.bytes));
    let mut kernels = Vec::new();
    for (number, section) in elf.sections.iter().enumerate() {
        let Some(kernel) = section.name.strip_prefix(".text.") else { continue };
        let Some((_, info)) = elf.section(&format!(".nv.info.{kernel}")) else { continue };
        let instructions = codes.remove(kernel).unwrap_or_default();
        let mut read = facts(&elf, kernel, number as u32, &general, &attributes::read(info.bytes)).map_err(wrong)?;
        read.instructions = encoded(section, instructions, sm).map_err(wrong)?;
        kernels.push(read);
    }
    Ok(Cubin { sm, kernels, tables: tables(&elf), listing: Arc::clone(listing) })
}

fn no_cubin(name: &str, text: &str) -> Vec<Diagnostic> {
    vec![
        Diagnostic::error("sass::cubin", format!("{name}: {text}"))
            .help("give what ptxas writes with -o, for one architecture"),
    ]
}

/// Returns the architecture, which is in one of two bytes of the ELF header's flags; newer files have it in the second.
fn architecture(flags: u32) -> u32 {
    let (first, second) = (flags & 0xff, flags >> 8 & 0xff);
    if first < 20 || (first == 0x02 && second >= 20) { second } else { first }
}

fn facts(elf: &Elf<'_>, name: &str, section: u32, general: &[Attribute], own: &[Attribute]) -> Result<Kernel, String> {
    let is_own = |symbol: u32| {
        let found = elf.symbols.get(symbol as usize);
        found.is_some_and(|symbol| {
            symbol.kind == SymbolKind::Function && symbol.section == section && symbol.name == name
        })
    };
    let mut kernel = Kernel {
        name: name.to_owned(),
        registers: 0,
        stack_bytes: 0,
        shared_bytes: elf.section(&format!(".nv.shared.{name}")).map_or(0, |(_, section)| section.size as u32),
        threads: None,
        cluster: [1; 3],
        parameters: Vec::new(),
        banks: Vec::new(),
        instructions: Vec::new(),
    };
    let mut start = 0;
    let mut parameters = Vec::new();
    for attribute in general.iter().chain(own) {
        match *attribute {
            Attribute::Registers { symbol, count } if is_own(symbol) => kernel.registers = count,
            Attribute::Stack { symbol, bytes } if is_own(symbol) => kernel.stack_bytes = bytes,
            Attribute::Registers { .. } | Attribute::Stack { .. } => {}
            Attribute::Parameters { offset, .. } => start = offset,
            Attribute::Parameter { ordinal, offset, bytes } => parameters.push((ordinal, offset, bytes)),
            Attribute::Threads(threads) => kernel.threads = Some(threads),
            Attribute::Cluster(cluster) => kernel.cluster = cluster,
        }
    }
    parameters.sort_unstable();
    let place = |(_, offset, bytes): (u32, u32, u32)| Some(start + offset..(start + offset).checked_add(bytes)?);
    let places: Option<Vec<_>> = parameters.into_iter().map(place).collect();
    kernel.parameters = places.ok_or("a parameter lies beyond constant memory")?;
    for section in &elf.sections {
        kernel.banks.extend(bank(elf, name, section));
    }
    Ok(kernel)
}

/// Returns the bank that a section fills, such as `.nv.constant3` for all kernels or `.nv.constant2.KERNEL`.
fn bank(elf: &Elf<'_>, kernel: &str, section: &Section<'_>) -> Option<Bank> {
    let rest = section.name.strip_prefix(".nv.constant")?;
    let (number, owner) = rest.split_once('.').unwrap_or((rest, kernel));
    let number: u8 = number.parse().ok().filter(|number| *number != 0)?;
    if owner != kernel {
        return None;
    }
    let bytes =
        if section.bytes.is_empty() { vec![0; section.size.min(1 << 16) as usize] } else { section.bytes.to_vec() };
    let patch = |relocation: &Relocation| Patch {
        offset: relocation.offset as u32,
        symbol: elf.name_of(relocation.symbol).to_owned(),
        addend: relocation.addend,
    };
    let patches = section.relocations.iter().filter(|relocation| relocation.kind == ADDRESS).map(patch).collect();
    Some(Bank { number, bytes, patches })
}

/// Adds the encodings to the instructions.
fn encoded(section: &Section<'_>, mut instructions: Vec<Instruction>, sm: u32) -> Result<Vec<Instruction>, String> {
    if sm < FIRST_OF_16_BYTES {
        for instruction in &mut instructions {
            if let Some(name) = instruction.name.strip_suffix(".S") {
                (instruction.name, instruction.joins) = (name.into(), true);
            }
            let at = instruction.address as usize;
            let word = section.bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
            instruction.nan = word.filter(|_| has_nan(instruction)).map(short);
        }
        return Ok(instructions);
    }
    let (listed, there) = (instructions.len(), section.bytes.len() / 16);
    if listed != there {
        return Err(format!("the listing has {listed} instructions of {}, the file {there}", section.name));
    }
    for instruction in &mut instructions {
        let at = instruction.address as usize;
        let encoding = section.bytes.get(at..at + 16).and_then(|bytes| bytes.try_into().ok());
        let encoding = encoding.ok_or_else(|| format!("{} has no instruction at {at:#x}", section.name))?;
        instruction.encoding = Some(u128::from_le_bytes(encoding));
    }
    Ok(instructions)
}

fn has_nan(instruction: &Instruction) -> bool {
    instruction.operands.iter().any(|operand| matches!(operand, Operand::Real(value) if value.is_nan()))
}

/// Returns the upper 20 bits of an immediate on Kepler: its sign in bit 59, and the others from bit 23 on.
fn short(word: u64) -> u32 {
    ((word >> 59 & 1) as u32) << 31 | ((word >> 23 & 0x7_ffff) as u32) << 12
}

fn tables(elf: &Elf<'_>) -> Vec<Table> {
    let table = |symbol: &crate::elf::Symbol| {
        let section = elf.sections.get(symbol.section as usize)?;
        if symbol.kind != SymbolKind::Object || !section.name.starts_with(".nv.global") {
            return None;
        }
        let (start, size) = (usize::try_from(symbol.value).ok()?, usize::try_from(symbol.size).ok()?);
        let bytes = match section.bytes {
            [] => vec![0; size.min(section.size as usize)],
            bytes => bytes.get(start..start.checked_add(size)?)?.to_vec(),
        };
        Some(Table { name: symbol.name.clone(), bytes })
    };
    elf.symbols.iter().filter_map(table).collect()
}
