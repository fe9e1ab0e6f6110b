//! A coefficient by itself, in the form that is asked for; kernels with several are made of these.

use super::{blocked, conductivity, diffusion, factored, lewis, means, resistances, symmetric, viscosity};
use crate::options::{Form, Kernel, Options, Precision, StateVariables};
use diagnostics::Diagnostic;
use graph::Graph;
use graph::Units;
use kinetics::{Model, TransportFits};

/// Builds viscosity, conductivity or diffusion in the form of the options, which the kernel must have.
///
/// Errors: transport data are missing.
pub fn build(kernel: Kernel, model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    let fits = fits(kernel, model)?;
    if let (Kernel::Diffusion, Some(numbers)) = (kernel, model.lewis_numbers()) {
        // The whole has the state and the units that are asked for.
        let (state, units) = (StateVariables::MoleFractions, Units::Si);
        let conductivity = build(Kernel::Conductivity, model, &Options { state, units, ..*options })?;
        return Ok(lewis::build(model, options, conductivity, &numbers));
    }
    Ok(match (kernel, options.form, options.fit_tolerance) {
        (Kernel::Viscosity, Form::Symmetric | Form::LowRank, _) => symmetric::build(model, fits, options),
        (Kernel::Viscosity, ..) => viscosity::build(model, fits, options),
        (Kernel::Conductivity, Form::LogSpace, _) => means::log_space(model, fits, options),
        (Kernel::Conductivity, Form::LowRank, Some(tolerance)) => means::low_rank(model, fits, options, tolerance),
        (Kernel::Conductivity, Form::Polynomial, Some(tolerance)) => means::polynomial(model, fits, options, tolerance),
        (Kernel::Conductivity, ..) => conductivity::build(model, fits, options),
        (_, Form::LowRank, Some(tolerance)) if options.precision == Precision::Single => {
            blocked::build(model, fits, options, tolerance)
        }
        (_, Form::LowRank, Some(tolerance)) => factored::build(model, fits, options, tolerance),
        (_, Form::Polynomial, Some(tolerance)) => resistances::build(model, fits, options, tolerance),
        _ => diffusion::build(model, fits, options),
    })
}

/// The fits that a kernel needs.
///
/// Errors: there are none.
pub fn fits(kernel: Kernel, model: &Model) -> Result<&TransportFits, Vec<Diagnostic>> {
    model.transport.as_ref().ok_or_else(|| {
        vec![
            Diagnostic::error(
                "kernel::no-transport",
                format!("the {kernel} kernel needs transport data, and there are none"),
            )
            .help(
                "give a transport file with --transport beside CHEMKIN files, add transport data to the species of a YAML file, or \
                 choose kernels with --kernel chemistry",
            ),
        ]
    })
}
