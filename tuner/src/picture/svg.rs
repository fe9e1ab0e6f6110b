//! An SVG document, element by element.

use std::fmt::Write as _;

use toolkit::picture::svg::{DARK, escaped};

pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// `anchor`: start, middle or end.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: &str, text: &str) {
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(text)));
    }

    /// A text in a colour of its own.
    pub fn label(&mut self, (x, y): (f64, f64), fill: &str, text: &str) {
        let text = escaped(text);
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{fill}\">{text}</text>"));
    }

    /// A text that runs upwards.
    pub fn upwards(&mut self, (x, y): (f64, f64), text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 {x:.1} {y:.1})\">{text}</text>"
        ));
    }

    pub fn line(&mut self, points: &[(f64, f64)], stroke: &str, width: f64) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.add(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
        ));
    }

    /// A candidate's mark; the best one is larger and has a ring.
    pub fn mark(&mut self, (x, y): (f64, f64), radius: f64, fill: &str, is_best: bool, tip: &str) {
        let ring = if is_best { " stroke=\"currentColor\" stroke-width=\"1.6\"" } else { "" };
        let (radius, tip) = (if is_best { 4.5 } else { radius }, escaped(tip));
        self.add(format_args!(
            "<circle class=\"candidate\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\"{ring}><title>{tip}</title></circle>"
        ));
    }

    pub fn cell(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str, tip: &str) {
        let tip = escaped(tip);
        self.add(format_args!(
            "<rect class=\"cell\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\" \
             stroke=\"#fff\"><title>{tip}</title></rect>"
        ));
    }

    /// Names with their colours, from left to right.
    pub fn legend(&mut self, (x, y): (f64, f64), entries: &[(&str, &str)]) {
        let mut x = x;
        for (name, colour) in entries {
            self.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>",
                y - 9.0
            ));
            self.text((x + 15.0, y), "start", name);
            x += 35.0 + 7.0 * name.chars().count() as f64;
        }
    }

    pub fn finish(self) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"singe\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             font-family=\"sans-serif\" font-size=\"12\" color=\"#1a1a1a\" fill=\"currentColor\">\n<style>{DARK}</style>\n<rect class=\"ground\" width=\"100%\" \
             height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
        )
    }

    fn add(&mut self, element: std::fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}
