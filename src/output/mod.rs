//! The files of a compilation: made in memory, written all or not at all.

mod embedded;
mod fallback;
mod html;
mod interface;
mod library;
mod openfoam;
mod pictures;
mod project;
mod provenance;
mod reactor;
mod source;
mod unit;

use crate::plan::{Emit, Request};
use crate::report::{self, Report};
use emit_c::base::Provenance;
use emit_c::{cpu, fortran, host};
use kinetics::Model;
use lower::code::Code;
use machine::target::Target;
use provenance::provenance;

pub use source::{source, source_extension};
pub use unit::{OnCompilers, Unit};

/// (name, text) of every file, in a fixed order; `beside` are the kernels for a CPU where the units are for another target.
pub fn files(
    request: &Request,
    model: &Model,
    units: &[Unit],
    beside: &[Unit],
    report: &Report,
) -> Vec<(String, String)> {
    let target = request.common.target;
    let interface = interface::interface(model, request.common.units, target, units);
    let of_cpu = if target.is_cpu() { units } else { beside };
    let all = Output { request, model, units, beside, of_cpu, interface, provenance: provenance(request, model) };
    let reactor = reactor::reactor(request, model, units, beside);
    let mut files = all.of_units();
    files.extend(all.of_host());
    files.extend(all.of_reactors(reactor.as_ref()));
    files.extend(all.of_libraries(reactor.as_ref()));
    if all.emits(Emit::Host) {
        let internal = [
            format!("{}_reference.h", model.mechanism.name),
            cpu::header_name(request.common.precision.kernels).to_owned(),
        ];
        let is_header = |file: &String| (file.ends_with(".h") || file.ends_with(".hpp")) && !internal.contains(file);
        let headers: Vec<String> = files.iter().map(|(file, _)| file.clone()).filter(is_header).collect();
        files.push(host::install(&all.interface, &headers, &all.provenance));
    }
    if all.emits(Emit::Report) {
        let json = serde_json::to_string_pretty(report).expect("a report is plain data");
        files.push(("report.json".into(), json + "\n"));
        files.push(("report.txt".into(), report::table(report)));
    }
    if all.emits(Emit::Html) {
        files.push(("report.html".into(), html::html(request, units, report)));
    }
    files
}

/// The reactors of a project for a GPU of NVIDIA.
pub struct ReactorText {
    pub reactor: host::Reactor,
    /// Beginning of the symbols of the kernels, which also names the file.
    pub symbol: String,
    pub text: String,
}

/// The text of the reactors as a compiler is to see it; nothing where none are wanted.
pub fn reactor_text(request: &Request, model: &Model, units: &[Unit], beside: &[Unit]) -> Option<ReactorText> {
    let target = request.common.target;
    let reactor = reactor::reactor(request, model, units, beside)?;
    let interface = interface::interface(model, request.common.units, target, units);
    let provenance = provenance(request, model);
    let files = host::reactor(&interface, &reactor, &provenance, target, false);
    let end = format!(".{}", source_extension(target));
    let (file, text) = files.into_iter().find(|(file, _)| file.ends_with(&end))?;
    Some(ReactorText { symbol: file.trim_end_matches(&end).to_owned(), reactor, text })
}

/// The reactors of a project for a CPU, in the files of the project.
pub struct ReactorFiles {
    pub reactor: host::Reactor,
    /// Name of the function, and so of the file.
    pub symbol: String,
    /// (name, text) of what is compiled, then of what that includes.
    pub sources: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
}

