//! The time of the kernels with known dips over their levels, as SVG.

use super::measured::Measured;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 48.0;
/// The highest time that is drawn, relative to the least one of the same kernel.
const MOST: f64 = 4.0;
const COLOURS: [&str; 4] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"];

pub fn dips(rows: &[Measured]) -> String {
    let rows: Vec<&Measured> = rows.iter().filter(|row| row.dip.is_some() && row.target == super::TARGETS[2]).collect();
    let most = rows.iter().flat_map(|row| &row.levels).map(|level| level.ctas).max().unwrap_or(1).max(2);
    let x = |ctas: u32| MARGIN + (WIDTH - 2.0 * MARGIN) * f64::from(ctas - 1) / f64::from(most - 1);
    let y = |ratio: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * (ratio.min(MOST) - 1.0) / (MOST - 1.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"20\">cycles over the least of the kernel ({}), by resident CTAs per SM</text>\n",
        super::TARGETS[2]
    );
    for ratio in 1..=MOST as u32 {
        let (y, end) = (y(f64::from(ratio)), WIDTH - MARGIN);
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" y1=\"{y:.1}\" x2=\"{end}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n<text x=\"20\" y=\"{:.1}\">{ratio}</text>",
            y + 4.0
        );
    }
    for ctas in 1..=most {
        let _ =
            writeln!(svg, "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{ctas}</text>", x(ctas), HEIGHT - 20.0);
    }
    for (at, row) in rows.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let point = |ctas: u32, cycles: f64| (x(ctas), y(cycles / row.best()));
        let points: Vec<(f64, f64)> = row.levels.iter().map(|level| point(level.ctas, level.cycles)).collect();
        let list: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            list.join(" ")
        );
        let (x, y) = point(row.chosen.ctas, row.chosen.cycles);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"><title>chosen</title></circle>"
        );
        let (x, y) = (WIDTH - 2.0 * MARGIN - 120.0, 40.0 + 16.0 * at as f64);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{}</text>", row.name);
    }
    svg + "</svg>\n"
}
