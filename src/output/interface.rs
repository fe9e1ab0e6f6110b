//! Descriptions of each kernel and array in the C header.

use super::Unit;
use crate::plan::Part;
use crate::report::accuracy::accuracy;
use crate::report::diffusion;
use emit_c::host::{ArrayInterface, Dialect, Interface, KernelInterface, Rows, Species};
use graph::Units;
use kernels::{Kernel, Output, Property, TRANSPORT_PARTS};
use kinetics::Model;
use machine::target::Target;
use mechanism::Diffusion;

/// Sentence of the header about a second version.
const ALTERNATIVE: &str = " Another version, which may be faster than the one above: the driver tells on a GPU.";

/// The interface of a mechanism's kernels.
pub fn interface<'a>(
    model: &Model,
    system: Units,
    target: &Target,
    units: impl IntoIterator<Item = &'a Unit>,
) -> Interface {
    let units: Vec<&Unit> = units.into_iter().collect();
    let (species, elements) = (model.species().iter(), &model.mechanism.elements);
    Interface {
        mechanism: model.mechanism.name.clone(),
        species: species.map(|s| host_species(s, elements.len())).collect(),
        elements: elements.iter().map(|element| element.symbol.clone()).collect(),
        reactions: model.mechanism.reactions.len(),
        units: system,
        io: units.iter().flat_map(|unit| &unit.program.arrays).map(|array| array.io).next().unwrap_or_default(),
        target: target.name.clone(),
        architecture: (!target.is_cpu()).then_some(target.compute_capability),
        aliases: Vec::new(),
        dialect: Dialect::for_target(target),
        kernels: units.into_iter().map(|unit| kernel(model, unit)).collect(),
    }
}

fn host_species(species: &mechanism::Species, elements: usize) -> Species {
    let mut atoms = vec![0.0; elements];
    species.composition.iter().for_each(|&(element, count)| atoms[element] += count);
    Species { name: species.name.clone(), molecular_weight: species.weight, atoms }
}

fn kernel(model: &Model, unit: &Unit) -> KernelInterface {
    let system = unit.graph.units;
    let summary = match unit.kernel {
        Kernel::Viscosity => "Viscosity of the mixture (Wilke).",
        Kernel::Conductivity => "Thermal conductivity of the mixture (Mathur et al.).",
        Kernel::Diffusion => match model.mechanism.diffusion {
            Diffusion::MixtureAveraged => "Mixture-averaged diffusion coefficient of each species.",
            Diffusion::UnityLewis => "Diffusion coefficient of each species by unity Lewis numbers.",
            Diffusion::ConstantLewis { .. } => "Diffusion coefficient of each species by constant Lewis numbers.",
        },
        Kernel::Transport => "Viscosity, conductivity and diffusion coefficients of the mixture.",
        Kernel::Flux => "Diffusive fluxes of mass and enthalpy along one direction.",
        Kernel::Chemistry if unit.graph.quantities.is_empty() => "Net molar production rate of each species.",
        Kernel::Chemistry => "Source terms of the chemistry.",
        Kernel::Isobaric => "Rates of change of mass fractions and temperature at constant pressure.",
        Kernel::Isochoric => "Rates of change of mass fractions and temperature at constant volume.",
        Kernel::Jacobian => "Derivatives of the net molar production rates by concentrations and temperature.",
        Kernel::IsobaricJacobian => {
            "Derivatives of the rates of change of mass fractions and temperature at constant pressure."
        }
        Kernel::IsochoricJacobian => {
            "Derivatives of the rates of change of mass fractions and temperature at constant volume."
        }
        Kernel::IsobaricSparseJacobian => "Derivatives of the isobaric kernel's outputs, sparse and shared.",
        Kernel::IsochoricSparseJacobian => "Derivatives of the isochoric kernel's outputs, sparse and shared.",
        Kernel::IsobaricJacobianVector => "Derivatives along a vector of the rates of change at constant pressure.",
        Kernel::IsochoricJacobianVector => "Derivatives along a vector of the rates of change at constant volume.",
        Kernel::IsobaricStep => {
            "One step in time at constant pressure, and its error, of mass fractions whose sum is 1."
        }
        Kernel::IsochoricStep => {
            "One step in time at constant volume, and its error, of mass fractions whose sum is 1."
        }
        Kernel::Temperature => "Temperature and pressure from other state variables.",
        Kernel::Progress => "Rates of each reaction.",
        Kernel::Thermodynamics => "Thermodynamic properties of species and of the mixture.",
    };
    let quantities = &unit.graph.quantities;
    let is_sparse = matches!(unit.kernel, Kernel::IsobaricSparseJacobian | Kernel::IsochoricSparseJacobian);
    let arrays = unit.program.arrays.iter().map(|array| {
        let (unit, meaning) = match array.name.as_str() {
            "jacobian" if is_sparse => {
                ("by entries", "entries, compressed by columns; the last column is divided by W_j and added to each column j of a species")
            }
            "jacobian" if !unit.graph.pattern.is_empty() => {
                ("by entries", "entries of the matrix, compressed by columns")
            }
            name => describe(name, system),
        };
        ArrayInterface { array: array.clone(), unit: unit.into(), meaning: meaning.into() }
    });
    let rows = quantities.iter().map(|quantity| {
        let (unit, meaning) = quantity_in_words(&quantity.name, system);
        Rows { name: quantity.name.clone(), first: quantity.first, unit, meaning }
    });
    KernelInterface {
        symbol: unit.program.symbol.clone(),
        summary: summary.to_owned() + if unit.report.alternative { ALTERNATIVE } else { "" } + &part(unit),
        accuracy: promise(unit)
            + &unit.report.steps.as_ref().map_or(String::new(), |steps| format!("; {steps}"))
            + &diffusion(model, unit.kernel).map_or(String::new(), |words| format!("; {words}"))
            + &fitted(model, unit.kernel),
        arrays: arrays.collect(),
        rows: rows.collect(),
        has_workspace: unit.program.first_global.is_some(),
        pattern: unit.graph.pattern.clone(),
    }
}

