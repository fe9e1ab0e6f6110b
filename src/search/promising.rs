//! Choice of the versions worth the compilers' time: by their estimates, they may be faster than what was timed already.

use super::kernel_version::KernelVersion;
use super::neighbor::Version;
use crate::plan::{Multiplier, Tuning};
use kernels::Kernel;
use machine::target::Target;
use overlay::Codegen;

/// Lower bounds on predicted over estimated time for a layout that has no timed version yet.
struct LeastShares {
    /// Overlays, and copies for each warp.
    overlay: f64,
    partial: f64,
    /// Straight code of each warp: its estimate passes all its values through shared memory.
    straight: f64,
    data_parallel: f64,
}

/// Versions chosen for GRI-Mech 3.0 and dimethyl ether on Hopper and Ampere took 0.71 to 1.7 times their estimates. None of them is left out
/// with this; a few that were not chosen took 0.6.
const LEAST_SHARES: LeastShares = LeastShares { overlay: 0.8, partial: 0.8, straight: 0.45, data_parallel: 0.8 };
/// The same where warps look constants up by shuffles. The estimate assumes that these wait for each other. Transport of dimethyl ether and
/// n-heptane on a K20c with eight warps or more took at least 0.30 of its estimate in overlays, 0.36 in copies, and 0.65 in partial
/// overlays. Chemistry, whose code is long, took 1.35.
const LEAST_SHARES_BY_SHUFFLES: LeastShares = LeastShares { overlay: 0.3, partial: 0.6, ..LEAST_SHARES };

impl LeastShares {
    fn new(kernel: Kernel, target: &Target) -> Self {
        let waits_in_hardware = target.pipeline.as_ref().is_some_and(|pipeline| pipeline.fixed.is_some());
        if waits_in_hardware && !kernel.has_rates() { LEAST_SHARES_BY_SHUFFLES } else { LEAST_SHARES }
    }

    fn for_layout(&self, layout: Codegen) -> f64 {
        match layout {
            Codegen::Overlay | Codegen::Switch => self.overlay,
            Codegen::Partial => self.partial,
            Codegen::Straight => self.straight,
            Codegen::DataParallel => self.data_parallel,
        }
    }
}

/// Factor on a timed version's predicted over estimated time, as a lower bound for another version of its layout, warps, groups and way to multiply.
const LEAST_OF_EQUAL_SHARE: f64 = 0.9;
/// Upper limit on predicted over estimated time that data-parallel code passes on to other numbers of warps. Above it,
/// the reason may be its registers, which depend on the number of warps.
const MOST_SHARE_OF_OTHER_WARPS: f64 = 1.0;

/// Stop searching once the time is within this factor of what the memory of the board takes for inputs and outputs alone.
const AT_THE_FLOOR: f64 = 1.1;

/// Straight-line code slower than the fastest by more than this factor is not made the fastest by other constants or
/// other reads of its inputs.
pub const FAR_BEHIND: f64 = 1.5;

/// Key of the versions of a kernel that are told apart here.
#[derive(Clone, Copy, PartialEq)]
struct Kind {
    layout: Codegen,
    warps: u32,
    groups_per_cta: u32,
    matrix: Option<Multiplier>,
}

impl Kind {
    fn from_version(Version { codegen, tuning }: Version) -> Self {
        let Tuning { warps, groups_per_cta, matrix, .. } = tuning;
        Self { layout: codegen, warps, groups_per_cta, matrix }
    }
}

/// A version that was timed.
struct Timed {
    kind: Kind,
    predicted_ns: f64,
    estimated_ns: f64,
}

/// Whether a version may be faster than all of its kernel that were timed. What cannot be told may be.
pub fn is_promising<M: KernelVersion>(version: &M, others: &[M], target: &Target) -> bool {
    let Some(estimated_ns) = version.estimated_ns() else { return true };
    let of_kernel = others.iter().filter(|other| other.kernel() == version.kernel());
    let timed = of_kernel.filter_map(|other| {
        let kind = Kind::from_version(other.version());
        Some(Timed { kind, predicted_ns: other.predicted_ns()?, estimated_ns: other.estimated_ns()? })
    });
    let kind = Kind::from_version(version.version());
    let least = LeastShares::new(version.kernel(), target);
    may_be_faster(kind, estimated_ns, version.floor_ns(), &timed.collect::<Vec<_>>(), &least)
}

fn may_be_faster(kind: Kind, estimated_ns: f64, floor_ns: f64, timed: &[Timed], least: &LeastShares) -> bool {
    let Some(fastest) = fastest(timed, |_| true) else { return true };
    // One that differs from the fastest in its constants or its inputs alone is compared by the estimate as it is.
    let is_slower = fastest.kind == kind && estimated_ns > fastest.estimated_ns;
    if is_slower || fastest.predicted_ns <= AT_THE_FLOOR * floor_ns {
        return false;
    }
    least_share(kind, timed, least) * estimated_ns < fastest.predicted_ns
}

