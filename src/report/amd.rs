//! What Clang makes of a kernel for AMD's GPUs, and bounds that follow from it. No times are told: latencies are not published.

use serde::Serialize;

use machine::target::{Amd, Target};
use machine::toolchain::Listing;

/// Needs and counts of the machine code, where a Clang that knows the machine is installed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnAmd {
    /// Such as `clang 22.1.8`.
    pub compiler: String,
    /// Vector registers of a lane, and how many of them are accumulation registers.
    pub vgprs: u32,
    pub accumulation_vgprs: u32,
    /// Scalar registers of a wave.
    pub sgprs: u32,
    /// Bytes of private memory of a lane.
    pub scratch_bytes: u32,
    /// Bytes of a workgroup.
    pub lds_bytes: u32,
    pub spilled_vgprs: u32,
    pub spilled_sgprs: u32,
    pub code_bytes: u64,
    /// The code over the cache for instructions, where its size is published.
    pub over_instruction_cache: Option<f64>,
    /// As the compiler tells.
    pub waves_per_simd: u32,
    /// Of a wave; absent where the code has loops.
    pub instructions: Option<Instructions>,
    /// Time per point in ns in which the board's vector units compute the results of double precision, and in which they issue all
    /// vector instructions; absent where rates are not published.
    pub fp64_bound_ns: Option<f64>,
    pub vector_bound_ns: Option<f64>,
}

/// What a wave executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Instructions {
    pub vector: u64,
    /// Those of the vector instructions that compute with doubles.
    pub doubles: u64,
    pub scalar: u64,
    pub scalar_loads: u64,
    pub lds: u64,
    pub global: u64,
    pub scratch: u64,
}

impl OnAmd {
    pub fn new(compiler: &str, listing: &Listing, target: &Target, amd: &Amd) -> Self {
        let instructions = listing.counts.map(|counts| Instructions {
            vector: counts.vector,
            doubles: counts.doubles,
            scalar: counts.scalar,
            scalar_loads: counts.scalar_loads,
            lds: counts.lds,
            global: counts.global,
            scratch: counts.scratch,
        });
        // A wave has a point in each lane, so that an instruction of a wave is one of each point.
        let bound = |count: fn(&Instructions) -> u64, per_clock: Option<u32>| {
            let (instructions, per_clock) = instructions.as_ref().zip(per_clock.filter(|_| amd.board.is_some()))?;
            Some(target.board.nanoseconds(count(instructions) as f64 / f64::from(per_clock)))
        };
        Self {
            compiler: compiler.to_owned(),
            vgprs: listing.vgprs,
            accumulation_vgprs: listing.accumulation_vgprs,
            sgprs: listing.sgprs,
            scratch_bytes: listing.scratch_bytes,
            lds_bytes: listing.lds_bytes,
            spilled_vgprs: listing.spilled_vgprs,
            spilled_sgprs: listing.spilled_sgprs,
            code_bytes: listing.code_bytes,
            over_instruction_cache: amd.over_instruction_cache(listing.code_bytes),
            waves_per_simd: listing.occupancy,
            instructions,
            fp64_bound_ns: bound(|own| own.doubles, amd.fp64_per_clock_per_cu),
            vector_bound_ns: bound(|own| own.vector, amd.vector_lanes_per_clock_per_cu),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::toolchain::Counts;

    #[test]
    fn bounds_follow_from_counts_and_published_rates() {
        let counts = Counts { vector: 12_800, doubles: 6_400, ..Counts::default() };
        let listing = Listing { code_bytes: 131_072, counts: Some(counts), ..Listing::default() };
        let of = |name| {
            let target = Target::by_name(name).unwrap();
            OnAmd::new("clang", &listing, target, target.amd().unwrap())
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
