//! Results of instructions that read and write nothing but their operands, as tables (CDNA3 ISA).

use crate::float;
use crate::operand::Kind::{self, B32, B64, F32, F64};

/// An instruction that computes each lane by itself.
#[derive(Debug)]
pub struct Lanes {
    pub name: &'static str,
    pub result: Kind,
    pub sources: &'static [Kind],
    /// It only moves bits, so that it may move undefined ones.
    pub moves: bool,
    pub compute: fn([u64; 3]) -> u64,
}

/// A scalar instruction: from two sources and SCC to the result and, where it sets it, SCC.
#[derive(Debug)]
pub struct Scalars {
    pub name: &'static str,
    pub result: Kind,
    pub sources: &'static [Kind],
    pub moves: bool,
    /// It reads SCC.
    pub conditional: bool,
    pub compute: fn(u64, u64, bool) -> (u64, Option<bool>),
}

impl Scalars {
    /// Whether each bit of the result comes of the bits at its place.
    pub fn is_bitwise(&self) -> bool {
        let kind = self.name.trim_start_matches("s_").trim_end_matches("_b32").trim_end_matches("_b64");
        ["and", "or", "xor", "andn2", "orn2", "nor", "not"].contains(&kind)
    }
}

const fn lanes(name: &'static str, result: Kind, sources: &'static [Kind], compute: fn([u64; 3]) -> u64) -> Lanes {
    Lanes { name, result, sources, moves: false, compute }
}

const fn copies(name: &'static str, kind: Kind, sources: &'static [Kind]) -> Lanes {
    Lanes { name, result: kind, sources, moves: true, compute: |[a, ..]| a }
}

fn real(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn word(value: u32) -> u64 {
    value.into()
}

/// The low bits of a product of 24-bit numbers, with or without signs.
fn signed_24(x: u64) -> i64 {
    i64::from((x as i32) << 8 >> 8)
}

fn field(value: u32, offset: u32, width: u32) -> u32 {
    let mask = (1u64 << width.min(32)) - 1;
    (u64::from(value) >> offset & mask) as u32
}

fn signed_field(value: u32, offset: u32, width: u32) -> u32 {
    match width {
        0 => 0,
        width if offset + width < 32 => ((value << (32 - offset - width)) as i32 >> (32 - width)) as u32,
        _ => (value as i32 >> offset) as u32,
    }
}

/// A field of a wide number, with its sign.
fn wide_field(value: u64, offset: u32, width: u32) -> u64 {
    match width {
        0 => 0,
        width if offset + width < 64 => ((value << (64 - offset - width)) as i64 >> (64 - width)) as u64,
        _ => (value as i64 >> offset) as u64,
    }
}

/// The minimum of two numbers; in IEEE mode a quiet NaN gives way to a number, and a signalling one becomes quiet.
fn least(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        _ if float::is_signalling(a) => float::quiet(a),
        _ if float::is_signalling(b) => float::quiet(b),
        (true, _) => b,
        (_, true) => a,
        _ if a == b => {
            if a.is_sign_negative() {
                a
            } else {
                b
            }
        }
        _ => {
            if a < b {
                a
            } else {
                b
            }
        }
    }
}

fn greatest(a: f64, b: f64) -> f64 {
    -least(-a, -b)
}

/// A number of 16 bits as one of 32.
pub fn sign_extended(short: u64) -> u64 {
    word(short as u16 as i16 as i32 as u32)
}

/// A double as an integer: cut, and kept within the range.
fn truncated(x: f64) -> u64 {
    word(x as i32 as u32)
}

const PAIR: &[Kind] = &[B32, B32];
const TRIPLE: &[Kind] = &[B32, B32, B32];
const REALS: &[Kind] = &[F64, F64];
const SINGLES: &[Kind] = &[F32, F32];

