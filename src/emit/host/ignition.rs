//! A program that integrates a batch of reactors with SUNDIALS' CVODE, on the rates of change and their derivatives: on a CPU one reactor
//! after the other, on a GPU all in one system.

use super::{Interface, Provenance, file_comment, prefix};
use crate::emit::cuda::glue::{Template, render};
use kinetics::reactor::Constant;
use machine::target::Target;
use serde::Serialize;

/// The name of its file.
pub fn ignition_file(target: &Target) -> &'static str {
    if target.is_cpu() { "ignition.cpp" } else { "ignition.cu" }
}

/// The program, for kernels of reactors with this constant, whose state is temperature, density (at constant volume) or pressure, and mass
/// fractions.
pub fn ignition(interface: &Interface, constant: Constant, provenance: &Provenance, target: &Target) -> String {
    let prefix = prefix(interface);
    let (kernel, constant, member, words) = match constant {
        Constant::Volume => ("isochoric", "volume", "density", "the density in kg/m^3"),
        Constant::Pressure => ("isobaric", "pressure", "pressure", "the pressure in Pa"),
    };
    let file = File {
        comment: file_comment("//", "Ignition", &interface.mechanism, provenance),
        species: interface.species.len(),
        rates: format!("{prefix}_{kernel}"),
        jacobian: format!("{prefix}_{kernel}_jacobian"),
        prefix,
        quotients: target.is_cpu(),
        constant,
        constant_member: member,
        constant_words: words,
    };
    let conditions = render(Template::Conditions, &file);
    render(if target.is_cpu() { Template::CpuIgnition } else { Template::Ignition }, &Whole { file, conditions })
}

#[derive(Serialize)]
struct Whole {
    #[serde(flatten)]
    file: File,
    /// The part that reads the conditions of reactors.
    conditions: String,
}

#[derive(Serialize)]
struct File {
    comment: String,
    prefix: String,
    species: usize,
    rates: String,
    jacobian: String,
    /// Whether it can take difference quotients in place of the derivatives.
    quotients: bool,
    constant: &'static str,
    constant_member: &'static str,
    constant_words: &'static str,
}
