//! From the assembly that Clang prints (`-S`) to a kernel: its instructions, the constants that it reads, and what a launch gives it.
//!
//! The text has no addresses. Each instruction is taken as eight bytes long, which is what formulas of labels expect of those that they
//! span, and data lie behind the code.

use crate::decode;
use crate::family::Family;
use crate::gfx1250::{self, HighBits};
use crate::instruction::{Instruction, Op};
use crate::operand::{Constant, Operand};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Where code and data lie.
pub const CODE: u64 = 0x7e00_0000_0000;
pub const DATA: u64 = 0x7e00_ffff_ff00;

/// Something in a listing that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The first line that has it, from 1.
    pub line: u32,
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the listing: {}", self.line, self.reason)
    }
}

/// A kernel as it is loaded.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub symbol: String,
    pub family: Family,
    /// Those of the functions that the text has besides kernels lie among them.
    pub instructions: Vec<Instruction>,
    /// Number of its first instruction.
    pub(crate) entry: usize,
    pub(crate) data: Vec<u8>,
    /// Numbers behind the directives `.amdhsa_…` of the kernel.
    facts: BTreeMap<String, u64>,
}

impl Kernel {
    /// Lanes of a wave.
    pub fn lanes(&self) -> usize {
        self.family.lanes()
    }

    /// Clang counts them in fours.
    pub(crate) fn named_barriers(&self) -> usize {
        4 * self.fact("named_barrier_count") as usize
    }

    pub(crate) fn fact(&self, name: &str) -> u64 {
        self.facts.get(name).copied().unwrap_or(0)
    }
}

/// Reads a kernel.
///
/// # Errors
/// Instructions, operands and directives that are not known, each once; the text has no such kernel.
pub fn read(text: &str, symbol: &str) -> Result<Kernel, Vec<Refusal>> {
    let mut reader = Reader {
        symbol,
        kernels: text.lines().filter_map(|line| line.trim().strip_prefix(".amdhsa_kernel ")).collect(),
        family: Family::Cdna,
        high: HighBits::default(),
        section: Section::Other,
        inside: false,
        instructions: Vec::new(),
        labels: BTreeMap::new(),
        data: Vec::new(),
        symbols: BTreeMap::new(),
        facts: BTreeMap::new(),
        described: false,
        refused: BTreeMap::new(),
    };
    let mut metadata = false;
    for (at, line) in text.lines().enumerate() {
        let code = line.split(';').next().unwrap_or_default().trim();
        match code {
            ".amdgpu_metadata" => metadata = true,
            ".end_amdgpu_metadata" => metadata = false,
            "" => {}
            _ if metadata => {}
            _ => reader.line(at as u32 + 1, code),
        }
    }
    reader.finish()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Section {
    Code,
    Data,
    Other,
}

struct Reader<'t> {
    symbol: &'t str,
    /// All that the text has.
    kernels: BTreeSet<&'t str>,
    family: Family,
    high: HighBits,
    section: Section,
    /// Within instructions of the kernel, or of a function that is none.
    inside: bool,
    instructions: Vec<Instruction>,
    labels: BTreeMap<String, usize>,
    data: Vec<u8>,
    symbols: BTreeMap<String, u64>,
    facts: BTreeMap<String, u64>,
    /// Within the kernel's description.
    described: bool,
    /// Unknown parts of the text, each with its first line.
    refused: BTreeMap<String, u32>,
}

