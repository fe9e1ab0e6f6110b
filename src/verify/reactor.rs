//! Verifies the text of reactors: a few points are advanced by what a compiler makes of it, beside the plain integrator on the reference
//! evaluator.

use serde::Serialize;

use super::judge::Progress;
use super::simulate::{mass_fractions, specific};
use diagnostics::Diagnostic;
use kinetics::approximation::range::TemperatureRange;
use kinetics::integrator::Method;
use kinetics::integrator::advance::{Outcome, Status, System, advance, first_step};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::inverse;
use kinetics::properties::properties;
use kinetics::reactor::Constant;
use kinetics::{Model, State};

/// Result of running the text of reactors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReactorVerification {
    pub points: usize,
    /// Steps of all points together.
    pub steps: usize,
    /// Largest difference from the plain integrator, over the allowed error of a step.
    pub largest_difference: f64,
}

/// Reactors as their text has them.
#[derive(Clone, Copy)]
pub struct ReactorSubject<'a> {
    pub model: &'a Model,
    pub symbol: &'a str,
    pub constant: Constant,
    pub by_energy: bool,
    pub method: Method,
}

/// Most points take so many times their first step: two to ten steps.
const LONG: f64 = 30.0;
/// Every fourth point takes so many times its first step, short enough for methods that are not for stiff points.
const SHORT: f64 = 2.0;
const LONGEST: f64 = 1e-3;
pub const MOST_STEPS: usize = 50;
/// Largest difference, in tolerances of a step: where both took as many steps (reactors mirror rates below zero, which the reference does not), and where rounding made one of them repeat a step.
const ALLOWED: [f64; 2] = [0.1, 1.0];

/// A point, and the plain integrator's result for it.
#[derive(Clone)]
pub struct ReactorPoint {
    /// The temperature, or the energy where the state has that.
    pub first_state: f64,
    pub fixed: f64,
    pub fractions: Vec<f64>,
    pub time: f64,
    expected: Outcome,
}

/// Result of the text for a point.
pub struct ReactorEnd {
    pub status: i32,
    pub steps: i32,
    /// The mass fractions, then the temperature.
    pub y: Vec<f64>,
}

/// So many points on hot mixtures, with their ends.
pub fn reactor_points(subject: &ReactorSubject<'_>, count: usize, progress: Progress<'_>) -> Vec<ReactorPoint> {
    let states = kinetics::verification_states(subject.model, count);
    let length = |i: usize| if i % 4 == 3 { SHORT } else { LONG };
    let new = |(i, state)| {
        progress(i, count);
        point(subject, state, length(i))
    };
    states.iter().enumerate().map(new).collect()
}

/// Compares the ends of all points with the plain integrator's.
///
/// Errors: an end that is not the plain integrator's.
pub fn judge_reactors(
    subject: &ReactorSubject<'_>,
    points: &[ReactorPoint],
    ends: &[ReactorEnd],
) -> Result<ReactorVerification, Vec<Diagnostic>> {
    let mut found = ReactorVerification { points: points.len(), steps: 0, largest_difference: 0.0 };
    for (p, (point, end)) in points.iter().zip(ends).enumerate() {
        let difference = compare(point, end).map_err(|what| {
            let text = format!("{}: point {p} of {}: {what}", subject.symbol, points.len());
            vec![Diagnostic::error("verify::not-the-reference", text)]
        })?;
        found.steps += point.expected.steps;
        found.largest_difference = found.largest_difference.max(difference);
    }
    Ok(found)
}

pub fn reactor_options() -> Options<'static> {
    Options { most_steps: MOST_STEPS, ..Options::default() }
}

/// A hot mixture with some of every species: the reference evaluator does not go on below zero as reactors do.
fn point(subject: &ReactorSubject<'_>, state: &State, length: f64) -> ReactorPoint {
    let &ReactorSubject { model, constant, method, .. } = subject;
    let equal = 1.0 / state.mole_fractions.len() as f64;
    let state = State {
        temperature: state.temperature.clamp(900.0, 2500.0),
        mole_fractions: state.mole_fractions.iter().map(|x| 0.5 * (x + equal)).collect(),
        ..state.clone()
    };
    let (fixed, energy) = match constant {
        Constant::Pressure => (state.pressure, specific(model, &state, |mixture| mixture.h)),
        Constant::Volume => (properties(model, &state).density, specific(model, &state, |mixture| mixture.u)),
    };
    let fractions = mass_fractions(model, &state);
    let unknowns = [&fractions[..], &[state.temperature]].concat();
    let system = Reference { model, constant, fixed };
    let time = (length * first_step(&unknowns, &system.rates(&unknowns), LONGEST, &reactor_options())).min(LONGEST);
    let mut expected = advance(&system, &method, &unknowns, time, &reactor_options());
    if subject.by_energy && expected.status == Status::Done {
        // The end's temperature is that of the energy, from which the integrated one departs by the errors of the steps.
        let (fractions, temperature) = expected.y.split_at_mut(model.species().len());
        let moles: Vec<f64> = fractions.iter().zip(model.species()).map(|(y, s)| y / s.weight).collect();
        let near = TemperatureRange { coldest: 0.99 * temperature[0], hottest: 1.01 * temperature[0] };
        temperature[0] = inverse::temperature(model, &moles, energy, constant, near);
    }
    let first_state = if subject.by_energy { energy } else { state.temperature };
    ReactorPoint { first_state, fixed, fractions, time, expected }
}

/// Returns the largest difference at a point over the allowed one in a step; or what is wrong.
fn compare(point: &ReactorPoint, end: &ReactorEnd) -> Result<f64, String> {
    let expected = &point.expected;
    let status = match expected.status {
        Status::Done => 0,
        Status::TooManySteps => 1,
        Status::StepTooSmall => 2,
    };
    if end.status != status {
        return Err(format!("status {}, and the plain integrator has {status}", end.status));
    }
    let more = end.steps.abs_diff(expected.steps as i32);
    if more > 1 {
        return Err(format!("{} steps, and the plain integrator takes {}", end.steps, expected.steps));
    }
    let asked = reactor_options();
    let mut largest = 0.0f64;
    for (found, y) in end.y.iter().zip(&expected.y) {
        let difference = (found - y).abs() / asked.relative_tolerance.mul_add(y.abs(), asked.absolute_tolerance);
        let is_near = difference <= ALLOWED[more as usize];
        if !is_near {
            return Err(format!("{found:e} in place of {y:e} of the plain integrator"));
        }
        largest = largest.max(difference);
    }
    Ok(largest)
}
