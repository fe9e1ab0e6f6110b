//! Integers, words, and predicates.

use super::decoder::{FAILS, HOLDS};
use super::operands::{Operands, first_predicate};
use crate::machine_code::op::{Below, Bits, Count, Half, Integer, Kind, Lanes, Multiply, Op, Selection, Source, ZERO};
use crate::rows;
use ptx::inst::{Cmp, Type};
use sass::{File, Operand};

/// Decodes an instruction; `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let operation = o.instruction.operation();
    // instructions of the uniform pipe are the same on other registers
    let op = match operation.strip_prefix('U').unwrap_or(operation) {
        "IADD3" => sum(o)?,
        "VIADD" | "IADD" => added(o)?,
        "IMAD" => product(o)?,
        "LEA" => scaled(o)?,
        "LOP3" => logic(o)?,
        "SHF" => shift(o)?,
        "ISETP" => compare(o)?,
        "SEL" => {
            o.only(&[])?;
            let d = o.register()?;
            let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?];
            Op::Selection(Selection::Select { d, kind: Kind::Integer, sources, by: o.bit()? })
        }
        "MOV" => {
            // whether uniform registers were too few for it
            o.only(&["SPILL"])?;
            let (d, a) = (o.register()?, o.source(Kind::Integer)?);
            // how many of its four bytes are moved
            if o.left() > 0 && o.number()? != 0xf {
                return None;
            }
            Op::Selection(Selection::Move { d, a })
        }
        "R2UR" => {
            // whether uniform registers were too few for it
            o.only(&["FILL"])?;
            Op::Lanes(Lanes::Agree { d: o.register()?, a: o.source(Kind::Integer)? })
        }
        "PRMT" => {
            o.only(&[])?;
            words(o, |a, selector, b| permuted(a, b, selector))?
        }
        "IMNMX" | "VIMNMX" => extremum(o)?,
        "VIADDMNMX" => sum_and_extremum(o)?,
        "IABS" => {
            o.only(&[])?;
            one(o, |a, _, _| (a as i32).unsigned_abs())?
        }
        "POPC" => {
            o.only(&[])?;
            one(o, |a, _, _| a.count_ones())?
        }
        "FLO" => highest_bit(o)?,
        "SGXT" => sign_extended(o)?,
        "REDUX" => joined(o)?,
        "BREV" => {
            o.only(&[])?;
            one(o, |a, _, _| a.reverse_bits())?
        }
        "VABSDIFF" => difference(o)?,
        "PLOP3" => predicate_logic(o)?,
        "P2R" | "P2UR" => {
            o.only(&[])?;
            let d = o.register()?;
            let Operand::Predicates(file) = o.next()? else { return None };
            let first = first_predicate(*file);
            Op::Bits(Bits::Collect { d, first, a: o.source(Kind::Integer)?, mask: o.source(Kind::Integer)? })
        }
        "R2P" => {
            o.only(&[])?;
            matches!(o.next()?, Operand::Predicates(File::General)).then_some(())?;
            let (a, byte) = o.byte()?;
            Op::Bits(Bits::Spread { a, byte, mask: o.source(Kind::Integer)? })
        }
        _ => return None,
    };
    o.done()?;
    Some(op)
}

/// Decodes `FLO[.U32][.SH] d, a`.
fn highest_bit(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "SH"])?;
    // for a negative number the highest bit that is not set; all bits if there is none
    let f: fn(u32, u32, u32) -> u32 = match (o.has("U32"), o.has("SH")) {
        (true, false) => |a, _, _| a.checked_ilog2().unwrap_or(u32::MAX),
        (true, true) => |a, _, _| a.checked_ilog2().map_or(u32::MAX, |bit| 31 - bit),
        (false, false) => |a, _, _| magnitude(a).checked_ilog2().unwrap_or(u32::MAX),
        (false, true) => |a, _, _| magnitude(a).checked_ilog2().map_or(u32::MAX, |bit| 31 - bit),
    };
    one(o, f)
}

/// Decodes `SGXT[.U32] d, a, bits`.
fn sign_extended(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32"])?;
    let f: fn(u32, u32, u32) -> u32 = match o.has("U32") {
        true => |a, bits, _| if bits < 32 { a & ((1 << bits) - 1) } else { a },
        false => |a, bits, _| match bits {
            0 => 0,
            1..32 => ((a << (32 - bits)) as i32 >> (32 - bits)) as u32,
            _ => a,
        },
    };
    let d = o.register()?;
    Some(Op::Integer(Integer::Word { f, d, sources: [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()] }))
}

