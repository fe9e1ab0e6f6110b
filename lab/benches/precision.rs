//! Single precision on CPUs: the error that is proven beside the one that is found, and error against time. Writes docs/lab/precision.md and its picture
//! with `-- --write`; `-- bounds` compares errors alone, and fails where one exceeds its bound; `-- rates` times production rates alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kernels::{ErrorBound, Io, Kernel, Precision};
use machine::target::Target;
use overlay::Codegen;
use plotters::prelude::*;
use serde_json::Value;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::{Emit, FormError};
use singe::report::KernelReport;
use testkit::sweep::{KERNELS, Swept, sweep};

#[path = "common/driver.rs"]
mod project;

use project::{built, median, of_a_core, this_machine, timed};

/// Temperatures and compositions of each mechanism.
const STATES: [usize; 2] = [10_000, 1_000];

/// Edge of the cube, and the number of times that each program computes it in a turn.
const SIZES: [&str; 4] = ["--sizes", "16", "--repeat", "15"];
const TURNS: usize = 7;

/// An arithmetic with its arrays, and the fit tolerance; none asks for exact forms.
struct Setting {
    precision: Precision,
    io: Io,
    tolerance: Option<f64>,
}

const fn double(tolerance: Option<f64>) -> Setting {
    Setting { precision: Precision::Double, io: Io::Double, tolerance }
}

const fn single(io: Io, tolerance: f64) -> Setting {
    Setting { precision: Precision::Single, io, tolerance: Some(tolerance) }
}

/// The first is what the others are compared with.
const SETTINGS: [Setting; 10] = [
    double(Some(1e-4)),
    double(Some(1e-3)),
    double(Some(1e-6)),
    double(Some(1e-8)),
    double(None),
    single(Io::Double, 1e-4),
    single(Io::Double, 1e-3),
    single(Io::Single, 1e-3),
    single(Io::Single, 1e-4),
    single(Io::Single, 1e-5),
];

/// Time and error of a kernel in a setting.
struct Timed {
    kernel: Kernel,
    setting: &'static Setting,
    form: String,
    nanoseconds: f64,
    /// Proven, with the form; what only rounds in double precision is said to err by [`ROUNDING`].
    error: f64,
    /// Share of the time of the first setting, in the same turns.
    share: f64,
}

const ROUNDING: f64 = 1e-14;

const HEAD: &str = "# Precision

