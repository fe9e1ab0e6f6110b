//! A program that integrates a batch of reactors with SUNDIALS' CVODE, on the rates of change and their derivatives: on a CPU one reactor
//! after the other, on a GPU all in one system.

use super::systems::{Systems, Tables};
use super::{Interface, Provenance, file_comment, prefix};
use crate::base::glue::{Template, render};
use crate::base::tables::real;
use kernels::Factors;
use kinetics::integrator::options::MOST_NEGATIVE;
use kinetics::reactor::Constant;
use machine::target::Target;
use serde::Serialize;

/// The name of its file.
pub fn ignition_file(name: &str, target: &Target) -> String {
    format!("{name}_ignition.{}", if target.is_cpu() { "cpp" } else { "cu" })
}

/// The program, for kernels of reactors with this constant, whose state is temperature, density (at constant volume) or pressure, and mass
/// fractions; with the systems of a sparse Jacobian it factors them by code of their own.
pub fn ignition(
    interface: &Interface,
    constant: Constant,
    systems: Option<&Systems>,
    provenance: &Provenance,
    target: &Target,
) -> String {
    let prefix = prefix(interface);
    let (kernel, constant, member, words) = match constant {
        Constant::Volume => ("isochoric", "volume", "density", "the density in kg/m^3"),
        Constant::Pressure => ("isobaric", "pressure", "pressure", "the pressure in Pa"),
    };
    let file = File {
        comment: file_comment("//", "Ignition", &interface.mechanism, provenance),
        species: interface.species.len(),
        rates: format!("{prefix}_{kernel}"),
        jacobian: format!("{prefix}_{kernel}_{}jacobian", if systems.is_some() { "sparse_" } else { "" }),
        prefix,
        is_cpu: target.is_cpu(),
        sparse: systems.map(|systems| Tables::new(systems, Factors::Double, (0, false), interface)),
        constant,
        constant_member: member,
        constant_words: words,
        most_negative: real(MOST_NEGATIVE),
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
    /// Whether each reactor is integrated by itself.
    is_cpu: bool,
    /// The factorisation of its systems; nothing where the Jacobian is dense.
    sparse: Option<Tables>,
    constant: &'static str,
    constant_member: &'static str,
    constant_words: &'static str,
    /// A condition has no mass fraction below the negative of this.
    most_negative: String,
}
