//! Declarations: registers, variables with their initial values, tables of branch targets.

use super::arithmetic::named_space;
use super::body::Body;
use super::operand::{bits, literal, storage, ty};
use super::scope::Range;
use super::{Reader, Rule};
use crate::inst::Space;
use crate::ir::{FuncKind, Init, Linkage, Reg, VariableData};
use crate::names::Named;
use cranelift_entity::EntityRef;
use pest::iterators::Pair;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Registers of one kernel: beyond all that compilers emit, and few enough to fit in memory.
const MOST_REGISTERS: usize = 1 << 22;
/// Bytes of one variable.
const MOST_BYTES: u64 = 1 << 32;
/// Bytes of one with values, which are kept and printed: more than the constant memory of any machine.
const MOST_INITIAL: u64 = 1 << 24;

impl<'a> Reader<'a> {
    pub(super) fn registers(&mut self, item: &Pair<'a, Rule>, body: &mut Body<'a>) {
        let (attributes, ranges): (Vec<_>, Vec<_>) =
            item.clone().into_inner().partition(|part| part.as_rule() == Rule::attribute);
        let attributes: Vec<&str> = attributes.iter().map(|a| a.as_str().trim()).collect();
        let (elements, attribute): (&[&str], &str) = match attributes[..] {
            [attribute] => (&[""], attribute),
            [".v2", attribute] => (&[".x", ".y"], attribute),
            [".v4", attribute] => (&[".x", ".y", ".z", ".w"], attribute),
            _ => (&[], ""),
        };
        let Some(ty) = storage(attribute).filter(|_| !elements.is_empty()) else {
            let attributes = attributes.join(" ");
            return self.error(item, "ptx::type", format!("registers of type {attributes} are not supported"));
        };
        let ty = ty.class();
        for range in ranges {
            let mut parts = range.clone().into_inner();
            let name = parts.next().map_or("", |word| word.as_str());
            let fresh = match parts.next() {
                // a vector is its elements
                None => elements.iter().all(|element| {
                    let name = if element.is_empty() { Cow::from(name) } else { Cow::from(format!("{name}{element}")) };
                    let reg = body.temporary(name.clone(), ty);
                    body.scope().declare(name, reg)
                }),
                Some(count) if elements.len() > 1 => {
                    return self.error(&count, "ptx::type", "vectors of registers with a count are not supported");
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

    /// A function's own copies of the registers that the module declares.
    pub(super) fn common_registers(&mut self, body: &mut Body<'a>) {
        let first = body.func.regs.next_key();
        for item in self.common.clone() {
            self.registers(&item, body);
            // number 0, which else would come when it is used
            for range in item.into_inner().filter(|range| range.as_rule() == Rule::range) {
                body.reg(&format!("{}0", range.as_str().split('<').next().unwrap_or_default().trim_end()));
            }
        }
        body.common = first.index()..body.func.regs.len();
    }

    /// Refuses functions that share a register of the module: one would find there what another left, which the IR cannot express.
    /// Only kernels, none of which calls another, may name the same one.
    pub(super) fn common_users(&mut self, body: &Body<'a>) {
        let mut used = BTreeSet::new();
        for data in body.func.insts.values() {
            used.extend(data.guard.map(|guard| guard.pred));
            used.extend(data.op.results());
            data.op.operands(|operand| used.extend(operand.reg()));
        }
        used.extend(body.func.blocks.values().filter_map(|block| block.terminator.condition()));
        let called = body.func.kind == FuncKind::Function;
        for number in used.iter().map(|reg| reg.index()).filter(|number| body.common.contains(number)) {
            let before = self.users.insert(number - body.common.start, called);
            if before.is_some_and(|other| other || called) {
                let item = self.common[0].clone();
                let text = "functions share a register of the module, which is not supported";
                return self.error(&item, "ptx::unsupported", text);
            }
        }
    }

    /// A variable of the module, or with `inside` of the function that is being read.
    pub(super) fn variable(&mut self, item: Pair<'a, Rule>, inside: bool) {
        let (mut space, mut kind, mut elements, mut align, mut name) = (Space::Global, None, 1, 1, "");
        let (mut extents, mut values, mut text, mut linkage) = (None, None, None, Linkage::Internal);
        for part in item.clone().into_inner() {
            match part.as_rule() {
                Rule::linking => {
                    let word = format!("{} ", part.as_str().trim());
                    linkage = Linkage::by_name(&word).unwrap_or(linkage);
                }
                Rule::space => space = named_space(part.as_str().trim().trim_start_matches('.')).unwrap_or(space),
                Rule::attribute => match part.clone().into_inner().next() {
                    Some(inner) if inner.as_rule() == Rule::integer => align = inner.as_str().parse().unwrap_or(0),
                    _ => match part.as_str().trim() {
                        ".v2" => elements = 2,
                        ".v4" => elements = 4,
                        other => kind = Some(other),
                    },
                },
                Rule::word => name = part.as_str(),
                Rule::extent => {
                    let extent = |n: Pair<Rule>| n.as_str().parse().unwrap_or(u64::MAX);
                    extents = Some(part.into_inner().map(extent).collect::<Vec<u64>>());
                }
                Rule::addresses => text = Some(inside_braces(part.as_str().trim())),
                _ => values = Some(part),
            }
        }
        // a vector is an array with the alignment of the whole
        let mut rows = extents.unwrap_or_else(|| vec![1]);
        if rows.is_empty() {
            rows.push(values.as_ref().map_or(0, |list| list.clone().into_inner().count() as u64));
        }
        rows.extend((elements > 1).then_some(elements));
        let count = product(&rows);
        let Some(width) = kind.and_then(width) else {
            return self.error(
                &item,
                "ptx::type",
                format!("a variable of type {}", kind.unwrap_or("that is not given")),
            );
        };
        let bytes = count.saturating_mul(width);
        let most = if values.is_some() { MOST_INITIAL } else { MOST_BYTES };
        let mut flat = Vec::new();
        let fits = bytes <= most && values.as_ref().is_none_or(|list| flatten(list, &rows, &mut flat));
        if !fits || !u32::is_power_of_two(align) || flat.len() as u64 > count {
            return self.error(&item, "ptx::variable", format!("the size, alignment or values of {name} are wrong"));
        }
        let init = match (values, text) {
            (None, None) => Some(Init::None),
            (Some(_), _) => initial(kind.unwrap_or_default(), width, bytes, &flat),
            (None, Some(text)) if text.contains(['{', '}']) => None,
            (None, Some(text)) => kind.and_then(ty).map(|ty| Init::Verbatim(ty, text.to_owned())),
        };
        let Some(init) = init else {
            return self.error(&item, "ptx::variable", format!("a value of {name} is wrong"));
        };
        let align = align.max((width * elements) as u32);
        let taken = |own: &str| self.module.variables.values().any(|v| v.name == own);
        let fresh = if inside && taken(name) {
            (1..).map(|n| format!("{name}${n}")).find(|own| !taken(own)).unwrap_or_default()
        } else {
            name.to_owned()
        };
        let known = if inside { &self.inner } else { &self.variables };
        if let Some(old) = known.get(name).copied() {
            // a declaration may come before its definition
            match self.module.variables[old].linkage {
                Linkage::Extern if !inside => {
                    self.module.variables[old] = VariableData { name: fresh, linkage, space, align, bytes, init }
                }
                _ => self.error(&item, "ptx::declared-twice", format!("{name} is declared twice")),
            }
            return;
        }
        let variable = self.module.variables.push(VariableData { name: fresh, linkage, space, align, bytes, init });
        let known = if inside { &mut self.inner } else { &mut self.variables };
        known.insert(name, variable);
    }
}

/// The values of `{…}` one behind the other; rows that are shorter than their extent end in zeros. False when one is longer.
fn flatten<'a>(list: &Pair<'a, Rule>, extents: &[u64], flat: &mut Vec<&'a str>) -> bool {
    let inner = extents.get(1..).unwrap_or_default();
    let most = flat.len() as u64 + product(extents);
    list.clone().into_inner().all(|part| {
        if part.as_rule() == Rule::number {
            flat.push(part.as_str());
            return true;
        }
        let end = flat.len() as u64 + product(inner);
        let fits = !inner.is_empty() && end <= most && flatten(&part, inner, flat) && flat.len() as u64 <= end;
        if fits {
            flat.resize(end as usize, "0");
        }
        fits
    })
}

fn product(extents: &[u64]) -> u64 {
    extents.iter().copied().fold(1, u64::saturating_mul)
}

fn inside_braces(text: &str) -> &str {
    text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text).trim()
}

/// Bytes of an element.
fn width(kind: &str) -> Option<u64> {
    match kind {
        ".b8" | ".u8" | ".s8" => Some(1),
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => Some(2),
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => Some(4),
        ".b64" | ".u64" | ".s64" | ".f64" => Some(8),
        ".b128" => Some(16),
        _ => None,
    }
}

/// Missing values are zero.
fn initial(kind: &str, width: u64, bytes: u64, values: &[&str]) -> Option<Init> {
    let real = matches!(kind, ".f32" | ".f64").then(|| ty(kind)).flatten();
    let word = |v: &&str| real.map_or_else(|| bits(v), |ty| literal(v, ty));
    let words: Vec<u64> = values.iter().map(word).collect::<Option<_>>()?;
    let full = words.len() as u64 * width == bytes;
    Some(match kind {
        ".f64" if full => Init::F64(words.into_iter().map(f64::from_bits).collect()),
        ".f32" if full => Init::F32(words.into_iter().map(|w| f32::from_bits(w as u32)).collect()),
        ".s32" if full => Init::S32(words.into_iter().map(|w| w as u32 as i32).collect()),
        _ => {
            let mut all: Vec<u8> =
                words.iter().flat_map(|w| w.to_le_bytes().into_iter().take(width as usize)).collect();
            all.resize(usize::try_from(bytes).ok()?, 0);
            Init::Bytes(all)
        }
    })
}
