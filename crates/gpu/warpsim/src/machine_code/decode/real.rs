//! Real numbers, and conversions.

use super::decoder::{FAILS, HOLDS};
use super::operands::Operands;
use crate::float::Real;
use crate::machine_code::op::{Function, Kind, Lanes, Op, Selection, Source, ZERO};
use crate::{rows, scalar};
use ptx::inst::{BinaryOp, BoolOp, Cmp, Mode, Rounding, TernaryOp, Type, UnaryOp};
use sass::Operand;

/// Decodes an instruction; `None`: it is not one of these, or has a form that is not known.
pub(super) fn decode(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let op = match o.instruction.operation() {
        "DADD" => double2(o, BinaryOp::Add)?,
        "DMUL" => double2(o, BinaryOp::Mul)?,
        "DFMA" => double3(o)?,
        "DSETP" if o.has("MIN") || o.has("MAX") => extremum(o)?,
        "DSETP" => compare(o, Kind::Double)?,
        "FADD" | "FADD32I" => single(o, 2, |real| real.binary(BinaryOp::Add))?,
        "FMUL" | "FMUL32I" => {
            let power = scale(o);
            single(o, 2, |real| Some(scaled(real.binary(BinaryOp::Mul)?, power)))?
        }
        "FFMA" => single(o, 3, |real| real.ternary(TernaryOp::Fma))?,
        "DMNMX" => {
            o.only(&[])?;
            let d = o.register()?;
            let sources = [o.source(Kind::Double)?, o.source(Kind::Double)?];
            Op::Function(Function::Double2 { f: rows::binary(least(o)?, Type::F64)?, d, sources })
        }
        "FMNMX" => smaller(o)?,
        "FSETP" if o.has("FTZ") => compare(o, Kind::Flushed)?,
        "FSETP" => compare(o, Kind::Single)?,
        "FCHK" => check(o)?,
        "FSEL" => {
            o.only(&[])?;
            let d = o.register()?;
            let sources = [o.source(Kind::Single)?, o.source(Kind::Single)?];
            Op::Selection(Selection::Select { d, kind: Kind::Single, sources, by: o.bit()? })
        }
        "DMMA" => matrix(o)?,
        "HFMA2" => halves(o)?,
        "MUFU" => approximation(o)?,
        "FRND" => integral(o, if o.has("F64") { Type::F64 } else { Type::F32 })?,
        "F2F" if o.has("F64") != o.has("F32") => integral(o, if o.has("F64") { Type::F64 } else { Type::F32 })?,
        "I2F" | "I2FP" | "F2I" | "F2F" => conversion(o)?,
        _ => return None,
    };
    o.done()?;
    Some(op)
}

fn rounding(o: &Operands<'_, '_, '_>) -> Rounding {
    match () {
        () if o.has("RP") || o.has("CEIL") => Rounding::Rp,
        () if o.has("RM") || o.has("FLOOR") => Rounding::Rm,
        () if o.has("RZ") || o.has("TRUNC") => Rounding::Rz,
        () => Rounding::Rn,
    }
}

fn double2(o: &mut Operands<'_, '_, '_>, op: BinaryOp) -> Option<Op> {
    o.only(&["RP", "RM", "RZ"])?;
    let d = o.register()?;
    let sources = [o.source(Kind::Double)?, o.source(Kind::Double)?];
    let rounding = rounding(o);
    if rounding == Rounding::Rn {
        return Some(Op::Function(Function::Double2 { f: rows::binary(op, Type::F64)?, d, sources }));
    }
    let f = Real::new(Type::F64, Mode { rounding, ..Mode::NEAREST })?.binary(op)?;
    let [a, b] = sources.map(|source| (source, Kind::Double));
    Some(Op::Function(Function::Each { f, d, wide: true, sources: [a, b, b] }))
}

