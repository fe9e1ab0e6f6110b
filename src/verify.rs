//! Runs a lowered kernel in the simulator on physical states and judges it twice: bit for bit against the dataflow graph
//! in the order of the proven schedule (which finds any wrong constant, operand or order), and within the tolerance of
//! the design against the reference evaluator (which finds a wrong graph).

use serde::Serialize;

use crate::graph::interpret::{Fields, Machine};
use crate::graph::{Graph, Op};
use crate::kernels::Kernel;
use crate::mapping::Mapping;
use crate::overlay::program::Program;
use crate::schedule::proof::Proven;
use diagnostics::Diagnostic;
use kinetics::{self, Model, Reduced, State, Stiffness};
use machine::target::Target;
use ptx::Module;
use ptx::inst::Space;
use warpsim::{self, Buffer, Launch};

/// What the simulation of a kernel showed. "Per point" counts warp instructions per 32 points, summed over the warps: each of
/// them works on 32 points, or more where a lane has several. Groups that are not full count as full ones.
#[derive(Debug, Clone, Serialize)]
pub struct Verification {
    pub states: usize,
    /// Relative for transport, relative to the gross rate for chemistry.
    pub largest_error: f64,
    pub tolerance: f64,
    /// Matrix products on tensor cores are among them, as many as their rate is worth.
    pub slots_per_point: f64,
    pub matrix_products_per_point: f64,
    pub shuffles_per_point: f64,
    pub shared_passes_per_point: f64,
    pub barriers_per_group: f64,
    pub barrier_waits_per_group: f64,
    pub local_bytes_per_point: f64,
    pub global_bytes_per_point: f64,
    pub instructions_per_point: f64,
}

/// Everything that verification looks at.
pub struct Subject<'a> {
    pub kernel: Kernel,
    pub model: &'a Model,
    pub floor: f64,
    pub stiffness: Stiffness,
    pub graph: &'a Graph,
    pub mapping: &'a Mapping,
    pub proven: &'a Proven,
    pub program: &'a Program,
    pub module: &'a Module,
}

/// Verifies a kernel on `states` states, or more where it takes more to run the streaming loop twice with several points
/// per lane or to have both sides of every intermediate temperature; a last group that is not full and a stride larger than the number of points are part of the test.
///
/// Errors: hazards in the simulator, an output that differs from the graph's or is too far from the reference.
pub fn verify(subject: &Subject<'_>, states: usize) -> Result<Verification, Vec<Diagnostic>> {
    let Subject { kernel, model, .. } = *subject;
    let least = match subject.program.points_per_lane {
        1 => 1,
        _ => subject.program.points_per_group() + 6,
    };
    let enough = if kernel == Kernel::Chemistry { kinetics::enough_states(model) } else { 1 };
    let states = states.max(least as usize).max(enough);
    let states = kinetics::verification_states(model, states);
    let stride = states.len() + 5;
    let (outputs, counts) = simulate(
        subject.module,
        &subject.program.symbol,
        (model, subject.graph),
        subject.program.execution.warps(),
        &states,
        stride,
    )?;
    let mut violations = Vec::new();
    let mut worst = 0.0f64;
    let tolerance = tolerance(kernel, model, subject.graph);
    for (point, state) in states.iter().enumerate() {
        let found: Vec<f64> = outputs.iter().skip(point).step_by(stride).copied().collect();
        let scheduled = in_schedule_order(subject, state);
        let (expected, scale) = reference(kernel, model, subject.graph, (subject.floor, subject.stiffness), state);
        for (row, &value) in found.iter().enumerate() {
            if value.to_bits() != scheduled[row].to_bits() {
                let text = format!("the simulated kernel gives {value:e} and its dataflow graph {:e}", scheduled[row]);
                violations.push(violation("verify::not-the-graph", subject, row, state, &text));
            }
            let error = relative(value, expected[row], scale[row]);
            worst = worst.max(error);
            if error > tolerance {
                let text = format!(
                    "{value:e} differs from the reference {:e} by {error:.1e} (allowed {tolerance:.0e})",
                    expected[row]
                );
                violations.push(violation("verify::not-the-reference", subject, row, state, &text));
            }
        }
        if violations.len() > MOST_VIOLATIONS {
            break;
        }
    }
    if !violations.is_empty() {
        violations.truncate(MOST_VIOLATIONS);
        return Err(violations);
    }
    let points = subject.program.places(states.len() as u32);
    let per = |count: fn(&warpsim::Counts) -> u64| counts.per_point(count, points);
    Ok(Verification {
        states: states.len(),
        largest_error: worst,
        tolerance,
        slots_per_point: per(|c| c.double_slots)
            + f64::from(subject.graph.slots_per_matrix_product()) * per(|c| c.matrix_products),
        matrix_products_per_point: per(|c| c.matrix_products),
        shuffles_per_point: per(|c| c.shuffles),
        shared_passes_per_point: per(|c| c.shared_passes),
        barriers_per_group: per(|c| c.barriers),
        barrier_waits_per_group: per(|c| c.barrier_waits),
        local_bytes_per_point: per(|c| c.local_bytes) / 32.0,
        global_bytes_per_point: per(|c| c.global_load_bytes + c.global_store_bytes) / 32.0,
        instructions_per_point: per(|c| c.instructions),
    })
}