`cargo bench --bench precision -- --write` makes this page; with `-- bounds` it makes the first table alone, and fails where an error exceeds its
bound. [What single precision is](../guide/cpu.md#single-precision).

## Errors that are proven, and errors that are found

Both are relative errors of the arithmetic alone. g++ compiles the same graph in single and in double precision. Both run at 10,000 temperatures from 200 to 4000 K
times 1,000 compositions, and each state has a pressure from 1 to 1e9 Pa. There are four kinds of compositions, a quarter each: all species alike, mole
fractions over sixty powers of ten, nearly pure, and few species. Ratio: bound over error.

";

fn main() {
    let is_asked = |word: &str| std::env::args().any(|argument| argument == word);
    if is_asked("rates") {
        return print!("{}", rates());
    }
    let (table, ratios) = bounds();
    if is_asked("bounds") {
        return print!("{table}");
    }
    let times = times();
    if times.is_empty() {
        return println!("skipped: g++ is absent");
    }
    let folder = testkit::root().join("docs/lab");
    let before = std::fs::read_to_string(folder.join("precision.md")).unwrap_or_default();
    let kept = section(&before, KEPT);
    let page = format!("{HEAD}{table}{}{}{kept}{}", in_words(&times), rates(), goals(&times, &ratios));
    print!("{page}");
    if is_asked("--write") {
        std::fs::write(folder.join("precision.md"), page).expect("docs can be written");
        std::fs::write(folder.join("precision.svg"), picture(&times)).expect("docs can be written");
    }
}

/// The section that `cargo lab flame` writes; this program keeps it.
const KEPT: &str = "## Flames and ignitions";

/// A section of the page as it is, from its heading to the next one, with a blank line before it.
fn section(page: &str, heading: &str) -> String {
    let Some(from) = page.find(heading) else { return String::new() };
    let rest = &page[from..];
    let end = rest[heading.len()..].find("\n## ").map_or(rest.len(), |at| heading.len() + at);
    format!("\n{}\n", rest[..end].trim_end())
}

/// Mechanisms that come with the project, and published ones where they are there.
fn mechanisms() -> Vec<(&'static str, PathBuf)> {
    let shipped = ["h2o2", "gri30", "ammonia"].map(|name| (name, testkit::shipped(name)));
    let published = ["heptane", "usc2"]
        .map(|name| (name, testkit::root().join("../shared/mechanisms").join(name).join("chem.inp")));
    shipped.into_iter().chain(published.into_iter().filter(|(_, path)| path.exists())).collect()
}

/// The table of bounds, and how many times the errors they are.
fn bounds() -> (String, Vec<(Kernel, f64)>) {
    let mut ratios = Vec::new();
    let mut table = String::from(
        "| mechanism | kernel | form | bound | error | at (K) | ratio |\n|---|---|---|---:|---:|---:|---:|\n",
    );
    for (name, mechanism) in mechanisms() {
        let folder = tempfile::tempdir().expect("a folder for the programs");
        for Swept { kernel, form, bound, error, temperature, .. } in sweep(&mechanism, folder.path(), STATES) {
            let ratio = bound / error;
            let line =
                format!("| {name} | {kernel} | {form} | {bound:.1e} | {error:.1e} | {temperature:.0} | {ratio:.0} |");
            println!("{line}");
            let _ = writeln!(table, "{line}");
            ratios.push((kernel, ratio));
            assert!(error <= bound, "{name}: {kernel} errs by {error:e}, and is proven to err by {bound:e} at most");
        }
    }
    (table, ratios)
}

/// All settings for gri30, in turns.
fn times() -> Vec<Timed> {
    let folder = tempfile::tempdir().expect("a folder for the projects");
    let mut made: Vec<(PathBuf, Vec<KernelReport>)> = Vec::new();
    for (k, setting) in SETTINGS.iter().enumerate() {
        let folder = folder.path().join(k.to_string());
        let kernels = write_project(setting, &folder);
        let Some(program) = built(&folder, "program", &[]) else { return Vec::new() };
        made.push((program, kernels));
    }
    let turns: Vec<Vec<Vec<Value>>> =
        (0..TURNS).map(|_| made.iter().map(|(program, _)| timed(program, SIZES, 1)).collect()).collect();
    let mut all = Vec::new();
    for kernel in KERNELS {
        for (k, setting) in SETTINGS.iter().enumerate() {
            let report = made[k].1.iter().find(|report| report.kernel == kernel.name()).expect("all are compiled");
            let of = |turn: &[Vec<Value>], k: usize| 1e9 / of_a_core(&turn[k], kernel.name());
            all.push(Timed {
                kernel,
                setting,
                form: report.form.clone(),
                nanoseconds: median(turns.iter().map(|turn| of(turn, k))),
                error: report.single.as_ref().map_or(report.form_error.max(ROUNDING), |single| single.total),
                share: median(turns.iter().map(|turn| of(turn, 0) / of(turn, k))),
            });
        }
    }
    all
}

/// Production rates in double and in single precision, in turns.
fn rates() -> String {
    let mut text = String::from(RATES);
    for name in ["h2o2", "gri30"] {
        let folder = tempfile::tempdir().expect("a folder for the projects");
        let mut made = Vec::new();
        for (k, setting) in RATE_SETTINGS.iter().enumerate() {
            let folder = folder.path().join(k.to_string());
            let kernel = write(name, &[Kernel::Chemistry], setting, &folder).remove(0);
            let Some(program) = built(&folder, "program", &[]) else { return String::new() };
            made.push((program, kernel));
        }
        let turns: Vec<Vec<Vec<Value>>> =
            (0..TURNS).map(|_| made.iter().map(|(program, _)| timed(program, SIZES, 1)).collect()).collect();
        let of = |turn: &[Vec<Value>], k: usize| 1e9 / of_a_core(&turn[k], Kernel::Chemistry.name());
        for (k, (setting, (_, report))) in RATE_SETTINGS.iter().zip(&made).enumerate() {
            let error = report.verification.as_ref().and_then(|verification| verification.single_error);
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {:.0} | {:.2} |",
                arithmetic(setting),
                error.map_or("rounding".to_owned(), |error| format!("{error:.1e}")),
                median(turns.iter().map(|turn| of(turn, k))),
                median(turns.iter().map(|turn| of(turn, 0) / of(turn, k)))
            );
        }
    }
    text
}

