//! One builder per kernel: from the model to the operations and values of its dataflow graph.
//!
//! The builders are in floors, each on those before it:
//!
//! - `options`: the options of a kernel,
//! - `build`: shared parts,
//! - `thermodynamics`: functions of species and the state of a point,
//! - `rates`: rates of one reaction,
//! - `transport`: viscosity, conductivity and diffusion,
//! - `chemistry`: production rates,
//! - `slopes`: derivatives,
//! - `integration`: steps of reactors.
//!
//! Imports only go down, as `tests/house` checks. Only this file knows all kernels.
#![forbid(unsafe_code)]

pub mod build;
mod chemistry;
pub mod elimination;
mod integration;
mod options;
mod rates;
mod slopes;
mod thermodynamics;
mod transport;

pub use options::{
    ErrorBound, Exponential, FLOOR, Factors, Form, Integrator, Io, Kernel, Matrix, MatrixStorage, Options, Output,
    Outputs, Precision, Property,
};
pub use options::{StateVariables, low_rank_bound};
pub use transport::coefficients::PARTS as TRANSPORT_PARTS;

use chemistry::{logarithmic, production, progress};
use diagnostics::Diagnostic;
use graph::{Graph, unguarded, units};
use integration::step;
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};
use slopes::{jacobian, jacobian_vector};
use thermodynamics::{newton, properties, state, temperature_kernel};
use transport::{coefficients, flux, part};

/// Builds the graph of a kernel in the form of the options, or in the pairwise form where the kernel does not have that.
///
/// Errors: transport data are missing; diffusion in a single species; no temperature follows from the state; derivatives of scaled rates.
pub fn build(kernel: Kernel, model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    refuse(kernel, model, options).map_or(Ok(()), |refused| Err(vec![refused]))?;
    let form = options.form.for_kernel(kernel, options.fit_tolerance);
    let mut graph = in_si(kernel, model, &Options { form, ..*options })?;
    if kernel.is_step() {
        units::convert(&mut graph, options.units);
        return Ok(graph);
    }
    if options.state != StateVariables::MoleFractions {
        state::connect(&mut graph, model.species().len(), options.state);
    }
    if let Some(plan) = options.state.work().and_then(|work| newton::plan(model, work)) {
        graph.range = Some(graph.range.map_or(plan.range, |range| range.within(plan.range)));
    }
    unguarded::remove(&mut graph);
    units::convert(&mut graph, options.units);
    Ok(graph)
}

/// Why there is no such kernel of this model.
fn refuse(kernel: Kernel, model: &Model, options: &Options) -> Option<Diagnostic> {
    if kernel.has_diffusion() && model.lewis_numbers().is_some() && options.precision != Precision::Double {
        let message = format!("{kernel}: there is no proven bound of single precision for diffusion by Lewis numbers");
        return Some(Diagnostic::error("precision::not-offered", message).help("use --precision double"));
    }
    if kernel.has_diffusion() && model.lewis_numbers().is_none() && model.species().len() < 2 {
        return Some(
            Diagnostic::error("kernel::one-species", "the diffusion kernel needs at least two species")
                .help("choose the other kernels with --kernel viscosity,conductivity,chemistry"),
        );
    }
    if options.state.work().is_some_and(|work| newton::plan(model, work).is_none()) {
        return Some(
            Diagnostic::error(
                "kernel::heat-capacity",
                "a species' heat capacity is not positive around 1000 K: no temperature follows from energies",
            )
            .help("correct its thermo data, or give temperatures with --state TPX, TPY or TRY"),
        );
    }
    if kernel.is_jacobian() && !model.mechanism.stiff().is_empty() && options.stiffness != Stiffness::Off {
        let message = "rates of stiff species are scaled from a threshold on, and have no derivatives there";
        return Some(
            Diagnostic::error("kernel::reduced-jacobian", message).help(
                "leave stiff species as they are with --stiffness off, or the reduction out with --reduction none",
            ),
        );
    }
    if kernel == Kernel::Progress && model.mechanism.reduction.is_some() {
        let message = "rates of reactions one by one are not those that a reduced mechanism goes by";
        return Some(
            Diagnostic::error("kernel::reduced-progress", message)
                .help("leave the reduction out with --reduction none; CHEMKIN's and PelePhysics' functions do without these rates with --stiffness off"),
        );
    }
    if kernel == Kernel::Chemistry && options.precision == Precision::Single {
        return logarithmic::refused(&model.mechanism);
    }
    let of_reactor = match kernel {
        Kernel::IsobaricStep => Some((StateVariables::MassFractions, "TPY")),
        Kernel::IsochoricStep => Some((StateVariables::Density, "TRY")),
        _ => None,
    };
    if let Some((_, state)) = of_reactor.filter(|&(state, _)| state != options.state) {
        return Some(
            Diagnostic::error("kernel::step-state", "a step advances temperature and mass fractions")
                .help(format!("use --state {state}, and call the temperature kernel for other states")),
        );
    }
    if kernel == Kernel::Temperature && !options.state.is_computed() {
        return Some(
            Diagnostic::error("kernel::state-is-given", "the temperature kernel has nothing to compute")
                .help("tell the state by other variables with --state TC, TRX, TRY, ERY or HPY"),
        );
    }
    None
}

/// The graph with guards around its powers, and with arrays in SI units.
fn in_si(kernel: Kernel, model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    Ok(match kernel {
        Kernel::Viscosity | Kernel::Conductivity | Kernel::Diffusion => part::build(kernel, model, options)?,
        Kernel::Transport => coefficients::build(model, options)?,
        Kernel::Flux => flux::build(model, options)?,
        Kernel::Chemistry => production::build(model, options, None),
        Kernel::Isobaric => production::build(model, options, Some(Constant::Pressure)),
        Kernel::Isochoric => production::build(model, options, Some(Constant::Volume)),
        Kernel::Progress => progress::build(model, options),
        Kernel::Thermodynamics => properties::build(model, options),
        Kernel::Temperature => temperature_kernel::build(model, options),
        Kernel::Jacobian => jacobian::build(model, options, None),
        Kernel::IsobaricJacobian => jacobian::build(model, options, Some(Constant::Pressure)),
        Kernel::IsochoricJacobian => jacobian::build(model, options, Some(Constant::Volume)),
        Kernel::IsobaricSparseJacobian => jacobian::build_sparse(model, options, Constant::Pressure),
        Kernel::IsochoricSparseJacobian => jacobian::build_sparse(model, options, Constant::Volume),
        Kernel::IsobaricJacobianVector => jacobian_vector::build(model, options, Constant::Pressure),
        Kernel::IsochoricJacobianVector => jacobian_vector::build(model, options, Constant::Volume),
        Kernel::IsobaricStep => {
            step_of(model, options, Constant::Pressure, [Kernel::Isobaric, Kernel::IsobaricSparseJacobian])?
        }
        Kernel::IsochoricStep => {
            step_of(model, options, Constant::Volume, [Kernel::Isochoric, Kernel::IsochoricSparseJacobian])?
        }
    })
}

/// A step in time, made of the kernels of a reactor's rates and their sparse Jacobian.
fn step_of(model: &Model, options: &Options, constant: Constant, parts: [Kernel; 2]) -> Result<Graph, Vec<Diagnostic>> {
    let of_part = |part: Kernel| build(part, model, &Options { units: units::Units::Si, ..*options });
    let [rates, jacobian] = [of_part(parts[0])?, of_part(parts[1])?];
    Ok(step::build(model, &options.integrator.method(), constant, [&rates, &jacobian]))
}
