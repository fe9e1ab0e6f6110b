//! The rows of the table, in their order.

use super::figures::{
    amd, balance, beside_rates, bound, bound_of_machine_code, classes, hundredths, instructions, largest_error,
    lengths, measured, memory, microseconds, of_backend, of_compilers, of_machine_code, of_prediction, of_verification,
    over, run_on_amd, single, verdict, verified_machine_code, verified_text,
};
use crate::report::KernelReport;
use crate::verify::CodeOnAmd;
use sass::Class;

/// A row.
pub struct Row {
    pub name: &'static str,
    /// Its cell for one kernel.
    pub cell: fn(&KernelReport) -> String,
    pub shown: Shown,
}

/// Tables that show a row.
#[derive(Clone, Copy)]
pub enum Shown {
    /// All: it means something without warps and multiprocessors, too.
    Always,
    OfGpus,
    OfNvidia,
    /// Those of NVIDIA's GPUs, and of AMD's where some kernel has warps that meet.
    OfWarps,
    /// Those of NVIDIA's GPUs in which some kernel has what it tells of.
    OfNvidiaWhereAny(fn(&KernelReport) -> bool),
    OfAmd,
    /// Those in which some kernel has what it tells of.
    WhereAny(fn(&KernelReport) -> bool),
}

/// All rows.
pub fn all() -> impl Iterator<Item = &'static Row> {
    [&CODE[..], &SCHEDULE, &COUNTS, &CLASSES, &ACCURACY, &RESIDENCY, &AMD, &FLOORS, &TIMES, &VERDICTS]
        .into_iter()
        .flatten()
}

const fn always(name: &'static str, cell: fn(&KernelReport) -> String) -> Row {
    Row { name, cell, shown: Shown::Always }
}

const fn of_gpus(name: &'static str, cell: fn(&KernelReport) -> String) -> Row {
    Row { name, cell, shown: Shown::OfGpus }
}

const fn of_nvidia(name: &'static str, cell: fn(&KernelReport) -> String) -> Row {
    Row { name, cell, shown: Shown::OfNvidia }
}

const fn of_warps(name: &'static str, cell: fn(&KernelReport) -> String) -> Row {
    Row { name, cell, shown: Shown::OfWarps }
}

const fn of_amd(name: &'static str, cell: fn(&KernelReport) -> String) -> Row {
    Row { name, cell, shown: Shown::OfAmd }
}

/// A row of tables in which some kernel has this.
const fn where_any(has: fn(&KernelReport) -> bool, name: &'static str, cell: fn(&KernelReport) -> String) -> Row {
    Row { name, cell, shown: Shown::OfNvidiaWhereAny(has) }
}

const CODE: [Row; 5] = [
    of_gpus("code", |k| k.codegen.clone()),
    always("form", |k| k.form.clone()),
    of_gpus("warps", |k| k.warps.to_string()),
    where_any(|k| k.groups_per_cta > 1, "groups of warps per CTA", |k| k.groups_per_cta.to_string()),
    of_gpus("points per lane", |k| k.points_per_lane.to_string()),
];

const SCHEDULE: [Row; 16] = [
    always("operations", |k| k.operations.to_string()),
    of_warps("cross-warp edges", |k| k.cross_warp_edges.to_string()),
    of_warps("mapping cost", |k| format!("{:.3}", k.mapping_cost.total)),
    of_warps("synchronisation points", |k| k.sync_points.to_string()),
    of_warps("barriers after grouping", |k| k.barriers.to_string()),
    of_warps("named barriers", |k| k.named_barriers.to_string()),
    of_warps("phases", |k| k.phases.to_string()),
    of_warps("their longest warps, least (slots)", balance),
    where_any(|k| k.qssa_overlap.is_some(), "QSSA work beside rates", beside_rates),
    where_any(|k| k.qssa_overlap.is_some(), "iteration, after all rates (slots)", lengths),
    of_warps("placement", |k| k.placement.clone()),
    of_warps("shared memory (bytes)", |k| k.shared_bytes.to_string()),
    where_any(
        |k| k.workspace_bytes_per_cta.is_some(),
        "workspace of a CTA (bytes)",
        |k| k.workspace_bytes_per_cta.unwrap_or_default().to_string(),
    ),
    always("constants", |k| k.constants.clone()),
    of_nvidia("inputs", |k| if k.prefetch { "copied ahead".to_owned() } else { "loaded".to_owned() }),
    of_warps("constants per thread", |k| {
        format!("{} + {} int", k.real_constants_per_thread, k.index_constants_per_thread)
    }),
];

const COUNTS: [Row; 7] = [
    always("FLOPs per point", |k| k.flops_per_point.to_string()),
    of_gpus("critical path (DP results)", |k| k.critical_path.to_string()),
    where_any(
        |k| k.slots_per_matrix_product > 0,
        "DMMA per point",
        |k| of_verification(k, |v| format!("{:.0}", v.matrix_products_per_point)),
    ),
    always("DP slots per point", |k| of_verification(k, |v| format!("{:.0}", v.slots_per_point))),
    of_gpus("shuffles per point", |k| of_verification(k, |v| format!("{:.0}", v.shuffles_per_point))),
    of_nvidia("shared passes per point", |k| of_verification(k, |v| format!("{:.0}", v.shared_passes_per_point))),
    of_nvidia("warp instructions per 32 points", instructions),
];

