//! All candidates of a kernel as a picture.

use plotters::prelude::*;

use crate::measure::{Cost, Outcome, Trial};
use crate::record::settings;
use crate::space::{Axis, Candidate};

/// An SVG: time per point over the values of the first axis, a line for each combination of the others. Open circles spill.
pub fn picture(title: &str, axes: &[Axis], trials: &[Trial]) -> String {
    let mut svg = String::new();
    draw(&mut svg, title, axes, trials).expect("drawing into memory succeeds");
    svg
}

fn time(cost: &Cost) -> f64 {
    cost.measured_ns.unwrap_or(cost.predicted_ns)
}

fn draw(svg: &mut String, title: &str, axes: &[Axis], trials: &[Trial]) -> Result<(), Box<dyn std::error::Error>> {
    let (name, values) = axes.first().map_or(("", &[][..]), |axis| (axis.flag.as_str(), &axis.values[..]));
    let most = trials.iter().filter_map(cost_of).map(time).fold(0.0, f64::max);
    let area = SVGBackend::with_string(svg, (900, 460)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(-0.25..values.len().max(1) as f64 - 0.75, 0.0..if most > 0.0 { 1.1 * most } else { 1.0 })?;
    let label = |x: &f64| {
        values.get(x.round().max(0.0) as usize).filter(|_| x.fract().abs() < 1e-9).cloned().unwrap_or_default()
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(values.len().max(1))
        .x_label_formatter(&label)
        .x_desc(name)
        .y_desc("ns per point")
        .draw()?;
    let mut lines: Vec<(String, Vec<(f64, &Cost)>)> = Vec::new();
    for trial in trials {
        let Some(cost) = cost_of(trial) else { continue };
        let first = trial.candidate.settings.first().map_or("", |(_, value)| value);
        let x = values.iter().position(|value| value == first).unwrap_or(0) as f64;
        let others = Candidate { settings: trial.candidate.settings.iter().skip(1).cloned().collect() };
        let others = settings(&others);
        match lines.iter_mut().find(|(known, _)| *known == others) {
            Some((_, points)) => points.push((x, cost)),
            None => lines.push((others, vec![(x, cost)])),
        }
    }
    for (number, (others, points)) in lines.iter().enumerate() {
        let color = Palette99::pick(number).to_rgba();
        let line = points.iter().map(|(x, cost)| (*x, time(cost)));
        chart
            .draw_series(std::iter::once(PathElement::new(line.collect::<Vec<_>>(), color.stroke_width(2))))?
            .label(if others.is_empty() { "all" } else { others })
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        let circle = |&(x, cost): &(f64, &Cost)| {
            let style = if cost.spilled_bytes > 0 { ShapeStyle::from(&color) } else { color.filled() };
            Circle::new((x, time(cost)), 4, style)
        };
        chart.draw_series(points.iter().map(circle))?;
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}

fn cost_of(trial: &Trial) -> Option<&Cost> {
    match &trial.outcome {
        Outcome::Cost(cost) => Some(cost),
        Outcome::Refused { .. } => None,
    }
}
