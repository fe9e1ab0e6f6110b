//! Every kernel for CPUs in every state and every form: its text at every width of vectors, and its function of one point, compiled, run and
//! compared in bits with the dataflow graph.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use clap::ValueEnum;
use emit_c::cpu::{self, Called};
use graph::Units;
use kernels::{Form, Io, Kernel, Precision, StateVariables};
use kinetics::Model;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::{self, Unit};
use singe::plan::Emit;
use singe::verify::{Points, Subject};
use testkit::project::{program, run, there};

/// Fill no whole number of vectors of any width.
const POINTS: usize = 9;

fn request(change: impl FnOnce(&mut Request)) -> Request {
    let files = mechanism::Files { mechanism: testkit::shipped("h2o2"), ..Default::default() };
    let request = Request { files, verify: None, emit: vec![Emit::Device], ..Request::default() };
    let request = request.with(|r| {
        (r.common.target, r.codegen) = (Target::cpu(), Codegen::DataParallel);
        (r.kernels, r.tuning.form) = (Kernel::value_variants().to_vec(), None);
        change(r);
    });
    request.for_target().unwrap()
}

/// Each is compiled together.
fn requests() -> Vec<Request> {
    let are_swept = testkit::skip::sweeps("texts for CPUs in further states");
    let some = [StateVariables::MassFractions, StateVariables::Density, StateVariables::Enthalpy];
    let states = StateVariables::value_variants().iter().filter(|state| are_swept || some.contains(state));
    let states = states.map(|&state| request(|r| r.common.state = state));
    let forms = Form::ALL.map(|form| request(|r| r.tuning.form = Some(form)));
    let cgs = request(|r| r.common.units = Units::Cgs);
    let single = [Io::Double, Io::Single].map(|io| {
        request(|r| {
            (r.common.precision.kernels, r.common.precision.io) = (Precision::Single, io);
            (r.kernels, r.emit) = (vec![Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion], Vec::new());
        })
    });
    states.chain(forms).chain([cgs]).chain(single).collect()
}

/// Vectors that every machine has, none, the widest of this machine, and those of AVX2 where these are wider.
fn widths() -> Vec<&'static [&'static str]> {
    let mut widths: Vec<&[&str]> = vec![&["-DSINGE_WIDTH=2"], &["-DSINGE_WIDTH=1"], &["-march=native"]];
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        widths.push(&["-march=haswell"]);
    }
    widths
}

/// All widths for mass fractions and for arithmetic in single precision; of the others one, by turns, as each compilation takes some ten seconds.
fn flags(request: &Request, number: usize) -> Vec<&'static [&'static str]> {
    let all = widths();
    let precision = &request.common.precision;
    let is_single = precision.kernels == Precision::Single && precision.io == Io::Double;
    match request.common.state == StateVariables::MassFractions || is_single {
        true => all,
        false => vec![all[number % all.len()]],
    }
}

/// The kernels of a request, each at some points; those that have no such state or form are left out.
fn made(model: &Model, request: &Request) -> (Vec<Unit>, Vec<Points>) {
    let unit = |&kernel: &Kernel| driver::compile_kernel(kernel, model, request, &mut Observer::silent()).ok();
    let at_points = |unit: Unit| {
        let Unit { kernel, graph, mapping, proven, program, ptx: module, .. } = &unit;
        let stiffness = request.common.stiffness;
        let subject = Subject { kernel: *kernel, model, stiffness, graph, mapping, proven, program, module };
        let mut points = Points::new(&subject, POINTS, &|_, _| ());
        if request.common.precision.kernels == Precision::Single {
            give_impossible_temperatures(&mut points);
        }
        (unit, points)
    };
    request.kernels.iter().filter_map(unit).map(at_points).unzip()
}

/// Gives two points a temperature for which no output is a number, in any lane; the temperatures are the first row.
fn give_impossible_temperatures(points: &mut Points) {
    for (point, temperature) in [(3, f64::NAN), (POINTS - 1, -5.0)] {
        points.inputs[point] = temperature;
        points.outputs.iter_mut().skip(point).step_by(points.stride).for_each(|output| *output = f64::NAN);
    }
}

/// A way to compile the texts of a request.
#[derive(Clone, Copy)]
struct Way {
    flags: &'static [&'static str],
    /// Whether the functions of one point are compiled, too. They have no width, so that one way tells of them.
    has_functions: bool,
}

