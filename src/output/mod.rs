//! The files of a compilation: made in memory, written all or not at all.

mod fallback;
mod html;
mod interface;
mod library;
mod manifest;
mod openfoam;
mod pictures;
mod project;
mod provenance;
mod reactor;
mod source;
mod unit;
mod write;

use crate::emit::{cpu, host};
use crate::graph;
use crate::lower::code::Code;
use crate::plan::{Emit, Request};
use crate::report::{self, Report};
use kinetics::Model;
use machine::target::Target;
use provenance::provenance;
use source::source_extension;

pub use source::source;
pub use unit::{OnCompilers, Unit};
pub use write::{write, write_project};

/// (name, text) of every file, in a fixed order; `beside` are the kernels for a CPU where the units are for another target.
pub fn files(
    request: &Request,
    model: &Model,
    units: &[Unit],
    beside: &[Unit],
    report: &Report,
) -> Vec<(String, String)> {
    let name = &model.mechanism.name;
    let mut files = Vec::new();
    let wanted = |e: Emit| request.emit.contains(&e) || e == Emit::Host && request.emit.contains(&Emit::Cvode);
    let target = request.common.target;
    let extension = source_extension(target);
    for unit in units {
        let base = unit.program.symbol.clone();
        if wanted(Emit::Cuda) || wanted(Emit::Host) {
            files.push((format!("{base}.{extension}"), unit.source.clone()));
        }
        if wanted(Emit::Ptx) {
            files.push((format!("{base}.ptx"), unit.ptx.to_string()));
        }
        if wanted(Emit::Dot) {
            files.push((format!("{base}.dot"), graph::text::dot(&unit.graph, |op| Some(unit.mapping.warp_of[op]))));
        }
        if wanted(Emit::Picture) {
            files.extend(pictures::pictures(request, unit).into_iter().map(|picture| (picture.file, picture.svg)));
        }
    }
    let interface = interface::interface(model, request.common.units, target, units);
    let provenance = provenance(request, model);
    if wanted(Emit::Cuda) || wanted(Emit::Host) {
        files.push((format!("{name}.h"), host::header(&interface, &provenance)));
        files.push((format!("{name}_context.{extension}"), host::context(&interface, &provenance)));
    }
    if target.is_cpu() && (wanted(Emit::Cuda) || wanted(Emit::Host)) {
        files.push(cpu::header_of(request.common.precision));
    }
    if wanted(Emit::Host) {
        let project = project::project(request, model, units);
        if request.has_fallback() {
            files.extend(fallback::files(request, model, (&project, units), beside));
        }
        files.push((format!("{name}.hpp"), host::wrapper(&interface, &provenance)));
        files.push((format!("{name}_module.f90"), host::module(&interface, &provenance)));
        files.push((format!("{name}_reference.h"), host::reference(&interface, &project, &provenance)));
        files.push(("CMakeLists.txt".into(), host::cmake(&interface, &project, &provenance, target)));
        files.push((format!("driver.{extension}"), host::driver(&interface, &project, &provenance)));
        files.push(("example.f90".into(), host::example(&interface, &provenance)));
    }
    let of_cpu = if target.is_cpu() { units } else { beside };
    let reactor = reactor::reactor(request, model, of_cpu);
    if let Some(reactor) = &reactor {
        files.extend(host::reactor(&interface, reactor, &provenance, target, wanted(Emit::Host)));
        if wanted(Emit::Host) && !target.is_cpu() {
            files.push(host::reactor_driver(&interface, reactor, &reactor::known(model, reactor), &provenance));
        }
    }
    if let Ok(Some(constant)) = request.reactor() {
        let targets = std::iter::once(target).chain(request.has_fallback().then(Target::cpu));
        files.extend(targets.map(|target| {
            let systems = target.is_cpu().then(|| reactor::systems_of_cvode(request, model, of_cpu)).flatten();
            let systems = systems.as_ref();
            (host::ignition_file(target).into(), host::ignition(&interface, constant, systems, &provenance, target))
        }));
    }
    if wanted(Emit::Chemkin) {
        files.extend(cpu::chemkin(&interface, &library::stoichiometry(model), &provenance));
    }
    if wanted(Emit::Pelephysics) {
        let transport = library::transport(model);
        files.extend(cpu::pelephysics(&interface, &library::stoichiometry(model), transport.as_ref(), &provenance));
    }
    if wanted(Emit::Kinetix) {
        files.extend(cpu::kinetix(&interface, &library::stoichiometry(model), &provenance));
    }
    if wanted(Emit::Openfoam) {
        files.extend(openfoam::files(request, model, (units, &interface), reactor.as_ref(), &provenance));
    }
    let has_library = [Emit::Chemkin, Emit::Pelephysics, Emit::Kinetix, Emit::Openfoam].into_iter().any(wanted);
    if wanted(Emit::Device) || has_library || reactor.is_some() && !target.is_cpu() {
        let codes: Vec<&Code> = of_cpu.iter().map(|unit| &unit.code).collect();
        let interface = interface::interface(model, request.common.units, target, of_cpu);
        files.push((format!("{name}_device.h"), cpu::device_header(&interface, &codes, &provenance)));
    }
    if wanted(Emit::Host) {
        let internal = [format!("{name}_reference.h"), cpu::header_name(request.common.precision).to_owned()];
        let is_header = |file: &String| (file.ends_with(".h") || file.ends_with(".hpp")) && !internal.contains(file);
        let headers: Vec<String> = files.iter().map(|(file, _)| file.clone()).filter(is_header).collect();
        files.push(host::install(&interface, &headers, &provenance));
    }
    if wanted(Emit::Report) {
        let json = serde_json::to_string_pretty(report).expect("a report is plain data");
        files.push(("report.json".into(), json + "\n"));
        files.push(("report.txt".into(), report::table(report)));
    }
    if wanted(Emit::Html) {
        files.push(("report.html".into(), html::html(request, units, report)));
    }
    files
}
