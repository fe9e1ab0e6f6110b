//! Single and mixed precision on GPUs: modelled times beside double precision, with the errors that are proven. `-- --write` writes
//! docs/lab/precision-gpu.json row by row, and of it the page and its picture. Rows that are in the file stay as they are, so that it goes on where it was stopped, unless `--again` is said, or
//! `--refresh`, which makes those of single and mixed precision again with as many warps as they have;
//! words name the mechanisms, targets and kernels that are run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kernels::{ErrorBound, Io, Kernel, Precision};
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use plotters::prelude::*;
use serde::{Deserialize, Serialize};
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::report::KernelReport;
use singe::report::accuracy::rounded_up;
use singe::verify::MachineCode;

const TARGETS: [&str; 4] = ["ada", "blackwell-gb20x", "hopper", "blackwell-ultra"];
const MECHANISMS: [&str; 2] = ["h2o2", "gri30"];
const KERNELS: [Kernel; 4] = [Kernel::Conductivity, Kernel::Viscosity, Kernel::Diffusion, Kernel::Chemistry];
/// Warps of a CTA that are tried; the fastest version counts.
const WARPS: [u32; 3] = [8, 12, 16];

/// An arithmetic with its arrays.
struct Setting {
    name: &'static str,
    precision: Precision,
    io: Io,
    /// Largest error that is asked for; in double precision, of the form alone.
    error: f64,
    /// Setting in double precision that its times are compared with.
    beside: &'static str,
}

const DOUBLE: &str = "double";
const FINE: &str = "double, 1e-6";
const FINEST: &str = "double, 1e-9";
const MIXED: &str = "mixed, arrays of floats, 1e-6";
const OF_DOUBLES: &str = "mixed, 1e-6";
const FINEST_MIXED: &str = "mixed, 1e-9";

const SETTINGS: [Setting; 8] = [
    Setting { name: DOUBLE, precision: Precision::Double, io: Io::Double, error: 1e-4, beside: DOUBLE },
    Setting { name: FINE, precision: Precision::Double, io: Io::Double, error: 1e-6, beside: FINE },
    Setting { name: FINEST, precision: Precision::Double, io: Io::Double, error: 1e-9, beside: FINEST },
    Setting { name: "single", precision: Precision::Single, io: Io::Double, error: 1e-4, beside: DOUBLE },
    Setting {
        name: "single, arrays of floats",
        precision: Precision::Single,
        io: Io::Single,
        error: 1e-4,
        beside: DOUBLE,
    },
    Setting { name: MIXED, precision: Precision::Mixed, io: Io::Single, error: 1e-6, beside: FINE },
    Setting { name: OF_DOUBLES, precision: Precision::Mixed, io: Io::Double, error: 1e-6, beside: FINE },
    Setting { name: FINEST_MIXED, precision: Precision::Mixed, io: Io::Double, error: 1e-9, beside: FINEST },
];

/// A kernel in an arithmetic on a target, with the warps that take least time.
#[derive(Clone, Serialize, Deserialize)]
struct Row {
    target: String,
    mechanism: String,
    kernel: String,
    setting: String,
    warps: u32,
    form: String,
    /// Relative, of arithmetic and form; of double precision of the form alone.
    error: f64,
    /// Whether the error is proven; else it is the largest in the states of verification.
    proven: bool,
    /// Operations on singles and on pairs of singles, in mixed precision.
    singles_and_pairs: Option<[usize; 2]>,
    registers: Option<u32>,
    spilled: Option<u32>,
    nanoseconds: f64,
    /// Whether the time is from counts, where the model does not know the machine code.
    estimated: bool,
    /// Whether text and machine code, or the text alone, were compared with the graph.
    bits: String,
}

impl Row {
    fn is(&self, (target, mechanism, kernel, setting): (&str, &str, Kernel, &str)) -> bool {
        self.target == target && self.mechanism == mechanism && self.kernel == kernel.name() && self.setting == setting
    }
}

const HEAD: &str = "# Precision on GPUs

