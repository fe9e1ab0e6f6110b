//! Expected results of a kernel: the bits of its dataflow graph in the proven order, and the reference evaluator's
//! values within a tolerance.

use std::collections::BTreeSet;

use diagnostics::Diagnostic;
use kinetics::approximation::range::TemperatureRange;
use kinetics::flux::{Gradients, fluxes};
use kinetics::integrator::advance;
use kinetics::progress::progress;
use kinetics::properties::{Judged, Molar, Properties, properties, source_terms};
use kinetics::reactor::{self, Constant};
use kinetics::{self, Model, Production, Reduced, State, Stiffness};
use kinetics::{inverse, jacobian, thermal_diffusion};

use super::simulate::{self, gradients, vector};
use super::{Subject, inputs};
use graph::interpret::{Arithmetic as Number, Evaluation};
use graph::single::together;
use graph::{Graph, Op, Units};
use kernels::{FLOOR, Io, Kernel, Output, Property, TRANSPORT_PARTS};
use overlay::program::{Arithmetic, Program};

/// States that a kernel is verified on: where its temperatures come from energies, those that are proven to do. Arrays of singles hold them without a rounding.
pub fn states(model: &Model, graph: &Graph, program: &Program, count: usize) -> Vec<State> {
    let range = graph.range.filter(|_| energy(graph).is_some()).unwrap_or(TemperatureRange::DEFAULT);
    let mut states = kinetics::verification_states_within(model, count, range);
    if program.io() == Io::Single {
        let rounded = |x: f64| f64::from(x as f32);
        for State { temperature, pressure, mole_fractions } in &mut states {
            *temperature = rounded(*temperature);
            *pressure = rounded(*pressure / graph.units.to_si("pressure")) * graph.units.to_si("pressure");
            mole_fractions.iter_mut().for_each(|x| *x = rounded(*x));
        }
    }
    states
}

/// Returns the quantity that stays constant where an energy tells the state: the volume for energy, the pressure for enthalpy.
fn energy(graph: &Graph) -> Option<Constant> {
    match graph.arrays[0].name {
        "energy" => Some(Constant::Volume),
        "enthalpy" => Some(Constant::Pressure),
        _ => None,
    }
}

/// kmol/m3/s: what rates in single precision may err by beside what is relative, as the numbers are that they are made of.
const LEAST_RATE: f64 = 1e-20;

/// Adds to what errors are relative to what rates in single precision may err by in any case.
pub fn with_least(kernel: Kernel, graph: &Graph, scale: &mut [f64]) {
    if !kernel.is_transport() {
        let least = |row: usize| LEAST_RATE * graph.units.from_si(graph.quantity(row as u32));
        scale.iter_mut().enumerate().for_each(|(row, scale)| *scale += least(row));
    }
}

/// The outputs that are expected on one state.
pub(super) struct Expected {
    pub(super) scheduled: Vec<f64>,
    reference: Vec<f64>,
    /// Scale of the errors against the reference.
    pub(super) scale: Vec<f64>,
}

/// What is told of the progress: states done, and all.
pub type Progress<'a> = &'a dyn Fn(usize, usize);

/// The outputs that are expected on some states.
pub(super) fn expected_on(subject: &Subject<'_>, states: &[State], progress: Progress<'_>) -> Vec<Expected> {
    let numbered = states.iter().enumerate();
    numbered
        .map(|(done, state)| {
            progress(done, states.len());
            expected(subject, state)
        })
        .collect()
}

pub(super) fn expected(subject: &Subject<'_>, state: &State) -> Expected {
    let scheduled = in_schedule_order(subject, state);
    let (reference, mut scale) = reference(subject.kernel, subject.model, subject.graph, subject.stiffness, state);
    if subject.program.arithmetic != Arithmetic::Double {
        with_least(subject.kernel, subject.graph, &mut scale);
    }
    Expected { scheduled, reference, scale }
}

/// Outputs of a text, in arrays of so many points and this stride.
pub(super) struct Outputs<'a> {
    pub(super) values: &'a [f64],
    pub(super) points: usize,
    pub(super) stride: usize,
    /// The text rounds as the graph does, so that the bits are the same.
    pub(super) have_bits: bool,
}

impl<'a> Outputs<'a> {
    pub(super) fn with_bits(values: &'a [f64], points: usize, stride: usize) -> Self {
        Self { values, points, stride, have_bits: true }
    }
}

