//! Work and precision of reactors as a picture, drawn from the rows of the page alone: the same page gives the same bytes.

use std::fmt::Write as _;

/// Programs, with the columns of their speed and error, the dashes of their lines and the radius of their marks.
const PROGRAMS: [(&str, usize, usize, &str, f64); 3] =
    [("Singe", 8, 10, "none", 3.5), ("CVODE", 5, 7, "7 3", 2.5), ("Cantera", 2, 4, "2 3", 2.5)];

const COLOURS: [&str; 4] = ["#1b6ca8", "#2e8b57", "#c77700", "#b03a48"];

/// Powers of ten at the ends of the axes: errors, reactors per second.
const ERRORS: [i32; 2] = [-9, -1];
const SPEEDS: [i32; 2] = [2, 6];

/// Left, right, top and bottom of the frame.
const FRAME: [f64; 4] = [70.0, 660.0, 20.0, 350.0];

/// The picture of a section of the page.
pub fn of_section(page: &str, section: &str) -> String {
    let rows = rows(page, section);
    let mut times: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    times.dedup();
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 400\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"820\" height=\"400\" fill=\"white\"/>\n",
    );
    axes(&mut svg);
    for (&time, colour) in times.iter().zip(COLOURS) {
        for (_, speed, error, dashes, radius) in PROGRAMS {
            let number = |row: &[&str], column: usize| row[column].parse::<f64>().ok();
            let own = rows.iter().filter(|row| row[0] == time);
            let points: Vec<(f64, f64)> =
                own.filter_map(|row| Some((number(row, error)?, number(row, speed)?))).collect();
            line(&mut svg, &points, colour, dashes, radius);
        }
    }
    legend(&mut svg, &times);
    svg + "</svg>\n"
}

/// The cells of the rows of a section.
pub fn rows<'p>(page: &'p str, section: &str) -> Vec<Vec<&'p str>> {
    page.lines()
        .skip_while(|line| line.strip_prefix("## ") != Some(section))
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.contains(" s | "))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn place(error: f64, speed: f64) -> (f64, f64) {
    let share = |x: f64, [first, last]: [i32; 2]| (x.log10() - f64::from(first)) / f64::from(last - first);
    let [left, right, top, bottom] = FRAME;
    (left + share(error, ERRORS) * (right - left), bottom - share(speed, SPEEDS) * (bottom - top))
}

/// Marks for all points, and a line through those that no other beats in both speed and error.
fn line(svg: &mut String, points: &[(f64, f64)], colour: &str, dashes: &str, radius: f64) {
    let mut best: Vec<(f64, f64)> = points
        .iter()
        .filter(|(error, speed)| !points.iter().any(|(e, s)| e <= error && s >= speed && (e, s) != (error, speed)))
        .copied()
        .collect();
    best.sort_by(|a, b| a.0.total_cmp(&b.0));
    let corners: Vec<String> =
        best.into_iter().map(|(error, speed)| place(error, speed)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>",
        corners.join(" ")
    );
    for (x, y) in points.iter().map(|&(error, speed)| place(error, speed)) {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>");
    }
}

fn axes(svg: &mut String) {
    let [left, right, top, bottom] = FRAME;
    let power = |n: i32| format!("10<tspan dy=\"-5\" font-size=\"10\">{n}</tspan>");
    for n in ERRORS[0]..=ERRORS[1] {
        let (x, _) = place(10f64.powi(n), 1e2);
        let _ = writeln!(svg, "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"368\" text-anchor=\"middle\">{}</text>", power(n));
    }
    for n in SPEEDS[0]..=SPEEDS[1] {
        let (_, y) = place(1e-9, 10f64.powi(n));
        let _ = writeln!(svg, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"62\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", y + 5.0, power(n));
    }
    svg.push_str("<text x=\"365\" y=\"392\" text-anchor=\"middle\">error (root mean square, relative)</text>\n");
    svg.push_str("<text transform=\"translate(18 185) rotate(-90)\" text-anchor=\"middle\">reactors per second of a core</text>\n");
}

fn legend(svg: &mut String, times: &[&str]) {
    svg.push_str("<text x=\"690\" y=\"116\">advanced over</text>\n");
    for (k, (name, _, _, dashes, radius)) in (0..).zip(PROGRAMS) {
        let y = 40 + 22 * k;
        let _ = writeln!(
            svg,
            "<path d=\"M680 {y}h40\" stroke=\"#333\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\
             <circle cx=\"700\" cy=\"{y}\" r=\"{radius}\" fill=\"#333\"/><text x=\"728\" y=\"{}\">{name}</text>",
            y + 4
        );
    }
    for (k, (time, colour)) in (0..).zip(times.iter().zip(COLOURS)) {
        let y = 130 + 22 * k;
        let _ = writeln!(
            svg,
            "<rect x=\"690\" y=\"{}\" width=\"20\" height=\"8\" fill=\"{colour}\"/><text x=\"728\" y=\"{}\">{time}</text>",
            y - 4,
            y + 4
        );
    }
}
