//! Data of the generated project about its kernels: reference values, and counts for its floors.

use super::Unit;
use super::source::source_extension;
use crate::plan::{Emit, Request};
use crate::verify;
use emit_c::host::{Case, Duel, Project, Table};
use kinetics::{self, Model, State};
use overlay::Codegen;

/// States of the self-check beyond those of a full group.
const REST: usize = 12;

/// Whether the project of a GPU contains the same for CPUs: those have no workspaces and no parts, and so other functions where the GPU's kernels have some.
pub fn has_fallback(request: &Request, units: &[Unit]) -> bool {
    let is_whole = |unit: &Unit| unit.program.first_global.is_none() && unit.graph.part.is_empty();
    request.has_fallback() && units.iter().all(is_whole)
}

/// The project of some compiled kernels.
pub fn project(request: &Request, model: &Model, units: &[Unit]) -> Project {
    let groups = units.iter().map(|unit| unit.program.points_per_group() as usize);
    let count = groups.max().unwrap_or(0) + REST;
    let states = units.first().map_or_else(Vec::new, |unit| verify::states(model, &unit.graph, &unit.program, count));
    let name = &model.mechanism.name;
    let mut tables: Vec<Table> = Vec::new();
    let mut cases = Vec::new();
    // Data-parallel code first: the driver compares the others with it.
    let (first, rest): (Vec<&Unit>, Vec<&Unit>) = units.iter().partition(|u| u.codegen == Codegen::DataParallel);
    for unit in first.into_iter().chain(rest) {
        let output = output_table(unit, units);
        let scale = format!("{output}_scale");
        if tables.iter().all(|t| t.name != output) {
            let stiffness = request.common.stiffness;
            let (expected, mut scales): (Vec<_>, Vec<_>) =
                states.iter().map(|s| verify::reference(unit.kernel, model, &unit.graph, stiffness, s)).unzip();
            // Rows of another kernel are not compared.
            for scale in &mut scales {
                let rows = scale.iter_mut().enumerate().filter(|&(row, _)| !unit.graph.stores_row(row));
                rows.for_each(|(_, scale)| *scale = -1.0);
            }
            if unit.report.single.is_some() {
                scales.iter_mut().for_each(|scale| verify::with_least(unit.kernel, &unit.graph, scale));
            }
            tables.push(table(&output, false, &expected));
            tables.push(table(&scale, false, &scales));
        }
        add_inputs(&mut tables, model, unit, &states);
        let inputs = unit.graph.arrays.iter().filter(|a| !a.output).map(|a| a.name.to_owned()).collect();
        cases.push(Case {
            symbol: unit.program.symbol.clone(),
            kernel: unit.report.kernel.clone(),
            codegen: unit.codegen.name().to_owned() + if unit.report.alternative { ", alternative" } else { "" },
            inputs,
            rows: unit.graph.arrays.iter().filter(|a| a.output).map(|a| a.rows).sum(),
            has_workspace: unit.program.first_global.is_some(),
            tolerance: verify::tolerance(unit.kernel, &unit.graph)
                + unit.report.single.as_ref().map_or(0.0, |single| single.bound),
            flops: unit.report.flops_per_point,
            slots: unit.report.verification.as_ref().map_or(0.0, |v| v.slots_per_point),
            bytes: unit.report.machine.bytes_per_point,
            output,
            scale,
        });
    }
    tables.sort_by_key(|t| !t.input);
    let extension = source_extension(request.common.target);
    let sources = units.iter().map(|u| format!("{}.{extension}", u.program.symbol));
    let reactor = request.reactor_kernel().map(|_| format!("{name}_reactor"));
    let place = |of: &Unit| cases.iter().position(|case: &Case| case.symbol == of.program.symbol);
    let duels = units.iter().filter(|unit| unit.report.alternative).filter_map(|other| {
        let shipped = units.iter().find(|unit| unit.report.kernel == other.report.kernel)?;
        Some(Duel { shipped: place(shipped)?, other: place(other)? })
    });
    Project {
        duels: duels.collect(),
        modules: std::iter::once(name).chain(&reactor).map(|of| format!("{of}_module.f90")).collect(),
        sources: sources
            .chain([format!("{name}_context.{extension}")])
            .chain(reactor.map(|reactor| format!("{reactor}.{extension}")))
            .collect(),
        states: states.len(),
        tables,
        cases,
        example: format!("{name}_example.f90"),
        fallback: has_fallback(request, units),
        ignition: request.emit.contains(&Emit::Cvode),
        reactor_driver: request.reactor_method.is_some(),
    }
}

/// The name of a unit's reference values: the output array's, with the kernel's where kernels share that.
fn output_table(unit: &Unit, units: &[Unit]) -> String {
    let of = |unit: &Unit| unit.graph.arrays.iter().find(|a| a.output).expect("a kernel has an output").name;
    let shared = units.iter().any(|other| other.report.kernel != unit.report.kernel && of(other) == of(unit));
    if shared { format!("{}_{}", unit.report.kernel.replace('-', "_"), of(unit)) } else { of(unit).to_owned() }
}

fn add_inputs(tables: &mut Vec<Table>, model: &Model, unit: &Unit, states: &[State]) {
    let fields: Vec<_> = states.iter().map(|s| verify::inputs(model, &unit.graph, s)).collect();
    for (a, array) in unit.graph.arrays.iter().enumerate().filter(|(_, a)| !a.output) {
        if tables.iter().all(|t| t.name != array.name) {
            let columns: Vec<Vec<f64>> = fields.iter().map(|f| f[a].clone()).collect();
            tables.push(table(array.name, true, &columns));
        }
    }
}

/// Turns values by state into rows of all states.
fn table(name: &str, input: bool, by_state: &[Vec<f64>]) -> Table {
    let rows = by_state.first().map_or(0, Vec::len);
    let values = (0..rows).flat_map(|row| by_state.iter().map(move |values| values[row])).collect();
    Table { name: name.into(), input, values }
}