/// Decodes `REDUX[.OP] d, a`; without an operation it is AND.
fn joined(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["SUM", "MIN", "MAX", "OR", "XOR", "S32"])?;
    let f: fn(u32, u32) -> u32 = match () {
        () if o.has("SUM") => u32::wrapping_add,
        () if o.has("OR") => |a, b| a | b,
        () if o.has("XOR") => |a, b| a ^ b,
        () if o.has("MIN") && o.has("S32") => |a, b| (a as i32).min(b as i32) as u32,
        () if o.has("MAX") && o.has("S32") => |a, b| (a as i32).max(b as i32) as u32,
        () if o.has("MIN") => |a, b| a.min(b),
        () if o.has("MAX") => |a, b| a.max(b),
        () => |a, b| a & b,
    };
    Some(Op::Lanes(Lanes::Reduce { f, d: o.register()?, a: o.source(Kind::Integer)? }))
}

/// Decodes `IADD3[.X] d, [carry, [carry,]] a, b, c [, carried, carried]`.
fn sum(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["X"])?;
    let d = o.register()?;
    let carries = o.carries()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let mut ins = [None; 2];
    if o.has("X") {
        ins = [Some(o.bit()?), Some(o.bit()?)];
    }
    Some(Op::Integer(Integer::Sum { d, carries, sources, ins }))
}

fn added(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&[])?;
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()];
    Some(Op::Integer(Integer::Sum { d, carries: [None; 2], sources, ins: [None; 2] }))
}

/// Decodes `IMAD[.WIDE|.HI][.U32][.X] d, [carry,] a, b, c [, carried]`; the words `MOV`, `SHL` and `IADD` only state the purpose.
fn product(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["WIDE", "HI", "U32", "X", "MOV", "SHL", "IADD"])?;
    let d = o.register()?;
    let [carry, none] = o.carries()?;
    if none.is_some() {
        return None;
    }
    let half = if o.has("WIDE") {
        Half::Both
    } else if o.has("HI") {
        Half::High
    } else {
        Half::Low
    };
    let (a, b) = (o.source(Kind::Integer)?, o.source(Kind::Integer)?);
    let c = o.source(if half == Half::Low { Kind::Integer } else { Kind::Long })?;
    // the sign of a product of 64 bits is not that of its factors, and the carry of a difference is not known
    let subtracts = c.negate && (carry.is_some() || o.has("X"));
    if half != Half::Low && (a.negate || a.invert || b.negate || b.invert || subtracts || c.invert) {
        return None;
    }
    if half == Half::Low && carry.is_some() {
        return None;
    }
    let carried = if o.has("X") { Some(o.bit()?) } else { None };
    if half == Half::Low && a.row == ZERO && b.row == ZERO && carried.is_none() {
        return Some(Op::Selection(Selection::Move { d, a: c }));
    }
    Some(Op::Multiply(Multiply::Product { half, signed: !o.has("U32"), d, carry, sources: [a, b, c], carried }))
}

/// Decodes `LEA[.HI][.X][.SX32] d, [carry,] a, b, [c,] by [, carried]`.
fn scaled(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["HI", "X", "SX32"])?;
    let d = o.register()?;
    let [carry, none] = o.carries()?;
    let (a, b) = (o.source(Kind::Integer)?, o.source(Kind::Integer)?);
    let high = o.has("HI");
    let c = if high && !o.has("SX32") { Some(o.source(Kind::Integer)?) } else { None };
    let plain = c.is_none_or(|c| !c.negate && !c.invert);
    let by = u32::try_from(o.number()?).ok().filter(|by| *by < 32)?;
    let carried = if o.has("X") { Some(o.bit()?) } else { None };
    (none.is_none() && plain).then_some(Op::Multiply(Multiply::Scaled { d, carry, a, b, c, high, by, carried }))
}

/// Decodes `LOP3.LUT [any,] d, a, b, c, table, with`.
fn logic(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["LUT"])?;
    let any = if matches!(o.peek(), Some(Operand::Predicate { .. })) { o.result_bit()? } else { None };
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let table = u8::try_from(o.number()?).ok()?;
    Some(Op::Bits(Bits::Logic { d, any, sources, table, with: o.bit()? }))
}

/// Decodes `SHF.L|R.TYPE[.HI][.W] d, a, by, c`.
fn shift(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["L", "R", "U32", "S32", "U64", "S64", "HI", "W"])?;
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let bits = if o.has("U64") || o.has("S64") { 64 } else { 32 };
    let count = if o.has("W") { Count::Wraps(bits) } else { Count::Clamps(bits) };
    let signed = o.has("S32") || o.has("S64");
    Some(Op::Bits(Bits::Shift { left: o.has("L"), high: o.has("HI"), signed, count, d, sources }))
}