/// Sentence about the other parts of a kernel.
fn part(unit: &Unit) -> String {
    let others = |part: &Part| {
        let Part { number, of, rows } = part;
        format!(" Part {number} of {of}, which stores {} of the rows; launch all parts, in any order.", rows.len())
    };
    unit.report.part.as_ref().map_or(String::new(), others)
}

/// Returns the known error of a kernel; for measured arithmetic, the measured one alone.
fn promise(unit: &Unit) -> String {
    let of_form = accuracy(unit.report.form_error, unit.report.form_range);
    match &unit.report.single {
        Some(single) if single.proven => format!("{of_form}; {single}"),
        Some(single) => single.to_string(),
        None => of_form,
    }
}

/// Over which temperatures the data of a transport kernel are fitted.
fn fitted(model: &Model, kernel: Kernel) -> String {
    let fits = model.transport.as_ref().filter(|_| kernel.is_transport());
    fits.map_or(String::new(), |fits| format!("; transport data fitted from {} to {} K", fits.t_min, fits.t_max))
}

/// (unit, meaning) of what an [`Output`] names.
fn quantity_in_words(name: &str, system: Units) -> (String, String) {
    let pick = |si: &str, cgs: &str| if system == Units::Cgs { cgs.to_owned() } else { si.to_owned() };
    match Output::all().find(|output| output.name() == name) {
        Some(Output::Thermodynamic { property, species, molar }) => {
            let (what, kelvin) = match property {
                Property::Cp => ("heat capacity at constant pressure", "/K"),
                Property::Cv => ("heat capacity at constant volume", "/K"),
                Property::H => ("enthalpy", ""),
                Property::U => ("energy", ""),
                Property::S => ("entropy", "/K"),
                Property::G => ("Gibbs function", ""),
            };
            let amount = if molar { pick("J/kmol", "erg/mol") } else { pick("J/kg", "erg/g") };
            let of = if species { "each species, pure at 1 atm" } else { "the mixture" };
            (amount + kelvin, format!("{what} of {of}"))
        }
        Some(Output::MeanMolarMass) => (pick("kg/kmol", "g/mol"), "mean molar mass".into()),
        Some(Output::Density) => (pick("kg/m^3", "g/cm^3"), "density".into()),
        Some(Output::ProductionRates) => {
            (pick("kmol/m^3/s", "mol/cm^3/s"), "net production rate of each species".into())
        }
        Some(Output::MassProductionRates) => {
            (pick("kg/m^3/s", "g/cm^3/s"), "net production rate of the mass of each species".into())
        }
        Some(Output::HeatReleaseRate) => (pick("W/m^3", "erg/cm^3/s"), "heat release rate".into()),
        Some(Output::ForwardRateConstants) => {
            (pick("(m^3/kmol)^(n-1)/s", "(cm^3/mol)^(n-1)/s"), "forward rate constant of each reaction".into())
        }
        Some(Output::ReverseRateConstants) => {
            (pick("(m^3/kmol)^(n-1)/s", "(cm^3/mol)^(n-1)/s"), "reverse rate constant of each reaction".into())
        }
        Some(Output::EquilibriumConstants) => {
            (pick("(kmol/m^3)^n", "(mol/cm^3)^n"), "equilibrium constant of each reaction, in concentrations".into())
        }
        Some(output @ (Output::ForwardRates | Output::ReverseRates | Output::NetRates)) => {
            let direction = output.name().replace("-rates", "");
            (pick("kmol/m^3/s", "mol/cm^3/s"), format!("{direction} rate of progress of each reaction"))
        }
        Some(output @ (Output::CreationRates | Output::DestructionRates)) => {
            let which = output.name().replace("-rates", "");
            (pick("kmol/m^3/s", "mol/cm^3/s"), format!("rate of {which} of each species"))
        }
        Some(Output::MassFluxes) => (pick("kg/m^2/s", "g/cm^2/s"), "diffusive mass flux of each species".into()),
        Some(Output::EnthalpyFlux) => (pick("W/m^2", "erg/cm^2/s"), "enthalpy that the mass fluxes carry".into()),
        Some(Output::ThermalDiffusionRatios) => ("1".into(), "thermal diffusion ratio of each species".into()),
        None if TRANSPORT_PARTS.iter().any(|part| part.name() == name) => {
            let (unit, meaning) = describe(name, system);
            (unit.into(), meaning.into())
        }
        None if name == "by-concentrations" => ("1/s".into(), "derivatives by concentrations".into()),
        None if name == "by-temperature" => (pick("kmol/m^3/s/K", "mol/cm^3/s/K"), "derivatives by temperature".into()),
        None if name == "mass-fractions" => ("1".into(), "mass fraction of each species at the end".into()),
        None if name == "errors-of-mass-fractions" => ("1".into(), "estimated error of each mass fraction".into()),
        None if name == "error-of-temperature" => ("K".into(), "estimated error of the temperature".into()),
        None if name == "temperature" => ("K".into(), "temperature".into()),
        Some(Output::Pressure) | None => (pick("Pa", "dyn/cm^2"), "pressure".into()),
    }
}

