//! Derivatives of the chemistry: of net production rates by concentrations and temperature, and of the tendencies of a closed reactor by
//! mass fractions and temperature.
//!
//! The operations are
//!
//! - those of the chemistry kernel up to third bodies,
//! - each reaction's derivatives by its direct variables ([`reaction_slopes`](super::reaction_slopes)). For a sparse matrix these are
//!   without products of concentrations, which belong to their column,
//! - a sum of these for each entry that some reaction reaches.
//!
//! Third bodies, on which all species act, and activities are eliminated last. An entry takes the sum over a row's third bodies, corrected
//! if the efficiency of its species is not 1. A column's sum of derivatives by activity is divided once by the equilibrium constant.

use std::cmp::Ordering;

use super::known::{inverses, known};
use super::matrix::Matrix;
use super::places::Places;
use super::reaction_slopes::{By, Product, Requested, apart, derivatives};
use super::terms::{Factor, Terms};
use super::{qssa_slopes, reactor_slopes};
use crate::build::{Operands, single};
use crate::chemistry::inputs;
use crate::options::{MatrixLayout, Options};
use crate::rates::plan::{self, Plan};
use crate::thermodynamics::begin;
use graph::body::Id;
use graph::dataflow::{Graph, Quantity, Step, Value};
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};
use mechanism::SpeciesIndex;

/// Column by column: of production rates by concentrations, then temperature; with a constant, of dY/dt and dT/dt by mass fractions, then
/// temperature.
pub fn build(model: &Model, options: &Options, constant: Option<Constant>) -> Graph {
    build_in(model, options, constant, MatrixLayout::Entries(options.storage))
}

/// The derivatives of a reactor's tendencies as a sparse part and one column with the shared part of each row's entries.
pub fn build_sparse(model: &Model, options: &Options, constant: Constant) -> Graph {
    build_in(model, options, Some(constant), MatrixLayout::Sparse)
}

fn build_in(model: &Model, options: &Options, constant: Option<Constant>, layout: MatrixLayout) -> Graph {
    let mechanism = &model.mechanism;
    let size = model.species().len();
    let scalars = inputs::scalars(&mechanism.reactions);
    let rates = if options.with_rates && constant.is_none() { size } else { 0 };
    let (name, rows) = match constant {
        None => ("jacobian", size * (size + 1) + rates),
        Some(Constant::Pressure) => ("isobaric_jacobian", (size + 1) * (size + 1)),
        Some(Constant::Volume) => ("isochoric_jacobian", (size + 1) * (size + 1)),
    };
    let mut graph = begin::begin(name, model, options, "jacobian", rows as u32, &scalars);
    let options = &Options { stage_inputs: true, ..*options };
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| plan::plan(mechanism, r, Stiffness::Off)).collect();
    let mut sources = inputs::sources(&mut graph, model, options, &plans, &scalars, true);
    qssa_slopes::solve(&mut graph, mechanism, &plans, &mut sources);
    let known = known(&mut graph, model, &sources);
    let wanted = Requested {
        rate: constant.is_some() || rates > 0,
        scaling: constant == Some(Constant::Pressure),
        pressure: constant == Some(Constant::Volume),
        apart: layout == MatrixLayout::Sparse,
    };
    let mut terms = Terms::new();
    let mut products: Vec<(usize, Value, Product)> = Vec::new();
    for (i, (r, plan)) in mechanism.reactions.iter().zip(&plans).enumerate() {
        let net = plan::net_coefficients(r);
        if net.is_empty() || plan.live == [false; 2] {
            continue;
        }
        let mut o = Operands::default();
        let all = derivatives(&mut o, i, r, plan.live, &sources, &known, wanted);
        let mut scaled: Vec<Id> = all.apart.iter().map(|product| product.scaled).collect();
        scaled.sort_unstable();
        scaled.dedup();
        o.body.values = all.made.iter().map(|&(_, id)| id).chain(scaled.iter().copied()).collect();
        let step = o.into_step(&mut graph);
        let name = format!("derivatives {} {}", i + 1, r.equation);
        let op = graph.add(single(name, step), |_, n| format!("derivative {} of {}", n + 1, i + 1));
        let (made, kept) = graph.ops[op].epilogue.outputs.split_at(all.made.len());
        for (&(by, _), &value) in all.made.iter().zip(made) {
            add_terms(&mut terms, by, value, &net);
        }
        products.extend(all.apart.into_iter().map(|product| {
            let place = scaled.binary_search(&product.scaled).expect("it is among them");
            (i, kept[place], product)
        }));
    }
    for (i, scaled, product) in products {
        let (By::Concentration(k) | By::Activity(k)) = product.by else { unreachable!("products are by species") };
        let step = apart(&mut graph, scaled, &product);
        let name = format!("derivative {} by {}", i + 1, mechanism.species[k].name);
        let op = graph.add(single(name.clone(), step), |_, _| name.clone());
        let net = plan::net_coefficients(&mechanism.reactions[i]);
        add_terms(&mut terms, product.by, graph.ops[op].epilogue.outputs[0], &net);
    }
    let inverse = inverses(model, &sources);
    qssa_slopes::eliminate(&mut graph, mechanism, &inverse, &mut terms);
    let mut matrix = Matrix::new(&mut graph, model, &sources, inverse, terms);
    let places = places(&mut graph, &matrix, layout, constant, rates as u32);
    match constant {
        None => {
            store(&mut graph, model, &matrix, &places);
            if rates > 0 {
                store_rates(&mut graph, model, &matrix);
            }
        }
        Some(constant) => reactor_slopes::add(&mut graph, model, &mut matrix, layout, &places, constant),
    }
    graph
}

