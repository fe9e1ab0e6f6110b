//! The schedule as a picture: one lane per warp, time to the right, steps as coloured blocks, barriers as lines.
//!
//! Where the model of time has run the machine code, time is in clocks of an SM. Else it is counted in double-precision issue slots, as
//! if every warp issued one per unit and waited at its barriers.

mod clocks;
mod kind;
mod phases;
mod straight_line;

use crate::verify::Prediction;
use clocks::Clocks;
use graph::{Graph, StepRef};
pub use kind::kind_and_part;
use kind::{color, kind, part};
pub use phases::phases;
use schedule::Schedule;
use schedule::timeline::{Barrier, Block, Timeline, timeline};
pub use straight_line::straight_line_picture;
use toolkit::picture::axis;
use toolkit::picture::svg::{FAINT, GROUND, INK, Svg};

const LANE: f64 = 28.0;
/// Gap between lanes.
const GAP: f64 = 5.0;
const LEFT: f64 = 70.0;
const WIDTH: f64 = 1090.0;
/// Width for the shares of the warps.
const RIGHT: f64 = 70.0;
/// Width and height of an entry of the legend.
const ENTRY: f64 = 155.0;
const ROW: f64 = 22.0;
/// Height of the row that tells how long warps wait.
const WAITING: f64 = 16.0;
/// A phase that is narrower has no text, but the tip.
const NARROWEST: f64 = 30.0;

/// An SVG.
pub fn schedule_picture(graph: &Graph, schedule: &Schedule, title: &str, prediction: Option<&Prediction>) -> String {
    let line = timeline(graph, schedule);
    let warps = schedule.warps as usize;
    let clocks = prediction.and_then(|prediction| Clocks::new(warps, &line, prediction));
    let runs = runs(graph, &line);
    let kinds = kinds(&runs);
    let columns = ((WIDTH + RIGHT) / ENTRY) as usize;
    let top = 68.0 + ROW * kinds.len().div_ceil(columns) as f64;
    let bottom = top + LANE * warps as f64;
    let scale = Scale::new(&line, clocks, top);
    let mut svg = Svg::new(LEFT + WIDTH + RIGHT, bottom + WAITING + 78.0);
    svg.text((LEFT, 24.0), 17, "start", title);
    legend(&mut svg, &kinds, columns, LEFT);
    let unit = scale.unit();
    for warp in 0..warps {
        let y = scale.y(warp);
        let own = || runs.iter().filter(|run| run.warp == warp);
        let busy: f64 = own().map(|run| scale.interval(run)).map(|(start, end)| end - start).sum();
        let share = 100.0 * busy / scale.length.max(1.0);
        svg.text((LEFT - 8.0, y + 16.0), 13, "end", &format!("warp {warp}"));
        let slots: u64 = own().map(|run| run.end - run.start).sum();
        let rest = format!("warp {warp} waits or is done: {:.0} of {:.0} {unit}", scale.length - busy, scale.length);
        svg.rectangle((LEFT, y), (WIDTH, LANE - GAP), FAINT, Some(&rest));
        own().for_each(|run| block(&mut svg, run, &scale));
        svg.text((LEFT + WIDTH + 8.0, y + 16.0), 13, "start", &format!("{share:.0} %"));
        let tip = format!("warp {warp}: {slots} double-precision slots; busy in {share:.1} % of the time");
        svg.rectangle((LEFT + WIDTH + 4.0, y), (RIGHT - 8.0, LANE - GAP), "transparent", Some(&tip));
    }
    svg.text((LEFT + WIDTH + 8.0, top - 18.0), 12, "start", "busy");
    waiting(&mut svg, &runs, warps, &scale, bottom);
    line.barriers.iter().for_each(|barrier| meeting(&mut svg, barrier, &scale));
    let bottom = bottom + WAITING;
    axis(&mut svg, (LEFT, bottom), WIDTH, (scale.length.round() as u64, unit));
    svg.text((LEFT, bottom + 50.0), 12, "start", &format!("Time: {}.", scale.note()));
    let rest = "Lines are named barriers with their number; full dots wait, open dots only arrive. Grey is waiting. Light and dark: before and after iterations.";
    svg.text((LEFT, bottom + 67.0), 12, "start", rest);
    svg.finish()
}

