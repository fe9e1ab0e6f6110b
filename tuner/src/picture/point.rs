//! A candidate in a picture: its time, its colour, and what it has in common with others.

use crate::measure::{Cost, Trial};

/// A candidate with the time that is known of it.
pub struct Point<'a> {
    pub trial: &'a Trial,
    pub cost: &'a Cost,
    pub time: f64,
    pub is_best: bool,
}

impl Point<'_> {
    /// Returns the point's description in words.
    pub fn tip(&self) -> String {
        let (time, kind) = self.cost.time();
        let Cost { form, layout, registers, spilled_bytes, .. } = self.cost;
        let spills = if *spilled_bytes > 0 { format!(", spills {spilled_bytes} B") } else { String::new() };
        format!("{}: {time:.4} ns {kind}, {form}, {layout}, {registers} registers{spills}", self.trial.candidate)
    }
}

/// The points with a value of a flag, best first.
pub fn having<'a, 'b>(points: &'b [Point<'a>], flag: &str, value: &str) -> Vec<&'b Point<'a>> {
    let mut own: Vec<&Point> = points.iter().filter(|p| p.trial.candidate.value(flag) == Some(value)).collect();
    own.sort_by(|a, b| a.time.total_cmp(&b.time));
    own
}

/// Layouts keep their colours from picture to picture; blue, orange and green can be told apart by everybody.
pub fn colour(layout: &str) -> &'static str {
    match layout {
        "overlay" => "#0072b2",
        "data-parallel" => "#d55e00",
        _ => "#009e73",
    }
}

/// The layouts that there are, each with its colour.
pub fn layouts<'a>(points: &[Point<'a>]) -> Vec<&'a str> {
    let mut layouts: Vec<&str> = points.iter().map(|point| point.cost.layout.as_str()).collect();
    layouts.sort();
    layouts.dedup();
    layouts
}