/// Largest error of a kernel against the exact reference evaluator, over the range of its bound: rounding, and what the form
/// leaves out.
pub fn tolerance(kernel: Kernel, model: &Model, graph: &Graph) -> f64 {
    kernel.tolerance(model) + graph.bound
}

const MOST_VIOLATIONS: usize = 10;

/// Runs a kernel on states: any module with the signature of the graph's arrays, then points and stride, such as the
/// lowered program or what a compiler made of the emitted text. One CTA, so that the streaming loop runs over several
/// groups. Returns the output array, row by row with `stride` elements each, and the counts.
///
/// # Errors
/// Hazards in the simulator, outputs that stay unwritten, and writes beyond the last point.
pub fn simulate(
    module: &Module,
    symbol: &str,
    subject: (&Model, &Graph),
    warps: u32,
    states: &[State],
    stride: usize,
) -> Result<(Vec<f64>, warpsim::Report), Vec<Diagnostic>> {
    simulate_checked(module, symbol, subject, warps, states, stride, None)
}

/// As [`simulate`]; a claim that does not hold is a hazard.
///
/// # Errors
/// Those of [`simulate`].
pub fn simulate_checked(
    module: &Module,
    symbol: &str,
    (model, graph): (&Model, &Graph),
    warps: u32,
    states: &[State],
    stride: usize,
    claims: Option<&warpsim::Claims>,
) -> Result<(Vec<f64>, warpsim::Report), Vec<Diagnostic>> {
    let mut buffers: Vec<Buffer> = Vec::new();
    for (a, array) in graph.arrays.iter().enumerate() {
        let len = array.rows as usize * stride;
        buffers.push(if array.output {
            Buffer::output(len)
        } else {
            let mut values = vec![f64::NAN; len];
            for (point, state) in states.iter().enumerate() {
                let fields = inputs(model, graph, state);
                for (row, &value) in fields[a].iter().enumerate() {
                    values[row * stride + point] = value;
                }
            }
            Buffer::input(&values)
        });
    }
    let fields = Launch::fields(1, warps, buffers.len(), states.len() as u32, stride as u32);
    let launch = Launch { shared: requested_at_launch(module), ..fields };
    let options = warpsim::Options::default();
    let counts = warpsim::run_checked(module, symbol, &launch, &mut buffers, &options, claims).map_err(|hazards| {
        let list = hazards.list.iter();
        list.map(|h| Diagnostic::error("simulator::hazard", format!("{symbol}: {h}"))).collect::<Vec<_>>()
    })?;
    let output = buffers.last().expect("a kernel has an output");
    let written = |point: usize| (point..output.reals().len()).step_by(stride).map(|at| output.is_written(at));
    if let Some(point) = (0..states.len()).find(|&point| !written(point).all(|w| w)) {
        let message = format!("{symbol}: the kernel leaves outputs of point {point} unwritten");
        return Err(vec![Diagnostic::error("verify::unwritten", message)]);
    }
    if let Some(point) = (states.len()..stride).find(|&point| written(point).any(|w| w)) {
        let message = format!("{symbol}: the kernel writes point {point} of {}", states.len());
        return Err(vec![Diagnostic::error("verify::beyond-the-end", message)]);
    }
    Ok((output.reals(), counts))
}

