//! Which versions are worth the compilers' time: those that may be faster than what was timed already, by their estimates.

use super::made::Made;
use crate::overlay::Codegen;

/// The least part of its estimate that a version took of whose layout none was timed (GRI-Mech 3.0, dimethyl ether, n-heptane and USC Mech II
/// on Hopper and Ampere: 0.71). Straight code of each warp is estimated by its sums in shared memory, most of which it does without: 0.45.
const LEAST_SHARE: f64 = 0.8;
const LEAST_SHARE_OF_STRAIGHT: f64 = 0.45;

/// Where one of its layout was timed, a version takes about the same part of its estimate.
const LEAST_OF_EQUAL_SHARE: f64 = 0.9;

/// What takes up to so many times as long as the memory of the board does for inputs and outputs alone is not made faster by another version.
const AT_THE_FLOOR: f64 = 1.1;

/// A version of straight-line code that takes more than so many times as long as the fastest one is not made the fastest by other constants or
/// by other ways to read its inputs.
pub const FAR_BEHIND: f64 = 1.5;

/// Whether a version may be faster than all of its kernel that were timed. What cannot be told may be.
pub fn is_near<M: Made>(version: &M, others: &[M]) -> bool {
    let of_kernel = others.iter().filter(|other| other.kernel() == version.kernel());
    let timed = of_kernel.filter_map(|other| Some((other, other.predicted_ns()?, other.estimated_ns()?)));
    let timed: Vec<_> = timed.collect();
    let by_time = |a: &&(_, f64, f64), b: &&(_, f64, f64)| a.1.total_cmp(&b.1);
    let Some(&(_, fastest, _)) = timed.iter().min_by(by_time) else { return true };
    if fastest <= AT_THE_FLOOR * version.floor_ns() {
        return false;
    }
    let layout = version.version().codegen;
    let alike = timed.iter().filter(|(other, ..)| other.version().codegen == layout).min_by(by_time);
    let share = match alike {
        Some((_, predicted, estimated)) => LEAST_OF_EQUAL_SHARE * predicted / estimated,
        None if layout == Codegen::Straight => LEAST_SHARE_OF_STRAIGHT,
        None => LEAST_SHARE,
    };
    version.estimated_ns().is_none_or(|estimated| share * estimated < fastest)
}
