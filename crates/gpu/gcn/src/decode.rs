//! From the text of an instruction to what it does. Whatever is not known is refused, modifiers among it.

use crate::family::Family;
use crate::forms::{LANES, SCALARS};
use crate::gfx1250;
use crate::instruction::{Counter, Instruction, Op, Part, Space, Test, Waits, When};
use crate::operand::{self, Kind, Operand};

/// Behind the names of instructions that take bytes or halves of their sources.
const SDWA: &str = "_sdwa";

/// Reads an instruction.
///
/// # Errors
/// Some part of the instruction is not known.
pub fn decode(line: u32, text: &str, family: Family) -> Result<Instruction, String> {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let unknown = || format!("the instruction `{name}` is not known");
    let own = match family {
        Family::Cdna => None,
        Family::Gfx1250 => gfx1250::op(name, rest),
    };
    let op = own.or_else(|| op(&gfx1250::common_name(name, family), rest)).ok_or_else(unknown)?;
    let mut instruction = Instruction {
        line,
        text: text.to_owned(),
        op,
        operands: Vec::new(),
        offsets: [0; 2],
        select: None,
        parts: name.ends_with(SDWA).then_some([Part::ALL; 2]),
        offen: false,
        scaled: false,
        truth: 0,
        mask: family.mask(),
        second: None,
    };
    if matches!(op, Op::Wait(_) | Op::Nothing) {
        return Ok(instruction);
    }
    for (at, part) in rest.split(',').map(str::trim).enumerate() {
        let mut words = part.split_whitespace();
        match words.next() {
            None if at == 0 => {}
            None => return Err(format!("`{text}` has an empty operand")),
            Some(first) => take(&mut instruction, first, family)?,
        }
        // Behind the last operand stand modifiers. A list in brackets has commas of its own, and is read as a whole.
        for modifier in words {
            take(&mut instruction, modifier, family)?;
        }
    }
    fits(&instruction)?;
    Ok(instruction)
}

/// One operand or modifier.
fn take(instruction: &mut Instruction, word: &str, family: Family) -> Result<(), String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let refused = || format!("`{word}` of `{}` is not known", instruction.text);
    if let Some((name, value)) = word.split_once(':').filter(|(name, _)| !name.contains('[')) {
        match name {
            "offset" | "offset0" => instruction.offsets[0] = number(value).ok_or_else(refused)?,
            "offset1" => instruction.offsets[1] = number(value).ok_or_else(refused)?,
            "bitop3" => {
                instruction.truth = number(value).and_then(|table| u8::try_from(table).ok()).ok_or_else(refused)?;
            }
            // Hints for caches, and for whom they are to agree: neither changes a value of a wave's own.
            "th" | "scope" if family == Family::Gfx1250 => {}
            "dst_sel" if instruction.parts.is_some() && value == "DWORD" => {}
            // All of the destination is used.
            "dst_unused" if instruction.parts.is_some() => {}
            "src0_sel" | "src1_sel" => {
                let at = usize::from(name == "src1_sel");
                instruction.parts.as_mut().ok_or_else(refused)?[at] = part(value).ok_or_else(refused)?;
            }
            "op_sel" => instruction.select = Some(u8::from(value.starts_with("[1"))),
            _ => return Err(refused()),
        }
        return Ok(());
    }
    // The second number of `op_sel:[a,b]`.
    if let (Some(select), Some(second)) = (instruction.select, word.strip_suffix(']').filter(|_| word.len() == 2)) {
        instruction.select = Some(select | u8::from(second == "1") << 1);
        return Ok(());
    }
    if word == "offen" && matches!(instruction.op, Op::Memory { space: Space::Buffer, .. }) {
        instruction.offen = true;
        return Ok(());
    }
    if word == "scale_offset" && matches!(instruction.op, Op::ScalarLoad { .. } | Op::Memory { .. }) {
        instruction.scaled = true;
        return Ok(());
    }
    // The operation has it.
    if word.starts_with("gpr_idx(") && matches!(instruction.op, Op::IndexOn { .. }) {
        return Ok(());
    }
    // Hints for caches change no value.
    if matches!(word, "nt" | "sc0" | "sc1" | "glc" | "slc") && !instruction.operands.is_empty() {
        return Ok(());
    }
    let operand = match instruction.op {
        Op::Branch(_) => Operand::Symbolic(word.to_owned()),
        _ => operand::read(word, family).ok_or_else(refused)?,
    };
    instruction.operands.push(operand);
    Ok(())
}

