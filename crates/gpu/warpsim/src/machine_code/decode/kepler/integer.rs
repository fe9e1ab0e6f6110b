//! Integers, words, and predicates.

use super::super::integer;
use super::super::operands::Operands;
use crate::machine_code::decode::decoder::{FAILS, HOLDS};
use crate::machine_code::op::{
    Below, Bit, Bits, CARRY, Count, Function, Integer, Kind, Multiply, NULL, Op, SIGN, Selection, Source, ZERO,
};
use crate::{rows, scalar};
use ptx::inst::{BoolOp, Cmp, Mode, TernaryOp, Type};
use sass::{Operand, Part};

/// Decodes an instruction; `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let op = match o.instruction.operation() {
        "IADD" | "IADD32I" | "ISUB" => sum(o)?,
        "IMAD" | "IMUL" | "IMUL32I" => product(o)?,
        "ISCADD" | "ISCADD32I" => scaled(o)?,
        "LOP" | "LOP32I" => logic(o)?,
        "SHL" | "SHR" => shift(o)?,
        "SHF" => funnel(o)?,
        "BFE" => field(o)?,
        "BFI" => insertion(o)?,
        "POPC" => {
            o.only(&[])?;
            let (d, sources) = (o.register()?, [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()]);
            Op::Integer(Integer::Word { f: |a, b, _| (a & b).count_ones(), d, sources })
        }
        "I2I" => {
            o.only(&["S32", "U32"])?;
            let ((d, _), magnitude) = (o.tested()?, o.takes_magnitude());
            let f: fn(u32, u32, u32) -> u32 =
                if magnitude { |a, _, _| (a as i32).unsigned_abs() } else { |a, _, _| a };
            Op::Integer(Integer::Word { f, d, sources: [o.plain_source()?, zero(), zero()] })
        }
        "ICMP" => choice(o)?,
        "FCMP" => choice_by_real(o)?,
        "IMNMX" if o.has("XHI") || o.has("XLO") => extremum(o)?,
        "ISAD" => integer::difference(o)?,
        "CSETP" => tested(o)?,
        // the reduction of a range, which the approximation behind it undoes: see there
        "RRO" => {
            o.only(&["SINCOS", "EX2"])?;
            let (d, a, zero) = (o.register()?, o.source(Kind::Single)?, (zero(), Kind::Single));
            Op::Function(Function::Each {
                f: Box::new(|[a, ..]| a),
                d,
                wide: false,
                sources: [(a, Kind::Single), zero, zero],
            })
        }
        "ISETP" => compare(o)?,
        "ISET" => mask(o, Kind::Integer)?,
        "FSET" if o.has("FTZ") => mask(o, Kind::Flushed)?,
        "FSET" => mask(o, Kind::Single)?,
        "DSET" => mask(o, Kind::Double)?,
        "PSETP" => predicates(o)?,
        "MOV32I" => {
            o.only(&[])?;
            Op::Selection(Selection::Move { d: o.register()?, a: o.source(Kind::Integer)? })
        }
        "MOV" | "SEL" | "PRMT" | "IMNMX" | "FLO" | "P2R" | "R2P" => return integer::decode(o),
        _ => return None,
    };
    o.done()?;
    Some(op)
}

/// Returns a term of a sum that takes a carry in: the carry replaces the 1 that turns a complement into a negative number.
fn term(source: Source, carries: bool) -> Source {
    if carries && source.negate { Source { negate: false, invert: true, ..source } } else { source }
}

/// Decodes `IADD[.X] d[.CC], a, b`.
fn sum(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["X"])?;
    let carries = o.has("X");
    let (d, sets) = o.tested()?;
    let (a, mut b) = (o.source(Kind::Integer)?, o.source(Kind::Integer)?);
    if o.instruction.operation() == "ISUB" {
        b.negate = !b.negate;
    }
    if a.negate && b.negate {
        return None;
    }
    let sources = [term(a, carries), term(b, carries), zero()];
    Some(Op::Integer(Integer::Sum {
        d,
        carries: [sets.then_some(CARRY), None],
        sources,
        ins: [carried(carries), None],
    }))
}

