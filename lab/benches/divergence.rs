//! The divergence analysis over the corpus and the mechanism kernels: what it finds, and what it costs. With `--write` the
//! result goes to docs/lab/divergence.md and docs/lab/divergence.svg.

use std::fmt::Write;
use std::time::Instant;

use plotters::prelude::*;
use ptx::analysis::divergence::{BlockShape, Divergence, Options, compute_boolean};
use ptx::analysis::gated::Gated;
use ptx::{Func, Module};
use toolkit::divergence::{Analysed, Summary};

#[path = "common/kernels.rs"]
mod kernels;

struct Row {
    name: String,
    summary: Summary,
    /// Times in microseconds: affine, boolean, and gated SSA form.
    times: [f64; 3],
    evaluations: u64,
}

fn main() {
    let mut rows = Vec::new();
    for (name, module) in kernels::corpus().into_iter().chain(kernels::modules(&kernels::shipped())) {
        for func in module.funcs.iter().filter(|func| !func.is_declaration()) {
            rows.push(row(&name, &module, func));
        }
    }
    let text = report(&rows);
    print!("{text}");
    if std::env::args().any(|argument| argument == "--write") {
        let docs = testkit::root().join("docs/lab");
        let mut svg = String::new();
        draw(&mut svg, &rows).expect("the picture can be drawn");
        std::fs::write(docs.join("divergence.md"), text).expect("docs can be written");
        std::fs::write(docs.join("divergence.svg"), svg).expect("docs can be written");
    }
}

fn row(name: &str, module: &Module, func: &Func) -> Row {
    let block = if func.threads.is_some() { BlockShape::Unknown } else { BlockShape::WholeWarps };
    let options = Options { block, ..Options::default() };
    let gated = Gated::compute(func);
    let times = smallest([
        &mut || drop(std::hint::black_box(Divergence::compute(func, &gated, options))),
        &mut || drop(std::hint::black_box(compute_boolean(func, &gated, options))),
        &mut || drop(std::hint::black_box(Gated::compute(func))),
    ]);
    let analysed = Analysed::new(module, func, options);
    let (summary, evaluations) = (analysed.summary(), analysed.result.evaluations);
    Row { name: format!("{name} {}", func.name), summary, times, evaluations }
}

/// Runs for each time.
const RUNS: usize = 60;

/// Runs in a row before the next one's turn: the first finds its data out of the caches.
const IN_A_ROW: usize = 5;

/// The smallest times in microseconds. The runs take turns, so that a machine that is busy for a while slows all of them.
fn smallest(mut runs: [&mut dyn FnMut(); 3]) -> [f64; 3] {
    let mut times = [f64::INFINITY; 3];
    for _ in 0..RUNS / IN_A_ROW {
        for (run, time) in runs.iter_mut().zip(&mut times) {
            for _ in 0..IN_A_ROW {
                let start = Instant::now();
                run();
                *time = time.min(1e6 * start.elapsed().as_secs_f64());
            }
        }
    }
    times
}

