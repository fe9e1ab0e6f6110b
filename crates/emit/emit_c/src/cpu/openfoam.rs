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
    pub reactions: Vec<Coefficients>,
    /// The sources of the reactors that advance cells; none where OpenFOAM's solvers do.
    pub reactors: Vec<String>,
}

/// Stoichiometric coefficients of a reaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// The sum of the reactants', and of the products'.
    pub reactants: f64,
    pub products: f64,
    /// Species, and what the reaction makes of it.
    pub changes: Vec<(usize, f64)>,
}

/// (name, text) of the model, of the files for wmake, and of a project for CMake. The interface is in SI and has the kernels of isobaric
/// rates and of progress.
pub fn openfoam(interface: &Interface, plugin: &Plugin, provenance: &Provenance) -> Vec<(String, String)> {
    let name = prefix(interface);
    let model = format!("{name}_openfoam.C");
    let options = Options::default();
    let rows = || interface.kernels.iter().flat_map(|kernel| &kernel.rows);
    let first = |name: &str| rows().find(|rows| rows.name == name).map_or(0, |rows| rows.first);
    let reactions = &plugin.reactions;
    let changes = || reactions.iter().flat_map(|reaction| &reaction.changes);
    let mut file = File {
        comment: file_comment("//", "OpenFOAM's chemistry", &name, provenance),
        device_header: format!("{}_device.h", interface.mechanism),
        upper: name.to_uppercase(),
        reactor: !plugin.reactors.is_empty(),
        solver: if plugin.reactors.is_empty() { "ode" } else { "reactor" },
        sources: std::iter::once(model.clone()).chain(plugin.reactors.iter().cloned()).collect(),
        products: wrapped(reactions.iter().map(|reaction| real(reaction.products))),
        reactants: wrapped(reactions.iter().map(|reaction| real(reaction.reactants))),
        first_changes: wrapped(first_changes(reactions).into_iter().map(|first| first.to_string())),
        changed: wrapped(changes().map(|(species, _)| species.to_string())),
        changes: wrapped(changes().map(|(_, change)| real(*change))),
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

fn first_changes(reactions: &[Coefficients]) -> Vec<usize> {
    let ends = reactions.iter().scan(0, |end, reaction| {
        *end += reaction.changes.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
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
    reactants: String,
    /// Places of each reaction's changes, then their number.
    first_changes: String,
    changed: String,
    changes: String,
    /// Rows of the progress kernel: their number, and the first row of each kind.
    rates: usize,
    forward: u32,
    net: u32,
    relative_tolerance: String,
    absolute_tolerance: String,
    most_steps: usize,
}
