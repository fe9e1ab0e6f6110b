//! A picture of the table of versions: for each mechanism and kernel, how long the fastest warp-specialized version takes beside the fastest data-parallel one.

use std::collections::BTreeMap;

use plotters::prelude::*;

/// Ends of the axis of ratios, which is logarithmic. Names stand where no ratio is.
const RATIOS: std::ops::Range<f64> = 0.1..16.0;
const ROW: u32 = 19;

/// A line of the picture: its ratios by target.
type Ratios<'a> = BTreeMap<&'a str, f64>;

/// Returns an SVG of the ratios, which stand in the last cells but one of the rows; `targets` in the order of their colors.
///
/// Errors: the picture cannot be drawn.
pub fn ratios(rows: &str, targets: &[&str]) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, &lines(rows), targets).map_err(|e| format!("the picture cannot be drawn: {e}"))?;
    Ok(svg)
}

/// Returns the lines, those of a mechanism together. Rows in which one kind was not timed have no ratio.
fn lines(rows: &str) -> Vec<(String, Ratios<'_>)> {
    let mut lines: Vec<(String, Ratios)> = Vec::new();
    for row in rows.lines() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [mechanism, target, kernel, .., ratio, _commit] = cells[..] else { continue };
        let Ok(ratio) = ratio.parse() else { continue };
        let name = format!("{mechanism}: {kernel}");
        match lines.iter_mut().find(|line| line.0 == name) {
            Some(line) => _ = line.1.insert(target, ratio),
            None => lines.push((name, BTreeMap::from([(target, ratio)]))),
        }
    }
    let begins = |name: &str| name.split_once(':').and_then(|(mechanism, _)| rows.find(&format!("| {mechanism} |")));
    lines.sort_by_key(|line| begins(&line.0));
    lines
}

fn draw(svg: &mut String, lines: &[(String, Ratios)], targets: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let below = lines.len() as f64;
    let area = SVGBackend::with_string(svg, (860, 100 + ROW * lines.len() as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Warp-specialized over data-parallel time, modelled", ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(40)
        .build_cartesian_2d(RATIOS.log_scale(), -below..0.0)?;
    chart.configure_mesh().disable_y_axis().disable_y_mesh().x_desc("below 1 warp specialization is faster").draw()?;
    chart.draw_series([PathElement::new([(1.0, 0.0), (1.0, -below)], BLACK)])?;
    for (row, (name, _)) in lines.iter().enumerate() {
        chart.draw_series([Text::new(name.clone(), (RATIOS.start, -0.2 - row as f64), ("sans-serif", 13))])?;
    }
    for (index, target) in targets.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let points = lines.iter().enumerate().filter_map(|(row, line)| Some((*line.1.get(target)?, -0.5 - row as f64)));
        chart
            .draw_series(points.map(|at| Circle::new(at, 4, color.filled())))?
            .label(*target)
            .legend(move |at| Circle::new(at, 4, color.filled()));
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperRight).background_style(WHITE).draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{lines, ratios};

    const ROWS: &str = "| a | hopper | chemistry | x | 0.80 | c |\n| a | kepler | chemistry | x | 1.25 | c |\n| a | kepler | diffusion | x | – | c |\n";

    #[test]
    fn a_line_has_the_ratios_of_its_targets() {
        let lines = lines(ROWS);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].0, "a: chemistry");
        assert_eq!(
            lines[0].1.iter().map(|(target, ratio)| (*target, *ratio)).collect::<Vec<_>>(),
            [("hopper", 0.8), ("kepler", 1.25)]
        );
    }

    #[test]
    fn every_ratio_has_a_circle() {
        let svg = ratios(ROWS, &["kepler", "hopper"]).unwrap();
        assert_eq!(svg.matches("<circle").count(), 4, "two ratios and two entries of the legend");
    }
}
