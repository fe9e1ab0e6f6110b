//! OpenFOAM's chemistry, with the sources of its reactors.

use super::Unit;
use crate::plan::{Emit, Request};
use emit_c::base::Provenance;
use emit_c::cpu::{self, Plugin};
use emit_c::host::{self, Interface, Reactor};
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
    let name = &interface.mechanism;
    let mut files = Vec::new();
    let mut plugin =
        Plugin { products: model.mechanism.reactions.iter().map(products).collect(), reactors: Vec::new() };
    if let Some(reactor) = reactor {
        let symbols = reactor.kernels();
        plugin.reactors = vec![format!("{name}_context.cpp"), format!("{name}_reactor.cpp")];
        plugin.reactors.extend(symbols.iter().map(|symbol| format!("{symbol}.cpp")));
        if !request.emit.contains(&Emit::Cuda) {
            let is_theirs = |symbol: &String| symbols.contains(&symbol);
            let mut interface = interface.clone();
            interface.kernels.retain(|kernel| is_theirs(&kernel.symbol));
            let units = units.iter().filter(|unit| is_theirs(&unit.program.symbol));
            files.extend(units.map(|unit| (format!("{}.cpp", unit.program.symbol), unit.source.clone())));
            files.push((format!("{name}.h"), host::header(&interface, provenance)));
            files.push((format!("{name}_context.cpp"), host::context(&interface, provenance)));
            files.push((cpu::VECTOR_HEADER.into(), cpu::vector_header()));
        }
    }
    files.extend(cpu::openfoam(interface, &plugin, provenance));
    files
}

/// The sum of the product coefficients.
fn products(reaction: &Reaction) -> f64 {
    reaction.products.iter().map(|(_, coefficient)| coefficient).sum()
}
