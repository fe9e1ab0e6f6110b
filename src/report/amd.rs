//! Results of Clang for a kernel on AMD's GPUs, and bounds that follow from them. No times are told: latencies are not published.

use serde::Serialize;

use crate::verify::CodeOnAmd;
use machine::target::{Amd, Target};
use machine::toolchain::{Counts, Listing};

/// Needs and counts of the machine code, where a Clang that knows the machine is installed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnAmd {
    /// Name of the compiler, such as `clang 22.1.8`.
    pub compiler: String,
    #[serde(flatten)]
    pub code: Listing,
    /// The code over the cache for instructions, where its size is published.
    pub over_instruction_cache: Option<f64>,
    /// Time per point in ns in which the board's vector units compute the results of double precision, and in which they issue all
    /// vector instructions; absent where rates are not published, or the code has loops.
    pub fp64_bound_ns: Option<f64>,
    pub vector_bound_ns: Option<f64>,
    /// Whether the machine code was run, and what that showed; absent where nothing is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<CodeOnAmd>,
}

impl OnAmd {
    pub fn new(compiler: &str, code: Listing, target: &Target, amd: &Amd) -> Self {
        // A wave has a point in each lane, so that an instruction of a wave is one of each point.
        let bound = |count: fn(&Counts) -> u64, per_clock: Option<u32>| {
            let (counts, per_clock) = code.instructions.as_ref().zip(per_clock.filter(|_| amd.board.is_some()))?;
            Some(target.board.nanoseconds(count(counts) as f64 / f64::from(per_clock)))
        };
        Self {
            over_instruction_cache: amd.over_instruction_cache(code.code_bytes),
            fp64_bound_ns: bound(|counts| counts.doubles, amd.fp64_per_clock_per_cu),
            vector_bound_ns: bound(|counts| counts.vector, amd.vector_lanes_per_clock_per_cu),
            compiler: compiler.to_owned(),
            code,
            run: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_from_counts_and_published_rates() {
        let counts = Counts { vector: 12_800, doubles: 6_400, ..Counts::default() };
        let code = Listing { code_bytes: 131_072, instructions: Some(counts), ..Listing::default() };
        let of = |name| {
            let target = Target::by_name(name).unwrap();
            OnAmd::new("clang", code.clone(), target, target.amd().unwrap())
        };
        // 100 and 200 clocks of a compute unit per point
        let clocks = |nanoseconds: Option<f64>| (nanoseconds.unwrap() * 304.0 * 2.1).round();
        let mi300x = of("mi300x");
        assert_eq!([mi300x.fp64_bound_ns, mi300x.vector_bound_ns].map(clocks), [100.0, 200.0]);
        assert_eq!([mi300x.over_instruction_cache, of("mi250x").over_instruction_cache], [Some(2.0), Some(4.0)]);
        let gfx1250 = of("gfx1250");
        assert_eq!(
            (gfx1250.fp64_bound_ns, gfx1250.vector_bound_ns, gfx1250.over_instruction_cache),
            (None, None, None)
        );
    }
}
