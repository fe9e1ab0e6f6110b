//! The programs for GPUs on the host.

use super::*;
use std::collections::BTreeMap;
use std::fs::{read_to_string, write};
use testkit::standing_in::{KERNEL, launch_as_call, runtime};

/// Program that the reactors are linked to: one as [`compiled`] makes it, the project's own driver, or the example of the guide.
#[derive(Clone, Copy, PartialEq)]
pub enum Main {
    Host,
    Driver,
    Example,
}

/// The text for a target, which some change, built with the stand-in.
pub fn stood_in(
    project: &Project,
    folder: &Path,
    main: Main,
    target: &'static Target,
    state: StateVariables,
    change: impl Fn(String) -> String,
) {
    let request = request_for(target, "h2o2", project.method, state, folder).with(|r| {
        r.common.precision.factors = project.factors;
        r.steps = project.steps;
        r.emit.push(Emit::Device);
    });
    generate(&request);
    let extension = if target.is_amd() { "hip" } else { "cu" };
    let (header, runtime) = runtime(target);
    let standing_in = format!("standing_in/{header}");
    std::fs::create_dir_all(folder.join(&standing_in).parent().unwrap()).unwrap();
    write(folder.join(&standing_in), runtime).unwrap();
    let read = |file: &str| read_to_string(folder.join(format!("h2o2_{file}.{extension}"))).unwrap();
    let kernels = request.common.reactor_kernels().map(|kernel| kernel.name().replace('-', "_"));
    let kernels: String = kernels.iter().map(|kernel| KERNEL.replace("NAME", kernel)).collect();
    write(folder.join("on_host_context.cpp"), read("context") + &kernels).unwrap();
    write(folder.join("on_host_reactor.cpp"), launch_as_call(&change(read("reactor")))).unwrap();
    let host = host_for("h2o2", project.model.species().len());
    let main = match main {
        Main::Host if project.method.explicit.is_some() => explicitly::with_stiffness(host),
        Main::Host => host,
        Main::Driver => read("reactor_driver"),
        Main::Example => example(),
    };
    write(folder.join("host.cpp"), main).unwrap();
    let strict = ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"];
    let allowed = ["-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-dangling-pointer"];
    // Compilers for GPUs include it before the text.
    let header = ["-include", &standing_in, "-isystem", "standing_in", "-I."];
    // GPUs have fused multiply-adds.
    let instructions: &[&str] = if cfg!(target_arch = "x86_64") { &["-mfma"] } else { &[] };
    // The device's half uses builtins of Clang, which GCC has, too.
    let half: &[&str] = if target.is_amd() { &["-D__HIP_DEVICE_COMPILE__"] } else { &[] };
    let flags = [&strict[..], &allowed, &header, instructions, half].concat();
    build(&flags, &["host.cpp", "on_host_context.cpp", "on_host_reactor.cpp"].map(str::to_owned), folder);
}

/// More points than a workgroup has threads.
pub const POINTS: usize = 300;

/// As many slots as a workgroup has threads: points follow others.
pub fn in_few_slots(text: &str) -> String {
    let (before, rest) = text.split_once("most_slots = ").unwrap();
    let (_, after) = rest.split_once(',').unwrap();
    format!("{before}most_slots = threads,{after}")
}