impl Reader<'_> {
    fn line(&mut self, number: u32, code: &str) {
        let (word, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let rest = rest.trim();
        if let Some(label) = code.strip_suffix(':').filter(|label| !label.contains(char::is_whitespace)) {
            self.label(label);
        } else if word.starts_with('.') {
            if let Err(reason) = self.directive(word, rest) {
                self.refused.entry(reason).or_insert(number);
            }
        } else if self.section == Section::Code && self.inside {
            match self.instruction(number, code) {
                Ok(instruction) => self.instructions.push(instruction),
                Err(reason) => {
                    self.refused.entry(reason).or_insert(number);
                }
            }
        }
    }

    fn instruction(&mut self, number: u32, code: &str) -> Result<Instruction, String> {
        let instruction = match self.family {
            Family::Cdna => decode::decode(number, code, self.family),
            Family::Gfx1250 => gfx1250::decode(number, code, &mut self.high),
        }?;
        match instruction.op {
            Op::Branch(_) | Op::Jump if !self.high.are_zero() => {
                Err(format!("`{code}` leaves with upper bits of registers' numbers"))
            }
            _ => Ok(instruction),
        }
    }

    fn label(&mut self, label: &str) {
        match self.section {
            Section::Code => {
                if self.inside && !self.high.are_zero() {
                    let reason = format!("`{label}` is come to with upper bits of registers' numbers");
                    self.refused.entry(reason).or_insert(0);
                }
                if !label.starts_with('.') {
                    self.inside = label == self.symbol || !self.kernels.contains(label);
                }
                self.inside &= !label.starts_with(".Lfunc_end");
                if self.inside {
                    self.labels.insert(label.to_owned(), self.instructions.len());
                }
            }
            Section::Data => {
                self.symbols.insert(label.to_owned(), DATA + self.data.len() as u64);
            }
            Section::Other => {}
        }
    }

    fn directive(&mut self, word: &str, rest: &str) -> Result<(), String> {
        let refused = || format!("`{word} {rest}` is not known");
        match word {
            ".amdgcn_target" => {
                let gfx = rest.trim_matches('"').rsplit('-').next().unwrap_or_default();
                self.family = Family::from_gfx(gfx.split(':').next().unwrap_or_default());
            }
            ".text" => self.section = Section::Code,
            ".section" => {
                let name = rest.split(',').next().unwrap_or_default();
                let is_data = [".rodata", ".data", ".bss"].iter().any(|data| name.starts_with(data));
                self.section = if is_data { Section::Data } else { Section::Other };
            }
            ".amdhsa_kernel" => self.described = rest == self.symbol,
            ".end_amdhsa_kernel" => self.described = false,
            _ if self.described && word.starts_with(".amdhsa_") => {
                let value = rest.parse().map_err(|_| refused())?;
                self.facts.insert(word.trim_start_matches(".amdhsa_").to_owned(), value);
            }
            ".p2align" if self.section == Section::Data => {
                let power: u32 = rest.split(',').next().and_then(|power| power.parse().ok()).ok_or_else(refused)?;
                let unit = 1usize.checked_shl(power).filter(|unit| *unit <= 4096).ok_or_else(refused)?;
                self.data.resize(self.data.len().next_multiple_of(unit), 0);
            }
            ".quad" | ".long" | ".short" | ".byte" if self.section == Section::Data => {
                let bytes = match word {
                    ".quad" => 8,
                    ".long" => 4,
                    ".short" => 2,
                    _ => 1,
                };
                for number in rest.split(',') {
                    let value = number_of(number.trim()).ok_or_else(refused)?;
                    self.data.extend(&value.to_le_bytes()[..bytes]);
                }
            }
            ".zero" if self.section == Section::Data => {
                let count: usize = rest.parse().ok().filter(|count| *count <= 1 << 24).ok_or_else(refused)?;
                self.data.resize(self.data.len() + count, 0);
            }
            ".ascii" | ".asciz" if self.section == Section::Data => {
                self.data.extend(bytes_of(rest).ok_or_else(refused)?);
                self.data.extend((word == ".asciz").then_some(0));
            }
            ".fill" | ".string" if self.section == Section::Data => return Err(refused()),
            _ => {}
        }
        Ok(())
    }

    /// Puts the address of each symbol that code finds by the global offset table behind the data.
    fn add_offset_table(&mut self) {
        for operand in self.instructions.iter().flat_map(|instruction| &instruction.operands) {
            let Operand::Symbolic(text) = operand else { continue };
            let Some((symbol, _)) = text.split_once(GOT) else { continue };
            let entry = format!("{symbol}{GOT}");
            if let (Some(&address), false) = (self.symbols.get(symbol), self.symbols.contains_key(&entry)) {
                self.data.resize(self.data.len().next_multiple_of(8), 0);
                self.symbols.insert(entry, DATA + self.data.len() as u64);
                self.data.extend(address.to_le_bytes());
            }
        }
    }

    fn finish(mut self) -> Result<Kernel, Vec<Refusal>> {
        let entry = self.labels.get(self.symbol).copied();
        if self.facts.is_empty() || entry.is_none() {
            self.refused.insert(format!("the listing has no kernel `{}`", self.symbol), 1);
        }
        self.add_offset_table();
        let resolver = Resolver { labels: &self.labels, symbols: &self.symbols };
        for (at, instruction) in self.instructions.iter_mut().enumerate() {
            for operand in &mut instruction.operands {
                let Operand::Symbolic(text) = &*operand else { continue };
                match resolver.value(text, at) {
                    Some(value) => *operand = Operand::Constant(value),
                    None => {
                        self.refused.entry(format!("`{text}` stands nowhere")).or_insert(instruction.line);
                    }
                }
            }
        }
        if self.refused.is_empty() {
            let Self { symbol, family, instructions, data, facts, .. } = self;
            let entry = entry.unwrap_or(0);
            return Ok(Kernel { symbol: symbol.to_owned(), family, instructions, entry, data, facts });
        }
        Err(self.refused.into_iter().map(|(reason, line)| Refusal { line, reason }).collect())
    }
}