/// Decodes `IMAD[.U32.U32][.HI][.X] d[.CC], a, b, c` and `IMUL…` without c.
fn product(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "HI", "X"])?;
    let unsigned = o.instruction.modifiers().filter(|word| *word == "U32").count();
    let (high, carries) = (o.has("HI"), o.has("X"));
    let (d, sets) = o.tested()?;
    let (mut a, mut b) = (o.source(Kind::Integer)?, o.source(Kind::Integer)?);
    let c = if o.instruction.operation() == "IMAD" { o.source(Kind::Integer)? } else { zero() };
    let negate = a.negate != b.negate;
    (a.negate, b.negate) = (false, false);
    // the upper word of a negative product depends on the lower one, whose carry must come in
    if unsigned == 1 || negate && (c.negate || high && !carries) || a.invert || b.invert {
        return None;
    }
    let sources = [a, b, term(c, carries)];
    let (carry, carried) = (sets.then_some(CARRY), carried(carries));
    Some(Op::Multiply(Multiply::ProductWord { high, signed: unsigned == 0, negate, d, carry, sources, carried }))
}

/// Decodes `ISCADD d[.CC], a, b, by`.
fn scaled(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&[])?;
    let (d, sets) = o.tested()?;
    let (a, b) = (o.source(Kind::Integer)?, o.source(Kind::Integer)?);
    let by = u32::try_from(o.number()?).ok().filter(|by| *by < 32)?;
    if a.negate && b.negate {
        return None;
    }
    Some(Op::Multiply(Multiply::Scaled {
        d,
        carry: sets.then_some(CARRY),
        a,
        b,
        c: None,
        high: false,
        by,
        carried: None,
    }))
}

/// Decodes `LOP.AND|OR|XOR|PASS_B d, a, b`.
fn logic(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["AND", "OR", "XOR", "PASS_B", "X"])?;
    let f: fn(u32, u32, u32) -> u32 = match () {
        () if o.has("AND") => |a, b, _| a & b,
        () if o.has("OR") => |a, b, _| a | b,
        () if o.has("XOR") => |a, b, _| a ^ b,
        () => |_, b, _| b,
    };
    let (d, tests) = o.tested()?;
    // it goes on with the test of a lower word
    (tests || !o.has("X")).then_some(())?;
    Some(Op::Integer(Integer::Word { f, d, sources: [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()] }))
}

/// Decodes `SHL[.W] d, a, by` and `SHR[.U32][.W] d, a, by`.
fn shift(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "W"])?;
    let left = o.instruction.operation() == "SHL";
    let f: fn(u32, u32, u32) -> u32 = match (left, o.has("U32"), o.has("W")) {
        (true, false, false) => |a, by, _| a.checked_shl(by).unwrap_or(0),
        (true, false, true) => |a, by, _| a << (by & 31),
        (true, true, _) => return None,
        (false, true, false) => |a, by, _| a.checked_shr(by).unwrap_or(0),
        (false, true, true) => |a, by, _| a >> (by & 31),
        (false, false, false) => |a, by, _| (a as i32 >> by.min(31)) as u32,
        (false, false, true) => |a, by, _| (a as i32 >> (by & 31)) as u32,
    };
    let d = o.register()?;
    Some(Op::Integer(Integer::Word { f, d, sources: [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()] }))
}

/// Decodes `SHF.L|R[.U64|S64][.W] d, low, by, high`: a shift to the left gives the upper word, one to the right the lower.
fn funnel(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["L", "R", "U64", "S64", "W"])?;
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let bits = if o.has("U64") || o.has("S64") { 64 } else { 32 };
    let count = if o.has("W") { Count::Wraps(bits) } else { Count::Clamps(bits) };
    let left = o.has("L");
    Some(Op::Bits(Bits::Shift { left, high: left, signed: o.has("S64"), count, d, sources }))
}

/// Decodes `BFE[.U32][.BREV] d, a, place`: the bits from the lowest byte of the place on, as many as the next byte says.
fn field(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "S32", "BREV"])?;
    let f = scalar::ternary(TernaryOp::Bfe, Mode::default(), if o.has("U32") { Type::U32 } else { Type::S32 })?;
    let reverse = o.has("BREV");
    let f: scalar::Each = Box::new(move |[a, place, _]| {
        let a = if reverse { u64::from((a as u32).reverse_bits()) } else { a };
        f([a, place & 0xff, place >> 8 & 0xff])
    });
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, zero()].map(|source| (source, Kind::Integer));
    Some(Op::Function(Function::Each { f, d, wide: false, sources }))
}

