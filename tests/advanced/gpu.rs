//! The program for a GPU, as NVRTC compiles it, in the simulator.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use singe::compilers::CompilerOutput;
use singe::verify;
use testkit::gpu_reactor::{
    self, FRACTIONS, HEAT_RELEASE, Kept, MEAN_RATES, Points, REJECTED, STATUS, STEP, STEPS, TEMPERATURE, TOLD,
};

/// The text that NVRTC compiles.
pub fn text_for(
    target: &'static Target,
    name: &str,
    method: Method,
    (factors, steps): (Factors, ReactorSteps),
    state: StateVariables,
    folder: &Path,
) -> String {
    let request = request_for(target, name, method, state, folder);
    let request = Request { steps, ..request.with(|r| r.common.precision.factors = factors) };
    generate(&request);
    std::fs::read_to_string(folder.join(format!("{name}_reactor.cu"))).unwrap()
}

/// Compiles the text with NVRTC and ptxas, which remark nothing on it.
pub fn made_of(target: &'static Target, name: &str, text: &str) -> Option<CompilerOutput> {
    if let Err(absent) = toolchain::find_for(target.compute_capability) {
        testkit::skip::skip(format!("NVRTC: {absent}"));
        return None;
    }
    Some(compilers::compile(target, &[(&format!("{name}_reactor"), text)]).unwrap().remove(0))
}

/// A way to run kernels, by the ends of their names.
type Execute<'a> = &'a mut dyn FnMut(&str, &Launch, &mut [Buffer]) -> Result<(), String>;

/// Advances the points with so many CTAs of each launch.
pub fn advanced_by(
    project: &Project,
    method: Method,
    points: &[Point],
    options: &Options,
    ctas: u32,
    execute: Execute<'_>,
) -> Vec<Found> {
    let (count, species) = (points.len(), points[0].fractions.len());
    let column = |of: &dyn Fn(&Point) -> f64| points.iter().map(of).collect::<Vec<f64>>();
    let rows = |of: &dyn Fn(&Point, usize) -> f64| {
        (0..species).flat_map(|k| points.iter().map(move |p| of(p, k))).collect::<Vec<f64>>()
    };
    let source = |p: &Point, k: usize| p.sources.as_ref().map_or(0.0, |s| s.0.get(k).copied().unwrap_or(s.1));
    let has_sources = points.iter().any(|point| point.sources.is_some());
    let given = Points {
        first_state: column(&|p| p.temperature),
        fixed: column(&|p| p.fixed),
        fractions: rows(&|p, k| p.fractions[k]),
        times: column(&|p| p.time),
        sources: has_sources.then(|| [rows(&source), column(&|p| source(p, species))]),
        tolerances: (0..species).map(|k| options.absolute(k)).collect(),
    };
    let Options { relative_tolerance, absolute_tolerance, most_steps, .. } = *options;
    let kept = Kept { relative_tolerance, absolute_tolerance, most_steps };
    let units = [project.rates, project.jacobian];
    let is_fused = project.steps == ReactorSteps::Fused;
    let reactor = gpu_reactor::reactor(&project.model, project.constant, method, (project.factors, is_fused), units);
    let mut pipeline = gpu_reactor::pipeline(&project.model, &reactor, units, ctas);
    if !project.parts.is_empty() {
        pipeline.jacobian =
            project.parts.iter().map(|unit| verify::Part { graph: &unit.graph, proven: &unit.proven }).collect();
    }
    let buffers = pipeline.run(gpu_reactor::call(given, &kept, &pipeline), execute);
    let buffers = buffers.unwrap_or_else(|failure| panic!("{failure}"));
    let integer = |buffer: usize, p: usize| buffers[buffer].element(Type::B32, p).unwrap() as i32;
    let reals: Vec<Vec<f64>> = buffers[..HEAT_RELEASE + 1].iter().map(Buffer::reals).collect();
    let found = |p: usize| Found {
        status: integer(STATUS, p),
        steps: [STEPS, REJECTED].map(|buffer| integer(buffer, p) as usize),
        step: reals[STEP][p],
        state: [vec![reals[TOLD][p]], (0..species).map(|k| reals[FRACTIONS][k * count + p]).collect()].concat(),
        temperature: reals[TEMPERATURE][p],
        heat_release: reals[HEAT_RELEASE][p],
        mean_rates: (0..species).map(|k| reals[MEAN_RATES][k * count + p]).collect(),
    };
    (0..count).map(found).collect()
}

