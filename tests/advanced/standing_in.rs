//! The programs for GPUs on the host: a stand-in for HIP, or for CUDA by HIP's names, runs the threads of a workgroup in turns. Each takes
//! its points from the queue that all share.

use super::*;
use std::fs::{read_to_string, write};

/// Stands for ROCm's header.
const HIP: &str = include_str!("../amd/hip/hip_runtime.h");

/// Names of HIP, each with another one in CUDA.
const NAMES: [(&str, &str); 4] = [
    ("hipErrorOutOfMemory", "cudaErrorMemoryAllocation"),
    ("hipErrorNoBinaryForGpu", "cudaErrorNoKernelImageForDevice"),
    ("hipDeviceAttributeMultiprocessorCount", "cudaDevAttrMultiProcessorCount"),
    ("hip", "cuda"),
];

/// Contexts that the host defines where kernels of other files are absent.
const ABSENT: &str = r#"
extern "C" int SYMBOL_prepare(int, int *ctas)
{
  return *ctas = 1, 0;
}
"#;

/// Program that the reactors are linked to: one as [`compiled`] makes it, the project's own driver, or the example of the guide.
#[derive(Clone, Copy, PartialEq)]
enum Main {
    Host(ByStep),
    Driver,
    Example,
}

/// The text for a target, which some change, built with the stand-in.
fn stood_in(
    (project, folder, main): (&Project, &Path, Main),
    target: &'static Target,
    state: StateVariables,
    change: impl Fn(String) -> String,
) {
    let request =
        request_for(target, "h2o2", METHODS[0], state, folder).with(|r| r.common.precision.factors = project.factors);
    driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics).unwrap();
    let (extension, header, runtime) = if target.is_amd() {
        ("hip", "hip/hip_runtime.h", HIP.to_owned())
    } else {
        ("cu", "cuda_runtime.h", NAMES.iter().fold(HIP.to_owned(), |text, (hip, cuda)| text.replace(hip, cuda)))
    };
    let standing_in = folder.join("standing_in").join(header);
    std::fs::create_dir_all(standing_in.parent().unwrap()).unwrap();
    write(&standing_in, runtime).unwrap();
    let read = |file: &str| read_to_string(folder.join(format!("h2o2_{file}.{extension}"))).unwrap();
    let kernels = request.common.reactor_kernels().map(|kernel| kernel.name().replace('-', "_"));
    let absent: String = kernels.iter().map(|kernel| ABSENT.replace("SYMBOL", &format!("h2o2_{kernel}"))).collect();
    write(folder.join("on_host_context.cpp"), read("context") + &absent).unwrap();
    write(folder.join("on_host_reactor.cpp"), launch_as_call(&change(read("reactor")))).unwrap();
    let main = match main {
        Main::Host(by_step) => host_for("h2o2", project.model.species().len(), Some(by_step)),
        Main::Driver => read("reactor_driver"),
        Main::Example => example(),
    };
    write(folder.join("host.cpp"), main).unwrap();
    let strict = ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"];
    let allowed = ["-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-dangling-pointer"];
    let files = ["host.cpp", "on_host_context.cpp", "on_host_reactor.cpp", "-o", "host"];
    let mut compile = Command::new("g++");
    // GPUs have fused multiply-adds.
    compile.args(cfg!(target_arch = "x86_64").then_some("-mfma"));
    // Compilers for GPUs include it before the text.
    compile.arg("-include").arg(&standing_in);
    if target.is_amd() {
        // The device's half uses builtins of Clang, which GCC has, too.
        compile.arg("-D__HIP_DEVICE_COMPILE__");
    }
    run(compile.current_dir(folder).args(strict).args(allowed).args(["-isystem", "standing_in", "-I."]).args(files));
}

/// Launches, which no C++ compiler reads, as calls.
fn launch_as_call(text: &str) -> String {
    let Some((head, rest)) = text.split_once("<<<") else { return text.to_owned() };
    let (shape, rest) = rest.split_once(">>>(").unwrap();
    let (arguments, rest) = rest.split_once(");").unwrap();
    let (head, kernel) = head.split_at(head.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap() + 1);
    let ctas =
        shape.strip_suffix(", 128, 0, (cudaStream_t)stream").or(shape.strip_suffix(", 128, 0, (hipStream_t)stream"));
    let ctas = ctas.expect("launches of one shape");
    format!("{head}stand_in::launch({ctas}, 128, [&] {{ {kernel}({arguments}); }});{}", launch_as_call(rest))
}

/// More points than a workgroup has threads.
const POINTS: usize = 150;

