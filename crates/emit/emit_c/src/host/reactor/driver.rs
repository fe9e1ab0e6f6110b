//! Programs that compare reactors with reference values, and time them.

use super::Reactor;
use crate::base::glue::{Template, render_in};
use crate::base::tables::{real, wrapped};
use crate::host::{Interface, Provenance, file_comment, prefix};
use kinetics::integrator::options::Options;
use serde::Serialize;

/// A reactor before it is advanced.
#[derive(Debug, Clone, PartialEq)]
pub struct ReactorStart {
    /// First array of the state: temperature, specific energy or specific enthalpy.
    pub first_state: f64,
    /// Constant pressure or density.
    pub fixed: f64,
    pub fractions: Vec<f64>,
}

/// A reactor whose end is known.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownReactor {
    pub start: ReactorStart,
    pub time: f64,
    pub end_fractions: Vec<f64>,
    pub end_temperature: f64,
    /// What the plain integrator errs by at the tolerance of the driver, in tolerances of an unknown.
    pub error: f64,
}

/// Reactors of the driver.
#[derive(Debug, Clone, PartialEq)]
pub struct DrivenReactors {
    pub known: Vec<KnownReactor>,
    /// Beginning of an ignition, from whose states reactors on a CPU are timed, and what it is in words.
    pub ignition: ReactorStart,
    pub mixture: String,
}

/// Relative tolerance of the ends that are known.
pub const REFERENCE_TOLERANCE: f64 = 1e-9;

/// What is added to the tolerance of an unknown where the driver judges its error.
pub const ERROR_FLOOR: f64 = 1e-11;

/// (name, text) of the program, for a CPU of a part of the project's driver.
pub fn driver(
    interface: &Interface,
    reactor: &Reactor,
    driven: &DrivenReactors,
    provenance: &Provenance,
) -> (String, String) {
    #[derive(Serialize)]
    struct File {
        comment: String,
        prefix: String,
        constant: &'static str,
        state_array: &'static str,
        constant_array: &'static str,
        known: usize,
        states: usize,
        species: usize,
        reference_tolerance: String,
        relative_tolerance: String,
        absolute_tolerance: String,
        allowed: String,
        error_floor: String,
        start_states: String,
        start_constants: String,
        start_fractions: String,
        times: String,
        times_in_words: String,
        end_temperatures: String,
        end_fractions: String,
        first_state: String,
        first_constant: String,
        first_fractions: String,
        mixture: String,
    }
    let species = interface.species.len();
    let DrivenReactors { known, ignition, mixture } = driven;
    let starts: Vec<&ReactorStart> = known.iter().map(|one| &one.start).collect();
    let of_each = |of: &dyn Fn(&KnownReactor) -> f64| wrapped(known.iter().map(|one| real(of(one))));
    let column = |of: fn(&ReactorStart) -> f64| wrapped(starts.iter().map(|start| real(of(start))));
    let fractions = |starts: &[&ReactorStart]| {
        wrapped((0..species).flat_map(|k| starts.iter().map(move |start| real(start.fractions[k]))))
    };
    let end_fractions = (0..species).flat_map(|k| known.iter().map(move |one| real(one.end_fractions[k])));
    let [shortest, longest] = [f64::min as fn(f64, f64) -> f64, f64::max]
        .map(|choose| real(known.iter().map(|one| one.time).reduce(choose).unwrap_or(0.0)));
    let prefix = prefix(interface);
    let is_cpu = interface.architecture.is_none();
    let file = File {
        comment: file_comment("//", "Reactors' driver", &interface.mechanism, provenance),
        constant: reactor.constant_name(),
        state_array: reactor.state_array(),
        constant_array: reactor.constant_array(),
        known: known.len(),
        states: known.len(),
        species,
        reference_tolerance: real(REFERENCE_TOLERANCE),
        relative_tolerance: real(Options::default().relative_tolerance),
        absolute_tolerance: real(Options::default().absolute_tolerance),
        allowed: real(allowed(known, species + 1)),
        error_floor: real(ERROR_FLOOR),
        start_states: column(|start| start.first_state),
        start_constants: column(|start| start.fixed),
        start_fractions: fractions(&starts),
        times: of_each(&|one| one.time),
        times_in_words: if shortest == longest { format!("{longest} s") } else { format!("{shortest} to {longest} s") },
        end_temperatures: of_each(&|one| one.end_temperature),
        end_fractions: wrapped(end_fractions),
        first_state: real(ignition.first_state),
        first_constant: real(ignition.fixed),
        first_fractions: fractions(&[ignition]),
        mixture: mixture.clone(),
        prefix,
    };
    let (extension, template) = match (is_cpu, interface.dialect.is_hip()) {
        (true, _) => ("cpp", Template::CpuReactorDriver),
        (false, true) => ("hip", Template::ReactorDriver),
        (false, false) => ("cu", Template::ReactorDriver),
    };
    let name = format!("{}_reactor_driver.{extension}", file.prefix);
    (name, render_in(interface.dialect, template, &file))
}

/// Returns the tolerances that an unknown may err by: each may have the whole error of two steps, whose norm is a mean, or half more than where the plain
/// integrator errs by more, as errors of many steps add up.
fn allowed(known: &[KnownReactor], unknowns: usize) -> f64 {
    let of_two_steps = 2.0 * (unknowns as f64).sqrt();
    known.iter().map(|one| 1.5 * one.error).fold(of_two_steps, f64::max).ceil()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_plain_integrator_is_allowed_and_half_more() {
        let start = ReactorStart { first_state: 1000.0, fixed: 1e5, fractions: vec![1.0] };
        let known = |error| KnownReactor {
            start: start.clone(),
            time: 1e-6,
            end_fractions: vec![1.0],
            end_temperature: 1000.0,
            error,
        };
        assert_eq!(allowed(&[known(3.0)], 69), 17.0);
        assert_eq!(allowed(&[known(3.0), known(32.6)], 69), 49.0);
    }
}