/// Whether what was found is what the plain integrator makes of the points, in bits.
fn are_outcomes(project: &Project, method: &Method, points: &[Point], found: &[Found], options: &Options) {
    for (i, (found, point)) in found.iter().zip(points).enumerate() {
        let what = format!("point {i}");
        is_the_outcome(found, &integrated(project, method, point, options), &what);
        are_means(project, point, found, &found.state[1..], &what);
    }
}

/// Every kernel of a step on Hopper and on Ampere, of the pipeline and of the fused step: the simulator runs the PTX that NVRTC makes of its kernels, and the machine code that ptxas makes of that.
#[test]
pub fn a_gpu_has_the_bits_of_the_integrator() {
    let (fused, apart) = (ReactorSteps::Fused, ReactorSteps::Pipeline);
    for (target, state, factors, steps, method) in [
        ("hopper", StateVariables::MassFractions, Factors::Double, apart, AUTO),
        ("ampere", StateVariables::Density, Factors::Double, fused, AUTO),
        ("ampere", StateVariables::Density, Factors::Single, apart, AUTO),
        ("hopper", StateVariables::MassFractions, Factors::Single, fused, AUTO),
    ] {
        let target = Target::by_name(target).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut project = Project { factors, steps, ..written("h2o2", method, state, folder.path()) };
        if (factors, steps) == (Factors::Single, apart) {
            project.parts = in_parts(&project, "h2o2", method, state, folder.path());
        }
        let text = text_for(target, "h2o2", method, (factors, steps), state, folder.path());
        let Some(made) = made_of(target, "h2o2", &text) else { return };
        // More points than a launch has threads: some follow others.
        let count = if steps == fused { 270 } else { 150 };
        let (points, options) = some_points(&project, method, count);
        let mut proven = BTreeSet::new();
        let simulate = &mut |name: &str, launch: &Launch, buffers: &mut [Buffer]| {
            let symbol = format!("h2o2_reactor_{name}");
            if proven.insert(name.to_owned()) {
                let is_proven = verify::prove_launch(&made.ptx, &symbol, launch).expect("no violation");
                // The prover follows no calls behind branches on data, as the fused step has them.
                assert!(is_proven || name == "step", "{symbol}");
            }
            let report = warpsim::run(&made.ptx, &symbol, launch, buffers, &warpsim::Options::default());
            report.map(|_| ()).map_err(|hazards| format!("{name}: {hazards}"))
        };
        let found = advanced_by(&project, method, &points, &options, 1, simulate);
        are_outcomes(&project, &method, &points, &found, &options);
        if let Err(absent) = toolchain::disassembler(target.compute_capability) {
            testkit::skip::skip(absent);
            continue;
        }
        let cubin = toolkit::cubin::read_machine_code("h2o2", &made.cubin).unwrap();
        let execute = &mut |name: &str, launch: &Launch, buffers: &mut [Buffer]| {
            let symbol = format!("h2o2_reactor_{name}");
            let run = warpsim::machine_code::run(&cubin, &symbol, launch, buffers, &warpsim::Options::default());
            run.map(|_| ()).map_err(|failure| format!("{name}: {failure:?}"))
        };
        let again = advanced_by(&project, method, &points, &options, 1, execute);
        assert!(found == again, "{state:?}: machine code");
    }
}

