//! Variables that tell the state of a point.

/// The state of a point, in the order of the arrays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
pub enum StateVariables {
    /// Temperature, pressure, mole fractions
    #[default]
    #[value(name = "TPX")]
    #[serde(rename = "TPX")]
    MoleFractions,
    /// Temperature, pressure, mass fractions
    #[value(name = "TPY")]
    #[serde(rename = "TPY")]
    MassFractions,
    /// Temperature, concentrations
    #[value(name = "TC")]
    #[serde(rename = "TC")]
    Concentrations,
    /// Temperature, density, mole fractions
    #[value(name = "TRX")]
    #[serde(rename = "TRX")]
    DensityByMole,
    /// Temperature, density, mass fractions
    #[value(name = "TRY")]
    #[serde(rename = "TRY")]
    Density,
    /// Specific energy, density, mass fractions
    #[value(name = "ERY")]
    #[serde(rename = "ERY")]
    Energy,
    /// Specific enthalpy, pressure, mass fractions
    #[value(name = "HPY")]
    #[serde(rename = "HPY")]
    Enthalpy,
}

impl StateVariables {
    /// The arrays that kernels are built on, the composition last. The second one is no array of the host's where
    /// [`is_without_second`](Self::is_without_second).
    pub fn arrays(self) -> [&'static str; 3] {
        match self {
            Self::Concentrations => ["temperature", "pressure", "concentrations"],
            Self::DensityByMole => ["temperature", "density", "mole_fractions"],
            Self::MoleFractions => ["temperature", "pressure", "mole_fractions"],
            Self::MassFractions => ["temperature", "pressure", "mass_fractions"],
            Self::Density => ["temperature", "density", "mass_fractions"],
            Self::Energy => ["energy", "density", "mass_fractions"],
            Self::Enthalpy => ["enthalpy", "pressure", "mass_fractions"],
        }
    }

    /// Whether temperature or pressure are computed.
    pub fn is_computed(self) -> bool {
        !matches!(self, Self::MoleFractions | Self::MassFractions)
    }

    /// Whether the composition tells all but the temperature.
    pub fn is_without_second(self) -> bool {
        self == Self::Concentrations
    }

    /// Returns the quantity of the composition.
    pub fn basis(self) -> Basis {
        match self {
            Self::MoleFractions | Self::DensityByMole => Basis::MoleFractions,
            Self::Concentrations => Basis::Concentrations,
            Self::MassFractions | Self::Density | Self::Energy | Self::Enthalpy => Basis::MassFractions,
        }
    }

    /// Returns the amount subtracted from cp/R and h/RT in the sum that gives the temperature; `None` if it does not follow from a sum.
    pub fn work(self) -> Option<f64> {
        match self {
            Self::MoleFractions | Self::MassFractions | Self::Concentrations | Self::DensityByMole | Self::Density => {
                None
            }
            Self::Energy => Some(1.0),
            Self::Enthalpy => Some(0.0),
        }
    }
}

/// Quantity of a composition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    MoleFractions,
    MassFractions,
    /// In kmol/m^3
    Concentrations,
}
