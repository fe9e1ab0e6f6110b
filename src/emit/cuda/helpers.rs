//! The device functions that kernels call; a file holds those that its kernel uses.

use super::tables::real;
use crate::dataflow::elementary::{
    EXP_COEFFICIENTS, EXP_LIMIT_HIGH_WORD, EXP_LN2_HI, EXP_LN2_LO, LOG_COEFFICIENTS, LOG_LN2_HI, LOG_LN2_LO,
    LOG_SPLIT_HIGH_WORD, LOG2_E, ROUND_MAGIC,
};
use crate::dataflow::exp2;
use crate::target::{Shuffle, Target};
use std::fmt::Write;

/// A function of the text, in the order of their definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    Broadcast,
    BroadcastIndex,
    Reload,
    ReloadIndex,
    Forget,
    Load,
    LoadOutput,
    Store,
    SelectLe,
    BarrierSync,
    BarrierArrive,
    Exp,
    Log,
    Exp2,
    Exp2Table,
}

/// The names that a kernel's own variables must not take.
pub const NAMES: [&str; 15] = [
    "broadcast",
    "broadcast_index",
    "reload",
    "reload_index",
    "forget",
    "load",
    "load_output",
    "store",
    "select_le",
    "barrier_sync",
    "barrier_arrive",
    "singe_exp",
    "singe_log",
    "singe_exp2",
    "singe_exp2_table",
];

impl Helper {
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The definition, for a CTA of this many warps.
    pub fn definition(self, target: &Target, warps: u32) -> String {
        let load = if target.read_only_loads { "__ldg(" } else { "*(" };
        let text = match self {
            Self::Broadcast => broadcast(target, warps),
            Self::BroadcastIndex => broadcast_index(target, warps),
            Self::Reload => reload(target, self.name(), "double", "f64", 'd'),
            Self::ReloadIndex => reload(target, self.name(), "int", "s32", 'r'),
            Self::Forget => FORGET.to_owned(),
            Self::Load => format!(
                "// Row of a field-major input at one point.\n\
                 INLINE double load(const double *__restrict__ field, int row, int stride, int point)\n\
                 {{\n  return {load}field + (size_t)row * stride + point);\n}}\n"
            ),
            Self::LoadOutput => "\
// Row of a field-major output at one point.
INLINE double load_output(const double *field, int row, int stride, int point)
{
  return field[(size_t)row * stride + point];
}
"
            .to_owned(),
            // A function, so that broadcasts in its arguments are executed by all lanes; the same for the selection.
            Self::Store => "\
// Row of a field-major output at one point, for the lanes whose point exists.
INLINE void store(double *field, int row, int stride, int point, bool active, double value)
{
  if (active) field[(size_t)row * stride + point] = value;
}
"
            .to_owned(),
            Self::SelectLe => "\
INLINE double select_le(double a, double b, double then, double otherwise)
{
  return a <= b ? then : otherwise;
}
"
            .to_owned(),
            Self::BarrierSync => barrier("barrier_sync", "bar.sync", "Arrives and waits for the rest."),
            Self::BarrierArrive => barrier("barrier_arrive", "bar.arrive", "Arrives and goes on."),
            Self::Exp => exp(),
            Self::Log => log(),
            Self::Exp2 => exp2(),
            Self::Exp2Table => exp2_table(target),
        };
        text.replace("INLINE", "static __device__ __forceinline__")
    }
}

fn broadcast(target: &Target, warps: u32) -> String {
    let shuffle = match target.shuffle {
        Shuffle::Mirror => return mirrored("broadcast", "double", warps),
        Shuffle::Shfl => "__shfl(",
        Shuffle::ShflSync => "__shfl_sync(0xffffffffu, ",
    };
    format!(
        "// The value that this lane holds, in all lanes of the warp.\n\
         INLINE double broadcast(double value, int lane)\n\
         {{\n\
         \x20 const int high = {shuffle}__double2hiint(value), lane);\n\
         \x20 const int low = {shuffle}__double2loint(value), lane);\n\
         \x20 return __hiloint2double(high, low);\n\
         }}\n"
    )
}

fn broadcast_index(target: &Target, warps: u32) -> String {
    let shuffle = match target.shuffle {
        Shuffle::Mirror => return mirrored("broadcast_index", "int", warps),
        Shuffle::Shfl => "__shfl(",
        Shuffle::ShflSync => "__shfl_sync(0xffffffffu, ",
    };
    format!("INLINE int broadcast_index(int value, int lane)\n{{\n  return {shuffle}value, lane);\n}}\n")
}

