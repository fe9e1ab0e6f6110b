//! Differences of single precision: numbers, names of functions, and the header that all kernels include.

use crate::base::expression::Expression;
use crate::base::glue::{Template, render};
use graph::single::double_float;
use graph::single::elementary::{self, EXP_LIMIT, EXP2_LIMIT};
use overlay::program::Unary;
use serde::Serialize;

/// The name of that header.
pub const SINGLE_HEADER: &str = "singe_single.h";

/// The header that all kernels in single precision include: vectors of floats and what is computed with them.
pub fn single_header() -> String {
    let all = |numbers: &[f32]| numbers.iter().map(|&x| number(x)).collect();
    let [high, low] = elementary::LN2;
    render(
        Template::Single,
        &File {
            exp: all(&elementary::EXP),
            exp2: all(&elementary::EXP2),
            log: all(&elementary::LOG),
            log2: all(&elementary::LOG2),
            exp_limit: number(EXP_LIMIT),
            exp2_limit: number(EXP2_LIMIT),
            ln2_high: number(high),
            ln2_low: number(low),
            ln2_high_negative: number(-high),
            ln2_low_negative: number(-low),
            split: format!("{:#010x}", elementary::SPLIT),
            least_normal: number(f32::MIN_POSITIVE),
            largest: number(f32::MAX),
            words: double_float::WORDS,
            next: number(double_float::NEXT),
        },
    )
}

#[derive(Serialize)]
struct File {
    exp: Vec<String>,
    exp2: Vec<String>,
    log: Vec<String>,
    log2: Vec<String>,
    exp_limit: String,
    exp2_limit: String,
    ln2_high: String,
    ln2_low: String,
    ln2_high_negative: String,
    ln2_low_negative: String,
    split: String,
    least_normal: String,
    largest: String,
    words: double_float::Words,
    next: String,
}

/// A finite number of C++, the shortest that is read as this one.
pub fn number(x: f32) -> String {
    format!("{x:?}f")
}

/// Returns a number of the code in single precision; if C++ has no literal for it, text that makes it of its bits.
pub fn rounded(x: f64) -> Result<f32, String> {
    let single = x as f32;
    match single.is_finite() {
        true => Ok(single),
        false => Err(format!("same_bits<real>(all_words({:#010x}u))", single.to_bits())),
    }
}

/// The call of a function; all algorithms of a power are one here.
pub fn call(function: Unary, argument: Expression) -> Expression {
    let (name, argument) = match function {
        Unary::Exp => ("power_of_e", argument),
        Unary::Log => ("natural_logarithm", argument),
        Unary::Log2 => ("binary_logarithm", argument),
        Unary::Positive => ("positive", argument),
        Unary::Exp2Falling | Unary::Exp2FallingWithin | Unary::Exp2FallingNear => ("power_of_two", argument.negative()),
        _ => ("power_of_two", argument),
    };
    Expression::call(name, [argument])
}

/// Names that its kernels and its header use beside those of double precision.
pub const RESERVED: [&str; 14] = [
    "wide", "positive", "limited", "magic", "power_of_e", "power_of_two", "parts", "of_positive_normal",
    "natural_logarithm", "binary_logarithm", "same_bits", "single_of", "load_single", "store_pair",
];
