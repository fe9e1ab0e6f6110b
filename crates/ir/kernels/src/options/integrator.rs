//! The methods that advance reactors.

use kinetics::integrator::{self, Method};

/// A method of [`kinetics::integrator`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    Rodas4,
    #[default]
    Rodas5p,
    Ros4,
    Rodas3,
    /// An explicit method where a point is not stiff, else rodas5p: on CPUs
    Auto,
}

/// Precision in which the matrix of a reactor's step is factored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factors {
    #[default]
    Double,
    Single,
}

impl Factors {
    /// Of a number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Double => 8,
            Self::Single => 4,
        }
    }
}

impl Integrator {
    pub fn method(self) -> Method {
        match self {
            Self::Rodas4 => integrator::RODAS4,
            Self::Rodas5p => integrator::RODAS5P,
            Self::Ros4 => integrator::ROS4,
            Self::Rodas3 => integrator::RODAS3,
            Self::Auto => integrator::AUTO,
        }
    }
}