/// Adds a derivative of a reaction to the rows that it changes.
fn add_terms(terms: &mut Terms, by: By, value: Value, net: &[(SpeciesIndex, f64)]) {
    for &(k, nu) in net {
        terms.entry((k, by)).or_default().push((value, Factor::Number(nu)));
    }
}

/// Returns the places of stored entries; tells the graph their number and meaning, and those of the production rates behind them.
fn places(graph: &mut Graph, matrix: &Matrix, layout: MatrixLayout, constant: Option<Constant>, rates: u32) -> Places {
    let size = matrix.size;
    let rows = if constant.is_some() { size + 1 } else { size };
    let columns = if layout == MatrixLayout::Sparse { size + 2 } else { size + 1 };
    let is_stored = |row: usize, column: usize| {
        let changes = row < size && has_change(matrix, row, constant);
        let is_shared = changes || row < size && matrix.total(row).is_some();
        let is_apart = layout == MatrixLayout::Sparse && row < size && matrix.is_sparse(row);
        match column.cmp(&size) {
            Ordering::Less => row == size || matrix.has_own(row, column) || is_shared && !is_apart,
            Ordering::Equal => row == size || changes || matrix.has(row, By::Temperature),
            Ordering::Greater => is_shared && is_apart,
        }
    };
    let places = Places::new(layout, rows, columns, is_stored);
    if let Some(pattern) = places.pattern() {
        graph.arrays.last_mut().expect("a kernel has an output").rows = pattern.len() as u32 + rates;
        graph.pattern = pattern;
    }
    if constant.is_none() {
        let all = graph.arrays.last().expect("a kernel has an output").rows - rates;
        let first = (0..size).find_map(|row| places.get(row, size)).unwrap_or(all);
        let names = [("by-concentrations", 0, first), ("by-temperature", first, all - first)];
        let of_rates = (rates > 0).then_some(("production-rates", all, rates));
        let named =
            names.into_iter().chain(of_rates).map(|(name, first, rows)| Quantity { name: name.into(), first, rows });
        graph.quantities.extend(named);
    }
    places
}

/// Whether the entries of a row have a part by pressure or density, which all species change.
/// At constant pressure the part is zero where all reactions of the row are of first order.
fn has_change(matrix: &Matrix, row: usize, constant: Option<Constant>) -> bool {
    match constant {
        None => false,
        Some(Constant::Pressure) => matrix.has(row, By::Scaling) || matrix.has(row, By::Nothing),
        Some(Constant::Volume) => matrix.has(row, By::Pressure),
    }
}

/// Stores the derivatives of production rates.
fn store(graph: &mut Graph, model: &Model, matrix: &Matrix, places: &Places) {
    let (output, size) = (graph.arrays.len() as u32 - 1, matrix.size);
    let species = model.species();
    let place = |row: usize, column: usize| places.get(row, column).map(|place| (output, place));
    for row in 0..size {
        let mut rest = Vec::new();
        for column in 0..size {
            if !matrix.has_own(row, column) {
                rest.extend(place(row, column));
                continue;
            }
            let name = format!("{} by {}", species[row].name, species[column].name);
            matrix.entry(graph, (row, column), name, |o, entry| {
                o.body.stores = vec![entry];
                place(row, column).into_iter().collect()
            });
        }
        let name = format!("{} by temperature", species[row].name);
        let value = matrix.sum(graph, row, By::Temperature, name);
        let mut o = Operands::default();
        let slope = match value {
            Some(value) => o.input(value),
            None => o.body.literal(0.0),
        };
        let same = match matrix.total(row) {
            Some(total) if !rest.is_empty() => o.input(total),
            _ => o.body.literal(0.0),
        };
        o.body.stores = vec![same; rest.len()];
        if let Some(place) = place(row, size) {
            o.body.stores.push(slope);
            rest.push(place);
        }
        if rest.is_empty() {
            continue;
        }
        let step = Step { stores: rest, ..o.into_step(graph) };
        graph.add_stores(single(format!("rest of {}", species[row].name), step));
    }
}

/// Stores the production rates behind their derivatives.
fn store_rates(graph: &mut Graph, model: &Model, matrix: &Matrix) {
    let output = graph.arrays.len() as u32 - 1;
    let first = graph.arrays[output as usize].rows - matrix.size as u32;
    for (k, species) in model.species().iter().enumerate() {
        let sum = matrix.sum(graph, k, By::Nothing, format!("production {}", species.name));
        let mut o = Operands::default();
        let rate = match sum {
            Some(sum) => o.input(sum),
            None => o.body.literal(0.0),
        };
        o.body.stores = vec![rate];
        let step = Step { stores: vec![(output, first + k as u32)], ..o.into_step(graph) };
        graph.add_stores(single(format!("rate of {}", species.name), step));
    }
}
