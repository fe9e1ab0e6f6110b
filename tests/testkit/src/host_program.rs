//! `host.cpp` beside kernels for CPUs: compiled with them, and run.

use std::path::Path;
use std::process::{Command, Stdio};

use singe::output::Unit;

use crate::project::{program, run};

/// Returns the numbers that a project's program writes to stdout for numbers on stdin. The text compiles without a warning.
pub fn outputs(compiler: &str, flags: &[&str], folder: &Path, name: &str, units: &[Unit], inputs: &[f64]) -> Vec<f64> {
    let own = ["host.cpp".to_owned(), format!("{name}_context.cpp")];
    let sources: Vec<String> = units.iter().map(|unit| format!("{}.cpp", unit.program.symbol)).chain(own).collect();
    let strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"];
    program(compiler, folder, &[&strict, flags].concat(), &sources, &[], "host");
    let data = folder.join("input");
    std::fs::write(&data, inputs.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let stdin = Stdio::from(std::fs::File::open(&data).unwrap());
    let written = run(Command::new(folder.join("host")).stdin(stdin)).stdout;
    written.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// The input arrays of a kernel at these points, row by row, filled up to the stride.
pub fn inputs(unit: &Unit, points: &[Vec<Vec<f64>>], stride: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for (a, array) in unit.graph.arrays.iter().enumerate().filter(|(_, array)| !array.output) {
        for row in 0..array.rows as usize {
            all.extend((0..stride).map(|point| points.get(point).map_or(f64::NAN, |fields| fields[a][row])));
        }
    }
    all
}
