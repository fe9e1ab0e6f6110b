//! Forms: different algebra for the same physics. Each kernel has the paper's pairwise form and cheaper ones.

use std::fmt;

use super::kernel::Kernel;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, clap::ValueEnum, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The paper's: exact, an exponential for each pair of species.
    Pairwise,
    /// Viscosity: one symmetric matrix and three right-hand sides. Exact.
    Symmetric,
    /// Viscosity: the symmetric matrix as a product of two thin ones, to [`low_rank_bound`]. Diffusion: a small core
    /// that depends on temperature between thin factors, to the fit tolerance. Conductivity: a few functions of temperature
    /// that all species share, to the fit tolerance.
    LowRank,
    /// Diffusion and conductivity: polynomials in ln T instead of exponentials, to the fit tolerance.
    Polynomial,
    /// Conductivity and chemistry: fewer elementary functions and divisions. Exact.
    LogSpace,
}

/// Largest relative error of the low-rank viscosity: the fit tolerance, and where exact forms are asked for about what rounding leaves
/// of the others.
pub fn low_rank_bound(fit_tolerance: Option<f64>) -> f64 {
    fit_tolerance.unwrap_or(0.0).max(1e-13)
}

impl Form {
    pub const ALL: [Self; 5] = [Self::Pairwise, Self::Symmetric, Self::LowRank, Self::Polynomial, Self::LogSpace];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pairwise => "pairwise",
            Self::Symmetric => "symmetric",
            Self::LowRank => "low-rank",
            Self::Polynomial => "polynomial",
            Self::LogSpace => "log-space",
        }
    }

    /// The forms of a kernel that a fit tolerance allows, the pairwise form first. `None` asks for exact forms.
    pub fn allowed(kernel: Kernel, fit_tolerance: Option<f64>) -> Vec<Self> {
        let all: &[Self] = match kernel {
            Kernel::Viscosity => &[Self::Pairwise, Self::Symmetric, Self::LowRank],
            Kernel::Conductivity => &[Self::Pairwise, Self::LogSpace, Self::Polynomial, Self::LowRank],
            Kernel::Diffusion | Kernel::Flux => &[Self::Pairwise, Self::Polynomial, Self::LowRank],
            Kernel::Transport => &[Self::Pairwise, Self::Symmetric, Self::Polynomial, Self::LowRank],
            Kernel::Chemistry
            | Kernel::Isobaric
            | Kernel::Isochoric
            | Kernel::Jacobian
            | Kernel::IsobaricJacobian
            | Kernel::IsochoricJacobian
            | Kernel::IsobaricSparseJacobian
            | Kernel::IsochoricSparseJacobian
            | Kernel::IsobaricJacobianVector
            | Kernel::IsochoricJacobianVector
            | Kernel::IsobaricStep
            | Kernel::IsochoricStep
            | Kernel::Progress => &[Self::Pairwise, Self::LogSpace],
            Kernel::Thermodynamics | Kernel::Temperature => &[Self::Pairwise],
        };
        let fitted = |form: Self| form == Self::Polynomial || form == Self::LowRank && kernel != Kernel::Viscosity;
        all.iter().copied().filter(|&form| !fitted(form) || fit_tolerance.is_some()).collect()
    }

    /// Whether the kernel has constant matrices in this form that tensor cores can multiply.
    pub fn has_matrices(self, kernel: Kernel) -> bool {
        matches!(
            (kernel, self),
            (Kernel::Viscosity, Self::Symmetric | Self::LowRank) | (Kernel::Diffusion | Kernel::Flux, Self::LowRank)
        )
    }

    /// This form where the kernel has it and the tolerance allows it, else the pairwise form.
    pub fn for_kernel(self, kernel: Kernel, fit_tolerance: Option<f64>) -> Self {
        if Self::allowed(kernel, fit_tolerance).contains(&self) { self } else { Self::Pairwise }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
