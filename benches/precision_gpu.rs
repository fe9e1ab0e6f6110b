//! Single precision on GPUs: modelled times beside double precision, with the errors that are proven. `-- --write` writes
//! docs/lab/precision-gpu.md and its picture; a mechanism's name or a target's tries that alone.

use std::fmt::Write as _;
use std::path::Path;

use machine::target::Target;
use machine::toolchain;
use plotters::prelude::*;
use singe::driver::{self, Request};
use singe::kernels::{ErrorBound, Io, Kernel, Precision};
use singe::observer::Observer;
use singe::overlay::Codegen;
use singe::report::KernelReport;
use singe::report::accuracy::rounded_up;
use singe::verify::MachineCode;

const TARGETS: [&str; 3] = ["ada", "blackwell-gb20x", "hopper"];
const MECHANISMS: [&str; 2] = ["h2o2", "gri30"];
const KERNELS: [Kernel; 4] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion, Kernel::Chemistry];

/// An arithmetic with its arrays.
const SETTINGS: [(&str, Precision, Io); 3] = [
    ("double", Precision::Double, Io::Double),
    ("single", Precision::Single, Io::Double),
    ("single, arrays of floats", Precision::Single, Io::Single),
];

struct Timed {
    target: &'static str,
    mechanism: &'static str,
    kernel: Kernel,
    setting: &'static str,
    report: KernelReport,
    nanoseconds: f64,
    /// Of the time in double precision.
    share: f64,
}

const HEAD: &str = "# Precision on GPUs

`cargo bench --bench precision_gpu -- --write` makes this page. [What single precision is](../guide/cpu.md#single-precision), and [what it gives on CPUs](precision.md).

Times are those of the [model of time](performance.md), of the machine code that ptxas makes: no GPU was at hand. All kernels are data-parallel, with as many CTAs as take
least time, at the default `--fit-tolerance` of 1e-4. *Faster*: beside double precision on the same target. Rates are in the targets' files with their sources: 128 results of single
precision per clock of an SM on all three, 2 of double precision on ada and blackwell-gb20x and 64 on hopper; conversions between both go at the rate of double precision on
ada and blackwell-gb20x, where each takes one of its two places per clock, and at 16 per clock on hopper. *Bits*: lowered text, text as NVRTC compiles it, and machine code
give what the graph gives in its arithmetic. Errors of transport are proven, of arithmetic and form together; those of chemistry are measured in the states of verification,
relative to gross rates, and **not proven**.

";

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_asked = |all: &[&str], word: &str| {
        let named: Vec<&String> = asked.iter().filter(|word| all.contains(&word.as_str())).collect();
        named.is_empty() || named.iter().any(|named| *named == word)
    };
    let mut times = Vec::new();
    for target in TARGETS.into_iter().filter(|target| is_asked(&TARGETS, target)) {
        let of = Target::by_name(target).expect("a target that comes with the crate");
        let tools = toolchain::find_for(of.compute_capability);
        if let Err(absent) = tools.and_then(|_| toolchain::disassembler(of.compute_capability)) {
            return println!("skipped: {absent}");
        }
        for mechanism in MECHANISMS.into_iter().filter(|mechanism| is_asked(&MECHANISMS, mechanism)) {
            for kernel in KERNELS {
                times.extend(of_kernel(of, mechanism, kernel));
            }
        }
    }
    let page = format!("{HEAD}{}\n![error against time](precision-gpu.svg)\n{}", table(&times), goals(&times));
    print!("{page}");
    if std::env::args().any(|word| word == "--write") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lab");
        std::fs::write(folder.join("precision-gpu.md"), page).expect("docs can be written");
        std::fs::write(folder.join("precision-gpu.svg"), picture(&times)).expect("docs can be written");
    }
}

/// A kernel in all settings.
fn of_kernel(target: &'static Target, mechanism: &'static str, kernel: Kernel) -> Vec<Timed> {
    let mut all: Vec<Timed> = Vec::new();
    for (setting, precision, io) in SETTINGS {
        let files = mechanism::Files { mechanism: testkit::shipped(mechanism), ..Default::default() };
        let request = Request { files, ..Request::default() }.with(|r| {
            r.kernels = vec![kernel];
            r.common.target = target;
            r.common.precision = precision;
            r.common.io = io;
            if precision == Precision::Single && kernel == Kernel::Chemistry {
                r.common.error_bound = ErrorBound::Measured;
            }
            r.codegen = Codegen::DataParallel;
            r.real_compilers = true;
        });
        let report = driver::compile(&request, &mut Observer::silent());
        let mut report = report.map_err(|failure| failure.diagnostics).expect("a shipped mechanism");
        let report = report.kernels.remove(0);
        let nanoseconds = report.machine.predicted_ns.expect("the target has a model of time");
        let share = all.first().map_or(1.0, |double| double.nanoseconds / nanoseconds);
        let target = TARGETS.into_iter().find(|name| *name == target.name).expect("one of these");
        println!("{mechanism} {kernel} {target} {setting}: {nanoseconds:.3} ns, {share:.2}");
        all.push(Timed { target, mechanism, kernel, setting, report, nanoseconds, share });
    }
    all
}

