//! From derivatives of production rates to those of a reactor's tendencies by mass fractions and temperature, all mass fractions
//! independent.
//!
//! With C_k = rho Y_k/W_k and rho = P/(R T sum Y/W) at constant pressure, sums over the composition's change at constant pressure are
//! sums of each reaction's order: with B_k = sum C_m dwdot_k/dC_m - wdot_k and C = P/(R T), row k of the derivatives is
//!
//! dYdot_k/dY_j = W_k/W_j F_kj, F_kj = dwdot_k/dC_j - B_k/C; dYdot_k/dT = W_k/rho t_k, t_k = dwdot_k/dT - B_k/T.
//!
//! At constant volume the pressure changes: F_kj = dwdot_k/dC_j + R T dwdot_k/dP; t_k = dwdot_k/dT + P/T dwdot_k/dP. In both cases, with
//! e_k = h_k/RT and c_k = cp_k/R, each less by 1 at constant volume, and H = sum C_k c_k,
//!
//! dTdot/dY_j = -rho/(W_j H) (T sum_k e_k F_kj + Tdot c_j); dTdot/dT = -1/H (sum c_k wdot_k + T sum e_k t_k + Tdot sum C_k dc_k/dT).

use super::chemistry::SCALARS;
use super::common::{self, PRESSURE, scalar, scalar_of, single};
use super::jacobian::Matrix;
use super::reaction::Operands;
use super::reaction_slopes::{By, Known, along_temperature};
use super::reactor;
use super::slope::slope;
use crate::graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;
use kinetics::reactor::Constant;

/// Adds the operations behind the reactions' derivatives, and stores all entries.
pub fn add(graph: &mut Graph, model: &Model, matrix: &mut Matrix, constant: Constant) {
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let properties: Vec<Properties> = (0..matrix.size).map(|k| properties(graph, model, k, work)).collect();
    let inverse = densities(graph, &properties);
    let rows: Vec<Row> = (0..matrix.size).map(|k| row(graph, model, matrix, k, inverse, constant)).collect();
    let mixture = mixture(graph, matrix.size, &properties, &rows);
    let entries: Vec<Vec<Value>> = (0..matrix.size).map(|k| entries(graph, model, matrix, k, rows[k].base)).collect();
    for j in 0..matrix.size {
        let column: Vec<Value> = entries.iter().map(|row| row[j]).collect();
        temperature_by(graph, model, j, &properties, &column, mixture);
    }
}

/// The row of the matrix's entries of a column.
fn place(graph: &Graph, size: usize, row: usize, column: usize) -> (u32, u32) {
    (graph.arrays.len() as u32 - 1, (column * (size + 1) + row) as u32)
}

/// Of one species.
#[derive(Debug, Clone, Copy)]
struct Properties {
    /// e
    energy: Value,
    /// c
    capacity: Value,
    /// C W
    mass: Value,
    /// C c
    heat: Value,
    /// C dc/dT
    heat_slope: Value,
}

fn properties(graph: &mut Graph, model: &Model, k: usize, work: f64) -> Properties {
    let species = &model.species()[k];
    let mut o = Operands::default();
    let (energy, capacity) =
        (reactor::energy(&mut o, &species.thermo, work), reactor::capacity(&mut o, &species.thermo, work));
    let along = |o: &mut Operands, inst| along_temperature(o, inst, &SCALARS, &Known::default());
    let capacity_slope = slope(&mut o, capacity, &along).unwrap_or_else(|| o.body.literal(0.0));
    let (concentration, weight) = (o.loaded(k), o.constant(species.weight));
    let mass = o.body.mul(concentration, weight);
    let heat = o.body.mul(concentration, capacity);
    let heat_slope = o.body.mul(concentration, capacity_slope);
    o.body.values = vec![energy, capacity, mass, heat, heat_slope];
    let step = o.into_step(graph);
    let name = &species.name;
    let op = graph.add(single(format!("properties {name}"), step), |_, n| format!("property {n} of {name}"));
    let outputs = &graph.ops[op].epilogue.outputs;
    let [energy, capacity, mass, heat, heat_slope] = [0, 1, 2, 3, 4].map(|n| outputs[n]);
    Properties { energy, capacity, mass, heat, heat_slope }
}

