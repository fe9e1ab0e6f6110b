//! C++17 for CPUs from the typed [`Code`] of data-parallel kernels: one file per kernel.
//!
//! Every double of the code is a vector of as many points as the machine's registers hold; threads share the points by OpenMP.
//! The vectors are those of GCC's and Clang's vector extensions, so that the text does not depend on what a compiler finds to
//! vectorise. It is the same for the same input, to the byte.

mod body;
mod chemkin;
mod device;
mod functions;
mod kinetix;
mod library;
mod openfoam;
mod pelephysics;
mod pelephysics_reactor;
mod single;
mod texts;

use crate::base::comment;
use crate::base::glue::{Template, render};
use crate::base::parameters::{list, pointer};
use crate::base::tables::{real, wrapped};
use crate::base::{Provenance, names, overlap};
use kernels::{Io, Precision};
use lower::code::{Code, Table, TableKind, Values};
use overlay::program::Array;
use serde::Serialize;

pub use chemkin::{MISSING, Missing, chemkin};
pub use device::{device_header, point_functions, point_name};
pub use kinetix::kinetix;
pub use library::{Polynomials, Stoichiometry};
pub use openfoam::{Coefficients, Plugin, openfoam};
pub use pelephysics::{TransportData, pelephysics};
pub use pelephysics_reactor::pelephysics_reactor;
pub use single::{SINGLE_HEADER, single_header};
pub use texts::{Called, CalledReactor, program, program_of_reactors, timing_program};

/// The name of the header that all kernels include.
pub const VECTOR_HEADER: &str = "singe_vector.h";

/// The header that all kernels include: vectors of doubles and what is computed with them.
pub fn vector_header() -> String {
    render(Template::Vector, &())
}

/// The whole file of one kernel, which must be data-parallel with one point per lane.
pub fn print(code: &Code, provenance: &Provenance, precision: Precision) -> String {
    let printed = body::print(code, body::Strides { input: "stride", output: "stride" }, precision);
    let prefix = names::identifier(&provenance.mechanism);
    let pointers: Vec<String> =
        code.arrays.iter().zip(&printed.arrays).map(|(array, name)| pointer(array, name)).collect();
    let own = |text: &str| text.to_owned();
    let context = [format!("const struct {prefix}_context *context")];
    let sizes = [own("int points"), own("int stride"), own("struct CUstream_st *stream")];
    let launch_parameters = context.into_iter().chain(pointers.iter().cloned()).chain(sizes);
    let restricted = pointers.iter().zip(&printed.arrays).map(|(pointer, name)| {
        let unused = if printed.body.contains(&format!("({name} +")) { "" } else { "[[maybe_unused]] " };
        format!("{unused}{}", pointer.replace('*', "*__restrict__ "))
    });
    let vector_parameters = pointers.iter().cloned().chain([own("ptrdiff_t stride")]);
    let file = File {
        header: header(code, provenance, precision),
        vector_header: header_name(precision),
        include: format!("{prefix}.h"),
        tables: printed
            .tables(code)
            .map(|table| definition(table, &code.symbol, "alignas(64) static const", precision))
            .collect(),
        functions: printed
            .functions
            .iter()
            .map(|function| functions::definition(*function, "static inline") + "\n")
            .collect(),
        symbol: &code.symbol,
        number: number_of(&code.arrays),
        compute_parameters: list("inline void compute(".len(), restricted.chain([own("ptrdiff_t stride")])),
        parameters: list(code.symbol.len() + "void _vector(".len(), vector_parameters),
        launch_parameters: list(code.symbol.len() + "extern \"C\" int _launch(".len(), launch_parameters),
        slots: slots(code.slots.rows),
        allocates: code.slots.rows > MOST_ON_STACK,
        body: printed.body,
        share: overlap::function(&code.symbol),
        refusal: overlap::refusal(&code.symbol, &code.arrays, &printed.arrays),
        arrays: code
            .arrays
            .iter()
            .zip(&printed.arrays)
            .map(|(array, name)| ArrayLine { name: name.clone(), rows: array.rows, output: array.output })
            .collect(),
    };
    render(Template::CpuKernel, &file)
}

/// Slots up to which they lie on the stack: 4 MB in the widest vectors, of the 8 MB that a thread usually has.
const MOST_ON_STACK: u32 = 1 << 16;

