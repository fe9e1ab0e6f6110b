//! One builder per kernel: from the model to the operations and values of its dataflow graph.

mod activity;
mod chemistry;
mod common;
mod common_reactants;
mod composition;
mod conductivity;
mod diffusion;
mod factored;
mod flux;
mod form;
mod formation;
mod gibbs;
mod jacobian;
mod jacobian_vector;
mod log_space;
mod means;
mod newton;
mod output;
mod pressure;
mod product;
mod pure_limit;
mod qssa;
mod qssa_slopes;
mod reaction;
mod reaction_slopes;
mod reactor;
mod reactor_slopes;
mod resistances;
mod rows;
mod slope;
mod source;
mod split;
mod state;
mod stiffness;
mod storage;
mod symmetric;
mod temperature;
mod terms;
mod thermodynamics;
mod third_body;
mod together;
mod transport;
mod troe;
mod viscosity;

pub use form::{Form, low_rank_bound};
pub use log_space::Exponential;
pub use output::{Output, Outputs, Property};
pub use product::Matrix;
pub use state::StateVariables;
pub use storage::MatrixStorage;
pub use transport::PARTS as TRANSPORT_PARTS;

use std::fmt;

use crate::graph::Graph;
use crate::graph::unguarded;
use crate::graph::units::{self, Units};
use diagnostics::Diagnostic;
use kinetics::approximation::range::TemperatureRange;
use kinetics::reactor::Constant;
use kinetics::{Model, Stiffness};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, clap::ValueEnum, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    Viscosity,
    Conductivity,
    Diffusion,
    Chemistry,
    /// Viscosity, conductivity and diffusion coefficients at once
    Transport,
    /// Diffusive fluxes of mass and enthalpy
    Flux,
    /// Rates of change of mass fractions and temperature at constant pressure
    Isobaric,
    /// The same at constant volume
    Isochoric,
    /// Properties of species and of the mixture
    Thermodynamics,
    /// Temperature and pressure of a state that is told otherwise
    Temperature,
    /// Derivatives of production rates by concentrations and temperature
    Jacobian,
    /// Derivatives of what the isobaric kernel gives
    IsobaricJacobian,
    /// Derivatives of what the isochoric kernel gives
    IsochoricJacobian,
    /// The former's product with a vector
    IsobaricJacobianVector,
    /// The latter's product with a vector
    IsochoricJacobianVector,
}

impl Kernel {
    /// Those that are compiled by default.
    pub const ALL: [Self; 4] = [Self::Viscosity, Self::Conductivity, Self::Diffusion, Self::Chemistry];

    pub fn name(self) -> &'static str {
        match self {
            Self::Viscosity => "viscosity",
            Self::Conductivity => "conductivity",
            Self::Diffusion => "diffusion",
            Self::Chemistry => "chemistry",
            Self::Transport => "transport",
            Self::Flux => "flux",
            Self::Isobaric => "isobaric",
            Self::Isochoric => "isochoric",
            Self::Thermodynamics => "thermodynamics",
            Self::Temperature => "temperature",
            Self::Jacobian => "jacobian",
            Self::IsobaricJacobian => "isobaric-jacobian",
            Self::IsochoricJacobian => "isochoric-jacobian",
            Self::IsobaricJacobianVector => "isobaric-jacobian-vector",
            Self::IsochoricJacobianVector => "isochoric-jacobian-vector",
        }
    }

    /// Whether it computes production rates, from which others follow.
    pub fn has_rates(self) -> bool {
        matches!(self, Self::Chemistry | Self::Isobaric | Self::Isochoric) || self.is_jacobian()
    }

    /// Whether it computes derivatives of them.
    pub fn is_jacobian(self) -> bool {
        matches!(
            self,
            Self::Jacobian
                | Self::IsobaricJacobian
                | Self::IsochoricJacobian
                | Self::IsobaricJacobianVector
                | Self::IsochoricJacobianVector
        )
    }

    /// Whether it needs transport data.
    pub fn is_transport(self) -> bool {
        matches!(self, Self::Viscosity | Self::Conductivity | Self::Diffusion | Self::Transport | Self::Flux)
    }

    /// Largest error of a generated kernel of an exact form against the reference evaluator: relative for transport, relative to the
    /// gross rate for chemistry.
    pub fn tolerance(self) -> f64 {
        if self.has_rates() { 1e-10 } else { 1e-12 }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Choices that change the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Number of warps to partition for (the paper's domain-specific partitioning depends on it).
    pub warps: u32,
    /// Mole fractions and concentrations are values that pass between warps; else every reader loads them from global
    /// memory, which spares shared memory.
    pub stage_inputs: bool,
    /// The smallest mole fraction of the diffusion kernel (epsilon of paper section 3.3).
    pub floor: f64,
    pub form: Form,
    /// Largest relative error of polynomials against the exact form; `None` for exact forms only.
    pub fit_tolerance: Option<f64>,
    /// Where they keep to it.
    pub fit_range: TemperatureRange,
    /// How the chemistry kernel treats stiff species.
    pub stiffness: Stiffness,
    /// Keeps the operations that solve for quasi-steady species to this many warps.
    pub qssa_warps: Option<u32>,
    /// What tells the state of a point.
    pub state: StateVariables,
    /// What is stored, where there is a choice.
    pub outputs: Outputs,
    /// Whether fluxes have thermal diffusion.
    pub soret: bool,
    /// Which entries of Jacobians are stored.
    pub storage: MatrixStorage,
    /// The units of the arrays.
    pub units: Units,
    /// Reverse rates of the log-space chemistry are made of activities, which are two values per species; else of Gibbs
    /// energies, which are one.
    pub activities: bool,
    /// Which powers of two the log-space chemistry and the symmetric and low-rank viscosity use.
    pub exponential: Exponential,
    /// What multiplies vectors with the constant matrices of the symmetric and low-rank viscosity and the low-rank diffusion.
    pub matrix: Matrix,
    /// Doubles of running states that a thread has room for, at each of its points.
    pub states: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            warps: 8,
            stage_inputs: true,
            floor: 1e-20,
            form: Form::Pairwise,
            fit_tolerance: Some(1e-4),
            fit_range: TemperatureRange::DEFAULT,
            stiffness: Stiffness::Sequential,
            qssa_warps: None,
            state: StateVariables::default(),
            outputs: Outputs::default(),
            soret: false,
            storage: MatrixStorage::Dense,
            units: Units::Si,
            activities: true,
            exponential: Exponential::Polynomial,
            matrix: Matrix::Dfma,
            states: u32::MAX,
        }
    }
}

