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
struct Setting {
    name: &'static str,
    precision: Precision,
    io: Io,
    /// What is asked for; for double precision of the form alone.
    error: f64,
}

const fn setting(name: &'static str, precision: Precision, io: Io, error: f64) -> Setting {
    Setting { name, precision, io, error }
}

/// The first is what the others are compared with.
const SETTINGS: [Setting; 6] = [
    setting("double", Precision::Double, Io::Double, 1e-4),
    setting("double, 1e-6", Precision::Double, Io::Double, 5e-7),
    setting("single", Precision::Single, Io::Double, 1e-4),
    setting("single, arrays of floats", Precision::Single, Io::Single, 1e-4),
    setting("mixed, 1e-6", Precision::Mixed, Io::Double, 1e-6),
    setting("mixed, 1e-6, arrays of floats", Precision::Mixed, Io::Single, 1e-6),
];

struct Timed {
    target: &'static str,
    mechanism: &'static str,
    kernel: Kernel,
    setting: &'static str,
    report: KernelReport,
    nanoseconds: f64,
    /// Estimated from counts, where the model does not know the machine code.
    is_estimated: bool,
    /// Of the time in double precision at about the same error.
    share: f64,
}

const HEAD: &str = "# Precision on GPUs

`cargo bench --bench precision_gpu -- --write` makes this page. [What single precision is](../guide/cpu.md#single-precision), and [what it gives on CPUs](precision.md).

Times are those of the [model of time](performance.md), of the machine code that ptxas makes: no GPU was at hand. All kernels are data-parallel, with as many CTAs as take
least time. What is asked for is 1e-4, and where the name says it 1e-6. *Faster*: beside double precision on the same target, at about the same error.
Where the machine code has instructions that the simulator does not know, the time is the estimate from counts. Rates are in the targets' files with their sources: 128 results of single
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

/// A kernel in all settings that it has a proof in.
fn of_kernel(target: &'static Target, mechanism: &'static str, kernel: Kernel) -> Vec<Timed> {
    let mut all: Vec<Timed> = Vec::new();
    for Setting { name, precision, io, error } in &SETTINGS {
        let (precision, io) = (*precision, *io);
        let files = mechanism::Files { mechanism: testkit::shipped(mechanism), ..Default::default() };
        let request = Request { files, ..Request::default() }.with(|r| {
            r.kernels = vec![kernel];
            r.common.target = target;
            r.common.precision = precision;
            r.common.io = io;
            match precision {
                Precision::Double => r.common.fit_tolerance = Some(*error),
                Precision::Single | Precision::Mixed => r.common.error = Some(*error),
            }
            if precision == Precision::Single && kernel == Kernel::Chemistry {
                r.common.error_bound = ErrorBound::Measured;
            }
            r.codegen = Codegen::DataParallel;
            r.real_compilers = true;
        });
        let mut report = match driver::compile(&request, &mut Observer::silent()) {
            Ok(report) => report,
            Err(failure) => {
                println!("{mechanism} {kernel} {} {name}: {:?}", target.name, failure.diagnostics);
                continue;
            }
        };
        let report = report.kernels.remove(0);
        let predicted = report.machine.predicted_ns;
        let Some(nanoseconds) = predicted.or(report.machine.estimated_ns) else { continue };
        let beside = |name: &str| all.iter().find(|timed| timed.setting == name).map(|timed| timed.nanoseconds);
        let double = if precision == Precision::Mixed { beside("double, 1e-6") } else { beside("double") };
        let share = double.map_or(1.0, |double| double / nanoseconds);
        let target = TARGETS.into_iter().find(|name| *name == target.name).expect("one of these");
        println!("{mechanism} {kernel} {target} {name}: {nanoseconds:.3} ns, {share:.2}");
        let is_estimated = predicted.is_none();
        all.push(Timed { target, mechanism, kernel, setting: name, report, nanoseconds, is_estimated, share });
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
    for Timed { target, mechanism, kernel, setting, report, nanoseconds, is_estimated, share } in times {
        let how = if *is_estimated { " (estimated)" } else { "" };
        let registers = report.compiled.as_ref().map_or("-".to_owned(), |compiled| compiled.registers.to_string());
        let bits = match &report.machine_code {
            Some(MachineCode::Verified(_)) if report.text.is_some() => "equal",
            _ => "not run",
        };
        let _ = writeln!(
            text,
            "| {target} | {mechanism} | {kernel} | {setting} | {} | {} | {registers} | {nanoseconds:.3}{how} | {share:.1} | {bits} |",
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
    let wanted = [("hopper", "single", "single beside double, at an error of 1e-4", 1.6)].into_iter().chain(
        ["ada", "blackwell-gb20x"]
            .map(|target| (target, "mixed, 1e-6", "mixed beside double, at an error of 1e-6", 8.0)),
    );
    for (target, setting, what, goal) in wanted {
        for kernel in KERNELS {
            let share = |setting: &str| {
                let is_it = |t: &&Timed| {
                    t.mechanism == "gri30" && t.kernel == kernel && t.target == target && t.setting == setting
                };
                let share = times.iter().find(is_it).map(|t| t.share);
                share.map_or("none".to_owned(), |x| format!("{x:.1} ({})", if x >= goal { "met" } else { "missed" }))
            };
            let (doubles, floats) = (share(setting), share(&format!("{setting}, arrays of floats")));
            let _ = writeln!(
                text,
                "| gri30 {kernel} on {target}, {what} | {goal} times as fast, modelled | {doubles} with arrays of doubles, {floats} of floats |"
            );
        }
    }
    text
}