/// Returns the outputs of the texts, one array behind the other: of the kernels, then of the functions of one point, if any.
fn outputs(model: &Model, request: &Request, units: &[Unit], points: &[Points], way: Way, folder: &Path) -> Vec<f64> {
    let functions = way.has_functions.then(|| output::device_header(request, model, units)).flatten();
    let forms = 1 + usize::from(functions.is_some());
    let calls = || (0..forms).flat_map(|form| (0..units.len()).map(move |at| (at, form == 1)));
    let called = |(at, by_points): (usize, bool)| {
        let (Points { points, stride, .. }, program) = (&points[at], &units[at].program);
        Called { symbol: &program.symbol, by_points, arrays: &program.arrays, points: *points, stride: *stride }
    };
    let (vectors, header) =
        (cpu::header_of(request.common.precision.kernels), output::header_for_cpu(request, model, units));
    let headers: Vec<(String, String)> = std::iter::once(header).chain(functions).collect();
    let names: Vec<String> = headers.iter().map(|(name, _)| name.clone()).collect();
    let main = cpu::program(&model.mechanism.name, &vectors.0, &names, &calls().map(called).collect::<Vec<_>>());
    let kernels = units.iter().map(|unit| (format!("{}.cpp", unit.program.symbol), unit.source.clone()));
    for (name, text) in headers.into_iter().chain([vectors, ("main.cpp".to_owned(), main)]).chain(kernels) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let options = [&["-std=c++17", "-O0", "-w", "-ffp-contract=off", "-D__FP_FAST_FMA"], way.flags].concat();
    program("g++", folder, &options, &["main.cpp"], &[], "main");
    let inputs: Vec<u8> = calls().flat_map(|(at, _)| &points[at].inputs).flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(folder.join("input"), inputs).unwrap();
    let stdin = Stdio::from(std::fs::File::open(folder.join("input")).unwrap());
    let bytes = run(Command::new(folder.join("main")).stdin(stdin)).stdout;
    bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect()
}

/// Compares all kernels of a request in each way; their names, and how many texts these are.
fn gives_the_bits_of_the_graph(model: &Model, request: &Request, ways: &[Way]) -> (Vec<&'static str>, usize) {
    let made = made(model, request);
    let texts = ways.iter().map(|way| texts_in_one_way(model, request, &made, *way)).sum();
    (made.0.iter().map(|unit| unit.kernel.name()).collect(), texts)
}

/// Compares the kernels as they are compiled in one way; returns how many texts these are.
fn texts_in_one_way(model: &Model, request: &Request, (units, points): &(Vec<Unit>, Vec<Points>), way: Way) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let found = outputs(model, request, units, points, way, folder.path());
    let expected: usize = points.iter().map(|points| points.outputs.len()).sum();
    let forms = found.len() / expected;
    assert_eq!((forms, found.len() % expected), (1 + usize::from(way.has_functions && !request.emit.is_empty()), 0));
    let mut found = found.into_iter();
    for form in 0..forms {
        for (unit, points) in units.iter().zip(points) {
            for (i, &expected) in points.outputs.iter().enumerate() {
                let found = found.next().unwrap();
                let is_same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                let told = (unit.kernel, request.common.state, &unit.report.form, way.flags, form);
                assert!(is_same, "{told:?}: value {i}: {found:e} for {expected:e}");
            }
        }
    }
    forms * units.len()
}

#[test]
fn every_text_for_a_cpu_gives_the_bits_of_its_graph() {
    if !there("g++") {
        return;
    }
    let model = testkit::model(&testkit::shipped("h2o2"));
    let requests = requests();
    let jobs = requests.iter().zip(0..).map(|(request, number)| {
        let ways = flags(request, number).into_iter().enumerate();
        (request, ways.map(|(at, flags)| Way { flags, has_functions: at == 0 }).collect::<Vec<Way>>())
    });
    let (jobs, known) = (Mutex::new(jobs), Mutex::new((BTreeSet::new(), 0)));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((request, ways)) = jobs.lock().unwrap().next() else { break };
                    let (kernels, texts) = gives_the_bits_of_the_graph(&model, request, &ways);
                    let mut known = known.lock().unwrap();
                    known.0.extend(kernels);
                    known.1 += texts;
                }
            });
        }
    });
    let (kernels, texts) = known.into_inner().unwrap();
    println!("{texts} texts of {} kernels", kernels.len());
    assert_eq!(kernels.len(), Kernel::value_variants().len(), "{kernels:?}");
}