/// What follows from these (addresses, comparisons with the warp's number, products with the stride) is the same in all
/// phases: compilers would compute it once and keep it in registers.
const FORGET: &str = "\
// Empty, but compilers cannot see that: they compute again what follows from it, instead of keeping that in registers.
INLINE void forget(int &place)
{
  asm volatile(\"\" : \"+r\"(place));
}
";

/// In assembly, because compilers would load such a constant once and keep it, or its address.
fn reload(target: &Target, name: &str, kind: &str, suffix: &str, register: char) -> String {
    let space = if target.read_only_loads { "ld.global.nc" } else { "ld.global" };
    let bytes = if kind == "double" { 8 } else { 4 };
    format!(
        "// This thread's entry of a table, loaded again where it is used: registers are too few to keep it, or its address.\n\
         INLINE {kind} {name}(const {kind} *table)\n\
         {{\n\
         \x20 {kind} value;\n\
         \x20 asm volatile(\"{{ .reg .u32 t; .reg .u64 a; mov.u32 t, %%tid.x; mad.wide.u32 a, t, {bytes}, %1; {space}.{suffix} %0, [a]; }}\"\n\
         \x20              : \"={register}\"(value) : \"l\"(table));\n\
         \x20 return value;\n\
         }}\n"
    )
}

/// Without shuffles one lane writes and all read; the lanes of a warp are in lock step on those machines.
fn mirrored(name: &str, kind: &str, warps: u32) -> String {
    format!(
        "// The value that this lane holds, in all lanes of the warp, which runs in lock step.\n\
         INLINE {kind} {name}({kind} value, int lane)\n\
         {{\n\
         \x20 __shared__ volatile {kind} mirror[{warps}];\n\
         \x20 if ((int)(threadIdx.x & 31) == lane) mirror[threadIdx.x >> 5] = value;\n\
         \x20 return mirror[threadIdx.x >> 5];\n\
         }}\n"
    )
}

/// Id and count are immediates, which ptxas can check, and with which it knows how many barriers the kernel uses.
fn barrier(name: &str, instruction: &str, comment: &str) -> String {
    format!(
        "// {comment}\n\
         template <int id, int threads> INLINE void {name}()\n\
         {{\n\
         \x20 asm volatile(\"{instruction} %0, %1;\" : : \"n\"(id), \"n\"(threads) : \"memory\");\n\
         }}\n"
    )
}

/// [`crate::dataflow::elementary::exp`], operation by operation. No product meets a sum, so nothing here can be fused
/// that is not written as `fma`.
fn exp() -> String {
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

/// [`crate::dataflow::exp2::polynomial`], operation by operation. No product meets a sum.
fn exp2() -> String {
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
        limited = exp2_limited(),
    )
}

/// [`crate::dataflow::exp2::tabulated`], operation by operation. The one plain product is only a factor.
fn exp2_table(target: &Target) -> String {
    let shuffle = match target.shuffle {
        Shuffle::Mirror => unreachable!("builders use the polynomial on machines without shuffles"),
        Shuffle::Shfl => "__shfl(",
        Shuffle::ShflSync => "__shfl_sync(0xffffffffu, ",
    };
    format!(
        "// 2^x below 1 ulp: 0 for x <= -1021, infinity for x >= 1021. Lane j holds 2^(j/32) in `power`.\n\
         INLINE double singe_exp2_table(double x, double power)\n\
         {{\n\
         \x20 const double shifted = x + {magic};\n\
         \x20 const unsigned n = (unsigned)__double2loint(shifted);\n\
         \x20 const double r = x - (shifted - {magic});\n\
         {polynomial}\
         \x20 const int root_high = {shuffle}__double2hiint(power), (int)(n & 31u));\n\
         \x20 const double root = __hiloint2double(root_high, {shuffle}__double2loint(power), (int)(n & 31u)));\n\
         \x20 const double p = fma(root, q * r, root);\n\
         \x20 const unsigned high = (unsigned)__double2hiint(p) + ((n & ~31u) << 15);\n\
         {limited}\
         }}\n",
        magic = real(exp2::PARTS_MAGIC),
        polynomial = polynomial("q", "r", &exp2::PART_COEFFICIENTS),
        limited = exp2_limited(),
    )
}

/// Without a condition, of which compilers might make a branch on data.
fn exp2_limited() -> String {
    format!(
        "\x20 // All ones for |x| < 1021.\n\
         \x20 const int x_high = __double2hiint(x);\n\
         \x20 const int inside = ((x_high & 0x7fffffff) - {limit:#x}) >> 31;\n\
         \x20 const int beyond = ~(x_high >> 31) & 0x7ff00000;\n\
         \x20 return __hiloint2double(((int)high & inside) | (beyond & ~inside), __double2loint(p) & inside);\n",
        limit = exp2::LIMIT_HIGH_WORD,
    )
}

/// [`crate::dataflow::elementary::log`], operation by operation. Its one plain product is an addend of `fma`, which
/// cannot be fused.
fn log() -> String {
    format!(
        "// ln x below 1 ulp, for positive normal x.\n\
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
         \x20 return fma(k, {ln2_high}, f + low);\n\
         }}\n",
        split = LOG_SPLIT_HIGH_WORD,
        ln2_low = real(LOG_LN2_LO),
        ln2_high = real(LOG_LN2_HI),
        polynomial = polynomial("r", "z", &LOG_COEFFICIENTS),
    )
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
