//! The product of a reactor's Jacobian with a vector, without the matrix: derivatives of its tendencies along a direction.
//!
//! The direction of mass fractions and temperature, v and v_T, gives one of concentrations, of third bodies and activities, and of the
//! pressure; each reaction adds up its derivatives along these, and rows are sums over reactions as in the chemistry kernel. With
//! C_k = rho Y_k/W_k, S = rho sum v_k/W_k and r the relative change of the density,
//!
//! r = -(v_T/T + S/C), dP = 0 at constant pressure; r = 0, dP = R T S + P v_T/T at constant volume; dC_k = rho v_k/W_k + r C_k.
//!
//! Row k is W_k/rho (dwdot_k - r wdot_k). With e_k = h_k/RT and c_k = cp_k/R, each less by 1 at constant volume, and H = sum C_k c_k, the last
//! row is -1/H (T sum e_k dwdot_k + v_T sum c_k wdot_k + Tdot (sum c_k dC_k + v_T sum C_k dc_k/dT)).

use super::reaction_slopes::{By, Known, Requested, along_temperature, derivatives};
use super::slope::slope;
use super::terms::{Factor, Term, Terms, summed, term};
use super::{known, qssa_slopes};
use crate::build::{self, Operands, PRESSURE, SCALARS, scalar, scalar_of, single};
use crate::chemistry::inputs;
use crate::options::Options;
use crate::rates::plan::{self, Plan};
use crate::rates::sources::Sources;
use crate::thermodynamics::{begin, energy};
use graph::body::{Body, Id};
use graph::dataflow::{Array, Graph, Operation, Step, Value};
use kinetics::constants::GAS_CONSTANT;
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};

/// The array of the direction, behind those of the state.
const VECTOR: u32 = 3;

/// The product's rows: of each mass fraction, then of the temperature.
pub fn build(model: &Model, options: &Options, constant: Constant) -> Graph {
    let mechanism = &model.mechanism;
    let size = model.species().len();
    let scalars = inputs::scalars(&mechanism.reactions);
    let name = match constant {
        Constant::Pressure => "isobaric_jacobian_vector",
        Constant::Volume => "isochoric_jacobian_vector",
    };
    let mut graph = begin::begin(name, model, options, "product", size as u32 + 1, &scalars);
    graph.arrays.insert(VECTOR as usize, Array { name: "vector", rows: size as u32 + 1, output: false });
    let options = &Options { stage_inputs: true, ..*options };
    let plans: Vec<Plan> = mechanism.reactions.iter().map(|r| plan::plan(mechanism, r, Stiffness::Off)).collect();
    let mut sources = inputs::sources(&mut graph, model, options, &plans, &scalars, true);
    qssa_slopes::solve(&mut graph, mechanism, &plans, &mut sources);
    let known = known::known(&mut graph, model, &sources);
    let direction = Direction::new(&mut graph, model, &sources, constant);
    let wanted = Requested { rate: true, scaling: false, pressure: constant == Constant::Volume, apart: false };
    let mut terms: Vec<Vec<(Rates, f64)>> = vec![Vec::new(); size];
    let mut quasi_steady = Terms::new();
    for (i, (r, plan)) in mechanism.reactions.iter().zip(&plans).enumerate() {
        let net = plan::net_coefficients(r);
        if net.is_empty() || plan.live == [false; 2] {
            continue;
        }
        let mut o = Operands::default();
        let all = derivatives(&mut o, i, r, plan.live, &sources, &known, wanted).made;
        let rate = all.iter().find(|(by, _)| *by == By::Nothing).map(|&(_, id)| id);
        let solved: Vec<(By, Id)> = all.iter().copied().filter(|&(by, _)| is_by_any(by, size)).collect();
        let mut change = None;
        for &(by, id) in all.iter().filter(|&&(by, _)| by != By::Nothing && !is_by_any(by, size)) {
            let along = o.input(direction.component(by));
            change = Some(match change {
                None => o.body.mul(id, along),
                Some(sum) => o.body.fma(id, along, sum),
            });
        }
        let [rate, change] = [rate, change].map(|id| id.unwrap_or_else(|| o.body.literal(0.0)));
        o.body.values = [rate, change].into_iter().chain(solved.iter().map(|&(_, id)| id)).collect();
        let step = o.into_step(&mut graph);
        let names = ["rate", "change"];
        let op = graph.add(single(format!("change of {} {}", i + 1, r.equation), step), |_, n| {
            format!("{} of {}", names.get(n).unwrap_or(&"slope"), i + 1)
        });
        let outputs = graph.ops[op].epilogue.outputs.clone();
        let rates = Rates::from_outputs(&outputs);
        for &(k, nu) in &net {
            match terms.get_mut(k) {
                Some(terms) => terms.push((rates, nu)),
                None => add(&mut quasi_steady, (k, By::Vector), rates.change, nu),
            }
            solved.iter().zip(&outputs[2..]).for_each(|(&(by, _), &slope)| add(&mut quasi_steady, (k, by), slope, nu));
        }
    }
    qssa_slopes::eliminate(&mut graph, mechanism, &known::inverses(model, &sources), &mut quasi_steady);
    let through = |k: usize| quasi_steady.get(&(k, By::Vector)).map_or(&[][..], Vec::as_slice);
    let rows = (0..size).map(|k| row(&mut graph, model, &terms[k], through(k), k, &direction, constant));
    let rows: Vec<Row> = rows.collect();
    temperature(&mut graph, &rows, &direction);
    graph
}