/// Neighbouring blocks of a warp that are of one kind.
struct Run<'a> {
    warp: usize,
    phase: usize,
    start: u64,
    end: u64,
    loops: usize,
    kind: &'a str,
    part: &'static str,
}

fn runs<'a>(graph: &'a Graph, line: &Timeline) -> Vec<Run<'a>> {
    let of = |step: StepRef| (kind(graph, step), part(graph, step));
    let same =
        |a: &Block, b: &Block| (a.warp, a.phase, a.end) == (b.warp, b.phase, b.start) && of(a.step) == of(b.step);
    let run = |blocks: &[Block]| {
        let (first, last) = (&blocks[0], &blocks[blocks.len() - 1]);
        let (kind, part) = of(first.step);
        Run { warp: first.warp, phase: first.phase, start: first.start, end: last.end, loops: blocks.len(), kind, part }
    };
    line.blocks.chunk_by(same).map(run).collect()
}

/// Returns the kinds in alphabetical order, each with its parts.
fn kinds<'a>(runs: &[Run<'a>]) -> Vec<(&'a str, Vec<&'static str>)> {
    let mut kinds: Vec<&str> = runs.iter().map(|run| run.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let parts = |kind: &str| {
        let has = |part: &&str| runs.iter().any(|run| run.kind == kind && run.part == *part);
        ["", "prologue", "iterations", "epilogue"].into_iter().filter(has).collect()
    };
    kinds.into_iter().map(|kind| (kind, parts(kind))).collect()
}

/// Draws below the warps the share of their time in each phase, from its first block to its last, in which they wait.
fn waiting(svg: &mut Svg, runs: &[Run], warps: usize, scale: &Scale, top: f64) {
    let mut phases: Vec<usize> = runs.iter().map(|run| run.phase).collect();
    phases.sort_unstable();
    phases.dedup();
    svg.text((LEFT - 8.0, top + 11.0), 11, "end", "waiting");
    for phase in phases {
        let of_phase = || runs.iter().filter(|run| run.phase == phase).map(|run| scale.interval(run));
        let start = of_phase().map(|(start, _)| start).fold(f64::INFINITY, f64::min);
        let end = of_phase().map(|(_, end)| end).fold(0.0, f64::max);
        let busy: f64 = of_phase().map(|(start, end)| end - start).sum();
        let share = 100.0 * (1.0 - busy / ((end - start) * warps as f64).max(1.0));
        let (left, right) = (scale.x(start), scale.x(end));
        let tip = format!("phase {}: warps wait {share:.0} % of {start:.0} to {end:.0} {}", phase + 1, scale.unit());
        svg.rectangle((left, top), ((right - left).max(1.0), WAITING - 3.0), "transparent", Some(&tip));
        if right - left >= NARROWEST {
            svg.text(((left + right) / 2.0, top + 11.0), 11, "middle", &format!("{share:.0} %"));
        }
    }
}

/// Places of things in the picture.
struct Scale {
    clocks: Option<Clocks>,
    length: f64,
    top: f64,
}

impl Scale {
    fn new(line: &Timeline, clocks: Option<Clocks>, top: f64) -> Self {
        let length = clocks.as_ref().map_or(line.length() as f64, Clocks::length);
        Self { clocks, length, top }
    }

    fn unit(&self) -> &'static str {
        if self.clocks.is_some() { "clocks" } else { "double-precision slots" }
    }

    fn note(&self) -> &'static str {
        match self.clocks {
            Some(_) => {
                "one turn of the streaming loop by the model of time; barriers where it saw them, blocks between them by their slots"
            }
            None => "as if a warp issued one slot per unit and waited at its barriers; balance, not time on a GPU",
        }
    }

    fn x(&self, time: f64) -> f64 {
        LEFT + WIDTH * time / self.length.max(1.0)
    }

    fn y(&self, warp: usize) -> f64 {
        self.top + LANE * warp as f64
    }

    fn middle(&self, warp: usize) -> f64 {
        self.y(warp) + (LANE - GAP) / 2.0
    }

    fn interval(&self, run: &Run) -> (f64, f64) {
        match &self.clocks {
            Some(clocks) => clocks.interval(run.warp, run.start, run.end),
            None => (run.start as f64, run.end as f64),
        }
    }

    fn arrival(&self, (warp, slot): (usize, u64)) -> f64 {
        self.clocks.as_ref().map_or(slot as f64, |clocks| clocks.arrival(warp, slot))
    }

    /// When a barrier was complete.
    fn completion(&self, barrier: &Barrier) -> f64 {
        match (&self.clocks, barrier.wait.first()) {
            (Some(clocks), Some(&(warp, _))) => clocks.release(warp, barrier.time),
            _ => barrier.time as f64,
        }
    }
}

