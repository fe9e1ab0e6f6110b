//! Viscosity, conductivity and diffusion coefficients in one kernel, which share the point's scalars and all operations that are equal.

use super::part;
use super::together::{self, Known};
use crate::options::{Form, Kernel, Options, StateVariables};
use crate::thermodynamics::begin;
use diagnostics::Diagnostic;
use graph::Units;
use graph::dataflow::{Graph, Quantity};
use kinetics::Model;

/// The parts, in the order of the rows.
pub const PARTS: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

/// Stores the viscosity, the conductivity and the diffusion coefficients.
///
/// Errors: as those of the parts.
pub fn build(model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    part::fits(Kernel::Transport, model)?;
    // The whole has the state and the units that are asked for.
    let part = |kernel: Kernel| {
        let by_lewis = kernel == Kernel::Diffusion && model.lewis_numbers().is_some();
        // The conductivity that it is made of is the same.
        let form = form(if by_lewis { Kernel::Conductivity } else { kernel }, options.form, options.fit_tolerance);
        let (state, units) = (StateVariables::MoleFractions, Units::Si);
        part::build(kernel, model, &Options { form, state, units, ..*options })
    };
    let parts = PARTS.map(part).into_iter().collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<u32> = parts.iter().map(|part| part.arrays.last().map_or(0, |array| array.rows)).collect();
    let scalars = together::scalars(&parts);
    let mut whole = begin::begin("transport", model, options, "transport", rows.iter().sum(), &scalars);
    let mut known = Known::new();
    let mut first = 0;
    for ((kernel, part), rows) in PARTS.into_iter().zip(&parts).zip(rows) {
        whole.quantities.push(Quantity { name: kernel.name().into(), first, rows });
        together::add(&mut whole, part, first, &mut known);
        first += rows;
    }
    Ok(whole)
}

/// The form of a part where the whole has this one: the same, or the cheapest exact one.
fn form(kernel: Kernel, whole: Form, fit_tolerance: Option<f64>) -> Form {
    let has = |form: Form| Form::allowed(kernel, fit_tolerance).contains(&form);
    let exact = match kernel {
        Kernel::Viscosity => Form::Symmetric,
        Kernel::Conductivity => Form::LogSpace,
        _ => Form::Pairwise,
    };
    if has(whole) { whole } else { exact }
}
