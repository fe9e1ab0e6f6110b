//! What a project advances its reactors with, and what CVODE solves their systems with.

use super::Unit;
use crate::emit::host::{Energies, Reactor, Systems};
use crate::kernels::Kernel;
use crate::plan::Request;
use kinetics::Model;

/// The reactors of a request; none where they are not wanted.
pub fn reactor(request: &Request, model: &Model, units: &[Unit]) -> Option<Reactor> {
    let (method, constant) = request.advanced().ok()??;
    let [rates, jacobian] = request.common.reactor_kernels();
    let of = |kernel: Kernel| units.iter().find(|unit| unit.kernel == kernel);
    let (rates, jacobian) = (of(rates)?, of(jacobian)?);
    let symbol = |unit: &Unit| unit.program.symbol.clone();
    Some(Reactor {
        constant,
        by_energy: request.by_energy,
        method,
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