/// The pipeline of a GPU of AMD: the simulator runs the machine code that Clang makes of its kernels, with approximate instructions exact and cut to what is
/// documented of them.
#[test]
fn machine_code_for_amd_has_the_bits_of_the_integrator() {
    let target = Target::by_name("mi300x").unwrap();
    let amd = target.amd().unwrap();
    let compiler = match toolchain::hip_compiler(amd) {
        Ok(compiler) => compiler,
        Err(absent) => return testkit::skip::skip(absent),
    };
    for (state, method) in [(StateVariables::MassFractions, AUTO), (StateVariables::Density, RODAS5P)] {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", method, state, folder.path());
        generate(&request_for(target, "h2o2", method, state, folder.path()));
        let text = std::fs::read_to_string(folder.path().join("h2o2_reactor.hip")).unwrap();
        let (_, assembly) = compiler.compile("h2o2_reactor_stage", &text, amd).unwrap_or_else(|f| panic!("{}", f.log));
        let (points, options) = some_points(&project, method, 150);
        for cut in [false, true] {
            let mut kernels: BTreeMap<String, gcn::Kernel> = BTreeMap::new();
            let execute = &mut |name: &str, launch: &Launch, buffers: &mut [Buffer]| {
                let symbol = format!("h2o2_reactor_{name}");
                let read = || gcn::read(&assembly, &symbol).unwrap_or_else(|refused| panic!("{symbol}: {refused:?}"));
                let kernel = kernels.entry(name.to_owned()).or_insert_with(read);
                let run = verify::run_on_amd(kernel, launch, buffers, gcn::Options { cut });
                run.map(|_| ()).map_err(|hazard| format!("{name}: {hazard}"))
            };
            let found = advanced_by(&project, method, &points, &options, 1, execute);
            are_outcomes(&project, &method, &points, &found, &options);
            println!("{state:?}, cut: {cut}: {:?}", kernels.keys());
        }
    }
}

/// Points with sources, one of them drained, some of them not stiff where the method looks for such; some are not done by the last step that is allowed.
fn some_points(project: &Project, method: Method, count: usize) -> (Vec<Point>, Options<'static>) {
    let mut points = with_sources(&points(project, count));
    points[2] = drained(project);
    points.iter_mut().filter(|_| method.explicit.is_some()).step_by(2).for_each(|point| point.time *= 1e-2);
    (points, Options { most_steps: 15, ..Options::default() })
}

/// nvcc and the compilers that it calls remark on nothing: not in the reactors, their driver, or the example of the guide.
#[test]
fn the_project_compiles_without_remarks() {
    let Some(cuda) = testkit::project::cuda13() else { return };
    let folder = tempfile::tempdir().unwrap();
    let target = Target::by_name("hopper").unwrap();
    for (state, factors, steps) in [
        (StateVariables::MassFractions, Factors::Double, ReactorSteps::Pipeline),
        (StateVariables::Energy, Factors::Single, ReactorSteps::Fused),
    ] {
        text_for(target, "h2o2", METHODS[0], (factors, steps), state, folder.path());
        let mut files = vec!["h2o2_reactor.cu", "h2o2_reactor_driver.cu"];
        if state == StateVariables::MassFractions {
            std::fs::write(folder.path().join("advance.cu"), standing_in::example()).unwrap();
            files.push("advance.cu");
        }
        for file in files {
            let strict = ["-std=c++17", "-Werror", "all-warnings", "-Xcompiler=-Wall,-Wextra,-Werror"];
            // PTX alone: ptxas has its turn above.
            let code = ["-gencode", "arch=compute_90,code=compute_90", "-c", file];
            run(Command::new(cuda.join("bin/nvcc")).current_dir(folder.path()).args(strict).args(code));
        }
    }
}

/// Clang takes the text for each machine of AMD, and remarks on nothing.
#[test]
fn clang_compiles_reactors_for_amd() {
    let folder = tempfile::tempdir().unwrap();
    for target in Target::of_amd() {
        let amd = target.amd().unwrap();
        let compiler = match toolchain::hip_compiler(amd) {
            Ok(compiler) => compiler,
            Err(absent) => {
                testkit::skip::skip(format!("{}: {absent}", target.name));
                continue;
            }
        };
        let request = request_for(target, "h2o2", METHODS[0], StateVariables::MassFractions, folder.path());
        testkit::request::report(&request);
        let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
        let text = read("h2o2_reactor.hip");
        let (listing, _) = compiler
            .compile("h2o2_reactor_stage", &text, amd)
            .unwrap_or_else(|failure| panic!("{}: {failure}", target.name));
        println!("{}: {} VGPRs, {} bytes of scratch", target.name, listing.vgprs, listing.scratch_bytes);
        assert!(listing.vgprs > 0);
    }
}