/// Vector instructions, without `_e32` and `_e64`.
pub static LANES: &[Lanes] = &[
    copies("v_mov_b32", B32, &[B32]),
    copies("v_mov_b64", B64, &[B64]),
    copies("v_accvgpr_read_b32", B32, &[B32]),
    copies("v_accvgpr_write_b32", B32, &[B32]),
    copies("v_accvgpr_mov_b32", B32, &[B32]),
    lanes("v_add_f64", F64, REALS, |[a, b, _]| (real(a) + real(b)).to_bits()),
    lanes("v_mul_f64", F64, REALS, |[a, b, _]| (real(a) * real(b)).to_bits()),
    lanes("v_fma_f64", F64, &[F64, F64, F64], |[a, b, c]| real(a).mul_add(real(b), real(c)).to_bits()),
    lanes("v_fmac_f64", F64, REALS, |[a, b, c]| real(a).mul_add(real(b), real(c)).to_bits()),
    lanes("v_min_f64", F64, REALS, |[a, b, _]| least(real(a), real(b)).to_bits()),
    lanes("v_max_f64", F64, REALS, |[a, b, _]| greatest(real(a), real(b)).to_bits()),
    lanes("v_ldexp_f64", F64, &[F64, B32], |[a, b, _]| float::ldexp(real(a), b as i32).to_bits()),
    lanes("v_frexp_mant_f64", F64, &[F64], |[a, ..]| float::mantissa(real(a)).to_bits()),
    lanes("v_frexp_exp_i32_f64", B32, &[F64], |[a, ..]| word(float::exponent_of(real(a)) as u32)),
    lanes("v_rndne_f64", F64, &[F64], |[a, ..]| float::quieted(real(a).round_ties_even()).to_bits()),
    lanes("v_floor_f64", F64, &[F64], |[a, ..]| float::quieted(real(a).floor()).to_bits()),
    lanes("v_ceil_f64", F64, &[F64], |[a, ..]| float::quieted(real(a).ceil()).to_bits()),
    lanes("v_trunc_f64", F64, &[F64], |[a, ..]| float::quieted(real(a).trunc()).to_bits()),
    lanes("v_div_fixup_f64", F64, &[F64, F64, F64], |[a, b, c]| float::div_fixup(real(a), real(b), real(c)).to_bits()),
    // Approximations: these are the exact results, which `Options::cut` shortens.
    lanes("v_rcp_f64", F64, &[F64], |[a, ..]| (1.0 / real(a)).to_bits()),
    lanes("v_rsq_f64", F64, &[F64], |[a, ..]| (1.0 / real(a).sqrt()).to_bits()),
    lanes("v_sqrt_f64", F64, &[F64], |[a, ..]| real(a).sqrt().to_bits()),
    lanes("v_cvt_f64_i32", F64, &[B32], |[a, ..]| f64::from(a as i32).to_bits()),
    lanes("v_cvt_f64_u32", F64, &[B32], |[a, ..]| f64::from(a as u32).to_bits()),
    lanes("v_cvt_f64_f32", F64, &[F32], |[a, ..]| f64::from(single(a)).to_bits()),
    lanes("v_cvt_i32_f64", B32, &[F64], |[a, ..]| truncated(real(a))),
    lanes("v_cvt_u32_f64", B32, &[F64], |[a, ..]| word(real(a) as u32)),
    lanes("v_cvt_f32_f64", F32, &[F64], |[a, ..]| word((real(a) as f32).to_bits())),
    lanes("v_add_f32", F32, SINGLES, |[a, b, _]| word((single(a) + single(b)).to_bits())),
    lanes("v_sub_f32", F32, SINGLES, |[a, b, _]| word((single(a) - single(b)).to_bits())),
    lanes("v_mul_f32", F32, SINGLES, |[a, b, _]| word((single(a) * single(b)).to_bits())),
    lanes("v_fma_f32", F32, &[F32, F32, F32], |[a, b, c]| word(single(a).mul_add(single(b), single(c)).to_bits())),
    lanes("v_fmac_f32", F32, SINGLES, |[a, b, c]| word(single(a).mul_add(single(b), single(c)).to_bits())),
    lanes("v_add_u32", B32, PAIR, |[a, b, _]| word((a as u32).wrapping_add(b as u32))),
    lanes("v_sub_u32", B32, PAIR, |[a, b, _]| word((a as u32).wrapping_sub(b as u32))),
    lanes("v_subrev_u32", B32, PAIR, |[a, b, _]| word((b as u32).wrapping_sub(a as u32))),
    lanes("v_add3_u32", B32, TRIPLE, |[a, b, c]| word((a as u32).wrapping_add(b as u32).wrapping_add(c as u32))),
    lanes("v_mul_lo_u32", B32, PAIR, |[a, b, _]| word((a as u32).wrapping_mul(b as u32))),
    lanes("v_mul_hi_u32", B32, PAIR, |[a, b, _]| (a * b) >> 32),
    lanes("v_mul_hi_i32", B32, PAIR, |[a, b, _]| word(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32)),
    lanes("v_mul_u32_u24", B32, PAIR, |[a, b, _]| word(((a & 0xff_ffff) * (b & 0xff_ffff)) as u32)),
    lanes("v_mul_i32_i24", B32, PAIR, |[a, b, _]| word((signed_24(a) * signed_24(b)) as u32)),
    lanes("v_mad_u32_u24", B32, TRIPLE, |[a, b, c]| {
        word((((a & 0xff_ffff) * (b & 0xff_ffff)) as u32).wrapping_add(c as u32))
    }),
    lanes("v_mad_u32", B32, TRIPLE, |[a, b, c]| word((a as u32).wrapping_mul(b as u32).wrapping_add(c as u32))),
    lanes("v_mad_i32_i24", B32, TRIPLE, |[a, b, c]| {
        word(((signed_24(a) * signed_24(b)) as u32).wrapping_add(c as u32))
    }),
    lanes("v_and_b32", B32, PAIR, |[a, b, _]| a & b),
    lanes("v_or_b32", B32, PAIR, |[a, b, _]| a | b),
    lanes("v_xor_b32", B32, PAIR, |[a, b, _]| a ^ b),
    lanes("v_xad_u32", B32, TRIPLE, |[a, b, c]| word(((a ^ b) as u32).wrapping_add(c as u32))),
    lanes("v_not_b32", B32, &[B32], |[a, ..]| word(!(a as u32))),
    lanes("v_bfrev_b32", B32, &[B32], |[a, ..]| word((a as u32).reverse_bits())),
    lanes("v_and_or_b32", B32, TRIPLE, |[a, b, c]| a & b | c),
    lanes("v_or3_b32", B32, TRIPLE, |[a, b, c]| a | b | c),
    lanes("v_bfi_b32", B32, TRIPLE, |[a, b, c]| word((a & b) as u32 | (!(a as u32) & c as u32))),
    lanes("v_bfe_u32", B32, TRIPLE, |[a, b, c]| word(field(a as u32, b as u32 & 31, c as u32 & 31))),
    lanes("v_bfe_i32", B32, TRIPLE, |[a, b, c]| word(signed_field(a as u32, b as u32 & 31, c as u32 & 31))),
    lanes("v_alignbit_b32", B32, TRIPLE, |[a, b, c]| word(((a << 32 | b) >> (c & 31)) as u32)),
    lanes("v_lshlrev_b32", B32, PAIR, |[a, b, _]| word((b as u32) << (a & 31))),
    lanes("v_lshrrev_b32", B32, PAIR, |[a, b, _]| word(b as u32 >> (a & 31))),
    lanes("v_ashrrev_i32", B32, PAIR, |[a, b, _]| word((b as i32 >> (a & 31)) as u32)),
    lanes("v_lshlrev_b64", B64, &[B32, B64], |[a, b, _]| b << (a & 63)),
    lanes("v_lshrrev_b64", B64, &[B32, B64], |[a, b, _]| b >> (a & 63)),
    lanes("v_ashrrev_i64", B64, &[B32, B64], |[a, b, _]| (b as i64 >> (a & 63)) as u64),
    lanes("v_lshl_add_u32", B32, TRIPLE, |[a, b, c]| word(((a as u32) << (b & 31)).wrapping_add(c as u32))),
    lanes("v_add_lshl_u32", B32, TRIPLE, |[a, b, c]| word((a as u32).wrapping_add(b as u32) << (c & 31))),
    lanes("v_lshl_or_b32", B32, TRIPLE, |[a, b, c]| word((a as u32) << (b & 31) | c as u32)),
    lanes("v_lshl_add_u64", B64, &[B64, B32, B64], |[a, b, c]| (a << (b & 7)).wrapping_add(c)),
    lanes("v_add_nc_u64", B64, WIDE, |[a, b, _]| a.wrapping_add(b)),
    lanes("v_sub_nc_u64", B64, WIDE, |[a, b, _]| a.wrapping_sub(b)),
    lanes("v_mul_u64", B64, WIDE, |[a, b, _]| a.wrapping_mul(b)),
    lanes("v_mad_nc_u64_u32", B64, &[B32, B32, B64], |[a, b, c]| (a * b).wrapping_add(c)),
    lanes("v_mad_nc_i64_i32", B64, &[B32, B32, B64], |[a, b, c]| {
        ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)
    }),
    lanes("v_min_i64", B64, WIDE, |[a, b, _]| (a as i64).min(b as i64) as u64),
    lanes("v_max_i64", B64, WIDE, |[a, b, _]| (a as i64).max(b as i64) as u64),
    lanes("v_min_u64", B64, WIDE, |[a, b, _]| a.min(b)),
    lanes("v_max_u64", B64, WIDE, |[a, b, _]| a.max(b)),
    lanes("v_min_i32", B32, PAIR, |[a, b, _]| word((a as i32).min(b as i32) as u32)),
    lanes("v_max_i32", B32, PAIR, |[a, b, _]| word((a as i32).max(b as i32) as u32)),
    lanes("v_min_u32", B32, PAIR, |[a, b, _]| a.min(b)),
    lanes("v_max_u32", B32, PAIR, |[a, b, _]| a.max(b)),
];

