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

use super::matrix::Matrix;
use super::places::Places;
use super::reaction_slopes::{By, Known, along_temperature};
use super::slope::slope;
use crate::build::{self, Operands, PRESSURE, SCALARS, scalar, scalar_of, single};
use crate::options::MatrixLayout;
use crate::thermodynamics::energy;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;
use kinetics::reactor::Constant;

/// Adds the operations behind the reactions' derivatives, and stores all entries.
pub fn add(
    graph: &mut Graph,
    model: &Model,
    matrix: &mut Matrix,
    layout: MatrixLayout,
    places: &Places,
    constant: Constant,
) {
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let gas = gas(graph, model, work);
    let rows: Vec<Row> = (0..matrix.size).map(|k| row(graph, model, matrix, k, gas, constant, places)).collect();
    let change = mixture(graph, &rows, gas, places);
    let apart: Vec<bool> = (0..matrix.size).map(|k| layout == MatrixLayout::Sparse && matrix.is_sparse(k)).collect();
    let bases: Vec<(Value, Value)> =
        rows.iter().zip(&apart).filter_map(|(row, &apart)| Some((row.energy, row.base.filter(|_| apart)?))).collect();
    let shared = (!bases.is_empty()).then(|| {
        let (energies, bases): (Vec<Value>, Vec<Value>) = bases.into_iter().unzip();
        sum_of_products(graph, &energies, &bases, "heating by all species".to_owned())
    });
    let entries: Vec<Vec<Option<Value>>> = (0..matrix.size)
        .map(|k| {
            let base = rows[k].base;
            if apart[k] {
                base.into_iter().for_each(|base| store_shared(graph, model, k, base, places));
                sparse_entries(graph, model, matrix, k, places)
            } else {
                entries(graph, model, matrix, k, base, places)
            }
        })
        .collect();
    for j in 0..matrix.size {
        let column: Vec<(Value, Value)> =
            rows.iter().zip(&entries).filter_map(|(row, of_row)| Some((row.energy, of_row[j]?))).collect();
        temperature_by(graph, model, j, (column, shared), (gas.factor, change, work), places);
    }
}

