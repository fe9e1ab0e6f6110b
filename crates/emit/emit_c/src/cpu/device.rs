//! A header of functions that compute one point each, for kernels of the user's own: the code of the CPU target, in scalars.

use super::body::{self, Printed, Strides};
use super::{functions, table_about, table_items, table_name};
use crate::base::Provenance;
use crate::base::comment;
use crate::base::glue::{Template, render};
use crate::base::names::Namer;
use crate::base::parameters::{list, pointer};
use crate::base::tables::{real, wrapped};
use crate::host::{ArrayInterface, Interface, KernelInterface, file_comment, prefix, short_name, units_text};
use crate::host::{gas_constant, string};
use kernels::Precision;
use kinetics::constants::ATMOSPHERE;
use lower::code::{Code, Table};
use overlay::program::Unary;
use serde::Serialize;
use std::collections::BTreeSet;

/// First word of the header's functions; the header defines it by the compiler that reads it.
const FUNCTION: &str = "SINGE_POINT";

/// The header of a mechanism's kernels, whose code must be data-parallel with one point per lane; `codes` are in the order of the
/// interface's kernels.
pub fn device_header(interface: &Interface, codes: &[&Code], provenance: &Provenance) -> String {
    let prefix = prefix(interface);
    let file = File {
        comment: file_comment("//", "Functions of one point", &interface.mechanism, provenance),
        guard: format!("SINGE_{}_DEVICE_H", prefix.to_uppercase()),
        units: units_text(interface.units),
        species: interface.species.len(),
        elements: interface.elements.len(),
        reactions: interface.reactions,
        species_places: places("species", interface.species.iter().map(|species| species.name.as_str())),
        element_places: places("element", interface.elements.iter().map(String::as_str)),
        species_names: wrapped(interface.species.iter().map(|species| string(&species.name))),
        element_names: wrapped(interface.elements.iter().map(|symbol| string(symbol))),
        gas_constant: real(gas_constant(interface.units)),
        reference_pressure: real(ATMOSPHERE * interface.units.from_si("pressure")),
        text: PointText { conversion_tables: conversion_tables(interface), ..PointText::new(interface, codes) },
        prefix,
    };
    render(Template::Device, &file)
}

/// The same functions alone, in a namespace that ends in `_point`, for a file that calls them.
pub fn point_functions(interface: &Interface, codes: &[&Code]) -> String {
    #[derive(Serialize)]
    struct Namespace {
        prefix: String,
        #[serde(flatten)]
        text: PointText,
    }
    render(Template::PointNamespace, &Namespace { prefix: prefix(interface), text: PointText::new(interface, codes) })
}

/// The name of a kernel's function of one point.
pub fn point_name(interface: &Interface, symbol: &str) -> String {
    short_name(symbol, &prefix(interface)).to_owned()
}

/// A table for each place where the functions run.
fn point_table(ty: &str, name: &str, items: impl Iterator<Item = String>) -> String {
    format!("SINGE_POINT_TABLE({ty}, {name},\n{})\n\n", wrapped(items).trim_end_matches(','))
}

fn table_of(table: &Table, symbol: &str) -> String {
    let (ty, items) = table_items(&table.values, Precision::Double);
    table_about(table.kind).to_owned() + &point_table(ty, &table_name(symbol, table.kind), items.into_iter())
}

/// Returns the tables that conversions of compositions read.
fn conversion_tables(interface: &Interface) -> String {
    let weights = || interface.species.iter().map(|species| species.molecular_weight);
    let atoms = interface.species.iter().flat_map(|species| &species.atoms).map(|&count| real(count));
    point_table("double", "molecular_weights", weights().map(real))
        + &point_table("double", "inverse_weights", weights().map(|weight| real(1.0 / weight)))
        + &point_table("double", "atoms", atoms)
}

/// Constants that say where in arrays something lies, in this order.
fn places<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut namer = Namer::reserving(["species_count", "species_name", "element_count", "element_name"]);
    names.enumerate().map(|(place, name)| format!("{} = {place}", namer.name(&format!("{what}_{name}")))).collect()
}

#[derive(Serialize)]
struct File {
    comment: String,
    guard: String,
    prefix: String,
    units: &'static str,
    species: usize,
    elements: usize,
    reactions: usize,
    species_places: Vec<String>,
    element_places: Vec<String>,
    species_names: String,
    element_names: String,
    gas_constant: String,
    reference_pressure: String,
    #[serde(flatten)]
    text: PointText,
}

/// The functions, with the tables and elementary functions that they read.
#[derive(Serialize)]
struct PointText {
    tables: String,
    /// What conversions of compositions read; empty where there are none.
    conversion_tables: String,
    elementary: String,
    functions: Vec<PointFunction>,
}

impl PointText {
    /// Without conversions.
    fn new(interface: &Interface, codes: &[&Code]) -> Self {
        let prefix = prefix(interface);
        let print =
            |code: &&Code| body::print(code, Strides { input: "in_stride", output: "out_stride" }, Precision::Double);
        let printed: Vec<Printed> = codes.iter().map(print).collect();
        let elementary: BTreeSet<Unary> =
            printed.iter().flat_map(|printed| printed.functions.iter().copied()).collect();
        let tables = codes.iter().flat_map(|code| code.tables.iter().map(|table| table_of(table, &code.symbol)));
        let kernels = interface.kernels.iter().zip(codes).zip(printed);
        Self {
            tables: tables.collect(),
            conversion_tables: String::new(),
            elementary: elementary.iter().map(|function| functions::definition(*function, FUNCTION) + "\n").collect(),
            functions: kernels
                .map(|((kernel, code), printed)| PointFunction::new(kernel, code, printed, &prefix))
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct PointFunction {
    comment: String,
    name: String,
    parameters: String,
    /// Parameters that nothing reads.
    unused: Vec<String>,
    slots: String,
    body: String,
}

impl PointFunction {
    fn new(kernel: &KernelInterface, code: &Code, printed: Printed, prefix: &str) -> Self {
        let name = short_name(&code.symbol, prefix).to_owned();
        let mut lines = vec![kernel.summary.clone(), format!("  {}", kernel.accuracy)];
        for (ArrayInterface { array, unit, meaning }, name) in kernel.arrays.iter().zip(&printed.arrays) {
            let (direction, stride) = if array.output { ("out", "out_stride") } else { ("in ", "in_stride") };
            lines.push(format!("  {direction} {name}[row * {stride}], {} rows: {meaning}, {unit}", array.rows));
        }
        let rows = kernel.rows.iter().map(|rows| format!("  row {}: {}, {}", rows.first, rows.meaning, rows.unit));
        lines.extend(rows);
        let pointers = |output: bool, stride: &str| {
            let arrays = code.arrays.iter().zip(&printed.arrays).filter(move |(array, _)| array.output == output);
            let pointers = arrays.map(|(array, name)| pointer(array, name).replace('*', "*__restrict__ "));
            pointers.chain([format!("long long {stride}")]).collect::<Vec<_>>()
        };
        let parameters = [pointers(false, "in_stride"), pointers(true, "out_stride")].concat().into_iter();
        let is_unused = |name: &&String| !printed.body.contains(&format!("({name} +"));
        Self {
            comment: lines.iter().map(|line| comment("", line)).collect(),
            parameters: list(FUNCTION.len() + " void (".len() + name.len(), parameters),
            unused: printed.arrays.iter().filter(is_unused).cloned().collect(),
            slots: if code.slots.rows == 0 { String::new() } else { format!("  real slots[{}];\n", code.slots.rows) },
            name,
            body: printed.body,
        }
    }
}
