//! The files that KinetiX generates for nekRS, around the functions of one point.

use super::library::{Library, Stoichiometry};
use crate::base::Provenance;
use crate::base::glue::{Template, render};
use crate::base::tables::{real, wrapped};
use crate::base::wrap;
use crate::host::{Interface, file_comment, string};
use serde::Serialize;

/// The files that the host includes one by one, in units of its own; each has all functions.
const INCLUDED: [&str; 6] =
    ["rates.cpp", "enthalpy_RT.cpp", "heat_capacity_R.cpp", "conductivity.cpp", "viscosity.cpp", "diffusivity.cpp"];

/// (name, text) of all files. The interface is in SI units and has the kernels of chemistry and transport.
pub fn kinetix(interface: &Interface, stoichiometry: &Stoichiometry, provenance: &Provenance) -> Vec<(String, String)> {
    let name = &interface.mechanism;
    let header = format!("{name}_kinetix.h");
    let order = host_order(&stoichiometry.reacting);
    let weights = || order.iter().map(|&k| interface.species[k].molecular_weight * 1e-3);
    let names = order.iter().map(|&k| interface.species[k].name.as_str()).collect::<Vec<_>>().join(" ");
    let reacting = stoichiometry.reacting.iter().filter(|reacts| **reacts).count();
    let place = |species: usize| order.iter().position(|&k| k == species).unwrap_or(species);
    let mut of_host = stoichiometry.clone();
    for range in &mut of_host.thermodynamics.coefficients {
        *range = order.iter().map(|&k| range[k].clone()).collect();
    }
    let library = Library::new(interface, &of_host, ["__KINETIX_DEVICE__ ", "__KINETIX_INLINE__ "]);
    let file = File {
        comment: file_comment("//", "KinetiX' functions", name, provenance),
        guard: format!("SINGE_{}_KINETIX_H", library.prefix.to_uppercase()),
        species: order.len(),
        reacting,
        reactions: interface.reactions,
        names_length: names.len() + 1,
        names: string(&names),
        weights: wrapped(weights().map(real)),
        rcp_weights: wrapped(weights().map(|weight| real(1.0 / weight))),
        places: (0..order.len()).map(place).collect(),
        order: order[..reacting].to_vec(),
        library,
    };
    let text = |template| wrap::lines(&render(template, &file));
    let include = || format!("{}#include \"{header}\"\n", file.comment);
    let mut files = vec![("mech.h".to_owned(), text(Template::KinetixData))];
    files.extend(INCLUDED.map(|included| (included.to_owned(), include())));
    files.push((header.clone(), text(Template::Kinetix)));
    files
}

/// Species as the host has them: those that react, then the others, each in the order of the mechanism.
fn host_order(reacting: &[bool]) -> Vec<usize> {
    let those = |react: bool| (0..reacting.len()).filter(move |&k| reacting[k] == react);
    those(true).chain(those(false)).collect()
}

#[derive(Serialize)]
struct File {
    comment: String,
    guard: String,
    species: usize,
    /// Number of species that react: the first of the host's.
    reacting: usize,
    reactions: usize,
    names_length: usize,
    names: String,
    /// kg/mol, in the host's order
    weights: String,
    rcp_weights: String,
    /// Place among the host's species of each species of the mechanism.
    places: Vec<usize>,
    /// Place in the mechanism of each of the host's species that react.
    order: Vec<usize>,
    #[serde(flatten)]
    library: Library,
}

#[cfg(test)]
mod tests {
    use super::host_order;

    #[test]
    fn species_that_do_not_react_come_last() {
        assert_eq!(host_order(&[true, false, true, false]), [0, 2, 1, 3]);
        assert_eq!(host_order(&[true, true]), [0, 1]);
    }
}
