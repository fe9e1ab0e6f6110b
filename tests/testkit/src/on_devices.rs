//! Functions that other codes call on a device, in the simulators. A kernel takes temperatures, rows of values of the species, rows of results, and the
//! number of points; it has 64 threads.

/// Rows of what a kernel gives, as the PTX of a compiler has it.
pub fn by_ptx(text: &str, kernel: &str, inputs: [&[f64]; 2], rows: usize) -> Vec<f64> {
    use warpsim::{Argument, Buffer, Launch};
    let module = ptx::read::text("functions.ptx", text);
    let module = module.unwrap_or_else(|refused| panic!("{refused:?}"));
    let points = inputs[0].len();
    let mut buffers = [Buffer::input(inputs[0]), Buffer::input(inputs[1]), Buffer::output(rows * points)];
    let arrays = (0..3).map(Argument::Buffer).chain([Argument::U32(points as u32)]);
    let launch = Launch::linear(1, 64, arrays.collect());
    let ran = warpsim::run(&module, kernel, &launch, &mut buffers, &warpsim::Options::default());
    ran.unwrap_or_else(|hazards| panic!("{kernel}: {hazards}"));
    buffers[2].reals()
}

/// The same as the listing of Clang for a GPU of AMD has it.
pub fn by_listing(text: &str, kernel: &str, inputs: [&[f64]; 2], rows: usize) -> Vec<f64> {
    use gcn::{Argument, Array, Launch};
    let read = gcn::read(text, kernel).unwrap_or_else(|refused| panic!("{kernel}: {}", refused[0]));
    let points = inputs[0].len();
    let mut arrays = [Array::input(inputs[0]), Array::input(inputs[1]), Array::output(rows * points)];
    let arguments = (0..3).map(Argument::Array).chain([Argument::U32(points as u32)]).collect();
    let launch = Launch { workgroups: 1, threads: 64, lds: 0, arguments };
    let ran = gcn::run(&read, &launch, &mut arrays, gcn::Options::default());
    ran.unwrap_or_else(|hazard| panic!("{kernel}: {hazard}"));
    (0..rows * points).map(|at| arrays[2].real(at).expect("each result is written")).collect()
}
