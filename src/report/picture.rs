//! The schedule as a picture: one lane per warp, time to the right, steps as coloured blocks, barriers as lines.
//!
//! Time is counted in double-precision issue slots, as if every warp issued one per unit and waited at its barriers.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::dataflow::{Graph, Part, StepRef};
use crate::diagnostic::Diagnostic;
use crate::schedule::{Phase, Schedule};

const LANE: i32 = 26;
const LEFT: i32 = 70;
const TOP: i32 = 46;
const WIDTH: i32 = 1200;
const LEGEND: i32 = 20;

/// Steps of one kind, run by one warp in a row.
struct Block {
    warp: usize,
    start: f64,
    end: f64,
    kind: usize,
}

struct Line {
    time: f64,
    arrive: Vec<(usize, f64)>,
    wait: Vec<usize>,
    id: u32,
}

/// An SVG.
///
/// Errors: the picture could not be drawn.
pub fn schedule_picture(graph: &Graph, schedule: &Schedule, title: &str) -> Result<String, Diagnostic> {
    let (blocks, lines, kinds) = layout(graph, schedule);
    let mut svg = String::new();
    draw(&mut svg, schedule, title, &blocks, &lines, &kinds)
        .map_err(|e| Diagnostic::error("report::picture", format!("the schedule picture could not be drawn: {e}")))?;
    Ok(svg)
}

/// Lets time run: blocks, barriers, and the kinds of work in order of appearance.
fn layout(graph: &Graph, schedule: &Schedule) -> (Vec<Block>, Vec<Line>, Vec<String>) {
    let mut now = vec![0.0f64; schedule.warps as usize];
    let (mut blocks, mut lines, mut kinds) = (Vec::new(), Vec::new(), Vec::<String>::new());
    for Phase { runs, syncs } in &schedule.phases {
        for (warp, run) in runs.iter().enumerate() {
            for same in run.chunk_by(|&a, &b| kind(graph, a) == kind(graph, b)) {
                let name = kind(graph, same[0]);
                let index = kinds.iter().position(|k| *k == name).unwrap_or_else(|| {
                    kinds.push(name);
                    kinds.len() - 1
                });
                let cost: u64 = same.iter().map(|&at| graph.body(at).slots().max(1)).sum();
                let end = now[warp] + cost as f64;
                blocks.push(Block { warp, start: now[warp], end, kind: index });
                now[warp] = end;
            }
        }
        for s in syncs {
            let members = |mask: u32| (0..now.len()).filter(move |w| mask >> w & 1 == 1);
            let time = members(s.arrive | s.wait).map(|w| now[w]).fold(0.0, f64::max);
            let arrive = members(s.arrive).map(|w| (w, now[w])).collect();
            let wait: Vec<usize> = members(s.wait).collect();
            for &w in &wait {
                now[w] = time;
            }
            lines.push(Line { time, arrive, wait, id: s.id });
        }
    }
    (blocks, lines, kinds)
}

/// The first word of the operation's name, and which part of it.
fn kind(graph: &Graph, at: StepRef) -> String {
    let operation = &graph.ops[at.op];
    let word = operation.name.split(' ').next().unwrap_or_default();
    match at.part {
        Part::Round(_) => format!("{word} (rounds)"),
        Part::Before | Part::After if operation.rounds.is_empty() => word.to_owned(),
        Part::Before => format!("{word} (begin)"),
        Part::After => format!("{word} (end)"),
    }
}

fn draw(
    svg: &mut String,
    schedule: &Schedule,
    title: &str,
    blocks: &[Block],
    lines: &[Line],
    kinds: &[String],
) -> Result<(), Box<dyn std::error::Error>> {
    let warps = schedule.warps as i32;
    let bottom = TOP + warps * LANE;
    let rows = kinds.len().div_ceil(6) as i32;
    let height = bottom + 40 + rows * LEGEND;
    let end = blocks.iter().map(|b| b.end).chain(lines.iter().map(|l| l.time)).fold(1.0, f64::max);
    let x = |time: f64| LEFT + (time / end * f64::from(WIDTH - LEFT - 20)).round() as i32;
    let y = |warp: usize| TOP + warp as i32 * LANE;
    {
        let area: DrawingArea<SVGBackend<'_>, Shift> =
            SVGBackend::with_string(svg, (WIDTH as u32, height as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        let text = |size: i32| ("sans-serif", size).into_font().color(&BLACK);
        area.draw(&Text::new(title.to_owned(), (LEFT, 12), text(17)))?;
        for warp in 0..schedule.warps as usize {
            let right = text(12).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(format!("warp {warp}"), (LEFT - 8, y(warp) + LANE / 2 - 2), right))?;
            let lane = [(LEFT, y(warp)), (WIDTH - 20, y(warp) + LANE - 4)];
            area.draw(&Rectangle::new(lane, RGBColor(244, 244, 240).filled()))?;
        }
        for b in blocks {
            let corners = [(x(b.start), y(b.warp)), (x(b.end).max(x(b.start) + 1), y(b.warp) + LANE - 4)];
            area.draw(&Rectangle::new(corners, color(b.kind).filled()))?;
        }
        for line in lines {
            let members = || line.arrive.iter().map(|a| a.0).chain(line.wait.iter().copied());
            let (first, last) = (members().min().unwrap_or(0), members().max().unwrap_or(0));
            let at = x(line.time);
            area.draw(&PathElement::new(vec![(at, y(first) - 3), (at, y(last) + LANE - 1)], BLACK.stroke_width(1)))?;
            for &w in &line.wait {
                area.draw(&Circle::new((at, y(w) + LANE / 2 - 2), 3, BLACK.filled()))?;
            }
            for &(w, time) in &line.arrive {
                let middle = y(w) + LANE / 2 - 2;
                area.draw(&PathElement::new(vec![(x(time), middle), (at, middle)], BLACK.stroke_width(1)))?;
                area.draw(&Circle::new((x(time), middle), 3, BLACK.stroke_width(1)))?;
            }
            area.draw(&Text::new(line.id.to_string(), (at + 2, y(first) - 13), text(10)))?;
        }
        let note = format!(
            "{end:.0} double-precision slots per 32 points, from left to right; lines are named barriers (with their \
             number), full dots wait, open dots only arrive"
        );
        area.draw(&Text::new(note, (LEFT, bottom + 8), text(12)))?;
        for (i, name) in kinds.iter().enumerate() {
            let (column, row) = ((i % 6) as i32, (i / 6) as i32);
            let (left, top) = (LEFT + column * 185, bottom + 32 + row * LEGEND);
            area.draw(&Rectangle::new([(left, top), (left + 12, top + 12)], color(i).filled()))?;
            area.draw(&Text::new(name.clone(), (left + 18, top), text(12)))?;
        }
        area.present()?;
    }
    Ok(())
}

/// Hues far apart from each other.
fn color(kind: usize) -> HSLColor {
    HSLColor((kind as f64 * 0.618_034 + 0.58) % 1.0, 0.5, 0.62)
}
