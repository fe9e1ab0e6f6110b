//! The files `mechanism.H` and `mechanism.cpp` of PelePhysics, around the functions of one point.

use super::library::{Library, Stoichiometry};
use crate::base::Provenance;
use crate::base::glue::{Template, render};
use crate::base::names::Namer;
use crate::base::tables::{real, wrapped};
use crate::base::wrap;
use crate::host::{Interface, file_comment};
use serde::Serialize;

/// Data of transport in the units of its library, and fits, by species; of pairs by both species.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransportData {
    pub well_depths: Vec<f64>,
    pub diameters: Vec<f64>,
    pub dipoles: Vec<f64>,
    pub polarizabilities: Vec<f64>,
    pub relaxations: Vec<f64>,
    /// 0 for atoms, 1 for linear molecules, 2 for others
    pub geometries: Vec<u32>,
    pub viscosity: Vec<[f64; 4]>,
    pub conductivity: Vec<[f64; 4]>,
    pub diffusion: Vec<[f64; 4]>,
    /// Places of light species, and their fits by partner.
    pub light: Vec<usize>,
    pub thermal_diffusion: Vec<[f64; 4]>,
}

/// (name, text) of both files. The interface is in CGS and has the kernels of chemistry, thermodynamics, progress and the Jacobian.
pub fn pelephysics(
    interface: &Interface,
    stoichiometry: &Stoichiometry,
    transport: Option<&TransportData>,
    provenance: &Provenance,
) -> Vec<(String, String)> {
    let mut namer = Namer::default();
    let names = interface.species.iter().map(|species| namer.name(&format!("{}_ID", spelled(&species.name))));
    let file = File {
        comment: file_comment("//", "PelePhysics' functions", &interface.mechanism, provenance),
        species: interface.species.len(),
        elements: interface.elements.len(),
        reactions: interface.reactions,
        species_places: names.enumerate().map(|(place, name)| format!("{name} {place}")).collect(),
        transport: transport.map(Tables::new),
        library: Library::new(interface, stoichiometry, ["AMREX_GPU_HOST_DEVICE ", "inline "]),
    };
    let text = |template| wrap::lines(&render(template, &file));
    vec![("mechanism.H".into(), text(Template::PeleHeader)), ("mechanism.cpp".into(), text(Template::Pele))]
}

/// A species as the host's macros spell it: ions end in n or p, excited species have a D, parentheses open with an underscore, and dashes
/// are left out.
fn spelled(species: &str) -> String {
    let ion = |sign: char, letter: &str| species.strip_suffix(sign).map(|neutral| neutral.to_owned() + letter);
    let name = ion('-', "n").or_else(|| ion('+', "p")).unwrap_or_else(|| species.to_owned());
    name.replace('*', "D").replace('(', "_").replace([')', '-'], "")
}

#[derive(Serialize)]
struct File {
    comment: String,
    species: usize,
    elements: usize,
    reactions: usize,
    species_places: Vec<String>,
    transport: Option<Tables>,
    #[serde(flatten)]
    library: Library,
}

#[derive(Serialize)]
struct Tables {
    eps: String,
    sig: String,
    dip: String,
    pol: String,
    zrot: String,
    nlin: String,
    viscosity: String,
    conductivity: String,
    diffusion: String,
    has_light: bool,
    light: usize,
    light_species: Vec<usize>,
    thermal_diffusion: String,
}

impl Tables {
    fn new(data: &TransportData) -> Self {
        let numbers = |values: &[f64]| wrapped(values.iter().map(|&value| real(value)));
        let fits = |fits: &[[f64; 4]]| numbers(&fits.concat());
        Self {
            eps: numbers(&data.well_depths),
            sig: numbers(&data.diameters),
            dip: numbers(&data.dipoles),
            pol: numbers(&data.polarizabilities),
            zrot: numbers(&data.relaxations),
            nlin: wrapped(data.geometries.iter().map(u32::to_string)),
            viscosity: fits(&data.viscosity),
            conductivity: fits(&data.conductivity),
            diffusion: fits(&data.diffusion),
            has_light: !data.light.is_empty(),
            light: data.light.len(),
            light_species: data.light.clone(),
            thermal_diffusion: fits(&data.thermal_diffusion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn species_are_spelled_as_the_host_does() {
        let names = ["H2", "CH2(S)", "CH2*", "C4H9-1", "HCO+", "O2-"].map(spelled);
        assert_eq!(names, ["H2", "CH2_S", "CH2D", "C4H91", "HCOp", "O2n"]);
    }
}
