//! Integrators of a project's reactors: its own, and the systems for CVODE.

use super::Unit;
use crate::plan::Request;
use emit_c::host::{Energies, KnownReactor, REFERENCE_TOLERANCE, Reactor, Systems};
use kernels::Kernel;
use kinetics::constants::GAS_CONSTANT;
use kinetics::integrator::RODAS5P;
use kinetics::integrator::advance::{Status, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::reactor::Constant;
use kinetics::thermo::h_rt;
use kinetics::{Model, State};

/// The reactors of a request; none where they are not wanted.
pub fn reactor(request: &Request, model: &Model, units: &[Unit]) -> Option<Reactor> {
    let (method, constant) = request.reactor_kernel()?;
    let [rates, jacobian] = request.common.reactor_kernels();
    let of = |kernel: Kernel| units.iter().find(|unit| unit.kernel == kernel);
    let (rates, jacobian) = (of(rates)?, of(jacobian)?);
    let symbol = |unit: &Unit| unit.program.symbol.clone();
    Some(Reactor {
        constant,
        by_energy: request.by_energy,
        method,
        factors: request.common.precision.factors,
        energies: Energies::new(model, constant),
        rates: symbol(rates),
        jacobian: symbol(jacobian),
        systems: systems(model, jacobian),
    })
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

/// Reactors whose ends the reference evaluator gives, fewer of mechanisms whose dense matrices take long.
pub fn known(model: &Model, reactor: &Reactor) -> Vec<KnownReactor> {
    let species = model.species().len();
    let count = (3_000 / (species * species)).clamp(1, 8);
    let states = kinetics::verification_states(model, count);
    let one = |(i, state): (usize, &State)| known_reactor(model, reactor, state, TIMES[i % TIMES.len()]);
    states.iter().enumerate().filter_map(one).collect()
}

/// Nothing where the reactor does not reach its end.
fn known_reactor(model: &Model, reactor: &Reactor, state: &State, time: f64) -> Option<KnownReactor> {
    let species = model.species();
    let temperature = state.temperature.clamp(400.0, 2800.0);
    let masses: Vec<f64> = state.mole_fractions.iter().zip(species).map(|(x, s)| x * s.weight).collect();
    let (mass, moles): (f64, f64) = (masses.iter().sum(), state.mole_fractions.iter().sum());
    let fractions: Vec<f64> = masses.iter().map(|m| m / mass).collect();
    let (fixed, work) = match reactor.constant {
        Constant::Pressure => (state.pressure, 0.0),
        Constant::Volume => (state.pressure / (GAS_CONSTANT * temperature) * mass / moles, 1.0),
    };
    let energies = species.iter().zip(&fractions).map(|(s, y)| y / s.weight * (h_rt(&s.thermo, temperature) - work));
    let energy = energies.sum::<f64>() * GAS_CONSTANT * temperature;
    let system = Reference { model, constant: reactor.constant, fixed };
    let tight = Options {
        relative_tolerance: REFERENCE_TOLERANCE,
        absolute_tolerance: 1e-6 * REFERENCE_TOLERANCE,
        ..Options::default()
    };
    let start = [&fractions[..], &[temperature]].concat();
    let end = advance(&system, &RODAS5P, &start, time, &tight);
    (end.status == Status::Done).then(|| KnownReactor {
        told: [if reactor.by_energy { energy } else { temperature }, fixed],
        fractions,
        time,
        end_fractions: end.y[..species.len()].to_vec(),
        end_temperature: end.y[species.len()],
    })
}
