//! The C header of a mechanism: species, molecular weights and the launch functions of its kernels.

use super::Provenance;
use super::body::comment;
use super::glue::{Template, render};
use super::kernel::{list, pointer};
use super::names::{Namer, identifier};
use super::tables::{real, wrapped};
use crate::emit::program::Array;
use serde::Serialize;

/// What a host code must know of a mechanism and its kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// The mechanism's name, such as `gri30`: the prefix of every name in the header.
    pub mechanism: String,
    /// In the order of the rows of species arrays; at least one.
    pub species: Vec<Species>,
    pub kernels: Vec<KernelInterface>,
}

/// A species as host codes see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Species {
    pub name: String,
    /// kg/kmol
    pub molecular_weight: f64,
}

/// One launch function.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelInterface {
    /// The symbol of the kernel; its launch function is called `SYMBOL_launch`.
    pub symbol: String,
    /// What it computes, in a sentence.
    pub summary: String,
    /// In the order of the arguments.
    pub arrays: Vec<ArrayInterface>,
}

/// An argument with its documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayInterface {
    pub array: Array,
    /// Such as `mol/m^3/s`; `1` where there is none.
    pub unit: String,
    /// Such as `net production rate of each species`.
    pub meaning: String,
}

/// The header file, valid in C and in C++.
pub fn header(interface: &Interface, provenance: &Provenance) -> String {
    let prefix = identifier(&interface.mechanism);
    let upper = prefix.to_uppercase();
    let mut namer = Namer::default();
    let count_constant = namer.name(&format!("{upper}_SPECIES"));
    let species = interface.species.iter().map(|species| SpeciesLine::new(&mut namer, &upper, species)).collect();
    let file = File {
        comment: file_comment(interface, provenance),
        guard: format!("SINGE_{upper}_H"),
        prefix,
        species,
        count_constant,
        count: interface.species.len(),
        names: wrapped(interface.species.iter().map(|s| string(&s.name))),
        weights: wrapped(interface.species.iter().map(|s| real(s.molecular_weight))),
        kernels: interface.kernels.iter().map(Prototype::new).collect(),
    };
    render(Template::Header, &file)
}

#[derive(Serialize)]
struct File {
    comment: String,
    guard: String,
    prefix: String,
    species: Vec<SpeciesLine>,
    count_constant: String,
    count: usize,
    names: String,
    weights: String,
    kernels: Vec<Prototype>,
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
    symbol: String,
    parameters: String,
}

impl Prototype {
    fn new(kernel: &KernelInterface) -> Self {
        let mut namer = Namer::reserving(["points", "stride", "stream"]);
        let names: Vec<String> = kernel.arrays.iter().map(|a| namer.name(&a.array.name)).collect();
        let mut lines = vec![kernel.summary.clone()];
        for (ArrayInterface { array, unit, meaning }, name) in kernel.arrays.iter().zip(&names) {
            let direction = if array.output { "out" } else { "in " };
            lines.push(format!("  {direction} {name}[{}][stride]: {meaning}, {unit}", array.rows));
        }
        let pointers = kernel.arrays.iter().zip(&names).map(|(a, name)| pointer(&a.array, name));
        let rest = ["int points", "int stride", "struct CUstream_st *stream"].map(str::to_owned);
        Self {
            comment: lines.iter().map(|line| comment("", line)).collect(),
            symbol: kernel.symbol.clone(),
            parameters: list(kernel.symbol.len() + "int _launch(".len(), pointers.chain(rest)),
        }
    }
}

fn file_comment(interface: &Interface, provenance: &Provenance) -> String {
    let mut lines = vec![
        format!("Kernels of {}, made by singe {}", interface.mechanism, env!("CARGO_PKG_VERSION")),
        String::from("\n"),
    ];
    lines.extend(provenance.lines());
    lines.iter().map(|line| comment("", line)).collect()
}

/// A C string literal of any text.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            // A question mark may begin a trigraph.
            b'"' | b'\\' | b'?' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            // Three octal digits, always: what follows cannot be taken for a part of it.
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_hold_any_text() {
        assert_eq!(string("a\"b\\c??)\n1μ"), r#""a\"b\\c\?\?)\0121\316\274""#);
    }
}