`cargo bench --bench precision_gpu -- --write` makes this page, its picture and `precision-gpu.json`; words name parts (`ada gri30 viscosity`), and rows that are in the file are not made again without
`--again`. [What single and mixed precision are](../guide/cpu.md#on-gpus), and [what single precision gives on CPUs](precision.md).

Times are those of the [model of time](time.md), of the machine code that ptxas makes: no GPU was at hand, and nothing here is measured. Where the machine code has instructions that the simulator does not
know, the time is the estimate from counts, and says so. All rows are data-parallel code with 8, 12 or 16 warps in a CTA, whichever takes least time, in each arithmetic. Single precision is asked for 1e-4, mixed precision, which is
floats where the error affords them and [pairs of floats](../guide/cpu.md#mixed-precision) else, for 1e-6 and 1e-9. *Faster*: beside double precision at the same error, 1e-4, 1e-6 or 1e-9, with arrays of doubles on
the same target. Errors of transport are proven, of arithmetic and form together; double precision has that of its form; those of chemistry are measured in the states of verification, relative to gross rates, and **not
proven**. With arrays of floats they are relative to exact results of the floats that the arrays hold. *Bits*: which texts give what the graph gives in its arithmetic; the lowered PTX does in every row.

";

const TAIL: &str = include_str!("shows.md");

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [writes, again, refresh] =
        ["--write", "--again", "--refresh"].map(|flag| words.iter().any(|word| word == flag));
    let is_asked = |all: &[&str], word: &str| {
        let mut named = words.iter().filter(|word| all.contains(&word.as_str())).peekable();
        named.peek().is_none() || named.any(|named| named == word)
    };
    let folder = testkit::root().join("docs/lab");
    let file = folder.join("precision-gpu.json");
    let mut rows: Vec<Row> = std::fs::read_to_string(&file)
        .map_or_else(|_| Vec::new(), |text| serde_json::from_str(&text).expect("rows that this benchmark wrote"));
    let kernels = KERNELS.map(Kernel::name);
    for target in TARGETS.into_iter().filter(|target| is_asked(&TARGETS, target)) {
        let of = Target::by_name(target).expect("a target that comes with the crate");
        let tools = toolchain::find_for(of.compute_capability);
        if let Err(absent) = tools.and_then(|_| toolchain::disassembler(of.compute_capability)) {
            println!("skipped: {absent}");
            continue;
        }
        for mechanism in MECHANISMS.into_iter().filter(|mechanism| is_asked(&MECHANISMS, mechanism)) {
            for kernel in KERNELS.into_iter().filter(|kernel| is_asked(&kernels, kernel.name())) {
                for setting in &SETTINGS {
                    let key = (target, mechanism, kernel, setting.name);
                    let known = rows.iter().find(|row| row.is(key)).map(|row| row.warps);
                    let is_refreshed = refresh && setting.precision != Precision::Double;
                    if known.is_some() && !again && !is_refreshed
                        || known.is_none() && refresh
                        || kernel == Kernel::Chemistry && setting.precision == Precision::Mixed
                    {
                        continue;
                    }
                    let warps = known.filter(|_| is_refreshed).map_or(WARPS.to_vec(), |warps| vec![warps]);
                    let Some(row) = fastest(of, (mechanism, kernel), setting, &warps) else { continue };
                    println!("{mechanism} {kernel} {target} {}: {:.3} ns", setting.name, row.nanoseconds);
                    rows.retain(|row| !row.is(key));
                    rows.push(row);
                    if writes {
                        write(&folder, &file, &mut rows);
                    }
                }
            }
        }
    }
    print!("{}", page(&rows));
    if writes {
        write(&folder, &file, &mut rows);
    }
}

/// The rows in the order of the page, the page, and the picture.
fn write(folder: &Path, file: &PathBuf, rows: &mut [Row]) {
    let place = |all: &[&str], word: &str| all.iter().position(|name| *name == word);
    let (kernels, settings) = (KERNELS.map(Kernel::name), SETTINGS.map(|setting| setting.name));
    rows.sort_by_key(|row| {
        (
            place(&TARGETS, &row.target),
            place(&MECHANISMS, &row.mechanism),
            place(&kernels, &row.kernel),
            place(&settings, &row.setting),
        )
    });
    let text = serde_json::to_string_pretty(&rows).expect("rows are JSON");
    std::fs::write(file, text + "\n").expect("docs can be written");
    std::fs::write(folder.join("precision-gpu.md"), page(rows)).expect("docs can be written");
    std::fs::write(folder.join("precision-gpu.svg"), picture(rows)).expect("docs can be written");
}

fn page(rows: &[Row]) -> String {
    format!("{HEAD}{}\n![error against time](precision-gpu.svg)\n\n{TAIL}{}", table(rows), goals(rows))
}

/// The kernel with the warps that take least time; none where it has no proof.
fn fastest(target: &'static Target, of: (&str, Kernel), setting: &Setting, warps: &[u32]) -> Option<Row> {
    let mut best: Option<Row> = None;
    for &warps in warps {
        let row = with_warps(target, of, setting, warps)?;
        if best.as_ref().is_none_or(|best| row.nanoseconds < best.nanoseconds) {
            best = Some(row);
        }
    }
    best
}

fn with_warps(
    target: &'static Target,
    (mechanism, kernel): (&str, Kernel),
    setting: &Setting,
    warps: u32,
) -> Option<Row> {
    let files = mechanism::Files { mechanism: testkit::shipped(mechanism), ..Default::default() };
    let request = Request { files, ..Request::default() }.with(|r| {
        r.kernels = vec![kernel];
        r.common.target = target;
        r.common.precision.kernels = setting.precision;
        r.common.precision.io = setting.io;
        r.common.error.largest = Some(setting.error);
        if setting.precision == Precision::Single && kernel == Kernel::Chemistry {
            r.common.error.bound = ErrorBound::Measured;
        }
        r.tuning.warps = warps;
        r.codegen = Codegen::DataParallel;
        r.real_compilers = true;
    });
    let mut report = match driver::compile(&request, &mut Observer::silent()) {
        Ok(report) => report,
        Err(failure) => {
            println!("{mechanism} {kernel} {} {}: {:?}", target.name, setting.name, failure.diagnostics);
            return None;
        }
    };
    let report = report.kernels.remove(0);
    let predicted = report.machine.predicted_ns;
    let (error, proven) = error(&report);
    let bits = match (&report.machine_code, &report.text) {
        (Some(MachineCode::Verified(_)), Some(_)) => "text and machine code",
        (_, Some(_)) => "text",
        _ => "-",
    };
    Some(Row {
        target: target.name.to_owned(),
        mechanism: mechanism.to_owned(),
        kernel: kernel.name().to_owned(),
        setting: setting.name.to_owned(),
        warps,
        form: report.form.to_string(),
        error,
        proven,
        singles_and_pairs: report.single.as_ref().and_then(|single| single.operations),
        registers: report.compiled.as_ref().map(|compiled| compiled.registers),
        spilled: report.compiled.as_ref().map(|compiled| compiled.spill_store_bytes + compiled.spill_load_bytes),
        nanoseconds: predicted.or(report.machine.estimated_ns)?,
        estimated: predicted.is_none(),
        bits: bits.to_owned(),
    })
}

/// Returns the error with that of the form, and whether it is proven.
fn error(report: &KernelReport) -> (f64, bool) {
    match (&report.single, report.verification.as_ref().and_then(|v| v.single_error)) {
        (Some(single), _) if single.proven => (single.total, true),
        (Some(_), found) => (found.unwrap_or(f64::MAX), false),
        (None, _) => (report.form_error, true),
    }
}

/// Returns the speed-up over double precision at the same error.
fn share(rows: &[Row], row: &Row) -> Option<f64> {
    let setting = SETTINGS.iter().find(|setting| setting.name == row.setting)?;
    let is_double = |other: &&Row| {
        other.setting == setting.beside
            && (&other.target, &other.mechanism, &other.kernel) == (&row.target, &row.mechanism, &row.kernel)
    };
    rows.iter().find(is_double).map(|double| double.nanoseconds / row.nanoseconds)
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| target | mechanism | kernel | arithmetic | form | warps | error | floats, pairs | registers | spilled (B) | ns per point | faster | bits |\n|---|---|---|---|---|---:|---:|---|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let Row { target, mechanism, kernel, setting, form, warps, nanoseconds, bits, .. } = row;
        let how = if row.estimated { " (estimated)" } else { "" };
        let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
        let error = match (row.proven, row.error) {
            (false, error) => format!("{error:.1e} (measured)"),
            (true, 0.0) => "rounding".to_owned(),
            (true, error) => rounded_up(error),
        };
        let counts = row.singles_and_pairs.map_or(String::new(), |[singles, pairs]| format!("{singles}, {pairs}"));
        let faster = share(rows, row).map_or("-".to_owned(), |share| format!("{share:.1}"));
        let _ = writeln!(
            text,
            "| {target} | {mechanism} | {kernel} | {setting} | {form} | {warps} | {error} | {counts} | {} | {} | {nanoseconds:.3}{how} | {faster} | {bits} |",
            number(row.registers),
            number(row.spilled),
        );
    }
    text
}

