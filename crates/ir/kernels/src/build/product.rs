//! Products of a constant matrix with vectors of values on tensor cores.

use super::steps::{empty_sums, step};
use graph::body::{Body, PRODUCTS_PER_STEP, Tensor};
use graph::dataflow::{Graph, Operation, Shape, Value};

/// Rows of the matrix in one operation.
const ROWS: usize = 8;
/// Columns of the matrix in one step.
const COLUMNS: usize = 4;

/// matrix * vector, one value per row; an operation for each block of rows. Rows that are missing in the last block repeat
/// its last one, and columns that are missing are zero.
pub fn product(graph: &mut Graph, name: &str, matrix: &[Vec<f64>], vector: &[Value], slots: u32) -> Vec<Value> {
    let iteration = multiply(graph, slots * PRODUCTS_PER_STEP);
    let mut results = Vec::new();
    for (block, rows) in matrix.chunks(ROWS).enumerate() {
        let row = |r: usize| &rows[r.min(rows.len() - 1)];
        let iterations = (0..vector.len()).step_by(COLUMNS).map(|first| {
            let column = |k: usize| first + k;
            let entry = |i: usize| row(i / COLUMNS).get(column(i % COLUMNS)).copied().unwrap_or(0.0);
            let input = |k: usize| vector[column(k).min(vector.len() - 1)];
            step(iteration, (0..ROWS * COLUMNS).map(entry).collect(), (0..COLUMNS).map(input).collect(), vec![])
        });
        let iterations = iterations.collect();
        let operation = Operation {
            name: format!("{name}, rows from {}", ROWS * block),
            states: ROWS as u32,
            prologue: Some(empty_sums(graph, ROWS)),
            iterations,
            ordered: false,
            epilogue: step(pass(graph, rows.len()), vec![], vec![], vec![]),
        };
        let op = graph.add(operation, |_, i| format!("{name} {}", ROWS * block + i));
        results.extend(&graph.ops[op].epilogue.outputs);
    }
    results
}

fn multiply(graph: &mut Graph, slots: u32) -> Shape {
    let mut b = Body { tensor: Some(Tensor::Multiply { slots }), ..Body::default() };
    let inputs: Vec<_> = (0..COLUMNS as u32).map(|k| b.input(k)).collect();
    for row in 0..ROWS as u32 {
        let mut sum = b.state(row);
        for (k, &input) in (0u32..).zip(&inputs) {
            let entry = b.constant(COLUMNS as u32 * row + k);
            sum = b.fma(entry, input, sum);
        }
        b.states.push(sum);
    }
    graph.shape(b)
}

fn pass(graph: &mut Graph, rows: usize) -> Shape {
    let mut b = Body { tensor: Some(Tensor::Pass), ..Body::default() };
    b.values = (0..rows as u32).map(|row| b.state(row)).collect();
    graph.shape(b)
}