/// A number in the notation of the assembler, as its bits.
fn number_of(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse::<u64>().ok().or_else(|| text.parse::<i64>().ok().map(|value| value as u64)),
    }
}

/// The bytes of a text in quotes, as LLVM escapes them.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut bytes = Vec::new();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                digit @ b'0'..=b'3' => [digit, rest.next()?, rest.next()?]
                    .into_iter()
                    .try_fold(0, |sum, digit| (b'0'..=b'7').contains(&digit).then(|| 8 * sum + (digit - b'0')))?,
                b'n' => b'\n',
                b't' => b'\t',
                b'b' => 8,
                b'f' => 12,
                b'r' => b'\r',
                quoted @ (b'\\' | b'"') => quoted,
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(bytes)
}

/// Behind the name of a symbol: its entry of the global offset table.
const GOT: &str = "@gotpcrel32@";

struct Resolver<'a> {
    labels: &'a BTreeMap<String, usize>,
    symbols: &'a BTreeMap<String, u64>,
}

impl Resolver<'_> {
    /// Returns the assembler's value of a label, of the distance to a symbol (`x@rel32@lo+4` or `x@rel64+4`, from the literal's own place) or to its
    /// entry of the table (`x@gotpcrel32@lo+4`), or of the distance of two labels (`(a-b)&4294967295`, `(a-b)>>32`).
    fn value(&self, text: &str, at: usize) -> Option<Constant> {
        if let Some(index) = self.labels.get(text) {
            return Some(Constant::Integer(*index as i64));
        }
        // A far branch: the distance from the label behind it.
        if let Some((target, from)) = text.split_once('-')
            && let (Some(target), Some(from)) = (self.labels.get(target), self.labels.get(from))
        {
            return (*from == at + 1).then_some(Constant::Integer(*target as i64));
        }
        let half = |value: u64, high: bool| Constant::Literal((if high { value >> 32 } else { value }) as u32);
        if let Some((symbol, addend)) = text.split_once("@rel64") {
            let target = self.symbols.get(symbol)?.wrapping_add_signed(addend.parse().ok()?);
            return Some(Constant::Wide(target.wrapping_sub(address(at) + 4)));
        }
        let relative = text.split_once("@rel32@").map(|(symbol, rest)| (symbol.to_owned(), rest));
        let entry = || text.split_once(GOT).map(|(symbol, rest)| (format!("{symbol}{GOT}"), rest));
        if let Some((symbol, rest)) = relative.or_else(entry) {
            let (part, addend) = rest.split_at(rest.find(['+', '-'])?);
            let high = match part {
                "lo" => false,
                "hi" => true,
                _ => return None,
            };
            let place = address(at) + 4;
            let function = || self.labels.get(&symbol).map(|index| address(*index));
            let target = self.symbols.get(&symbol).copied().or_else(function)?;
            let target = target.wrapping_add_signed(addend.parse().ok()?);
            return Some(half(target.wrapping_sub(place), high));
        }
        let (difference, rest) = text.strip_prefix('(')?.split_once(')')?;
        let (a, b) = difference.split_once('-')?;
        let of = |label: &str| self.labels.get(label).map(|index| address(*index));
        let distance = of(a)?.wrapping_sub(of(b)?);
        match rest {
            "&4294967295" => Some(half(distance, false)),
            ">>32" => Some(half(distance, true)),
            _ => None,
        }
    }
}

/// Where an instruction lies.
pub fn address(index: usize) -> u64 {
    CODE + 8 * index as u64
}
