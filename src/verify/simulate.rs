//! Runs any module with the signature of a kernel in the simulator: the lowered program, or what a compiler made of text.

use diagnostics::Diagnostic;
use kinetics::constants::GAS_CONSTANT;
use kinetics::flux::Gradients;
use kinetics::integrator::advance::{System, first_step};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::properties::{Judged, Molar, properties};
use kinetics::reactor::Constant;
use kinetics::{self, Model, State};
use machine::target::Target;
use ptx::Module;
use ptx::inst::{Space, Type};
use warpsim::{self, Buffer, Launch};

use graph::Graph;
use graph::interpret::Fields;
use kernels::Io;

/// Launch of a kernel on states.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub ctas: u32,
    pub warps: u32,
    /// Elements from one row of an array to the next, at least as many as there are states.
    pub stride: usize,
    /// Bytes of shared memory that the launch adds.
    pub shared: u64,
    /// Number type that the arrays hold.
    pub io: Io,
    /// Bytes of the workspace of each CTA, where the kernel has one.
    pub workspace: Option<u64>,
}

/// Runs a kernel on states: the arrays of the graph, then points and stride. One CTA, so that the streaming loop runs over
/// several groups. Returns the output array, row by row with `stride` elements each, and the counts.
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
    let (shared, io, workspace) = (requested_at_launch(module), Io::Double, None);
    let shape = Shape { ctas: 1, warps, stride, shared, io, workspace };
    launch(module, symbol, subject, states, shape, None)
}

/// Simulates like [`simulate`], in any shape; a claim that does not hold is a hazard.
///
/// # Errors
/// Those of [`simulate`].
pub fn launch(
    module: &Module,
    symbol: &str,
    subject: (&Model, &Graph),
    states: &[State],
    shape: Shape,
    claims: Option<&warpsim::Claims>,
) -> Result<(Vec<f64>, warpsim::Report), Vec<Diagnostic>> {
    let options = warpsim::Options::default();
    let simulate = |launch: &Launch, buffers: &mut [Buffer]| {
        warpsim::run_checked(module, symbol, launch, buffers, &options, claims)
    };
    run(symbol, subject, states, shape, simulate)?.map_err(|hazards| {
        let list = hazards.list.iter();
        list.map(|h| Diagnostic::error("simulator::hazard", format!("{symbol}: {h}"))).collect()
    })
}

/// The output array and what the execution tells besides, or why it failed.
pub(super) type Run<R, E> = Result<(Vec<f64>, R), E>;

/// Lets `execute` run a kernel on states, from whatever code: the output array and what it tells, or why it failed.
///
/// # Errors
/// Outputs that stay unwritten, and writes beyond the last point.
pub(super) fn run<R, E>(
    symbol: &str,
    (model, graph): (&Model, &Graph),
    states: &[State],
    Shape { ctas, warps, stride, shared, io, workspace }: Shape,
    execute: impl FnOnce(&Launch, &mut [Buffer]) -> Result<R, E>,
) -> Result<Run<R, E>, Vec<Diagnostic>> {
    let mut buffers: Vec<Buffer> = Vec::new();
    let ty = if io == Io::Single { Type::F32 } else { Type::F64 };
    for (a, array) in graph.arrays.iter().enumerate() {
        let len = array.rows as usize * stride;
        buffers.push(if array.output {
            Buffer::unwritten(ty, len)
        } else {
            let mut values = vec![f64::NAN; len];
            for (point, state) in states.iter().enumerate() {
                let fields = inputs(model, graph, state);
                for (row, &value) in fields[a].iter().enumerate() {
                    values[row * stride + point] = value;
                }
            }
            Buffer::words(ty, values.iter().map(|&value| bits(value, io))).read_only()
        });
    }
    let at = buffers.len().checked_sub(1).expect("a kernel has an output");
    buffers.extend(workspace.map(|bytes| Buffer::unwritten(Type::F64, (u64::from(ctas) * bytes / 8) as usize)));
    let fields = Launch::fields(ctas, warps, buffers.len(), states.len() as u32, stride as u32);
    let launch = Launch { shared, ..fields };
    let told = match execute(&launch, &mut buffers) {
        Ok(told) => told,
        Err(failed) => return Ok(Err(failed)),
    };
    let output = &buffers[at];
    let written =
        |point: usize| (point..output.len_of(ty)).step_by(stride).map(move |at| output.element(ty, at).is_some());
    // Rows of another kernel stay as they are.
    let is_whole = |point: usize| written(point).enumerate().all(|(row, written)| written == graph.stores_row(row));
    if let Some(point) = (0..states.len()).find(|&point| !is_whole(point)) {
        let message = format!(
            "{symbol}: the kernel leaves outputs of point {point} of {} unwritten, or writes rows of another kernel",
            states.len()
        );
        return Err(vec![Diagnostic::error("verify::unwritten", message)]);
    }
    if let Some(point) = (states.len()..stride).find(|&point| written(point).any(|w| w)) {
        let message = format!("{symbol}: the kernel writes point {point} of {}", states.len());
        return Err(vec![Diagnostic::error("verify::beyond-the-end", message)]);
    }
    let real = |at| output.element(ty, at).map_or(0.0, |bits| real(bits, io));
    Ok(Ok(((0..output.len_of(ty)).map(real).collect(), told)))
}