fn report(rows: &[Row]) -> String {
    let mut out = String::from(
        "# Divergence analysis\n\nMade by `cargo bench --bench divergence -- --write`. Variables are versions of registers in gated SSA form. \
         Kernels without `.reqntid` are analysed for blocks whose width is a multiple of 32. The paper is Sampaio, Martins, \
         Collange and Pereira (SBAC-PAD 2012).\n\n\
         | kernel | instructions | variables | divergent, boolean | divergent, affine analysis | affine, of the divergent | uniform branches | affine analysis µs | boolean µs |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        let Summary { instructions, branches, uniform_branches, .. } = row.summary;
        let _ = writeln!(
            out,
            "| {} | {instructions} | {} | {uniform_branches} of {branches} | {:.1} | {:.1} |",
            row.name,
            shares(&row.summary),
            row.times[0],
            row.times[1]
        );
    }
    let corpus = rows.iter().filter(|row| row.name.starts_with("corpus"));
    let corpus = corpus.fold(Summary::default(), |a, row| sum(a, row.summary));
    let Summary { instructions, branches, uniform_branches, .. } = corpus;
    let _ = writeln!(
        out,
        "| **corpus, without generated kernels** | {instructions} | {} | {uniform_branches} of {branches} | | |",
        shares(&corpus)
    );
    let total = rows.iter().fold(Summary::default(), |a, row| sum(a, row.summary));
    let times: Vec<f64> = (0..3).map(|i| rows.iter().map(|row| row.times[i]).sum()).collect();
    let _ = writeln!(
        out,
        "| **all** | {} | {} | {} of {} | {:.1} | {:.1} |",
        total.instructions,
        shares(&total),
        total.uniform_branches,
        total.branches,
        times[0],
        times[1]
    );
    out.push_str("| paper, 40 kernels | 7646 | 9858 | 63.78 % | 58.81 % | 24.84 % | | | |\n\n");
    let (slope, r2) = fit(rows, |row| row.times[0]);
    let (whole_slope, whole_r2) = fit(rows, |row| row.times[0] + row.times[2]);
    let each = times.iter().map(|time| 1e3 * time / total.instructions as f64).collect::<Vec<_>>();
    let _ = writeln!(
        out,
        "Here \"divergent\" in the column of the affine analysis is everything that is not uniform, as in the paper: affine \
         values count. Times are the smallest of {RUNS}.\n\n\
         | ns per instruction | affine | boolean | affine over boolean |\n|---|--:|--:|--:|\n\
         | analysis alone | {:.1} | {:.1} | {:.2} |\n\
         | gated SSA form, once for both | {:.1} | {:.1} | 1.00 |\n\
         | together | {:.1} | {:.1} | {:.2} |\n\
         | paper | {:.0} | | 1.39 |\n\n\
         The paper's time is 58.6 ms for 31487 instructions, on a machine of 2009. A linear fit of the time of the analysis alone over the variables has a slope of {:.1} ns \
         and R² = {r2:.4} (paper: 0.972), \
         one of the time together with that of the form a slope of {:.1} ns and R² = {whole_r2:.4}. Both analyses go over the same steps of the form, one a value: once in \
         program order, and again at what loops reach. The affine one looks at each value {:.2} times. Most of its results are read from a table, by \
         the kind of the step and what its operands have in common; strides and bases are computed for the rest, which are \
         shuffles and integer instructions with operands of which more is known than whether they are uniform.\n\n![Time over variables](divergence.svg)",
        each[0],
        each[1],
        times[0] / times[1],
        each[2],
        each[2],
        each[0] + each[2],
        each[1] + each[2],
        (times[0] + times[2]) / (times[1] + times[2]),
        58.6e6 / 31487.0,
        1e3 * slope,
        1e3 * whole_slope,
        rows.iter().map(|row| row.evaluations).sum::<u64>() as f64 / total.variables as f64,
    );
    out
}

fn shares(summary: &Summary) -> String {
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let Summary { variables, divergent, affine, boolean_divergent, .. } = *summary;
    format!(
        "{variables} | {:.2} % | {:.2} % | {:.2} %",
        percent(boolean_divergent, variables),
        percent(divergent + affine, variables),
        percent(affine, divergent + affine)
    )
}

fn sum(a: Summary, b: Summary) -> Summary {
    Summary {
        instructions: a.instructions + b.instructions,
        variables: a.variables + b.variables,
        constant: a.constant + b.constant,
        uniform: a.uniform + b.uniform,
        affine: a.affine + b.affine,
        divergent: a.divergent + b.divergent,
        boolean_divergent: a.boolean_divergent + b.boolean_divergent,
        branches: a.branches + b.branches,
        uniform_branches: a.uniform_branches + b.uniform_branches,
    }
}

/// Slope in µs per variable, and the coefficient of determination, of a line through all points.
fn fit(rows: &[Row], time: fn(&Row) -> f64) -> (f64, f64) {
    let points: Vec<(f64, f64)> = rows.iter().map(|row| (row.summary.variables as f64, time(row))).collect();
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let syy: f64 = points.iter().map(|p| (p.1 - my).powi(2)).sum();
    (sxy / sxx, sxy * sxy / (sxx * syy))
}

fn draw(svg: &mut String, rows: &[Row]) -> Result<(), Box<dyn std::error::Error>> {
    let most = |f: fn(&Row) -> f64| rows.iter().map(f).fold(1.0, f64::max) * 1.05;
    let (right, top) = (most(|row| row.summary.variables as f64), most(|row| row.times[0]));
    let area = SVGBackend::with_string(svg, (800, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Time of the divergence analysis", ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..right, 0.0..top)?;
    chart.configure_mesh().x_desc("variables").y_desc("microseconds").draw()?;
    let point = |i: usize| rows.iter().map(move |row| (row.summary.variables as f64, row.times[i]));
    chart
        .draw_series(point(0).map(|at| Circle::new(at, 3, BLUE.filled())))?
        .label("affine")
        .legend(|(x, y)| Circle::new((x, y), 3, BLUE.filled()));
    chart
        .draw_series(point(1).map(|at| Circle::new(at, 3, RED.filled())))?
        .label("boolean")
        .legend(|(x, y)| Circle::new((x, y), 3, RED.filled()));
    chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).draw()?;
    area.present()?;
    Ok(())
}