/// Such as `BYTE_1`.
fn part(name: &str) -> Option<Part> {
    let (bits, number) = match name.split_once('_') {
        None => return (name == "DWORD").then_some(Part::ALL),
        Some(("BYTE", number)) => (8, number),
        Some(("WORD", number)) => (16, number),
        Some(_) => return None,
    };
    let number: u32 = number.parse().ok()?;
    (bits * (number + 1) <= 32).then_some(Part { first: bits * number, bits })
}

/// Whether operands are as many and as wide as the instruction takes.
fn fits(instruction: &Instruction) -> Result<(), String> {
    use Kind::{B32, B64, F64};
    let mask = Some(instruction.mask);
    let kinds: Vec<Option<Kind>> = match instruction.op {
        Op::Lanes(form) | Op::Approximate(form) | Op::Accumulate(form) => {
            [form.result].iter().chain(form.sources).map(|kind| Some(*kind)).collect()
        }
        Op::ScalarsOnto(form) => form.sources.iter().map(|kind| Some(*kind)).collect(),
        Op::Scalars(form) => [form.result].iter().chain(form.sources).map(|kind| Some(*kind)).collect(),
        Op::Compare { kind, .. } => vec![mask, Some(kind), Some(kind)],
        Op::Class => vec![mask, Some(F64), Some(B32)],
        Op::Carry { carried: false, .. } => vec![Some(B32), mask, Some(B32), Some(B32)],
        Op::Carry { .. } => vec![Some(B32), mask, Some(B32), Some(B32), mask],
        Op::WideMultiplyAdd { .. } => vec![Some(B64), mask, Some(B32), Some(B32), Some(B64)],
        Op::Select => vec![Some(B32), Some(B32), Some(B32), mask],
        Op::Truth { sources } => vec![Some(B32); 1 + sources],
        Op::ReadLane | Op::WriteLane | Op::Permute { .. } => vec![Some(B32); 3],
        Op::ReadFirstLane => vec![Some(B32); 2],
        Op::DivScale => vec![Some(F64), mask, Some(F64), Some(F64), Some(F64)],
        Op::DivFmas => vec![Some(F64); 4],
        Op::PackedMove => vec![Some(B64); 3],
        Op::ScalarCompare { kind, .. } => vec![Some(kind); 2],
        Op::BitCompare { .. } => vec![Some(B32); 2],
        Op::CompareExec { kind, .. } => vec![Some(kind); 2],
        Op::SaveExec(_) => vec![mask; 2],
        Op::ProgramCounter | Op::Jump => vec![Some(B64)],
        Op::Call => vec![Some(B64); 2],
        Op::IndexOn { .. } => vec![Some(B32)],
        Op::Branch(_) => vec![None],
        Op::Split(_) => vec![Some(B32)],
        Op::Wait(_) | Op::Barrier | Op::End | Op::Nothing | Op::IndexOff => vec![],
        Op::ScalarLoad { .. } => vec![None, Some(B64), Some(B32)],
        Op::Memory { space: Space::Global | Space::Scratch, .. } => vec![None; 3],
        Op::Memory { space: Space::Buffer, .. } => vec![None, None, None, Some(B32)],
        Op::Memory { .. } => vec![None; 2],
        Op::Pair { store: false, .. } => vec![None, Some(B32)],
        Op::Pair { .. } => vec![Some(B32), None, None],
    };
    // Only real numbers can be negated or made positive.
    let has_two_results = matches!(instruction.op, Op::DivScale | Op::Carry { .. } | Op::WideMultiplyAdd { .. });
    let wide = |at: usize, operand: &Operand, kind: Option<Kind>| match (operand, kind) {
        (Operand::Registers { registers, negated, absolute }, Some(kind)) => {
            registers.count == kind.registers() && (!(*negated || *absolute) || matches!(kind, Kind::F32 | F64))
        }
        (Operand::Registers { negated, absolute, .. }, None) => !*negated && !*absolute,
        (Operand::Constant(constant), Some(kind)) => constant.bits(kind).is_some(),
        (Operand::Off, Some(_)) => false,
        (Operand::Null, _) => at == 1 && has_two_results,
        _ => true,
    };
    let fit = instruction.operands.len() == kinds.len()
        && instruction.operands.iter().zip(kinds).enumerate().all(|(at, (operand, kind))| wide(at, operand, kind));
    let selects = instruction.select.is_none() || matches!(instruction.op, Op::PackedMove);
    // Only operands of kind `B32` are taken in parts here.
    let has_parts = match (instruction.parts, instruction.op) {
        (None, _) => true,
        (Some(_), Op::Lanes(form)) => form.result == B32 && form.sources.iter().all(|kind| *kind == B32),
        (Some(_), Op::Compare { kind, .. }) => kind == B32,
        (Some(_), _) => false,
    };
    if fit && has_parts && selects && data_fit(instruction) {
        Ok(())
    } else {
        Err(format!("the operands of `{}` are not known", instruction.text))
    }
}

