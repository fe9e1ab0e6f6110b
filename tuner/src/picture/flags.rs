//! Time over the values of each flag, a panel for each, with a line for what `singe` takes by itself. The candidates of a value stand side by side, so that none hides another.

use super::point::{Point, colour, having, layouts};
use super::scale::{Logarithmic, label};
use super::svg::Svg;

const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 34.0;
/// Below a panel, for its values and its flag.
const FOOT: f64 = 44.0;
const GAP: f64 = 24.0;
const BAND: f64 = 76.0;
const WIDEST: f64 = 1000.0;

pub fn picture(points: &[Point], axes: &[(String, Vec<String>)]) -> String {
    // Where nothing was varied there is one band.
    let alone = [("all".to_owned(), vec![String::new()])];
    let axes = if axes.is_empty() { &alone[..] } else { axes };
    let rows = rows(axes);
    let width = rows.iter().map(|row| row.iter().map(|axis| panel_width(axis)).sum::<f64>()).fold(0.0, f64::max);
    let mut svg = Svg::new((LEFT + width).max(320.0), TOP + rows.len() as f64 * (HEIGHT + FOOT));
    let legend: Vec<(&str, &str)> = layouts(points).into_iter().map(|layout| (layout, colour(layout))).collect();
    svg.legend((LEFT, 18.0), &legend);
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + number as f64 * (HEIGHT + FOOT);
        let scale = Logarithmic::new(points.iter().map(|point| point.time), (top + HEIGHT, top));
        let end = LEFT + row.iter().map(|axis| panel_width(axis)).sum::<f64>() - GAP;
        for tick in scale.ticks() {
            svg.line(&[(LEFT, scale.place(tick)), (end, scale.place(tick))], "#80808050", 1.0);
            svg.text((LEFT - 6.0, scale.place(tick) + 4.0), "end", &label(tick));
        }
        // It has no values of flags, and stands in no panel.
        if let Some(auto) = points.iter().find(|point| point.trial.candidate.is_auto()) {
            let height = scale.place(auto.time);
            svg.line(&[(LEFT, height), (end, height)], "#808080", 1.0);
            svg.text((end, height - 4.0), "end", "auto");
        }
        svg.upwards((14.0, top + HEIGHT / 2.0), "ns per point");
        let mut left = LEFT;
        for axis in row {
            panel(&mut svg, points, axis, left, top, &scale);
            left += panel_width(axis);
        }
    }
    svg.finish()
}

type Axis = (String, Vec<String>);

/// As many panels in a row as there is room for.
fn rows(axes: &[Axis]) -> Vec<Vec<&Axis>> {
    let mut rows: Vec<Vec<&Axis>> = Vec::new();
    let mut filled = f64::INFINITY;
    for axis in axes {
        if filled + panel_width(axis) > WIDEST {
            rows.push(Vec::new());
            filled = 0.0;
        }
        filled += panel_width(axis);
        rows.last_mut().expect("the first panel begins a row").push(axis);
    }
    rows
}

fn panel_width((_, values): &Axis) -> f64 {
    BAND * values.len() as f64 + GAP
}

fn panel(svg: &mut Svg, points: &[Point], (flag, values): &Axis, left: f64, top: f64, scale: &Logarithmic) {
    let bottom = top + HEIGHT;
    let mut best: Vec<(&str, Vec<(f64, f64)>)> =
        layouts(points).into_iter().map(|layout| (layout, Vec::new())).collect();
    let mut marks = Vec::new();
    for (number, value) in values.iter().enumerate() {
        let start = left + number as f64 * BAND;
        if number > 0 {
            svg.line(&[(start, top), (start, bottom)], "#80808030", 1.0);
        }
        svg.text((start + BAND / 2.0, bottom + 16.0), "middle", value);
        let own = if value.is_empty() { points.iter().collect() } else { having(points, flag, value) };
        let radius = (0.4 * BAND / own.len().max(1) as f64).clamp(1.6, 3.0);
        for (rank, point) in own.iter().enumerate() {
            let place = (start + BAND * (0.1 + 0.8 * (rank as f64 + 0.5) / own.len() as f64), scale.place(point.time));
            let line =
                best.iter_mut().find(|(layout, _)| *layout == point.cost.layout).expect("every layout has a line");
            // The first of each value is its best.
            if line.1.last().is_none_or(|(x, _)| *x < start) {
                line.1.push(place);
            }
            marks.push((place, radius, *point));
        }
    }
    for (layout, line) in &best {
        svg.line(line, colour(layout), 1.2);
    }
    for (place, radius, point) in marks {
        svg.mark(place, radius, colour(&point.cost.layout), point.is_best, &point.tip());
    }
    svg.line(&[(left, top), (left, bottom), (left + BAND * values.len() as f64, bottom)], "#808080", 1.0);
    svg.text((left + BAND * values.len() as f64 / 2.0, bottom + 34.0), "middle", flag);
}
