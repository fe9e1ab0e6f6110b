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
//!
//! Sums over species with e_k are a row of their own, in which each reaction has the sum of its e_k as coefficient: so it needs none of
//! the species' entries.

use super::known;
use super::matrix::Matrix;
use super::places::Places;
use super::reaction_slopes::{By, Known, along_temperature};
use super::slope::slope;
use super::terms::heat_row;
use crate::build::{self, Operands, PRESSURE, SCALARS, scalar, scalar_of, single};
use crate::options::MatrixLayout;
use crate::thermodynamics::energy;
use graph::body::Id;
use graph::dataflow::{Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;
use kinetics::reactor::Constant;
use mechanism::SpeciesIndex;

/// Adds the operations behind the reactions' derivatives, and stores all entries.
pub fn add(
    graph: &mut Graph,
    model: &Model,
    matrix: &mut Matrix,
    layout: MatrixLayout,
    places: &Places,
    constant: Constant,
) {
    let gas = gas(graph, model, work(constant));
    let rows: Vec<Row> = (0..matrix.size).map(|k| row(graph, model, matrix, k, gas, constant, places)).collect();
    let heat = heat_release(graph, model, matrix, (&rows, gas), constant, places);
    for (k, row) in rows.iter().enumerate() {
        if layout == MatrixLayout::Sparse && matrix.is_sparse(k) {
            store_shared(graph, model, k, row.base, places);
            sparse_entries(graph, model, matrix, k, places);
        } else {
            entries(graph, model, matrix, k, row.base, places);
        }
    }
    matrix.share(heat_row(&model.mechanism), Some(heat.base));
    for j in 0..matrix.size {
        temperature_by(graph, model, matrix, j, (gas.factor, heat, work(constant)), places);
    }
}

/// Returns what enthalpies over RT and heat capacities over R are less by.
fn work(constant: Constant) -> f64 {
    if constant == Constant::Volume { 1.0 } else { 0.0 }
}

/// e by species.
pub fn energies(graph: &mut Graph, model: &Model, constant: Constant) -> Vec<Value> {
    let energies = model.species().iter().map(|species| {
        let mut o = Operands::default();
        o.body.values = vec![energy::energy(&mut o, &species.thermo, work(constant))];
        known::add(graph, o, format!("energy {}", species.name))
    });
    energies.collect()
}

/// The sum of a reaction's e, each times the net coefficient of its species; none where no species is transported.
pub fn heat(graph: &mut Graph, energies: &[Value], i: usize, net: &[(SpeciesIndex, f64)]) -> Option<Value> {
    let mut o = Operands::default();
    let mut sum = None;
    for &(k, nu) in net.iter().filter(|&&(k, _)| k < energies.len()) {
        let energy = o.input(energies[k]);
        sum = Some(match (sum, nu) {
            (None, 1.0) => energy,
            (Some(sum), 1.0) => o.body.add(sum, energy),
            (Some(sum), -1.0) => o.body.sub(sum, energy),
            (sum, nu) => {
                let nu = o.constant(nu);
                match sum {
                    None => o.body.mul(nu, energy),
                    Some(sum) => o.body.fma(nu, energy, sum),
                }
            }
        });
    }
    o.body.values = vec![sum?];
    Some(known::add(graph, o, format!("heat of {}", i + 1)))
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
    /// wdot
    rate: Option<Value>,
    /// Part that all entries F share.
    base: Value,
}

/// Values of the row of the heat release, in which each species' row is times its e.
#[derive(Debug, Clone, Copy)]
struct Heat {
    /// Part that all entries share.
    base: Value,
    /// Tdot
    change: Value,
}

/// Makes the base of a row, and stores dYdot/dT.
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
    let rate = matrix.sum(graph, k, By::Nothing, format!("rate of {}", species.name));
    let mut o = Operands::default();
    let (t, base) = changed(&mut o, graph, (matrix, k, &species.name), gas, constant);
    let (inverse, weight) = (o.input(gas.inverse_density), o.constant(species.weight));
    let per_mass = o.body.mul(weight, inverse);
    let stores: Vec<(u32, u32)> = place(graph, places, k, matrix.size).into_iter().collect();
    if !stores.is_empty() {
        o.body.stores = vec![o.body.mul(per_mass, t)];
    }
    o.body.values = vec![base];
    let step = Step { stores, ..o.into_step(graph) };
    let op = graph.add(single(format!("row of {}", species.name), step), |_, _| format!("base {}", species.name));
    Row { rate, base: graph.ops[op].epilogue.outputs[0] }
}

/// t of a row and the part that its entries share.
fn changed(
    o: &mut Operands,
    graph: &mut Graph,
    (matrix, row, name): (&Matrix, usize, &str),
    gas: Gas,
    constant: Constant,
) -> (Id, Id) {
    let mut sum = |by: By, what: &str| matrix.sum(graph, row, by, format!("{what} of {name}"));
    let slope = sum(By::Temperature, "slope");
    let change = match constant {
        Constant::Pressure => sum(By::Scaling, "excess order"),
        Constant::Volume => sum(By::Pressure, "slope by pressure"),
    };
    let (mut t, mut base) = (read(o, slope), read(o, matrix.total(row)));
    if let Some(change) = change {
        let change = o.input(change);
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
        base = o.body.add(base, of_base);
    }
    (t, base)
}