const RATE_SETTINGS: [Setting; 3] = [double(Some(1e-4)), single(Io::Double, 1e-4), single(Io::Single, 1e-4)];

const RATES: &str = "
## Production rates

`--precision single --error measured`: the error is the largest one in the states of verification, relative to gross rates. It is **not proven**, and nothing is
claimed of other states. Times as above, all programs of a mechanism in each turn.

| mechanism | arithmetic | error found | ns per point | faster |
|---|---|---:|---:|---:|
";

fn write_project(setting: &Setting, folder: &Path) -> Vec<KernelReport> {
    write("gri30", &KERNELS, setting, folder)
}

fn write(name: &str, kernels: &[Kernel], setting: &Setting, folder: &Path) -> Vec<KernelReport> {
    let files = mechanism::Files { mechanism: testkit::shipped(name), ..Default::default() };
    let is_measured = setting.precision == Precision::Single && kernels.contains(&Kernel::Chemistry);
    let verify = Request::default().verify.filter(|_| is_measured);
    let request =
        Request { files, verify, emit: vec![Emit::Host], output: Some(folder.to_owned()), ..Request::default() };
    let request = request.with(|r| {
        r.kernels = kernels.to_vec();
        r.common.error.bound = if is_measured { ErrorBound::Measured } else { ErrorBound::Proven };
        r.common.target = Target::cpu();
        r.common.precision.kernels = setting.precision;
        r.common.precision.io = setting.io;
        r.common.error.form = setting.tolerance.map_or(FormError::Exact, FormError::Largest);
        r.common.error.largest = (setting.precision == Precision::Single).then_some(1.0);
        r.codegen = Codegen::DataParallel;
    });
    let report = driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics);
    report.expect("a shipped mechanism").kernels
}

fn arithmetic(setting: &Setting) -> &'static str {
    match (setting.precision, setting.io) {
        (Precision::Double, _) => "double",
        (Precision::Single, Io::Double) => "single",
        (Precision::Single, Io::Single) => "single, arrays of floats",
        (Precision::Mixed, _) => "mixed",
    }
}

fn in_words(times: &[Timed]) -> String {
    let mut text = format!(
        "\n## Error against time\n\nGRI-Mech 3.0 on one core, with `--error` by row. Time of the processor per point: the median of {TURNS} turns of 15 runs over 4,096 points, \
         all programs in each turn. *Faster*: beside double precision at the default tolerance, 1e-4, in the same turns. Errors are the proven ones, of \
         arithmetic and form together. Machine: {}.\n\n![error against time](precision.svg)\n\n\
         | kernel | arithmetic | tolerance | form | proven error | ns per point | faster |\n|---|---|---:|---|---:|---:|---:|\n",
        this_machine()
    );
    for Timed { kernel, setting, form, nanoseconds, error, share } in times {
        let tolerance = setting.tolerance.map_or("exact".to_owned(), |tolerance| format!("{tolerance:.0e}"));
        let error = if *error == ROUNDING { "rounding".to_owned() } else { format!("{error:.1e}") };
        let arithmetic = arithmetic(setting);
        let _ = writeln!(
            text,
            "| {kernel} | {arithmetic} | {tolerance} | {form} | {error} | {nanoseconds:.0} | {share:.2} |"
        );
    }
    text
}

