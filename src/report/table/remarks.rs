//! Remarks below the table.

use super::figures::{bound, hundredths};
use super::{is_of_a_cpu, is_of_amd};
use crate::report::{KernelReport, Report, causes, on_cpu};
use graph::body::Tally;

/// Returns the remarks: the basis of the figures, the causes of the clocks, levels of occupancy, layouts and forms.
pub fn remarks(report: &Report) -> String {
    grounds(report)
        + &causes::table(&report.kernels)
        + &levels(report)
        + &allocated(report)
        + &layouts(report)
        + &forms(report)
}

/// Says what the figures rest on.
pub fn grounds(report: &Report) -> String {
    let is_cpu = is_of_a_cpu(report);
    let mut out = String::new();
    let is_amd = is_of_amd(report);
    if is_amd && let Some(first) = report.kernels.first() {
        out += &format!(
            "\nfloors and bounds are per point on {}; no times are told, as latencies are not published\n",
            first.machine.board
        );
        if report.kernels.iter().any(|k| k.on_amd.is_none()) {
            out += "\nwithout a clang that knows the target (`singe doctor` tells what is there), registers are estimated\n";
        }
    }
    out.extend(on_cpu::lines(&report.kernels, &report.texts_for_cpu).into_iter().map(|line| format!("\n{line}")));
    let is_nvidia = !is_cpu && !is_amd;
    if let Some(first) = report.kernels.first().filter(|_| is_nvidia) {
        out += &format!("\nfloors and times are per point on {}; they are not measurements\n", first.machine.board);
    }
    if let Some([low, high]) = report.transport_range {
        out += &format!("\ntransport data are fitted from {low} to {high} K\n");
    }
    out.extend(report.phase.iter().map(|phase| format!("\n{phase}\n")));
    out.extend(report.diffusion.iter().map(|diffusion| format!("\n{diffusion}\n")));
    if is_nvidia && report.kernels.iter().any(|k| k.compiled.is_none()) {
        out += "\nwithout NVRTC and ptxas (`singe doctor` tells what is there), registers are allocated by our own allocator, or estimated where the table says so; CTAs per SM and occupancy follow from them\n";
    }
    let of_kernels = report.kernels.iter().filter_map(|kernel| kernel.steps.as_ref());
    out.extend(report.steps.iter().chain(of_kernels).take(1).map(|steps| format!("\n{steps}\n")));
    for program in &report.programs {
        out += &format!("\n{}", program.line());
    }
    for reason in not_run(report) {
        let counts = if is_nvidia { ", so counts of it are estimated from PTX" } else { "" };
        out += &format!("\nmachine code was not run{counts}: {reason}\n");
    }
    let spread: Vec<&str> =
        report.kernels.iter().filter(|k| k.workspace_bytes_per_cta.is_some()).map(|k| k.symbol.as_str()).collect();
    if !spread.is_empty() {
        out += &format!(
            "\nvalues that warps hand over lie in global memory, too, in {}: the launch takes a workspace, whose size the header has a function for\n",
            spread.join(", ")
        );
    }
    let faster: Vec<&str> =
        report.kernels.iter().filter(|k| k.is_slower_than_data_parallel()).map(|k| k.kernel.as_str()).collect();
    if !faster.is_empty() {
        out += &format!(
            "\ndata-parallel code is estimated faster for {}: --codegen data-parallel makes it, overlay,data-parallel both\n",
            faster.join(", ")
        );
    }
    out
}

/// Why machine code was not run, each reason once.
pub fn not_run(report: &Report) -> Vec<&str> {
    let mut reasons: Vec<&str> = Vec::new();
    for reason in report.kernels.iter().filter_map(KernelReport::not_run) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// The numbers of CTAs per SM that were tried.
fn levels(report: &Report) -> String {
    let mut out = String::new();
    for kernel in report.kernels.iter().filter(|k| !k.levels.is_empty()) {
        out +=
            &format!("\noccupancy of {}: CTAs per SM, registers, spilled bytes, time per point (ns)\n", kernel.kernel);
        for level in &kernel.levels {
            let chosen = if level.ctas_per_sm == kernel.tuning.ctas_per_sm.count { "  chosen" } else { "" };
            let [ctas, registers, spilled] = [level.ctas_per_sm, level.registers, level.spilled_bytes];
            out +=
                &format!("  {ctas:>4}  {registers:>4}  {spilled:>6}  {:>8}{chosen}\n", hundredths(level.nanoseconds));
        }
    }
    out
}

/// The levels of occupancy that our own allocator tried, for kernels whose occupancy was not searched for.
fn allocated(report: &Report) -> String {
    let mut out = String::new();
    for kernel in report.kernels.iter().filter(|k| k.levels.is_empty()) {
        let Some((own, fastest)) = kernel.backend.as_ref().and_then(|own| Some((own, own.fastest()?))) else {
            continue;
        };
        if own.levels.len() < 2 {
            continue;
        }
        out += &format!(
            "\noccupancy of {} by our allocator: CTAs per SM, registers, bytes of local memory, clocks of an SM per CTA (estimated)\n",
            kernel.kernel
        );
        for level in &own.levels {
            let least = if level == fastest { "  least" } else { "" };
            let [ctas, registers] = [level.ctas_per_sm, level.registers];
            out += &format!("  {ctas:>4}  {registers:>4}  {:>6}  {:>8.0}{least}\n", level.local_bytes, level.clocks);
        }
        if own.levels.first() != Some(fastest) {
            out += "  --ctas-per-sm auto tries more CTAs per SM by the model of time\n";
        }
    }
    out
}

/// The layouts that were tried.
fn layouts(report: &Report) -> String {
    let mut out = String::new();
    for kernel in report.kernels.iter().filter(|k| k.layouts.len() > 1) {
        let has_bands = kernel.layouts.iter().any(|layout| layout.band().is_some());
        let bands = if has_bands { ", its range, also if what is assumed is otherwise" } else { "" };
        out +=
            &format!("\nlayouts of {}: estimated, predicted time per point (ns), constants{}\n", kernel.kernel, bands);
        let several = kernel.layouts.iter().any(|layout| layout.warps != kernel.warps);
        for layout in &kernel.layouts {
            let is_chosen = layout.without_doubt() == kernel.layout_time();
            let ahead = if layout.prefetch { ", inputs ahead" } else { "" };
            let shape = format!(", {} warps, {}", layout.warps, layout.ctas_per_sm);
            let warps =
                if several { shape + if layout.ctas_per_sm == 1 { " CTA" } else { " CTAs" } } else { String::new() };
            let tensor = if layout.form.ends_with("dmma") { ", on tensor cores" } else { "" };
            let band = layout.band();
            let band = band.map_or(String::new(), |[least, most]| format!("  {least:.2} to {most:.2}"));
            let chosen = match (is_chosen, layout.undecided, layout.left_out) {
                (true, ..) => "  chosen",
                (_, true, _) => "  undecided",
                (.., true) => "  left out: not near by its estimate",
                _ => "",
            };
            let [estimated, predicted] = [layout.estimated_ns, layout.predicted_ns].map(hundredths);
            out += &format!(
                "  {:14}  {estimated:>8}  {predicted:>8}  {}{ahead}{warps}{tensor}{band}{chosen}\n",
                layout.codegen, layout.constants
            );
        }
    }
    out
}

/// The forms that were weighed.
fn forms(report: &Report) -> String {
    let mut out = String::new();
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