/// Decodes `BFI d, a, place, b`: b with the lowest bits of a there.
fn insertion(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&[])?;
    let f: scalar::Each =
        Box::new(|[a, place, b]| rows::insert_bits(false, a, b, place & 0xff, place >> 8 & 0xff) & u64::from(u32::MAX));
    let d = o.register()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    Some(Op::Function(Function::Each { f, d, wide: false, sources: sources.map(|source| (source, Kind::Integer)) }))
}

/// Decodes `ICMP.CMP[.U32] d, a, b, c`: a if c compares so with 0, otherwise b.
fn choice(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["EQ", "NE", "LT", "LE", "GT", "GE", "U32"])?;
    let f: fn(u32, u32, u32) -> u32 = match (o.compared()?, o.has("U32")) {
        (Cmp::Eq, _) => |a, b, c| if c == 0 { a } else { b },
        (Cmp::Ne, _) | (Cmp::Gt, true) => |a, b, c| if c != 0 { a } else { b },
        (Cmp::Lt, false) => |a, b, c| if (c as i32) < 0 { a } else { b },
        (Cmp::Le, false) => |a, b, c| if c as i32 <= 0 { a } else { b },
        (Cmp::Gt, false) => |a, b, c| if c as i32 > 0 { a } else { b },
        (Cmp::Ge, false) => |a, b, c| if c as i32 >= 0 { a } else { b },
        _ => return None,
    };
    let d = o.register()?;
    Some(Op::Integer(Integer::Word {
        f,
        d,
        sources: [o.source(Kind::Integer)?, o.source(Kind::Integer)?, o.source(Kind::Integer)?],
    }))
}

/// Decodes `FCMP.CMP[.FTZ] d, a, b, c`: a if the real number c compares so with 0, otherwise b.
fn choice_by_real(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["LT", "LE", "GT", "GE", "EQ", "NE", "LTU", "LEU", "GTU", "GEU", "EQU", "NEU", "NUM", "NAN", "FTZ"])?;
    let f = super::super::real::test(o.compared()?)?;
    let f: scalar::Each = Box::new(move |[a, b, c]| {
        let c = f64::from(f32::from_bits(c as u32)).to_bits();
        if f(&[c; 32], &[0; 32]) & 1 == 1 { a } else { b }
    });
    let kind = if o.has("FTZ") { Kind::Flushed } else { Kind::Single };
    let d = o.register()?;
    let sources = [(o.source(Kind::Single)?, Kind::Single), (o.source(Kind::Single)?, Kind::Single)];
    Some(Op::Function(Function::Each { f, d, wide: false, sources: [sources[0], sources[1], (o.source(kind)?, kind)] }))
}

/// Decodes `IMNMX[.U32].XHI d.CC, a, b, least` of the upper words, and `IMNMX.U32.XLO d, a, b, least` of the lower ones behind it.
fn extremum(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U32", "XHI", "XLO"])?;
    let (d, sets) = o.tested()?;
    let sources = [o.source(Kind::Integer)?, o.source(Kind::Integer)?];
    let largest = match o.bit()? {
        HOLDS => false,
        FAILS => true,
        _ => return None,
    };
    match (o.has("XHI"), sets, o.has("U32")) {
        (true, true, unsigned) => Some(Op::Integer(Integer::UpperExtremum { largest, signed: !unsigned, d, sources })),
        (false, false, true) => Some(Op::Integer(Integer::LowerExtremum { largest, d, sources })),
        _ => None,
    }
}

/// Decodes `CSETP.TEST.JOIN p, q, CC, with`: a test of the condition code. Its sign is that of the result if nothing can overflow.
fn tested(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["AND", "OR", "XOR", "EQ", "NE", "EQU", "NEU", "LT", "GE", "SFT", "SFF"])?;
    let mut words = o.instruction.modifiers();
    let (test, join) = (words.next()?, words.next()?);
    let of = match test {
        "EQ" | "EQU" => (NULL, false),
        "NE" | "NEU" => (NULL, true),
        "SFT" => (SIGN, false),
        "SFF" => (SIGN, true),
        "LT" if never_overflows(o) => (SIGN, false),
        "GE" if never_overflows(o) => (SIGN, true),
        _ => return None,
    };
    let combine = match join {
        "AND" => BoolOp::And,
        "OR" => BoolOp::Or,
        "XOR" => BoolOp::Xor,
        _ => return None,
    };
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    matches!(o.next()?, Operand::ConditionCode(_)).then_some(())?;
    let with = o.bit()?;
    // as tables: bit i is the result with i = 4 of + 2 with + 1 with
    let tables = [0xf0, 0x0f].map(|of| scalar::combined(combine, of, 0xcc) as u8);
    Some(Op::Bits(Bits::PredicateLogic { p, q, sources: [of, with, with], tables }))
}