const fn scalar(
    name: &'static str,
    result: Kind,
    sources: &'static [Kind],
    compute: fn(u64, u64, bool) -> (u64, Option<bool>),
) -> Scalars {
    Scalars { name, result, sources, moves: false, conditional: false, compute }
}

const fn conditional(
    name: &'static str,
    result: Kind,
    sources: &'static [Kind],
    compute: fn(u64, u64, bool) -> (u64, Option<bool>),
) -> Scalars {
    Scalars { name, result, sources, moves: false, conditional: true, compute }
}

const fn moved(name: &'static str, kind: Kind, sources: &'static [Kind]) -> Scalars {
    Scalars { name, result: kind, sources, moves: true, conditional: false, compute: |a, _, _| (a, None) }
}

/// A result of 32 bits, and SCC where it is not zero.
fn non_zero(value: u32) -> (u64, Option<bool>) {
    (value.into(), Some(value != 0))
}

fn non_zero_wide(value: u64) -> (u64, Option<bool>) {
    (value, Some(value != 0))
}

/// A sum with SCC for the overflow of signed numbers.
fn signed_sum(a: u64, b: u64) -> (u64, Option<bool>) {
    let (sum, overflow) = (a as i32).overflowing_add(b as i32);
    (word(sum as u32), Some(overflow))
}

