//! A program that calls the procedures of a module, so that what they give can be compared.

use super::{module_name, procedure_name};
use crate::base::glue::{Template, render};
use crate::host::Interface;
use overlay::program::Array;
use serde::Serialize;

/// A kernel whose procedure is called.
pub struct Called<'a> {
    pub symbol: &'a str,
    /// The last one is the output.
    pub arrays: &'a [Array],
    pub points: usize,
    pub stride: usize,
}

/// The program's text. It reads the inputs of all calls as doubles, array by array, and writes the output arrays, in which what nothing
/// stores is not a number.
pub fn program(interface: &Interface, calls: &[Called<'_>]) -> String {
    let calls = calls.iter().map(|called| Call::new(interface, called)).collect();
    render(Template::FortranTexts, &Program { module: module_name(interface), calls })
}

#[derive(Serialize)]
struct Program {
    module: String,
    calls: Vec<Call>,
}

#[derive(Serialize)]
struct Call {
    procedure: String,
    points: usize,
    stride: usize,
    /// Rows of the output, which is a scalar if it has one.
    rows: u32,
    is_scalar: bool,
    inputs: String,
    allocated: String,
    names: String,
    arguments: String,
}

impl Call {
    fn new(interface: &Interface, called: &Called<'_>) -> Self {
        let (output, inputs) = called.arrays.split_last().expect("a kernel has an output");
        let of_each = |text: &dyn Fn(usize, u32) -> String| {
            inputs.iter().enumerate().map(|(at, array)| text(at, array.rows)).collect::<Vec<_>>().join(", ")
        };
        Self {
            procedure: procedure_name(interface, called.symbol),
            points: called.points,
            stride: called.stride,
            rows: output.rows,
            is_scalar: output.rows == 1,
            inputs: of_each(&|at, _| format!("a{at}(:, :)")),
            allocated: of_each(&|at, rows| format!("a{at}(stride, {rows})")),
            names: of_each(&|at, _| format!("a{at}")),
            arguments: of_each(&|at, rows| format!("a{at}(p, {})", if rows == 1 { "1" } else { ":" })),
        }
    }
}