/// One entry for each kind: its colours with its name.
fn legend(svg: &mut Svg, kinds: &[(&str, Vec<&'static str>)], columns: usize, left: f64) {
    for (at, (kind, parts)) in kinds.iter().enumerate() {
        let (mut x, y) = (left + ENTRY * (at % columns) as f64, 36.0 + ROW * (at / columns) as f64);
        for part in parts {
            let tip = if part.is_empty() { (*kind).to_owned() } else { format!("{kind} ({part})") };
            svg.rectangle((x, y), (13.0, 13.0), &color(kind, part), Some(&tip));
            x += 14.0;
        }
        svg.text((x + 5.0, y + 11.0), 13, "start", kind);
    }
}

fn block(svg: &mut Svg, run: &Run, scale: &Scale) {
    let (start, end) = scale.interval(run);
    let slots = run.end - run.start;
    let part = if run.part.is_empty() { String::new() } else { format!(" ({})", run.part) };
    let loops = if run.loops > 1 { format!(", {} pieces of code", run.loops) } else { String::new() };
    let tip = format!(
        "warp {}, phase {}: {}{part}, {slots} slots{loops}; {start:.0} to {end:.0} {}",
        run.warp,
        run.phase + 1,
        run.kind,
        scale.unit()
    );
    let (left, right) = (scale.x(start), scale.x(end));
    let size = ((right - left).max(1.0), LANE - GAP);
    svg.rectangle((left, scale.y(run.warp)), size, &color(run.kind, run.part), Some(&tip));
}

fn meeting(svg: &mut Svg, barrier: &Barrier, scale: &Scale) {
    let members = || barrier.arrive.iter().chain(&barrier.wait).map(|member| member.0);
    let (Some(first), Some(last)) = (members().min(), members().max()) else { return };
    let time = scale.completion(barrier);
    let x = scale.x(time);
    let tip = format!(
        "barrier {}, complete at {time:.0} {}: {} warps wait, {} only arrive",
        barrier.id,
        scale.unit(),
        barrier.wait.len(),
        barrier.arrive.len()
    );
    svg.line((x, scale.y(first) - 3.0), (x, scale.y(last) + LANE - GAP + 2.0), INK, Some(&tip));
    for &(warp, _) in &barrier.wait {
        svg.dot((x, scale.middle(warp)), INK, Some(&tip));
    }
    for &member in &barrier.arrive {
        let (y, came) = (scale.middle(member.0), scale.x(scale.arrival(member)));
        svg.line((came, y), (x, y), INK, Some(&tip));
        svg.dot((came, y), GROUND, Some(&tip));
    }
    svg.text((x + 2.0, scale.y(first) - 4.0), 10, "start", &barrier.id.to_string());
}
