//! OpenFOAM's chemistry, with the sources of its reactors.

use super::Unit;
use super::embedded;
use crate::plan::Request;
use emit_c::base::Provenance;
use emit_c::cpu::{self, Plugin};
use emit_c::host::{Interface, Reactor};
use kinetics::Model;
use mechanism::Reaction;

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
        Plugin { products: model.mechanism.reactions.iter().map(products).collect(), reactors: Vec::new() };
    let mut files = Vec::new();
    if let Some(reactor) = reactor {
        plugin.reactors = embedded::sources(interface, reactor);
        files = embedded::files(request, units, interface, reactor, provenance);
    }
    files.extend(cpu::openfoam(interface, &plugin, provenance));
    files
}

/// The sum of the product coefficients.
fn products(reaction: &Reaction) -> f64 {
    reaction.products.iter().map(|(_, coefficient)| coefficient).sum()
}
