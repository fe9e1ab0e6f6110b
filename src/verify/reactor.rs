//! Verifies the text of reactors: few points, advanced over few steps by what a compiler makes of it, beside the plain integrator on the reference
//! evaluator. There are fewer threads than points, so that one of them takes a second point from the queue.

use serde::Serialize;

use super::simulate::{mass_fractions, specific};
use diagnostics::Diagnostic;
use kinetics::integrator::Method;
use kinetics::integrator::advance::{Outcome, Status, System, advance, first_step};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::properties::properties;
use kinetics::reactor::Constant;
use kinetics::{Model, State};
use ptx::inst::Type;
use warpsim::{Argument, Buffer, Launch};

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
pub struct ReactorSubject<'a> {
    pub model: &'a Model,
    pub symbol: &'a str,
    pub constant: Constant,
    pub by_energy: bool,
    pub method: Method,
    /// Doubles of each thread's workspace, for CTAs of so many threads.
    pub workspace_rows: usize,
    pub threads: usize,
}

const POINTS: usize = 3;
/// Threads of the launch: the second one has no point left, or the first one takes a second point.
const THREADS: u32 = 2;
/// A point is advanced over so many times its first step: over two to ten steps.
const LENGTH: f64 = 30.0;
const LONGEST: f64 = 1e-3;
const MOST_STEPS: usize = 50;
/// Largest difference, in tolerances of a step: where both took as many steps (reactors mirror rates below zero, which the reference does not), and where rounding made one of them repeat a step.
const ALLOWED: [f64; 2] = [0.1, 1.0];

/// A point, and what the plain integrator makes of it.
struct Point {
    told: f64,
    fixed: f64,
    fractions: Vec<f64>,
    time: f64,
    expected: Outcome,
}

/// Lets `execute` run the program on some points.
///
/// Errors: those of `execute`; an end that is not the plain integrator's.
pub fn verify_reactor(
    subject: &ReactorSubject<'_>,
    execute: impl FnOnce(&Launch, &mut [Buffer]) -> Result<(), Vec<Diagnostic>>,
) -> Result<ReactorVerification, Vec<Diagnostic>> {
    let states = kinetics::verification_states(subject.model, POINTS);
    let points: Vec<Point> = states.iter().map(|state| point(subject, state)).collect();
    let (launch, mut buffers) = launch(subject, &points);
    execute(&launch, &mut buffers)?;
    let mut found = ReactorVerification { points: points.len(), steps: 0, largest_difference: 0.0 };
    for (p, point) in points.iter().enumerate() {
        let difference = compare(&buffers, p, &points).map_err(|what| {
            let text = format!("{}: point {p} of {}: {what}", subject.symbol, points.len());
            vec![Diagnostic::error("verify::not-the-reference", text)]
        })?;
        found.steps += point.expected.steps;
        found.largest_difference = found.largest_difference.max(difference);
    }
    Ok(found)
}

fn options() -> Options<'static> {
    Options { most_steps: MOST_STEPS, ..Options::default() }
}

/// A hot mixture with some of every species: the reference evaluator does not go on below zero as reactors do.
fn point(subject: &ReactorSubject<'_>, state: &State) -> Point {
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
    let time = (LENGTH * first_step(&unknowns, &system.rates(&unknowns), LONGEST, &options())).min(LONGEST);
    let expected = advance(&system, &method, &unknowns, time, &options());
    let told = if subject.by_energy { energy } else { state.temperature };
    Point { told, fixed, fractions, time, expected }
}

/// The numbers of buffers that are written.
const NEW_FRACTIONS: usize = 5;
const STATUS: usize = 6;
const STEPS: usize = 7;
const TEMPERATURE: usize = 10;

/// One CTA without sources, with the options of [`options`] and the order of the points.
fn launch(subject: &ReactorSubject<'_>, points: &[Point]) -> (Launch, Vec<Buffer>) {
    let count = points.len();
    let species = subject.model.species().len();
    let column = |of: fn(&Point) -> f64| Buffer::input(&points.iter().map(of).collect::<Vec<f64>>());
    let fractions: Vec<f64> = (0..species).flat_map(|k| points.iter().map(move |p| p.fractions[k])).collect();
    let integers = || Buffer::words(Type::B32, vec![0; count]);
    let buffers = vec![
        column(|p| p.told),
        column(|p| p.fixed),
        Buffer::input(&fractions),
        column(|p| p.time),
        Buffer::output(count),
        Buffer::output(count * species),
        integers(),
        integers(),
        integers(),
        // The step that a call before left.
        Buffer::in_out(&vec![0.0; count]),
        Buffer::output(count),
        Buffer::output(count * species),
        Buffer::output(count),
        Buffer::output(subject.threads * subject.workspace_rows),
        Buffer::words(Type::B32, [0]),
    ];
    let real = |x: f64| Argument::Bytes(x.to_le_bytes().to_vec());
    let none = Argument::U64(0);
    let asked = options();
    let mut arguments: Vec<Argument> = (0..=5).map(Argument::Buffer).collect();
    arguments.extend([none.clone(), none.clone()]);
    arguments.extend((6..=12).map(Argument::Buffer));
    arguments.extend([real(asked.relative_tolerance), real(asked.absolute_tolerance), none.clone(), real(0.0)]);
    arguments.extend([Argument::U32(MOST_STEPS as u32), Argument::Buffer(13), Argument::Buffer(14), none]);
    arguments.extend([count as u32; 2].map(Argument::U32));
    (Launch::linear(1, THREADS, arguments), buffers)
}

/// Returns the largest difference at a point over the allowed one in a step; or what is wrong.
fn compare(buffers: &[Buffer], p: usize, points: &[Point]) -> Result<f64, String> {
    let Point { expected, .. } = &points[p];
    let integer = |buffer: usize| buffers[buffer].element(Type::B32, p).map(|word| word as u32 as i32);
    let status = match expected.status {
        Status::Done => 0,
        Status::TooManySteps => 1,
        Status::StepTooSmall => 2,
    };
    if integer(STATUS) != Some(status) {
        return Err(format!("status {:?}, and the plain integrator has {status}", integer(STATUS)));
    }
    let steps = integer(STEPS).unwrap_or(-1);
    let more = steps.abs_diff(expected.steps as i32);
    if more > 1 {
        return Err(format!("{steps} steps, and the plain integrator takes {}", expected.steps));
    }
    let asked = options();
    let ends = (0..expected.y.len() - 1).map(|k| (NEW_FRACTIONS, k * points.len() + p)).chain([(TEMPERATURE, p)]);
    let mut largest = 0.0f64;
    for ((buffer, at), y) in ends.zip(&expected.y) {
        let found = buffers[buffer].element(Type::F64, at).map_or(f64::NAN, f64::from_bits);
        let difference = (found - y).abs() / asked.relative_tolerance.mul_add(y.abs(), asked.absolute_tolerance);
        let is_near = difference <= ALLOWED[more as usize];
        if !is_near {
            return Err(format!("{found:e} in place of {y:e} of the plain integrator"));
        }
        largest = largest.max(difference);
    }
    Ok(largest)
}
