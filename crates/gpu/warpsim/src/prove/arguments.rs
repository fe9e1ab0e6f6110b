//! Arguments for a launch of which only the synchronisation matters.

use super::pointers::pointers;
use crate::Argument;
use ptx::inst::Type;
use ptx::ir::{Func, Param, ParamData, ParamKind};

/// Returns pointers for the 64-bit parameters that the kernel may use as such, zeros for structures, `integer` for the others.
pub fn arguments(func: &Func, integer: u32) -> Vec<Argument> {
    let pointers = pointers(func);
    let argument = |(i, (param, data)): (usize, (Param, &ParamData))| match (data.count, data.ty) {
        (Some(_), _) => Argument::Bytes(vec![0; usize::try_from(data.bytes().min(1 << 16)).unwrap_or(0)]),
        (None, Type::F32 | Type::F64) => Argument::U64(0),
        (None, ty) if ty.bytes() == 8 && pointers.contains(&param) => Argument::Buffer(i),
        (None, ty) if ty.bytes() == 8 => Argument::U64(integer.into()),
        (None, ty) => Argument::U32(integer & ty.mask() as u32),
    };
    func.params_of(ParamKind::Input).enumerate().map(argument).collect()
}

/// Reads the value of parameter number `index`: a number in the parameter's type, `hex:` and the bytes as they lie in memory,
/// `pointer` for an array of its own, or `ANY`.
///
/// # Errors
/// The text is no value, or none that fits the parameter.
pub fn argument(data: &ParamData, index: usize, text: &str) -> Result<Argument, String> {
    let size = data.bytes();
    if text == "ANY" {
        return Ok(Argument::Any);
    }
    if text == "pointer" {
        return if size == 8 { Ok(Argument::Buffer(index)) } else { Err(format!("{} has {size} bytes", data.name)) };
    }
    if let Some(digits) = text.strip_prefix("hex:") {
        let bytes = bytes(digits).ok_or_else(|| format!("{digits} is no list of bytes in hexadecimal digits"))?;
        return match bytes.len() as u64 == size {
            true => Ok(Argument::Bytes(bytes)),
            false => Err(format!("{} bytes for {}, which has {size}", bytes.len(), data.name)),
        };
    }
    if data.count.is_some() || size > 8 {
        return Err(format!("{} is a structure: give its {size} bytes as hex:…", data.name));
    }
    let word = word(data.ty, text).ok_or_else(|| format!("{text} is no value of {}", data.name))?;
    Ok(Argument::Bytes(word.to_le_bytes()[..size as usize].to_vec()))
}

/// Returns the bits of a number of that type.
fn word(ty: Type, text: &str) -> Option<u64> {
    match ty {
        Type::F32 => return text.parse::<f32>().ok().map(|value| value.to_bits().into()),
        Type::F64 => return text.parse::<f64>().ok().map(f64::to_bits),
        _ => {}
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    let least = ty.mask() / 2 + 1;
    let fits = if negative { value <= least } else { value <= ty.mask() };
    fits.then(|| if negative { value.wrapping_neg() & ty.mask() } else { value })
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?, 16).ok()).collect()
}
