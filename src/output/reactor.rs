//! What a project advances its reactors with.

use super::Unit;
use crate::elimination;
use crate::emit::host::{Energies, Reactor, matrix};
use crate::kernels::Kernel;
use crate::plan::Request;
use kinetics::Model;

/// The reactors of a request; none where they are not wanted.
pub fn reactor(request: &Request, model: &Model, units: &[Unit]) -> Option<Reactor> {
    let (method, constant) = request.advanced().ok()??;
    let [rates, jacobian] = request.common.reactor_kernels();
    let of = |kernel: Kernel| units.iter().find(|unit| unit.kernel == kernel);
    let (rates, jacobian) = (of(rates)?, of(jacobian)?);
    let pattern = jacobian.graph.pattern.clone();
    let species = model.species().len();
    let matrix = matrix(&pattern, species);
    let plan = elimination::plan(&matrix, &[species, species + 1]);
    let elimination = elimination::check(&matrix, plan).expect("the plan holds all entries of the matrix");
    let symbol = |unit: &Unit| unit.program.symbol.clone();
    Some(Reactor {
        constant,
        by_energy: request.by_energy,
        method,
        energies: Energies::new(model, constant),
        rates: symbol(rates),
        jacobian: symbol(jacobian),
        pattern,
        elimination,
    })
}
