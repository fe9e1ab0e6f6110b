//! The Fortran module of a mechanism, and an example that calls its first kernel.

use super::{Interface, KernelInterface, Provenance, Species};
use super::{file_comment, prefix, units_text};
use crate::emit::cuda::glue::{Template, render};
use crate::emit::cuda::names::Namer;
use crate::graph::Units;
use serde::Serialize;

/// Fortran allows this many characters in a name; a number may still be added to it.
const LONGEST_NAME: usize = 58;

/// A module with the species and the launch functions, by way of `iso_c_binding`.
pub fn module(interface: &Interface, provenance: &Provenance) -> String {
    let prefix = prefix(interface).to_lowercase();
    let mut namer = Namer::default();
    let mut name = |hint: String| namer.name(&hint.to_lowercase().chars().take(LONGEST_NAME).collect::<String>());
    name(prefix.clone());
    let [count_constant, names_constant, weights_constant] =
        ["species", "species_names", "molecular_weights"].map(|what| name(format!("{prefix}_{what}")));
    for function in ["context", "context_create", "context_destroy"] {
        name(format!("{prefix}_{function}"));
    }
    let kernels = interface
        .kernels
        .iter()
        .map(|kernel| Function::new(kernel, name(format!("{}_launch", kernel.symbol))))
        .collect();
    let species = (1..).zip(&interface.species).map(|(row, species)| SpeciesLine {
        constant: name(format!("{prefix}_{}", species.name)),
        row,
        remark: format!(" ! {}", printable(&species.name)),
    });
    let species: Vec<SpeciesLine> = species.collect();
    let weight = |s: &Species| format!("{:?}_c_double", s.molecular_weight);
    let file = Module {
        comment: file_comment("!", "Kernels", &interface.mechanism, provenance),
        units: units_text(interface.units),
        count: interface.species.len(),
        name_length: interface.species.iter().map(|s| printable(&s.name).len()).max().unwrap_or(1).max(1),
        names: continued(interface.species.iter().map(|s| format!("'{}'", printable(&s.name).replace('\'', "''")))),
        weights: continued(interface.species.iter().map(weight)),
        prefix,
        species,
        count_constant,
        names_constant,
        weights_constant,
        kernels,
    };
    render(Template::Module, &file)
}

/// A program that calls the first kernel on a few points.
pub fn example(interface: &Interface, provenance: &Provenance) -> String {
    let prefix = prefix(interface).to_lowercase();
    let kernel = interface.kernels.first().expect("a compilation has kernels");
    let mut namer = Namer::reserving(["points", "context", "status", "check", "example", prefix.as_str()]);
    let arrays = kernel.arrays.iter().map(|a| ExampleArray {
        name: namer.name(&a.array.name),
        rows: a.array.rows,
        output: a.array.output,
        value: match (a.array.name.as_str(), interface.units) {
            (_, _) if a.array.output => String::new(),
            ("temperature", _) => "1500.0_c_double".into(),
            ("pressure", Units::Si) => "101325.0_c_double".into(),
            ("pressure", Units::Cgs) => "1013250.0_c_double".into(),
            ("mole_fractions", _) => format!("1.0_c_double / {}", a.array.rows),
            ("time_step", _) => "1.0e-8_c_double".into(),
            _ => "0.0_c_double".into(),
        },
    });
    let file = Example {
        comment: file_comment("!", "Example", &interface.mechanism, provenance),
        kernel: super::short_name(&kernel.symbol, &prefix).to_owned(),
        function: format!("{}_launch", kernel.symbol).to_lowercase(),
        points: 100,
        arrays: arrays.collect(),
        prefix,
    };
    render(Template::Example, &file)
}

#[derive(Serialize)]
struct Module {
    comment: String,
    prefix: String,
    units: &'static str,
    species: Vec<SpeciesLine>,
    count: usize,
    count_constant: String,
    names_constant: String,
    weights_constant: String,
    name_length: usize,
    names: String,
    weights: String,
    kernels: Vec<Function>,
}

#[derive(Serialize)]
struct SpeciesLine {
    constant: String,
    row: usize,
    remark: String,
}

#[derive(Serialize)]
struct Function {
    name: String,
    symbol: String,
    comment: String,
    arguments: String,
    declarations: String,
}

impl Function {
    fn new(kernel: &KernelInterface, name: String) -> Self {
        let mut namer = Namer::reserving(["context", "points", "stride", "stream", "status"]);
        let names: Vec<String> = kernel.arrays.iter().map(|a| namer.name(&a.array.name.to_lowercase())).collect();
        let arrays = kernel.arrays.iter().zip(&names).map(|(a, name)| {
            let direction = if a.array.output { "out" } else { "in " };
            format!("    !   {direction} {name}(stride, {}): {}, {}", a.array.rows, a.meaning, a.unit)
        });
        let comment: Vec<String> = [&kernel.summary, &format!("  {}", kernel.accuracy)]
            .map(|line| format!("    ! {line}"))
            .into_iter()
            .chain(arrays)
            .collect();
        Self {
            name,
            symbol: kernel.symbol.clone(),
            comment: comment.join("\n"),
            arguments: names.iter().map(|n| format!("        {n},")).collect::<Vec<_>>().join(" &\n"),
            declarations: names
                .iter()
                .map(|n| format!("      type(c_ptr), value :: {n}"))
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }
}

#[derive(Serialize)]
struct Example {
    comment: String,
    prefix: String,
    kernel: String,
    function: String,
    points: u32,
    arrays: Vec<ExampleArray>,
}

#[derive(Serialize)]
struct ExampleArray {
    name: String,
    rows: u32,
    output: bool,
    /// What an input is set to; empty for an output.
    value: String,
}

/// Items with commas, two to a line, as continued lines.
fn continued(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let lines: Vec<String> = items.chunks(2).map(|pair| format!("    {}", pair.join(", "))).collect();
    lines.join(", &\n")
}

/// Text without what could end a line or a literal in the wrong place.
fn printable(text: &str) -> String {
    text.chars().map(|c| if (' '..='~').contains(&c) && c != '&' { c } else { '_' }).collect()
}