/// Errors over times: a curve for each kernel, target and mechanism through single and mixed precision, and a pale one through double precision.
fn picture(rows: &[Row]) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (1400, 720)).into_drawing_area();
        area.fill(&WHITE).expect("a string takes every picture");
        let places = MECHANISMS.into_iter().flat_map(|mechanism| TARGETS.map(|target| (mechanism, target)));
        for (area, (mechanism, target)) in area.split_evenly((MECHANISMS.len(), TARGETS.len())).iter().zip(places) {
            let mut chart = ChartBuilder::on(area)
                .caption(format!("{mechanism} on {target}"), ("sans-serif", 16))
                .margin(8)
                .x_label_area_size(40)
                .y_label_area_size(52)
                .build_cartesian_2d((1e-10f64..1e-3f64).log_scale(), (1e-2f64..1e2f64).log_scale())
                .expect("a chart");
            let exponent = |x: &f64| format!("{x:.0e}");
            let mesh = chart
                .configure_mesh()
                .x_desc("relative error")
                .y_desc("ns, modelled")
                .x_label_formatter(&exponent)
                .y_label_formatter(&exponent)
                .draw();
            mesh.expect("a mesh");
            for (k, kernel) in KERNELS.into_iter().enumerate() {
                let color = Palette99::pick(k).to_rgba();
                let of = |is_double: bool| -> Vec<(f64, f64)> {
                    let is_it = |row: &&Row| {
                        row.target == target
                            && row.mechanism == mechanism
                            && row.kernel == kernel.name()
                            && row.setting.starts_with("double") == is_double
                    };
                    let mut points: Vec<(f64, f64)> =
                        rows.iter().filter(is_it).map(|row| (row.error.max(1e-10), row.nanoseconds)).collect();
                    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
                    points
                };
                let (doubles, others) = (of(true), of(false));
                let dots = others.iter().map(|&point| Circle::new(point, 4, color.filled()));
                chart.draw_series(dots).expect("points");
                chart.draw_series(doubles.iter().map(|&point| Cross::new(point, 4, color))).expect("points");
                chart.draw_series([PathElement::new(doubles, color.mix(0.5))]).expect("a line");
                chart
                    .draw_series([PathElement::new(others, color)])
                    .expect("a line")
                    .label(kernel.name())
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
            }
            let labels = chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK)
                .draw();
            labels.expect("labels");
        }
        area.present().expect("a string");
    }
    svg
}

