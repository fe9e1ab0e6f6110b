//! Diffusive fluxes of mass and enthalpy, with the diffusion coefficients of any form (SAND86-8246), the correction velocity, and
//! thermal diffusion of light species.
//!
//! For each species, j*_k = (P/RT) W_k D_k (Theta_k dT/T - dX_k), where (P/RT) W_k X_k is its density; the sum of these over the sum of
//! X_k W_k; what remains when every species gives its share of the sum; its enthalpy.

use super::part;
use super::together::{self, Known};
use crate::build::{self, Operands, SCALARS, scalar, scalar_of, single};
use crate::options::{Kernel, Options, Output, Rows, StateVariables};
use crate::thermodynamics::{begin, energy};
use diagnostics::Diagnostic;
use graph::Units;
use graph::dataflow::{Array, Graph, Operation, Step, Value};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;
use kinetics::thermal_diffusion::LightSpecies;

/// The arrays of the gradients, behind those of the state.
const FRACTION_GRADIENTS: u32 = 3;
const TEMPERATURE_GRADIENT: u32 = 4;

/// Stores the outputs that are asked for.
///
/// Errors: as those of the diffusion kernel.
pub fn build(model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    let fits = part::fits(Kernel::Flux, model)?;
    let (state, units) = (StateVariables::MoleFractions, Units::Si);
    let mut diffusion = part::build(Kernel::Diffusion, model, &Options { state, units, ..*options })?;
    let outputs = options.outputs.for_kernel(Kernel::Flux);
    let species = model.species().len();
    let sizes = Rows { species, reactions: model.mechanism.reactions.len() };
    let mut scalars = together::scalars(std::slice::from_ref(&diffusion));
    scalars.retain(|which| !SCALARS.contains(which));
    let scalars = [&SCALARS[..], &scalars].concat();
    let rows = outputs.iter().map(|output| output.rows(sizes)).sum::<usize>() as u32;
    let mut graph = begin::begin("flux", model, options, "fluxes", rows, &scalars);
    let gradients = Array { name: "mole_fraction_gradients", rows: species as u32, output: false };
    graph.arrays.insert(FRACTION_GRADIENTS as usize, gradients);
    if options.soret {
        let gradient = Array { name: "temperature_gradient", rows: 1, output: false };
        graph.arrays.insert(TEMPERATURE_GRADIENT as usize, gradient);
    }
    let places = build::name_rows(&mut graph, &outputs, sizes);
    let place = |output: Output| places.iter().find(|(known, _)| *known == output).map(|&(_, row)| row);
    let coefficients = together::values(&mut graph, &mut diffusion, &mut Known::new());
    let stored_ratios = place(Output::ThermalDiffusionRatios);
    let ratios = if options.soret || stored_ratios.is_some() {
        ratios(&mut graph, model, &fits.thermal_diffusion, stored_ratios)
    } else {
        vec![None; species]
    };
    let (mass, enthalpy) = (place(Output::MassFluxes), place(Output::EnthalpyFlux));
    if mass.is_none() && enthalpy.is_none() {
        return Ok(graph);
    }
    let thermal: Vec<Option<Value>> = ratios.into_iter().map(|ratio| ratio.filter(|_| options.soret)).collect();
    let uncorrected: Vec<Value> =
        (0..species).map(|k| uncorrected(&mut graph, model, k, coefficients[k], thermal[k])).collect();
    let velocity = correction(&mut graph, model, &uncorrected);
    let mut shares = Vec::new();
    for (k, &flux) in uncorrected.iter().enumerate() {
        let row = mass.map(|first| first + k as u32);
        shares.extend(corrected(&mut graph, model, k, [flux, velocity], row, enthalpy.is_some()));
    }
    if let Some(row) = enthalpy {
        total(&mut graph, &shares, row);
    }
    Ok(graph)
}

/// Theta_k = X_k sum theta_kj X_j of the light species, and zeros in the rows of the others.
fn ratios(graph: &mut Graph, model: &Model, light: &[LightSpecies], first: Option<u32>) -> Vec<Option<Value>> {
    let output = graph.arrays.len() as u32 - 1;
    let species = model.species();
    let mut ratios = vec![None; species.len()];
    for (k, ratio) in ratios.iter_mut().enumerate() {
        let stores: Vec<(u32, u32)> = first.map(|first| (output, first + k as u32)).into_iter().collect();
        let name = format!("thermal diffusion ratio {}", species[k].name);
        let Some(LightSpecies { factors, .. }) = light.iter().find(|light| light.species == k) else {
            if !stores.is_empty() {
                let mut o = Operands::default();
                o.body.stores = vec![build::zero_or_nan(&mut o.body, &SCALARS)];
                let step = Step { stores, ..o.into_step(graph) };
                graph.add_stores(single(name, step));
            }
            continue;
        };
        let iterations = (0..species.len()).filter(|&j| j != k).map(|j| {
            let mut o = Operands::default();
            let t = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
            let [c0, c1, c2, c3] = factors[j].map(|c| o.constant(c));
            let cubic = [c2, c1, c0].into_iter().fold(c3, |sum, c| o.body.fma(sum, t, c));
            let (x, sum) = (o.fraction(j), o.body.state(0));
            o.body.states = vec![o.body.fma(cubic, x, sum)];
            o.into_step(graph)
        });
        let iterations = iterations.collect();
        let mut o = Operands::default();
        let (x, sum) = (o.fraction(k), o.body.state(0));
        let value = o.body.mul(x, sum);
        o.body.values = vec![value];
        o.body.stores = vec![value; stores.len()];
        let epilogue = Step { stores, ..o.into_step(graph) };
        let prologue = Some(build::empty_sums(graph, 1));
        let operation = Operation { name: name.clone(), states: 1, prologue, iterations, ordered: false, epilogue };
        let op = graph.add(operation, |_, _| name.clone());
        *ratio = Some(graph.ops[op].epilogue.outputs[0]);
    }
    ratios
}