/// The sum of the products of two lists.
fn sum_of_products(graph: &mut Graph, left: &[Value], right: &[Value], name: String) -> Value {
    let iterations = build::products(graph, left, right);
    let (prologue, epilogue) = (Some(build::empty_sums(graph, 1)), build::passed_on(graph, 1));
    let operation = Operation { name: name.clone(), states: 1, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}

/// The array and its row for an entry, where it is stored.
fn place(graph: &Graph, places: &Places, row: usize, column: usize) -> Option<(u32, u32)> {
    places.get(row, column).map(|place| (graph.arrays.len() as u32 - 1, place))
}

/// Values of the mixture.
#[derive(Debug, Clone, Copy)]
struct Gas {
    /// 1/rho
    inverse_density: Value,
    /// 1/C
    inverse_concentration: Value,
    /// -1/H
    minus_inverse_heat: Value,
    /// sum C dc/dT
    heat_slope: Value,
    /// -rho/H
    factor: Value,
}

/// Sums over species that no other operation needs by species.
fn gas(graph: &mut Graph, model: &Model, work: f64) -> Gas {
    let iterations = model.species().iter().enumerate().map(|(k, species)| {
        let mut o = Operands::default();
        let capacity = energy::capacity(&mut o, &species.thermo, work);
        let along = |o: &mut Operands, inst| along_temperature(o, inst, &SCALARS, &Known::default());
        let capacity_slope = slope(&mut o, capacity, &along).unwrap_or_else(|| o.body.literal(0.0));
        let (concentration, weight) = (o.loaded(k), o.constant(species.weight));
        let sums = [0, 1, 2].map(|n| o.body.state(n));
        let factors = [weight, capacity, capacity_slope];
        o.body.states = sums.iter().zip(factors).map(|(&sum, factor)| o.body.fma(concentration, factor, sum)).collect();
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let mut o = Operands::default();
    let b = &mut o.body;
    let ([mass, heat, heat_slope], one) = ([0, 1, 2].map(|n| b.state(n)), b.literal(1.0));
    let total = scalar_of(b, &SCALARS, scalar::CONCENTRATION);
    let [inverse_density, inverse_concentration, inverse_heat] = [mass, total, heat].map(|x| b.div(one, x));
    let minus = b.neg(inverse_heat);
    let factor = b.mul(mass, minus);
    b.values = vec![inverse_density, inverse_concentration, minus, heat_slope, factor];
    let epilogue = o.into_step(graph);
    let prologue = Some(build::empty_sums(graph, 3));
    let operation = Operation { name: "gas".into(), states: 3, prologue, iterations, ordered: false, epilogue };
    let names = ["inverse density", "inverse concentration", "minus inverse heat", "heat slope", "factor"];
    let op = graph.add(operation, |_, n| names[n].to_owned());
    let outputs = &graph.ops[op].epilogue.outputs;
    let [inverse_density, inverse_concentration, minus_inverse_heat, heat_slope, factor] =
        [0, 1, 2, 3, 4].map(|n| outputs[n]);
    Gas { inverse_density, inverse_concentration, minus_inverse_heat, heat_slope, factor }
}

/// Values of one species' row.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Part that all entries F share, where there is one.
    base: Option<Value>,
    /// e
    energy: Value,
    /// T e t + c wdot
    heating_slope: Value,
    /// e wdot
    heating: Value,
}

/// Makes t and the base of a row, and stores dYdot/dT.
fn row(
    graph: &mut Graph,
    model: &Model,
    matrix: &Matrix,
    k: usize,
    gas: Gas,
    constant: Constant,
    places: &Places,
) -> Row {
    let species = &model.species()[k];
    let mut sum = |by: By, what: &str| matrix.sum(graph, k, by, format!("{what} of {}", species.name));
    let (rate, slope) = (sum(By::Nothing, "rate"), sum(By::Temperature, "slope"));
    let of_all = match constant {
        Constant::Pressure => sum(By::Scaling, "excess order"),
        Constant::Volume => sum(By::Pressure, "slope by pressure"),
    };
    let mut o = Operands::default();
    let read = |o: &mut Operands, value: Option<Value>| match value {
        Some(value) => o.input(value),
        None => o.body.literal(0.0),
    };
    let (mut t, mut base) = (read(&mut o, slope), matrix.total(k).map(|total| o.input(total)));
    let (rate, of_all) = (rate.map(|value| o.input(value)), of_all.map(|value| o.input(value)));
    let change = match (constant, rate, of_all) {
        (Constant::Pressure, Some(rate), Some(excess)) => Some(o.body.add(rate, excess)),
        (Constant::Pressure, rate, excess) => rate.or(excess),
        (Constant::Volume, _, slope) => slope,
    };
    if let Some(change) = change {
        let by_temperature = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let (of_t, of_base) = match constant {
            Constant::Pressure => {
                let change = o.body.neg(change);
                let per = o.input(gas.inverse_concentration);
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
        base = Some(base.map_or(of_base, |base| o.body.add(base, of_base)));
    }
    let (inverse, weight) = (o.input(gas.inverse_density), o.constant(species.weight));
    let per_mass = o.body.mul(weight, inverse);
    let stores: Vec<(u32, u32)> = place(graph, places, k, matrix.size).into_iter().collect();
    if !stores.is_empty() {
        o.body.stores = vec![o.body.mul(per_mass, t)];
    }
    // Here, and not before: until now nothing reads them.
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let energy = energy::energy(&mut o, &species.thermo, work);
    let capacity = energy::capacity(&mut o, &species.thermo, work);
    let rate = rate.unwrap_or_else(|| o.body.literal(0.0));
    let temperature = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    let heating = o.body.mul(energy, rate);
    let own = o.body.mul(energy, t);
    let of_rate = o.body.mul(capacity, rate);
    let heating_slope = o.body.fma(temperature, own, of_rate);
    o.body.values = [energy, heating_slope, heating].into_iter().chain(base).collect();
    let step = Step { stores, ..o.into_step(graph) };
    let names = ["energy", "heating slope", "heating", "base"];
    let op =
        graph.add(single(format!("row of {}", species.name), step), |_, n| format!("{} {}", names[n], species.name));
    let outputs = &graph.ops[op].epilogue.outputs;
    Row { energy: outputs[0], heating_slope: outputs[1], heating: outputs[2], base: outputs.get(3).copied() }
}

/// Tdot; stores dTdot/dT.
fn mixture(graph: &mut Graph, rows: &[Row], gas: Gas, places: &Places) -> Value {
    let iterations = rows.iter().map(|row| {
        let mut o = Operands::default();
        let values = [row.heating, row.heating_slope].map(|value| o.input(value));
        let sums = [0, 1].map(|n| o.body.state(n));
        o.body.states = sums.iter().zip(values).map(|(&sum, value)| o.body.add(sum, value)).collect();
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let mut o = Operands::default();
    let (minus_inverse, heat_slope) = (o.input(gas.minus_inverse_heat), o.input(gas.heat_slope));
    let b = &mut o.body;
    let (heating, slopes) = (b.state(0), b.state(1));
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    let heating = b.mul(t, heating);
    let change = b.mul(heating, minus_inverse);
    let sum = b.fma(change, heat_slope, slopes);
    b.stores = vec![b.mul(sum, minus_inverse)];
    b.values = vec![change];
    let stores = place(graph, places, rows.len(), rows.len()).into_iter().collect();
    let epilogue = Step { stores, ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 2));
    let operation = Operation { name: "mixture".into(), states: 2, prologue, iterations, ordered: false, epilogue };
    let op = graph.add(operation, |_, _| "heating".to_owned());
    graph.ops[op].epilogue.outputs[0]
}

/// F of all columns of a row; stores W_k/W_j F.
fn entries(
    graph: &mut Graph,
    model: &Model,
    matrix: &mut Matrix,
    k: usize,
    base: Option<Value>,
    places: &Places,
) -> Vec<Option<Value>> {
    let species = model.species();
    let ratio = |j: usize| species[k].weight / species[j].weight;
    matrix.share(k, base);
    let (mut o, mut stores) = (Operands::default(), Vec::new());
    let same = match base {
        Some(base) => o.input(base),
        None => o.body.literal(0.0),
    };
    let mut values = Vec::new();
    for j in 0..matrix.size {
        let place = place(graph, places, k, j);
        if matrix.has_own(k, j) {
            let name = format!("{} by {}", species[k].name, species[j].name);
            let made = matrix.entry(graph, (k, j), name, |o, entry| {
                let ratio = o.constant(ratio(j));
                o.body.stores = vec![o.body.mul(ratio, entry)];
                o.body.values = vec![entry];
                place.into_iter().collect()
            });
            values.push(made.first().copied());
        } else {
            if let Some(place) = place {
                let ratio = o.constant(ratio(j));
                let entry = o.body.mul(ratio, same);
                o.body.stores.push(entry);
                stores.push(place);
            }
            values.push(base);
        }
    }
    if !stores.is_empty() {
        let step = Step { stores, ..o.into_step(graph) };
        graph.add_stores(single(format!("rest of {}", species[k].name), step));
    }
    values
}

/// Adds the parts of a row's entries besides the shared part of F; stores W_k/W_j times these.
fn sparse_entries(
    graph: &mut Graph,
    model: &Model,
    matrix: &mut Matrix,
    k: usize,
    places: &Places,
) -> Vec<Option<Value>> {
    let species = model.species();
    matrix.share(k, None);
    let own = (0..matrix.size).map(|j| {
        if !matrix.has_own(k, j) {
            return None;
        }
        let place = place(graph, places, k, j);
        let name = format!("{} by {}", species[k].name, species[j].name);
        let made = matrix.entry(graph, (k, j), name, |o, entry| {
            let ratio = o.constant(species[k].weight / species[j].weight);
            o.body.stores = vec![o.body.mul(ratio, entry)];
            o.body.values = vec![entry];
            place.into_iter().collect()
        });
        made.first().copied()
    });
    own.collect()
}

/// Stores W_k times what all entries of a row share.
fn store_shared(graph: &mut Graph, model: &Model, k: usize, base: Value, places: &Places) {
    let species = &model.species()[k];
    let Some(place) = place(graph, places, k, model.species().len() + 1) else { return };
    let mut o = Operands::default();
    let (weight, base) = (o.constant(species.weight), o.input(base));
    o.body.stores = vec![o.body.mul(weight, base)];
    let step = Step { stores: vec![place], ..o.into_step(graph) };
    graph.add_stores(single(format!("what {} has of all species", species.name), step));
}

/// Stores dTdot/dY_j.
fn temperature_by(
    graph: &mut Graph,
    model: &Model,
    j: usize,
    (column, shared): (Vec<(Value, Value)>, Option<Value>),
    (factor, change, work): (Value, Value, f64),
    places: &Places,
) {
    let species = &model.species()[j];
    let (energies, entries): (Vec<Value>, Vec<Value>) = column.into_iter().unzip();
    let mut iterations = build::products(graph, &energies, &entries);
    iterations.extend(shared.map(|shared| build::add_term(graph, shared, 1.0)));
    let mut o = Operands::default();
    let (sum, capacity) = (o.body.state(0), energy::capacity(&mut o, &species.thermo, work));
    let (factor, change, inverse) = (o.input(factor), o.input(change), o.constant(1.0 / species.weight));
    let b = &mut o.body;
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    let own = b.mul(change, capacity);
    let bracket = b.fma(t, sum, own);
    let scale = b.mul(factor, inverse);
    b.stores = vec![b.mul(bracket, scale)];
    let stores = place(graph, places, model.species().len(), j).into_iter().collect();
    let epilogue = Step { stores, ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 1));
    let name = format!("temperature by {}", species.name);
    let operation = Operation { name, states: 1, prologue, iterations, ordered: false, epilogue };
    graph.add_stores(operation);
}
