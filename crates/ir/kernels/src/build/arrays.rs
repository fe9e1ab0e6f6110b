//! The arrays of the host interface.

use crate::options::{Output, Rows};
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Quantity};

/// Indices of the input arrays, the same for every kernel.
pub const TEMPERATURE: u32 = 0;
pub const PRESSURE: u32 = 1;
pub const MOLE_FRACTIONS: u32 = 2;
pub const OUTPUT: u32 = 3;
/// Arrays of kernels that treat stiff species: before the output, which comes last in every kernel.
pub const TRANSPORT_SOURCE: u32 = 3;
pub const TIME_STEP: u32 = 4;

/// Names the rows of the output array, one quantity after the other; each with its first row.
pub fn name_rows(graph: &mut Graph, outputs: &[Output], sizes: Rows) -> Vec<(Output, u32)> {
    let mut first = 0;
    for output in outputs {
        let (name, rows) = (output.name(), output.rows(sizes) as u32);
        graph.quantities.push(Quantity { name, first, rows });
        first += rows;
    }
    outputs.iter().copied().zip(graph.quantities.iter().map(|quantity| quantity.first)).collect()
}

/// max(x, 0) of a mole fraction, straight from global memory.
pub fn mole_fraction(body: &mut Body, operand: u32) -> Id {
    let x = body.field(MOLE_FRACTIONS, operand);
    body.positive(x)
}
