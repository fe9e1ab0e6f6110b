//! The few elements of SVG that the pictures are made of, each with the text that a pointer shows.

/// Colours of pictures of the class `singe` on a dark ground, as CSS.
pub const DARK: &str =
    "@media(prefers-color-scheme:dark){.singe{color:#e6e6e6}.singe .ground{fill:#1b1e22}.singe .faint{fill:#3a3f45}}";

pub type Point = (f64, f64);

/// The colour of texts and lines: dark on a light ground, light on a dark one.
pub const INK: &str = "currentColor";
/// The colour of the ground.
pub const GROUND: &str = "ground";
/// A grey that stands back from the ground.
pub const FAINT: &str = "faint";

pub struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    /// The whole file.
    pub fn finish(self) -> String {
        let Self { body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"singe\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" color=\"#1a1a1a\" fill=\"currentColor\">\n<style>{DARK}</style>\n<rect width=\"{width}\" \
             height=\"{height}\" {}/>\n{body}</svg>\n",
            painted(GROUND)
        )
    }

    pub fn text(&mut self, (x, y): Point, size: u32, anchor: &str, text: &str) {
        let text = escaped(text);
        self.body +=
            &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>\n");
    }

    pub fn rectangle(&mut self, (x, y): Point, (w, h): Point, fill: &str, tip: Option<&str>) {
        let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"");
        self.element("rect", &format!("{place} {}", painted(fill)), tip);
    }

    pub fn line(&mut self, (x1, y1): Point, (x2, y2): Point, stroke: &str, tip: Option<&str>) {
        let place = format!("x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"");
        self.element("line", &format!("{place} stroke=\"{stroke}\""), tip);
    }

    /// A line with a point at its end.
    pub fn arrow(&mut self, (x1, y1): Point, (x2, y2): Point, tip: Option<&str>) {
        let path = format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}");
        self.element("path", &format!("d=\"{path}\" stroke=\"{INK}\" stroke-width=\"1.2\" fill=\"none\""), tip);
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = dx.hypot(dy).max(1e-9);
        let (dx, dy) = (dx / length, dy / length);
        let side = |turn: f64| (x2 - 6.0 * dx - turn * 2.5 * dy, y2 - 6.0 * dy + turn * 2.5 * dx);
        let ((ax, ay), (bx, by)) = (side(1.0), side(-1.0));
        self.element("path", &format!("d=\"M{x2:.1} {y2:.1}L{ax:.1} {ay:.1}L{bx:.1} {by:.1}z\""), tip);
    }

    pub fn dot(&mut self, (x, y): Point, fill: &str, tip: Option<&str>) {
        let place = format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"");
        self.element("circle", &format!("{place} stroke=\"{INK}\" {}", painted(fill)), tip);
    }

    /// Many rectangles of one colour: left, top, width and height of each.
    pub fn rectangles(&mut self, all: &[(f64, f64, f64, f64)], fill: &str, tip: &str) {
        let piece = |(x, y, w, h): &(f64, f64, f64, f64)| format!("M{x:.1} {y:.1}h{w:.1}v{h:.1}h-{w:.1}z");
        let path: String = all.iter().map(piece).collect();
        self.element("path", &format!("d=\"{path}\" fill=\"{fill}\""), Some(tip));
    }

    fn element(&mut self, name: &str, attributes: &str, tip: Option<&str>) {
        self.body += &match tip {
            None => format!("<{name} {attributes}/>\n"),
            Some(tip) => format!("<{name} {attributes}><title>{}</title></{name}>\n", escaped(tip)),
        };
    }
}

/// The attributes that fill an element. A name of ours is a class, too, so that a dark ground may have another colour.
fn painted(fill: &str) -> String {
    match fill {
        GROUND => "class=\"ground\" fill=\"#fff\"".to_owned(),
        FAINT => "class=\"faint\" fill=\"#e9e9e4\"".to_owned(),
        fill => format!("fill=\"{fill}\""),
    }
}

/// A plain text as HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