/// 1/rho and 1/C
fn densities(graph: &mut Graph, properties: &[Properties]) -> [Value; 2] {
    let iterations = properties.iter().map(|all| common::add_term(graph, all.mass, 1.0)).collect();
    let mut o = Operands::default();
    let (mass, one) = (o.body.state(0), o.body.literal(1.0));
    let total = scalar_of(&mut o.body, &SCALARS, scalar::CONCENTRATION);
    o.body.values = vec![o.body.div(one, mass), o.body.div(one, total)];
    let epilogue = o.into_step(graph);
    let prologue = Some(common::zeros(graph, 1));
    let operation = Operation { name: "density".into(), states: 1, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, n| ["inverse density", "inverse concentration"][n].to_owned());
    let outputs = &graph.ops[op].epilogue.outputs;
    [outputs[0], outputs[1]]
}

/// Of one species' row.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// wdot
    rate: Option<Value>,
    /// t
    slope: Value,
    /// What all entries F begin with.
    base: Value,
}

/// Makes t and the base of a row, and stores dYdot/dT.
fn row(
    graph: &mut Graph,
    model: &Model,
    matrix: &Matrix,
    k: usize,
    [inverse_density, inverse_concentration]: [Value; 2],
    constant: Constant,
) -> Row {
    let species = &model.species()[k];
    let mut sum = |by: By, what: &str| matrix.sum(graph, k, by, format!("{what} of {}", species.name));
    let rate = sum(By::Nothing, "rate");
    let slope = sum(By::Temperature, "slope");
    let change = match constant {
        Constant::Pressure => sum(By::Scaling, "excess order"),
        Constant::Volume => sum(By::Pressure, "slope by pressure"),
    };
    let mut o = Operands::default();
    let read = |o: &mut Operands, value: Option<Value>| match value {
        Some(value) => o.input(value),
        None => o.body.literal(0.0),
    };
    let (mut t, mut base) = (read(&mut o, slope), read(&mut o, matrix.total(k)));
    if let Some(change) = change {
        let change = o.input(change);
        let by_temperature = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let (of_t, of_base) = match constant {
            Constant::Pressure => {
                let change = o.body.neg(change);
                let per = o.input(inverse_concentration);
                (o.body.mul(change, by_temperature), o.body.mul(change, per))
            }
            Constant::Volume => {
                let p = o.field(PRESSURE, 0);
                let per_kelvin = o.body.mul(p, by_temperature);
                let temperature = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
                let gas_constant = o.body.literal(GAS_CONSTANT);
                let rt = o.body.mul(temperature, gas_constant);
                (o.body.mul(change, per_kelvin), o.body.mul(change, rt))
            }
        };
        t = o.body.add(t, of_t);
        base = o.body.add(base, of_base);
    }
    let (inverse, weight) = (o.input(inverse_density), o.constant(species.weight));
    let per_mass = o.body.mul(weight, inverse);
    o.body.stores = vec![o.body.mul(per_mass, t)];
    o.body.values = vec![t, base];
    let stores = vec![place(graph, matrix.size, k, matrix.size)];
    let step = Step { stores, ..o.into_step(graph) };
    let names = ["slope", "base"];
    let op =
        graph.add(single(format!("row of {}", species.name), step), |_, n| format!("{} {}", names[n], species.name));
    let outputs = &graph.ops[op].epilogue.outputs;
    Row { rate, slope: outputs[0], base: outputs[1] }
}

