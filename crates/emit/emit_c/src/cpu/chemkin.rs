//! A library with the calling conventions of CHEMKIN-II, around the functions of one point.

use super::library::{Library, Stoichiometry};
use crate::base::Provenance;
use crate::base::glue::{Template, render};
use crate::base::wrap;
use crate::host::{Interface, file_comment};
use serde::Serialize;

/// (name, text) of the header and the source. The interface is in CGS and has the kernels of chemistry, thermodynamics and progress.
pub fn chemkin(interface: &Interface, stoichiometry: &Stoichiometry, provenance: &Provenance) -> Vec<(String, String)> {
    let name = &interface.mechanism;
    let library = Library::new(interface, stoichiometry, "");
    let file = File {
        comment: file_comment("//", "CHEMKIN's routines", name, provenance),
        guard: format!("SINGE_{}_CHEMKIN_H", library.prefix.to_uppercase()),
        header: format!("{name}_chemkin.h"),
        library,
    };
    let text = |template| wrap::lines(&render(template, &file));
    vec![(file.header.clone(), text(Template::ChemkinHeader)), (format!("{name}_chemkin.cpp"), text(Template::Chemkin))]
}

#[derive(Serialize)]
struct File {
    comment: String,
    guard: String,
    header: String,
    #[serde(flatten)]
    library: Library,
}
