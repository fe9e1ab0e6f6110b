//! A bar for each warp: its clocks by cause.

use super::svg::Svg;
use super::{axis, color, legend};
use warpsim::machine_code::Cause;

const LEFT: f64 = 110.0;
const WIDTH: f64 = 900.0;
const TOP: f64 = 92.0;
const ROW: f64 = 24.0;

/// One bar.
pub struct Bar {
    pub name: String,
    /// In the order of [`Cause::ALL`].
    pub clocks: [f64; Cause::ALL.len()],
    /// The share of the critical path.
    pub critical: f64,
}

/// An SVG.
pub fn bars(title: &str, bars: &[Bar]) -> String {
    let longest = bars.iter().map(|bar| bar.clocks.iter().sum::<f64>()).fold(1.0, f64::max);
    let bottom = TOP + ROW * bars.len() as f64;
    let mut svg = Svg::new(LEFT + WIDTH + 150.0, bottom + 44.0);
    svg.text((LEFT, 24.0), 16, "start", title);
    legend(&mut svg, LEFT, 38.0);
    svg.text((LEFT + WIDTH + 12.0, TOP - 6.0), 11, "start", "of the critical path");
    for (row, bar) in bars.iter().enumerate() {
        let top = TOP + ROW * row as f64;
        let all: f64 = bar.clocks.iter().sum();
        svg.text((LEFT - 8.0, top + 15.0), 12, "end", &bar.name);
        let mut left = LEFT;
        for (cause, clocks) in Cause::ALL.into_iter().zip(bar.clocks).filter(|(_, clocks)| *clocks > 0.0) {
            let width = WIDTH * clocks / longest;
            let share = 100.0 * clocks / all;
            let tip = format!("{}: {} {clocks:.0} clocks, {share:.1} %", bar.name, cause.name());
            svg.rectangle((left, top), (width, ROW - 5.0), color(cause), Some(&tip));
            left += width;
        }
        svg.text((LEFT + WIDTH + 12.0, top + 15.0), 12, "start", &format!("{:.0} %", 100.0 * bar.critical));
    }
    axis(&mut svg, (LEFT, bottom + 2.0), WIDTH, (longest.round() as u64, "clocks"));
    svg.finish()
}
