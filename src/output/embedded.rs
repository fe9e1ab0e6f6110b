//! Reactors within the files for another code.

use super::{Unit, source_extension};
use crate::plan::{Emit, Request};
use emit_c::base::Provenance;
use emit_c::cpu;
use emit_c::host::{self, Interface, Reactor};
use machine::target::Target;

/// Returns the names of the sources that reactors are compiled of.
pub fn sources(interface: &Interface, reactor: &Reactor) -> Vec<String> {
    let name = &interface.mechanism;
    let own = [format!("{name}_context.cpp"), format!("{name}_reactor.cpp")];
    own.into_iter().chain(reactor.kernels().iter().map(|symbol| format!("{symbol}.cpp"))).collect()
}

/// The files with sources named `.cpp`: AMReX' makefiles have no other, whatever compiler they call.
pub fn with_cpp(files: Vec<(String, String)>, target: &Target) -> Vec<(String, String)> {
    let extension = format!(".{}", source_extension(target));
    let named = |file: String| file.strip_suffix(&extension).map_or(file.clone(), |stem| format!("{stem}.cpp"));
    files.into_iter().map(|(file, text)| (named(file), text)).collect()
}

/// (name, text) of the kernels of reactors, their context and their headers; none where the request asks for these anyway.
pub fn files(
    request: &Request,
    units: &[Unit],
    interface: &Interface,
    reactor: &Reactor,
    provenance: &Provenance,
) -> Vec<(String, String)> {
    if request.emit.contains(&Emit::Cuda) || request.emit.contains(&Emit::Host) {
        return Vec::new();
    }
    let (name, symbols) = (&interface.mechanism, reactor.kernels());
    let is_theirs = |symbol: &String| symbols.contains(&symbol);
    let mut interface = interface.clone();
    interface.kernels.retain(|kernel| is_theirs(&kernel.symbol));
    let units = units.iter().filter(|unit| is_theirs(&unit.program.symbol));
    let mut files: Vec<_> = units.map(|unit| (format!("{}.cpp", unit.program.symbol), unit.source.clone())).collect();
    files.push((format!("{name}.h"), host::header(&interface, provenance)));
    files.push((format!("{name}_context.cpp"), host::context(&interface, provenance)));
    if request.common.target.is_cpu() {
        files.push((cpu::VECTOR_HEADER.into(), cpu::vector_header()));
    }
    files
}