/// Bytes of shared memory that a launch gives to a module which leaves the size to it: the most that any CTA may have.
pub fn requested_at_launch(module: &Module) -> u64 {
    let mut shared = module.variables.values().filter(|variable| variable.space == Space::Shared);
    if shared.any(|variable| variable.bytes == 0) {
        Target::all().iter().map(|target| target.shared_bytes_per_cta.into()).max().unwrap_or(0)
    } else {
        0
    }
}

/// The largest error of the outputs of a kernel in SI (as [`simulate`] returns them) against the reference evaluator;
/// infinite where an output is no number.
pub fn largest_error(
    kernel: Kernel,
    model: &Model,
    (floor, stiffness): (f64, Stiffness),
    states: &[State],
    stride: usize,
    outputs: &[f64],
) -> f64 {
    let mut worst = 0.0f64;
    for (point, state) in states.iter().enumerate() {
        let (expected, scale) = in_si(kernel, model, (floor, stiffness), state);
        let found = outputs.iter().skip(point).step_by(stride);
        for (row, &value) in found.enumerate() {
            worst = worst.max(relative(value, expected[row], scale[row]));
        }
    }
    worst
}

/// The fields of a state, in the units of the graph; outputs are not numbers.
pub fn inputs(model: &Model, graph: &Graph, state: &State) -> Fields {
    let surroundings = kinetics::surroundings(model, state);
    let mut fields: Fields = graph.arrays.iter().map(|a| vec![f64::NAN; a.rows as usize]).collect();
    for (field, array) in fields.iter_mut().zip(&graph.arrays).filter(|(_, a)| !a.output) {
        match array.name {
            "temperature" => field[0] = state.temperature,
            "pressure" => field[0] = state.pressure,
            "mole_fractions" => field.clone_from(&state.mole_fractions),
            "transport_source" => field.clone_from(&surroundings.transport_source),
            "time_step" => field[0] = surroundings.time_step,
            name => unreachable!("the builders make no input {name}"),
        }
        let factor = graph.units.from_si(array.name);
        field.iter_mut().for_each(|value| *value *= factor);
    }
    fields
}

/// The graph's outputs when its steps run in the order of the schedule.
fn in_schedule_order(subject: &Subject<'_>, state: &State) -> Vec<f64> {
    let mut fields = inputs(subject.model, subject.graph, state);
    let mut machine = Machine::new(subject.graph, &fields);
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
    choices: (f64, Stiffness),
    state: &State,
) -> (Vec<f64>, Vec<f64>) {
    let output = graph.arrays.iter().find(|a| a.output).map_or("", |a| a.name);
    let factor = graph.units.from_si(output);
    let converted = |values: Vec<f64>| values.into_iter().map(|v| v * factor).collect();
    let (expected, scale) = in_si(kernel, model, choices, state);
    (converted(expected), converted(scale))
}

fn in_si(kernel: Kernel, model: &Model, (floor, stiffness): (f64, Stiffness), state: &State) -> (Vec<f64>, Vec<f64>) {
    let relative_to_itself = |values: Vec<f64>| (values.clone(), values);
    match kernel {
        Kernel::Viscosity => relative_to_itself(vec![kinetics::viscosity(model, state)]),
        Kernel::Conductivity => relative_to_itself(vec![kinetics::conductivity(model, state)]),
        Kernel::Diffusion => relative_to_itself(kinetics::diffusion(model, state, floor)),
        Kernel::Chemistry if model.mechanism.reduction.is_some() => {
            let surroundings = kinetics::surroundings(model, state);
            let Reduced { production, .. } = kinetics::reduced(model, state, &surroundings, stiffness);
            (production.net, production.gross)
        }
        Kernel::Chemistry => {
            let production = kinetics::production(model, state);
            (production.net, production.gross)
        }
    }
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
    let stores = |op: &Op| subject.graph.ops[*op].after.stores.iter().any(|&(_, r)| r as usize == row);
    let op = subject.graph.ops.keys().find(stores);
    op.map_or(("none", 0), |op| (subject.graph.ops[op].name.as_str(), subject.mapping.warp_of[op]))
}
