//! Random states of GRI-Mech: `-- --random` advances them by the pipeline of a GPU on the host's stand-in, beside the reactors of a CPU, and with `--write` makes
//! the section of the page. Needs a compiler of C++ alone.

use std::fmt::Write as _;
use std::fs::{read_dir, read_to_string, write};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernels::{Factors, StateVariables};
use kinetics::Model;
use kinetics::integrator::RODAS5P;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::plan::{Emit, ReactorSteps};
use testkit::standing_in::{KERNEL, launch_as_call, runtime};

const HOST: &str = include_str!("random.cpp");

pub const HEADING: &str = "\n## Random states\n";

const STATES: usize = 1000;

/// In s.
const TIMES: [&str; 3] = ["1e-7", "1e-6", "1e-5"];

/// The section of the page; `None` without a compiler.
pub fn section() -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder for the projects");
    let model = testkit::model(&testkit::shipped("gri30"));
    let program = program(folder.path())?;
    let mut text = format!(
        "\ngri30, {STATES} states: random mixtures at 200 to 4000 K and 0.01 to 100 atm, as verification takes them. The text for Hopper, compiled by g++ for the \
         stand-in, beside that for a\nCPU. *Failed*: points that do not end, and those of them that the CPU does not fail. *Other bits*: points whose end or \
         steps are not the CPU's. *Error*: the\nmedian over points of the root mean square over species of (Y - Y*) / (|Y*| + 1e-9), Y* by the CPU at 1e-10. \
         `cargo bench --bench reactor_gpu -- --random` makes\nthis section.\n\n\
         | time | tolerance | | steps (rejected) | over the CPU's | failed | other bits | error | over the CPU's |\n|---:|---:|---|---:|---:|---:|---:|---:|---:|\n"
    );
    for line in advanced(&program, &model).lines() {
        let (time, rest) = line.split_once(' ').expect("a time");
        let numbers: Vec<f64> = rest.split(' ').map(|word| word.parse().expect("a number")).collect();
        let (tolerance, rows) = numbers.split_first().expect("a tolerance");
        let (steps, error) = (rows[0], rows[5]);
        for (name, row) in ["CPU", "GPU", "GPU, factors in floats"].iter().zip(rows.chunks(6)) {
            let _ = writeln!(
                text,
                "| {time} s | {tolerance:e} | {name} | {:.2} ({:.2}) | {:.3} | {} ({}) | {} | {:.2e} | {:.3} |",
                row[0],
                row[1],
                row[0] / steps,
                row[2],
                row[3],
                row[4],
                row[5],
                row[5] / error,
            );
        }
    }
    Some(text)
}

/// What the program prints of all states.
fn advanced(program: &Path, model: &Model) -> String {
    let states = kinetics::verification_states(model, STATES);
    let mut input = format!("{STATES}\n");
    let mut column = |of: &dyn Fn(&kinetics::State) -> f64| {
        states.iter().for_each(|state| _ = writeln!(input, "{}", of(state)));
    };
    column(&|state| state.temperature);
    column(&|state| state.pressure);
    for (k, species) in model.species().iter().enumerate() {
        column(&|state| {
            let mass: f64 = state.mole_fractions.iter().zip(model.species()).map(|(x, s)| x * s.weight).sum();
            state.mole_fractions[k] * species.weight / mass
        });
    }
    let mut command = Command::new(program);
    let mut child = command.args(TIMES).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("it reads").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "the program failed");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The reactors of a CPU, and those of a GPU twice, in one program.
fn program(folder: &Path) -> Option<PathBuf> {
    let (cpu, gpu) = (Target::cpu(), Target::by_name("hopper").expect("a target"));
    let (header, text) = runtime(gpu);
    write(folder.join(header), text).expect("a file");
    let compiler = |sources: &[PathBuf], flags: &[&str]| {
        let mut compiler = Command::new("g++");
        compiler.current_dir(folder).args(["-std=c++17", "-O1", "-w", "-I."]).args(flags).args(sources);
        let output = compiler.output().ok()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(())
    };
    written("cpu", cpu, Factors::Double, folder);
    let is_part = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(".cpp") && !name.ends_with("_driver.cpp")
    };
    let sources: Vec<PathBuf> = read_dir(folder).ok()?.flatten().map(|entry| entry.path()).filter(is_part).collect();
    compiler(&sources, &["-c", "-march=native"])?;
    for (name, factors) in [("doubles", Factors::Double), ("singles", Factors::Single)] {
        written(name, gpu, factors, folder);
        let read = |file: &str| read_to_string(folder.join(format!("{name}_{file}.cu"))).expect("a file");
        let kernels = ["isobaric", "isobaric_sparse_jacobian"].map(|kernel| KERNEL.replace("NAME", kernel));
        let kernels = kernels.concat().replace("h2o2", name);
        let texts = [("context", read("context") + &kernels), ("reactor", launch_as_call(&read("reactor")))];
        let sources = texts.map(|(file, text)| {
            let path = folder.join(format!("{name}_{file}_on_host.cpp"));
            write(&path, text).expect("a file");
            path
        });
        // GPUs have fused multiply-adds.
        compiler(&sources, &["-c", "-ffp-contract=off", "-mfma", "-include", header])?;
    }
    write(folder.join("host.cpp"), HOST).expect("a file");
    let objects = read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let objects = objects.filter(|path| path.extension().is_some_and(|extension| extension == "o"));
    let all: Vec<PathBuf> = objects.chain([PathBuf::from("host.cpp")]).collect();
    compiler(&all, &["-o", "host"])?;
    Some(folder.join("host"))
}

fn written(name: &str, target: &'static Target, factors: Factors, folder: &Path) {
    let files = mechanism::Files { mechanism: testkit::shipped("gri30"), ..Default::default() };
    let request = Request {
        files,
        name: Some(name.to_owned()),
        verify: None,
        emit: if target.is_cpu() { vec![Emit::Host] } else { vec![Emit::Host, Emit::Device] },
        output: Some(folder.to_owned()),
        reactor_method: Some(RODAS5P),
        steps: ReactorSteps::Pipeline,
        codegen: Codegen::DataParallel,
        ..Request::default()
    };
    let request = request.with(|r| {
        r.common.target = target;
        r.common.precision.factors = factors;
        r.common.state = StateVariables::MassFractions;
        r.kernels = r.common.reactor_kernels().to_vec();
    });
    driver::compile(&request.for_target().expect("a request"), &mut Observer::silent())
        .map_err(|f| f.diagnostics)
        .expect("it compiles");
}
