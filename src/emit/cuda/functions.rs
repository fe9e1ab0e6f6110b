//! Our own elementary functions as device functions, operation by operation.

use super::tables::real;
use crate::graph::elementary::{
    EXP_COEFFICIENTS, EXP_LIMIT_HIGH_WORD, EXP_LN2_HI, EXP_LN2_LO, LEAST_NORMAL_HIGH_WORD, LOG_COEFFICIENTS,
    LOG_LN2_HI, LOG_LN2_LO, LOG_SPLIT_HIGH_WORD, LOG2_E, NEGATIVE_LIMIT_HIGH_WORD, NORMAL_HIGH_WORDS, ROUND_MAGIC,
};
use crate::graph::{exp2, log2};
use machine::target::{Shuffle, Target};
use std::fmt::Write;

/// [`crate::graph::elementary::exp`], operation by operation. No product meets a sum, so nothing here can be fused
/// that is not written as `fma`.
pub fn exp() -> String {
    format!(
        "// e^x below 1 ulp: 0 for x <= -708, infinity for x >= 708.\n\
         INLINE double singe_exp(double x)\n\
         {{\n\
         \x20 const double shifted = fma(x, {log2_e}, {magic});\n\
         \x20 const unsigned n = (unsigned)__double2loint(shifted);\n\
         \x20 const double whole = shifted - {magic};\n\
         \x20 const double r = fma(whole, {minus_low}, fma(whole, {minus_high}, x));\n\
         {polynomial}\
         \x20 const unsigned high = (unsigned)__double2hiint(p) + (n << 20);\n\
         \x20 const int x_high = __double2hiint(x);\n\
         \x20 return (x_high & 0x7fffffff) < {limit:#x} ? __hiloint2double((int)high, __double2loint(p))\n\
         \x20                                         : __hiloint2double(x_high < 0 ? 0 : 0x7ff00000, 0);\n\
         }}\n",
        log2_e = real(LOG2_E),
        magic = real(ROUND_MAGIC),
        minus_high = real(-EXP_LN2_HI),
        minus_low = real(-EXP_LN2_LO),
        polynomial = polynomial("p", "r", &EXP_COEFFICIENTS),
        limit = EXP_LIMIT_HIGH_WORD,
    )
}

/// [`crate::graph::exp2::polynomial`], operation by operation. No product meets a sum.
pub fn exp2() -> String {
    format!(
        "// 2^x below 1 ulp: 0 for x <= -1021, infinity for x >= 1021.\n\
         INLINE double singe_exp2(double x)\n\
         {{\n\
         \x20 const double shifted = x + {magic};\n\
         \x20 const double r = x - (shifted - {magic});\n\
         {polynomial}\
         \x20 const unsigned high = (unsigned)__double2hiint(p) + ((unsigned)__double2loint(shifted) << 20);\n\
         {limited}\
         }}\n",
        magic = real(exp2::WHOLE_MAGIC),
        polynomial = polynomial("p", "r", &exp2::COEFFICIENTS),
        limited = exp2_limited(false),
    )
}

/// [`crate::graph::exp2::tabulated`], operation by operation. The one plain product is only a factor.
pub fn exp2_table(target: &Target) -> String {
    format!(
        "// 2^x below 1 ulp: 0 for x <= -1021, infinity for x >= 1021. Lane j holds 2^(j/32) in `power`.\n\
         INLINE double singe_exp2_table(double x, double power)\n\
         {{\n\
         \x20 const double shifted = x + {magic};\n\
         \x20 const unsigned n = (unsigned)__double2loint(shifted);\n\
         \x20 const double r = x - (shifted - {magic});\n\
         {polynomial}\
         {root}\
         \x20 const double p = fma(root, q * r, root);\n\
         \x20 const unsigned high = (unsigned)__double2hiint(p) + ((n & ~31u) << 15);\n\
         {limited}\
         }}\n",
        magic = real(exp2::PARTS_MAGIC),
        polynomial = polynomial("q", "r", &exp2::PART_COEFFICIENTS),
        root = root(target),
        limited = exp2_limited(false),
    )
}

/// [`crate::graph::exp2::rising`] or [`crate::graph::exp2::falling`], operation by operation. Its plain products are
/// factors or an addend of `fma`. Compilers find what both have in common.
pub fn exp2_half(target: &Target, falling: bool) -> String {
    let [c1, c2, c3, c4, c5, c6] = exp2::PART_COEFFICIENTS;
    let (name, sign, what) = if falling {
        ("falling", "-", "2^-x below 1 ulp: infinity for x <= -1021, 0")
    } else {
        ("rising", "", "2^x below 1 ulp: 0 for x <= -1021, infinity")
    };
    format!(
        "// {what} for x >= 1021. Lane j holds 2^(j/32) in `power`.\n\
         INLINE double singe_exp2_{name}(double x, double power)\n\
         {{\n\
         \x20 const double shifted = x + {magic};\n\
         \x20 const unsigned n = {sign}(unsigned)__double2loint(shifted);\n\
         \x20 const double r = x - (shifted - {magic});\n\
         \x20 const double z = r * r;\n\
         {odd}\
         {even}\
         \x20 const double q = fma({sign}r, odd, z * even);\n\
         {root}\
         \x20 const double p = fma(root, q, root);\n\
         \x20 const unsigned high = (unsigned)__double2hiint(p) + ((n & ~31u) << 15);\n\
         {limited}\
         }}\n",
        magic = real(exp2::PARTS_MAGIC),
        odd = polynomial("odd", "z", &[c1, c3, c5]),
        even = polynomial("even", "z", &[c2, c4, c6]),
        root = root(target),
        limited = exp2_limited(falling),
    )
}