/// Definition of the slots of a vector of points. What a stack has no room for, each thread allocates once.
fn slots(rows: u32) -> String {
    match rows {
        0 => String::new(),
        1..=MOST_ON_STACK => format!("  real slots[{rows}];\n"),
        _ => format!(
            "  struct Slots {{\n    real all[{rows}];\n  }};\n  static thread_local std::vector<Slots> slots_of_thread(1);\n  \
             real *const slots = slots_of_thread[0].all;\n"
        ),
    }
}

/// The type of the numbers in a kernel's arrays, which is the same for all.
fn number_of(arrays: &[Array]) -> &'static str {
    arrays.first().map_or(Io::Double, |array| array.io).c_type()
}

#[derive(Serialize)]
struct File<'a> {
    header: String,
    vector_header: &'static str,
    include: String,
    tables: String,
    functions: String,
    symbol: &'a str,
    /// The type of the numbers in the arrays.
    number: &'static str,
    compute_parameters: String,
    parameters: String,
    launch_parameters: String,
    slots: String,
    /// Whether slots are allocated.
    allocates: bool,
    body: String,
    share: String,
    refusal: String,
    arrays: Vec<ArrayLine>,
}

#[derive(Serialize)]
struct ArrayLine {
    name: String,
    rows: u32,
    output: bool,
}

fn header(code: &Code, provenance: &Provenance, precision: Precision) -> String {
    let (kernel, mechanism) = (&code.kernel, &provenance.mechanism);
    let mut lines = vec![
        format!("{}: {kernel} of {mechanism}, made by singe {}", code.symbol, env!("CARGO_PKG_VERSION")),
        "\n".into(),
    ];
    lines.extend(provenance.lines());
    lines.extend(provenance.form.iter().map(|form| format!("form        {form}")));
    let [reals, indices] = code.bank_entries;
    if let Some(bound) = &provenance.precision {
        lines.push(format!("precision   {bound}"));
    }
    let vector = match precision {
        Precision::Double => "a vector of points",
        Precision::Single | Precision::Mixed => "a vector of points in single precision",
    };
    lines.push(format!("target      cpu: {vector} at a time, threads by OpenMP"));
    lines.push(format!("banks       entries: {reals} real, {indices} index"));
    let place = if code.slots.rows > MOST_ON_STACK { "in memory of each thread" } else { "on the stack" };
    lines.push(format!("slots       {} vectors {place}", code.slots.rows));
    lines.iter().map(|line| comment("", line)).collect()
}

/// That header: its name and text.
pub fn header_of(precision: Precision) -> (String, String) {
    let text = match precision {
        Precision::Double => vector_header(),
        Precision::Single | Precision::Mixed => single_header(),
    };
    (header_name(precision).to_owned(), text)
}

/// The name of the header that kernels of a precision include.
pub fn header_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Double => VECTOR_HEADER,
        Precision::Single | Precision::Mixed => SINGLE_HEADER,
    }
}

/// The name of a table.
fn table_name(symbol: &str, kind: TableKind) -> String {
    format!("{symbol}_{}", kind.name())
}

fn definition(Table { kind, values, .. }: &Table, symbol: &str, specifiers: &str, precision: Precision) -> String {
    let (about, (name, items)) = (table_about(*kind), table_items(values, precision));
    let (count, table) = (items.len(), table_name(symbol, *kind));
    format!("{about}{specifiers} {name} {table}[{count}] = {{\n{}\n}};\n\n", wrapped(items.into_iter()))
}

/// Returns the content of a table, as a comment.
fn table_about(kind: TableKind) -> &'static str {
    match kind {
        TableKind::Logarithms => "// c and -log2 c by interval of the mantissa\n",
        TableKind::Powers => "// 2^(j/256), j 2^44 less in its bits\n",
        TableKind::RealBank => "// Constants\n",
        TableKind::Reals | TableKind::Indices | TableKind::IndexBank => "// Rows, slots and numbers of rounds\n",
    }
}

/// The type and the entries of a table.
fn table_items(values: &Values, precision: Precision) -> (&'static str, Vec<String>) {
    match values {
        Values::Reals(values) if precision == Precision::Single => {
            ("float", values.iter().map(|&x| single::number(x as f32)).collect())
        }
        Values::Reals(values) => ("double", values.iter().map(|x| real(*x)).collect()),
        Values::Integers(values) => ("int", values.iter().map(i32::to_string).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_that_a_stack_has_no_room_for_are_allocated() {
        assert_eq!(slots(0), "");
        assert_eq!(slots(MOST_ON_STACK), "  real slots[65536];\n");
        let text = slots(156_263);
        assert!(text.contains("thread_local") && text.contains("real all[156263];"), "{text}");
    }
}