fn double3(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["RP", "RM", "RZ"])?;
    let d = o.register()?;
    let sources = [o.source(Kind::Double)?, o.source(Kind::Double)?, o.source(Kind::Double)?];
    let rounding = rounding(o);
    if rounding == Rounding::Rn {
        return Some(Op::Function(Function::Double3 { f: rows::ternary(TernaryOp::Fma, Type::F64)?, d, sources }));
    }
    let f = Real::new(Type::F64, Mode { rounding, ..Mode::NEAREST })?.ternary(TernaryOp::Fma)?;
    Some(Op::Function(Function::Each { f, d, wide: true, sources: sources.map(|source| (source, Kind::Double)) }))
}

fn single(o: &mut Operands<'_, '_, '_>, operands: usize, make: impl Fn(Real) -> Option<scalar::Each>) -> Option<Op> {
    o.only(&["RP", "RM", "RZ", "FTZ", "SAT"].into_iter().chain(SCALES.map(|(word, _)| word)).collect::<Vec<_>>())?;
    let d = o.register()?;
    let mut sources = [(zero(), Kind::Single); 3];
    for (source, _) in sources.iter_mut().take(operands) {
        *source = o.source(Kind::Single)?;
    }
    let mode = Mode { rounding: rounding(o), ftz: o.has("FTZ"), sat: o.has("SAT") };
    Some(Op::Function(Function::Each { f: make(Real::new(Type::F32, mode)?)?, d, wide: false, sources }))
}

/// Words of a product, and the powers of two that it is multiplied by before it is rounded.
const SCALES: [(&str, i32); 6] = [("D2", -1), ("D4", -2), ("D8", -3), ("M2", 1), ("M4", 2), ("M8", 3)];

fn scale(o: &Operands<'_, '_, '_>) -> i32 {
    SCALES.iter().find(|(word, _)| o.has(word)).map_or(0, |(_, power)| *power)
}

/// A product times a power of two, rounded once. The factor that is further from the end of the range takes the power, so that this is exact.
fn scaled(product: scalar::Each, power: i32) -> scalar::Each {
    if power == 0 {
        return product;
    }
    Box::new(move |[a, b, c]| {
        let [x, y] = [a, b].map(|bits| f32::from_bits(bits as u32));
        let times = |x: f32| u64::from((x * 2f32.powi(power)).to_bits());
        if (x.abs() > y.abs()) == (power < 0) { product([times(x), b, c]) } else { product([a, times(y), c]) }
    })
}

/// Decodes `FMNMX[.FTZ] d, a, b, least`.
fn smaller(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["FTZ"])?;
    let d = o.register()?;
    let [a, b] = [o.source(Kind::Single)?, o.source(Kind::Single)?].map(|source| (source, Kind::Single));
    let mode = Mode { ftz: o.has("FTZ"), ..Mode::default() };
    Some(Op::Function(Function::Each {
        f: Real::new(Type::F32, mode)?.binary(least(o)?)?,
        d,
        wide: false,
        sources: [a, b, b],
    }))
}

/// Takes the predicate behind the operands: the smaller operand is taken if it holds.
fn least(o: &mut Operands<'_, '_, '_>) -> Option<BinaryOp> {
    match o.bit()? {
        HOLDS => Some(BinaryOp::Min),
        FAILS => Some(BinaryOp::Max),
        _ => None,
    }
}

/// Decodes `DSETP.CMP.JOIN p, q, a, b, with`.
fn compare(o: &mut Operands<'_, '_, '_>, kind: Kind) -> Option<Op> {
    o.only(&[
        "LT", "LE", "GT", "GE", "EQ", "NE", "LTU", "LEU", "GTU", "GEU", "EQU", "NEU", "NUM", "NAN", "AND", "OR", "XOR",
        "FTZ",
    ])?;
    let (cmp, combine) = o.comparison()?;
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    let sources = [o.source(kind)?, o.source(kind)?];
    let with = o.bit()?;
    Some(Op::Selection(Selection::Compare {
        f: test(cmp)?,
        d: None,
        p,
        q,
        kind,
        signed: false,
        sources,
        combine,
        with,
        below: None,
    }))
}

