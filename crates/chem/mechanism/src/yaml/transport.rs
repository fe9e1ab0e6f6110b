//! The transport data of species entries.

use super::fields::{missing, number, unsupported};
use super::keys;
use super::tree::Node;
use crate::report::Report;
use crate::syntax::Word;
use crate::{Aside, Diffusion, Geometry, Transport};

/// Reads the transport data of a species; absent after an error.
pub fn read(entry: &Node, name: &Word, report: &mut Report) -> Option<Transport> {
    let Some(given) = entry.get("transport") else {
        let message = format!("no transport data for species '{}'", name.text());
        let help = "give its entry a transport model; chemistry alone needs none: --transport none";
        report.error("transport::missing-species", message, name, help);
        return None;
    };
    keys::unknown(given, &keys::TRANSPORT, report);
    if let Some(model) = given.get("model").filter(|model| model.place.text() != "gas") {
        unsupported(&model.place, "give the model gas", report);
        return None;
    }
    let Some(shape) = given.get("geometry") else { return missing(given, "geometry", report) };
    let geometry = match shape.place.text() {
        "atom" => Geometry::Atom,
        "linear" => Geometry::Linear,
        "nonlinear" => Geometry::Nonlinear,
        other => {
            let message = format!("invalid geometry '{other}' of species '{}'", name.text());
            report.error("transport::geometry", message, &shape.place, "known are atom, linear and nonlinear");
            return None;
        }
    };
    let mut value = |key: &str| given.get(key).map_or(Some(0.0), |node| number(node, report));
    let transport = Transport {
        geometry,
        well_depth: value("well-depth")?,
        diameter: value("diameter")?,
        dipole: value("dipole")?,
        polarizability: value("polarizability")?,
        rotational_relaxation: value("rotational-relaxation")?,
        place: Aside(Some(given.place.span())),
    };
    if transport.well_depth <= 0.0 || transport.diameter <= 0.0 {
        let message = format!("species '{}' needs a positive well depth and a positive diameter", name.text());
        report.error("transport::not-positive", message, &given.place, "give well-depth in K and diameter in Angstrom");
        return None;
    }
    Some(transport)
}

/// Diffusion by the transport model of a phase. Warns of a model that asks for more than mixture averages: multicomponent fluxes, ions,
/// high pressure.
pub fn diffusion(phase: &Node, report: &mut Report) -> Diffusion {
    let Some(model) = phase.get("transport") else { return Diffusion::MixtureAveraged };
    match model.place.text() {
        "none" | "mixture-averaged" | "mixture-averaged-CK" => {}
        "unity-Lewis-number" | "UnityLewis" => return Diffusion::UnityLewis,
        other => {
            let message = format!("the transport model '{other}' is taken as mixture-averaged");
            let help = "Singe computes mixture-averaged transport from the parameters of the species";
            report.warning("yaml::transport-model", message, &model.place, help);
        }
    }
    Diffusion::MixtureAveraged
}