/// Whether a derivative is by a quasi-steady species; these come behind the others.
fn is_by_any(by: By, transported: usize) -> bool {
    matches!(by, By::Concentration(k) | By::Activity(k) if k >= transported)
}

fn add(terms: &mut Terms, key: (usize, By), value: Value, nu: f64) {
    terms.entry(key).or_default().push((value, Factor::Number(nu)));
}

/// A rate and its derivative along the direction.
#[derive(Debug, Clone, Copy)]
struct Rates {
    rate: Value,
    change: Value,
}

impl Rates {
    fn from_outputs(outputs: &[Value]) -> Self {
        Self { rate: outputs[0], change: outputs[1] }
    }
}

/// The direction of the quantities that rates depend on, and of the mixture.
struct Direction {
    /// dC by species
    concentrations: Vec<Value>,
    /// d(C/K) at constant K by species, where there are activities
    activities: Vec<Option<Value>>,
    third_bodies: Vec<Value>,
    temperature: Value,
    pressure: Option<Value>,
    /// r
    density: Option<Value>,
    inverse_density: Value,
    /// -1/H
    minus_inverse_heat: Value,
    /// sum C dc/dT
    heat_slope: Value,
}

impl Direction {
    fn new(graph: &mut Graph, model: &Model, sources: &Sources<'_>, constant: Constant) -> Self {
        let species = model.species();
        let [density, inverse_density, minus_inverse_heat, heat_slope, amounts] = gas(graph, model, constant);
        let one = |graph: &mut Graph, o: Operands, name: &str| {
            let step = o.into_step(graph);
            let op = graph.add(single(name.to_owned(), step), |_, _| name.to_owned());
            graph.ops[op].epilogue.outputs[0]
        };
        let mut o = Operands::default();
        o.body.values = vec![o.field(VECTOR, species.len() as u32)];
        let temperature = one(graph, o, "direction of the temperature");
        let mut o = Operands::default();
        let (along, amounts) = (o.input(temperature), o.input(amounts));
        let inverse = scalar_of(&mut o.body, &SCALARS, scalar::INVERSE_TEMPERATURE);
        let relative = o.body.mul(along, inverse);
        let (pressure, change) = match constant {
            Constant::Pressure => {
                let total = scalar_of(&mut o.body, &SCALARS, scalar::CONCENTRATION);
                let share = o.body.div(amounts, total);
                let sum = o.body.add(relative, share);
                o.body.values = vec![o.body.neg(sum)];
                (None, Some(one(graph, o, "direction of the density")))
            }
            Constant::Volume => {
                let (p, t) = (o.field(PRESSURE, 0), scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE));
                let gas_constant = o.body.literal(GAS_CONSTANT);
                let rt = o.body.mul(t, gas_constant);
                let of_amounts = o.body.mul(rt, amounts);
                o.body.values = vec![o.body.fma(p, relative, of_amounts)];
                (Some(one(graph, o, "direction of the pressure")), None)
            }
        };
        let concentrations: Vec<Value> = (0..species.len())
            .map(|k| {
                let mut o = Operands::default();
                let (v, density, inverse) = (o.field(VECTOR, k as u32), o.input(density), species[k].weight);
                let inverse = o.constant(1.0 / inverse);
                let per_mass = o.body.mul(density, inverse);
                let mut value = o.body.mul(per_mass, v);
                if let Some(change) = change {
                    let (change, c) = (o.input(change), o.concentration(sources, k));
                    value = o.body.fma(change, c, value);
                }
                o.body.values = vec![value];
                one(graph, o, &format!("direction of {}", species[k].name))
            })
            .collect();
        let inverses = sources.log_space.as_ref().map(|log_space| log_space.activities.inverse.clone());
        let inverses = inverses.unwrap_or_else(|| vec![None; species.len()]);
        let activities = (0..species.len()).map(|k| {
            let inverse = inverses.get(k).copied().flatten()?;
            let mut o = Operands::default();
            let (along, inverse) = (o.input(concentrations[k]), o.input(inverse));
            o.body.values = vec![o.body.mul(along, inverse)];
            Some(one(graph, o, &format!("direction of the activity of {}", species[k].name)))
        });
        let activities = activities.collect();
        let third_bodies = sources.third_bodies.iter().enumerate().map(|(m, (efficiencies, _))| {
            let efficiency = |k: usize| efficiencies.iter().find(|(j, _)| *j == k).map_or(1.0, |(_, alpha)| *alpha);
            let terms = (0..species.len()).map(|k| (concentrations[k], efficiency(k)));
            let terms = terms.filter(|&(_, alpha)| alpha != 0.0).map(|(value, alpha)| (value, Factor::Number(alpha)));
            let terms: Vec<Term> = terms.collect();
            summed(graph, &terms, format!("direction of third body {}", m + 1))
        });
        let third_bodies = third_bodies.collect();
        Self {
            concentrations,
            activities,
            third_bodies,
            temperature,
            pressure,
            density: change,
            inverse_density,
            minus_inverse_heat,
            heat_slope,
        }
    }

    /// Returns the direction's component for a quantity that a reaction depends on directly.
    fn component(&self, by: By) -> Value {
        match by {
            By::Temperature => self.temperature,
            By::Pressure => self.pressure.expect("derivatives by pressure are wanted where it changes"),
            By::ThirdBody(m) => self.third_bodies[m],
            By::Concentration(k) => self.concentrations[k],
            By::Activity(k) => self.activities[k].expect("a species with activities has 1/K"),
            By::Nothing | By::Scaling | By::Vector => unreachable!("neither is a direction"),
        }
    }
}

