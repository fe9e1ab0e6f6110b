//! The text of a kernel.

use super::provenance::provenance;
use crate::emit::cpu;
use crate::emit::cuda::{self, Provenance};
use crate::emit::hip;
use crate::lower::code::Code;
use crate::plan::Resolved;
use crate::report::accuracy::accuracy;
use crate::report::{KernelReport, diffusion};
use kinetics::Model;
use machine::target::Target;

/// CUDA, HIP for AMD, or C++ for a CPU.
pub fn source(own: &Resolved<'_>, model: &Model, code: &Code, report: &KernelReport) -> String {
    let diffusion = diffusion(model, own.kernel).map_or(String::new(), |words| format!("; {words}"));
    let (ctas_per_sm, form) = (own.tuning.ctas_per_sm, Some(form(report) + &diffusion));
    let precision = report.single.as_ref().map(|single| single.to_string() + &sampled(report));
    let provenance = Provenance { ctas_per_sm, form, precision, ..provenance(own.asked, model) };
    match own.asked.common.target {
        target if target.is_cpu() => cpu::print(code, &provenance, own.asked.common.precision),
        target => match target.amd() {
            Some(amd) => hip::print(code, &provenance, target, amd),
            None => cuda::print(code, &provenance, target),
        },
    }
}

/// What was found beside what is proven.
fn sampled(report: &KernelReport) -> String {
    let found = report.verification.as_ref().and_then(|v| Some((v.states, v.single_error?)));
    found.map_or(String::new(), |(states, error)| format!("; in {states} states {error:.1e}"))
}

/// The algebra of a kernel in words.
fn form(report: &KernelReport) -> String {
    let pipe = if report.slots_per_matrix_product > 0 { ", on tensor cores" } else { "" };
    format!("{}{pipe}, {}", report.form, accuracy(report.form_error, report.form_range))
}

/// What the names of a target's source files end in.
pub fn source_extension(target: &Target) -> &'static str {
    match target {
        target if target.is_cpu() => "cpp",
        target if target.is_amd() => "hip",
        _ => "cu",
    }
}