/// j*_k of a species' coefficient, and of its thermal diffusion ratio where that counts.
fn uncorrected(graph: &mut Graph, model: &Model, k: usize, coefficient: Value, ratio: Option<Value>) -> Value {
    let species = &model.species()[k];
    let mut o = Operands::default();
    let (coefficient, minus_weight) = (o.input(coefficient), o.constant(-species.weight));
    let mut along = o.field(FRACTION_GRADIENTS, k as u32);
    if let Some(ratio) = ratio {
        let (ratio, gradient) = (o.input(ratio), o.field(TEMPERATURE_GRADIENT, 0));
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let relative = o.body.mul(gradient, inverse);
        let thermal = o.body.mul(ratio, relative);
        along = o.body.sub(along, thermal);
    }
    let total = scalar_of(&mut o.body, &SCALARS, scalar::CONCENTRATION);
    let mass = o.body.mul(total, minus_weight);
    let factor = o.body.mul(mass, coefficient);
    o.body.values = vec![o.body.mul(factor, along)];
    let name = format!("uncorrected flux {}", species.name);
    let step = o.into_step(graph);
    let op = graph.add(single(name.clone(), step), |_, _| name.clone());
    graph.ops[op].epilogue.outputs[0]
}

/// sum j* / sum X W
fn correction(graph: &mut Graph, model: &Model, fluxes: &[Value]) -> Value {
    let iterations = fluxes.iter().enumerate().map(|(k, &flux)| {
        let mut o = Operands::default();
        let (flux, x, weight) = (o.input(flux), o.fraction(k), o.constant(model.species()[k].weight));
        let sums = [o.body.state(0), o.body.state(1)];
        o.body.states = vec![o.body.add(sums[0], flux), o.body.fma(x, weight, sums[1])];
        o.into_step(graph)
    });
    let iterations = iterations.collect();
    let mut o = Operands::default();
    let sums = [o.body.state(0), o.body.state(1)];
    o.body.values = vec![o.body.div(sums[0], sums[1])];
    let (epilogue, prologue) = (o.into_step(graph), Some(build::empty_sums(graph, 2)));
    let name = "correction".to_owned();
    let op = graph
        .add(Operation { name: name.clone(), states: 2, prologue, iterations, ordered: false, epilogue }, |_, _| {
            name.clone()
        });
    graph.ops[op].epilogue.outputs[0]
}

/// j*_k - X_k W_k times the correction, stored in a row; and h_k j_k over RT where that is wanted.
fn corrected(
    graph: &mut Graph,
    model: &Model,
    k: usize,
    [flux, correction]: [Value; 2],
    row: Option<u32>,
    with_enthalpy: bool,
) -> Option<Value> {
    let species = &model.species()[k];
    let output = graph.arrays.len() as u32 - 1;
    let mut o = Operands::default();
    let (flux, correction) = (o.input(flux), o.input(correction));
    let (x, minus_weight) = (o.fraction(k), o.constant(-species.weight));
    let minus_mass = o.body.mul(x, minus_weight);
    let flux = o.body.fma(minus_mass, correction, flux);
    if with_enthalpy {
        let energy = energy::energy(&mut o, &species.thermo, 0.0);
        let inverse = o.constant(1.0 / species.weight);
        let amount = o.body.mul(flux, inverse);
        o.body.values = vec![o.body.mul(energy, amount)];
    }
    o.body.stores = row.map(|_| flux).into_iter().collect();
    let step = Step { stores: row.map(|row| (output, row)).into_iter().collect(), ..o.into_step(graph) };
    let op =
        graph.add(single(format!("flux {}", species.name), step), |_, _| format!("enthalpy flux {}", species.name));
    graph.ops[op].epilogue.outputs.first().copied()
}

/// Stores RT times the sum of the shares.
fn total(graph: &mut Graph, shares: &[Value], row: u32) {
    let output = graph.arrays.len() as u32 - 1;
    let iterations = shares.iter().map(|&share| build::add_term(graph, share, 1.0)).collect();
    let mut o = Operands::default();
    let (sum, gas_constant) = (o.body.state(0), o.body.literal(GAS_CONSTANT));
    let t = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    let rt = o.body.mul(gas_constant, t);
    o.body.stores = vec![o.body.mul(sum, rt)];
    let epilogue = Step { stores: vec![(output, row)], ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 1));
    let operation =
        Operation { name: "enthalpy flux".into(), states: 1, prologue, iterations, ordered: false, epilogue };
    graph.add_stores(operation);
}