/// The bits of a number as an array holds it.
fn bits(value: f64, io: Io) -> u64 {
    match io {
        Io::Double => value.to_bits(),
        Io::Single => (value as f32).to_bits().into(),
    }
}

fn real(bits: u64, io: Io) -> f64 {
    match io {
        Io::Double => f64::from_bits(bits),
        Io::Single => f32::from_bits(bits as u32).into(),
    }
}

/// Bytes of shared memory that a launch gives to a module which leaves the size to it: the most that any CTA may have.
pub fn requested_at_launch(module: &Module) -> u64 {
    let mut shared = module.variables.values().filter(|variable| variable.space == Space::Shared);
    if shared.any(|variable| variable.bytes == 0) {
        Target::all().chain(Target::of_amd()).map(|target| target.shared_bytes_per_cta.into()).max().unwrap_or(0)
    } else {
        0
    }
}

/// A property of the mixture per kg.
pub(super) fn specific(model: &Model, state: &State, of: fn(&Molar) -> Judged) -> f64 {
    let all = properties(model, state);
    of(&all.mixture).value / all.mean_molar_mass
}

pub(super) fn mass_fractions(model: &Model, state: &State) -> Vec<f64> {
    let masses: Vec<f64> = model.species().iter().zip(&state.mole_fractions).map(|(s, x)| s.weight * x).collect();
    let sum: f64 = masses.iter().sum();
    masses.iter().map(|mass| mass / sum).collect()
}

/// A reactor, the length of a step that no unknown changes much in, and the unknowns where it begins.
pub(super) fn step<'a>(model: &'a Model, graph: &Graph, state: &State) -> (Reference<'a>, f64, Vec<f64>) {
    let (constant, fixed) = match graph.arrays.iter().any(|array| array.name == "density") {
        true => (Constant::Volume, properties(model, state).density),
        false => (Constant::Pressure, state.pressure),
    };
    let system = Reference { model, constant, fixed };
    let unknowns = [mass_fractions(model, state), vec![state.temperature]].concat();
    let longest = kinetics::surroundings(model, state).time_step;
    let options = Options { relative_tolerance: 1e-4, absolute_tolerance: 1e-10, ..Options::default() };
    let length = first_step(&unknowns, &system.rates(&unknowns), longest, &options);
    (system, length, unknowns)
}

/// Returns the vector that a Jacobian is multiplied with on a state: of the mass fractions, then of the temperature.
pub(super) fn vector(state: &State) -> Vec<f64> {
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let of_species = state.mole_fractions.iter().enumerate().map(|(k, x)| sign(k) * (0.1 + x));
    of_species.chain([0.01 * state.temperature]).collect()
}

/// Gradients on a state, the temperature's among them.
pub(super) fn gradients(state: &State) -> Gradients {
    let sign = |k: usize| if k.is_multiple_of(3) { -1.0 } else { 1.0 };
    let of_species = state.mole_fractions.iter().enumerate().map(|(k, x)| sign(k) * 100.0 * (0.1 + x));
    Gradients { mole_fractions: of_species.collect(), temperature: Some(300.0 * state.temperature) }
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
            "density" => field[0] = properties(model, state).density,
            "concentrations" => {
                let total = state.pressure / (GAS_CONSTANT * state.temperature);
                *field = state.mole_fractions.iter().map(|x| x * total).collect();
            }
            "energy" => field[0] = specific(model, state, |mixture| mixture.u),
            "enthalpy" => field[0] = specific(model, state, |mixture| mixture.h),
            "mass_fractions" => field.clone_from(&mass_fractions(model, state)),
            "vector" => field.clone_from(&vector(state)),
            "mole_fraction_gradients" => field.clone_from(&gradients(state).mole_fractions),
            "temperature_gradient" => field.fill(gradients(state).temperature.unwrap_or(f64::NAN)),
            "transport_source" => field.clone_from(&surroundings.transport_source),
            "time_step" if graph.method.is_some() => field[0] = step(model, graph, state).1,
            "time_step" => field[0] = surroundings.time_step,
            name => unreachable!("the builders make no input {name}"),
        }
        let factor = graph.units.from_si(array.name);
        field.iter_mut().for_each(|value| *value *= factor);
    }
    fields
}
