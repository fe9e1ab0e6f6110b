//! Reactors in the simulator, by their PTX or their machine code. There are fewer threads than points, so that one of them takes a second point
//! from the queue.

use super::reactor::{
    MOST_STEPS, ReactorEnd, ReactorPoint, ReactorSubject, ReactorVerification, judge_reactors, reactor_options,
    reactor_points,
};
use diagnostics::Diagnostic;
use ptx::inst::Type;
use warpsim::{Argument, Buffer, Launch};

const POINTS: usize = 3;
/// Threads of the launch: the second one has no point left, or the first one takes a second point.
const THREADS: u32 = 2;

/// Lets `execute` run the program on some points, with a workspace of so many doubles.
///
/// Errors: those of `execute`; an end that is not the plain integrator's.
pub fn simulate_reactors(
    subject: &ReactorSubject<'_>,
    workspace: usize,
    execute: impl FnOnce(&Launch, &mut [Buffer]) -> Result<(), Vec<Diagnostic>>,
) -> Result<ReactorVerification, Vec<Diagnostic>> {
    let points = reactor_points(subject, POINTS);
    let species = subject.model.species().len();
    let (launch, mut buffers) = launch(&points, species, workspace);
    execute(&launch, &mut buffers)?;
    let ends: Vec<ReactorEnd> = (0..POINTS).map(|p| end(&buffers, p, species)).collect();
    judge_reactors(subject, &points, &ends)
}

/// The numbers of buffers that are written.
const NEW_FRACTIONS: usize = 5;
const STATUS: usize = 6;
const STEPS: usize = 7;
const TEMPERATURE: usize = 10;

fn end(buffers: &[Buffer], p: usize, species: usize) -> ReactorEnd {
    let integer = |buffer: usize| buffers[buffer].element(Type::B32, p).map_or(-1, |word| word as u32 as i32);
    let real = |(buffer, at): (usize, usize)| buffers[buffer].element(Type::F64, at).map_or(f64::NAN, f64::from_bits);
    let places = (0..species).map(|k| (NEW_FRACTIONS, k * POINTS + p)).chain([(TEMPERATURE, p)]);
    ReactorEnd { status: integer(STATUS), steps: integer(STEPS), y: places.map(real).collect() }
}

/// One CTA without sources, with the options of [`reactor_options`] and the order of the points.
fn launch(points: &[ReactorPoint], species: usize, workspace: usize) -> (Launch, Vec<Buffer>) {
    let count = points.len();
    let column = |of: fn(&ReactorPoint) -> f64| Buffer::input(&points.iter().map(of).collect::<Vec<f64>>());
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
        Buffer::output(workspace),
        Buffer::words(Type::B32, [0]),
    ];
    let real = |x: f64| Argument::Bytes(x.to_le_bytes().to_vec());
    let none = Argument::U64(0);
    let asked = reactor_options();
    let mut arguments: Vec<Argument> = (0..=5).map(Argument::Buffer).collect();
    arguments.extend([none.clone(), none.clone()]);
    arguments.extend((6..=12).map(Argument::Buffer));
    arguments.extend([real(asked.relative_tolerance), real(asked.absolute_tolerance), none.clone(), real(0.0)]);
    arguments.extend([Argument::U32(MOST_STEPS as u32), Argument::Buffer(13), Argument::Buffer(14), none]);
    arguments.extend([count as u32; 2].map(Argument::U32));
    (Launch::linear(1, THREADS, arguments), buffers)
}
