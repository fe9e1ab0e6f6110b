//! Occupancy over one resource as a picture: a staircase.

use plotters::prelude::*;

use machine::target::Occupancy;

/// An SVG of the resident warps of an SM over the swept parameter, of `most` warps that it can hold.
pub fn occupancy_picture(title: &str, parameter: &str, most: u32, rows: &[(u32, Occupancy)]) -> String {
    let mut svg = String::new();
    draw(&mut svg, title, parameter, most, rows).expect("drawing into memory succeeds");
    svg
}

fn draw(
    svg: &mut String,
    title: &str,
    parameter: &str,
    most: u32,
    rows: &[(u32, Occupancy)],
) -> Result<(), Box<dyn std::error::Error>> {
    let first = rows.first().map_or(0, |(value, _)| *value);
    let last = rows.last().map_or(1, |(value, _)| *value).max(first + 1);
    let area = SVGBackend::with_string(svg, (800, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(48)
        .build_cartesian_2d(first..last, 0..most)?;
    chart.configure_mesh().x_desc(parameter).y_desc("resident warps per SM").draw()?;
    // The value holds up to its own place: a step comes after the last value that still fits.
    let mut corners: Vec<(u32, u32)> = Vec::new();
    for (value, occupancy) in rows {
        if let Some(&(before, height)) = corners.last()
            && height != occupancy.warps
        {
            corners.push((before, occupancy.warps));
        }
        corners.push((*value, occupancy.warps));
    }
    chart.draw_series([PathElement::new(corners, BLUE.stroke_width(2))])?;
    chart.draw_series(rows.iter().map(|(value, o)| Circle::new((*value, o.warps), 3, BLUE.filled())))?;
    area.present()?;
    Ok(())
}

/// The time of each level over its resident warps, those that were tried and the one that was taken.
pub fn levels_picture(title: &str, rows: &[(u32, f64)], chosen: u32) -> String {
    let mut svg = String::new();
    draw_levels(&mut svg, title, rows, chosen).expect("drawing into memory succeeds");
    svg
}

fn draw_levels(
    svg: &mut String,
    title: &str,
    rows: &[(u32, f64)],
    chosen: u32,
) -> Result<(), Box<dyn std::error::Error>> {
    let last = rows.last().map_or(1, |(warps, _)| *warps);
    let most = rows.iter().map(|(_, clocks)| *clocks).fold(1.0, f64::max);
    let area = SVGBackend::with_string(svg, (800, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(72)
        .build_cartesian_2d(0..last + 1, 0.0..1.05 * most)?;
    chart.configure_mesh().x_desc("resident warps per SM").y_desc("clocks").draw()?;
    chart.draw_series([PathElement::new(rows.to_vec(), BLUE.stroke_width(2))])?;
    chart.draw_series(rows.iter().map(|(warps, clocks)| {
        let size = if *warps == chosen { 6 } else { 3 };
        Circle::new((*warps, *clocks), size, BLUE.filled())
    }))?;
    area.present()?;
    Ok(())
}