/// A value that may be zero.
fn read(o: &mut Operands, value: Option<Value>) -> Id {
    match value {
        Some(value) => o.input(value),
        None => o.body.literal(0.0),
    }
}

/// Tdot and the part that the entries of its row share; stores dTdot/dT.
fn heat_release(
    graph: &mut Graph,
    model: &Model,
    matrix: &Matrix,
    (rows, gas): (&[Row], Gas),
    constant: Constant,
    places: &Places,
) -> Heat {
    let row = heat_row(&model.mechanism);
    let rates = rows.iter().zip(model.species()).filter_map(|(row, species)| Some((row.rate?, species)));
    let iterations = rates.map(|(rate, species)| {
        let mut o = Operands::default();
        let (rate, capacity) = (o.input(rate), energy::capacity(&mut o, &species.thermo, work(constant)));
        let sum = o.body.state(0);
        o.body.states = vec![o.body.fma(capacity, rate, sum)];
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let rate = matrix.sum(graph, row, By::Nothing, "heat release".to_owned());
    let mut o = Operands::default();
    let (slope, base) = changed(&mut o, graph, (matrix, row, "heat release"), gas, constant);
    let (rate, minus_inverse, heat_slope) =
        (read(&mut o, rate), o.input(gas.minus_inverse_heat), o.input(gas.heat_slope));
    let b = &mut o.body;
    let warming = b.state(0);
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    let slopes = b.fma(t, slope, warming);
    let heating = b.mul(t, rate);
    let change = b.mul(heating, minus_inverse);
    let sum = b.fma(change, heat_slope, slopes);
    b.stores = vec![b.mul(sum, minus_inverse)];
    b.values = vec![change, base];
    let stores = place(graph, places, rows.len(), rows.len()).into_iter().collect();
    let epilogue = Step { stores, ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 1));
    let operation = Operation { name: "mixture".into(), states: 1, prologue, iterations, ordered: false, epilogue };
    let names = ["heating", "base of heating"];
    let op = graph.add(operation, |_, n| names[n].to_owned());
    let outputs = &graph.ops[op].epilogue.outputs;
    Heat { change: outputs[0], base: outputs[1] }
}

/// F of all columns of a row; stores W_k/W_j F.
fn entries(graph: &mut Graph, model: &Model, matrix: &mut Matrix, k: usize, base: Value, places: &Places) {
    let species = model.species();
    let ratio = |j: usize| species[k].weight / species[j].weight;
    matrix.share(k, Some(base));
    let (mut o, mut stores) = (Operands::default(), Vec::new());
    let same = o.input(base);
    for j in 0..matrix.size {
        let place = place(graph, places, k, j);
        if matrix.has_own(k, j) {
            let name = format!("{} by {}", species[k].name, species[j].name);
            matrix.entry(graph, (k, j), name, |o, entry| {
                let ratio = o.constant(ratio(j));
                o.body.stores = vec![o.body.mul(ratio, entry)];
                place.into_iter().collect()
            });
        } else if let Some(place) = place {
            let ratio = o.constant(ratio(j));
            let entry = o.body.mul(ratio, same);
            o.body.stores.push(entry);
            stores.push(place);
        }
    }
    if !stores.is_empty() {
        let step = Step { stores, ..o.into_step(graph) };
        graph.add_stores(single(format!("rest of {}", species[k].name), step));
    }
}

/// Adds the parts of a row's entries besides the shared part of F; stores W_k/W_j times these.
fn sparse_entries(graph: &mut Graph, model: &Model, matrix: &mut Matrix, k: usize, places: &Places) {
    let species = model.species();
    matrix.share(k, None);
    for j in (0..matrix.size).filter(|&j| matrix.has_own(k, j)).collect::<Vec<_>>() {
        let place = place(graph, places, k, j);
        let name = format!("{} by {}", species[k].name, species[j].name);
        matrix.entry(graph, (k, j), name, |o, entry| {
            let ratio = o.constant(species[k].weight / species[j].weight);
            o.body.stores = vec![o.body.mul(ratio, entry)];
            place.into_iter().collect()
        });
    }
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
    matrix: &Matrix,
    j: usize,
    (factor, heat, work): (Value, Heat, f64),
    places: &Places,
) {
    let (species, row) = (&model.species()[j], heat_row(&model.mechanism));
    let stores: Vec<(u32, u32)> = place(graph, places, model.species().len(), j).into_iter().collect();
    let finish = |o: &mut Operands, sum: Id| {
        let capacity = energy::capacity(o, &species.thermo, work);
        let (factor, change, inverse) = (o.input(factor), o.input(heat.change), o.constant(1.0 / species.weight));
        let b = &mut o.body;
        let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
        let own = b.mul(change, capacity);
        let bracket = b.fma(t, sum, own);
        let scale = b.mul(factor, inverse);
        b.stores = vec![b.mul(bracket, scale)];
        stores.clone()
    };
    let name = format!("temperature by {}", species.name);
    if matrix.has_own(row, j) {
        matrix.entry(graph, (row, j), name, finish);
        return;
    }
    let mut o = Operands::default();
    let base = o.input(heat.base);
    let stores = finish(&mut o, base);
    let step = Step { stores, ..o.into_step(graph) };
    graph.add_stores(single(name, step));
}