#[test]
fn the_pipeline_has_the_bits_of_the_integrator() {
    if !there("g++") {
        return;
    }
    let as_it_is = "";
    // Neither the target nor the way to take steps tells what comes out.
    let mut all_expected: BTreeMap<String, Vec<Outcome>> = BTreeMap::new();
    let (fused, apart) = (ReactorSteps::Fused, ReactorSteps::Pipeline);
    // In few slots points follow others. Once for each way to take steps there are as many as usual.
    let (in_few, in_both): (&[bool], &[bool]) = (&[true], &[false, true]);
    for (target, state, factors, steps, before, slots) in [
        ("hopper", StateVariables::MassFractions, Factors::Double, apart, as_it_is, in_both),
        ("hopper", StateVariables::MassFractions, Factors::Single, apart, as_it_is, in_few),
        ("hopper", StateVariables::MassFractions, Factors::Single, apart, "#define SINGE_LOOPS\n", in_few),
        ("mi300x", StateVariables::Density, Factors::Double, apart, as_it_is, in_few),
        ("hopper", StateVariables::MassFractions, Factors::Single, fused, as_it_is, in_both),
        ("hopper", StateVariables::Density, Factors::Double, fused, "#define SINGE_LOOPS\n", in_few),
    ] {
        let target = Target::by_name(target).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let project = Project { factors, steps, ..written("h2o2", METHODS[0], state, folder.path()) };
        let mut points = with_sources(&points(&project, POINTS));
        points[2] = drained(&project);
        if factors == Factors::Single {
            points[1] = beyond_floats(&project, points[1].clone());
        }
        let options = Options { most_steps: 60, ..Options::default() };
        let expected = all_expected
            .entry(format!("{state:?} {factors:?}"))
            .or_insert_with(|| outcomes(&project, METHODS[0], &points, &options));
        for &has_few_slots in slots {
            stood_in(&project, folder.path(), Main::Host, target, state, |text| {
                before.to_owned() + &if has_few_slots { in_few_slots(&text) } else { text }
            });
            are_those_of_the_integrator(&project, "h2o2", folder.path(), (&points, expected), &target.name, &options);
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

/// Faults that break the program: a pivot, the tableau, a sum of stages, the line below zero, a point that is done too early, one that is lost where points move together, and one that moves to
/// a place that another one has.
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
    let pivot = "d3 = 1.0";
    let (fused, apart) = (ReactorSteps::Fused, ReactorSteps::Pipeline);
    let (done, early) =
        ("if (lane.time >= lane.end) status = done;", "if (lane.time >= 0.5 * lane.end) status = done;");
    let (moving, half) = ("moving = held - before - is_held", "moving = (held - before - is_held) / 2 * 2");
    let (place, other) = ("parts.to[slot - before] = slot", "parts.to[slot - before] = slot / 2 * 2");
    let (sums, more) = ("b.sums[k] = fma(c[i][j], ", "b.sums[k] = fma(1.000001 * c[i][j], ");
    let (late, later) = ("fma(c[folding + i][j], ", "fma(1.000001 * c[folding + i][j], ");
    let (entry, lost) = ("if (begin + n < last) put", "if (begin + n + 1 < last) put");
    let pivots = [format!("{pivot} /"), format!("{pivot}000001 /"), format!("{pivot}f /"), format!("{pivot}00001f /")];
    let faults = [
        ("a pivot", apart, Factors::Double, &*pivots[0], &*pivots[1]),
        ("a pivot in floats", apart, Factors::Single, &*pivots[2], &*pivots[3]),
        ("the tableau", apart, Factors::Double, "gamma_ = 0.", "gamma_ = 1e-6 + 0."),
        ("the end", apart, Factors::Double, done, early),
        ("a lost point", apart, Factors::Double, moving, half),
        ("a place", apart, Factors::Double, place, other),
        ("sums of late stages", apart, Factors::Double, late, later),
        ("what is below zero", apart, Factors::Double, entry, lost),
        ("a fused stage", fused, Factors::Single, sums, more),
    ];
    let target = Target::by_name("hopper").unwrap();
    // What is not broken is right, so that no fault is found in what another one left.
    stood_in(&project, folder.path(), Main::Host, target, state, |text| in_few_slots(&text));
    let double = outcomes(&project, METHODS[0], &points, &options);
    are_those_of_the_integrator(&project, "h2o2", folder.path(), (&points, &double), "as it is", &options);
    project.factors = Factors::Single;
    let single = outcomes(&project, METHODS[0], &points, &options);
    for (what, steps, factors, right, wrong) in faults {
        (project.steps, project.factors) = (steps, factors);
        stood_in(&project, folder.path(), Main::Host, target, state, |text| {
            let broken = text.replacen(right, wrong, 1);
            assert_ne!(text, broken, "{what}");
            in_few_slots(&broken)
        });
        let found = std::panic::catch_unwind(|| {
            let expected = if factors == Factors::Single { &single } else { &double };
            are_those_of_the_integrator(&project, "h2o2", folder.path(), (&points, expected), what, &options);
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
            stood_in(&project, folder.path(), Main::Driver, target, state, change);
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
    stood_in(&project, folder.path(), Main::Example, Target::by_name("hopper").unwrap(), state, |text| text);
    let output = run(&mut Command::new(folder.path().join("host")));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{said}");
    assert!(said.starts_with("done: 1000 of 1000;"), "{said}");
}
