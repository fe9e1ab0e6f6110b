//! Slots over the number of species: a fit and a picture.

use std::fmt::Write as _;

use kernels::{Form, Kernel};
use plotters::prelude::*;

use crate::KERNELS;

/// Slots as a power of the number of species, by least squares of the logarithms from dme upwards.
pub fn fits(growth: &[(Kernel, Form, f64, f64)]) -> String {
    let mut text = String::from(
        "
## Growth with the number of species

slots ~ a N^b by least squares of the logarithms over the mechanisms of 30 species and more. ![slots](forms.svg)

| kernel | form | a | b |
|---|---|---|---|
",
    );
    for kernel in KERNELS {
        for form in Form::allowed(kernel, Some(1e-4)) {
            let points: Vec<(f64, f64)> = growth
                .iter()
                .filter(|g| (g.0, g.1) == (kernel, form) && g.2 >= 30.0)
                .map(|g| (g.2.ln(), g.3.ln()))
                .collect();
            let n = points.len() as f64;
            let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
            let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
                / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
            let line = format!("| {kernel} | {form} | {:.2} | {slope:.2} |", (my - slope * mx).exp());
            println!("{line}");
            writeln!(text, "{line}").expect("a string");
        }
    }
    text
}

/// Slots over species, both logarithmic: viscosity and diffusion.
pub fn plot(growth: &[(Kernel, Form, f64, f64)]) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 560)).into_drawing_area();
        area.fill(&WHITE).expect("a string takes every picture");
        let mut chart = ChartBuilder::on(&area)
            .caption("Double-precision slots per point over the number of species", ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .build_cartesian_2d((10f64..800f64).log_scale(), (200f64..2e7f64).log_scale())
            .expect("a chart");
        chart.configure_mesh().x_desc("species").y_desc("slots").draw().expect("a mesh");
        let mut series = 0;
        for kernel in KERNELS {
            for form in Form::allowed(kernel, Some(1e-4)) {
                let mut points: Vec<(f64, f64)> =
                    growth.iter().filter(|g| (g.0, g.1) == (kernel, form)).map(|g| (g.2, g.3)).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let color = Palette99::pick(series).to_rgba();
                series += 1;
                chart
                    .draw_series([PathElement::new(points, color.stroke_width(2))])
                    .expect("a line")
                    .label(format!("{kernel}, {form}"))
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
            }
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.8))
            .draw()
            .expect("labels");
        area.present().expect("a string");
    }
    svg
}
