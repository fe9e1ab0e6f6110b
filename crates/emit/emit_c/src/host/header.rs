//! The C header of a mechanism (species, molecular weights, context, launch functions), the context's source, and the
//! C++ wrapper around the header.

use super::status::{Status, statuses};
use super::{Alias, ArrayInterface, Fact, Interface, KernelInterface, Provenance, Species};
use super::{facts, file_comment, prefix, short_name, string, units_text};
use crate::base::comment;
use crate::base::glue::{Template, render, render_in};
use crate::base::names::Namer;
use crate::base::parameters::{context_member, list, pointer};
use crate::base::tables::{real, wrapped};
use crate::base::wrap;
use kernels::Io;
use serde::Serialize;

/// The header file, valid in C and in C++.
pub fn header(interface: &Interface, provenance: &Provenance) -> String {
    wrap::lines(&render_in(interface.dialect, Template::Header, &File::new("Kernels", interface, provenance)))
}

/// The source of the context's functions.
pub fn context(interface: &Interface, provenance: &Provenance) -> String {
    let template = if interface.architecture.is_some() { Template::Context } else { Template::CpuContext };
    wrap::lines(&render_in(interface.dialect, template, &File::new("Context", interface, provenance)))
}

/// A C++ header around the C header.
pub fn wrapper(interface: &Interface, provenance: &Provenance) -> String {
    wrap::lines(&render(Template::Wrapper, &File::new("Kernels", interface, provenance)))
}

#[derive(Serialize)]
struct File {
    comment: String,
    guard: String,
    prefix: String,
    upper: String,
    /// Number that header and library share.
    abi: u32,
    species: Vec<SpeciesLine>,
    /// Facts for the preprocessor.
    macros: Vec<Macro>,
    statuses: [Status; 11],
    count_constant: String,
    count: usize,
    names: String,
    weights: String,
    element_count: usize,
    elements: String,
    atoms: String,
    units: &'static str,
    others: &'static str,
    memory: &'static str,
    numbers: &'static str,
    order: &'static str,
    kernels: Vec<Prototype>,
    aliases: Vec<AliasLines>,
    /// By kernel, where its output has several quantities.
    outputs: Vec<OutputRows>,
    /// By kernel, where its output is a matrix whose zeros are left out.
    patterns: Vec<PatternLines>,
}

/// The compressed columns of a matrix.
#[derive(Serialize)]
struct PatternLines {
    symbol: String,
    entries: usize,
    column_count: usize,
    column_starts: String,
    rows: String,
}

impl PatternLines {
    fn new(kernel: &KernelInterface) -> Self {
        let columns = kernel.pattern.last().map_or(0, |&(_, column)| column + 1);
        let start = |column: u32| kernel.pattern.partition_point(|&(_, other)| other < column);
        Self {
            symbol: kernel.symbol.clone(),
            entries: kernel.pattern.len(),
            column_count: columns as usize + 1,
            column_starts: wrapped((0..=columns).map(|column| start(column).to_string())),
            rows: wrapped(kernel.pattern.iter().map(|(row, _)| row.to_string())),
        }
    }
}

/// First rows of the quantities in a kernel's output.
#[derive(Serialize)]
struct OutputRows {
    symbol: String,
    rows: Vec<RowLine>,
}

#[derive(Serialize)]
struct RowLine {
    constant: String,
    first: u32,
    remark: String,
}

impl OutputRows {
    fn new(kernel: &KernelInterface, namer: &mut Namer) -> Self {
        let rows = kernel.rows.iter().map(|rows| RowLine {
            constant: namer.name(&format!("{}_{}", kernel.symbol, rows.name).replace('-', "_").to_uppercase()),
            first: rows.first,
            remark: format!("{}, {}", rows.meaning, rows.unit),
        });
        Self { symbol: kernel.symbol.clone(), rows: rows.collect() }
    }
}

impl File {
    fn new(what: &str, interface: &Interface, provenance: &Provenance) -> Self {
        let prefix = prefix(interface);
        let upper = prefix.to_uppercase();
        let mut namer = Namer::default();
        let count_constant = namer.name(&format!("{upper}_SPECIES"));
        let macros = facts(interface, provenance).into_iter().map(|(what, fact)| Macro {
            name: namer.name(&format!("{upper}_{what}")),
            value: match fact {
                Fact::Text(text) => string(&text),
                Fact::Number(number) => number.to_string(),
                Fact::Real(number) => real(number),
            },
        });
        let macros = macros.collect();
        let [others, memory, order] = match interface.architecture {
            Some(_) => [
                if interface.dialect.is_hip() {
                    "; a positive value is a hipError_t"
                } else {
                    "; a positive value is a cudaError_t"
                },
                "device memory",
                "Launches return at once; the work is ordered on the stream.",
            ],
            None => ["", "memory", "Launches return when the work is done; the stream means nothing."],
        };
        let species = interface.species.iter().map(|species| SpeciesLine::new(&mut namer, &upper, species)).collect();
        let outputs = interface.kernels.iter().filter(|kernel| !kernel.rows.is_empty());
        let outputs = outputs.map(|kernel| OutputRows::new(kernel, &mut namer)).collect();
        let patterns = interface.kernels.iter().filter(|kernel| !kernel.pattern.is_empty());
        Self {
            outputs,
            patterns: patterns.map(PatternLines::new).collect(),
            comment: file_comment("//", what, &interface.mechanism, provenance),
            guard: format!("SINGE_{upper}_H"),
            upper,
            abi: provenance.number(),
            species,
            macros,
            statuses: statuses(interface.dialect),
            count_constant,
            count: interface.species.len(),
            names: wrapped(interface.species.iter().map(|s| string(&s.name))),
            weights: wrapped(interface.species.iter().map(|s| real(s.molecular_weight))),
            element_count: interface.elements.len(),
            elements: wrapped(interface.elements.iter().map(|symbol| string(symbol))),
            atoms: wrapped(interface.species.iter().flat_map(|s| &s.atoms).map(|&count| real(count))),
            units: units_text(interface.units),
            others,
            memory,
            numbers: if interface.io == Io::Single { "hold floats, " } else { "" },
            order,
            kernels: interface.kernels.iter().map(|kernel| Prototype::new(kernel, &prefix)).collect(),
            aliases: interface.aliases.iter().filter_map(|a| AliasLines::new(a, &interface.kernels, &prefix)).collect(),
            prefix,
        }
    }
}

