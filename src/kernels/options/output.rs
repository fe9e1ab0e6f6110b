//! What a kernel stores, where there is a choice: a few of these quantities, in this order, in the rows of one array.

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
    /// Of the mixture, or (`species`) of each species pure at 1 atm; per kmol or per kg.
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

const OTHERS: [(Output, &str); 9] = [
    (Output::MeanMolarMass, "mean-molar-mass"),
    (Output::Density, "density"),
    (Output::Pressure, "pressure"),
    (Output::ProductionRates, "production-rates"),
    (Output::MassProductionRates, "mass-production-rates"),
    (Output::HeatReleaseRate, "heat-release-rate"),
    (Output::MassFluxes, "mass-fluxes"),
    (Output::EnthalpyFlux, "enthalpy-flux"),
    (Output::ThermalDiffusionRatios, "thermal-diffusion-ratios"),
];

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

    /// Rows of the array, for so many species.
    pub fn rows(self, species: usize) -> usize {
        match self {
            Self::Thermodynamic { species: true, .. }
            | Self::ProductionRates
            | Self::MassProductionRates
            | Self::MassFluxes
            | Self::ThermalDiffusionRatios => species,
            _ => 1,
        }
    }

    /// The kernel that has it.
    pub fn kernel(self) -> Kernel {
        match self {
            Self::ProductionRates | Self::MassProductionRates | Self::HeatReleaseRate => Kernel::Chemistry,
            Self::MassFluxes | Self::EnthalpyFlux | Self::ThermalDiffusionRatios => Kernel::Flux,
            _ => Kernel::Thermodynamics,
        }
    }
}

/// A set of outputs; an empty one stands for those that a kernel has by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outputs(u64);

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

    /// What a kernel stores: what was asked for of it, or else its default.
    pub fn of(self, kernel: Kernel) -> Vec<Output> {
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
            _ => vec![Output::ProductionRates],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert_eq!(Output::all().count(), 33);
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
        assert_eq!(set.of(Kernel::Chemistry), [Output::HeatReleaseRate]);
        assert_eq!(set.of(Kernel::Thermodynamics).len(), 1);
        assert_eq!(Outputs::default().of(Kernel::Thermodynamics).len(), 8);
        assert_eq!(Outputs::default().of(Kernel::Chemistry), [Output::ProductionRates]);
    }
}
