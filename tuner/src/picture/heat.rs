//! The best time over two flags.

use super::point::{Point, having};
use super::scale::Logarithmic;
use super::svg::Svg;

const CELL: (f64, f64) = (84.0, 40.0);
const TOP: f64 = 20.0;
const FOOT: f64 = 56.0;

/// `None` where fewer than two flags were varied.
pub fn picture(points: &[Point], axes: &[(String, Vec<String>)]) -> Option<String> {
    let mut order: Vec<&(String, Vec<String>)> = axes.iter().collect();
    // A stable order: among flags that matter as much the first comes first.
    order.sort_by(|a, b| effect(points, b).total_cmp(&effect(points, a)));
    let [first, second, ..] = order[..] else { return None };
    // The one with more values lies along the page.
    let ((across, columns), (down, rows)) =
        if second.1.len() > first.1.len() { (second, first) } else { (first, second) };
    let widest = rows.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    let left = 40.0 + 7.5 * widest as f64;
    let width = left + CELL.0 * columns.len() as f64 + 16.0;
    let height = TOP + CELL.1 * rows.len() as f64;
    let mut svg = Svg::new(width.max(320.0), height + FOOT);
    let cells: Vec<(usize, usize, Option<&Point>)> = rows
        .iter()
        .enumerate()
        .flat_map(|(row, y)| {
            columns.iter().enumerate().map(move |(column, x)| (row, column, best(points, (across, x), (down, y))))
        })
        .collect();
    let scale = Logarithmic::new(cells.iter().filter_map(|(.., best)| Some((*best)?.time)), (0.0, 1.0));
    for (row, column, best) in cells {
        let place = (left + CELL.0 * column as f64, TOP + CELL.1 * row as f64);
        let middle = (place.0 + CELL.0 / 2.0, place.1 + CELL.1 / 2.0 + 4.0);
        match best {
            Some(point) => {
                let (fill, ink) = colours(scale.share(point.time));
                svg.cell(place, CELL, &fill, &point.tip());
                svg.label(middle, ink, &format!("{:.3}{}", point.time, if point.is_best { " ★" } else { "" }));
            }
            None => {
                svg.cell(place, CELL, "#80808030", "no candidate that was compiled");
                svg.label(middle, "#808080", "–");
            }
        }
    }
    for (column, value) in columns.iter().enumerate() {
        svg.text((left + CELL.0 * (column as f64 + 0.5), height + 16.0), "middle", value);
    }
    for (row, value) in rows.iter().enumerate() {
        svg.text((left - 8.0, TOP + CELL.1 * (row as f64 + 0.5) + 4.0), "end", value);
    }
    svg.text((left + CELL.0 * columns.len() as f64 / 2.0, height + 34.0), "middle", across);
    svg.upwards((14.0, TOP + CELL.1 * rows.len() as f64 / 2.0), down);
    svg.text((left, height + 50.0), "start", "ns per point; the star is the best of all");
    Some(svg.finish())
}

/// By what factor the best times of its values differ.
fn effect(points: &[Point], (flag, values): &(String, Vec<String>)) -> f64 {
    let best = values.iter().filter_map(|value| Some(having(points, flag, value).first()?.time));
    let (least, most) = best.fold((f64::INFINITY, 0.0f64), |(least, most), time| (least.min(time), most.max(time)));
    most / least
}

fn best<'a, 'b>(points: &'b [Point<'a>], across: (&str, &str), down: (&str, &str)) -> Option<&'b Point<'a>> {
    having(points, across.0, across.1).into_iter().find(|point| point.trial.candidate.value(down.0) == Some(down.1))
}

/// From dark for the least to light for the most, and what can be read on it.
fn colours(share: f64) -> (String, &'static str) {
    const ENDS: [(f64, f64, f64); 2] = [(12.0, 68.0, 110.0), (240.0, 236.0, 200.0)];
    let mix = |dark: f64, light: f64| (dark + share.clamp(0.0, 1.0) * (light - dark)).round() as u8;
    let [dark, light] = ENDS;
    let (red, green, blue) = (mix(dark.0, light.0), mix(dark.1, light.1), mix(dark.2, light.2));
    (format!("#{red:02x}{green:02x}{blue:02x}"), if share < 0.5 { "#fff" } else { "#000" })
}