/// The files of the reactors for a CPU; nothing where none are wanted.
pub fn reactor_files(request: &Request, model: &Model, units: &[Unit]) -> Option<ReactorFiles> {
    let target = request.common.target;
    let reactor = reactor::reactor(request, model, units, &[])?;
    let interface = interface::interface(model, request.common.units, target, units);
    let files = host::reactor(&interface, &reactor, &provenance(request, model), target, false);
    let (mut sources, mut headers): (Vec<_>, Vec<_>) = files.into_iter().partition(|(file, _)| file.ends_with(".cpp"));
    let symbol = sources.first()?.0.trim_end_matches(".cpp").to_owned();
    let kernels = units.iter().filter(|unit| reactor.kernels().contains(&&unit.program.symbol));
    sources.extend(kernels.map(|unit| (format!("{}.cpp", unit.program.symbol), unit.source.clone())));
    headers.extend([header_for_cpu(request, model, units), cpu::header_of(request.common.precision.kernels)]);
    Some(ReactorFiles { reactor, symbol, sources, headers })
}

/// The name and the text of the functions of one point, where the request has them; `of_cpu` are the kernels for a CPU.
pub fn device_header(request: &Request, model: &Model, of_cpu: &[Unit]) -> Option<(String, String)> {
    let callers = [Emit::Device, Emit::Chemkin, Emit::Pelephysics, Emit::Kinetix, Emit::Openfoam];
    if !callers.iter().any(|emit| request.emit.contains(emit)) {
        return None;
    }
    let target = request.common.target;
    let codes: Vec<&Code> = of_cpu.iter().map(|unit| &unit.code).collect();
    let interface = interface::interface(model, request.common.units, target, of_cpu);
    let file = format!("{}_device.h", model.mechanism.name);
    Some((file, cpu::device_header(&interface, &codes, &provenance(request, model))))
}

/// The module of procedures of one point, where the request has it.
pub struct DeviceModule {
    pub file: String,
    pub text: String,
    pub interface: host::Interface,
}

/// The module of procedures of one point; `of_cpu` are the kernels for a CPU.
pub fn device_module(request: &Request, model: &Model, of_cpu: &[Unit]) -> Option<DeviceModule> {
    if !request.emit.contains(&Emit::FortranDevice) {
        return None;
    }
    let codes: Vec<&Code> = of_cpu.iter().map(|unit| &unit.code).collect();
    let interface = interface::interface(model, request.common.units, request.common.target, of_cpu);
    let text = fortran::device_module(&interface, &codes, &provenance(request, model));
    Some(DeviceModule { file: format!("{}_device.f90", model.mechanism.name), text, interface })
}

/// The name and the text of the header of kernels for a CPU.
pub fn header_for_cpu(request: &Request, model: &Model, of_cpu: &[Unit]) -> (String, String) {
    let interface = interface::interface(model, request.common.units, Target::cpu(), of_cpu);
    (format!("{}.h", model.mechanism.name), host::header(&interface, &provenance(request, model)))
}

/// Inputs that the files are made of.
struct Output<'a> {
    request: &'a Request,
    model: &'a Model,
    units: &'a [Unit],
    beside: &'a [Unit],
    /// The kernels for a CPU: the units or those beside them.
    of_cpu: &'a [Unit],
    interface: host::Interface,
    provenance: Provenance,
}

