//! Stored quantities of a kernel, if there is a choice: a few of these, in this order, in the rows of one array.

use super::kernel::Kernel;

/// A property of species or of the mixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// Heat capacity at constant pressure
    Cp,
    /// Heat capacity at constant volume
    Cv,
    /// Enthalpy
    H,
    /// Energy
    U,
    /// Entropy
    S,
    /// Gibbs function
    G,
}

/// One quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Property of the mixture, or (`species`) of each species pure at 1 atm; per kmol or per kg.
    Thermodynamic {
        property: Property,
        species: bool,
        molar: bool,
    },
    MeanMolarMass,
    Density,
    Pressure,
    /// kmol/m3/s of each species
    ProductionRates,
    /// kg/m3/s of each species
    MassProductionRates,
    /// W/m3
    HeatReleaseRate,
    /// (m3/kmol)^(n-1)/s of each reaction; they include falloff
    ForwardRateConstants,
    ReverseRateConstants,
    /// (kmol/m3)^n of each reaction, whether or not it can go back
    EquilibriumConstants,
    /// kmol/m3/s of each reaction; they include \[M\]
    ForwardRates,
    ReverseRates,
    NetRates,
    /// kmol/m3/s of each species, by both directions of all reactions
    CreationRates,
    DestructionRates,
    /// kg/m2/s of each species
    MassFluxes,
    /// W/m2
    EnthalpyFlux,
    /// Theta_k of each species
    ThermalDiffusionRatios,
}

const PROPERTIES: [(Property, &str); 6] = [
    (Property::Cp, "cp"),
    (Property::Cv, "cv"),
    (Property::H, "h"),
    (Property::U, "u"),
    (Property::S, "s"),
    (Property::G, "g"),
];

const OTHERS: [(Output, &str); 17] = [
    (Output::MeanMolarMass, "mean-molar-mass"),
    (Output::Density, "density"),
    (Output::Pressure, "pressure"),
    (Output::ProductionRates, "production-rates"),
    (Output::MassProductionRates, "mass-production-rates"),
    (Output::HeatReleaseRate, "heat-release-rate"),
    (Output::ForwardRateConstants, "forward-rate-constants"),
    (Output::ReverseRateConstants, "reverse-rate-constants"),
    (Output::EquilibriumConstants, "equilibrium-constants"),
    (Output::ForwardRates, "forward-rates"),
    (Output::ReverseRates, "reverse-rates"),
    (Output::NetRates, "net-rates"),
    (Output::CreationRates, "creation-rates"),
    (Output::DestructionRates, "destruction-rates"),
    (Output::MassFluxes, "mass-fluxes"),
    (Output::EnthalpyFlux, "enthalpy-flux"),
    (Output::ThermalDiffusionRatios, "thermal-diffusion-ratios"),
];

/// Number of rows of each kind.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    pub species: usize,
    pub reactions: usize,
}

impl Output {
    /// Every output, in the order of the rows.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = [(false, false), (false, true), (true, false), (true, true)];
        let thermodynamic = kinds.into_iter().flat_map(|(species, molar)| {
            PROPERTIES.map(|(property, _)| Self::Thermodynamic { property, species, molar })
        });
        thermodynamic.chain(OTHERS.map(|(output, _)| output))
    }

    /// Such as `cp`, `molar-h` or `species-molar-s`.
    pub fn name(self) -> String {
        match self {
            Self::Thermodynamic { property, species, molar } => {
                let name = PROPERTIES.iter().find(|(known, _)| *known == property).map_or("", |(_, name)| name);
                format!("{}{}{name}", if species { "species-" } else { "" }, if molar { "molar-" } else { "" })
            }
            _ => OTHERS.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name).to_owned(),
        }
    }

    /// Rows of the array.
    pub fn rows(self, Rows { species, reactions }: Rows) -> usize {
        match self {
            Self::Thermodynamic { species: true, .. }
            | Self::ProductionRates
            | Self::MassProductionRates
            | Self::CreationRates
            | Self::DestructionRates
            | Self::MassFluxes
            | Self::ThermalDiffusionRatios => species,
            Self::ForwardRateConstants
            | Self::ReverseRateConstants
            | Self::EquilibriumConstants
            | Self::ForwardRates
            | Self::ReverseRates
            | Self::NetRates => reactions,
            _ => 1,
        }
    }

    /// The kernel that has it.
    pub fn kernel(self) -> Kernel {
        match self {
            Self::ProductionRates | Self::MassProductionRates | Self::HeatReleaseRate => Kernel::Chemistry,
            Self::ForwardRateConstants
            | Self::ReverseRateConstants
            | Self::EquilibriumConstants
            | Self::ForwardRates
            | Self::ReverseRates
            | Self::NetRates
            | Self::CreationRates
            | Self::DestructionRates => Kernel::Progress,
            Self::MassFluxes | Self::EnthalpyFlux | Self::ThermalDiffusionRatios => Kernel::Flux,
            _ => Kernel::Thermodynamics,
        }
    }
}

