//! Loads, stores, and constants that are loaded into registers.

use super::operands::{Operands, row};
use crate::machine_code::op::{Address, Kind, Op, ZERO};
use ptx::inst::Space;
use sass::{File, Operand, Part};

/// `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let op = match o.instruction.operation() {
        "LDS" => load(o, Space::Shared, &["U"])?,
        "STS" => store(o, Space::Shared, &[])?,
        "LDL" => load(o, Space::Local, &["LU"])?,
        "STL" => store(o, Space::Local, &[])?,
        // hints to the caches change no value
        "LDG" => load(o, Space::Global, &["E", "CONSTANT", "STRONG", "GPU", "SYS", "EF", "EL", "LU", "NA"])?,
        "STG" => store(o, Space::Global, &["E", "STRONG", "GPU", "SYS", "EF", "EL", "LU", "NA"])?,
        "LDC" | "ULDC" | "LDCU" => constant(o)?,
        _ => return None,
    };
    o.done()?;
    Some(op)
}

/// Bytes of an access, and where the sign goes.
fn width(o: &Operands<'_, '_, '_>, hints: &[&str]) -> Option<(u32, u64)> {
    let mut width = (4, 0);
    for word in o.instruction.modifiers() {
        width = match word {
            "64" => (8, 0),
            "128" => (16, 0),
            "U8" => (1, 0),
            "S8" => (1, 0xffff_ff00),
            "U16" => (2, 0),
            "S16" => (2, 0xffff_0000),
            hint if hints.contains(&hint) => width,
            _ => return None,
        };
    }
    Some(width)
}

fn load(o: &mut Operands<'_, '_, '_>, space: Space, hints: &[&str]) -> Option<Op> {
    let (bytes, extend) = width(o, hints)?;
    let d = o.register()?;
    Some(Op::Load { space, bytes, extend, d, address: address(o, space)? })
}

fn store(o: &mut Operands<'_, '_, '_>, space: Space, hints: &[&str]) -> Option<Op> {
    let (bytes, _) = width(o, hints)?;
    let address = address(o, space)?;
    Some(Op::Store { space, bytes, a: o.register()?, address })
}

/// In global memory registers marked as wide, and uniform ones, have 64 bits; elsewhere an address has 32. Before Ampere the
/// instruction itself (`E`) says that all its registers are wide.
fn address(o: &mut Operands<'_, '_, '_>, space: Space) -> Option<Address> {
    let Operand::Memory { terms, offset } = o.next()? else { return None };
    let wide = space == Space::Global;
    let all_wide = wide && o.decoder.cubin.sm < 80 && o.has("E");
    let mut address = Address { words: Vec::new(), pairs: Vec::new(), offset: *offset, wide };
    for term in terms {
        match (term.part, term.file) {
            (Part::Wide, _) if wide => address.pairs.push(row(*term)),
            (Part::Whole, File::Uniform) if wide => address.pairs.push(row(*term)),
            (Part::Whole, File::General) if all_wide => address.pairs.push(row(*term)),
            (Part::Unsigned, File::General) if wide => address.words.push((row(*term), 0)),
            (Part::Whole, _) if !wide => address.words.push((row(*term), 0)),
            (Part::Other("X4"), _) if !wide => address.words.push((row(*term), 2)),
            (Part::Other("X8"), _) if !wide => address.words.push((row(*term), 3)),
            (Part::Other("X16"), _) if !wide => address.words.push((row(*term), 4)),
            _ => return None,
        }
    }
    Some(address)
}

/// `LDC[.64] d, c[bank][index + offset]`
fn constant(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let (bytes, extend) = width(o, &[])?;
    let d = o.register()?;
    let Operand::Constant { bank, index, offset, negate: false, absolute: false, invert: false } = o.peek()? else {
        return None;
    };
    match index {
        None if bytes == 8 => Some(Op::MoveWide { d, a: o.source(Kind::Long)? }),
        None if bytes == 4 => Some(Op::Move { d, a: o.source(Kind::Integer)? }),
        Some(index) if index.part != Part::Whole => None,
        index => {
            o.next();
            let index = index.map_or(ZERO, row);
            Some(Op::Constant { bank: *bank, bytes, extend, d, index, offset: *offset as u64 })
        }
    }
}
