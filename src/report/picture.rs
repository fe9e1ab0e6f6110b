//! The schedule as a picture: one lane per warp, time to the right, steps as coloured blocks, barriers as lines.
//!
//! Time is counted in double-precision issue slots, as if every warp issued one per unit and waited at its barriers.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::graph::{Graph, Part, StepRef};
use crate::schedule::Schedule;
use crate::schedule::timeline::{Timeline, timeline};

const LANE: i32 = 26;
const LEFT: i32 = 70;
const TOP: i32 = 46;
const WIDTH: i32 = 1200;
const LEGEND: i32 = 20;

/// An SVG.
pub fn schedule_picture(graph: &Graph, schedule: &Schedule, title: &str) -> String {
    let timeline = timeline(graph, schedule);
    let mut kinds: Vec<String> = Vec::new();
    let kind_of: Vec<usize> = timeline
        .blocks
        .iter()
        .map(|b| {
            let name = kind(graph, b.step);
            kinds.iter().position(|k| *k == name).unwrap_or_else(|| {
                kinds.push(name);
                kinds.len() - 1
            })
        })
        .collect();
    let mut svg = String::new();
    draw(&mut svg, schedule.warps as i32, title, &timeline, &kind_of, &kinds).expect("drawing into memory succeeds");
    svg
}

/// The first word of the operation's name, and which part of it.
pub(super) fn kind(graph: &Graph, at: StepRef) -> String {
    let operation = &graph.ops[at.op];
    let word = operation.name.split(' ').next().unwrap_or_default();
    match at.part {
        Part::Iteration(_) => format!("{word} (iterations)"),
        Part::Prologue | Part::Epilogue if operation.iterations.is_empty() => word.to_owned(),
        Part::Prologue => format!("{word} (prologue)"),
        Part::Epilogue => format!("{word} (epilogue)"),
    }
}

fn draw(
    svg: &mut String,
    warps: i32,
    title: &str,
    timeline: &Timeline,
    kind_of: &[usize],
    kinds: &[String],
) -> Result<(), Box<dyn std::error::Error>> {
    let bottom = TOP + warps * LANE;
    let rows = kinds.len().div_ceil(6) as i32;
    let height = bottom + 40 + rows * LEGEND;
    let end = timeline.length().max(1);
    let x = |time: u64| LEFT + (time as f64 / end as f64 * f64::from(WIDTH - LEFT - 20)).round() as i32;
    let y = |warp: usize| TOP + warp as i32 * LANE;
    {
        let area: DrawingArea<SVGBackend<'_>, Shift> =
            SVGBackend::with_string(svg, (WIDTH as u32, height as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        let text = |size: i32| ("sans-serif", size).into_font().color(&BLACK);
        area.draw(&Text::new(title.to_owned(), (LEFT, 12), text(17)))?;
        for warp in 0..warps as usize {
            let right = text(12).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(format!("warp {warp}"), (LEFT - 8, y(warp) + LANE / 2 - 2), right))?;
            let lane = [(LEFT, y(warp)), (WIDTH - 20, y(warp) + LANE - 4)];
            area.draw(&Rectangle::new(lane, RGBColor(244, 244, 240).filled()))?;
        }
        for (b, &kind) in timeline.blocks.iter().zip(kind_of) {
            let corners = [(x(b.start), y(b.warp)), (x(b.end).max(x(b.start) + 1), y(b.warp) + LANE - 4)];
            area.draw(&Rectangle::new(corners, color(kind).filled()))?;
        }
        for line in &timeline.barriers {
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
            "{end} double-precision slots per 32 points, from left to right; lines are named barriers (with their \
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
