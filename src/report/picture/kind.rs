//! Kinds of operations, and their colours: the same ones in every layout of every kernel.

use graph::{Graph, Part, StepRef};

/// The colour of each kind as red, green and blue. Kinds that no kernel has together may share one.
const COLORS: [(&str, [u8; 3]); 45] = [
    // all kernels
    ("scalars", GREY),
    ("temperature", NAVY),
    ("clamp", LIME),
    ("mole", OLIVE),
    ("mass", TEAL),
    ("amount", SAND),
    ("scale", MAGENTA),
    // transport
    ("species", GREEN),
    ("mixture", RED),
    ("row", CYAN),
    ("rows", YELLOW),
    ("products", MAUVE),
    ("block", ORANGE),
    ("columns", ORANGE),
    ("total", PINK),
    ("properties", BLUE),
    ("numerator", VIOLET),
    ("numerators", VIOLET),
    ("nearly", BROWN),
    ("core", BLUE),
    ("factor", BROWN),
    ("rest", MAUVE),
    ("weight", CRIMSON),
    // chemistry
    ("gibbs", BROWN),
    ("reaction", VIOLET),
    ("production", TEAL),
    ("log", CRIMSON),
    ("power", BLUE),
    ("third", YELLOW),
    ("concentration", ORANGE),
    ("rate", CYAN),
    ("scaled", PINE),
    ("progress", MAUVE),
    ("stiffness", RED),
    ("broadening", SAND),
    ("destruction", OLIVE),
    ("pivot", PINK),
    ("share", LIME),
    ("ratio", MAGENTA),
    // rates of change and derivatives
    ("derivative", CYAN),
    ("derivatives", SAND),
    ("slope", MAUVE),
    ("formation", PINE),
    ("enthalpy", OLIVE),
    ("excess", PINK),
];

const GREY: [u8; 3] = [128, 128, 128];
const NAVY: [u8; 3] = [47, 75, 124];
const BLUE: [u8; 3] = [78, 136, 199];
const CYAN: [u8; 3] = [23, 190, 222];
const TEAL: [u8; 3] = [96, 178, 170];
const PINE: [u8; 3] = [0, 105, 92];
const GREEN: [u8; 3] = [76, 155, 69];
const LIME: [u8; 3] = [160, 214, 60];
const OLIVE: [u8; 3] = [140, 140, 42];
const YELLOW: [u8; 3] = [240, 205, 65];
const SAND: [u8; 3] = [222, 184, 135];
const ORANGE: [u8; 3] = [242, 142, 43];
const BROWN: [u8; 3] = [146, 100, 70];
const RED: [u8; 3] = [228, 87, 86];
const CRIMSON: [u8; 3] = [165, 20, 60];
const PINK: [u8; 3] = [255, 157, 180];
const MAGENTA: [u8; 3] = [214, 47, 160];
const MAUVE: [u8; 3] = [176, 122, 175];
const VIOLET: [u8; 3] = [112, 86, 205];

/// The kind of a step's operation.
pub fn kind(graph: &Graph, at: StepRef) -> &str {
    kind_of(&graph.ops[at.op].name)
}

/// The first word of an operation's name; `OH by H2` is a derivative.
pub fn kind_of(name: &str) -> &str {
    if name.contains(" by ") {
        return "derivative";
    }
    let word = name.split([' ', ',']).next().unwrap_or_default();
    // `f0`, `f1` and so on are of one kind.
    let trimmed = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if trimmed.is_empty() { word } else { trimmed }
}

/// A kind, and which part of the operation.
pub fn kind_and_part(graph: &Graph, at: StepRef) -> String {
    let word = kind(graph, at);
    match part(graph, at) {
        "" => word.to_owned(),
        part => format!("{word} ({part})"),
    }
}

/// Returns the part of an operation that accumulates; empty for others.
pub fn part(graph: &Graph, at: StepRef) -> &'static str {
    match at.part {
        Part::Iteration(_) => "iterations",
        Part::Prologue | Part::Epilogue if graph.ops[at.op].iterations.is_empty() => "",
        Part::Prologue => "prologue",
        Part::Epilogue => "epilogue",
    }
}

/// Returns a colour in SVG's words; prologues are lighter and epilogues darker.
pub fn color(kind: &str, part: &str) -> String {
    let base = COLORS.iter().find(|known| known.0 == kind).map_or_else(|| spread(kind), |known| known.1);
    let mixed = base.map(|channel| match part {
        "prologue" => 255 - (255 - channel) / 2,
        "epilogue" => channel / 3 * 2,
        _ => channel,
    });
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

/// Returns the colour of a kind that is not in the list: always the same.
fn spread(kind: &str) -> [u8; 3] {
    let sum = kind.bytes().fold(7u32, |sum, byte| (sum * 31 + u32::from(byte)) % 65_521);
    [sum % 151, sum / 151 % 149, sum / 7 % 139].map(|part| 60 + part as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_three_shades() {
        assert_eq!(
            ["prologue", "iterations", "epilogue"].map(|part| color("row", part)),
            ["#8bdfef", "#17bede", "#0e7e94"]
        );
        assert_eq!(color("row", ""), color("row", "iterations"));
    }

    #[test]
    fn no_kind_is_listed_twice() {
        let mut names = COLORS.map(|known| known.0).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLORS.len());
    }

    #[test]
    fn an_unknown_kind_keeps_its_color() {
        assert_eq!(color("mystery", ""), color("mystery", ""));
        assert_ne!(color("mystery", ""), color("riddle", ""));
    }
}