fn error(report: &KernelReport) -> String {
    match (&report.single, report.verification.as_ref().and_then(|v| v.single_error)) {
        (Some(single), _) if single.proven => rounded_up(single.total),
        (Some(_), Some(found)) => format!("{found:.1e} (measured)"),
        _ if report.form_error > 0.0 => rounded_up(report.form_error),
        _ => "rounding".to_owned(),
    }
}

fn table(times: &[Timed]) -> String {
    let mut text = String::from(
        "| target | mechanism | kernel | arithmetic | form | error | registers | ns per point | faster | bits |\n|---|---|---|---|---|---:|---:|---:|---:|---|\n",
    );
    for Timed { target, mechanism, kernel, setting, report, nanoseconds, share } in times {
        let registers = report.compiled.as_ref().map_or("-".to_owned(), |compiled| compiled.registers.to_string());
        let bits = match &report.machine_code {
            Some(MachineCode::Verified(_)) if report.text.is_some() => "equal",
            _ => "not run",
        };
        let _ = writeln!(
            text,
            "| {target} | {mechanism} | {kernel} | {setting} | {} | {} | {registers} | {nanoseconds:.3} | {share:.1} | {bits} |",
            report.form,
            error(report)
        );
    }
    text
}

/// Errors over times of the larger mechanism: one mark for each kernel, target and arithmetic.
fn picture(times: &[Timed]) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 620)).into_drawing_area();
        area.fill(&WHITE).expect("a string takes every picture");
        let areas = area.split_evenly((1, TARGETS.len()));
        for (area, target) in areas.iter().zip(TARGETS) {
            let mut chart = ChartBuilder::on(area)
                .caption(format!("gri30 on {target}"), ("sans-serif", 16))
                .margin(8)
                .x_label_area_size(40)
                .y_label_area_size(52)
                .build_cartesian_2d((1e-15f64..1e-3f64).log_scale(), (1e-2f64..1e2f64).log_scale())
                .expect("a chart");
            let exponent = |x: &f64| format!("{x:.0e}");
            let mesh = chart
                .configure_mesh()
                .x_desc("relative error")
                .y_desc("ns, modelled")
                .x_label_formatter(&exponent)
                .draw();
            mesh.expect("a mesh");
            for (k, kernel) in KERNELS.into_iter().enumerate() {
                let of_curve =
                    times.iter().filter(|t| t.kernel == kernel && t.target == target && t.mechanism == "gri30");
                let of = |t: &Timed| match &t.report.single {
                    Some(single) if single.proven => single.total,
                    Some(_) => t.report.verification.as_ref().and_then(|v| v.single_error).unwrap_or(1.0),
                    None => t.report.form_error.max(1e-14),
                };
                let points: Vec<(f64, f64)> = of_curve.map(|t| (of(t), t.nanoseconds)).collect();
                let color = Palette99::pick(k).to_rgba();
                let dots = points.iter().map(|&point| Circle::new(point, 4, color.filled()));
                chart.draw_series(dots).expect("points");
                chart
                    .draw_series([PathElement::new(points, color)])
                    .expect("a line")
                    .label(kernel.name())
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
            }
            chart.configure_series_labels().background_style(WHITE.mix(0.8)).draw().expect("labels");
        }
        area.present().expect("a string");
    }
    svg
}

/// What was aimed at for the larger mechanism.
fn goals(times: &[Timed]) -> String {
    let mut text = String::from("\n## What was aimed at\n\n| what | goal | found |\n|---|---|---|\n");
    for kernel in KERNELS {
        let shares = |target: &str| -> Vec<f64> {
            let is_it = |t: &&Timed| t.mechanism == "gri30" && t.kernel == kernel && t.target == target;
            times.iter().filter(is_it).skip(1).map(|t| t.share).collect()
        };
        let [doubles, floats] = shares("hopper")[..] else { continue };
        let met = |share: f64| if share >= 1.6 { "met" } else { "missed" };
        let _ = writeln!(
            text,
            "| gri30 {kernel} on hopper, single beside double, at an error of 1e-4 | 1.6 times as fast, modelled | {doubles:.1} ({}) with arrays of doubles, {floats:.1} ({}) of floats |",
            met(doubles),
            met(floats)
        );
    }
    text
}
