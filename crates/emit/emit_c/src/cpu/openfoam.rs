//! A chemistry model for OpenFOAM, around the functions of one point and, where they are asked for, the reactors.

use crate::base::Provenance;
use crate::base::glue::{Template, render};
use crate::base::tables::{real, wrapped};
use crate::host::{Interface, file_comment, prefix};
use kinetics::integrator::options::Options;
use serde::Serialize;

/// Data of the model beyond the interface of its kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    /// The sum of each reaction's product coefficients.
    pub products: Vec<f64>,
    /// The sources of the reactors that advance cells; none where OpenFOAM's solvers do.
    pub reactors: Vec<String>,
}

/// (name, text) of the model, of the files for wmake, and of a project for CMake. The interface is in SI and has the kernels of isobaric
/// rates and of progress.
pub fn openfoam(interface: &Interface, plugin: &Plugin, provenance: &Provenance) -> Vec<(String, String)> {
    let name = prefix(interface);
    let model = format!("{name}_openfoam.C");
    let options = Options::default();
    let rows = || interface.kernels.iter().flat_map(|kernel| &kernel.rows);
    let first = |name: &str| rows().find(|rows| rows.name == name).map_or(0, |rows| rows.first);
    let mut file = File {
        comment: file_comment("//", "OpenFOAM's chemistry", &name, provenance),
        device_header: format!("{}_device.h", interface.mechanism),
        upper: name.to_uppercase(),
        reactor: !plugin.reactors.is_empty(),
        solver: if plugin.reactors.is_empty() { "ode" } else { "reactor" },
        sources: std::iter::once(model.clone()).chain(plugin.reactors.iter().cloned()).collect(),
        products: wrapped(plugin.products.iter().map(|&sum| real(sum))),
        rates: 2 * interface.reactions,
        forward: first("forward-rates"),
        net: first("net-rates"),
        relative_tolerance: real(options.relative_tolerance),
        absolute_tolerance: real(options.absolute_tolerance),
        most_steps: options.most_steps,
        prefix: name.clone(),
    };
    let mut files = vec![
        (model, render(Template::FoamModel, &file)),
        ("Make/files".into(), render(Template::FoamFiles, &file)),
        ("Make/options".into(), render(Template::FoamOptions, &file)),
    ];
    file.comment = file_comment("#", "OpenFOAM's chemistry", &name, provenance);
    files.push(("CMakeLists.txt".into(), render(Template::FoamCmake, &file)));
    files
}

#[derive(Serialize)]
struct File {
    comment: String,
    prefix: String,
    upper: String,
    device_header: String,
    reactor: bool,
    /// Name of the solver in chemistryType.
    solver: &'static str,
    sources: Vec<String>,
    products: String,
    /// Rows of the progress kernel: their number, and the first row of each kind.
    rates: usize,
    forward: u32,
    net: u32,
    relative_tolerance: String,
    absolute_tolerance: String,
    most_steps: usize,
}