/// Decodes `DSETP.MIN.AND p, q, a, b, PT`, from which the compiler makes the smaller of two doubles: it takes a if p holds,
/// otherwise b, and if q holds, makes that NaN quiet.
fn extremum(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["MIN", "MAX", "AND"])?;
    let (p, q) = (o.result_bit()?, o.result_bit()?);
    let sources = [o.source(Kind::Double)?, o.source(Kind::Double)?];
    (o.bit()? == HOLDS).then_some(Op::Function(Function::Extremum { largest: o.has("MAX"), p, q, sources }))
}

/// Returns the comparison of doubles; singles are widened, which is exact.
pub(super) fn test(cmp: Cmp) -> Option<rows::Compare> {
    match cmp {
        Cmp::Num => Some(|a, b| bits(a, b, |x, y| !f64::from_bits(x).is_nan() && !f64::from_bits(y).is_nan())),
        Cmp::Nan => Some(|a, b| bits(a, b, |x, y| f64::from_bits(x).is_nan() || f64::from_bits(y).is_nan())),
        cmp => rows::compare(cmp, Type::F64),
    }
}

fn bits(a: &rows::Row, b: &rows::Row, f: impl Fn(u64, u64) -> bool) -> u32 {
    (0..32).fold(0, |all, i| all | u32::from(f(a[i], b[i])) << i)
}

/// Decodes `DMMA.8x8x4 d, a, b, c`, which older releases write as `884`: d and c take four registers, a and b two. `DMMA.16x8x4`
/// takes twice as many for a, c and d, the upper eight rows first. A uniform predicate behind them tells whether c is added:
/// ptxas uses it if some warps begin a sum anew and others continue one, with equal results.
fn matrix(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["884", "8x8x4", "16x8x4"])?;
    let blocks = if o.has("16x8x4") { 2 } else { 1 };
    let (d, factors) = (o.register()?, [o.register()?, o.register()?]);
    // a sum may begin with -RZ: with -0.0, to which every number adds without a change
    let sum = o.source(Kind::Double).filter(|sum| !sum.absolute)?;
    let adds = if o.left() > 0 { o.bit()? } else { HOLDS };
    Some(Op::Lanes(Lanes::Matrix { blocks, adds, d, factors, sum }))
}

/// Decodes `HFMA2.MMA d, -RZ, RZ, x, y`, which only moves an immediate; all other arithmetic on halves is not known.
fn halves(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["MMA"])?;
    let d = o.register()?;
    let is_zero =
        |operand: Option<&Operand>| matches!(operand, Some(Operand::Register(register)) if register.number.is_none());
    if !is_zero(o.next()) || !is_zero(o.next()) {
        return None;
    }
    let word = o.instruction.immediate()?;
    for half in [word >> 16, word & 0xffff] {
        let Operand::Real(value) = o.next()? else { return None };
        let agree = half_value(half) == *value || half_value(half).is_nan() && value.is_nan();
        agree.then_some(())?;
    }
    // -0 x 0 + x is x, but for a sum that is -0, which turns to +0 only with +0
    Some(Op::Selection(Selection::Move { d, a: o.decoder.constant(word, 0) }))
}

/// Returns the value of a half.
fn half_value(bits: u32) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent as i32 - 15),
    };
    if bits >> 15 & 1 == 1 { -magnitude } else { magnitude }
}