/// Compares the goals for the larger mechanism with what was found.
fn goals(rows: &[Row]) -> String {
    let mut text = String::from("\n## What was aimed at\n\n| what | goal | found |\n|---|---|---|\n");
    let wanted = [
        ("ada", FINEST_MIXED, "mixed beside double, both with arrays of doubles, at an error of 1e-9", 3.0),
        ("blackwell-gb20x", FINEST_MIXED, "mixed beside double, both with arrays of doubles, at an error of 1e-9", 3.0),
        ("hopper", "single", "single beside double, at an error of 1e-4", 1.6),
        ("hopper", "single, arrays of floats", "single with arrays of floats beside double, at an error of 1e-4", 1.6),
        ("ada", MIXED, "mixed beside double, at an error of 1e-6", 8.0),
        ("blackwell-gb20x", MIXED, "mixed beside double, at an error of 1e-6", 8.0),
    ];
    for (target, setting, what, goal) in wanted {
        for mechanism in MECHANISMS {
            for kernel in KERNELS {
                if kernel == Kernel::Chemistry && [MIXED, FINEST_MIXED].contains(&setting) {
                    continue;
                }
                let found = rows.iter().find(|row| row.is((target, mechanism, kernel, setting)));
                let found = found.and_then(|row| share(rows, row)).map_or("not run".to_owned(), |share| {
                    format!("{share:.1} ({})", if share >= goal { "met" } else { "missed" })
                });
                let _ = writeln!(
                    text,
                    "| {mechanism} {kernel} on {target}, {what} | {goal} times as fast, modelled | {found} |"
                );
            }
        }
    }
    text + GOALS
}

const GOALS: &str = "| production rates in mixed precision | proven as transport is | refused: rates have no bound in singles ([why](precision.md#what-was-aimed-at)) |
";