/// Judges the outputs of the text that `what` names. Point p has state p modulo the number of states. Returns the largest
/// error against the reference.
///
/// Errors: an output that differs from the graph's, where it has its bits, or is too far from the reference.
pub(super) fn judge(
    subject: &Subject<'_>,
    what: &str,
    states: &[State],
    expected: &[Expected],
    &Outputs { values, points, stride, have_bits }: &Outputs<'_>,
) -> Result<f64, Vec<Diagnostic>> {
    let mut violations = Vec::new();
    let mut worst = 0.0f64;
    let tolerance = allowed(subject);
    for point in 0..points {
        let (state, expected) = (&states[point % states.len()], &expected[point % states.len()]);
        for (row, &value) in stored(subject.graph, values, point, stride) {
            let scheduled = expected.scheduled[row];
            if have_bits && value.to_bits() != scheduled.to_bits() {
                let text = format!("{what} gives {value:e} and its dataflow graph {scheduled:e}");
                violations.push(violation("verify::not-the-graph", subject, row, state, &text));
            }
            let error = relative(value, expected.reference[row], expected.scale[row]);
            worst = worst.max(error);
            if error > tolerance {
                let text = format!(
                    "{what}: {value:e} differs from the reference {:e} by {error:.1e} (allowed {tolerance:.0e})",
                    expected.reference[row]
                );
                violations.push(violation("verify::not-the-reference", subject, row, state, &text));
            }
        }
        if violations.len() > MOST_VIOLATIONS {
            break;
        }
    }
    violations.truncate(MOST_VIOLATIONS);
    if violations.is_empty() { Ok(worst) } else { Err(violations) }
}

