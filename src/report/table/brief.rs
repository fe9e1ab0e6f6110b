//! The short report: what was made, how exact, how fast, how it was checked, and what comes next.

use std::fmt::Display;
use std::path::Path;

use super::figures::{
    amd, hundredths, measured, of_compilers, run_on_amd, single, verdict, verified_machine_code, verified_text,
};
use super::remarks::not_run;
use super::{is_of_a_cpu, is_of_amd};
use crate::plan::{Emit, Request};
use crate::report::accuracy::{allowed, rounded_up};
use crate::report::{KernelReport, ProgramReport, Report, on_cpu};
use warpsim::machine_code::Cause;

/// Kernels beside each other; more stand below.
const COLUMNS: usize = 4;

/// Text for stdout, at most 100 columns wide. `folder` is where the files were written.
pub fn brief(report: &Report, request: &Request, folder: &Path) -> String {
    let mut out = format!(
        "{}: {} species, {} reactions; target {}\n",
        report.mechanism, report.species, report.reactions, report.target
    );
    for kernels in report.kernels.chunks(COLUMNS) {
        out.push('\n');
        out += &block(kernels, &rows(report));
    }
    out + &next(report, request, folder)
}

/// The names of all kernels, then each row of the short report of which something is known: its name and a cell for each kernel.
pub fn summary(report: &Report) -> Vec<Vec<String>> {
    lines(&report.kernels, &rows(report))
}

/// A row: its name, and its cell for a kernel.
type Row = (&'static str, fn(&KernelReport) -> String);

const OF_ALL: [Row; 5] = [
    ("form", |k| k.form.clone()),
    (ERROR, error),
    ("measured time (ns)", measured),
    ("verdict", verdict),
    ("text", verified_text),
];

/// The row that [`IN_SINGLE`] takes the place of.
const ERROR: &str = "error (allowed)";

const IN_SINGLE: [Row; 3] = [
    ("form: error (allowed)", error),
    ("arithmetic: error (bound)", single),
    ("both, proven bound", |k| {
        k.single.as_ref().filter(|single| single.proven).map_or("-".into(), |single| rounded_up(single.total))
    }),
];

const OF_GPUS: [Row; 10] = [
    ("code", |k| k.codegen.clone()),
    ("form", |k| k.form.clone()),
    ("warps x CTAs", |k| format!("{} x {}", k.warps * k.groups_per_cta, k.machine.ctas_per_sm)),
    (ERROR, error),
    ("registers, spills", registers),
    ("time per point", time),
    ("limited by", limit),
    ("verdict", verdict),
    ("text", verified_text),
    ("machine code", verified_machine_code),
];

const OF_AMD: [Row; 11] = [
    ("code", |k| k.codegen.clone()),
    ("form", |k| k.form.clone()),
    ("warps x workgroups", |k| format!("{} x {}", k.warps * k.groups_per_cta, k.machine.ctas_per_sm)),
    (ERROR, error),
    ("registers, scratch", |k| {
        let scratch = amd(k, |own| format!("{} B", own.code.scratch_bytes));
        format!("{}{}, {scratch}", if k.on_amd.is_none() { "about " } else { "" }, k.machine.registers)
    }),
    ("bytes of code (over cache)", |k| {
        amd(k, |own| format!("{} B ({})", own.code.code_bytes, hundredths(own.over_instruction_cache)))
    }),
    ("bounds: memory", |k| hundredths(Some(k.machine.bandwidth_floor_ns).filter(|ns| ns.is_finite()))),
    ("bounds: FP64, vector", |k| {
        amd(k, |own| format!("{}, {} ns", hundredths(own.fp64_bound_ns), hundredths(own.vector_bound_ns)))
    }),
    ("limited by", |k| k.machine.limited_by.join(", ")),
    ("verdict", verdict),
    ("machine code", run_on_amd),
];

fn rows(report: &Report) -> Vec<Row> {
    let of_machine: &[Row] = match report {
        report if is_of_a_cpu(report) => &OF_ALL,
        report if is_of_amd(report) => &OF_AMD,
        _ => &OF_GPUS,
    };
    if report.kernels.iter().all(|kernel| kernel.single.is_none()) {
        return of_machine.to_vec();
    }
    let in_single = |row: &Row| if row.0 == ERROR { IN_SINGLE.to_vec() } else { vec![*row] };
    of_machine.iter().flat_map(in_single).collect()
}

fn lines(kernels: &[KernelReport], rows: &[Row]) -> Vec<Vec<String>> {
    let head: Vec<String> = std::iter::once(String::new()).chain(kernels.iter().map(|k| k.title())).collect();
    let line = |row: &Row| std::iter::once(row.0.to_owned()).chain(kernels.iter().map(row.1)).collect::<Vec<_>>();
    let is_known = |line: &Vec<String>| line.iter().skip(1).any(|cell| cell != "-");
    std::iter::once(head).chain(rows.iter().map(line).filter(is_known)).collect()
}

fn block(kernels: &[KernelReport], rows: &[Row]) -> String {
    let lines = lines(kernels, rows);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=kernels.len()).map(width).collect();
    let cells = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(cells).collect()
}

