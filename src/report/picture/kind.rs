//! What operations are, and the colours of these kinds: the same ones in every layout of every kernel.

use crate::graph::{Graph, Part, StepRef};

/// The kinds of operations, those of a kernel near each other: neighbours get hues far apart.
const KINDS: [&str; 44] = [
    // all kernels
    "temperature",
    "clamp",
    "mole",
    "mass",
    "amount",
    "scale",
    // transport
    "species",
    "mixture",
    "row",
    "rows",
    "products",
    "block",
    "columns",
    "total",
    "properties",
    "numerator",
    "numerators",
    "nearly",
    "core",
    "factor",
    "rest",
    "weight",
    // chemistry
    "gibbs",
    "reaction",
    "production",
    "log",
    "power",
    "third",
    "concentration",
    "rate",
    "progress",
    "stiffness",
    "broadening",
    "destruction",
    "pivot",
    "share",
    "ratio",
    // rates of change and derivatives
    "derivative",
    "derivatives",
    "slope",
    "formation",
    "enthalpy",
    "excess",
    "heat",
];

/// The first word of the operation's name; `OH by H2` is a derivative.
pub fn kind(graph: &Graph, at: StepRef) -> &str {
    let name = &graph.ops[at.op].name;
    if name.contains(" by ") {
        return "derivative";
    }
    name.split([' ', ',']).next().unwrap_or_default()
}

/// A kind, and which part of the operation.
pub fn kind_and_part(graph: &Graph, at: StepRef) -> String {
    let word = kind(graph, at);
    match part(graph, at) {
        "" => word.to_owned(),
        part => format!("{word} ({part})"),
    }
}

/// Of an operation that accumulates; empty for others.
pub fn part(graph: &Graph, at: StepRef) -> &'static str {
    match at.part {
        Part::Iteration(_) => "iterations",
        Part::Prologue | Part::Epilogue if graph.ops[at.op].iterations.is_empty() => "",
        Part::Prologue => "prologue",
        Part::Epilogue => "epilogue",
    }
}

/// In SVG's words: a hue for each kind, lighter for prologues and darker for epilogues.
pub fn color(kind: &str, part: &str) -> String {
    let at = KINDS.iter().position(|known| *known == kind).unwrap_or_else(|| spread(kind));
    // The golden ratio keeps hues of neighbours far apart, for any number of them.
    let hue = (at as f64 * 0.618_034 + 0.58) % 1.0 * 360.0;
    let saturation = [70, 45, 85][at % 3];
    let lightness = match part {
        "prologue" => 78,
        "epilogue" => 36,
        _ => [57, 50, 64][at % 3],
    };
    format!("hsl({hue:.0},{saturation}%,{lightness}%)")
}

/// A place beyond the list, always the same for a word.
fn spread(word: &str) -> usize {
    let sum = word.bytes().fold(0usize, |sum, byte| (sum * 31 + usize::from(byte)) % 1009);
    KINDS.len() + sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_look_alike() {
        let mut colors: Vec<String> =
            KINDS.iter().flat_map(|kind| ["", "prologue", "epilogue"].map(|part| color(kind, part))).collect();
        colors.sort_unstable();
        let all = colors.len();
        colors.dedup();
        assert_eq!(colors.len(), all);
    }

    #[test]
    fn an_unknown_kind_keeps_its_color() {
        assert_eq!(color("mystery", ""), color("mystery", ""));
        assert_ne!(color("mystery", ""), color("riddle", ""));
    }
}
