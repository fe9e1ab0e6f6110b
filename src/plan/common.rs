//! Settings that concern all kernels of a compilation.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::values;
use graph::Units;
use kernels::{ErrorBound, Factors, Integrator, Io, Kernel, MatrixStorage, Outputs, Precision, StateVariables};
use kinetics::Stiffness;
use kinetics::reactor::Constant;
use machine::target::Target;

/// The machine, and what the kernels compute. The fields are flags and keys of a configuration, by the same names.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Common {
    /// Architecture, such as hopper or sm_90; or cpu, for C++ that vectorises
    #[arg(long, value_name = "NAME", default_value = "ampere", value_parser = values::target::parse)]
    #[serde(with = "super::values::target")]
    pub target: &'static Target,
    /// Variables of a point's state: temperature, pressure, and mole fractions (X) or mass fractions (Y)
    #[arg(long, value_enum, ignore_case = true, default_value_t = StateVariables::MoleFractions)]
    pub state: StateVariables,
    /// Outputs of the thermodynamics, the chemistry and the flux kernel, such as cp,molar-h,species-s,density or
    /// production-rates,heat-release-rate or mass-fluxes,enthalpy-flux
    #[arg(long, value_name = "LIST|default", default_value = "default", value_parser = values::outputs::parse)]
    #[serde(with = "super::values::outputs")]
    pub outputs: Outputs,
    /// Thermal diffusion (Soret effect) of light species in the flux kernel, which then reads a gradient of the temperature, too
    #[arg(long)]
    pub soret: bool,
    /// Stored entries of Jacobians, column by column: all (dense), or those that are not zero in every state, whose
    /// places the header has (compressed)
    #[arg(long, value_enum, default_value_t = MatrixStorage::Dense)]
    pub jacobian_storage: MatrixStorage,
    /// How the reactor kernel and the step kernels integrate: a Rosenbrock method of order 5 with 8 stages (rodas5p), of order 4 with 6 (rodas4), of
    /// order 4 with 4 (ros4) or of order 3 (rodas3); auto takes Heun's method (order 2) for each point that is not stiff, and rodas5p else
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Integrator::Rodas5p)]
    pub integrator: Integrator,
    /// Precision in which the reactor kernel factors the matrix of a step on GPUs of NVIDIA; all else is in double precision
    #[arg(long, value_enum, default_value_t = Factors::Double)]
    pub factors: Factors,
    /// Units of the kernels' arrays: SI with kmol, or CGS with mol
    #[arg(long, value_enum, ignore_case = true, default_value_t = Units::Si)]
    pub units: Units,
    /// Smallest mole fraction in the diffusion kernel
    #[arg(long, value_name = "X", default_value = "1e-20", value_parser = values::floor::parse)]
    #[serde(with = "super::values::floor")]
    pub floor: f64,
    /// Largest relative error of polynomial and low-rank forms against the exact form from 200 to 4000 K, or exact for exact forms only
    #[arg(long, value_name = "X|exact", default_value = "1e-4", value_parser = values::fit_tolerance::parse)]
    #[serde(with = "super::values::fit_tolerance")]
    pub fit_tolerance: std::option::Option<f64>,
    /// How the chemistry kernel treats the stiff species of the reduction: sequential (one after the other, each seeing what the
    /// ones before scaled), jacobi (all at once), or off
    #[arg(long, value_name = "sequential|jacobi|off", default_value = "sequential", value_parser = values::stiffness::parse)]
    #[serde(with = "super::values::stiffness")]
    pub stiffness: Stiffness,
    /// Arithmetic of the kernels of viscosity, conductivity and diffusion; of chemistry with --error-bound measured
    #[arg(long, value_enum, default_value_t = Precision::Double)]
    pub precision: Precision,
    /// Largest relative error that is to be proven of single or mixed precision and the form together, 1e-4 and 1e-6 by default
    #[arg(long, value_name = "X|default", default_value = "default", value_parser = values::error::parse)]
    #[serde(with = "super::values::error")]
    pub error: std::option::Option<f64>,
    /// Whether what single precision errs by is proven, or measured in the states of --verify alone
    #[arg(long, value_enum, default_value_t = ErrorBound::Proven)]
    pub error_bound: ErrorBound,
    /// Numbers in the arrays of kernels in single precision
    #[arg(long, value_enum, default_value_t = Io::Double)]
    pub io: Io,
}

impl Common {
    /// Returns the tolerance of approximations. In mixed precision it is at most half of the requested error, so that the arithmetic has the rest.
    pub fn tolerance(&self) -> Option<f64> {
        match self.precision {
            Precision::Mixed => self.fit_tolerance.map(|tolerance| tolerance.min(0.5 * self.largest_error())),
            _ => self.fit_tolerance,
        }
    }

    /// Returns the largest error of arithmetic and form together in single or mixed precision.
    pub fn largest_error(&self) -> f64 {
        self.error.unwrap_or(if self.precision == Precision::Mixed { 1e-6 } else { 1e-4 })
    }

    /// Returns the quantity that stays constant in reactors of this state: the volume if the density or the energy tells it, else the pressure.
    pub fn constant(&self) -> Constant {
        match self.state {
            StateVariables::Density | StateVariables::Energy => Constant::Volume,
            _ => Constant::Pressure,
        }
    }

    /// The kernels that an integrator of reactors takes: rates and their derivatives.
    pub fn reactor_kernels(&self) -> [Kernel; 2] {
        match self.constant() {
            Constant::Pressure => [Kernel::Isobaric, Kernel::IsobaricSparseJacobian],
            Constant::Volume => [Kernel::Isochoric, Kernel::IsochoricSparseJacobian],
        }
    }
}

impl Default for Common {
    fn default() -> Self {
        Self {
            target: Target::by_name("ampere").expect("there is a description of ampere"),
            state: StateVariables::default(),
            outputs: Outputs::default(),
            soret: false,
            jacobian_storage: MatrixStorage::Dense,
            integrator: Integrator::default(),
            factors: Factors::Double,
            units: Units::Si,
            floor: 1e-20,
            fit_tolerance: Some(1e-4),
            stiffness: Stiffness::Sequential,
            precision: Precision::Double,
            error: None,
            error_bound: ErrorBound::Proven,
            io: Io::Double,
        }
    }
}