#[test]
fn threads_that_take_points_from_a_queue_have_the_bits_of_the_integrator() {
    if !there("g++") {
        return;
    }
    let as_it_is = "";
    for (target, state, factors, before) in [
        ("hopper", StateVariables::MassFractions, Factors::Double, as_it_is),
        ("hopper", StateVariables::MassFractions, Factors::Single, as_it_is),
        ("hopper", StateVariables::MassFractions, Factors::Single, "#define SINGE_LOOPS\n"),
        ("mi300x", StateVariables::Density, Factors::Double, as_it_is),
    ] {
        let target = Target::by_name(target).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let project = Project { factors, ..written("h2o2", METHODS[0], state, folder.path()) };
        let mut points = with_sources(&points(&project, POINTS));
        points[2] = drained(&project);
        if factors == Factors::Single {
            points[1] = beyond_floats(&project, points[1].clone());
        }
        let options = Options { most_steps: 60, ..Options::default() };
        for by_step in [false, true].map(ByStep) {
            stood_in((&project, folder.path(), Main::Host(by_step)), target, state, |text| before.to_owned() + &text);
            are_those_of_the_integrator(&project, ("h2o2", METHODS[0], folder.path()), &points, &target.name, &options);
        }
    }
}

/// A point whose derivatives no float holds, over a time that makes them small: it is advanced as others are.
fn beyond_floats(project: &Project, point: Point) -> Point {
    let point = Point { fixed: 1e30, time: 1e-60, ..point };
    let system = Interpreted { project, point: &point };
    assert!(system.jacobian(&start(&point)).iter().any(|entry| entry.abs() > f64::from(f32::MAX)));
    assert_eq!(advance(&system, &METHODS[0], &start(&point), point.time, &Options::default()).status, Status::Done);
    point
}

/// Faults that break the program: a pivot, the tableau, a thread that leaves its point too early for the next one of
/// the queue. The last is an order that has some points twice and others never.
#[test]
fn broken_programs_have_other_bits() {
    if !there("g++") {
        return;
    }
    let state = StateVariables::MassFractions;
    let folder = tempfile::tempdir().unwrap();
    let mut project = written("h2o2", METHODS[0], state, folder.path());
    let points = points(&project, POINTS);
    let options = Options { most_steps: 60, ..Options::default() };
    let pivot = "put(b.inverse_pivot, 3, 1.0";
    let faults = [
        ("a pivot", Factors::Double, format!("{pivot} /"), format!("{pivot}000001 /")),
        ("a pivot in floats", Factors::Single, format!("{pivot}f /"), format!("{pivot}00001f /")),
        ("the tableau", Factors::Double, "gamma_ = 0.".to_owned(), "gamma_ = 1e-6 + 0.".to_owned()),
        (
            "the queue",
            Factors::Double,
            "if (lane.time >= lane.end) status = done;".to_owned(),
            "if (lane.time >= 0.5 * lane.end) status = done;".to_owned(),
        ),
        ("the order", Factors::Double, "begin += count;".to_owned(), "begin += count / 2;".to_owned()),
    ];
    let target = Target::by_name("hopper").unwrap();
    for (what, factors, right, wrong) in faults {
        project.factors = factors;
        stood_in((&project, folder.path(), Main::Host(ByStep(true))), target, state, |text| {
            let broken = text.replacen(&right, &wrong, 1);
            assert_ne!(text, broken, "{what}");
            broken
        });
        let found = std::panic::catch_unwind(|| {
            are_those_of_the_integrator(&project, ("h2o2", METHODS[0], folder.path()), &points, what, &options);
        });
        assert!(found.is_err(), "{what} is broken, and nothing differs");
    }
}

/// The project's own driver: reactors beside reference values, and many beside few. It tells what is wrong.
#[test]
fn the_driver_compares_reactors_with_the_reference() {
    if !there("g++") {
        return;
    }
    for (name, state) in [("mi300x", StateVariables::MassFractions), ("hopper", StateVariables::Energy)] {
        let target = Target::by_name(name).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", METHODS[0], state, folder.path());
        let driven = |change: &dyn Fn(String) -> String| {
            stood_in((&project, folder.path(), Main::Driver), target, state, change);
            let output = Command::new(folder.path().join("host")).args(["300", "1"]).output().unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (code, said) = driven(&|text| text);
        println!("{name}: {said}");
        assert!(code == Some(0) && said.contains("300 points"), "{name}: {said}");
        let (code, said) =
            driven(&|text| text.replacen("lane.time >= lane.end) status", "lane.time >= 0.5 * lane.end) status", 1));
        assert!(code == Some(3) && said.contains("WRONG"), "{name}: {said}");
    }
}

/// The program of the guide.
pub fn example() -> String {
    let page = read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/reactors.md")).unwrap();
    let (_, rest) = page.split_once("```cuda,file=advance.cu\n").expect("the example");
    rest.split_once("```\n").unwrap().0.to_owned()
}

#[test]
fn the_example_of_the_guide_advances_its_points() {
    if !there("g++") {
        return;
    }
    let state = StateVariables::MassFractions;
    let folder = tempfile::tempdir().unwrap();
    let project = written("h2o2", METHODS[0], state, folder.path());
    stood_in((&project, folder.path(), Main::Example), Target::by_name("hopper").unwrap(), state, |text| text);
    let output = run(&mut Command::new(folder.path().join("host")));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{said}");
    assert!(said.starts_with("done: 1000 of 1000;"), "{said}");
}
