//! The Fortran module of a mechanism, and an example that calls its first kernel.

use super::status::statuses;
use super::{ArrayInterface, Fact, Interface, KernelInterface, Provenance, Species};
use super::{facts, file_comment, prefix, units_text};
use crate::base::glue::{Template, render_in};
use crate::base::names::Namer;
use graph::Units;
use serde::Serialize;

/// Fortran allows this many characters in a name; a number may still be added to it.
pub(crate) const LONGEST_NAME: usize = 58;

/// Length of a long project name's part that begins Fortran's names: the name of each kernel still fits behind it.
const LONGEST_PREFIX: usize = 27;

/// A module with the species and the launch functions, by way of `iso_c_binding`.
pub fn module(interface: &Interface, provenance: &Provenance) -> String {
    let prefix = prefix(interface);
    let short = fortran_prefix(&prefix);
    let mut namer = Namer::default();
    let mut name = |hint: String| namer.name(&hint.to_lowercase().chars().take(LONGEST_NAME).collect::<String>());
    let names = Names {
        module: name(short.clone()),
        count: name(format!("{short}_species")),
        species_names: name(format!("{short}_species_names")),
        molecular_weights: name(format!("{short}_molecular_weights")),
        mole_from_mass: name(format!("{short}_mole_from_mass")),
        mass_from_mole: name(format!("{short}_mass_from_mole")),
        context_create: name(format!("{short}_context_create")),
        context_destroy: name(format!("{short}_context_destroy")),
        status_text: name(format!("{short}_status_text")),
        c_status_text: name(format!("{short}_c_status_text")),
        c_length: name(format!("{short}_c_length")),
        c_context_create: name(format!("{short}_c_context_create")),
        c_abi: name(format!("{short}_c_abi")),
    };
    let statuses = statuses(interface.dialect).into_iter().map(|status| Constant {
        ty: "integer(c_int)",
        name: name(format!("{short}_{}", status.name)),
        value: status.value.to_string(),
    });
    let statuses: Vec<Constant> = statuses.collect();
    let other_library = statuses.iter().find(|status| status.name.ends_with("_other_library"));
    let other_library = other_library.map_or_else(String::new, |status| status.name.clone());
    let facts = facts(interface, provenance).into_iter().map(|(what, fact)| {
        let (ty, value) = match fact {
            Fact::Text(text) => ("character(len=*)", text_literal(&text)),
            Fact::Number(number) => ("integer", number.to_string()),
            Fact::Real(number) => ("real(c_double)", format!("{number:?}_c_double")),
        };
        Constant { ty, name: name(format!("{short}_{what}")), value }
    });
    let facts = facts.collect();
    let kernels = interface.kernels.iter().map(|kernel| {
        let hint = |what: &str| format!("{short}_{}_{what}", super::short_name(&kernel.symbol, &prefix));
        let workspace = if kernel.has_workspace { name(hint("workspace")) } else { String::new() };
        Function::new(kernel, name(hint("launch")), workspace)
    });
    let kernels = kernels.collect();
    let rows = interface.kernels.iter().flat_map(|kernel| kernel.rows.iter().map(move |rows| (kernel, rows)));
    let rows = rows.map(|(kernel, rows)| SpeciesLine {
        constant: name(
            format!("{short}_{}_{}", super::short_name(&kernel.symbol, &prefix), rows.name).replace('-', "_"),
        ),
        row: rows.first as usize + 1,
        remark: format!(" ! {}, {}", rows.meaning, rows.unit),
    });
    let rows: Vec<SpeciesLine> = rows.collect();
    let species = (1..).zip(&interface.species).map(|(row, species)| SpeciesLine {
        constant: name(format!("{short}_{}", species.name)),
        row,
        remark: format!(" ! {}", printable(&species.name)),
    });
    let species: Vec<SpeciesLine> = species.collect();
    let weight = |s: &Species| format!("{:?}_c_double", s.molecular_weight);
    let file = Module {
        comment: file_comment("!", "Kernels", &interface.mechanism, provenance),
        header: format!("{prefix}.h"),
        units: units_text(interface.units),
        count: interface.species.len(),
        name_length: interface.species.iter().map(|s| printable(&s.name).len()).max().unwrap_or(1).max(1),
        species_names: continued(interface.species.iter().map(|s| text_literal(&s.name))),
        weights: continued(interface.species.iter().map(weight)),
        prefix,
        names,
        abi: provenance.number(),
        other_library,
        facts,
        statuses,
        species,
        rows,
        kernels,
    };
    render_in(interface.dialect, Template::Module, &file)
}