/// Decodes approximations: of the upper word of a double, whose lower word counts as 0, or of a single.
fn approximation(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    let wide = o.has("RCP64H") || o.has("RSQ64H");
    let unary = match () {
        () if o.has("RCP64H") || o.has("RCP") => UnaryOp::Rcp,
        () if o.has("RSQ64H") || o.has("RSQ") => UnaryOp::Rsqrt,
        () if o.has("SQRT") => UnaryOp::Sqrt,
        () if o.has("EX2") => UnaryOp::Ex2,
        () if o.has("LG2") => UnaryOp::Lg2,
        () if o.has("SIN") => return angle(o, f64::sin),
        () if o.has("COS") => return angle(o, f64::cos),
        () => return None,
    };
    o.only(&["RCP64H", "RSQ64H", "RCP", "RSQ", "SQRT", "EX2", "LG2"])?;
    let d = o.register()?;
    let a = if wide { o.upper_word()? } else { o.source(Kind::Single)? };
    let mode = Mode { rounding: Rounding::Approx, ftz: wide, ..Mode::NEAREST };
    let f = Real::new(if wide { Type::F64 } else { Type::F32 }, mode)?.unary(unary)?;
    let f: scalar::Each = if wide {
        Box::new(move |[a, ..]| {
            let subnormal = f64::from_bits(a << 32).is_subnormal();
            let input = if subnormal { a & 1 << 31 } else { a };
            f([input << 32, 0, 0]) >> 32
        })
    } else {
        f
    };
    Some(Op::Function(Function::Each {
        f,
        d,
        wide: false,
        sources: [(a, Kind::Single), (zero(), Kind::Single), (zero(), Kind::Single)],
    }))
}

/// Decodes `MUFU.SIN d, a` and `MUFU.COS`. The operand is a in whole turns from Volta on; on Kepler it is the result of
/// `RRO.SINCOS` for an angle, which is the angle itself here.
fn angle(o: &mut Operands<'_, '_, '_>, of_angle: fn(f64) -> f64) -> Option<Op> {
    o.only(&["SIN", "COS"])?;
    let unit = if o.decoder.cubin.sm >= 70 { std::f64::consts::TAU } else { 1.0 };
    let (d, a) = (o.register()?, o.source(Kind::Single)?);
    let f: scalar::Each = Box::new(move |[a, ..]| {
        let angle = unit * f64::from(f32::from_bits(a as u32));
        u64::from((of_angle(angle) as f32).to_bits())
    });
    Some(Op::Function(Function::Each {
        f,
        d,
        wide: false,
        sources: [(a, Kind::Single), (zero(), Kind::Single), (zero(), Kind::Single)],
    }))
}

/// Decodes `FCHK[.DIVIDE] p, a, b`: whether the quotient of a and b needs the long way. Both ways lead to the same quotient if
/// the short one can be taken, so only time depends on its exact limits, which are not published: here a, b or the quotient
/// outside of 2^-100 to 2^100.
fn check(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["DIVIDE"])?;
    let p = o.result_bit()?;
    let sources = [o.source(Kind::Single)?, o.source(Kind::Single)?];
    let f: rows::Compare = |a, b| bits(a, b, |a, b| !is_easy(f64::from_bits(a), f64::from_bits(b)));
    let (kind, combine, with) = (Kind::Single, BoolOp::And, HOLDS);
    Some(Op::Selection(Selection::Compare {
        f,
        d: None,
        p,
        q: None,
        kind,
        signed: false,
        sources,
        combine,
        with,
        below: None,
    }))
}

fn is_easy(a: f64, b: f64) -> bool {
    let inside = |x: f64| (2f64.powi(-100)..2f64.powi(100)).contains(&x.abs());
    inside(a) && inside(b) && inside(a / b)
}

/// Decodes `FRND[.F64][.FTZ][.ROUNDING] d, a`, and on Kepler `F2F.F64.F64.ROUNDING`: the nearest whole number in a direction.
/// Without one, and with `ROUND`, it is the nearest of all, ties to even; `F2F` without any leaves the number as it is.
fn integral(o: &mut Operands<'_, '_, '_>, ty: Type) -> Option<Op> {
    o.only(&["F64", "F32", "FTZ", "ROUND", "CEIL", "FLOOR", "TRUNC"])?;
    let rounding = match () {
        () if o.has("CEIL") => Rounding::Rpi,
        () if o.has("FLOOR") => Rounding::Rmi,
        () if o.has("TRUNC") => Rounding::Rzi,
        () if o.has("ROUND") || o.instruction.operation() == "FRND" => Rounding::Rni,
        () => Rounding::None,
    };
    let f = scalar::convert(Mode { rounding, ftz: o.has("FTZ"), ..Mode::NEAREST }, ty, ty)?;
    let kind = if ty == Type::F64 { Kind::Double } else { Kind::Single };
    let (d, a, zero) = (o.register()?, o.source(kind)?, (zero(), Kind::Integer));
    Some(Op::Function(Function::Each { f, d, wide: ty == Type::F64, sources: [(a, kind), zero, zero] }))
}

