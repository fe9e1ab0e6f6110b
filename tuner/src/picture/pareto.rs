//! Registers against time: what a faster kernel costs a thread.

use super::point::{Point, colour, layouts};
use super::scale::{Logarithmic, label};
use super::svg::Svg;

const SIZE: (f64, f64) = (560.0, 260.0);
const LEFT: f64 = 56.0;
const TOP: f64 = 34.0;

pub fn picture(points: &[Point]) -> String {
    let bottom = TOP + SIZE.1;
    let mut svg = Svg::new(LEFT + SIZE.0 + 24.0, bottom + 48.0);
    let legend: Vec<(&str, &str)> = layouts(points).into_iter().map(|layout| (layout, colour(layout))).collect();
    svg.legend((LEFT, 18.0), &legend);
    let most = points.iter().map(|point| point.cost.registers).max().unwrap_or(0).max(32).next_multiple_of(32);
    let x = |registers: u32| LEFT + f64::from(registers) / f64::from(most) * SIZE.0;
    let scale = Logarithmic::new(points.iter().map(|point| point.time), (bottom, TOP));
    for tick in scale.ticks() {
        svg.line(&[(LEFT, scale.place(tick)), (LEFT + SIZE.0, scale.place(tick))], "#80808050", 1.0);
        svg.text((LEFT - 6.0, scale.place(tick) + 4.0), "end", &label(tick));
    }
    for registers in (0..=most).step_by(32) {
        svg.text((x(registers), bottom + 16.0), "middle", &registers.to_string());
    }
    svg.line(&[(LEFT, TOP), (LEFT, bottom), (LEFT + SIZE.0, bottom)], "#808080", 1.0);
    svg.text((LEFT + SIZE.0 / 2.0, bottom + 36.0), "middle", "registers per thread");
    svg.upwards((14.0, TOP + SIZE.1 / 2.0), "ns per point");
    let front: Vec<(f64, f64)> =
        front(points).iter().map(|point| (x(point.cost.registers), scale.place(point.time))).collect();
    svg.line(&front, "#808080", 1.2);
    for group in groups(points) {
        let tips: Vec<String> = group.iter().map(|point| point.tip()).collect();
        let first = group[0];
        let is_best = group.iter().any(|point| point.is_best);
        svg.mark(
            (x(first.cost.registers), scale.place(first.time)),
            3.0,
            colour(&first.cost.layout),
            is_best,
            &tips.join("\n"),
        );
    }
    svg.finish()
}

/// Candidates that no other beats in time with as few registers, by registers.
fn front<'a, 'b>(points: &'b [Point<'a>]) -> Vec<&'b Point<'a>> {
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by(|a, b| a.cost.registers.cmp(&b.cost.registers).then(a.time.total_cmp(&b.time)));
    let mut front: Vec<&Point> = Vec::new();
    for point in order {
        if front.last().is_none_or(|last| point.time < last.time) {
            front.push(point);
        }
    }
    front
}

/// Those that lie in one place.
fn groups<'a, 'b>(points: &'b [Point<'a>]) -> Vec<Vec<&'b Point<'a>>> {
    let mut groups: Vec<Vec<&Point>> = Vec::new();
    for point in points {
        let place = |other: &Point| (other.cost.registers, other.time.to_bits());
        match groups.iter_mut().find(|group| place(group[0]) == place(point)) {
            Some(group) => group.push(point),
            None => groups.push(vec![point]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::measure::{Cost, Outcome, Trial};
    use crate::space::Candidate;

    #[test]
    fn the_front_has_what_nothing_beats() {
        let cost = |registers: u32, time: f64| -> Cost {
            let text = format!(
                r#"{{"form":"","layout":"","constants":"","estimated_ns":{time},"predicted_ns":null,"measured_ns":null,"slots":0.0,
                "shuffles":0.0,"shared_passes":0.0,"barrier_waits_per_group":0.0,"registers":{registers},"spilled_bytes":0,
                "ctas_per_sm":1,"occupancy":0.5}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let costs = [cost(64, 2.0), cost(32, 3.0), cost(96, 2.5), cost(128, 1.0), cost(32, 4.0)];
        let trial = Trial {
            kernel: String::new(),
            candidate: Candidate { settings: Vec::new() },
            level: Level::Compiled,
            outcome: Outcome::Refused { id: String::new(), message: String::new() },
        };
        let point = |cost: &'static Cost| Point {
            trial: Box::leak(Box::new(trial.clone())),
            cost,
            time: cost.time().0,
            is_best: false,
        };
        let points: Vec<Point> = costs.iter().cloned().map(|cost| point(Box::leak(Box::new(cost)))).collect();
        let registers: Vec<u32> = front(&points).iter().map(|point| point.cost.registers).collect();
        assert_eq!(registers, [32, 64, 128]);
    }
}