/// A launch function that calls that of the same kernel.
#[derive(Serialize)]
struct AliasLines {
    symbol: String,
    of: String,
    parameters: String,
    arguments: String,
}

impl AliasLines {
    fn new(alias: &Alias, kernels: &[KernelInterface], prefix: &str) -> Option<Self> {
        let kernel = kernels.iter().find(|kernel| kernel.symbol == alias.of)?;
        let own = Prototype::new(&KernelInterface { symbol: alias.symbol.clone(), ..kernel.clone() }, prefix);
        let arguments = own.method_arguments.replacen("handle_", "context", 1);
        Some(Self { symbol: own.symbol, of: alias.of.clone(), parameters: own.parameters, arguments })
    }
}

#[derive(Serialize)]
struct Macro {
    name: String,
    value: String,
}

#[derive(Serialize)]
struct SpeciesLine {
    constant: String,
    /// The species' own name, where the constant does not show it.
    remark: String,
}

impl SpeciesLine {
    fn new(namer: &mut Namer, upper: &str, species: &Species) -> Self {
        let constant = namer.name(&format!("{upper}_{}", species.name));
        let shown = constant.strip_prefix(upper).and_then(|c| c.strip_prefix('_')) == Some(&species.name);
        let remark = if shown { String::new() } else { format!(" {}", comment("", &species.name).trim_end()) };
        Self { constant, remark }
    }
}

#[derive(Serialize)]
struct Prototype {
    comment: String,
    summary: String,
    symbol: String,
    has_workspace: bool,
    /// The member of the context that belongs to the kernel.
    member: String,
    /// The parameters of the launch function.
    parameters: String,
    /// The method of the C++ wrapper: its name, its parameters, and what it passes on.
    method: String,
    method_parameters: String,
    method_arguments: String,
}

impl Prototype {
    fn new(kernel: &KernelInterface, prefix: &str) -> Self {
        let mut namer = Namer::reserving(["context", "points", "stride", "workspace", "stream", "handle_"]);
        let names: Vec<String> = kernel.arrays.iter().map(|a| namer.name(&a.array.name)).collect();
        let mut lines = vec![kernel.summary.clone(), format!("  {}", kernel.accuracy)];
        for (ArrayInterface { array, unit, meaning }, name) in kernel.arrays.iter().zip(&names) {
            let direction = if array.output { "out" } else { "in " };
            lines.push(format!("  {direction} {name}[{}][stride]: {meaning}, {unit}", array.rows));
        }
        let pointers: Vec<String> = kernel.arrays.iter().zip(&names).map(|(a, name)| pointer(&a.array, name)).collect();
        let owned = |texts: &[&str]| texts.iter().map(|&t| t.to_owned()).collect::<Vec<_>>();
        let context = [format!("const struct {prefix}_context *context")];
        let workspace = |text: &'static str| if kernel.has_workspace { vec![text] } else { vec![] };
        let sizes = owned(&[&["int points", "int stride"][..], &workspace("void *workspace")].concat());
        let streams = (owned(&["struct CUstream_st *stream"]), owned(&["struct CUstream_st *stream = nullptr"]));
        let parameters = [&context[..], &pointers, &sizes, &streams.0].concat();
        let method_parameters = [&pointers[..], &sizes, &streams.1].concat();
        let arguments = [
            &owned(&["handle_"])[..],
            &names,
            &owned(&["points", "stride"]),
            &owned(&workspace("workspace")),
            &owned(&["stream"]),
        ]
        .concat();
        let method = short_name(&kernel.symbol, prefix).to_owned();
        Self {
            comment: lines.iter().map(|line| comment("", line)).collect(),
            summary: kernel.summary.clone(),
            member: context_member(&kernel.symbol, prefix),
            parameters: list(kernel.symbol.len() + "int _launch(".len(), parameters.into_iter()),
            method_parameters: list(method.len() + "  void (".len(), method_parameters.into_iter()),
            method_arguments: list(kernel.symbol.len() + "    check(_launch(".len(), arguments.into_iter()),
            method,
            symbol: kernel.symbol.clone(),
            has_workspace: kernel.has_workspace,
        }
    }
}