/// rho, 1/rho, -1/H, sum C dc/dT and S.
fn gas(graph: &mut Graph, model: &Model, constant: Constant) -> [Value; 5] {
    let iterations = model.species().iter().enumerate().map(|(k, species)| {
        let mut o = Operands::default();
        let capacity = energy::capacity(&mut o, &species.thermo, work(constant));
        let along = |o: &mut Operands, inst| along_temperature(o, inst, &SCALARS, &Known::default());
        let capacity_slope = slope(&mut o, capacity, &along).unwrap_or_else(|| o.body.literal(0.0));
        let (concentration, weight) = (o.loaded(k), o.constant(species.weight));
        let (v, inverse) = (o.field(VECTOR, k as u32), o.constant(1.0 / species.weight));
        let sums = [0, 1, 2, 3].map(|n| o.body.state(n));
        let products =
            [(concentration, weight), (concentration, capacity), (concentration, capacity_slope), (v, inverse)];
        o.body.states = sums.iter().zip(products).map(|(&sum, (a, b))| o.body.fma(a, b, sum)).collect();
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let mut b = Body::default();
    let ([density, heat, heat_slope, amounts], one) = ([0, 1, 2, 3].map(|n| b.state(n)), b.literal(1.0));
    let [inverse_density, inverse_heat] = [density, heat].map(|x| b.div(one, x));
    let (minus, amounts) = (b.neg(inverse_heat), b.mul(density, amounts));
    b.values = vec![density, inverse_density, minus, heat_slope, amounts];
    let epilogue = build::step(graph.shape(b), vec![], vec![], vec![]);
    let prologue = Some(build::empty_sums(graph, 4));
    let operation = Operation { name: "gas".into(), states: 4, prologue, iterations, ordered: false, epilogue };
    let names = ["density", "inverse density", "minus inverse heat", "heat slope", "direction of amounts"];
    let op = graph.add(operation, |_, n| names[n].to_owned());
    let outputs = &graph.ops[op].epilogue.outputs;
    [0, 1, 2, 3, 4].map(|n| outputs[n])
}

/// Returns the amount subtracted from enthalpies over RT and heat capacities over R.
fn work(constant: Constant) -> f64 {
    if constant == Constant::Volume { 1.0 } else { 0.0 }
}

/// Values of one species: e wdot; T e dwdot + v_T c wdot; c dC.
#[derive(Debug, Clone, Copy)]
struct Row {
    heating: Value,
    change: Value,
    capacity: Value,
}

/// Stores the row of a species.
fn row(
    graph: &mut Graph,
    model: &Model,
    terms: &[(Rates, f64)],
    through: &[Term],
    k: usize,
    direction: &Direction,
    constant: Constant,
) -> Row {
    let (species, output) = (&model.species()[k], graph.arrays.len() as u32 - 1);
    let iterations = terms.iter().map(|&(Rates { rate, change }, nu)| {
        let mut o = Operands::default();
        let (rate, change, nu) = (o.input(rate), o.input(change), o.constant(nu));
        let sums = [0, 1].map(|n| o.body.state(n));
        o.body.states = [rate, change].iter().zip(sums).map(|(&x, sum)| o.body.fma(nu, x, sum)).collect();
        o.into_step(graph)
    });
    let mut iterations: Vec<Step> = iterations.collect();
    // Terms that quasi-steady species add to the change.
    iterations.extend(through.iter().map(|&(value, factor)| term(graph, 1, 2, value, factor)));
    let mut o = Operands::default();
    let [rate, change] = [0, 1].map(|n| o.body.state(n));
    let (inverse, weight) = (o.input(direction.inverse_density), o.constant(species.weight));
    let per_mass = o.body.mul(weight, inverse);
    let mut of_mass = change;
    if let Some(density) = direction.density {
        let density = o.input(density);
        let diluted = o.body.mul(density, rate);
        of_mass = o.body.sub(change, diluted);
    }
    o.body.stores = vec![o.body.mul(per_mass, of_mass)];
    let energy = energy::energy(&mut o, &species.thermo, work(constant));
    let capacity = energy::capacity(&mut o, &species.thermo, work(constant));
    let (along_t, along_c) = (o.input(direction.temperature), o.input(direction.concentrations[k]));
    let t = scalar_of(&mut o.body, &SCALARS, scalar::TEMPERATURE);
    let b = &mut o.body;
    let heating = b.mul(energy, rate);
    let (own, heat) = (b.mul(energy, change), b.mul(capacity, rate));
    let heat = b.mul(along_t, heat);
    let (change, capacity) = (b.fma(t, own, heat), b.mul(capacity, along_c));
    b.values = vec![heating, change, capacity];
    let epilogue = Step { stores: vec![(output, k as u32)], ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 2));
    let name = format!("mass fraction {}", species.name);
    let operation = Operation { name, states: 2, prologue, iterations, ordered: false, epilogue };
    let names = ["heating", "change of heating", "change of capacity"];
    let op = graph.add(operation, |_, n| format!("{} {}", names[n], species.name));
    let outputs = &graph.ops[op].epilogue.outputs;
    Row { heating: outputs[0], change: outputs[1], capacity: outputs[2] }
}

/// Stores the row of the temperature.
fn temperature(graph: &mut Graph, rows: &[Row], direction: &Direction) {
    let output = graph.arrays.len() as u32 - 1;
    let iterations = rows.iter().map(|row| {
        let mut o = Operands::default();
        let values = [row.heating, row.change, row.capacity].map(|value| o.input(value));
        let sums = [0, 1, 2].map(|n| o.body.state(n));
        o.body.states = sums.iter().zip(values).map(|(&sum, value)| o.body.add(sum, value)).collect();
        o.into_step(graph)
    });
    let iterations: Vec<Step> = iterations.collect();
    let mut o = Operands::default();
    let (minus_inverse, heat_slope) = (o.input(direction.minus_inverse_heat), o.input(direction.heat_slope));
    let along = o.input(direction.temperature);
    let b = &mut o.body;
    let [heating, change, capacity] = [0, 1, 2].map(|n| b.state(n));
    let t = scalar_of(b, &SCALARS, scalar::TEMPERATURE);
    let heating = b.mul(t, heating);
    let tendency = b.mul(heating, minus_inverse);
    let capacity = b.fma(along, heat_slope, capacity);
    let sum = b.fma(tendency, capacity, change);
    b.stores = vec![b.mul(sum, minus_inverse)];
    let epilogue = Step { stores: vec![(output, rows.len() as u32)], ..o.into_step(graph) };
    let prologue = Some(build::empty_sums(graph, 3));
    let operation = Operation { name: "temperature".into(), states: 3, prologue, iterations, ordered: false, epilogue };
    graph.add_stores(operation);
}