/// A set of outputs; an empty one stands for those that a kernel has by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outputs(u64);

impl FromIterator<Output> for Outputs {
    fn from_iter<I: IntoIterator<Item = Output>>(outputs: I) -> Self {
        let places = outputs.into_iter().filter_map(|output| Output::all().position(|other| other == output));
        Self(places.fold(0, |set, place| set | 1 << place))
    }
}

impl Outputs {
    /// From names with commas between them, or `default`.
    ///
    /// Errors: the names that there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut set = Self::default();
        for name in text.split(',').filter(|_| text != "default") {
            let place = Output::all().position(|output| output.name() == name);
            let names = || Output::all().map(Output::name).collect::<Vec<_>>().join(", ");
            set.0 |= 1 << place.ok_or_else(|| format!("known: default, {}", names()))?;
        }
        Ok(set)
    }

    /// The names, with commas between them.
    pub fn text(self) -> String {
        let names: Vec<String> = self.given().map(Output::name).collect();
        if names.is_empty() { "default".into() } else { names.join(",") }
    }

    /// Those that were asked for.
    pub fn given(self) -> impl Iterator<Item = Output> {
        Output::all().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 1).map(|(_, output)| output)
    }

    /// Returns the stored quantities of a kernel: those that were asked for, or else its default.
    pub fn for_kernel(self, kernel: Kernel) -> Vec<Output> {
        let given: Vec<Output> = self.given().filter(|output| output.kernel() == kernel).collect();
        match kernel {
            _ if !given.is_empty() => given,
            Kernel::Thermodynamics => {
                let mixture = |output: &Output| {
                    matches!(
                        output,
                        Output::Thermodynamic { species: false, molar: false, .. }
                            | Output::MeanMolarMass
                            | Output::Density
                    )
                };
                Output::all().filter(mixture).collect()
            }
            Kernel::Flux => vec![Output::MassFluxes],
            Kernel::Progress => vec![Output::ForwardRates, Output::ReverseRates],
            _ => vec![Output::ProductionRates],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert_eq!(Output::all().count(), 41);
        for output in Output::all() {
            let set = Outputs::parse(&output.name()).unwrap();
            assert_eq!(set.given().collect::<Vec<_>>(), [output]);
            assert_eq!(Outputs::parse(&set.text()), Ok(set));
        }
        assert_eq!(Outputs::parse("default"), Ok(Outputs::default()));
        assert_eq!(Outputs::parse("s,cp").unwrap().text(), "cp,s");
        assert!(Outputs::parse("cp,c").unwrap_err().starts_with("known: default, cp, cv"));
    }

    #[test]
    fn a_kernel_takes_its_own_and_else_its_default() {
        let set = Outputs::parse("molar-h,heat-release-rate").unwrap();
        assert_eq!(set.for_kernel(Kernel::Chemistry), [Output::HeatReleaseRate]);
        assert_eq!(set.for_kernel(Kernel::Thermodynamics).len(), 1);
        assert_eq!(Outputs::default().for_kernel(Kernel::Thermodynamics).len(), 8);
        assert_eq!(Outputs::default().for_kernel(Kernel::Chemistry), [Output::ProductionRates]);
    }
}
