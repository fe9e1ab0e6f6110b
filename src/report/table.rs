//! The report as a table, one column per kernel.

use super::accuracy::rounded_up;
use super::{KernelReport, Report, causes};
use crate::graph::body::Tally;
use crate::verify::{ClassesOfPtx, Cube, MachineCode, MachineCodeVerification, Prediction};
use machine::target::Target;
use sass::Class;

/// Name of a row, and its cell for one kernel.
type Row = (&'static str, fn(&KernelReport) -> String);

/// Rows that mean something without warps and multiprocessors.
const OF_A_CPU: [&str; 10] = [
    "form",
    "operations",
    "constants",
    "FLOPs per point",
    "DP slots per point",
    "error bound of the form",
    "states verified",
    "largest error",
    "bytes per point",
    "verdict",
];

/// Text for stdout.
pub fn table(report: &Report) -> String {
    let mut out = format!(
        "{}: {} species, {} reactions; target {}, {} code\n\n",
        report.mechanism, report.species, report.reactions, report.target, report.codegen
    );
    let lines = cells(report);
    let widths: Vec<usize> =
        (0..lines[0].len()).map(|c| lines.iter().map(|l| l[c].chars().count()).max().unwrap_or(0)).collect();
    for line in lines {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(c, (cell, &w))| if c == 0 { format!("{cell:w$}") } else { format!("{cell:>w$}") })
            .collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out + &remarks(report)
}

/// The names of the kernels, then each row: its name and a cell for each kernel.
pub fn cells(report: &Report) -> Vec<Vec<String>> {
    let mut rows: Vec<Row> = vec![
        ("code", |k| k.codegen.clone()),
        ("form", |k| k.form.clone()),
        ("warps", |k| k.warps.to_string()),
        ("points per lane", |k| k.points_per_lane.to_string()),
        ("operations", |k| k.operations.to_string()),
        ("cross-warp edges", |k| k.cross_warp_edges.to_string()),
        ("mapping cost (greedy's)", |k| format!("{:.3} ({:.3})", k.mapping_cost.total, k.greedy_cost.total)),
        ("synchronisation points", |k| k.sync_points.to_string()),
        ("barriers after grouping", |k| k.barriers.to_string()),
        ("named barriers", |k| k.named_barriers.to_string()),
        ("phases", |k| k.phases.to_string()),
        ("placement", |k| k.placement.clone()),
        ("shared memory (bytes)", |k| k.shared_bytes.to_string()),
        ("constants", |k| k.constants.clone()),
        ("inputs", |k| if k.prefetch { "copied ahead".to_owned() } else { "loaded".to_owned() }),
        ("constants per thread", |k| format!("{} + {} int", k.real_constants_per_thread, k.index_constants_per_thread)),
        ("FLOPs per point", |k| k.flops_per_point.to_string()),
        ("critical path (DP results)", |k| k.critical_path.to_string()),
        ("DP slots per point", |k| of_verification(k, |v| format!("{:.0}", v.slots_per_point))),
        ("shuffles per point", |k| of_verification(k, |v| format!("{:.0}", v.shuffles_per_point))),
        ("shared passes per point", |k| of_verification(k, |v| format!("{:.0}", v.shared_passes_per_point))),
        ("warp instructions per 32 points", |k| instructions(k)),
        ("error bound of the form", |k| bound(k.form_error, k.form_range)),
        ("states verified", |k| of_verification(k, |v| v.states.to_string())),
        ("largest error", |k| {
            of_verification(k, |v| format!("{:.1e} (<= {})", v.largest_error, rounded_up(v.tolerance)))
        }),
        ("registers", |k| format!("{} ({})", k.machine.registers, k.machine.registers_from)),
        ("spilled bytes (ptxas)", |k| of_compilers(k, |c| (c.spill_store_bytes + c.spill_load_bytes).to_string())),
        ("named barriers (ptxas)", |k| of_compilers(k, |c| c.barriers.to_string())),
        ("CTAs per SM", |k| k.machine.ctas_per_sm.to_string()),
        ("occupancy", |k| format!("{:.0} %", 100.0 * k.machine.occupancy)),
        ("limited by", |k| k.machine.limited_by.join(", ")),
        ("bytes per point", |k| k.machine.bytes_per_point.to_string()),
        ("bandwidth floor (ns)", |k| format!("{:.2}", k.machine.bandwidth_floor_ns)),
        ("DP slot floor (ns)", |k| hundredths(k.machine.slots_floor_ns)),
        ("machine code's bound (ns)", |k| {
            let Some((time, bound)) = k.machine.bound_ns.zip(k.machine.bound) else { return "-".to_owned() };
            let is_memory = time <= k.machine.bandwidth_floor_ns;
            format!("{time:.2} ({})", if is_memory { "memory" } else { bound.largest().0 })
        }),
        ("estimated time (ns)", |k| hundredths(k.machine.estimated_ns)),
        ("predicted time (ns)", |k| hundredths(k.machine.predicted_ns)),
        ("predicted over estimated", |k| {
            hundredths(k.machine.predicted_ns.zip(k.machine.estimated_ns).map(|(p, e)| p / e))
        }),
        ("predicted over bound", |k| {
            hundredths(k.machine.predicted_ns.zip(k.machine.bound_ns).map(|(time, bound)| time / bound))
        }),
        ("time over floor", |k| hundredths(k.machine.over_floor)),
        ("verdict", verdict),
        ("text verified", verified_text),
        ("machine code verified", verified_machine_code),
    ];
    let has_qssa_warps = report.kernels.iter().any(|k| k.qssa_overlap.is_some());
    let beside: Row = ("QSSA work beside rates", |k| {
        let text = |o: crate::schedule::overlap::Overlap| {
            let percent = [o.share, o.share_with_full_barrier, o.share_with_full_barriers].map(|s| 100.0 * s);
            format!("{:.0} % ({:.0} %, {:.0} %)", percent[0], percent[1], percent[2])
        };
        k.qssa_overlap.map_or("-".into(), text)
    });
    let lengths: Row = ("iteration, after all rates (slots)", |k| {
        k.qssa_overlap.map_or("-".into(), |o| format!("{} ({})", o.length, o.length_after_rates))
    });
    let products: Row = ("DMMA per point", |k| of_verification(k, |v| format!("{:.0}", v.matrix_products_per_point)));
    let slots = rows.iter().position(|row| row.0 == "DP slots per point").unwrap_or(0);
    if report.kernels.iter().any(|k| k.slots_per_matrix_product > 0) {
        rows.insert(slots, products);
    }
    let warps = rows.iter().position(|row| row.0 == "warps").unwrap_or(0);
    if report.kernels.iter().any(|k| k.groups_per_cta > 1) {
        rows.insert(warps + 1, ("groups of warps per CTA", |k| k.groups_per_cta.to_string()));
    }
    let counted: [Row; 5] = [
        ("  arithmetic, addresses, moves", |k| {
            classes(k, &[Class::Arithmetic, Class::Addresses, Class::Moves], |c| {
                [Some(c.arithmetic), Some(c.addresses), Some(c.moves), None]
            })
        }),
        ("  predicates, branches, convergence", |k| {
            classes(k, &[Class::Predicates, Class::Branches, Class::Convergence], |c| {
                [None, Some(c.branches), None, None]
            })
        }),
        ("  shuffles, shared, local, global", |k| {
            classes(k, &[Class::Shuffles, Class::Shared, Class::Local, Class::Global], |c| {
                [Some(c.shuffles), Some(c.shared), Some(c.local), Some(c.global)]
            })
        }),
        ("  shared wavefronts, local bytes per point", |k| match &k.machine_code {
            Some(MachineCode::Verified(m)) => {
                let (wavefronts, local) =
                    (m.per_32_points(|c| c.shared_wavefronts), m.per_32_points(|c| c.local_bytes));
                format!("{wavefronts:.0}, {:.0}", local / 32.0)
            }
            _ => of_verification(k, |v| {
                format!("{:.0}, {:.0} (PTX)", v.shared_passes_per_point, v.local_bytes_per_point)
            }),
        }),
        ("  code executed (bytes)", |k| of_machine_code(k, |m| m.code_bytes.to_string())),
    ];
    let issued = rows.iter().position(|row| row.0 == "warp instructions per 32 points").map_or(0, |at| at + 1);
    if report.kernels.iter().any(|k| k.verification.is_some()) {
        rows.splice(issued..issued, counted);
    }
    let simulated: Row =
        ("  points simulated, on an SM's CTAs", |k| of_prediction(k, |p| format!("{}, {}", p.points, p.ctas)));
    let cubes: Row = ("  32³, 64³, 128³ points (µs)", |k| of_prediction(k, |p| microseconds(&p.cubes)));
    let predicted = rows.iter().position(|row| row.0 == "predicted over estimated").map_or(0, |at| at + 1);
    if report.kernels.iter().any(|k| k.prediction.is_some()) {
        rows.splice(predicted..predicted, [simulated, cubes]);
    }
    let data_parallel: Row =
        ("data-parallel estimated (ns)", |k| k.data_parallel_ns.map_or("-".into(), |t| hundredths(Some(t))));
    if report.kernels.iter().any(|k| k.data_parallel_ns.is_some()) {
        let verdict = rows.iter().position(|row| row.0 == "verdict").unwrap_or(rows.len());
        rows.insert(verdict, data_parallel);
    }
    let phases = rows.iter().position(|row| row.0 == "phases").map_or(0, |at| at + 1);
    if has_qssa_warps {
        rows.splice(phases..phases, [beside, lengths]);
    }
    if is_of_a_cpu(report) {
        rows.retain(|(name, _)| OF_A_CPU.contains(name));
    }
    let head = [vec![String::new()], report.kernels.iter().map(|k| k.kernel.clone()).collect()].concat();
    let row = |(name, cell): Row| [vec![name.to_owned()], report.kernels.iter().map(cell).collect()].concat();
    std::iter::once(head).chain(rows.into_iter().map(row)).collect()
}

fn is_of_a_cpu(report: &Report) -> bool {
    report.target == Target::cpu().name
}

/// What stands below the table: what the figures rest on, what the clocks go to, layouts and forms.
pub fn remarks(report: &Report) -> String {
    let is_cpu = is_of_a_cpu(report);
    let mut out = String::new();
    if let Some(first) = report.kernels.first().filter(|_| !is_cpu) {
        out += &format!("\nfloors and times are per point on {}; they are not measurements\n", first.machine.board);
    }
    if !is_cpu && report.kernels.iter().any(|k| k.compiled.is_none()) {
        out += "\nwithout NVRTC and ptxas (`singe doctor` tells what is there), registers are estimated, and CTAs per SM and occupancy follow from them\n";
    }
    let not_run = |k: &&KernelReport| matches!(k.machine_code, Some(MachineCode::NotRun(_)));
    if let Some(KernelReport { machine_code: Some(MachineCode::NotRun(reason)), .. }) =
        report.kernels.iter().find(not_run)
    {
        out += &format!("\nmachine code was not run, so counts of it are estimated from PTX: {reason}\n");
    }
    let faster: Vec<&str> =
        report.kernels.iter().filter(|k| k.is_slower_than_data_parallel()).map(|k| k.kernel.as_str()).collect();
    if !faster.is_empty() {
        out += &format!(
            "\ndata-parallel code is estimated faster for {}: --codegen data-parallel makes it, overlay,data-parallel both\n",
            faster.join(", ")
        );
    }
    out += &causes::table(&report.kernels);
    for kernel in report.kernels.iter().filter(|k| !k.levels.is_empty()) {
        out +=
            &format!("\noccupancy of {}: CTAs per SM, registers, spilled bytes, time per point (ns)\n", kernel.kernel);
        for level in &kernel.levels {
            let chosen = if level.ctas_per_sm == kernel.tuning.ctas_per_sm { "  chosen" } else { "" };
            let [ctas, registers, spilled] = [level.ctas_per_sm, level.registers, level.spilled_bytes];
            out +=
                &format!("  {ctas:>4}  {registers:>4}  {spilled:>6}  {:>8}{chosen}\n", hundredths(level.nanoseconds));
        }
    }
    for kernel in report.kernels.iter().filter(|k| k.layouts.len() > 1) {
        out += &format!("\nlayouts of {}: estimated, predicted time per point (ns), constants\n", kernel.kernel);
        let several = kernel.layouts.iter().any(|layout| layout.warps != kernel.warps);
        for layout in &kernel.layouts {
            let is_chosen = *layout == kernel.layout_time();
            let ahead = if layout.prefetch { ", inputs ahead" } else { "" };
            let shape = format!(", {} warps, {}", layout.warps, layout.ctas_per_sm);
            let warps =
                if several { shape + if layout.ctas_per_sm == 1 { " CTA" } else { " CTAs" } } else { String::new() };
            let tensor = if layout.form.ends_with("dmma") { ", on tensor cores" } else { "" };
            let chosen = if is_chosen { "  chosen" } else { "" };
            let [estimated, predicted] = [layout.estimated_ns, layout.predicted_ns].map(hundredths);
            out += &format!(
                "  {:14}  {estimated:>8}  {predicted:>8}  {}{ahead}{warps}{tensor}{chosen}\n",
                layout.codegen, layout.constants
            );
        }
    }
    for kernel in report.kernels.iter().filter(|k| !k.forms.is_empty()) {
        out += &format!(
            "\nforms of {} per point before scheduling: slots (exponentials, logarithms, divisions, others), shuffles, shared passes, \
             registers, error bound\n",
            kernel.kernel
        );
        for f in &kernel.forms {
            let chosen = if f.form == kernel.form { "  chosen" } else { "" };
            let Tally { exponentials, logarithms, divisions, others } = f.tally;
            let kinds = format!("({exponentials}, {logarithms}, {divisions}, {others})");
            out += &format!(
                "  {:10}  {:>8} {kinds:28}  {:>8}  {:>8}  {:>5}  {}{chosen}\n",
                f.form,
                f.slots,
                f.shuffles,
                f.shared_passes,
                f.registers,
                bound(f.error_bound, f.range)
            );
        }
    }
    out
}

/// A bound and the kelvins between which it holds.
fn bound(error: f64, range: Option<[f64; 2]>) -> String {
    match range {
        Some([coldest, hottest]) => format!("{} ({coldest}-{hottest} K)", rounded_up(error)),
        None => rounded_up(error),
    }
}

fn hundredths(number: Option<f64>) -> String {
    number.map_or("-".into(), |n| format!("{n:.2}"))
}

fn of_compilers(kernel: &KernelReport, text: impl Fn(&crate::compilers::Compiled) -> String) -> String {
    kernel.compiled.as_ref().map_or("-".into(), text)
}

fn of_verification(kernel: &KernelReport, text: impl Fn(&crate::verify::Verification) -> String) -> String {
    kernel.verification.as_ref().map_or("-".into(), text)
}

fn of_machine_code(kernel: &KernelReport, text: impl Fn(&MachineCodeVerification) -> String) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(verification)) => text(verification),
        _ => "-".into(),
    }
}

