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
    /// The arrays, the composition last.
    pub fn arrays(self) -> [&'static str; 3] {
        match self {
            Self::MoleFractions => ["temperature", "pressure", "mole_fractions"],
            Self::MassFractions => ["temperature", "pressure", "mass_fractions"],
            Self::Density => ["temperature", "density", "mass_fractions"],
            Self::Energy => ["energy", "density", "mass_fractions"],
            Self::Enthalpy => ["enthalpy", "pressure", "mass_fractions"],
        }
    }

    /// Whether temperature or pressure are computed.
    pub fn is_computed(self) -> bool {
        matches!(self, Self::Density | Self::Energy | Self::Enthalpy)
    }

    /// Where the temperature is found from a sum over species: what their cp/R and h/RT are lessened by in it.
    pub fn work(self) -> Option<f64> {
        match self {
            Self::MoleFractions | Self::MassFractions | Self::Density => None,
            Self::Energy => Some(1.0),
            Self::Enthalpy => Some(0.0),
        }
    }
}
