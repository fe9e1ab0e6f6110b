//! Rivals to try when the machine code of a kernel has been timed.

use super::Version;
use crate::plan::{Prefetch, Resolved, Tuning};
use kernels::{Form, Kernel};
use overlay::program::Program;
use overlay::{Codegen, Residence};

/// Another way to make a kernel of straight-line code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rival {
    /// Constants in the order in which the machine code reads them.
    InOrder,
    Tuned(Tuning),
    /// Another layout.
    Layout(Codegen),
    /// Another layout with another tuning.
    Version(Version),
}

/// Known facts about a kernel.
pub struct TimedKernel<'a> {
    pub kernel: Kernel,
    pub program: &'a Program,
    pub codegen: Codegen,
    /// Its predicted time over that of the fastest version of the kernel.
    pub behind: f64,
    /// Its predicted time over its bound.
    pub over_bound: f64,
    /// Its inputs are copied ahead.
    pub prefetch: bool,
    /// CTAs that an SM holds.
    pub ctas: u32,
    /// Waits of its warps; `None` where it was left out.
    pub waits: Option<Waits>,
}

/// The shares of the warps' clocks that went to waits for local memory, and for instructions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waits {
    pub local: f64,
    pub fetch: f64,
}

/// Share from which it may be faster to leave the L1 cache to local memory, of which shared memory takes its part.
const MOST_LOCAL: f64 = 0.25;
/// Share from which the copies' instructions may be those that the cache for code has no room for.
const MOST_FETCH: f64 = 0.15;

/// An overlay that takes more than so many times as long as another layout is not worth another one beside it.
const MOST_BEHIND: f64 = 2.5;

/// Warps, groups of a CTA and CTAs of an SM for straight code of each warp. Each sub-partition has one warp of a group, so that one stream
/// of instructions passes through its cache. As many groups as registers allow fetch it together. Other numbers of warps took up to five
/// times as long (GRI-Mech 3.0 on Hopper: 4 warps and 4 groups 1.08 ns, 5 and 3 5.6 ns).
const STRAIGHT: [(u32, u32, u32); 2] = [(4, 2, 2), (4, 3, 1)];
/// The same on Ampere, where two CTAs part and fetch their code apart (GRI-Mech 3.0: four groups in one CTA 2.5 ns, in two 3.3).
/// Where constants lie in shared memory otherwise, the same with constants in the bank: one CTA, whose groups stay in step wherever CTAs begin.
/// Steady state on Hopper: GRI-Mech 3.0 1.01 ns with four groups, 1.10 with constants in shared memory; the reduced DME 2.15 with three, 2.23.
const STRAIGHT_TOGETHER: [(u32, u32, u32); 2] = [(4, 4, 1), (4, 3, 1)];

/// Returns versions that may be faster; none if the machine code was not timed. An overlay that sums rates of reactions gets straight code
/// of each warp. Where layouts are free, an overlay not far behind data-parallel code gets the layouts that give each warp code of its own.
/// The fastest with constants in two places gets striped ones. Straight-line code gets other places for constants beyond the small cache:
/// shared memory, or another order for operands. It gets inputs not copied ahead where it waits for local memory or instructions.
pub fn rivals(own: &Resolved<'_>, told: Option<TimedKernel<'_>>) -> Vec<Rival> {
    let pipeline = own.asked.common.target.pipeline.as_ref();
    let Some((told, cache)) = told.zip(pipeline.map(|pipeline| &pipeline.constants)) else { return Vec::new() };
    if !told.program.is_straight_line() {
        let is_free = !own.beside.is_empty();
        let tries = is_free && told.codegen == Codegen::Overlay && told.behind <= MOST_BEHIND;
        let mut rivals =
            if tries { [Codegen::Partial, Codegen::Switch].map(Rival::Layout).to_vec() } else { Vec::new() };
        if is_free && told.codegen == Codegen::Overlay && sums_rates(told.kernel) {
            // Species are relaxed within a step in reduced mechanisms alone.
            let is_reduced = told.program.arrays.iter().any(|array| array.name == "time_step");
            rivals.extend(straight(own, is_reduced).into_iter().map(Rival::Version));
        }
        // The constants that fit beside the code are guessed by its statements. GRI-Mech's diffusion on Ampere takes
        // 1.11 ns with constants in both places, 0.98 with all of them striped.
        let constants = &told.program.constants;
        let in_both = constants.bank_bytes() > 0 && constants.real_registers + constants.index_registers > 0;
        if in_both && own.tuning.constants.is_none() && told.behind <= 1.0 {
            rivals.push(Rival::Tuned(Tuning { constants: Some(Residence::Striped), ..own.tuning }));
        }
        return rivals;
    }
    let constants = &told.program.constants;
    let misses = constants.in_constant_memory() && constants.bank_bytes() > cache.bytes as usize;
    let shared = Rival::Tuned(Tuning { constants: Some(Residence::Shared), ..own.tuning });
    let without = Rival::Tuned(Tuning { prefetch: Prefetch::Off, ..own.tuning });
    let moves = misses && own.tuning.constants.is_none();
    let waits = told.prefetch && told.waits.is_some_and(|of| of.local > MOST_LOCAL || of.fetch > MOST_FETCH);
    [(moves && cache.are_operands_of_doubles, Rival::InOrder), (moves, shared), (waits, without)]
        .into_iter()
        .filter(|(tries, _)| *tries)
        .map(|(_, rival)| rival)
        .collect()
}

fn sums_rates(kernel: Kernel) -> bool {
    matches!(kernel, Kernel::Chemistry | Kernel::Isobaric | Kernel::Isochoric)
}

fn straight(own: &Resolved<'_>, is_reduced: bool) -> Vec<Version> {
    let version = |tuning: Tuning| Version { codegen: Codegen::Straight, tuning };
    if !own.asked.unset.warps || own.tuning.groups_per_cta > 1 {
        return vec![version(own.tuning)];
    }
    // One warp that solves for quasi-steady species meets nobody on the way. Without copies ahead all warps solve, beside rates or when they are done: on
    // the K20c the reduced DME takes 115 and 106 ns, n-heptane 187 and 197.
    let copies_ahead = own.target_copies_ahead();
    let qssa_warps = own.tuning.qssa_warps.or(copies_ahead.then_some(1));
    // By counts both forms come close, but products of powers are made of what several warps have: n-heptane's reduced chemistry on Hopper takes 8.4 ns
    // in the pairwise form, 4.3 in this one.
    let form = own.tuning.form.or(Some(Form::LogSpace));
    let shaped = |(warps, groups_per_cta, ctas)| Tuning {
        warps,
        groups_per_cta,
        qssa_warps,
        form,
        ..own.tuning.with_ctas(ctas)
    };
    let pipeline = own.asked.common.target.pipeline.as_ref();
    let has_operands = pipeline.is_some_and(|pipeline| pipeline.constants.are_operands_of_doubles);
    let shapes = if copies_ahead && has_operands { STRAIGHT_TOGETHER } else { STRAIGHT };
    let mut shapes = shapes.map(shaped).to_vec();
    if is_reduced && qssa_warps.is_none() {
        let [_, together] = STRAIGHT_TOGETHER;
        shapes.push(Tuning { qssa_warps: Some(together.0), ..shaped(together) });
    }
    if has_operands || own.tuning.constants.is_some() {
        return shapes.into_iter().map(version).collect();
    }
    let in_the_bank =
        STRAIGHT_TOGETHER.map(|shape| Tuning { constants: Some(Residence::ConstantBank), ..shaped(shape) });
    shapes.into_iter().chain(in_the_bank).map(version).collect()
}
