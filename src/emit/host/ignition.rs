//! A program that integrates a batch of reactors with SUNDIALS' CVODE, on the rates of change and their derivatives.

use super::{Interface, Provenance, file_comment, prefix};
use crate::emit::cuda::glue::{Template, render};
use kinetics::reactor::Constant;
use serde::Serialize;

/// The name of its file.
pub const IGNITION: &str = "ignition.cpp";

/// The program, for kernels of reactors with this constant, whose state is temperature, density (at constant volume) or pressure, and mass
/// fractions.
pub fn ignition(interface: &Interface, constant: Constant, provenance: &Provenance) -> String {
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
        constant,
        constant_member: member,
        constant_words: words,
    };
    render(Template::Ignition, &file)
}

#[derive(Serialize)]
struct File {
    comment: String,
    prefix: String,
    species: usize,
    rates: String,
    jacobian: String,
    constant: &'static str,
    constant_member: &'static str,
    constant_words: &'static str,
}
