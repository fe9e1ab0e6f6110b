//! The kernel that computes temperature and pressure from other state variables.

use super::begin;
use crate::build::{self, Operands, PRESSURE, TEMPERATURE};
use crate::options::Options;
use graph::dataflow::{Graph, Quantity, Step};
use kinetics::Model;

/// Stores both.
pub fn build(model: &Model, options: &Options) -> Graph {
    let mut graph = begin::begin("temperature", model, options, "state", 2, &[]);
    for (row, name) in ["temperature", "pressure"].into_iter().enumerate() {
        graph.quantities.push(Quantity { name: name.into(), first: row as u32, rows: 1 });
    }
    let mut o = Operands::default();
    o.body.stores = vec![o.field(TEMPERATURE, 0), o.field(PRESSURE, 0)];
    let output = graph.arrays.len() as u32 - 1;
    let step = Step { stores: vec![(output, 0), (output, 1)], ..o.into_step(&mut graph) };
    graph.add_stores(build::single("temperature and pressure".into(), step));
    graph
}
