//! Reactors on a GPU in the simulator: their text as one file, and launches.

use std::fs::read_to_string;
use std::path::Path;

use ptx::inst::Type;
use warpsim::{Argument, Buffer, Launch};

/// Threads of a CTA.
pub const THREADS: usize = 128;

/// The project's functions of one point and its reactors, as NVRTC compiles them.
pub fn text(folder: &Path, name: &str) -> String {
    let read = |file: String| read_to_string(folder.join(file)).unwrap();
    let program = read(format!("{name}_reactor.cu")).replace(&format!("#include \"{name}_device.h\"\n"), "");
    // The compiler remarks on functions that a file has and does not call.
    "#define SINGE_POINT static __device__ __attribute__((unused))\n".to_owned()
        + &read(format!("{name}_device.h"))
        + &program
}

/// Arrays of points: an entry for each, or one for each species and each, field-major.
pub struct Points {
    /// The first array of the state.
    pub told: Vec<f64>,
    pub fixed: Vec<f64>,
    pub fractions: Vec<f64>,
    pub times: Vec<f64>,
    /// Sources of the mass fractions, and of the energy.
    pub sources: [Vec<f64>; 2],
    /// Absolute tolerances, by species.
    pub tolerances: Vec<f64>,
}

/// Limits that all points keep to.
pub struct Kept {
    pub relative_tolerance: f64,
    pub absolute_tolerance: f64,
    pub most_steps: usize,
}

/// The numbers of buffers.
pub const TOLD: usize = 0;
pub const FRACTIONS: usize = 2;
pub const STATUS: usize = 6;
pub const STEPS: usize = 7;
pub const REJECTED: usize = 8;
pub const STEP: usize = 9;
pub const TEMPERATURE: usize = 10;
pub const MEAN_RATES: usize = 11;
pub const HEAT_RELEASE: usize = 12;

/// A launch of so many CTAs, in place, and its buffers; the queue has the words `queue`, and each thread `rows` doubles. Points are taken in an order.
pub fn launch(
    points: Points,
    kept: &Kept,
    ctas: u32,
    rows: usize,
    queue: Vec<u64>,
    order: Vec<u64>,
) -> (Launch, Vec<Buffer>) {
    let count = points.told.len();
    let species = points.fractions.len() / count;
    let integers = || Buffer::words(Type::B32, vec![0; count]);
    let buffers = vec![
        Buffer::in_out(&points.told),
        Buffer::input(&points.fixed),
        Buffer::in_out(&points.fractions),
        Buffer::input(&points.times),
        Buffer::input(&points.sources[0]),
        Buffer::input(&points.sources[1]),
        integers(),
        integers(),
        integers(),
        Buffer::in_out(&vec![0.0; count]),
        Buffer::output(count),
        Buffer::output(count * species),
        Buffer::output(count),
        Buffer::input(&points.tolerances),
        Buffer::output(ctas as usize * THREADS * rows),
        Buffer::words(Type::B32, queue),
        Buffer::words(Type::B32, order),
    ];
    let real = |x: f64| Argument::Bytes(x.to_le_bytes().to_vec());
    let mut arguments: Vec<Argument> = [0, 1, 2, 3, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(Argument::Buffer).into();
    let tolerances = [kept.relative_tolerance, kept.absolute_tolerance].map(real);
    arguments.extend(tolerances.into_iter().chain([Argument::Buffer(13), real(0.0)]));
    arguments.extend([
        Argument::U32(kept.most_steps as u32),
        Argument::Buffer(14),
        Argument::Buffer(15),
        Argument::Buffer(16),
    ]);
    arguments.extend([count as u32; 2].map(Argument::U32));
    (Launch::linear(ctas, THREADS as u32, arguments), buffers)
}

/// The bins of points, by steps.
pub const BINS: usize = 256;

/// Returns the launches that order points by their steps in a call before: each has the name's end, its CTAs and the numbers of its buffers. Adds
/// the buffers: steps, places of bins, and the order.
pub fn ordering(steps: &[u64]) -> ([(&'static str, Launch); 3], Vec<Buffer>) {
    let count = steps.len();
    let ctas = count.div_ceil(THREADS) as u32;
    let buffers = vec![
        Buffer::words(Type::B32, steps.to_vec()),
        Buffer::words(Type::B32, vec![0; BINS]),
        Buffer::words(Type::B32, vec![count as u64; count]),
    ];
    let launch = |ctas: u32, of: &[usize], is_told: bool| {
        let count = is_told.then_some(Argument::U32(count as u32));
        let arguments = of.iter().map(|&buffer| Argument::Buffer(buffer)).chain(count).collect();
        Launch::linear(ctas, THREADS as u32, arguments)
    };
    let all = [
        ("count", launch(ctas, &[0, 1], true)),
        ("begin", launch(1, &[1], false)),
        ("place", launch(ctas, &[0, 1, 2], true)),
    ];
    (all, buffers)
}

/// Doubles of each thread's workspace.
pub fn rows(text: &str) -> usize {
    let (_, rest) = text.split_once("workspace_rows = ").unwrap();
    rest.split_once(" }").unwrap().0.parse().unwrap()
}
