//! A reactor of PelePhysics' factory, around the reactors of a project.

use crate::base::glue::{Template, render};
use crate::base::tables::real;
use crate::base::{Provenance, wrap};
use crate::host::{Interface, file_comment, prefix};
use kinetics::integrator::options::Options;
use kinetics::reactor::Constant;
use serde::Serialize;

/// (name, text) of `ReactorSinge` and of the list for the host's makefiles. `sources` are the files of the reactors that it calls. The
/// interface is in SI, and the reactors' state has temperatures.
pub fn pelephysics_reactor(
    interface: &Interface,
    constant: Constant,
    sources: &[String],
    provenance: &Provenance,
) -> Vec<(String, String)> {
    let prefix = prefix(interface);
    let options = Options::default();
    let is_hip = interface.dialect.is_hip();
    let at_volume = constant == Constant::Volume;
    let names: Vec<String> = interface.species.iter().map(|species| format!("  {:?},", species.name)).collect();
    let objects: Vec<String> =
        sources.iter().map(|source| format!("$(objEXETempDir)/{}", source.replace(".cpp", ".o"))).collect();
    let mut file = File {
        comment: file_comment("//", "PelePhysics' reactor", &interface.mechanism, provenance),
        upper: prefix.to_uppercase(),
        prefix,
        species: interface.species.len(),
        names: names.join("\n"),
        at_volume,
        gpu_macro: interface.architecture.map(|_| if is_hip { "AMREX_USE_HIP" } else { "AMREX_USE_CUDA" }),
        target: if is_hip { "GPUs of AMD" } else { "GPUs of NVIDIA" },
        constant: if at_volume { "volume" } else { "pressure" },
        heat: if at_volume { "energy" } else { "enthalpy" },
        eos_temperature: if at_volume { "REY2T" } else { "RHY2T" },
        reactor_type: if at_volume { "e_reactor_type" } else { "h_reactor_type" },
        other_state: if at_volume { "TPY" } else { "TRY" },
        relative_tolerance: real(options.relative_tolerance),
        absolute_tolerance: real(options.absolute_tolerance),
        most_steps: options.most_steps,
        sources: sources.join(" "),
        objects: objects.join(" "),
    };
    let text = |template| wrap::lines(&render(template, &file));
    let mut files = vec![
        ("ReactorSinge.H".into(), text(Template::PeleReactorHeader)),
        ("ReactorSinge.cpp".into(), text(Template::PeleReactor)),
    ];
    file.comment = file_comment("#", "PelePhysics' reactor", &interface.mechanism, provenance);
    files.push(("Make.package".into(), render(Template::PeleReactorMake, &file)));
    files
}

#[derive(Serialize)]
struct File {
    comment: String,
    prefix: String,
    upper: String,
    species: usize,
    /// In quotes, a line each.
    names: String,
    at_volume: bool,
    /// Macro of an AMReX that is built for the target, if that is a GPU.
    gpu_macro: Option<&'static str>,
    target: &'static str,
    constant: &'static str,
    /// The specific heat quantity whose density the host keeps.
    heat: &'static str,
    /// The host's function that finds a temperature.
    eos_temperature: &'static str,
    reactor_type: &'static str,
    /// The state of the reactors that this one is not.
    other_state: &'static str,
    relative_tolerance: String,
    absolute_tolerance: String,
    most_steps: usize,
    sources: String,
    objects: String,
}
