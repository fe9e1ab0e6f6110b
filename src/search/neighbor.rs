//! Choice of another number of warps, and another way to multiply, to try beside the fastest version of a kernel.

use super::TimedKernel;
use crate::plan::{Effort, Multiplier, Resolved, Tuning};
use kernels::Kernel;
use overlay::Codegen;

/// Layout and tuning, in which versions of a kernel differ here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Version {
    pub codegen: Codegen,
    pub tuning: Tuning,
}

/// Factor over its bound up to which a kernel is taken without trying anything else.
const CLOSE_TO_BOUND: f64 = 1.25;
/// A warp-specialized kernel that takes more than so many times as long as the fastest version is left as it is. On Hopper n-heptane's
/// diffusion takes 3.4 times as long with eight warps, which spill, and 0.95 with four; GRI-Mech's is estimated beyond 2.5, and takes 0.87 with four.
const FAR_BEHIND_FASTEST: f64 = 4.0;
/// The same factor with tensor cores, and with two layouts for them: more has to be tried for less.
const FAR_FROM_TENSOR_CORES: f64 = 1.5;
/// Double-precision instructions of a warp that multiply as much as a product of 8 x 4 and 4 x 8 does.
const SLOTS_OF_A_PRODUCT: u32 = 8;
/// Share of a warp's clocks in waits for instructions from which it may be faster to fetch them for more warps at once.
const MOST_FETCH: f64 = 0.25;

/// Warps of a CTA and CTAs of an SM, where there are to be more. In between, with numbers that sub-partitions share unevenly, no kernel
/// was faster.
const GROWING: [(u32, u32); 4] = [(8, 1), (12, 1), (16, 1), (16, 2)];
/// A warp for each sub-partition, where there are to be fewer.
const FEW: u32 = 4;
/// CTAs of an SM that are asked for then at most.
const MOST_CTAS: u32 = 4;

/// The next version to try beside `fastest`, the fastest one so far of straight-line code or of warp-specialized code: with another
/// number of warps where that is free, then with tensor cores where the way to multiply is free. A partial overlay gains most from
/// fewer warps, as its code grows with them, so it is tried first where layouts are free.
pub fn neighbor(own: &Resolved<'_>, told: &TimedKernel<'_>, fastest: Version, tried: &[Version]) -> Option<Version> {
    let is_far = !told.program.is_straight_line() && told.behind > FAR_BEHIND_FASTEST;
    if is_far || told.over_bound <= CLOSE_TO_BOUND {
        return None;
    }
    let is_new = |version: &Version| tried.iter().all(|earlier| !is_same(*earlier, *version));
    let shapes = other_shape(own, told, fastest.tuning).into_iter().flat_map(|tuning| {
        let fewer = tuning.warps < fastest.tuning.warps;
        let may_be_partial = fewer && !told.program.is_straight_line() && !own.beside.is_empty();
        let partial = may_be_partial.then_some(Codegen::Partial);
        partial.into_iter().chain([fastest.codegen]).map(move |codegen| Version { codegen, tuning })
    });
    shapes.chain(on_tensor_cores(own, told, fastest, tried)).find(is_new)
}

fn is_same(a: Version, b: Version) -> bool {
    let of =
        |Version { codegen, tuning: t }: Version| (codegen, t.warps, t.groups_per_cta, t.ctas_per_sm.count, t.matrix);
    of(a) == of(b)
}

/// More warps as long as each step pays where straight-line code waits for instructions or may do so, or where no inputs are copied ahead, so that
/// only other warps hide latencies. Else fewer, and of warp-specialized code, which takes all registers and all shared memory that there
/// are, more CTAs for an SM as long as each step pays.
fn other_shape(own: &Resolved<'_>, told: &TimedKernel<'_>, tuning: Tuning) -> Option<Tuning> {
    if !own.asked.unset.warps || tuning.groups_per_cta > 1 {
        return None;
    }
    let straight = told.program.is_straight_line();
    let waits_for_code = told.waits.is_none_or(|of| of.fetch > MOST_FETCH);
    if !own.target_copies_ahead() || straight && waits_for_code {
        let at = GROWING.iter().position(|&shape| shape == (tuning.warps, tuning.ctas_per_sm.count))?;
        return GROWING.get(at + 1).map(|&(warps, ctas)| Tuning { warps, ..tuning.with_ctas(ctas) });
    }
    match tuning.warps {
        ..=FEW if straight || told.ctas >= MOST_CTAS => None,
        ..=FEW => Some(tuning.with_ctas(told.ctas + 1)),
        _ => Some(Tuning { warps: FEW, ..tuning }),
    }
}

/// Warp-specialized code that multiplies on tensor cores, in two layouts where layouts are free: on targets that have a higher rate
/// there.
fn on_tensor_cores(own: &Resolved<'_>, told: &TimedKernel<'_>, fastest: Version, tried: &[Version]) -> Vec<Version> {
    let gains = own.asked.common.target.slots_per_matrix_product().is_some_and(|slots| slots < SLOTS_OF_A_PRODUCT);
    let multiplies = matches!(told.kernel, Kernel::Viscosity | Kernel::Diffusion);
    let is_near = told.behind <= FAR_FROM_TENSOR_CORES;
    if told.program.is_straight_line() || !(own.asked.unset.matrix && gains && multiplies && is_near) {
        return Vec::new();
    }
    let layouts = if own.beside.is_empty() { vec![fastest.codegen] } else { vec![Codegen::Overlay, Codegen::Partial] };
    let on_them = |tuning| Tuning { matrix: Some(Multiplier::Dmma), constants: own.tuning.constants, ..tuning };
    let shapes = shapes_for_tensor_cores(fastest, tried, own.asked.effort).into_iter().map(on_them);
    shapes.flat_map(|tuning| layouts.iter().map(move |&codegen| Version { codegen, tuning })).collect()
}

/// That of the fastest version; with all effort also those with other numbers of CTAs that were tried before it. One more CTA that neither saves nor costs
/// anything without tensor cores may leave too few registers with them: USC Mech II's diffusion on Ampere takes 2.79 ns with three CTAs, and 3.62 with four.
fn shapes_for_tensor_cores(fastest: Version, tried: &[Version], effort: Effort) -> Vec<Tuning> {
    let of = |tuning: Tuning| (tuning.warps, tuning.groups_per_cta);
    let is_kin = |other: &&Version| {
        of(other.tuning) == of(fastest.tuning)
            && other.tuning.ctas_per_sm != fastest.tuning.ctas_per_sm
            && other.tuning.matrix != Some(Multiplier::Dmma)
    };
    let earlier = tried.iter().filter(|_| effort == Effort::Thorough).filter(is_kin);
    std::iter::once(fastest.tuning).chain(earlier.map(|other| other.tuning)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_effort_tries_tensor_cores_with_fewer_ctas_too() {
        let of = |warps, ctas, matrix| {
            let tuning = Tuning { warps, matrix, ..Tuning::default().with_ctas(ctas) };
            Version { codegen: Codegen::Partial, tuning }
        };
        let fastest = of(4, 4, None);
        let tried = [of(8, 1, None), of(4, 3, None), of(4, 2, Some(Multiplier::Dmma)), fastest];
        let ctas = |effort| {
            shapes_for_tensor_cores(fastest, &tried, effort).iter().map(|of| of.ctas_per_sm.count).collect::<Vec<_>>()
        };
        assert_eq!(ctas(Effort::Normal), [4]);
        assert_eq!(ctas(Effort::Thorough), [4, 3]);
    }
}