/// Whether the operation that last set the condition code moves words or joins their bits.
fn never_overflows(o: &Operands<'_, '_, '_>) -> bool {
    let before = o.decoder.kernel.instructions.iter().take_while(|found| found.address < o.instruction.address);
    let sets = |found: &&sass::Instruction| matches!(found.operands.first(), Some(Operand::Register(register)) if register.part == Part::WithConditionCode);
    before.filter(sets).last().is_some_and(|found| matches!(found.operation(), "I2I" | "LOP" | "LOP32I"))
}

/// Decodes `ISETP.CMP[.U32][.X].JOIN p, q, a, b, with`.
fn compare(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["LT", "LE", "GT", "GE", "EQ", "NE", "U32", "X", "AND", "OR", "XOR"])?;
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    test(o, Kind::Integer, None, p, q)
}

/// Decodes `ISET.CMP[.U32].JOIN d[.CC], a, b, with`: all bits if it holds.
fn mask(o: &mut Operands<'_, '_, '_>, kind: Kind) -> Option<Op> {
    o.only(&[
        "LT", "LE", "GT", "GE", "EQ", "NE", "LTU", "LEU", "GTU", "GEU", "EQU", "NEU", "NUM", "NAN", "U32", "AND", "OR",
        "XOR", "FTZ", "X",
    ])?;
    (kind == Kind::Integer || !o.has("X")).then_some(())?;
    let (d, _) = o.tested()?;
    test(o, kind, Some(d), None, None)
}

/// Decodes the comparison of two values, joined to a predicate.
fn test(o: &mut Operands<'_, '_, '_>, kind: Kind, d: Option<u32>, p: Option<u8>, q: Option<u8>) -> Option<Op> {
    let (cmp, combine) = o.comparison()?;
    let sources = [o.source(kind)?, o.source(kind)?];
    let with = o.bit()?;
    let integer = kind == Kind::Integer;
    let signed = integer && !o.has("U32");
    let below = if o.has("X") { Some(below(cmp)?) } else { None };
    let f = match integer {
        true => rows::compare(cmp, if signed { Type::S64 } else { Type::U64 })?,
        false => super::real::test(cmp)?,
    };
    Some(Op::Selection(Selection::Compare { f, d, p, q, kind, signed, sources, combine, with, below }))
}

/// Returns the comparison of the lower words, by the condition code of their difference, for whole numbers whose upper words are equal.
fn below(cmp: Cmp) -> Option<Below> {
    Some(match cmp {
        // no carry: something was borrowed
        Cmp::Lt => Below::Bit((CARRY, true)),
        Cmp::Ge => Below::Bit((CARRY, false)),
        Cmp::Eq => Below::Bit((NULL, false)),
        Cmp::Ne => Below::Bit((NULL, true)),
        Cmp::Gt => Below::Above(true),
        Cmp::Le => Below::Above(false),
        _ => return None,
    })
}

/// Decodes `PSETP.FIRST.SECOND p, q, a, b, c`: p is (a FIRST b) SECOND c, and q the same with the first result negated.
fn predicates(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["AND", "OR", "XOR"])?;
    let mut words = o.instruction.modifiers().map(|word| match word {
        "AND" => BoolOp::And,
        "OR" => BoolOp::Or,
        _ => BoolOp::Xor,
    });
    let (first, second) = (words.next()?, words.next()?);
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    let sources = [o.bit()?, o.bit()?, o.bit()?];
    // as tables: bit i is the result for a, b and c with i = 4 a + 2 b + c
    let [a, b, c] = [0xf0, 0xcc, 0xaa];
    let inner = scalar::combined(first, a, b);
    let tables = [inner, !inner].map(|inner| scalar::combined(second, inner, c) as u8);
    Some(Op::Bits(Bits::PredicateLogic { p, q, sources, tables }))
}

fn carried(carries: bool) -> Option<Bit> {
    carries.then_some((CARRY, false))
}

fn zero() -> Source {
    Source { row: ZERO, negate: false, absolute: false, invert: false }
}