/// The largest error that was found, and the largest that passes: rounding, and the proven bound of the form.
fn error(kernel: &KernelReport) -> String {
    match &kernel.verification {
        Some(found) => format!("{:.1e} ({})", found.largest_error, allowed(found.tolerance)),
        None => format!("- ({})", rounded_up(kernel.form_error)),
    }
}

fn registers(kernel: &KernelReport) -> String {
    let own = kernel.own_spill_bytes;
    let spills = of_compilers(kernel, |c| format!("{} B", own + c.spilled_bytes() as usize));
    match (&kernel.compiled, &kernel.backend) {
        (None, Some(found)) => format!("{}, {} B", found.registers, own as u64 + found.local_bytes),
        (None, None) => format!("about {}, {spills}", kernel.machine.registers),
        (Some(_), _) => format!("{}, {spills}", kernel.machine.registers),
    }
}

fn time(kernel: &KernelReport) -> String {
    match (kernel.machine.predicted_ns, kernel.machine.estimated_ns) {
        (Some(time), _) => format!("{time:.2} ns{}", range(kernel)),
        (None, Some(time)) => format!("about {time:.2} ns"),
        (None, None) => "-".to_owned(),
    }
}

/// The range of the predicted time, and whether another version may be the faster one.
fn range(kernel: &KernelReport) -> String {
    let own = kernel.layout_time();
    let chosen = kernel.layouts.iter().find(|layout| layout.without_doubt() == own).unwrap_or(&own);
    let Some([least, most]) = chosen.band() else { return String::new() };
    let is_steady = kernel.prediction.as_ref().and_then(|p| p.settled.as_ref()).is_none_or(|own| own.has_settled);
    let is_decided = kernel.layouts.iter().all(|layout| !layout.undecided);
    let remarks = [(is_steady, ", not steady"), (is_decided, ", undecided")];
    let remarks: String = remarks.iter().filter(|(holds, _)| !holds).map(|(_, remark)| *remark).collect();
    format!(" ({least:.2} to {most:.2}{remarks})")
}

/// Names the longest wait of the warps, with its share of their clocks, where the model of time ran; else the limits of occupancy.
fn limit(kernel: &KernelReport) -> String {
    let Some(prediction) = &kernel.prediction else { return kernel.machine.limited_by.join(", ") };
    let waits = Cause::ALL.into_iter().filter(|cause| !matches!(cause, Cause::Issued | Cause::NotSelected));
    let most = waits.max_by(|&a, &b| prediction.share(a).total_cmp(&prediction.share(b)));
    most.map_or_else(String::new, |cause| format!("{} ({:.0} %)", cause.name(), 100.0 * prediction.share(cause)))
}

/// The kernels with a second version, each with that.
fn alternatives(report: &Report) -> impl Iterator<Item = (&KernelReport, &KernelReport)> {
    report.kernels.iter().zip(report.kernels.iter().skip(1)).filter(|(_, other)| other.alternative)
}

/// The longest time of a second version, whatever is assumed: it was timed among the versions of the first.
fn at_worst(shipped: &KernelReport, other: &KernelReport) -> String {
    let own = other.layout_time();
    let timed = shipped.layouts.iter().find(|layout| layout.without_doubt() == own);
    let band = timed.and_then(|layout| layout.band());
    band.map_or_else(String::new, |[_, most]| format!(" or take up to {most:.2} ns"))
}