/// Rows of a point in an output that the kernel stores, with their values.
fn stored<'a>(
    graph: &'a Graph,
    outputs: &'a [f64],
    point: usize,
    stride: usize,
) -> impl Iterator<Item = (usize, &'a f64)> + 'a {
    outputs.iter().skip(point).step_by(stride).enumerate().filter(|&(row, _)| graph.stores_row(row))
}

const MOST_VIOLATIONS: usize = 10;

/// Largest error of a kernel against the exact reference evaluator, over the range of its bound: rounding, and what the form
/// leaves out.
pub fn tolerance(kernel: Kernel, graph: &Graph) -> f64 {
    kernel.tolerance() + graph.bound
}

/// Returns the tolerance of a kernel in its own arithmetic, whose rounding is proven beside the error of the form.
pub(super) fn allowed(subject: &Subject<'_>) -> f64 {
    let of_form = tolerance(subject.kernel, subject.graph);
    together(subject.program.arithmetic.bound(), of_form)
}

/// The largest error of the outputs of a kernel in SI (as `simulate` returns them) against the reference evaluator;
/// infinite where an output is no number.
pub fn largest_error(
    kernel: Kernel,
    model: &Model,
    graph: &Graph,
    stiffness: Stiffness,
    states: &[State],
    stride: usize,
    outputs: &[f64],
) -> f64 {
    let mut worst = 0.0f64;
    for (point, state) in states.iter().enumerate() {
        let (expected, scale) = in_si(kernel, model, graph, stiffness, &recovered(model, graph, state));
        for (row, &value) in stored(graph, outputs, point, stride) {
            worst = worst.max(relative(value, expected[row], scale[row]));
        }
    }
    worst
}

/// The graph's outputs when its steps run in the order of the schedule.
fn in_schedule_order(subject: &Subject<'_>, state: &State) -> Vec<f64> {
    match subject.program.arithmetic {
        Arithmetic::Double => evaluated::<f64>(subject, state),
        Arithmetic::Single { .. } => evaluated::<f32>(subject, state),
    }
}

fn evaluated<N: Number>(subject: &Subject<'_>, state: &State) -> Vec<f64> {
    let mut fields = inputs(subject.model, subject.graph, state);
    let mut machine = Evaluation::<N>::new(subject.graph, &fields);
    for phase in &subject.proven.schedule().phases {
        for &at in phase.runs.iter().flatten() {
            machine.step(at, &mut fields);
        }
    }
    fields.pop().expect("a kernel has an output")
}

/// (reference values, what their errors are relative to), in the units of the graph.
pub fn reference(
    kernel: Kernel,
    model: &Model,
    graph: &Graph,
    stiffness: Stiffness,
    state: &State,
) -> (Vec<f64>, Vec<f64>) {
    let factor = |row: usize| graph.units.from_si(graph.quantity(row as u32));
    let converted = |values: Vec<f64>| values.into_iter().enumerate().map(|(row, v)| v * factor(row)).collect();
    let (expected, scale) = in_si(kernel, model, graph, stiffness, &recovered(model, graph, state));
    (converted(expected), converted(scale))
}

/// The state as its variables tell it: where ranges of heat capacities meet, several temperatures may have one energy.
fn recovered(model: &Model, graph: &Graph, state: &State) -> State {
    let Some(constant) = energy(graph) else { return state.clone() };
    let range = graph.range.unwrap_or(TemperatureRange::DEFAULT);
    let energy = inputs(model, graph, state)[0][0] / graph.units.from_si(graph.arrays[0].name);
    let temperature = inverse::temperature(model, &state.mole_fractions, energy, constant, range);
    let pressure = match constant {
        Constant::Volume => state.pressure / state.temperature * temperature,
        Constant::Pressure => state.pressure,
    };
    State { temperature, pressure, ..state.clone() }
}

fn in_si(kernel: Kernel, model: &Model, graph: &Graph, stiffness: Stiffness, state: &State) -> (Vec<f64>, Vec<f64>) {
    let relative_to_itself = |values: Vec<f64>| (values.clone(), values);
    match kernel {
        Kernel::Viscosity => relative_to_itself(vec![kinetics::viscosity(model, state)]),
        Kernel::Conductivity => relative_to_itself(vec![kinetics::conductivity(model, state)]),
        Kernel::Diffusion => relative_to_itself(kinetics::diffusion(model, state, FLOOR)),
        Kernel::Transport => {
            let part = |kernel| in_si(kernel, model, graph, stiffness, state);
            let (values, scales): (Vec<_>, Vec<_>) = TRANSPORT_PARTS.map(part).into_iter().unzip();
            (values.concat(), scales.concat())
        }
        Kernel::Flux => {
            let Gradients { mole_fractions, temperature } = gradients(state);
            let is_thermal = graph.arrays.iter().any(|array| array.name == "temperature_gradient");
            let gradients = Gradients { mole_fractions, temperature: temperature.filter(|_| is_thermal) };
            let all = fluxes(model, state, &gradients, FLOOR);
            quantities(graph, |output| match output {
                Output::MassFluxes => all.mass.clone(),
                Output::EnthalpyFlux => vec![all.enthalpy],
                _ => thermal_diffusion::ratios(model, state),
            })
        }
        Kernel::Chemistry if graph.quantities.is_empty() => {
            let Production { net, gross } = production(model, stiffness, state);
            (net, gross)
        }
        Kernel::Chemistry => {
            let source = source_terms(model, state, &production(model, stiffness, state));
            quantities(graph, |output| match output {
                Output::ProductionRates => source.molar.clone(),
                Output::MassProductionRates => source.mass.clone(),
                _ => source.heat.clone(),
            })
        }
        Kernel::Jacobian => {
            let (mut values, mut scale) = entries(graph, jacobian::production(model, state));
            if graph.quantities.iter().any(|quantity| quantity.name == "production-rates") {
                let Production { net, gross } = production(model, stiffness, state);
                values.extend(net);
                scale.extend(gross);
            }
            (values, scale)
        }
        Kernel::IsobaricJacobian => entries(graph, jacobian::tendency(model, state, Constant::Pressure)),
        Kernel::IsochoricJacobian => entries(graph, jacobian::tendency(model, state, Constant::Volume)),
        Kernel::IsobaricSparseJacobian => sparse(graph, model, jacobian::tendency(model, state, Constant::Pressure)),
        Kernel::IsochoricSparseJacobian => sparse(graph, model, jacobian::tendency(model, state, Constant::Volume)),
        Kernel::IsobaricJacobianVector => product(model, state, Constant::Pressure),
        Kernel::IsochoricJacobianVector => product(model, state, Constant::Volume),
        Kernel::IsobaricStep | Kernel::IsochoricStep => step(model, graph, state),
        Kernel::Temperature => relative_to_itself(vec![state.temperature, state.pressure]),
        Kernel::Thermodynamics => {
            let all = properties(model, state);
            quantities(graph, |output| property(&all, output))
        }
        Kernel::Progress => {
            let all = progress(model, state);
            let power = |power: f64| if graph.units == Units::Cgs { 10f64.powf(3.0 * power) } else { 1.0 };
            quantities(graph, |output| match output {
                Output::ForwardRateConstants => all.forward_constants(power),
                Output::ReverseRateConstants => all.reverse_constants(power),
                Output::EquilibriumConstants => all.equilibrium_constants(power),
                Output::ForwardRates => all.forward.clone(),
                Output::ReverseRates => all.reverse.clone(),
                Output::NetRates => all.net(),
                Output::CreationRates => all.creation.clone(),
                _ => all.destruction.clone(),
            })
        }
        Kernel::Isobaric => tendencies(model, stiffness, state, Constant::Pressure),
        Kernel::Isochoric => tendencies(model, stiffness, state, Constant::Volume),
    }
}

/// Values and scales of the rows of a graph, quantity by quantity.
fn quantities(graph: &Graph, of: impl Fn(Output) -> Vec<Judged>) -> (Vec<f64>, Vec<f64>) {
    let names = graph.quantities.iter().map(|quantity| quantity.name.as_str());
    let outputs = names.filter_map(|name| Output::all().find(|output| output.name() == name));
    outputs.flat_map(of).map(|judged| (judged.value, judged.scale)).unzip()
}

/// The rows of one thermodynamic quantity.
fn property(all: &Properties, output: Output) -> Vec<Judged> {
    let (property, species, molar) = match output {
        Output::MeanMolarMass => return vec![Judged::exact(all.mean_molar_mass)],
        Output::Density => return vec![Judged::exact(all.density)],
        Output::Thermodynamic { property, species, molar } => (property, species, molar),
        _ => return vec![Judged::exact(all.pressure)],
    };
    let molar_values = |one: &Molar| match property {
        Property::Cp => one.cp,
        Property::Cv => one.cv,
        Property::H => one.h,
        Property::U => one.u,
        Property::S => one.s,
        Property::G => one.g,
    };
    let per = |judged: Judged, mass: f64| if molar { judged } else { judged.per(mass) };
    match species {
        true => all.species.iter().map(|(one, weight)| per(molar_values(one), *weight)).collect(),
        false => vec![per(molar_values(&all.mixture), all.mean_molar_mass)],
    }
}

/// The entries that the graph stores. Those that it leaves out are exactly zero; else nothing is a number.
fn entries(graph: &Graph, all: jacobian::Jacobian) -> (Vec<f64>, Vec<f64>) {
    if graph.pattern.is_empty() {
        return (all.values, all.scale);
    }
    let places: Vec<usize> =
        graph.pattern.iter().map(|&(row, column)| column as usize * all.rows + row as usize).collect();
    let stored: BTreeSet<usize> = places.iter().copied().collect();
    let is_lost = |(at, value): (usize, &f64)| *value != 0.0 && !stored.contains(&at);
    let sound = if all.values.iter().enumerate().any(is_lost) { f64::NAN } else { 1.0 };
    places.iter().map(|&at| (sound * all.values[at], all.scale[at])).unzip()
}

/// The entries that a graph stores of a matrix whose last column, divided by the molar mass of each column, is a part of every entry of a
/// row. What a row shares, a column without an entry of its own tells alone; of these, that of the lightest species is the most exact.
fn sparse(graph: &Graph, model: &Model, all: jacobian::Jacobian) -> (Vec<f64>, Vec<f64>) {
    let species = model.species();
    let at = |row: usize, column: usize| column * all.rows + row;
    let mut stored = vec![false; all.rows * (all.rows + 1)];
    graph.pattern.iter().for_each(|&(row, column)| stored[at(row as usize, column as usize)] = true);
    let shared = |row: usize| -> (f64, f64) {
        let others = (0..species.len()).filter(|&column| !stored[at(row, column)]);
        let lightest = others.min_by(|&a, &b| species[a].weight.total_cmp(&species[b].weight));
        lightest.map_or((0.0, 0.0), |column| {
            let weight = species[column].weight;
            (weight * all.values[at(row, column)], weight * all.scale[at(row, column)])
        })
    };
    let shared: Vec<(f64, f64)> = (0..all.rows).map(shared).collect();
    // An entry that is not stored must be what the row shares.
    let is_sound = (0..species.len()).all(|row| {
        let is_stored = |column: usize| stored[at(row, column)];
        let kept = if is_stored(species.len() + 1) { shared[row].0 } else { 0.0 };
        let is_kept = |column: usize, part: f64| {
            let at = at(row, column);
            is_stored(column) || relative(part, all.values[at], all.scale[at]) <= 1e-12
        };
        is_kept(species.len(), 0.0) && species.iter().enumerate().all(|(j, s)| is_kept(j, kept / s.weight))
    });
    let of = |&(row, column): &(u32, u32)| {
        let (row, column) = (row as usize, column as usize);
        if column > species.len() {
            return shared[row];
        }
        let part = species.get(column).filter(|_| row < species.len()).map_or(0.0, |s| shared[row].0 / s.weight);
        (all.values[at(row, column)] - part, all.scale[at(row, column)])
    };
    let sound = if is_sound { 1.0 } else { f64::NAN };
    graph.pattern.iter().map(of).map(|(value, scale)| (sound * value, scale)).unzip()
}

/// The product of a reactor's Jacobian with the vector of the inputs.
fn product(model: &Model, state: &State, constant: Constant) -> (Vec<f64>, Vec<f64>) {
    let (all, vector) = (jacobian::tendency(model, state, constant), vector(state));
    let sum = |row: usize, of: &dyn Fn(usize, f64) -> f64| -> f64 {
        vector.iter().enumerate().map(|(column, &v)| of(column * all.rows + row, v)).sum()
    };
    let values = (0..all.rows).map(|row| sum(row, &|at, v| all.values[at] * v)).collect();
    let scale = (0..all.rows).map(|row| sum(row, &|at, v| all.scale[at] * v.abs())).collect();
    (values, scale)
}

/// Fraction below which results of a stage are no more exact: solutions are exact relative to the largest unknown.
const SMALL_FRACTION: f64 = 1e-6;

/// The state at the end of a step and the errors of its unknowns, relative to the unknowns and all that the stages change them by.
fn step(model: &Model, graph: &Graph, state: &State) -> (Vec<f64>, Vec<f64>) {
    let method = graph.method.expect("a step has a method");
    let (system, length, start) = simulate::step(model, graph, state);
    let made = advance::step(&system, &method, &start, length);
    let changes = |k: usize| method.m.iter().zip(&made.stages).map(move |(m, u)| (m * u[k]).abs()).sum::<f64>();
    let least = SMALL_FRACTION * (1.0 + method.m.iter().map(|m| m.abs()).sum::<f64>());
    let scale: Vec<f64> = start.iter().enumerate().map(|(k, y)| y.abs() + changes(k) + least).collect();
    ([made.end, made.errors].concat(), scale.repeat(2))
}

fn production(model: &Model, stiffness: Stiffness, state: &State) -> Production {
    if model.mechanism.reduction.is_none() {
        return kinetics::production(model, state);
    }
    let surroundings = kinetics::surroundings(model, state);
    let Reduced { production, .. } = kinetics::reduced(model, state, &surroundings, stiffness);
    production
}

/// Returns the rates of the mass fractions, then of the temperature, and their scales.
fn tendencies(model: &Model, stiffness: Stiffness, state: &State, constant: Constant) -> (Vec<f64>, Vec<f64>) {
    let all = reactor::tendency(model, state, &production(model, stiffness, state), constant);
    let (mut rates, mut scale) = (all.mass_fractions, all.gross_mass_fractions);
    rates.push(all.temperature);
    scale.push(all.gross_temperature);
    (rates, scale)
}

/// Infinite for anything that is not a number, so that no comparison accepts it.
fn relative(found: f64, expected: f64, scale: f64) -> f64 {
    if found == expected {
        return 0.0;
    }
    let error = ((found - expected) / scale).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

fn violation(id: &'static str, subject: &Subject<'_>, row: usize, state: &State, text: &str) -> Diagnostic {
    let (operation, warp) = writer(subject, row);
    Diagnostic::error(
        id,
        format!(
            "{}: warp {warp}, operation \"{operation}\" (output row {row}) at T = {} K, P = {} Pa: {text}",
            subject.kernel, state.temperature, state.pressure
        ),
    )
}

/// The operation that stores an output row, and its warp.
fn writer<'a>(subject: &'a Subject<'_>, row: usize) -> (&'a str, u32) {
    let stores = |op: &Op| subject.graph.ops[*op].epilogue.stores.iter().any(|&(_, r)| r as usize == row);
    let op = subject.graph.ops.keys().find(stores);
    op.map_or(("none", 0), |op| (subject.graph.ops[op].name.as_str(), subject.mapping.warp_of[op]))
}
