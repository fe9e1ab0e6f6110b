//! A library with the calling conventions of CHEMKIN-II, around the functions of one point.

use super::library::{Library, Stoichiometry};
use crate::base::Provenance;
use crate::base::glue::{Template, render};
use crate::base::wrap;
use crate::host::{Interface, file_comment};
use serde::Serialize;

/// Routines of CHEMKIN-II and TRANFIT that end the program, and why they cannot be had.
pub const MISSING: [Missing; 25] = [
    Missing { name: "ckabe", why: CODE },
    Missing { name: "ckathm", why: CODE },
    Missing { name: "ckitr", why: CODE },
    Missing { name: "ckthb", why: CODE },
    Missing { name: "ckraex", why: CODE },
    Missing { name: "ckrdex", why: CODE },
    Missing { name: "ckmxtp", why: CODE },
    Missing { name: "cknuf", why: CODE },
    Missing { name: "ckkfrt", why: CODE },
    Missing { name: "ckfal", why: CODE },
    Missing { name: "ckpnt", why: WORK },
    Missing { name: "cksave", why: WORK },
    Missing { name: "mcpnt", why: WORK },
    Missing { name: "mcsave", why: WORK },
    Missing { name: "mcpram", why: WORK },
    Missing { name: "cksymr", why: TEXT },
    Missing { name: "cki2ch", why: TEXT },
    Missing { name: "ckr2ch", why: TEXT },
    Missing { name: "cknpar", why: TEXT },
    Missing { name: "mcsdif", why: MULTICOMPONENT },
    Missing { name: "mcmdif", why: MULTICOMPONENT },
    Missing { name: "mcmcdt", why: MULTICOMPONENT },
    Missing { name: "mcatdr", why: MULTICOMPONENT },
    Missing { name: "mcedif", why: MULTICOMPONENT },
    Missing { name: "mceval", why: MULTICOMPONENT },
];

const CODE: &str = "coefficients of species and reactions are code here, and no data";
const WORK: &str = "the work arrays are empty";
const TEXT: &str = "no text of reactions or numbers is made";
const MULTICOMPONENT: &str = "coefficients are mixture-averaged";

/// A routine that ends the program with a message.
#[derive(Serialize)]
pub struct Missing {
    pub name: &'static str,
    pub why: &'static str,
}

/// (name, text) of the header and the source. The interface is in CGS and has the kernels of chemistry, thermodynamics and progress.
pub fn chemkin(interface: &Interface, stoichiometry: &Stoichiometry, provenance: &Provenance) -> Vec<(String, String)> {
    let name = &interface.mechanism;
    let library = Library::new(interface, stoichiometry, [""; 2]);
    let file = File {
        comment: file_comment("//", "CHEMKIN's routines", name, provenance),
        guard: format!("SINGE_{}_CHEMKIN_H", library.prefix.to_uppercase()),
        header: format!("{name}_chemkin.h"),
        missing: &MISSING,
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
    missing: &'static [Missing],
    #[serde(flatten)]
    library: Library,
}