impl Output<'_> {
    fn emits(&self, e: Emit) -> bool {
        let emit = &self.request.emit;
        emit.contains(&e) || e == Emit::Host && emit.contains(&Emit::Cvode)
    }

    /// The text, the lowered PTX and the pictures of each kernel.
    fn of_units(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let extension = source_extension(self.request.common.target);
        for unit in self.units {
            let base = unit.program.symbol.clone();
            if self.emits(Emit::Cuda) || self.emits(Emit::Host) {
                files.push((format!("{base}.{extension}"), unit.source.clone()));
            }
            if self.emits(Emit::Ptx) {
                files.push((format!("{base}.ptx"), unit.ptx.to_string()));
            }
            if self.emits(Emit::Dot) {
                files.push((format!("{base}.dot"), graph::text::dot(&unit.graph, |op| Some(unit.mapping.warp_of[op]))));
            }
            if self.emits(Emit::Picture) {
                let pictures = pictures::pictures(self.request, unit).into_iter();
                files.extend(pictures.map(|picture| (picture.file, picture.svg)));
            }
        }
        files
    }

    /// The headers of all kernels, and the project around them.
    fn of_host(&self) -> Vec<(String, String)> {
        let Self { request, model, interface, provenance, .. } = self;
        let (name, target) = (&model.mechanism.name, request.common.target);
        let extension = source_extension(target);
        let mut files = Vec::new();
        if self.emits(Emit::Cuda) || self.emits(Emit::Host) {
            files.push((format!("{name}.h"), host::header(interface, provenance)));
            files.push((format!("{name}_context.{extension}"), host::context(interface, provenance)));
            if target.is_cpu() {
                files.push(cpu::header_of(request.common.precision.kernels));
            }
        }
        if self.emits(Emit::Host) {
            let project = project::project(request, model, self.units);
            if project::has_fallback(request, self.units) {
                files.extend(fallback::files(request, model, &project, self.units, self.beside));
            }
            files.push((format!("{name}.hpp"), host::wrapper(interface, provenance)));
            files.push((format!("{name}_module.f90"), host::module(interface, provenance)));
            files.push((format!("{name}_reference.h"), host::reference(interface, &project, provenance)));
            files.push(("CMakeLists.txt".into(), host::FOLDER.into()));
            files.push((host::cmake_file(name), host::cmake(interface, &project, provenance, target)));
            files.push((format!("{name}_driver.{extension}"), host::driver(interface, &project, provenance)));
            files.push((project.example, host::example(interface, provenance)));
        }
        files
    }

    /// Reactors that are advanced, and the program of CVODE's.
    fn of_reactors(&self, reactor: Option<&host::Reactor>) -> Vec<(String, String)> {
        let Self { request, model, interface, provenance, .. } = self;
        let target = request.common.target;
        let mut files = Vec::new();
        if let Some(reactor) = reactor {
            let own = host::reactor(interface, reactor, provenance, target, self.emits(Emit::Host));
            let is_embedded = self.emits(Emit::PelephysicsReactor);
            files.extend(if is_embedded { embedded::with_cpp(own, target) } else { own });
            if self.emits(Emit::Host) {
                files.push(host::reactor_driver(interface, reactor, &reactor::driven(model, reactor), provenance));
            }
        }
        if let Some(constant) = request.cvode_constant() {
            let targets = std::iter::once(target).chain(request.has_fallback().then(Target::cpu));
            files.extend(targets.map(|target| {
                let systems = target.is_cpu().then(|| reactor::systems_of_cvode(request, model, self.of_cpu)).flatten();
                let text = host::ignition(interface, constant, systems.as_ref(), provenance, target);
                (host::ignition_file(&model.mechanism.name, target), text)
            }));
        }
        files
    }

    /// Writes the files that other codes call, and the functions of one point that these call.
    fn of_libraries(&self, reactor: Option<&host::Reactor>) -> Vec<(String, String)> {
        let Self { request, model, interface, provenance, .. } = self;
        let mut files = Vec::new();
        if self.emits(Emit::Chemkin) {
            files.extend(cpu::chemkin(interface, &library::stoichiometry(model), provenance));
        }
        if self.emits(Emit::Pelephysics) {
            let transport = library::transport(model);
            files.extend(cpu::pelephysics(interface, &library::stoichiometry(model), transport.as_ref(), provenance));
        }
        if self.emits(Emit::Kinetix) {
            files.extend(cpu::kinetix(interface, &library::stoichiometry(model), provenance));
        }
        if self.emits(Emit::Openfoam) {
            files.extend(openfoam::files(request, model, self.units, interface, reactor, provenance));
        }
        if let Some(reactor) = reactor.filter(|_| self.emits(Emit::PelephysicsReactor)) {
            files.extend(embedded::files(request, self.units, interface, reactor, provenance));
            let sources = embedded::sources(interface, reactor);
            files.extend(cpu::pelephysics_reactor(interface, reactor.constant, &sources, provenance));
        }
        files.extend(device_header(request, model, self.of_cpu));
        files.extend(device_module(request, model, self.of_cpu).map(|module| (module.file, module.text)));
        files
    }
}