/// Decodes `ISETP.CMP[.U32].JOIN[.EX] p, q, a, b, with [, below]`.
fn compare(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["LT", "LE", "GT", "GE", "EQ", "NE", "U32", "AND", "OR", "XOR", "EX"])?;
    let (cmp, combine) = o.comparison()?;
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let with = o.bit()?;
    let below = if o.has("EX") { Some(Below::Bit(o.bit()?)) } else { None };
    let signed = !o.has("U32");
    let f = rows::compare(cmp, if signed { Type::S64 } else { Type::U64 })?;
    // equality of the whole is that of both halves
    let f = match (cmp, below) {
        (Cmp::Le, Some(_)) => rows::compare(Cmp::Lt, if signed { Type::S64 } else { Type::U64 })?,
        (Cmp::Ge, Some(_)) => rows::compare(Cmp::Gt, if signed { Type::S64 } else { Type::U64 })?,
        _ => f,
    };
    Some(Op::Selection(Selection::Compare {
        f,
        d: None,
        p,
        q,
        kind: Kind::Integer,
        signed,
        sources,
        combine,
        with,
        below,
    }))
}

/// Decodes `IMNMX[.U32] d, [PT, PT,] a, b, least`; predicates that it could write besides are not known.
fn extremum(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "S32"])?;
    let d = o.register()?;
    if o.carries()? != [None; 2] {
        return None;
    }
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()];
    Some(Op::Integer(Integer::Word { f: choice(o)?, d, sources }))
}

/// Decodes `VIADDMNMX[.U32] d, a, b, c, least`: the extremum of a + b and c.
fn sum_and_extremum(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "S32"])?;
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let f: fn(u32, u32, u32) -> u32 = match (o.has("U32"), o.bit()?) {
        (false, HOLDS) => |a, b, c| (a.wrapping_add(b) as i32).min(c as i32) as u32,
        (false, FAILS) => |a, b, c| (a.wrapping_add(b) as i32).max(c as i32) as u32,
        (true, HOLDS) => |a, b, c| a.wrapping_add(b).min(c),
        (true, FAILS) => |a, b, c| a.wrapping_add(b).max(c),
        _ => return None,
    };
    Some(Op::Integer(Integer::Word { f, d, sources }))
}

/// Returns the smaller if the predicate holds, otherwise the larger.
fn choice(o: &mut Operands<'_, '_, '_>) -> Option<fn(u32, u32, u32) -> u32> {
    Some(match (o.has("U32"), o.bit()?) {
        (false, HOLDS) => |a, b, _| (a as i32).min(b as i32) as u32,
        (false, FAILS) => |a, b, _| (a as i32).max(b as i32) as u32,
        (true, HOLDS) => |a, b, _| a.min(b),
        (true, FAILS) => |a, b, _| a.max(b),
        _ => return None,
    })
}

/// Decodes `PLOP3.LUT p, q, a, b, c, table, table`.
fn predicate_logic(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["LUT"])?;
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    let sources = [o.bit()?, o.bit()?, o.bit()?];
    let tables = [u8::try_from(o.number()?).ok()?, u8::try_from(o.number()?).ok()?];
    Some(Op::Bits(Bits::PredicateLogic { p, q, sources, tables }))
}

/// Returns a number, or its complement if it is negative.
fn magnitude(a: u32) -> u32 {
    if (a as i32) < 0 { !a } else { a }
}

/// Decodes `VABSDIFF[.U32] d, a, b, c`: the distance of a and b, plus c.
pub(super) fn difference(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32"])?;
    let f: fn(u32, u32, u32) -> u32 = match o.has("U32") {
        true => |a, b, c| a.abs_diff(b).wrapping_add(c),
        false => |a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c),
    };
    words(o, f)
}

fn words(o: &mut Operands<'_, '_, '_>, f: fn(u32, u32, u32) -> u32) -> Option<Op> {
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    Some(Op::Integer(Integer::Word { f, d, sources }))
}

fn one(o: &mut Operands<'_, '_, '_>, f: fn(u32, u32, u32) -> u32) -> Option<Op> {
    let d = o.register()?;
    Some(Op::Integer(Integer::Word { f, d, sources: [o.source(Kind::Integer)?, zero(), zero()] }))
}

fn zero() -> Source {
    Source { row: ZERO, negate: false, absolute: false, invert: false }
}

/// Returns bytes of {b, a}, each picked by four bits of the selector; the fourth bit spreads the byte's sign.
fn permuted(a: u32, b: u32, selector: u32) -> u32 {
    let all = u64::from(a) | u64::from(b) << 32;
    let byte = |i: u32| {
        let pick = selector >> (4 * i);
        let byte = (all >> (8 * (pick & 7))) as u8;
        let byte = if pick & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        u32::from(byte) << (8 * i)
    };
    (0..4).fold(0, |word, i| word | byte(i))
}