/// Time over error, both logarithmic: a curve for each kernel and arithmetic.
fn picture(times: &[Timed]) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 560)).into_drawing_area();
        area.fill(&WHITE).expect("a string takes every picture");
        let mut chart = ChartBuilder::on(&area)
            .caption("GRI-Mech 3.0 on one core: time per point over the proven error", ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .build_cartesian_2d((ROUNDING / 2.0..2e-2f64).log_scale(), (5f64..5e3f64).log_scale())
            .expect("a chart");
        let exponent = |x: &f64| format!("{x:.0e}");
        let mesh =
            chart.configure_mesh().x_desc("proven relative error").y_desc("ns").x_label_formatter(&exponent).draw();
        mesh.expect("a mesh");
        for (k, kernel) in KERNELS.into_iter().enumerate() {
            for (name, width) in [("double", 1), ("single", 2), ("single, arrays of floats", 4)] {
                let of_curve = times.iter().filter(|timed| timed.kernel == kernel && arithmetic(timed.setting) == name);
                let mut points: Vec<(f64, f64)> = of_curve.map(|timed| (timed.error, timed.nanoseconds)).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let color = Palette99::pick(k).to_rgba();
                let dots = points.iter().map(|&point| Circle::new(point, 3, color.filled()));
                chart.draw_series(dots).expect("points");
                chart
                    .draw_series([PathElement::new(points.clone(), color.stroke_width(width))])
                    .expect("a line")
                    .label(format!("{kernel}, {name}"))
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(width)));
            }
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .draw()
            .expect("labels");
        area.present().expect("a string");
    }
    svg
}

/// Compares the goals with the figures of the tables above.
fn goals(times: &[Timed], ratios: &[(Kernel, f64)]) -> String {
    let is_met = |met: bool| if met { "met" } else { "missed" };
    let share = |kernel: Kernel, io: Io| {
        let is_it = |timed: &&Timed| {
            let Setting { precision, io: other, tolerance } = *timed.setting;
            timed.kernel == kernel && (precision, other, tolerance) == (Precision::Single, io, Some(1e-4))
        };
        times.iter().find(is_it).map_or(0.0, |timed| timed.share)
    };
    let mut text = String::from(GOALS);
    for kernel in KERNELS {
        let [doubles, floats] = [Io::Double, Io::Single].map(|io| share(kernel, io));
        let met = [doubles, floats].map(|share| is_met(share >= LEAST_SHARE));
        let _ = writeln!(
            text,
            "| {kernel} on a CPU, single beside double, at an error of 1e-4 | {LEAST_SHARE} times as fast | {doubles:.2} ({}) with arrays of doubles, {floats:.2} ({}) of floats |",
            met[0], met[1]
        );
    }
    for kernel in KERNELS {
        let most = ratios.iter().filter(|(other, _)| *other == kernel).map(|(_, ratio)| *ratio).fold(0.0, f64::max);
        let met = is_met(most <= MOST_RATIO);
        let _ =
            writeln!(text, "| {kernel}: bound over error, all mechanisms | at most {MOST_RATIO} | {most:.0} ({met}) |");
    }
    text + NOT_BEGUN
}

const LEAST_SHARE: f64 = 1.7;
const MOST_RATIO: f64 = 30.0;

const GOALS: &str = "
## Kernels of KinetiX in single precision, by hand