/// (unit, meaning)
fn describe(array: &str, system: Units) -> (&'static str, &'static str) {
    let (si, cgs, meaning) = match array {
        "temperature" => ("K", "K", "temperature"),
        "pressure" => ("Pa", "dyn/cm^2", "pressure"),
        "mole_fractions" => ("1", "1", "mole fraction of each species"),
        "mass_fractions" => ("1", "1", "mass fraction of each species"),
        "transport_source" => ("kg/m^3/s", "g/cm^3/s", "mass source by transport of each species"),
        "time_step" => ("s", "s", "time step at each point"),
        "viscosity" => ("Pa s", "g/cm/s", "viscosity of the mixture"),
        "conductivity" => ("W/m/K", "erg/cm/s/K", "thermal conductivity of the mixture"),
        "diffusion" => ("m^2/s", "cm^2/s", "diffusion coefficient of each species into the mixture"),
        "production_rates" => ("kmol/m^3/s", "mol/cm^3/s", "net production rate of each species"),
        "concentrations" => ("kmol/m^3", "mol/cm^3", "concentration of each species"),
        "density" => ("kg/m^3", "g/cm^3", "density"),
        "energy" => ("J/kg", "erg/g", "specific energy"),
        "enthalpy" => ("J/kg", "erg/g", "specific enthalpy"),
        "jacobian" => ("by entries", "by entries", "dense matrix, column by column"),
        "vector" => {
            ("1, K", "1, K", "what the matrix is multiplied with: of each mass fraction, then of the temperature")
        }
        "product" => ("1/s, K/s", "1/s, K/s", "product of the matrix with the vector, in the same order"),
        "transport" => ("by rows", "by rows", "transport coefficients, one quantity after the other"),
        "mole_fraction_gradients" => {
            ("1/m", "1/cm", "gradient of each mole fraction along the direction of the fluxes")
        }
        "temperature_gradient" => ("K/m", "K/cm", "gradient of the temperature along the direction of the fluxes"),
        "fluxes" => ("by rows", "by rows", "fluxes, one quantity after the other"),
        "state" => ("by rows", "by rows", "temperature, then pressure"),
        "end" => ("by rows", "by rows", "state at the end of the step, then its estimated error"),
        "properties" => {
            ("by rows", "by rows", "properties of species and of the mixture, one quantity after the other")
        }
        "reaction_rates" => ("by rows", "by rows", "rates of reactions and species, one quantity after the other"),
        "source_terms" => ("by rows", "by rows", "source terms, one quantity after the other"),
        "tendencies" => ("1/s, K/s", "1/s, K/s", "rate of change of each mass fraction, then of the temperature"),
        _ => unreachable!("no builder makes an array called {array}"),
    };
    (if system == Units::Cgs { cgs } else { si }, meaning)
}
