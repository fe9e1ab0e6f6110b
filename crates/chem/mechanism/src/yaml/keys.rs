//! Keys that nothing reads. A misspelt one counts as absent, as in Cantera, so that it is told.

use super::phase::references;
use super::tree::Node;
use crate::names::Names;
use crate::report::{Report, brief};

/// Warns of keys of a map that resemble a known key which is absent. Others may be anybody's remarks.
pub fn misspelt(node: &Node, known: &[&str], report: &mut Report) {
    for (key, _) in node.entries().iter().filter(|(key, _)| !known.contains(&key.text())) {
        let names = Names::new(known.iter().copied());
        if let Some(near) = names.nearest(key.text()).filter(|near| node.get(near).is_none()) {
            let message = format!("the key '{}' is not known and has no effect", brief(key.text()));
            report.warning("yaml::unknown-key", message, key, format!("did you mean '{near}'?"));
        }
    }
}

/// Warns of every unknown key of a map of numbers, where remarks are not expected.
pub fn unknown(node: &Node, known: &[&str], report: &mut Report) {
    for (key, _) in node.entries().iter().filter(|(key, _)| !known.contains(&key.text())) {
        let message = format!("the key '{}' is not known and has no effect", brief(key.text()));
        let help = Names::new(known.iter().copied()).suggestion(key.text(), &format!("known are {}", known.join(", ")));
        report.warning("yaml::unknown-key", message, key, help);
    }
}

/// Warns of misspelt keys at the top of a file; sections that a phase refers to may have any name.
pub fn misspelt_sections(root: &Node, report: &mut Report) {
    let phases = root.get("phases").and_then(Node::items).unwrap_or(&[]);
    let sections: Vec<_> = phases.iter().flat_map(references).collect();
    let known: Vec<&str> = FILE.into_iter().chain(sections.iter().map(|section| section.text())).collect();
    misspelt(root, &known, report);
}

const FILE: [&str; 10] = [
    "units", "phases", "elements", "species", "reactions", "description", "generator", "cantera-version",
    "input-files", "date",
];

pub const PHASE: [&str; 15] = [
    "name", "thermo", "elements", "species", "reactions", "kinetics", "transport", "state", "units", "note", "notes",
    "skip-undeclared-elements", "skip-undeclared-third-bodies", "explicit-third-body-duplicates", "adjacent-phases",
];

pub const ELEMENT: [&str; 4] = ["symbol", "atomic-weight", "atomic-number", "entropy298"];

pub const SPECIES: [&str; 8] =
    ["name", "composition", "thermo", "transport", "units", "note", "notes", "equation-of-state"];

pub const THERMO: [&str; 13] = [
    "model", "temperature-ranges", "data", "reference-pressure", "T0", "h0", "s0", "cp0", "T-min", "T-max", "units",
    "note", "date",
];

pub const TRANSPORT: [&str; 13] = [
    "model", "geometry", "well-depth", "diameter", "dipole", "polarizability", "rotational-relaxation",
    // Fields of models for ions and high pressures, which are not computed.
    "acentric-factor", "dispersion-coefficient", "quadrupole-polarizability", "units", "note", "source",
];