/// -rho/H and Tdot; stores dTdot/dT.
fn mixture(graph: &mut Graph, size: usize, properties: &[Properties], rows: &[Row]) -> [Value; 2] {
    // States: rho, H, sum C dc/dT, sum e wdot, sum c wdot, sum e t.
    const STATES: u32 = 6;
    let iterations = properties.iter().zip(rows).map(|(own, row)| {
        let mut o = Operands::default();
        let mut sums: Vec<_> = (0..STATES).map(|n| o.body.state(n)).collect();
        for (sum, value) in sums.iter_mut().zip([own.mass, own.heat, own.heat_slope]) {
            let value = o.input(value);
            *sum = o.body.add(*sum, value);
        }
        let (energy, slope) = (o.input(own.energy), o.input(row.slope));
        if let Some(rate) = row.rate {
            let (rate, capacity) = (o.input(rate), o.input(own.capacity));
            sums[3] = o.body.fma(energy, rate, sums[3]);
            sums[4] = o.body.fma(capacity, rate, sums[4]);
        }
        sums[5] = o.body.fma(energy, slope, sums[5]);
        o.body.states = sums;
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let mut o = Operands::default();
    let b = &mut o.body;
    let [mass, heat, heat_slope, energies, capacities, slopes] = [0, 1, 2, 3, 4, 5].map(|n| b.state(n));
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    let minus_one = b.literal(-1.0);
    let minus_inverse = b.div(minus_one, heat);
    let heating = b.mul(t, energies);
    let change = b.mul(heating, minus_inverse);
    let sum = b.fma(t, slopes, capacities);
    let sum = b.fma(change, heat_slope, sum);
    b.stores = vec![b.mul(sum, minus_inverse)];
    b.values = vec![b.mul(mass, minus_inverse), change];
    let stores = vec![place(graph, size, size, size)];
    let epilogue = Step { stores, ..o.into_step(graph) };
    let prologue = Some(common::zeros(graph, STATES as usize));
    let operation =
        Operation { name: "mixture".into(), states: STATES, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, n| ["minus density over heat capacity", "heating"][n].to_owned());
    let outputs = &graph.ops[op].epilogue.outputs;
    [outputs[0], outputs[1]]
}

/// F of all columns of a row; stores W_k/W_j F.
fn entries(graph: &mut Graph, model: &Model, matrix: &mut Matrix, k: usize, base: Value) -> Vec<Value> {
    let species = model.species();
    let ratio = |j: usize| species[k].weight / species[j].weight;
    matrix.begin_with(k, base);
    let (mut o, mut stores) = (Operands::default(), Vec::new());
    let same = o.input(base);
    let mut values = Vec::new();
    for j in 0..matrix.size {
        let place = place(graph, matrix.size, k, j);
        if matrix.has_own(k, j) {
            let name = format!("{} by {}", species[k].name, species[j].name);
            values.extend(matrix.entry(graph, (k, j), name, |o, entry| {
                let ratio = o.constant(ratio(j));
                o.body.stores = vec![o.body.mul(ratio, entry)];
                o.body.values = vec![entry];
                vec![place]
            }));
        } else {
            let ratio = o.constant(ratio(j));
            let entry = o.body.mul(ratio, same);
            o.body.stores.push(entry);
            stores.push(place);
            values.push(base);
        }
    }
    if !stores.is_empty() {
        let step = Step { stores, ..o.into_step(graph) };
        graph.add(single(format!("rest of {}", species[k].name), step), |_, _| unreachable!("it is stored"));
    }
    values
}

/// Stores dTdot/dY_j.
fn temperature_by(
    graph: &mut Graph,
    model: &Model,
    j: usize,
    properties: &[Properties],
    column: &[Value],
    [factor, change]: [Value; 2],
) {
    let species = &model.species()[j];
    let energies: Vec<Value> = properties.iter().map(|all| all.energy).collect();
    let iterations = reactor::products(graph, &energies, column);
    let mut o = Operands::default();
    let (sum, capacity) = (o.body.state(0), o.input(properties[j].capacity));
    let (factor, change, inverse) = (o.input(factor), o.input(change), o.constant(1.0 / species.weight));
    let b = &mut o.body;
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    let own = b.mul(change, capacity);
    let bracket = b.fma(t, sum, own);
    let scale = b.mul(factor, inverse);
    b.stores = vec![b.mul(bracket, scale)];
    let stores = vec![place(graph, column.len(), column.len(), j)];
    let epilogue = Step { stores, ..o.into_step(graph) };
    let prologue = Some(common::zeros(graph, 1));
    let name = format!("temperature by {}", species.name);
    let operation = Operation { name, states: 1, prologue, iterations, ordered: false, epilogue };
    graph.add(operation, |_, _| unreachable!("it is stored"));
}