/// Decodes `I2F[.F64][.FROM][.ROUNDING]`, `F2I[.TO][.F64][.ROUNDING]`, `F2F.TO.FROM`.
fn conversion(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    if o.instruction.operation() == "I2F" && (o.has("U8") || o.has("S8")) {
        return from_byte(o);
    }
    o.only(&["F64", "F32", "U32", "S32", "U64", "S64", "TRUNC", "FLOOR", "CEIL", "RP", "RM", "RZ", "FTZ", "NTZ"])?;
    let integer = match () {
        () if o.has("U32") => Type::U32,
        () if o.has("S64") => Type::S64,
        () if o.has("U64") => Type::U64,
        () => Type::S32,
    };
    let real = if o.has("F64") { Type::F64 } else { Type::F32 };
    let mut rounding = rounding(o);
    let (from, to) = match o.instruction.operation() {
        "I2F" | "I2FP" => (integer, real),
        "F2I" => {
            rounding = match rounding {
                Rounding::Rp => Rounding::Rpi,
                Rounding::Rm => Rounding::Rmi,
                Rounding::Rz => Rounding::Rzi,
                _ => Rounding::Rni,
            };
            (real, integer)
        }
        _ => match o.instruction.modifiers().filter(|word| matches!(*word, "F32" | "F64")).collect::<Vec<_>>()[..] {
            ["F64", "F32"] => {
                rounding = Rounding::None;
                (Type::F32, Type::F64)
            }
            ["F32", "F64"] => (Type::F64, Type::F32),
            _ => return None,
        },
    };
    let kind = match from {
        Type::F64 => Kind::Double,
        Type::F32 => Kind::Single,
        Type::U64 | Type::S64 => Kind::Long,
        _ => Kind::Integer,
    };
    let d = o.register()?;
    let magnitude = kind == Kind::Integer && o.takes_magnitude();
    let a = if kind == Kind::Integer { o.plain_source()? } else { o.source(kind)? };
    let mode = Mode { rounding, ftz: o.has("FTZ"), ..Mode::NEAREST };
    let f = scalar::convert(mode, to, from)?;
    let f: scalar::Each =
        if magnitude { Box::new(move |[a, b, c]| f([u64::from((a as i32).unsigned_abs()), b, c])) } else { f };
    let zero = (zero(), Kind::Integer);
    Some(Op::Function(Function::Each { f, d, wide: to.bytes() == 8, sources: [(a, kind), zero, zero] }))
}

/// Decodes `I2F.U8 d, a.B3` and the like: of a word's bytes.
fn from_byte(o: &mut Operands<'_, '_, '_>) -> Option<Op> {
    o.only(&["U8", "S8", "F32"])?;
    let (d, (a, byte)) = (o.register()?, o.byte()?);
    let f = scalar::convert(Mode::NEAREST, Type::F32, Type::S32)?;
    let is_signed = o.has("S8");
    let number = move |word: u64| {
        let byte = (word >> (8 * byte)) as u8;
        if is_signed { i32::from(byte as i8) } else { i32::from(byte) }
    };
    let f: scalar::Each = Box::new(move |[a, b, c]| f([u64::from(number(a) as u32), b, c]));
    let zero = (zero(), Kind::Integer);
    Some(Op::Function(Function::Each { f, d, wide: false, sources: [(a, Kind::Integer), zero, zero] }))
}

fn zero() -> Source {
    Source { row: ZERO, negate: false, absolute: false, invert: false }
}