/// 2^(j/32) from the lane that holds it, j = the last five bits of n.
fn root(target: &Target) -> String {
    let shuffle = match target.shuffle {
        Shuffle::Mirror => unreachable!("builders use the polynomial on machines without shuffles"),
        Shuffle::Shfl => "__shfl(",
        Shuffle::ShflSync => "__shfl_sync(0xffffffffu, ",
    };
    format!(
        "\x20 const int root_high = {shuffle}__double2hiint(power), (int)(n & 31u));\n\
         \x20 const double root = __hiloint2double(root_high, {shuffle}__double2loint(power), (int)(n & 31u)));\n"
    )
}

/// Without a condition, of which compilers might make a branch on data.
fn exp2_limited(falling: bool) -> String {
    let to_zero = if falling { "" } else { "~" };
    format!(
        "\x20 // All ones for |x| < 1021.\n\
         \x20 const int x_high = __double2hiint(x);\n\
         \x20 const int inside = ((x_high & 0x7fffffff) - {limit:#x}) >> 31;\n\
         \x20 const int beyond = {to_zero}(x_high >> 31) & 0x7ff00000;\n\
         \x20 return __hiloint2double(((int)high & inside) | (beyond & ~inside), __double2loint(p) & inside);\n",
        limit = exp2::LIMIT_HIGH_WORD,
    )
}

/// [`crate::graph::elementary::log`], operation by operation. Its one plain product is an addend of `fma`, which
/// cannot be fused.
pub fn log() -> String {
    format!(
        "// ln x below 1 ulp for positive normal x; not a number for any other.\n\
         INLINE double singe_log(double x)\n\
         {{\n\
         \x20 const int high = __double2hiint(x);\n\
         \x20 const int exponent = (int)((unsigned)high - {split:#x}u) >> 20;\n\
         \x20 const double m = __hiloint2double((int)((unsigned)high - ((unsigned)exponent << 20)), __double2loint(x));\n\
         \x20 const double k = (double)exponent;\n\
         \x20 const double f = m - 1.0;\n\
         \x20 const double s = f / (m + 1.0);\n\
         \x20 const double z = s * s;\n\
         {polynomial}\
         \x20 const double t = fma(z, -r, f);\n\
         \x20 const double low = fma(s, -t, k * {ln2_low});\n\
         \x20 const double result = fma(k, {ln2_high}, f + low);\n\
         {normal}\
         }}\n",
        normal = if_normal("(unsigned)high"),
        split = LOG_SPLIT_HIGH_WORD,
        ln2_low = real(LOG_LN2_LO),
        ln2_high = real(LOG_LN2_HI),
        polynomial = polynomial("r", "z", &LOG_COEFFICIENTS),
    )
}

/// [`crate::graph::log2::log2`], operation by operation. No product meets a sum. Selections are integer instructions.
pub fn log2(target: &Target) -> String {
    let load = if target.read_only_loads { "__ldg(" } else { "*(" };
    format!(
        "// log2 x below 1 ulp for positive normal x; not a number for any other. The table has pairs c, -log2 c; next to 1, c is 1\n\
         // and the largest term, the product of f and log2 e, is rounded once.\n\
         INLINE double singe_log2(double x, const double *table)\n\
         {{\n\
         \x20 const unsigned high = (unsigned)__double2hiint(x);\n\
         \x20 const unsigned above = high - {first:#x}u;\n\
         \x20 const bool near = above - {near}u < {width}u;\n\
         \x20 const int k = (int)above >> 20;\n\
         \x20 const double m = __hiloint2double((int)(high - ((unsigned)k << 20)), __double2loint(x));\n\
         \x20 const double *const entry = table + 2 * ((above >> 14) & {mask}u);\n\
         \x20 const double f = fma(m, {load}entry), -1.0);\n\
         {polynomial}\
         \x20 p = fma(p, f, near ? {low} : {log2_e});\n\
         \x20 const double rest = fma(near ? f : (double)k, near ? p : 1.0, {load}entry + 1));\n\
         \x20 const double result = fma(f, near ? {log2_e} : p, rest);\n\
         {normal}\
         }}\n",
        normal = if_normal("high"),
        first = log2::FIRST_HIGH_WORD,
        near = log2::NEAR,
        width = log2::NEAR_WIDTH,
        low = real(log2::LOG2_E_LOW),
        log2_e = real(LOG2_E),
        mask = log2::ENTRIES.len() - 1,
        polynomial = polynomial("p", "f", &log2::COEFFICIENTS),
    )
}

/// [`crate::graph::elementary::positive`], operation by operation.
pub fn positive() -> String {
    format!(
        "// max(x, 0) without a double-precision instruction; what is not a number stays so.\n\
         INLINE double positive(double x)\n\
         {{\n\
         \x20 return __double2hiint(x) >= {NEGATIVE_LIMIT_HIGH_WORD} ? x : 0.0;\n\
         }}\n"
    )
}

/// The end of a logarithm, whose argument has the high word.
fn if_normal(high: &str) -> String {
    let (least, count) = (LEAST_NORMAL_HIGH_WORD, NORMAL_HIGH_WORDS);
    format!("\x20 return {high} - {least:#x}u < {count:#x}u ? result : __hiloint2double(0x7ff80000, 0);\n")
}

/// Horner's rule from the highest of the ascending coefficients down.
fn polynomial(variable: &str, argument: &str, coefficients: &[f64]) -> String {
    let mut out = String::new();
    for (power, coefficient) in coefficients.iter().enumerate().rev() {
        let coefficient = real(*coefficient);
        if power + 1 == coefficients.len() {
            writeln!(out, "  double {variable} = {coefficient};")
        } else {
            writeln!(out, "  {variable} = fma({variable}, {argument}, {coefficient});")
        }
        .expect("writing to a string succeeds");
    }
    out
}
