//! OpenFOAM's chemistry, with the sources of its reactors.

use super::Unit;
use super::embedded;
use crate::plan::Request;
use emit_c::base::Provenance;
use emit_c::cpu::{self, Coefficients, Plugin};
use emit_c::host::{Interface, Reactor};
use kinetics::Model;
use mechanism::Reaction;
use std::collections::BTreeMap;

/// (name, text) of the files, less the functions of one point and the reactors' own. The sources of their kernels are among them where
/// nothing else asks for those.
pub fn files(
    request: &Request,
    model: &Model,
    units: &[Unit],
    interface: &Interface,
    reactor: Option<&Reactor>,
    provenance: &Provenance,
) -> Vec<(String, String)> {
    let mut plugin =
        Plugin { reactions: model.mechanism.reactions.iter().map(coefficients).collect(), reactors: Vec::new() };
    let mut files = Vec::new();
    if let Some(reactor) = reactor {
        plugin.reactors = embedded::sources(interface, reactor);
        files = embedded::files(request, units, interface, reactor, provenance);
    }
    files.extend(cpu::openfoam(interface, &plugin, provenance));
    files
}

fn coefficients(reaction: &Reaction) -> Coefficients {
    let sum = |side: &[(usize, f64)]| side.iter().map(|(_, coefficient)| coefficient).sum();
    let mut changes = BTreeMap::new();
    for (sign, side) in [(-1.0, &reaction.reactants), (1.0, &reaction.products)] {
        side.iter().for_each(|(k, coefficient)| *changes.entry(*k).or_insert(0.0) += sign * coefficient);
    }
    Coefficients {
        reactants: sum(&reaction.reactants),
        products: sum(&reaction.products),
        changes: changes.into_iter().filter(|(_, change)| *change != 0.0).collect(),
    }
}
