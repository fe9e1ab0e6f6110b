//! The kernels for a CPU in the project of a GPU, with the same functions: CMake builds them where there is no compiler for CUDA.

use super::provenance::provenance;
use super::{Unit, interface, project};
use crate::plan::Request;
use emit_c::{cpu, host};
use kinetics::Model;
use machine::target::Target;

/// (name, text) of the files that the project of a GPU has besides; `units` are the kernels for a CPU, beside those `of_gpu`.
pub fn files(
    request: &Request,
    model: &Model,
    project_of_gpu: &host::Project,
    of_gpu: &[Unit],
    units: &[Unit],
) -> Vec<(String, String)> {
    let (name, provenance) = (&model.mechanism.name, provenance(request, model));
    let aliases = of_gpu.iter().filter(|unit| unit.report.alternative).filter_map(|unit| {
        let of = units.iter().find(|own| own.report.kernel == unit.report.kernel)?.program.symbol.clone();
        Some(host::Alias { symbol: unit.program.symbol.clone(), of })
    });
    let interface = interface::interface(model, request.common.units, Target::cpu(), units);
    let interface = host::Interface { aliases: aliases.collect(), ..interface };
    // The reference values are those of the GPU's kernels.
    let own = project::project(&request.for_cpu(), model, units);
    let (tables, states) = (project_of_gpu.tables.clone(), project_of_gpu.states);
    // The Fortran example of the GPU has arrays in its memory.
    let example = format!("{name}_cpu_example.f90");
    let project = host::Project { tables, states, example: example.clone(), reactor_driver: false, ..own };
    let text = |unit: &Unit| (format!("{}.cpp", unit.program.symbol), unit.source.clone());
    let mut files: Vec<_> = units.iter().map(text).collect();
    files.extend([
        cpu::header_of(request.common.precision.kernels),
        (format!("{name}_context.cpp"), host::context(&interface, &provenance)),
        (host::fallback_file(name), host::cmake(&interface, &project, &provenance, Target::cpu())),
        (format!("{name}_driver.cpp"), host::driver(&interface, &project, &provenance)),
        (example, host::example(&interface, &provenance)),
    ]);
    files
}