/// Returns the beginning of Fortran's names.
pub(crate) fn fortran_prefix(prefix: &str) -> String {
    prefix.to_lowercase().chars().take(LONGEST_PREFIX).collect::<String>().trim_end_matches('_').to_owned()
}

/// A program that calls the first kernel on a few points.
pub fn example(interface: &Interface, provenance: &Provenance) -> String {
    let full = prefix(interface);
    let prefix = fortran_prefix(&full);
    let kernel = interface.kernels.first().expect("a compilation has kernels");
    let reserved = ["points", "context", "status", "check", "example", "workspace", "bytes", prefix.as_str()];
    let mut namer = Namer::reserving(reserved);
    let kind = interface.io.fortran_kind();
    let number = |x: &str| format!("{x}_{kind}");
    let share = |x: &str, a: &ArrayInterface| format!("{} / {}", number(x), a.array.rows);
    let arrays = kernel.arrays.iter().map(|a| ExampleArray {
        name: namer.name(&a.array.name),
        rows: a.array.rows,
        output: a.array.output,
        value: match (a.array.name.as_str(), interface.units) {
            (_, _) if a.array.output => String::new(),
            ("temperature", _) => number("1500.0"),
            ("pressure", Units::Si) => number("101325.0"),
            ("pressure", Units::Cgs) => number("1013250.0"),
            ("density", Units::Si) => number("0.2"),
            ("density", Units::Cgs) => number("0.0002"),
            ("mole_fractions" | "mass_fractions", _) => share("1.0", a),
            ("concentrations", Units::Si) => share("0.008", a),
            ("concentrations", Units::Cgs) => share("8.0e-6", a),
            ("time_step", _) => number("1.0e-8"),
            _ => number("0.0"),
        },
    });
    let file = Example {
        comment: file_comment("!", "Example", &interface.mechanism, provenance),
        kernel: super::short_name(&kernel.symbol, &full).to_owned(),
        function: format!("{prefix}_{}_launch", super::short_name(&kernel.symbol, &full)).to_lowercase(),
        workspace: match kernel.has_workspace {
            true => format!("{prefix}_{}_workspace", super::short_name(&kernel.symbol, &full)).to_lowercase(),
            false => String::new(),
        },
        points: 100,
        kind,
        arrays: arrays.collect(),
        prefix,
    };
    render_in(
        interface.dialect,
        if interface.architecture.is_some() { Template::Example } else { Template::CpuExample },
        &file,
    )
}

#[derive(Serialize)]
struct Module {
    comment: String,
    /// In C.
    prefix: String,
    header: String,
    units: &'static str,
    names: Names,
    /// Number that module and library share, and the status where they do not.
    abi: u32,
    other_library: String,
    facts: Vec<Constant>,
    statuses: Vec<Constant>,
    species: Vec<SpeciesLine>,
    /// First rows of quantities.
    rows: Vec<SpeciesLine>,
    count: usize,
    name_length: usize,
    species_names: String,
    weights: String,
    kernels: Vec<Function>,
}

/// Names of the module that there is one of.
#[derive(Serialize)]
struct Names {
    module: String,
    count: String,
    species_names: String,
    molecular_weights: String,
    mole_from_mass: String,
    mass_from_mole: String,
    context_create: String,
    context_destroy: String,
    status_text: String,
    c_status_text: String,
    c_length: String,
    c_context_create: String,
    c_abi: String,
}

#[derive(Serialize)]
struct Constant {
    #[serde(rename = "type")]
    ty: &'static str,
    name: String,
    value: String,
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
    /// The name of the function that tells the size of the workspace; empty where there is none.
    workspace: String,
    symbol: String,
    comment: String,
    arguments: String,
    declarations: String,
}

impl Function {
    fn new(kernel: &KernelInterface, name: String, workspace: String) -> Self {
        let mut namer = Namer::reserving(["context", "points", "stride", "workspace", "stream", "status"]);
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
            workspace,
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
    /// The function that tells the size of the workspace; empty where there is none.
    workspace: String,
    points: u32,
    kind: &'static str,
    arrays: Vec<ExampleArray>,
}

#[derive(Serialize)]
struct ExampleArray {
    name: String,
    rows: u32,
    output: bool,
    /// Value of an input; empty for an output.
    value: String,
}

/// Items with commas, two to a line, as continued lines.
pub(crate) fn continued(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let lines: Vec<String> = items.chunks(2).map(|pair| format!("    {}", pair.join(", "))).collect();
    lines.join(", &\n")
}

/// A literal of a text.
pub(crate) fn text_literal(text: &str) -> String {
    format!("'{}'", printable(text).replace('\'', "''"))
}

/// Text without what could end a line or a literal in the wrong place.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if (' '..='~').contains(&c) && c != '&' { c } else { '_' }).collect()
}