/// Whether memory instructions have registers for as many bytes as they move, and addresses of the right size.
fn data_fit(instruction: &Instruction) -> bool {
    let count = |at: usize| match &instruction.operands[at] {
        Operand::Registers { registers, .. } => registers.count,
        _ => 0,
    };
    match instruction.op {
        Op::ScalarLoad { registers } => count(0) == registers,
        Op::Pair { store: false, bytes, .. } => count(0) == u16::from(bytes) / 2,
        Op::Pair { bytes, .. } => count(1) == u16::from(bytes) / 4 && count(2) == count(1),
        Op::Memory { space: Space::Buffer, bytes, .. } => {
            let place = if instruction.offen { count(1) == 1 } else { instruction.operands[1] == Operand::Off };
            place && count(2) == 4 && count(0) == u16::from(bytes / 4)
        }
        Op::Memory { space, store, bytes, .. } => {
            let (data, place) = if store { (1, 0) } else { (0, 1) };
            let address = match space {
                Space::Global if count(2) == 2 => count(place) == 1,
                Space::Global => instruction.operands[2] == Operand::Off && count(place) == 2,
                Space::Flat => count(place) == 2,
                Space::Scratch => count(place) <= 1 && count(2) <= 1,
                Space::Lds | Space::Buffer => count(place) == 1,
            };
            address && count(data) == u16::from(bytes.div_ceil(4))
        }
        _ => true,
    }
}

fn op(name: &str, rest: &str) -> Option<Op> {
    if let Some(form) = SCALARS.iter().find(|form| form.name == name) {
        let is_onto = matches!(name, "s_addk_i32" | "s_mulk_i32");
        return Some(if is_onto { Op::ScalarsOnto(form) } else { Op::Scalars(form) });
    }
    match name.split_once('_')?.0 {
        "s" => scalar(name, rest),
        "v" => vector(["_e32", "_e64", SDWA].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)),
        "ds" => lds(name),
        _ => memory(name),
    }
}

