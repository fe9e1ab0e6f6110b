//! Declarations: registers, variables with their initial values, tables of branch targets.

use super::body::Body;
use super::operand::{bits, ty};
use super::scope::Range;
use super::{Reader, Rule};
use crate::simt::inst::{Space, Type};
use crate::simt::ir::{Init, Reg, VariableData};
use pest::iterators::Pair;

/// Registers of one kernel: beyond all that compilers emit, and few enough to fit in memory.
const MOST_REGISTERS: usize = 1 << 22;
/// Bytes of one variable.
const MOST_BYTES: u64 = 1 << 32;

impl<'a> Reader<'a> {
    /// Tables may follow the branch that uses them.
    pub(super) fn collect_tables(&mut self, items: &[Pair<'a, Rule>]) {
        for item in items.iter().filter(|item| item.as_rule() == Rule::table) {
            let mut words = item.clone().into_inner().map(|word| word.as_str());
            let Some(name) = words.next() else { continue };
            if self.tables.insert(name, words.collect()).is_some() {
                self.error(item, "ptx::declared-twice", format!("{name} is declared twice"));
            }
        }
    }

    pub(super) fn registers(&mut self, item: &Pair<'a, Rule>, body: &mut Body<'a>) {
        let mut inner = item.clone().into_inner();
        let attribute = inner.next().map_or("", |a| a.as_str().trim());
        let Some(ty) = ty(attribute) else {
            return self.error(item, "ptx::type", format!("registers of type {attribute} are not supported"));
        };
        let ty = ty.class();
        for range in inner {
            let mut parts = range.clone().into_inner();
            let name = parts.next().map_or("", |word| word.as_str());
            let fresh = match parts.next() {
                None => {
                    let reg = body.temporary(name, ty);
                    body.scope().declare(name, reg)
                }
                Some(count) => {
                    let count = count.as_str().parse::<usize>().unwrap_or(usize::MAX);
                    if count.saturating_add(body.func.regs.len()) > MOST_REGISTERS {
                        return self.error(&range, "ptx::too-large", "too many registers");
                    }
                    let regs: Vec<Reg> = (1..count).map(|_| body.func.regs.push(ty)).collect();
                    body.scope().declare_range(name, Range { ty, regs, zero: None })
                }
            };
            if !fresh {
                self.error(&range, "ptx::declared-twice", format!("{name} is declared twice"));
            }
        }
    }

    pub(super) fn variable(&mut self, item: Pair<'a, Rule>) {
        let (mut space, mut kind, mut align, mut name) = (Space::Global, None, 1, "");
        let (mut count, mut values) = (Some(1), None);
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::space => {
                    space = match part.as_str().trim() {
                        ".shared" => Space::Shared,
                        ".const" => Space::Const,
                        ".local" => Space::Local,
                        _ => Space::Global,
                    }
                }
                Rule::attribute => match part.clone().into_inner().next() {
                    Some(inner) if inner.as_rule() == Rule::integer => align = inner.as_str().parse().unwrap_or(0),
                    _ => kind = Some(part.as_str().trim()),
                },
                Rule::word => name = part.as_str(),
                Rule::extent => count = part.into_inner().next().map(|n| n.as_str().parse().unwrap_or(u64::MAX)),
                _ => values = Some(part.into_inner().map(|number| number.as_str()).collect::<Vec<_>>()),
            }
        }
        let count = count.or(values.as_ref().map(|v| v.len() as u64)).unwrap_or(0);
        let Some(width) = kind.and_then(width) else {
            return self.error(
                &item,
                "ptx::type",
                format!("a variable of type {}", kind.unwrap_or("that is not given")),
            );
        };
        let bytes = count.saturating_mul(width);
        if bytes > MOST_BYTES || !u32::is_power_of_two(align) || values.as_ref().is_some_and(|v| v.len() as u64 > count)
        {
            return self.error(&item, "ptx::variable", format!("the size, alignment or values of {name} are wrong"));
        }
        let init = match values {
            None => Init::None,
            Some(values) => match initial(kind.unwrap_or_default(), width, bytes, &values) {
                Some(init) => init,
                None => return self.error(&item, "ptx::variable", format!("a value of {name} is wrong")),
            },
        };
        let align = align.max(width as u32);
        let data = VariableData { name: name.to_owned(), space, align, bytes, init };
        let variable = self.module.variables.push(data);
        if self.variables.insert(name, variable).is_some() {
            self.error(&item, "ptx::declared-twice", format!("{name} is declared twice"));
        }
    }
}

/// Bytes of an element.
fn width(kind: &str) -> Option<u64> {
    match kind {
        ".b8" | ".u8" | ".s8" => Some(1),
        ".b16" | ".u16" | ".s16" | ".f16" => Some(2),
        ".b32" | ".u32" | ".s32" | ".f32" => Some(4),
        ".b64" | ".u64" | ".s64" | ".f64" => Some(8),
        _ => None,
    }
}

/// Missing values are zero.
fn initial(kind: &str, width: u64, bytes: u64, values: &[&str]) -> Option<Init> {
    let words: Vec<u64> = values.iter().map(|v| bits(v)).collect::<Option<_>>()?;
    let full = words.len() as u64 * width == bytes;
    Some(match kind {
        ".f64" if full => Init::F64(words.into_iter().map(f64::from_bits).collect()),
        ".s32" if full => Init::S32(words.into_iter().map(|w| w as u32 as i32).collect()),
        _ => {
            let mut all: Vec<u8> =
                words.iter().flat_map(|w| w.to_le_bytes().into_iter().take(width as usize)).collect();
            all.resize(usize::try_from(bytes).ok()?, 0);
            Init::Bytes(all)
        }
    })
}

impl Type {
    /// The type by which `.reg` declares it: instructions bring the sign.
    pub fn class(self) -> Self {
        match self {
            Self::U32 | Self::S32 => Self::B32,
            Self::U64 | Self::S64 => Self::B64,
            other => other,
        }
    }
}
