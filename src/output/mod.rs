//! The files of a compilation: made in memory, written all or not at all.

mod fallback;
mod html;
mod interface;
mod manifest;
mod pictures;
mod project;
mod unit;

use std::path::Path;

use crate::emit::cuda::{self, Input, Provenance};
use crate::emit::{cpu, host};
use crate::graph;
use crate::lower::code::Code;
use crate::plan::{Emit, Request};
use crate::report::accuracy::accuracy;
use crate::report::{self, KernelReport, Report};
use diagnostics::Diagnostic;
use kinetics::Model;
use machine::target::Target;
use sha2::{Digest, Sha256};

pub use unit::Unit;

/// The text of each unit: CUDA, or C++ for a CPU.
pub fn sources(request: &Request, model: &Model, units: &[Unit]) -> Vec<String> {
    let of_all = provenance(request, model);
    let print = |unit: &Unit| {
        let provenance = Provenance { ctas_per_sm: unit.ctas_per_sm, form: Some(form(&unit.report)), ..of_all.clone() };
        match request.common.target {
            target if target.is_cpu() => cpu::print(&unit.code, &provenance),
            target => cuda::print(&unit.code, &provenance, target),
        }
    };
    units.iter().map(print).collect()
}

/// (name, text) of every file, in a fixed order; `beside` are the kernels for a CPU where the units are for another target.
pub fn files(
    request: &Request,
    model: &Model,
    units: &[Unit],
    sources: Vec<String>,
    beside: &[Unit],
    report: &Report,
) -> Vec<(String, String)> {
    let name = &model.mechanism.name;
    let mut files = Vec::new();
    let wanted = |e: Emit| request.emit.contains(&e) || e == Emit::Host && request.emit.contains(&Emit::Cvode);
    let target = request.common.target;
    let extension = source_extension(target);
    for (unit, source) in units.iter().zip(sources) {
        let base = unit.program.symbol.clone();
        if wanted(Emit::Cuda) || wanted(Emit::Host) {
            files.push((format!("{base}.{extension}"), source));
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
        files.push((cpu::VECTOR_HEADER.into(), cpu::vector_header()));
    }
    if wanted(Emit::Host) {
        let project = project::project(request, model, units);
        if request.has_fallback() {
            files.extend(fallback::files(request, model, &project, beside));
        }
        files.push((format!("{name}.hpp"), host::wrapper(&interface, &provenance)));
        files.push((format!("{name}_module.f90"), host::module(&interface, &provenance)));
        files.push((format!("{name}_reference.h"), host::reference(&interface, &project, &provenance)));
        files.push(("CMakeLists.txt".into(), host::cmake(&interface, &project, &provenance, target)));
        files.push((format!("driver.{extension}"), host::driver(&interface, &project, &provenance)));
        files.push(("example.f90".into(), host::example(&interface, &provenance)));
    }
    if let Ok(Some(constant)) = request.reactor() {
        let targets = std::iter::once(target).chain(request.has_fallback().then(Target::cpu));
        files.extend(targets.map(|target| {
            (host::ignition_file(target).into(), host::ignition(&interface, constant, &provenance, target))
        }));
    }
    if wanted(Emit::Device) {
        let units = if target.is_cpu() { units } else { beside };
        let codes: Vec<&Code> = units.iter().map(|unit| &unit.code).collect();
        let interface = interface::interface(model, request.common.units, target, units);
        files.push((format!("{name}_device.h"), cpu::device_header(&interface, &codes, &provenance)));
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

/// What the names of a target's source files end in.
fn source_extension(target: &Target) -> &'static str {
    if target.is_cpu() { "cpp" } else { "cu" }
}

fn provenance(request: &Request, model: &Model) -> Provenance {
    Provenance {
        command_line: request.command.clone(),
        inputs: inputs(request, model),
        mechanism: model.mechanism.name.clone(),
        ctas_per_sm: request.tuning.ctas_per_sm,
        form: None,
    }
}

/// The algebra of a kernel in words.
fn form(report: &KernelReport) -> String {
    let pipe = if report.slots_per_matrix_product > 0 { ", on tensor cores" } else { "" };
    format!("{}{pipe}, {}", report.form, accuracy(report.form_error, report.form_range))
}

/// The files that were read, with their hashes; those whose sections stand for further files say so.
fn inputs(request: &Request, model: &Model) -> Vec<Input> {
    let files = model.mechanism.inputs.iter().chain(&request.config);
    let input = |file: &mechanism::Input| {
        let with = match file.sections.as_slice() {
            [] => String::new(),
            sections => format!(" (with its sections {})", sections.join(" and ")),
        };
        Input { name: file.name.clone() + &with, sha256: file.sha256.clone() }
    };
    files.map(input).collect()
}

/// In hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Writes the files of a project and the list of them, and removes what an earlier run of the same project left and this one
/// did not write. What became of such files is told.
///
/// Errors: as [`write`].
pub fn write_project(
    folder: &Path,
    project: &str,
    mut files: Vec<(String, String)>,
) -> Result<Vec<String>, Diagnostic> {
    let stale = manifest::stale(folder, project, &files);
    files.push((manifest::name(project), manifest::text(&files)));
    write(folder, &files)?;
    Ok(stale.into_iter().map(|file| file.remove(folder)).collect())
}

/// Writes all files into a temporary folder beside the target, then moves them.
///
/// Errors: the folder cannot be made or written; then none of the files is in it.
pub fn write(folder: &Path, files: &[(String, String)]) -> Result<(), Diagnostic> {
    let failed = |e: std::io::Error| {
        Diagnostic::error("output::unwritable", format!("cannot write to {}: {e}", folder.display()))
            .help("choose a folder that you may write to with -o")
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let staging = tempfile::Builder::new().prefix(".singe-").tempdir_in(folder).map_err(failed)?;
    for (name, text) in files {
        std::fs::write(staging.path().join(name), text).map_err(failed)?;
    }
    for (name, _) in files {
        std::fs::rename(staging.path().join(name), folder.join(name)).map_err(failed)?;
    }
    Ok(())
}
