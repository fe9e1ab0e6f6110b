//! The text of a kernel.

use super::provenance::provenance;
use crate::plan::Resolved;
use crate::report::accuracy::accuracy;
use crate::report::{KernelReport, diffusion};
use emit_c::base::Provenance;
use emit_c::cpu;
use emit_c::cuda;
use emit_c::hip;
use kinetics::Model;
use lower::code::Code;
use machine::target::Target;

/// CUDA, HIP for AMD, or C++ for a CPU.
pub fn source(own: &Resolved<'_>, model: &Model, code: &Code, report: &KernelReport) -> String {
    let diffusion = diffusion(model, own.kernel).map_or(String::new(), |words| format!("; {words}"));
    let (ctas_per_sm, form) = (own.tuning.ctas_per_sm.count, Some(form(report) + &diffusion));
    let precision = report.single.as_ref().map(|single| single.to_string() + &sampled(report));
    let provenance = Provenance { ctas_per_sm, form, precision, ..provenance(own.asked, model) };
    match own.asked.common.target {
        target if target.is_cpu() => cpu::print(code, &provenance, own.asked.common.precision.kernels),
        target => match target.amd() {
            Some(amd) => hip::print(code, &provenance, target, amd),
            None => cuda::print(code, &provenance, target),
        },
    }
}

/// Formats the error that was found, for the line of the proven bound.
fn sampled(report: &KernelReport) -> String {
    let found = report.verification.as_ref().and_then(|v| Some((v.states, v.single_error?)));
    found.map_or(String::new(), |(states, error)| format!("; in {states} states {error:.1e}"))
}

/// The algebra of a kernel in words.
fn form(report: &KernelReport) -> String {
    let pipe = if report.slots_per_matrix_product > 0 { ", on tensor cores" } else { "" };
    format!("{}{pipe}, {}", report.form, accuracy(report.form_error, report.form_range))
}

/// Returns the extension of a target's source files.
pub fn source_extension(target: &Target) -> &'static str {
    match target {
        target if target.is_cpu() => "cpp",
        target if target.is_amd() => "hip",
        _ => "cu",
    }
}
