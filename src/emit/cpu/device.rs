//! A header of functions that compute one point each, for kernels of the user's own: the code of the CPU target, in scalars.

use super::body::{self, Printed, Strides};
use super::{definition, functions};
use crate::emit::cuda::Provenance;
use crate::emit::cuda::body::comment;
use crate::emit::cuda::glue::{Template, render};
use crate::emit::cuda::kernel::{list, pointer};
use crate::emit::host::{ArrayInterface, Interface, KernelInterface, file_comment, prefix, short_name, units_text};
use crate::lower::code::Code;
use crate::overlay::program::Unary;
use serde::Serialize;
use std::collections::BTreeSet;

/// What begins functions and tables of the header, which defines both by the compiler that reads it.
const FUNCTION: &str = "SINGE_POINT";
const TABLE: &str = "SINGE_POINT_TABLE";

/// The header of a mechanism's kernels, whose code must be data-parallel with one point per lane; `codes` are in the order of the
/// interface's kernels.
pub fn device_header(interface: &Interface, codes: &[&Code], provenance: &Provenance) -> String {
    let prefix = prefix(interface);
    let print = |code: &&Code| body::print(code, Strides { input: "in_stride", output: "out_stride" });
    let printed: Vec<Printed> = codes.iter().map(print).collect();
    let elementary: BTreeSet<Unary> = printed.iter().flat_map(|printed| printed.functions.iter().copied()).collect();
    let tables = codes.iter().flat_map(|code| code.tables.iter().map(|table| definition(table, &code.symbol, TABLE)));
    let kernels = interface.kernels.iter().zip(codes).zip(printed);
    let file = File {
        comment: file_comment("//", "Functions of one point", &interface.mechanism, provenance),
        guard: format!("SINGE_{}_DEVICE_H", prefix.to_uppercase()),
        units: units_text(interface.units),
        species: interface.species.len(),
        tables: tables.collect(),
        elementary: elementary.iter().map(|function| functions::definition(*function, FUNCTION) + "\n").collect(),
        functions: kernels
            .map(|((kernel, code), printed)| PointFunction::new(kernel, code, printed, &prefix))
            .collect(),
        prefix,
    };
    render(Template::Device, &file)
}

#[derive(Serialize)]
struct File {
    comment: String,
    guard: String,
    prefix: String,
    units: &'static str,
    species: usize,
    tables: String,
    elementary: String,
    functions: Vec<PointFunction>,
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
