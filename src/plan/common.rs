//! Settings that concern all kernels of a compilation.

use clap::Args;
use serde::{Deserialize, Serialize};

use super::lists::MOST_OF_FORM;
use super::{ErrorLimit, FormError, Precisions, values};
use graph::Units;
use kernels::{Integrator, Kernel, MatrixStorage, Outputs, Precision, StateVariables};
use kinetics::Stiffness;
use kinetics::reactor::Constant;
use machine::target::Target;

/// Error of a form where none is asked for: a hundredth of the error of the fits in mechanisms.
const FIT_TOLERANCE: f64 = 1e-4;

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
    /// Units of the kernels' arrays: SI with kmol, or CGS with mol
    #[arg(long, value_enum, ignore_case = true, default_value_t = Units::Si)]
    pub units: Units,
    /// How the chemistry kernel treats the stiff species of the reduction: sequential (one after the other, each seeing what the
    /// ones before scaled), jacobi (all at once), or off
    #[arg(long, value_name = "sequential|jacobi|off", default_value = "sequential", value_parser = values::stiffness::parse)]
    #[serde(with = "super::values::stiffness")]
    pub stiffness: Stiffness,
    /// Arithmetic of the kernels of viscosity, conductivity and diffusion (of chemistry with --error measured): double, single, or
    /// mixed on GPUs. Behind it io=single for arrays of floats, and factors=single for the factors of a reactor's steps on GPUs of NVIDIA
    #[arg(long, value_name = "LIST", default_value = "double", value_parser = values::precisions::parse)]
    #[serde(with = "super::values::precisions")]
    pub precision: Precisions,
    /// Largest relative error. In double precision of polynomial and low-rank forms from 200 to 4000 K, 1e-4 by default; with --precision
    /// single or mixed of arithmetic and form together, 1e-4 and 1e-6. Behind it form=X or form=exact for the form alone, and measured
    /// for an error that is found in verified states instead of proven
    #[arg(long, value_name = "LIST", default_value = "default", value_parser = values::error::parse)]
    #[serde(with = "super::values::error")]
    pub error: ErrorLimit,
}

impl Common {
    /// Returns the largest error of a form; `None` allows exact forms only.
    pub fn fit_tolerance(&self) -> Option<f64> {
        match (self.error.form, self.precision.kernels) {
            (FormError::Exact, _) => None,
            (FormError::Largest(error), _) => Some(error),
            (FormError::Allowed, Precision::Double) => {
                Some(self.error.largest.unwrap_or(FIT_TOLERANCE).min(MOST_OF_FORM))
            }
            (FormError::Allowed, _) => Some(self.largest_error().min(FIT_TOLERANCE)),
        }
    }

    /// Returns the tolerance of approximations. In mixed precision it is at most half of the requested error, so that the arithmetic has the rest.
    pub fn tolerance(&self) -> Option<f64> {
        match self.precision.kernels {
            Precision::Mixed => self.fit_tolerance().map(|tolerance| tolerance.min(0.5 * self.largest_error())),
            _ => self.fit_tolerance(),
        }
    }

    /// Returns the largest error of arithmetic and form together in single or mixed precision.
    pub fn largest_error(&self) -> f64 {
        self.error.largest.unwrap_or(if self.precision.kernels == Precision::Mixed { 1e-6 } else { 1e-4 })
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
            units: Units::Si,
            stiffness: Stiffness::Sequential,
            precision: Precisions::default(),
            error: ErrorLimit::default(),
        }
    }
}
