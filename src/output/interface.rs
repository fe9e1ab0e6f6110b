//! What the C header says of each kernel and array.

use crate::dataflow::Kernel;
use crate::driver::Unit;
use crate::emit::cuda::{ArrayInterface, Interface, KernelInterface, Species};
use crate::kinetics::Model;

/// The interface of a mechanism's kernels.
pub fn interface(model: &Model, units: &[Unit]) -> Interface {
    let species = model.species().iter();
    Interface {
        mechanism: model.mechanism.name.clone(),
        species: species.map(|s| Species { name: s.name.clone(), molecular_weight: s.weight }).collect(),
        kernels: units.iter().map(kernel).collect(),
    }
}

fn kernel(unit: &Unit) -> KernelInterface {
    let summary = match unit.kernel {
        Kernel::Viscosity => "Viscosity of the mixture (Wilke).",
        Kernel::Conductivity => "Thermal conductivity of the mixture (Mathur et al.).",
        Kernel::Diffusion => "Mixture-averaged diffusion coefficient of each species.",
        Kernel::Chemistry => "Net molar production rate of each species.",
    };
    let arrays = unit.program.arrays.iter().map(|array| {
        let (unit, meaning) = describe(&array.name);
        ArrayInterface { array: array.clone(), unit: unit.into(), meaning: meaning.into() }
    });
    KernelInterface { symbol: unit.program.symbol.clone(), summary: summary.into(), arrays: arrays.collect() }
}

/// (unit, meaning)
fn describe(array: &str) -> (&'static str, &'static str) {
    match array {
        "temperature" => ("K", "temperature"),
        "pressure" => ("Pa", "pressure"),
        "mole_fractions" => ("1", "mole fraction of each species"),
        "transport_source" => ("kg/m^3/s", "mass source by transport of each species"),
        "time_step" => ("s", "time step of the flow solver, at each point"),
        "viscosity" => ("Pa s", "viscosity of the mixture"),
        "conductivity" => ("W/m/K", "thermal conductivity of the mixture"),
        "diffusion" => ("m^2/s", "diffusion coefficient of each species into the mixture"),
        "production_rates" => ("kmol/m^3/s", "net production rate of each species"),
        _ => unreachable!("no builder makes an array called {array}"),
    }
}