KinetiX (commit 55720d3, its own `gri30.yaml`) writes kernels of floats with `--single-precision`, and states no error. Its loops were generated in both precisions, and compiled by g++ 12
(`-O2 -march=native`, no fast math, `expf` and the like for floats). Both were called with the same states: 300 temperatures from 200 to 4000 K times 1,000
compositions of the first table. Each state has a pressure from 1 to 1e9 Pa. The largest
relative error of its floats beside its doubles is that of the arithmetic alone; fits are the same in both. Ours: the same, and what is proven.

| gri30 | KinetiX', found | ours, found | ours, proven | what differs |
|---|---:|---:|---:|---|
| viscosity | 4.1e-5 | 1.6e-6 | 9.6e-6 | polynomials of degree 4 in ln T, whose terms cancel; ours are in scaled ln T |
| conductivity | 9.1e-5 | 2.3e-6 | 2.5e-5 | the same |
| diffusion | 1.2e-5 where all species are alike; 1 and more where one is nearly all of the mixture | 1.4e-6 | 1.3e-5 | the difference 1 - m x / M keeps no digits, and a pure species gives no number (300 of 3,975,000 where few species are there); ours sum the others |
| production rates, relative to gross rates | 1.1e-5 from 1500 K on, species alike or few; else about 1, and 29 % are no numbers | 2.7e-5 in the states of verification | nothing | exponentials of Gibbs energies overflow below some 1000 K, and so do products where fractions lie over sixty powers of ten; ours are logarithms |

## What was aimed at

| what | goal | found |
|---|---|---|
| no error beyond its bound, 10,000 temperatures times 1,000 compositions, transport | none | none (met) |
";

const NOT_BEGUN: &str = "| production rates on a CPU, single beside double | 1.7 times as fast | measured, not proven: the table above |
| mixed precision: singles and pairs of singles, instruction by instruction | proven as single precision is | `--precision mixed`, for GPUs, proven |
| fixed-point exponents | proven as single precision is | not taken: transport's exponents are below 126 and proven as floats; rates keep 1e-4 without (2.7e-5 found), and each of their hundreds of logarithms would be converted, at 16 per clock of an SM |
| GPUs: ada and blackwell-gb20x, mixed at 1e-6 and at 1e-9 beside double | 8 and 3 times as fast, modelled | on [a page of its own](precision-gpu.md#what-was-aimed-at), at 1e-6 and 1e-9, and single at 1e-4 |
| KinetiX' kernels in single precision beside ours | bound at no larger error | viscosity and conductivity: our bound is less than the error found of KinetiX' (met); diffusion and rates: KinetiX' have no bound ([by hand](#kernels-of-kinetix-in-single-precision-by-hand)) |
| TF32 and integer slices on tensor cores, MUFU's powers, B300 as a target | chosen by cost, proven | by counts none is taken ([why](precision-gpu.md#chosen-by-cost-tensor-cores-integer-slices-powers-of-mufu)); B300 is a target |
| Jacobians and factorisations in single precision within a method in double | what it gives | factors alone: no harm down to a tolerance of 1e-7; h2o2 takes 17 to 18 % less time on Hopper and 14 to 20 % on Ampere, gri30 on Hopper 4 to 17 % (modelled), CPUs take more ([how](reactor-method.md#factors-in-single-precision)). Jacobians stay doubles |
| a flame speed of hydrogen in air | beside double | apart by 6e-7 with rates and transport in single precision, by 9e-8 with transport in mixed precision ([above](#flames-and-ignitions)); rates have no mixed precision |

Production rates have no bound yet for three reasons:

- Rate constants and equilibrium constants leave the range of single precision (1e38). So do the products of activities that [log-space
  chemistry](../architecture.md#where-the-design-departs-from-the-paper) is made of. They need exponents of their own.
- Falloff takes logarithms of values that are no temperature. Nobody has analysed their error.
- A net rate is a difference, whose error is small only beside the gross rate. The analysis follows values as sums over mole fractions. It would have to follow
  them as sums over rates of progress.

So `--precision single` refuses the kernel without `--error measured`.
";
