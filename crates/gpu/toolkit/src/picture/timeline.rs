//! Warps from top to bottom, time from left to right: in each column, what the clocks of the warp went to; arrows are barriers.

use super::svg::{FAINT, GROUND, INK, Svg};
use super::{axis, color, legend};
use warpsim::machine_code::{Bin, Cause, Meeting, Timeline};

const LEFT: f64 = 110.0;
const WIDTH: f64 = 1200.0;
const TOP: f64 = 110.0;
/// Gap between CTAs.
const GAP: f64 = 16.0;
/// The most columns of the picture.
const COLUMNS: usize = 600;
/// More barriers than these would hide the rest.
const MOST_ARROWS: usize = 400;

/// A stretch of the run that has a name.
pub struct Phase {
    pub name: String,
    /// Description of what happens in it.
    pub what: String,
    pub end: u64,
}

/// An SVG. `phases`: in order, those of the first CTA; none where they are not known.
pub fn timeline(title: &str, line: &Timeline, warps_per_cta: usize, phases: &[Phase]) -> String {
    let bins = line.warps.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let clocks = bins as u64 * line.clocks_per_bin;
    let of_cta = warps_per_cta.max(1);
    let lane = if line.warps.len() > 32 { 13.0 } else { 24.0 };
    let place = Place { clocks, lane, of_cta };
    let bottom = place.top(line.warps.len().saturating_sub(1)) + lane + 6.0;
    let mut svg = Svg::new(LEFT + WIDTH + 30.0, bottom + 62.0);
    svg.text((LEFT, 24.0), 16, "start", title);
    legend(&mut svg, LEFT, 38.0);
    for (phase, start) in phases.iter().zip(std::iter::once(0).chain(phases.iter().map(|phase| phase.end))) {
        let (from, to) = (place.x(start), place.x(phase.end));
        let tip = format!("{}, clocks {start} to {}: {}", phase.name, phase.end, phase.what);
        svg.rectangle((from, TOP - 22.0), (to - from - 1.0, 14.0), FAINT, Some(&tip));
        if to - from > 7.0 * phase.name.len() as f64 {
            svg.text(((from + to) / 2.0, TOP - 11.0), 10, "middle", &phase.name);
        }
    }
    for (warp, bins) in line.warps.iter().enumerate() {
        let (top, name) = (place.top(warp), place.name(warp));
        svg.text((LEFT - 8.0, top + lane / 2.0 + 2.0), if lane > 20.0 { 12 } else { 9 }, "end", &name);
        lane_of(&mut svg, bins, line.clocks_per_bin, &place, (top, &name));
    }
    if line.meetings.len() <= MOST_ARROWS {
        line.meetings.iter().for_each(|meeting| arrows(&mut svg, meeting, &place));
    }
    axis(&mut svg, (LEFT, bottom), WIDTH, (clocks, "clocks"));
    let note = match line.meetings.len() {
        0 => "the height of a colour is its share of the clocks of a column".to_owned(),
        n if n > MOST_ARROWS => format!("{n} meetings at barriers are too many to be drawn"),
        _ => "dots are arrivals at a named barrier, arrows lead from the last of them to the warps that waited; fields: turn.phase"
            .to_owned(),
    };
    svg.text((LEFT, bottom + 50.0), 12, "start", &note);
    svg.finish()
}

/// Places of things in the picture.
struct Place {
    clocks: u64,
    lane: f64,
    of_cta: usize,
}

impl Place {
    fn x(&self, clock: u64) -> f64 {
        LEFT + WIDTH * clock as f64 / self.clocks as f64
    }

    fn top(&self, warp: usize) -> f64 {
        TOP + self.lane * warp as f64 + GAP * (warp / self.of_cta) as f64
    }

    fn middle(&self, warp: usize) -> f64 {
        self.top(warp) + (self.lane - 3.0) / 2.0
    }

    fn name(&self, warp: usize) -> String {
        format!("CTA {} warp {}", warp / self.of_cta, warp % self.of_cta)
    }
}

/// Each cause of a warp is one shape, of the columns where it occurs.
fn lane_of(svg: &mut Svg, bins: &[Bin], clocks_per_bin: u64, place: &Place, (top, name): (f64, &str)) {
    let bins_per_column = (place.clocks / clocks_per_bin).div_ceil(COLUMNS as u64).max(1) as usize;
    let height = place.lane - 3.0;
    let mut shapes = vec![Vec::new(); Cause::ALL.len()];
    let mut clocks = [0u64; Cause::ALL.len()];
    for (column, group) in bins.chunks(bins_per_column).enumerate() {
        let start = (column * bins_per_column) as u64 * clocks_per_bin;
        let sums: [u64; Cause::ALL.len()] =
            std::array::from_fn(|cause| group.iter().map(|bin| u64::from(bin[cause])).sum());
        let all = (group.len() as u64 * clocks_per_bin) as f64;
        let (left, right) = (place.x(start), place.x(start + group.len() as u64 * clocks_per_bin));
        let mut y = top;
        for (cause, &sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0) {
            let share = height * sum as f64 / all;
            extend(&mut shapes[cause], (left, y, right - left, share));
            clocks[cause] += sum;
            y += share;
        }
    }
    let all = clocks.iter().sum::<u64>().max(1) as f64;
    for cause in Cause::ALL.into_iter().filter(|cause| clocks[*cause as usize] > 0) {
        let clocks = clocks[cause as usize];
        let tip = format!("{name}: {} {clocks} clocks, {:.1} %", cause.name(), 100.0 * clocks as f64 / all);
        svg.rectangles(&shapes[cause as usize], color(cause), &tip);
    }
}

/// Adds a rectangle to a row of them: to the last one where it goes on in the same way.
fn extend(row: &mut Vec<(f64, f64, f64, f64)>, (x, y, w, h): (f64, f64, f64, f64)) {
    match row.last_mut() {
        Some(last) if (last.0 + last.2 - x).abs() < 1e-6 && (last.1, last.3) == (y, h) => last.2 += w,
        _ => row.push((x, y, w, h)),
    }
}

fn arrows(svg: &mut Svg, meeting: &Meeting, place: &Place) {
    let Meeting { barrier, arrivals, waiting, released, .. } = meeting;
    let Some(&(last, came)) = arrivals.iter().max_by_key(|(_, time)| *time) else { return };
    let first = arrivals.iter().map(|(_, time)| *time).min().unwrap_or(came);
    let tip = format!(
        "barrier {barrier}: {} warps came from clock {first} to {came}, {} last; {} waited until {released}",
        arrivals.len(),
        place.name(last),
        waiting.len()
    );
    let from = (place.x(came), place.middle(last));
    for &(warp, time) in arrivals {
        let fill = if waiting.contains(&warp) { INK } else { GROUND };
        svg.dot((place.x(time), place.middle(warp)), fill, Some(&tip));
    }
    for &warp in waiting.iter().filter(|warp| **warp != last) {
        svg.arrow(from, (place.x(*released), place.middle(warp)), Some(&tip));
    }
}