fn scalar(name: &str, rest: &str) -> Option<Op> {
    Some(match name {
        "s_endpgm" => Op::End,
        "s_barrier" => Op::Barrier,
        "s_nop" | "s_setprio" | "s_sleep" => Op::Nothing,
        "s_waitcnt" => wait(rest)?,
        "s_getpc_b64" => Op::ProgramCounter,
        "s_setpc_b64" => Op::Jump,
        "s_swappc_b64" => Op::Call,
        "s_set_gpr_idx_on" => match rest.split_once("gpr_idx(")?.1 {
            "SRC0)" => Op::IndexOn { source: true, result: false },
            "DST)" => Op::IndexOn { source: false, result: true },
            _ => return None,
        },
        "s_set_gpr_idx_off" => Op::IndexOff,
        "s_branch" => Op::Branch(When::Always),
        "s_cbranch_scc0" => Op::Branch(When::Condition(false)),
        "s_cbranch_scc1" => Op::Branch(When::Condition(true)),
        "s_cbranch_vccz" => Op::Branch(When::VccZero(true)),
        "s_cbranch_vccnz" => Op::Branch(When::VccZero(false)),
        "s_cbranch_execz" => Op::Branch(When::ExecZero(true)),
        "s_cbranch_execnz" => Op::Branch(When::ExecZero(false)),
        "s_and_saveexec_b64" => Op::SaveExec(|source, exec| source & exec),
        "s_or_saveexec_b64" => Op::SaveExec(|source, exec| source | exec),
        "s_xor_saveexec_b64" => Op::SaveExec(|source, exec| source ^ exec),
        "s_andn2_saveexec_b64" => Op::SaveExec(|source, exec| source & !exec),
        "s_and_saveexec_b32" => Op::SaveExec(|source, exec| source & exec),
        "s_or_saveexec_b32" => Op::SaveExec(|source, exec| source | exec),
        "s_xor_saveexec_b32" => Op::SaveExec(|source, exec| source ^ exec),
        "s_andn2_saveexec_b32" => Op::SaveExec(|source, exec| source & !exec),
        "s_bitcmp0_b32" => Op::BitCompare { set: false },
        "s_bitcmp1_b32" => Op::BitCompare { set: true },
        "s_load_dword" => Op::ScalarLoad { registers: 1 },
        _ => {
            if let Some(count) = name.strip_prefix("s_load_dwordx") {
                let registers = count.parse().ok().filter(|count| [2, 3, 4, 8, 16].contains(count))?;
                return Some(Op::ScalarLoad { registers });
            }
            let long = name.strip_prefix("s_cmp_");
            let (kind, test) = test(long.or_else(|| name.strip_prefix("s_cmpk_"))?)?;
            Op::ScalarCompare { kind, test, short: long.is_none() }
        }
    })
}

/// `vmcnt(n)`, `lgkmcnt(n)` and `expcnt(n)`, which no instruction here counts in.
fn wait(rest: &str) -> Option<Op> {
    let mut waits = Waits::default();
    for part in rest.split(|c: char| c.is_whitespace() || c == '&').filter(|part| !part.is_empty()) {
        let (counter, count) = part.strip_suffix(')')?.split_once('(')?;
        let count = Some(count.parse().ok()?);
        match counter {
            "vmcnt" => waits.left[Counter::Loads as usize] = count,
            "lgkmcnt" => waits.left[Counter::Lds as usize] = count,
            "expcnt" => {}
            _ => return None,
        }
    }
    Some(Op::Wait(waits))
}

fn vector(name: &str) -> Option<Op> {
    if let Some(form) = LANES.iter().find(|form| form.name == name) {
        return Some(match name {
            "v_rcp_f64" | "v_rsq_f64" | "v_sqrt_f64" => Op::Approximate(form),
            _ if name.starts_with("v_fmac") => Op::Accumulate(form),
            _ => Op::Lanes(form),
        });
    }
    let carry = |difference, reversed, carried| Some(Op::Carry { difference, reversed, carried });
    match name {
        "v_cndmask_b32" => Some(Op::Select),
        "v_readlane_b32" => Some(Op::ReadLane),
        "v_readfirstlane_b32" => Some(Op::ReadFirstLane),
        "v_writelane_b32" => Some(Op::WriteLane),
        "v_div_scale_f64" => Some(Op::DivScale),
        "v_div_fmas_f64" => Some(Op::DivFmas),
        "v_pk_mov_b32" => Some(Op::PackedMove),
        "v_bitop2_b32" => Some(Op::Truth { sources: 2 }),
        "v_bitop3_b32" => Some(Op::Truth { sources: 3 }),
        "v_cmp_class_f64" => Some(Op::Class),
        "v_add_co_u32" => carry(false, false, false),
        "v_sub_co_u32" => carry(true, false, false),
        "v_subrev_co_u32" => carry(true, true, false),
        "v_addc_co_u32" => carry(false, false, true),
        "v_subb_co_u32" => carry(true, false, true),
        "v_subbrev_co_u32" => carry(true, true, true),
        "v_mad_u64_u32" => Some(Op::WideMultiplyAdd { signed: false }),
        "v_mad_i64_i32" => Some(Op::WideMultiplyAdd { signed: true }),
        "v_nop" => Some(Op::Nothing),
        _ => {
            if let Some(name) = name.strip_prefix("v_cmpx_") {
                let (kind, test) = test(name)?;
                return Some(Op::CompareExec { kind, test });
            }
            let (kind, test) = test(name.strip_prefix("v_cmp_")?)?;
            Some(Op::Compare { kind, test })
        }
    }
}

