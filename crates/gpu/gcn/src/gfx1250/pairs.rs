//! One line of gfx1250's assembly: an instruction, or two that a wave issues as one (VOPD).

use super::high::{HighBits, numbered};
use crate::decode;
use crate::family::Family;
use crate::instruction::{Instruction, Op};

/// Reads a line; `high` has the upper bits of registers' numbers that hold there.
///
/// # Errors
/// Some part of the line is not known, or the line contradicts itself.
pub fn decode(line: u32, text: &str, high: &mut HighBits) -> Result<Instruction, String> {
    let set = text.strip_prefix("s_set_vgpr_msb ").map(|bits| high.set(bits.trim()));
    let mode = text.strip_prefix("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), ");
    if let Some(set) = set.or_else(|| mode.map(|number| high.set_with_mode(number.trim()))) {
        set.ok_or_else(|| format!("`{text}` is not known"))?;
        return decode::decode(line, "s_nop 0", Family::Gfx1250).map(|nothing| named(nothing, text));
    }
    let whole = numbered(text).ok_or_else(|| format!("a register of `{text}` has no number"))?;
    let mut halves = whole.split("::").map(|half| single(line, half.trim()));
    let mut first = halves.next().unwrap_or_else(|| Err("an empty line".to_owned()))?;
    high.check(&first).map_err(|reason| format!("{reason} in `{text}`"))?;
    if let Some(second) = halves.next() {
        let second = second?;
        high.check(&second).map_err(|reason| format!("{reason} in `{text}`"))?;
        let computes =
            |one: &Instruction| matches!(one.op, Op::Lanes(_) | Op::Accumulate(_) | Op::Select | Op::Truth { .. });
        if !computes(&first) || !computes(&second) || halves.next().is_some() {
            return Err(format!("the pair `{text}` is not known"));
        }
        first.second = Some(Box::new(second));
    }
    Ok(named(first, text))
}

fn named(instruction: Instruction, text: &str) -> Instruction {
    Instruction { text: text.to_owned(), ..instruction }
}

/// One instruction, alone or of a pair, whose names begin with `v_dual_` and whose masks may be left out.
fn single(line: u32, text: &str) -> Result<Instruction, String> {
    let read = |text: &str| decode::decode(line, text, Family::Gfx1250);
    // A workgroup that is in no cluster.
    if let Some(register) =
        text.strip_prefix("s_getreg_b32 ").and_then(|rest| rest.strip_suffix(", hwreg(HW_REG_IB_STS2, 6, 4)"))
    {
        return read(&format!("s_mov_b32 {register}, 0"));
    }
    let Some(rest) = text.strip_prefix("v_dual_") else { return read(text) };
    let chooses = rest.starts_with("cndmask_b32 ") && rest.matches(',').count() == 2;
    read(&format!("v_{rest}{}", if chooses { ", vcc_lo" } else { "" }))
}