/// Rows of the classes of instructions.
const CLASSES: [Row; 5] = [
    where_any(is_verified, "  arithmetic, addresses, moves", |k| {
        classes(k, &[Class::Arithmetic, Class::Addresses, Class::Moves], |c| {
            [Some(c.arithmetic), Some(c.addresses), Some(c.moves), None]
        })
    }),
    where_any(is_verified, "  predicates, branches, convergence", |k| {
        classes(k, &[Class::Predicates, Class::Branches, Class::Convergence], |c| [None, Some(c.branches), None, None])
    }),
    where_any(is_verified, "  shuffles, shared, local, global", |k| {
        classes(k, &[Class::Shuffles, Class::Shared, Class::Local, Class::Global], |c| {
            [Some(c.shuffles), Some(c.shared), Some(c.local), Some(c.global)]
        })
    }),
    where_any(is_verified, "  shared wavefronts, local bytes per point", memory),
    where_any(is_verified, "  code executed (bytes)", |k| of_machine_code(k, |m| m.code_bytes.to_string())),
];

fn is_verified(kernel: &KernelReport) -> bool {
    kernel.verification.is_some()
}

const ACCURACY: [Row; 4] = [
    always("error bound of the form", |k| bound(k.form_error, k.form_range)),
    Row { name: "arithmetic: largest error (bound)", cell: single, shown: Shown::WhereAny(|k| k.single.is_some()) },
    always("states verified", |k| of_verification(k, |v| v.states.to_string())),
    always("largest error", largest_error),
];

const RESIDENCY: [Row; 9] = [
    of_gpus("registers", |k| format!("{} ({})", k.machine.registers, k.machine.registers_from)),
    of_nvidia("spilled bytes (ptxas)", |k| of_compilers(k, |c| c.spilled_bytes().to_string())),
    where_any(|k| k.own_spill_bytes > 0, "spilled bytes (own code)", |k| k.own_spill_bytes.to_string()),
    of_nvidia("registers, spilled bytes (our allocator)", |k| {
        of_backend(k, |own| format!("{}, {}", own.registers, own.local_bytes))
    }),
    of_nvidia("branches, uniform ones", |k| of_backend(k, |own| format!("{}, {}", own.branches, own.uniform_branches))),
    of_nvidia("named barriers (ptxas)", |k| of_compilers(k, |c| c.barriers.to_string())),
    of_nvidia("CTAs per SM", |k| k.machine.ctas_per_sm.to_string()),
    of_gpus("occupancy", |k| format!("{:.0} %", 100.0 * k.machine.occupancy)),
    of_gpus("limited by", |k| k.machine.limited_by.join(", ")),
];

/// Rows of Clang's results on the text for AMD.
const AMD: [Row; 10] = [
    of_amd("accumulation registers among them", |k| amd(k, |own| own.code.accumulation_vgprs.to_string())),
    of_amd("scalar registers", |k| amd(k, |own| own.code.sgprs.to_string())),
    of_amd("scratch (bytes per lane)", |k| amd(k, |own| own.code.scratch_bytes.to_string())),
    of_amd("LDS (bytes)", |k| amd(k, |own| own.code.lds_bytes.to_string())),
    of_amd("code (bytes)", |k| amd(k, |own| own.code.code_bytes.to_string())),
    of_amd("code over instruction cache", |k| amd(k, |own| hundredths(own.over_instruction_cache))),
    of_amd("workgroups per compute unit", |k| k.machine.ctas_per_sm.to_string()),
    of_amd("vector instructions, those on doubles", |k| {
        amd(k, |own| own.code.instructions.map_or("-".into(), |i| format!("{}, {}", i.vector, i.doubles)))
    }),
    of_amd("instructions executed per wave of points", |k| {
        amd(k, |own| match &own.run {
            Some(CodeOnAmd::Verified(run)) => run.wave.instructions.to_string(),
            _ => "-".into(),
        })
    }),
    of_amd("FP64 bound, vector bound (ns)", |k| {
        amd(k, |own| format!("{}, {}", hundredths(own.fp64_bound_ns), hundredths(own.vector_bound_ns)))
    }),
];

const FLOORS: [Row; 4] = [
    always("bytes per point", |k| k.machine.bytes_per_point.to_string()),
    of_gpus("bandwidth floor (ns)", |k| hundredths(Some(k.machine.bandwidth_floor_ns).filter(|ns| ns.is_finite()))),
    of_gpus("DP slot floor (ns)", |k| hundredths(k.machine.slots_floor_ns)),
    of_nvidia("machine code's bound (ns)", bound_of_machine_code),
];

const TIMES: [Row; 9] = [
    Row { name: "measured time (ns)", cell: measured, shown: Shown::WhereAny(|k| k.measured.is_some()) },
    of_nvidia("estimated time (ns)", |k| hundredths(k.machine.estimated_ns)),
    of_nvidia("predicted time (ns)", |k| hundredths(k.machine.predicted_ns)),
    of_nvidia("predicted over estimated", |k| over(k.machine.predicted_ns, k.machine.estimated_ns)),
    where_any(is_predicted, "  points simulated, on an SM's CTAs", |k| {
        of_prediction(k, |p| format!("{}, {}", p.points, p.ctas))
    }),
    where_any(is_predicted, "  32³, 64³, 128³ points (µs)", |k| of_prediction(k, |p| microseconds(&p.cubes))),
    of_nvidia("predicted over bound", |k| over(k.machine.predicted_ns, k.machine.bound_ns)),
    of_nvidia("time over floor", |k| hundredths(k.machine.over_floor)),
    where_any(|k| k.data_parallel_ns.is_some(), "data-parallel estimated (ns)", |k| hundredths(k.data_parallel_ns)),
];

fn is_predicted(kernel: &KernelReport) -> bool {
    kernel.prediction.is_some()
}

const VERDICTS: [Row; 4] = [
    always("verdict", verdict),
    always("text verified", verified_text),
    of_nvidia("machine code verified", verified_machine_code),
    of_amd("machine code run", run_on_amd),
];
