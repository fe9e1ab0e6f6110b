//! The canonical CHEMKIN form of a mechanism. Reading what is written here gives the same mechanism, bit for bit, for
//! every mechanism that was itself read from CHEMKIN files.

mod reaction;
mod thermo;
mod values;
mod yaml;
mod yaml_reaction;

pub use yaml::write_yaml;
pub use yaml_reaction::without_cantera_form;

use super::elements::standard_weight;
use super::number::shortest;
use super::units::Energy;
use super::{Diffusion, Geometry, Mechanism, Reaction, Species, Transport};
use diagnostics::Diagnostic;
use std::fmt::Write as _;

/// The texts of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// ELEMENTS, SPECIES and REACTIONS
    pub mechanism: String,
    /// NASA-7 records
    pub thermo: String,
    /// Absent when the mechanism has no transport data.
    pub transport: Option<String>,
    /// Absent when the mechanism is not reduced.
    pub reduction: Option<String>,
    /// Warnings about contents that the files do not hold exactly.
    pub warnings: Vec<Diagnostic>,
}

/// Writes a mechanism as CHEMKIN files. Energies are in the unit that makes them shortest, and `A` is in cm3-mol-s
/// units; a reaction for which that would not be exact names its own units. One error for each reaction that CHEMKIN files cannot hold.
pub fn write(mechanism: &Mechanism) -> Result<Written, Vec<Diagnostic>> {
    let transport: Vec<(&Species, &Transport)> =
        mechanism.species.iter().filter_map(|species| Some((species, species.transport.as_ref()?))).collect();
    let names: Vec<&str> = mechanism.species.iter().map(|species| species.name.as_str()).collect();
    Ok(Written {
        mechanism: chemkin(mechanism)?,
        thermo: thermo::records(mechanism),
        transport: (!transport.is_empty()).then(|| transport.into_iter().map(transport_line).collect()),
        warnings: rounded(mechanism).into_iter().chain(without_lewis_numbers(mechanism)).collect(),
        reduction: mechanism.reduction.as_ref().map(|r| {
            let list = |species: &[usize]| -> String { species.iter().map(|&k| names[k].to_owned() + "\n").collect() };
            format!("QSSA\n{}END\nSTIFF\n{}END\n", list(&r.qssa), list(&r.stiff))
        }),
    })
}

/// Columns of thermo entries hold some ten digits.
fn rounded(mechanism: &Mechanism) -> Option<Diagnostic> {
    let (species, error) = thermo::rounded(mechanism);
    let (first, others) = species.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(" and {} other species", others.len()) };
    let message =
        format!("thermo coefficients of '{first}'{more} are rounded to their columns, by {error:.0e} at most");
    Some(Diagnostic::warning("fmt::rounded", message).help("--to yaml keeps all digits"))
}

/// CHEMKIN files have no word for the model of diffusion.
fn without_lewis_numbers(mechanism: &Mechanism) -> Option<Diagnostic> {
    let help = match mechanism.diffusion {
        Diffusion::MixtureAveraged => return None,
        Diffusion::UnityLewis => "write Cantera YAML with --to yaml, or give --lewis-numbers unity beside these files",
        Diffusion::ConstantLewis { .. } => "give --lewis-numbers beside these files again",
    };
    let message = format!("the files that are written do not tell of diffusion by {}", mechanism.diffusion);
    Some(Diagnostic::warning("fmt::lewis-numbers", message).help(help))
}

fn chemkin(mechanism: &Mechanism) -> Result<String, Vec<Diagnostic>> {
    let elements: Vec<String> = (mechanism.elements.iter())
        .map(|element| {
            let standard = standard_weight(&element.symbol) == Some(element.weight);
            let weight = if standard { String::new() } else { format!("/{}/", shortest(element.weight)) };
            format!("{}{weight}", element.symbol)
        })
        .collect();
    let names: Vec<&str> = mechanism.species.iter().map(|species| species.name.as_str()).collect();
    let energy = values::shortest_energy_unit(&mechanism.reactions);
    let keyword = Energy::ALL.iter().find(|(unit, _)| *unit == energy).map_or("", |(_, keyword)| keyword);
    let mut text =
        format!("ELEMENTS\n{}\nEND\n\nSPECIES\n{}\nEND\n\nREACTIONS {keyword}\n", elements.join(" "), rows(&names));
    let mut errors = Vec::new();
    for entry in &mechanism.reactions {
        match reaction::lines(entry, energy, &names) {
            Some(lines) => text.push_str(&lines),
            None => errors.push(without_form(entry)),
        }
    }
    text.push_str("END\n");
    if errors.is_empty() { Ok(text) } else { Err(errors) }
}

fn without_form(reaction: &Reaction) -> Diagnostic {
    let message = format!("CHEMKIN files have no form of the linear-Burke rate of '{}'", reaction.equation);
    Diagnostic::error("fmt::no-chemkin-form", message)
        .at(reaction.span.clone())
        .help("write Cantera YAML with --to yaml")
}

/// Species names in columns, about 80 characters wide.
fn rows(names: &[&str]) -> String {
    let width = 2 + names.iter().map(|name| name.len()).max().unwrap_or(0);
    let row = |row: &[&str]| {
        let padded: String = row.iter().map(|name| format!("{name:width$}")).collect();
        padded.trim_end().to_owned()
    };
    names.chunks((80 / width).max(1)).map(row).collect::<Vec<_>>().join("\n")
}

fn transport_line((species, transport): (&Species, &Transport)) -> String {
    let geometry = match transport.geometry {
        Geometry::Atom => 0,
        Geometry::Linear => 1,
        Geometry::Nonlinear => 2,
    };
    let mut line = format!("{:18}{geometry}", species.name);
    if species.name.len() >= 18 {
        line = format!("{} {geometry}", species.name);
    }
    for value in [
        transport.well_depth, transport.diameter, transport.dipole, transport.polarizability,
        transport.rotational_relaxation,
    ] {
        // Writing to a String cannot fail.
        let _ = write!(line, " {:>9}", shortest(value));
    }
    line + "\n"
}