/// The part of its estimate that a version takes at least, as far as what was timed tells.
fn least_share(kind: Kind, timed: &[Timed], least: &LeastShares) -> f64 {
    let share = |of: &Timed| LEAST_OF_EQUAL_SHARE * of.predicted_ns / of.estimated_ns;
    let same = fastest(timed, |other| other.kind == kind);
    let is_data_parallel = |other: &Timed| [kind, other.kind].iter().all(|kind| kind.layout == Codegen::DataParallel);
    match (same, fastest(timed, is_data_parallel)) {
        (Some(same), _) => share(same),
        (None, Some(alike)) => share(alike).min(MOST_SHARE_OF_OTHER_WARPS),
        (None, None) => least.for_layout(kind.layout),
    }
}

fn fastest(timed: &[Timed], is_meant: impl Fn(&Timed) -> bool) -> Option<&Timed> {
    timed.iter().filter(|of| is_meant(of)).min_by(|a, b| a.predicted_ns.total_cmp(&b.predicted_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(layout: Codegen, warps: u32) -> Kind {
        Kind { layout, warps, groups_per_cta: 1, matrix: None }
    }

    fn timed(layout: Codegen, warps: u32, predicted_ns: f64, estimated_ns: f64) -> Timed {
        Timed { kind: kind(layout, warps), predicted_ns, estimated_ns }
    }

    #[test]
    fn an_estimate_is_near_where_such_code_could_make_it_the_fastest() {
        let one = [timed(Codegen::DataParallel, 8, 1.0, 1.0)];
        let near = |layout, estimated: f64| may_be_faster(kind(layout, 8), estimated, 0.1, &one, &LEAST_SHARES);
        assert!(may_be_faster(kind(Codegen::Overlay, 8), 9.0, 0.1, &[], &LEAST_SHARES), "nothing is known");
        assert_eq!([near(Codegen::Overlay, 1.2), near(Codegen::Overlay, 1.3)], [true, false]);
        assert_eq!([near(Codegen::Straight, 2.2), near(Codegen::Straight, 2.3)], [true, false]);
        assert_eq!([near(Codegen::DataParallel, 1.0), near(Codegen::DataParallel, 1.01)], [true, false]);
    }

    #[test]
    fn code_that_was_slower_than_its_estimate_is_taken_to_be_so_again_with_as_many_warps() {
        let two = [timed(Codegen::DataParallel, 8, 1.0, 1.0), timed(Codegen::Partial, 8, 2.9, 1.0)];
        let near = |warps, estimated| may_be_faster(kind(Codegen::Partial, warps), estimated, 0.1, &two, &LEAST_SHARES);
        assert_eq!([near(8, 0.6), near(8, 0.3)], [false, true]);
        // N-heptane's diffusion on Hopper: eight warps spill, four are the fastest of all.
        assert!(near(4, 0.7), "other warps have other registers");
    }

    #[test]
    fn straight_code_of_other_groups_is_not_told_by_its_kin() {
        let one = [timed(Codegen::Straight, 4, 3.0, 2.0)];
        let near = |groups_per_cta| {
            let kind = Kind { groups_per_cta, ..kind(Codegen::Straight, 4) };
            may_be_faster(kind, 2.6, 0.1, &one, &LEAST_SHARES)
        };
        // USC Mech II's chemistry on Hopper: three groups are estimated slower than two, and are faster.
        assert_eq!([1, 3].map(near), [false, true]);
    }

    #[test]
    fn data_parallel_code_tells_of_other_warps_unless_it_was_slow() {
        let of = |predicted| {
            let one = [timed(Codegen::DataParallel, 8, predicted, 1.0), timed(Codegen::Straight, 4, 0.9, 2.0)];
            let near = |estimated| may_be_faster(kind(Codegen::DataParallel, 4), estimated, 0.1, &one, &LEAST_SHARES);
            [near(0.85), near(0.95), near(1.05)]
        };
        assert_eq!((of(1.05), of(3.0)), ([true, true, false], [true, false, false]));
    }

    #[test]
    fn nothing_is_tried_beside_what_the_memory_alone_takes() {
        let one = [timed(Codegen::DataParallel, 8, 1.05, 1.0)];
        assert_eq!(
            [0.99, 0.9].map(|floor| may_be_faster(kind(Codegen::Partial, 8), 0.1, floor, &one, &LEAST_SHARES)),
            [false, true]
        );
    }

    #[test]
    fn overlays_that_shuffle_their_constants_are_timed_though_their_estimates_are_long() {
        // n-heptane's diffusion on a K20c: data-parallel code and the overlay, whose estimate is 339 ns and which takes 100
        let one = [timed(Codegen::DataParallel, 8, 168.8, 27.5)];
        let near = |(kernel, target)| {
            let least = LeastShares::new(kernel, Target::by_name(target).unwrap());
            may_be_faster(kind(Codegen::Overlay, 8), 338.9, 5.3, &one, &least)
        };
        let asked = [(Kernel::Diffusion, "kepler"), (Kernel::Diffusion, "hopper"), (Kernel::Chemistry, "kepler")];
        assert_eq!(asked.map(near), [true, false, false]);
    }
}