fn microseconds(cubes: &[Cube]) -> String {
    cubes.iter().map(|cube| format!("{:.1}", cube.microseconds)).collect::<Vec<_>>().join(", ")
}

fn of_prediction(kernel: &KernelReport, text: impl Fn(&Prediction) -> String) -> String {
    kernel.prediction.as_ref().map_or("-".into(), text)
}

/// Exact from machine code, else what the simulated PTX makes likely.
fn instructions(kernel: &KernelReport) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(m)) => format!("{:.0}", m.per_32_points(|c| c.instructions)),
        _ => of_verification(kernel, |v| format!("{:.0} (PTX)", v.instructions_per_point)),
    }
}

/// Exact by class, else what PTX tells: of as many classes, those that it has.
fn classes(kernel: &KernelReport, classes: &[Class], of_ptx: fn(&ClassesOfPtx) -> [Option<f64>; 4]) -> String {
    if let Some(MachineCode::Verified(m)) = &kernel.machine_code {
        let counts = classes.iter().map(|class| format!("{:.0}", m.per_32_points(|c| c.class(*class))));
        return counts.collect::<Vec<_>>().join(", ");
    }
    of_verification(kernel, |v| {
        let counts = of_ptx(&v.classes_per_point).into_iter().take(classes.len());
        let counts = counts.map(|count| count.map_or("-".to_owned(), |count| format!("{count:.0}")));
        format!("{} (PTX)", counts.collect::<Vec<_>>().join(", "))
    })
}

fn verified_machine_code(kernel: &KernelReport) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(verification)) => verification.assembler.clone(),
        Some(MachineCode::NotRun(_)) => "not run".into(),
        None => "-".into(),
    }
}

/// The verdict without the text that was verified, which has a row of its own.
fn verdict(kernel: &KernelReport) -> String {
    let verdict = kernel.verdict.as_str();
    verdict.split_once(" (").map_or(verdict, |(shown, _)| shown).to_owned()
}

fn verified_text(kernel: &KernelReport) -> String {
    match (&kernel.text, &kernel.verification) {
        (Some(text), _) => format!("CUDA ({})", text.compiler),
        (None, Some(_)) => "lowered".into(),
        (None, None) => "-".into(),
    }
}
