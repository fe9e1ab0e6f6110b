//! The program that compares reactors on a GPU with reference values, and times them.

use super::Reactor;
use crate::base::glue::{Template, render_in};
use crate::base::tables::{real, wrapped};
use crate::host::{Interface, Provenance, file_comment, prefix};
use kinetics::integrator::options::Options;
use serde::Serialize;

/// A reactor whose end is known.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownReactor {
    /// The first array of the state, then what is constant.
    pub told: [f64; 2],
    pub fractions: Vec<f64>,
    pub time: f64,
    pub end_fractions: Vec<f64>,
    pub end_temperature: f64,
}

/// Relative tolerance of the ends that are known.
pub const REFERENCE_TOLERANCE: f64 = 1e-9;

/// (name, text) of the program.
pub fn driver(
    interface: &Interface,
    reactor: &Reactor,
    known: &[KnownReactor],
    provenance: &Provenance,
) -> (String, String) {
    #[derive(Serialize)]
    struct File {
        comment: String,
        prefix: String,
        state_array: &'static str,
        constant_array: &'static str,
        states: usize,
        species: usize,
        reference_tolerance: String,
        relative_tolerance: String,
        allowed: String,
        start_states: String,
        start_constants: String,
        start_fractions: String,
        times: String,
        end_temperatures: String,
        end_fractions: String,
    }
    let species = interface.species.len();
    let of_each = |of: &dyn Fn(&KnownReactor) -> f64| wrapped(known.iter().map(|one| real(of(one))));
    let rows = |of: fn(&KnownReactor) -> &[f64]| {
        wrapped((0..species).flat_map(|k| known.iter().map(move |one| real(of(one)[k]))))
    };
    let prefix = prefix(interface);
    let file = File {
        comment: file_comment("//", "Reactors' driver", &interface.mechanism, provenance),
        state_array: reactor.state_array(),
        constant_array: reactor.constant_array(),
        states: known.len(),
        species,
        reference_tolerance: real(REFERENCE_TOLERANCE),
        relative_tolerance: real(Options::default().relative_tolerance),
        allowed: real((2.0 * ((species + 1) as f64).sqrt()).ceil()),
        start_states: of_each(&|one| one.told[0]),
        start_constants: of_each(&|one| one.told[1]),
        start_fractions: rows(|one| &one.fractions),
        times: of_each(&|one| one.time),
        end_temperatures: of_each(&|one| one.end_temperature),
        end_fractions: rows(|one| &one.end_fractions),
        prefix,
    };
    let extension = if interface.dialect.is_hip() { "hip" } else { "cu" };
    let name = format!("{}_reactor_driver.{extension}", file.prefix);
    (name, render_in(interface.dialect, Template::ReactorDriver, &file))
}