fn signed_difference(a: u64, b: u64) -> (u64, Option<bool>) {
    let (difference, overflow) = (a as i32).overflowing_sub(b as i32);
    (word(difference as u32), Some(overflow))
}

/// A sum of numbers without signs, with SCC for the carry.
fn sum(a: u64, b: u64, carry: bool) -> (u64, Option<bool>) {
    let all = a + b + u64::from(carry);
    (word(all as u32), Some(all >> 32 != 0))
}

fn difference(a: u64, b: u64, borrow: bool) -> (u64, Option<bool>) {
    let taken = b + u64::from(borrow);
    (word((a as u32).wrapping_sub(taken as u32)), Some(taken > a))
}

fn shifted_sum(a: u64, b: u64, by: u32) -> (u64, Option<bool>) {
    let all = (a << by) + b;
    (word(all as u32), Some(all >> 32 != 0))
}

const WIDE: &[Kind] = &[B64, B64];
const SHIFT: &[Kind] = &[B64, B32];

/// Scalar instructions.
pub static SCALARS: &[Scalars] = &[
    moved("s_mov_b32", B32, &[B32]),
    moved("s_mov_b64", B64, &[B64]),
    scalar("s_movk_i32", B32, &[B32], |a, _, _| (sign_extended(a), None)),
    scalar("s_addk_i32", B32, PAIR, |a, b, _| signed_sum(a, sign_extended(b))),
    scalar("s_mulk_i32", B32, PAIR, |a, b, _| (word((a as u32).wrapping_mul(sign_extended(b) as u32)), None)),
    scalar("s_add_u32", B32, PAIR, |a, b, _| sum(a, b, false)),
    conditional("s_addc_u32", B32, PAIR, sum),
    scalar("s_sub_u32", B32, PAIR, |a, b, _| difference(a, b, false)),
    conditional("s_subb_u32", B32, PAIR, difference),
    scalar("s_add_i32", B32, PAIR, |a, b, _| signed_sum(a, b)),
    scalar("s_sub_i32", B32, PAIR, |a, b, _| signed_difference(a, b)),
    scalar("s_mul_i32", B32, PAIR, |a, b, _| (word((a as u32).wrapping_mul(b as u32)), None)),
    scalar("s_mul_hi_u32", B32, PAIR, |a, b, _| ((a * b) >> 32, None)),
    scalar("s_mul_hi_i32", B32, PAIR, |a, b, _| {
        (word(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32), None)
    }),
    scalar("s_and_b32", B32, PAIR, |a, b, _| non_zero((a & b) as u32)),
    scalar("s_or_b32", B32, PAIR, |a, b, _| non_zero((a | b) as u32)),
    scalar("s_xor_b32", B32, PAIR, |a, b, _| non_zero((a ^ b) as u32)),
    scalar("s_andn2_b32", B32, PAIR, |a, b, _| non_zero(a as u32 & !(b as u32))),
    scalar("s_orn2_b32", B32, PAIR, |a, b, _| non_zero(a as u32 | !(b as u32))),
    scalar("s_nor_b32", B32, PAIR, |a, b, _| non_zero(!(a | b) as u32)),
    scalar("s_not_b32", B32, &[B32], |a, _, _| non_zero(!(a as u32))),
    scalar("s_and_b64", B64, WIDE, |a, b, _| non_zero_wide(a & b)),
    scalar("s_or_b64", B64, WIDE, |a, b, _| non_zero_wide(a | b)),
    scalar("s_xor_b64", B64, WIDE, |a, b, _| non_zero_wide(a ^ b)),
    scalar("s_andn2_b64", B64, WIDE, |a, b, _| non_zero_wide(a & !b)),
    scalar("s_orn2_b64", B64, WIDE, |a, b, _| non_zero_wide(a | !b)),
    scalar("s_nor_b64", B64, WIDE, |a, b, _| non_zero_wide(!(a | b))),
    scalar("s_not_b64", B64, &[B64], |a, _, _| non_zero_wide(!a)),
    scalar("s_lshl_b32", B32, PAIR, |a, b, _| non_zero((a as u32) << (b & 31))),
    scalar("s_lshr_b32", B32, PAIR, |a, b, _| non_zero(a as u32 >> (b & 31))),
    scalar("s_ashr_i32", B32, PAIR, |a, b, _| non_zero((a as i32 >> (b & 31)) as u32)),
    scalar("s_lshl_b64", B64, SHIFT, |a, b, _| non_zero_wide(a << (b & 63))),
    scalar("s_lshr_b64", B64, SHIFT, |a, b, _| non_zero_wide(a >> (b & 63))),
    scalar("s_ashr_i64", B64, SHIFT, |a, b, _| non_zero_wide((a as i64 >> (b & 63)) as u64)),
    scalar("s_add_nc_u64", B64, WIDE, |a, b, _| (a.wrapping_add(b), None)),
    scalar("s_sub_nc_u64", B64, WIDE, |a, b, _| (a.wrapping_sub(b), None)),
    scalar("s_mul_u64", B64, WIDE, |a, b, _| (a.wrapping_mul(b), None)),
    scalar("s_lshl1_add_u32", B32, PAIR, |a, b, _| shifted_sum(a, b, 1)),
    scalar("s_lshl2_add_u32", B32, PAIR, |a, b, _| shifted_sum(a, b, 2)),
    scalar("s_lshl3_add_u32", B32, PAIR, |a, b, _| shifted_sum(a, b, 3)),
    scalar("s_lshl4_add_u32", B32, PAIR, |a, b, _| shifted_sum(a, b, 4)),
    scalar("s_bfe_u32", B32, PAIR, |a, b, _| non_zero(field(a as u32, b as u32 & 31, (b >> 16) as u32 & 127))),
    scalar("s_bfe_i32", B32, PAIR, |a, b, _| non_zero(signed_field(a as u32, b as u32 & 31, (b >> 16) as u32 & 127))),
    scalar("s_bfe_i64", B64, SHIFT, |a, b, _| non_zero_wide(wide_field(a, b as u32 & 63, (b >> 16) as u32 & 127))),
    scalar("s_bfm_b32", B32, PAIR, |a, b, _| (word(((1u32 << (a & 31)) - 1) << (b & 31)), None)),
    scalar("s_brev_b32", B32, &[B32], |a, _, _| (word((a as u32).reverse_bits()), None)),
    scalar("s_sext_i32_i16", B32, &[B32], |a, _, _| (sign_extended(a), None)),
    scalar("s_bcnt1_i32_b32", B32, &[B32], |a, _, _| non_zero(a.count_ones())),
    scalar("s_bcnt1_i32_b64", B32, &[B64], |a, _, _| non_zero(a.count_ones())),
    scalar("s_ff1_i32_b32", B32, &[B32], |a, _, _| {
        (if a == 0 { word(u32::MAX) } else { word(a.trailing_zeros()) }, None)
    }),
    scalar("s_ff1_i32_b64", B32, &[B64], |a, _, _| {
        (if a == 0 { word(u32::MAX) } else { word(a.trailing_zeros()) }, None)
    }),
    scalar("s_min_i32", B32, PAIR, |a, b, _| (word((a as i32).min(b as i32) as u32), Some((a as i32) < b as i32))),
    scalar("s_max_i32", B32, PAIR, |a, b, _| (word((a as i32).max(b as i32) as u32), Some((a as i32) >= b as i32))),
    scalar("s_min_u32", B32, PAIR, |a, b, _| (a.min(b), Some(a < b))),
    scalar("s_max_u32", B32, PAIR, |a, b, _| (a.max(b), Some(a >= b))),
    conditional("s_cselect_b32", B32, PAIR, |a, b, scc| (if scc { a } else { b }, None)),
    conditional("s_cselect_b64", B64, WIDE, |a, b, scc| (if scc { a } else { b }, None)),
];
