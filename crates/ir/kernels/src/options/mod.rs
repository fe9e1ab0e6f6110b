//! Options of a kernel: its kind, form, state and outputs. These are choices and their
//! names; the only code is the power of two that was chosen ([`Exponential`]).

mod exponential;
mod form;
mod integrator;
mod kernel;
mod matrix;
mod output;
mod precision;
mod storage;
mod variables;

pub use exponential::Exponential;
pub use form::{Form, low_rank_bound};
pub use integrator::{Factors, Integrator};
pub use kernel::Kernel;
pub use matrix::Matrix;
pub use output::{Output, Outputs, Property, Rows};
pub use precision::{ErrorBound, Io, Precision};
pub use storage::{MatrixLayout, MatrixStorage};
pub use variables::{Basis, StateVariables};

use graph::unguarded;
use graph::units::Units;
use kinetics::Stiffness;
use kinetics::approximation::range::TemperatureRange;

/// Smallest mole fraction in diffusion coefficients (epsilon of paper section 3.3).
pub const FLOOR: f64 = 1e-20;

/// Choices that change the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Number of warps to partition for (the paper's domain-specific partitioning depends on it).
    pub warps: u32,
    /// Mole fractions and concentrations are values that pass between warps; else every reader loads them from global
    /// memory, which spares shared memory.
    pub stage_inputs: bool,
    pub form: Form,
    /// Largest relative error of polynomials against the exact form; `None` for exact forms only.
    pub fit_tolerance: Option<f64>,
    /// Temperatures at which polynomials keep to that.
    pub fit_range: TemperatureRange,
    /// How the chemistry kernel treats stiff species.
    pub stiffness: Stiffness,
    /// Keeps the operations that solve for quasi-steady species to this many warps.
    pub qssa_warps: Option<u32>,
    /// Variables that tell the state of a point.
    pub state: StateVariables,
    /// Quantities to store, if there is a choice.
    pub outputs: Outputs,
    /// Whether fluxes have thermal diffusion.
    pub soret: bool,
    /// Entries of Jacobians to store.
    pub storage: MatrixStorage,
    /// Whether the derivatives of production rates have these rates, too, behind the last column.
    pub with_rates: bool,
    /// Method that takes the steps of reactors.
    pub integrator: Integrator,
    /// The units of the arrays.
    pub units: Units,
    /// Reverse rates of the log-space chemistry are made of activities, which are two values per species; else of Gibbs
    /// energies, which are one.
    pub activities: bool,
    /// Powers of two of the log-space chemistry and of the symmetric and low-rank viscosity.
    pub exponential: Exponential,
    /// Instruction that multiplies vectors with the constant matrices of the symmetric and low-rank viscosity and the low-rank diffusion.
    pub matrix: Matrix,
    /// The arithmetic that the graph is made for.
    pub precision: Precision,
    /// Doubles of running states that a thread has room for, at each of its points.
    pub states: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            warps: 8,
            stage_inputs: true,
            form: Form::Pairwise,
            fit_tolerance: Some(1e-4),
            fit_range: TemperatureRange::DEFAULT,
            stiffness: Stiffness::Sequential,
            qssa_warps: None,
            state: StateVariables::default(),
            outputs: Outputs::default(),
            soret: false,
            storage: MatrixStorage::Dense,
            with_rates: false,
            integrator: Integrator::default(),
            units: Units::Si,
            activities: true,
            exponential: Exponential::Polynomial,
            matrix: Matrix::Dfma,
            precision: Precision::Double,
            states: u32::MAX,
        }
    }
}

impl Options {
    /// The temperatures outside of which a kernel of this form gives no numbers: those of the cheaper forms have powers without guards.
    pub fn filter(&self) -> Option<TemperatureRange> {
        (self.form != Form::Pairwise).then_some(unguarded::TEMPERATURES)
    }
}
