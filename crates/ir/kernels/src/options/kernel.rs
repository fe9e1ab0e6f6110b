//! The kernels and their properties.

use std::fmt;

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
    /// Rates of each reaction; production and destruction of each species
    Progress,
    /// Properties of species and of the mixture
    Thermodynamics,
    /// Temperature and pressure from other state variables
    Temperature,
    /// Derivatives of production rates by concentrations and temperature
    Jacobian,
    /// Derivatives of the isobaric kernel's outputs
    IsobaricJacobian,
    /// Derivatives of the isochoric kernel's outputs
    IsochoricJacobian,
    /// Derivatives of the isobaric kernel's outputs, as a sparse matrix and the part that all entries of a row share
    IsobaricSparseJacobian,
    /// The same for the isochoric kernel
    IsochoricSparseJacobian,
    /// The isobaric Jacobian's product with a vector
    IsobaricJacobianVector,
    /// The isochoric Jacobian's product with a vector
    IsochoricJacobianVector,
    /// One step in time of a reactor at constant pressure, by --integrator, with its error
    IsobaricStep,
    /// The same at constant volume
    IsochoricStep,
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
            Self::Progress => "progress",
            Self::Thermodynamics => "thermodynamics",
            Self::Temperature => "temperature",
            Self::Jacobian => "jacobian",
            Self::IsobaricJacobian => "isobaric-jacobian",
            Self::IsochoricJacobian => "isochoric-jacobian",
            Self::IsobaricSparseJacobian => "isobaric-sparse-jacobian",
            Self::IsochoricSparseJacobian => "isochoric-sparse-jacobian",
            Self::IsobaricJacobianVector => "isobaric-jacobian-vector",
            Self::IsochoricJacobianVector => "isochoric-jacobian-vector",
            Self::IsobaricStep => "isobaric-step",
            Self::IsochoricStep => "isochoric-step",
        }
    }

    /// Whether it computes production rates, from which others follow.
    pub fn has_rates(self) -> bool {
        matches!(self, Self::Chemistry | Self::Isobaric | Self::Isochoric | Self::Progress) || self.is_jacobian()
    }

    /// Whether it computes derivatives of them.
    pub fn is_jacobian(self) -> bool {
        matches!(
            self,
            Self::Jacobian
                | Self::IsobaricJacobian
                | Self::IsochoricJacobian
                | Self::IsobaricSparseJacobian
                | Self::IsochoricSparseJacobian
                | Self::IsobaricJacobianVector
                | Self::IsochoricJacobianVector
                | Self::IsobaricStep
                | Self::IsochoricStep
        )
    }

    /// Whether it is a step of an integrator.
    pub fn is_step(self) -> bool {
        matches!(self, Self::IsobaricStep | Self::IsochoricStep)
    }

    /// Whether it needs transport data.
    pub fn is_transport(self) -> bool {
        matches!(self, Self::Viscosity | Self::Conductivity | Self::Diffusion | Self::Transport | Self::Flux)
    }

    /// Whether it computes diffusion coefficients, from which others follow.
    pub fn has_diffusion(self) -> bool {
        matches!(self, Self::Diffusion | Self::Transport | Self::Flux)
    }

    /// Largest error of a generated kernel of an exact form against the reference evaluator: relative for transport, relative to the
    /// gross rate for chemistry, to the unknowns and all that stages change them by for steps.
    pub fn tolerance(self) -> f64 {
        if self.has_rates() { 1e-10 } else { 1e-12 }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