impl Options {
    /// The temperatures outside of which a kernel of this form gives no numbers: those of the cheaper forms have powers without guards.
    fn filter(&self) -> Option<TemperatureRange> {
        (self.form != Form::Pairwise).then_some(unguarded::TEMPERATURES)
    }
}

/// Builds the graph of a kernel in the form of the options, or in the pairwise form where the kernel does not have that.
///
/// Errors: transport data are missing; diffusion in a single species.
pub fn build(kernel: Kernel, model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    let mut graph = part(kernel, model, options)?;
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

/// The graph of a kernel that may be a part of another one: powers have their guards, arrays their units in SI.
fn part(kernel: Kernel, model: &Model, options: &Options) -> Result<Graph, Vec<Diagnostic>> {
    let fits = || {
        model.transport.as_ref().ok_or_else(|| {
            vec![
                Diagnostic::error(
                    "kernel::no-transport",
                    format!("the {kernel} kernel needs transport data, and there are none"),
                )
                .help("give a transport file with --transport, or choose kernels with --kernel chemistry"),
            ]
        })
    };
    if matches!(kernel, Kernel::Diffusion | Kernel::Transport | Kernel::Flux) && model.species().len() < 2 {
        return Err(vec![
            Diagnostic::error("kernel::one-species", "the diffusion kernel needs at least two species")
                .help("choose the other kernels with --kernel viscosity,conductivity,chemistry"),
        ]);
    }
    if options.state.work().is_some_and(|work| newton::plan(model, work).is_none()) {
        return Err(vec![
            Diagnostic::error(
                "kernel::heat-capacity",
                "a species' heat capacity is not positive around 1000 K: no temperature follows from energies",
            )
            .help("correct its thermo data, or give temperatures with --state TPX, TPY or TRY"),
        ]);
    }
    if kernel.is_jacobian() && !model.mechanism.stiff().is_empty() && options.stiffness != Stiffness::Off {
        let message = "rates of stiff species are scaled from a threshold on, and have no derivatives there";
        return Err(vec![Diagnostic::error("kernel::reduced-jacobian", message).help(
            "leave stiff species as they are with --stiffness off, or the reduction out with --reduction none",
        )]);
    }
    if kernel == Kernel::Temperature && !options.state.is_computed() {
        return Err(vec![
            Diagnostic::error("kernel::state-is-given", "the temperature kernel has nothing to compute")
                .help("tell the state by other variables with --state TRY, ERY or HPY"),
        ]);
    }
    let form = options.form.for_kernel(kernel, options.fit_tolerance);
    let options = &Options { form, ..*options };
    Ok(match (kernel, form, options.fit_tolerance) {
        (Kernel::Viscosity, Form::Symmetric | Form::LowRank, _) => symmetric::build(model, fits()?, options),
        (Kernel::Viscosity, ..) => viscosity::build(model, fits()?, options),
        (Kernel::Conductivity, Form::LogSpace, _) => means::log_space(model, fits()?, options),
        (Kernel::Conductivity, Form::LowRank, Some(tolerance)) => means::low_rank(model, fits()?, options, tolerance),
        (Kernel::Conductivity, Form::Polynomial, Some(tolerance)) => {
            means::polynomial(model, fits()?, options, tolerance)
        }
        (Kernel::Conductivity, ..) => conductivity::build(model, fits()?, options),
        (Kernel::Diffusion, Form::LowRank, Some(tolerance)) => factored::build(model, fits()?, options, tolerance),
        (Kernel::Diffusion, Form::Polynomial, Some(tolerance)) => {
            resistances::build(model, fits()?, options, tolerance)
        }
        (Kernel::Diffusion, ..) => diffusion::build(model, fits()?, options),
        (Kernel::Transport, ..) => {
            fits()?;
            transport::build(model, options)?
        }
        (Kernel::Flux, ..) => flux::build(model, fits()?, options)?,
        (Kernel::Chemistry, ..) => chemistry::build(model, options, None),
        (Kernel::Isobaric, ..) => chemistry::build(model, options, Some(Constant::Pressure)),
        (Kernel::Isochoric, ..) => chemistry::build(model, options, Some(Constant::Volume)),
        (Kernel::Thermodynamics, ..) => thermodynamics::build(model, options),
        (Kernel::Temperature, ..) => temperature::build(model, options),
        (Kernel::Jacobian, ..) => jacobian::build(model, options, None),
        (Kernel::IsobaricJacobian, ..) => jacobian::build(model, options, Some(Constant::Pressure)),
        (Kernel::IsochoricJacobian, ..) => jacobian::build(model, options, Some(Constant::Volume)),
        (Kernel::IsobaricJacobianVector, ..) => jacobian_vector::build(model, options, Constant::Pressure),
        (Kernel::IsochoricJacobianVector, ..) => jacobian_vector::build(model, options, Constant::Volume),
    })
}
