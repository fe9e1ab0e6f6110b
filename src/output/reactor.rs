//! Integrators of a project's reactors: its own, and the systems for CVODE.

use super::Unit;
use super::interface::interface;
use crate::plan::Request;
use emit_c::cpu;
use emit_c::host::{
    DrivenReactors, ERROR_FLOOR, Energies, FusedStep, KnownReactor, REFERENCE_TOLERANCE, Reactor, ReactorStart, Systems,
};
use kernels::Kernel;
use kinetics::constants::{ATMOSPHERE, GAS_CONSTANT};
use kinetics::integrator::RODAS5P;
use kinetics::integrator::advance::{Status, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::reactor::Constant;
use kinetics::thermo::h_rt;
use kinetics::{Model, State};
use machine::target::Target;

/// The reactors of a request; none where they are not wanted. `beside` are the kernels for a CPU where the units are for another target.
pub fn reactor(request: &Request, model: &Model, units: &[Unit], beside: &[Unit]) -> Option<Reactor> {
    let (method, constant) = request.reactor_kernel()?;
    let [rates, jacobian] = request.common.reactor_kernels();
    let of = |kernel: Kernel| units.iter().filter(move |unit| unit.kernel == kernel && !unit.report.alternative);
    let rates = of(rates).next()?;
    let symbol = |unit: &Unit| unit.program.symbol.clone();
    Some(Reactor {
        constant,
        by_energy: request.by_energy,
        method,
        factors: request.common.precision.factors,
        energies: Energies::new(model, constant),
        rates: symbol(rates),
        jacobian: of(jacobian).map(symbol).collect(),
        systems: systems(model, of(jacobian).next()?),
        fused: fused(request, model, beside),
    })
}

/// The step of a GPU as one kernel, where its functions of one point are there.
fn fused(request: &Request, model: &Model, beside: &[Unit]) -> Option<FusedStep> {
    if !request.fuses_steps(model.species().len()) {
        return None;
    }
    let kernels = request.common.reactor_kernels();
    let of_point: Vec<&Unit> =
        kernels.iter().filter_map(|&kernel| beside.iter().find(|unit| unit.kernel == kernel)).collect();
    let [rates, jacobian] = of_point[..] else { return None };
    let interface = interface(model, request.common.units, Target::cpu(), [rates, jacobian]);
    let codes = [&rates.code, &jacobian.code];
    let name = |unit: &Unit| cpu::point_name(&interface, &unit.program.symbol);
    Some(FusedStep { text: cpu::point_functions(&interface, &codes), rates: name(rates), jacobian: name(jacobian) })
}

/// The linear systems that CVODE is to solve by generated code: where a sparse Jacobian is among the kernels for a CPU.
pub fn systems_of_cvode(request: &Request, model: &Model, units: &[Unit]) -> Option<Systems> {
    let [_, jacobian] = request.common.reactor_kernels();
    units.iter().find(|unit| unit.kernel == jacobian).map(|jacobian| systems(model, jacobian))
}

fn systems(model: &Model, jacobian: &Unit) -> Systems {
    Systems::new(jacobian.graph.pattern.clone(), model.species().len())
}

/// Times in seconds, one after the other.
const TIMES: [f64; 3] = [1e-7, 1e-6, 1e-5];

/// Most reactors of the driver with known ends, and their temperatures (K).
const KNOWN: usize = 8;
const TEMPERATURES: [f64; 2] = [400.0, 2800.0];

/// Species beyond which a known reactor begins where its fastest reactions have ended: the reference evaluator's matrices are dense, and those of 493
/// species take 0.2 s for each step. Relative tolerance of the way there.
const LARGE: usize = 200;
const LOOSE: f64 = 1e-3;

/// Fuels of the ignition, each with the moles of O2 that it burns with; the first one that a mechanism has is taken.
const FUELS: [(&str, f64); 3] = [("CH4", 2.0), ("H2", 0.5), ("NH3", 0.75)];

/// K, at 1 atm.
const IGNITION: f64 = 1500.0;

/// Reactors of the driver. The reference evaluator gives the ends of fewer where the dense matrices of a mechanism take long.
pub fn driven(model: &Model, reactor: &Reactor) -> DrivenReactors {
    let species = model.species().len();
    let count = (3_000 / (species * species)).clamp(1, KNOWN);
    let states = kinetics::verification_states(model, count).into_iter();
    let states = states.map(|s| State { temperature: s.temperature.clamp(TEMPERATURES[0], TEMPERATURES[1]), ..s });
    let known = states.zip(TIMES.into_iter().cycle());
    let (mixture, mole_fractions) = mixture(model);
    let first = State { temperature: IGNITION, pressure: ATMOSPHERE, mole_fractions };
    DrivenReactors {
        known: known.filter_map(|(state, time)| known_reactor(model, reactor, &state, time)).collect(),
        ignition: start(model, reactor, &first),
        mixture: format!("{mixture} at {IGNITION} K and 1 atm"),
    }
}

/// A stoichiometric mixture of a fuel with air, or equal parts of all species where there is no such fuel; first in words.
fn mixture(model: &Model) -> (String, Vec<f64>) {
    let species = model.species();
    let place = |name: &str| species.iter().position(|one| one.name.eq_ignore_ascii_case(name));
    let fuel = FUELS.into_iter().find_map(|(fuel, need)| Some((fuel, need, place(fuel)?)));
    let (Some((fuel, need, of_fuel)), Some(oxygen)) = (fuel, place("O2")) else {
        return ("equal parts of all species".to_owned(), vec![1.0 / species.len() as f64; species.len()]);
    };
    let mut parts = vec![0.0; species.len()];
    parts[of_fuel] = 1.0;
    parts[oxygen] = need;
    if let Some(nitrogen) = place("N2") {
        parts[nitrogen] = 3.76 * need;
    }
    let sum: f64 = parts.iter().sum();
    (format!("{fuel} in air"), parts.into_iter().map(|part| part / sum).collect())
}

fn start(model: &Model, reactor: &Reactor, state: &State) -> ReactorStart {
    let (species, temperature) = (model.species(), state.temperature);
    let masses: Vec<f64> = state.mole_fractions.iter().zip(species).map(|(x, s)| x * s.weight).collect();
    let (mass, moles): (f64, f64) = (masses.iter().sum(), state.mole_fractions.iter().sum());
    let fractions: Vec<f64> = masses.iter().map(|m| m / mass).collect();
    let (fixed, work) = match reactor.constant {
        Constant::Pressure => (state.pressure, 0.0),
        Constant::Volume => (state.pressure / (GAS_CONSTANT * temperature) * mass / moles, 1.0),
    };
    let energies = species.iter().zip(&fractions).map(|(s, y)| y / s.weight * (h_rt(&s.thermo, temperature) - work));
    let energy = energies.sum::<f64>() * GAS_CONSTANT * temperature;
    ReactorStart { first_state: if reactor.by_energy { energy } else { temperature }, fixed, fractions }
}

/// Nothing where the reactor does not reach its end.
fn known_reactor(model: &Model, reactor: &Reactor, state: &State, time: f64) -> Option<KnownReactor> {
    let species = model.species().len();
    let state = if species > LARGE { &relaxed(model, reactor, state, time)? } else { state };
    let start = start(model, reactor, state);
    let system = Reference { model, constant: reactor.constant, fixed: start.fixed };
    let tight = Options {
        relative_tolerance: REFERENCE_TOLERANCE,
        absolute_tolerance: 1e-6 * REFERENCE_TOLERANCE,
        ..Options::default()
    };
    let unknowns = [&start.fractions[..], &[state.temperature]].concat();
    let advanced = |options: &Options| advance(&system, &RODAS5P, &unknowns, time, options);
    let end = advanced(&tight);
    let default = Options::default();
    let tolerances = |(found, exact): (&f64, &f64)| {
        (found - exact).abs() / default.relative_tolerance.mul_add(exact.abs(), ERROR_FLOOR)
    };
    (end.status == Status::Done).then(|| KnownReactor {
        error: advanced(&default).y.iter().zip(&end.y).map(tolerances).fold(0.0, f64::max),
        start,
        time,
        end_fractions: end.y[..species].to_vec(),
        end_temperature: end.y[species],
    })
}

/// The state that a reactor comes to in a time.
fn relaxed(model: &Model, reactor: &Reactor, state: &State, time: f64) -> Option<State> {
    let start = start(model, reactor, state);
    let system = Reference { model, constant: reactor.constant, fixed: start.fixed };
    let loose = Options { relative_tolerance: LOOSE, absolute_tolerance: 1e-6 * LOOSE, ..Options::default() };
    let end = advance(&system, &RODAS5P, &[&start.fractions[..], &[state.temperature]].concat(), time, &loose);
    (end.status == Status::Done).then(|| system.state(&end.y))
}