/// Such as `lt_f64`.
fn test(name: &str) -> Option<(Kind, Test)> {
    let (relation, ty) = name.split_once('_')?;
    let (kind, signed) = match ty {
        "f64" => (Kind::F64, true),
        "f32" => (Kind::F32, true),
        "i32" => (Kind::B32, true),
        "u32" => (Kind::B32, false),
        "i16" => (Kind::B32, true),
        "u16" => (Kind::B32, false),
        "i64" => (Kind::B64, true),
        "u64" => (Kind::B64, false),
        _ => return None,
    };
    let is_real = ty.starts_with('f');
    let (less, equal, greater, unordered) = match relation {
        "lt" => (true, false, false, false),
        "eq" => (false, true, false, false),
        "le" => (true, true, false, false),
        "gt" => (false, false, true, false),
        "ge" => (false, true, true, false),
        "lg" => (true, false, true, false),
        "ne" if !is_real => (true, false, true, false),
        "o" if is_real => (true, true, true, false),
        "u" if is_real => (false, false, false, true),
        "nge" if is_real => (true, false, false, true),
        "nlg" if is_real => (false, true, false, true),
        "ngt" if is_real => (true, true, false, true),
        "nle" if is_real => (false, false, true, true),
        "neq" if is_real => (true, false, true, true),
        "nlt" if is_real => (false, true, true, true),
        _ => return None,
    };
    Some((kind, Test { less, equal, greater, unordered, signed, short: ty.ends_with("16") }))
}

fn lds(name: &str) -> Option<Op> {
    let load = |store, bytes, signed| Some(Op::Memory { space: Space::Lds, store, bytes, signed });
    let pair = |store, bytes, unit| Some(Op::Pair { store, bytes, unit });
    match name {
        "ds_bpermute_b32" => Some(Op::Permute { to: false }),
        "ds_permute_b32" => Some(Op::Permute { to: true }),
        "ds_read_b32" => load(false, 4, false),
        "ds_read_b64" => load(false, 8, false),
        "ds_read_b96" => load(false, 12, false),
        "ds_read_b128" => load(false, 16, false),
        "ds_write_b32" => load(true, 4, false),
        "ds_write_b64" => load(true, 8, false),
        "ds_write_b96" => load(true, 12, false),
        "ds_write_b128" => load(true, 16, false),
        "ds_read2st64_b32" => pair(false, 4, 64 * 4),
        "ds_read2st64_b64" => pair(false, 8, 64 * 8),
        "ds_write2st64_b32" => pair(true, 4, 64 * 4),
        "ds_write2st64_b64" => pair(true, 8, 64 * 8),
        "ds_read2_b32" => pair(false, 4, 4),
        "ds_read2_b64" => pair(false, 8, 8),
        "ds_write2_b32" => pair(true, 4, 4),
        "ds_write2_b64" => pair(true, 8, 8),
        _ => None,
    }
}

fn memory(name: &str) -> Option<Op> {
    let (space, rest) = name.split_once('_')?;
    let space = match space {
        "global" => Space::Global,
        "flat" => Space::Flat,
        "scratch" => Space::Scratch,
        "buffer" => Space::Buffer,
        _ => return None,
    };
    let (direction, size) = rest.split_once('_')?;
    let store = match direction {
        "load" => false,
        "store" => true,
        _ => return None,
    };
    let (bytes, signed) = match size {
        "dword" => (4, false),
        // Others would not lie one word behind the other for a lane.
        _ if space == Space::Buffer => return None,
        "dwordx2" => (8, false),
        "dwordx3" => (12, false),
        "dwordx4" => (16, false),
        "ubyte" if !store => (1, false),
        "sbyte" if !store => (1, true),
        "ushort" if !store => (2, false),
        "sshort" if !store => (2, true),
        "byte" if store => (1, false),
        "short" if store => (2, false),
        _ => return None,
    };
    Some(Op::Memory { space, store, bytes, signed })
}