/// Says what to do with the files, and what may be better.
fn next(report: &Report, request: &Request, folder: &Path) -> String {
    let is_emitted = |what: Emit| request.emit.contains(&what);
    let mut out = String::from("\n");
    out.extend(report.phase.iter().map(|phase| format!("{phase}\n")));
    out.extend(report.diffusion.iter().map(|diffusion| format!("{diffusion}\n")));
    out.extend(report.steps.iter().map(|steps| format!("{steps}\n")));
    out.extend(report.programs.iter().map(ProgramReport::line));
    for reason in not_run(report) {
        out += &format!("machine code was not run: {reason}\n");
    }
    for (kernel, reason) in report.kernels.iter().filter_map(|kernel| Some((&kernel.kernel, kernel.undecided()?))) {
        out += &format!("{kernel}: the compiler's PTX was run, its synchronisation is not proven: {reason}\n");
    }
    if is_of_amd(report) {
        out += "bounds are per point on the whole board; no times are told, as AMD publishes no latencies\n";
        if report.kernels.iter().any(|kernel| kernel.on_amd.is_none()) {
            out += if request.real_compilers {
                "a clang that would tell registers and code is absent: singe doctor\n"
            } else {
                "compilers are off: clang would tell registers and code (leave out --verify no-compilers)\n"
            };
        }
    } else if !is_of_a_cpu(report) {
        let board = report.kernels.first().map_or("", |kernel| kernel.machine.board.as_str());
        out += &format!("times are modelled for one point on {board}, not measured\n");
        if report.kernels.iter().any(|kernel| kernel.compiled.is_none()) {
            out += match report.kernels.iter().all(|kernel| kernel.compiled.is_some() || kernel.backend.is_some()) {
                true => "registers are our allocator's, times are estimates",
                false => "registers are our allocator's, or estimates behind \"about\"; times are estimates",
            };
            out += ": singe doctor tells which compilers are there\n";
        }
    }
    out.extend(on_cpu::lines(&report.kernels, &report.texts_for_cpu));
    for kernel in report.kernels.iter().filter(|kernel| kernel.is_slower_than_data_parallel()) {
        let times = [kernel.data_parallel_ns, kernel.machine.estimated_ns].map(hundredths);
        out += &format!(
            "{} may be faster: --codegen data-parallel ({} for {} ns, estimated)\n",
            kernel.kernel, times[0], times[1]
        );
    }
    if request.makes_its_layout_once() && report.kernels.iter().any(|kernel| kernel.machine.predicted_ns.is_some()) {
        out += "this layout was made once: --effort thorough tries other warps and places of constants\n";
    }
    for (shipped, other) in alternatives(report) {
        let (kernel, symbol, driver) = (&shipped.kernel, &other.symbol, &report.mechanism);
        out += &format!("{kernel}: {symbol} may be faster{}, build/{driver}_driver tells\n", at_worst(shipped, other));
    }
    let folder = folder.display();
    out += &format!("written to {folder}\n");
    let name = &report.mechanism;
    let called = match report.kernels.first() {
        _ if request.reactor_method.is_some() => Some((format!("{name}_reactor_advance"), format!("{name}_reactor.h"))),
        first => first.map(|first| (format!("{}_launch", first.symbol), format!("{name}.h"))),
    };
    if let Some((function, header)) = called.filter(|_| is_emitted(Emit::Cuda) || is_emitted(Emit::Host)) {
        out += &format!("call {function} of {folder}/{header}\n");
    }
    if is_emitted(Emit::Host) || is_emitted(Emit::Cvode) {
        out += &format!("build: cmake -S {folder} -B build && cmake --build build; check: build/{name}_driver\n");
    }
    for (_, step) in for_other_codes(name, &folder).into_iter().filter(|(what, _)| is_emitted(*what)) {
        out += &step;
    }
    out + "every figure: --report full, or --json\n"
}

/// Says what to do with the files for other codes.
fn for_other_codes(name: &str, folder: &impl Display) -> [(Emit, String); 5] {
    [
        (Emit::Chemkin, format!("compile {folder}/{name}_chemkin.cpp into the code that calls CHEMKIN's routines\n")),
        (
            Emit::Pelephysics,
            format!("name {folder} as the host's mechanism, beside a Make.package as its others have it\n"),
        ),
        (
            Emit::PelephysicsReactor,
            format!(
                "add {folder}/Make.package to Bpack and {folder} to Blocs; run with chem_integrator = \"ReactorSinge\"\n"
            ),
        ),
        (Emit::Kinetix, format!("run the host once, then copy the files of {folder} over those in its cache\n")),
        (
            Emit::Openfoam,
            format!("build: wmake libso {folder}, or CMake; a case names lib{name}Chemistry.so in libs\n"),
        ),
    ]
}
