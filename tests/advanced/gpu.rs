//! The program for a GPU, as NVRTC compiles it, in the simulator.

use super::*;

/// What NVRTC makes of the program for a GPU.
pub fn module_for(target: &'static Target, name: &str, method: Method, state: StateVariables) -> Option<ptx::Module> {
    if let Err(absent) = toolchain::find_for(target.compute_capability) {
        testkit::skip::skip(format!("NVRTC: {absent}"));
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let request = request_for(target, name, method, state, folder.path());
    driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics).unwrap();
    let read = |file: String| std::fs::read_to_string(folder.path().join(file)).unwrap();
    let program = read(format!("{name}_reactor.cu")).replace(&format!("#include \"{name}_device.h\"\n"), "");
    // The compiler remarks on functions that a file has and does not call.
    let text = "#define SINGE_POINT static __device__ __attribute__((unused))\n".to_owned()
        + &read(format!("{name}_device.h"))
        + &program;
    Some(compilers::compile(target, &[(&format!("{name}_reactor"), &text)]).unwrap().remove(0).ptx)
}

/// What the simulator makes of the points, with threads of so many CTAs.
pub fn simulated(module: &ptx::Module, name: &str, points: &[Point], options: &Options, ctas: u32) -> Vec<Found> {
    let (count, species) = (points.len(), points[0].fractions.len());
    let column = |of: &dyn Fn(&Point) -> f64| points.iter().map(of).collect::<Vec<f64>>();
    let rows = |of: &dyn Fn(&Point, usize) -> f64| {
        (0..species).flat_map(|k| points.iter().map(move |p| of(p, k))).collect::<Vec<f64>>()
    };
    let source = |p: &Point, k: usize| p.sources.as_ref().map_or(0.0, |s| s.0.get(k).copied().unwrap_or(s.1));
    let integers = || Buffer::words(Type::B32, vec![0; count]);
    let tolerances: Vec<f64> = (0..species).map(|k| options.absolute(k)).collect();
    // More than a thread's rows.
    let workspace = Buffer::output(ctas as usize * 128 * (60 * (species + 2) * (species + 2)));
    let mut buffers = vec![
        Buffer::in_out(&column(&|p| p.temperature)),
        Buffer::input(&column(&|p| p.fixed)),
        Buffer::in_out(&rows(&|p, k| p.fractions[k])),
        Buffer::input(&column(&|p| p.time)),
        Buffer::input(&rows(&source)),
        Buffer::input(&column(&|p| source(p, species))),
        integers(),
        integers(),
        integers(),
        Buffer::in_out(&vec![0.0; count]),
        Buffer::output(count),
        Buffer::output(count * species),
        Buffer::output(count),
        Buffer::input(&tolerances),
        workspace,
        Buffer::words(Type::B32, [0]),
    ];
    let real = |x: f64| Argument::Bytes(x.to_le_bytes().to_vec());
    let mut arguments: Vec<Argument> = [0, 1, 2, 3, 0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(Argument::Buffer).into();
    arguments.extend([
        real(options.relative_tolerance),
        real(options.absolute_tolerance),
        Argument::Buffer(13),
        real(0.0),
    ]);
    arguments.extend([Argument::U32(options.most_steps as u32), Argument::Buffer(14), Argument::Buffer(15)]);
    arguments.extend([count as u32; 2].map(Argument::U32));
    let launch = Launch::linear(ctas, 128, arguments);
    let report = warpsim::run(module, &format!("{name}_reactor"), &launch, &mut buffers, &warpsim::Options::default());
    report.unwrap_or_else(|hazards| panic!("{hazards}"));
    let integer = |buffer: usize, p: usize| buffers[buffer].element(Type::B32, p).unwrap() as i32;
    let reals: Vec<Vec<f64>> = buffers.iter().map(Buffer::reals).collect();
    let found = |p: usize| Found {
        status: integer(6, p),
        steps: [7, 8].map(|buffer| integer(buffer, p) as usize),
        step: reals[9][p],
        state: [vec![reals[0][p]], (0..species).map(|k| reals[2][k * count + p]).collect()].concat(),
        temperature: reals[10][p],
        heat_release: reals[12][p],
        mean_rates: (0..species).map(|k| reals[11][k * count + p]).collect(),
    };
    (0..count).map(found).collect()
}

/// The threads of a GPU, which take points from a queue: the simulator runs the PTX that NVRTC makes of the program.
#[test]
pub fn a_gpu_has_the_bits_of_the_integrator() {
    let method = METHODS[0];
    for (target, state) in [("hopper", StateVariables::MassFractions), ("ampere", StateVariables::Density)] {
        let target = Target::by_name(target).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", method, state, folder.path());
        let Some(module) = module_for(target, "h2o2", method, state) else { return };
        // More points than a CTA has threads: some threads take a second one.
        let points = with_sources(&points(&project, 150));
        let options = Options { most_steps: 60, ..Options::default() };
        let found = simulated(&module, "h2o2", &points, &options, 1);
        for (i, (found, point)) in found.iter().zip(&points).enumerate() {
            let what = format!("{state:?} point {i}");
            let system = Interpreted { project: &project, point };
            is_the_outcome(found, &advance(&system, &method, &start(point), point.time, &options), &what);
            are_means(&project, point, found, &found.state[1..], &what);
        }
    }
}
