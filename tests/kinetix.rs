//! KinetiX' functions as nekRS calls them; the reference evaluator says what they must give.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kinetics::constants::GAS_CONSTANT;
use kinetics::thermo::{cp_r, h_rt};
use kinetics::{Model, State};
use testkit::project::{cuda13, there};
use testkit::reference::own;
use testkit::{on_devices, shipped};

/// Errors of transport that the default forms may have.
const FIT: f64 = 1e-4;

/// Flags and macros of the host for a CPU.
const HOST: [&str; 10] = [
    "-std=c++17", "-O3", "-march=native", "-ffast-math", "-D__KINETIX_DEVICE__=", "-D__KINETIX_CONST__=const",
    "-D__KINETIX_INLINE__=static inline", "-Dcfloat=double", "-Wall", "-Werror",
];

/// (value, what its error is relative to) of a name in the host's units, by the mechanism's species, and how large the error may be.
fn expected(model: &Model, state: &State, name: &str) -> (Vec<(f64, f64)>, f64) {
    let species = model.species();
    let exact = |values: Vec<f64>| values.into_iter().map(|value| (value, value.abs())).collect::<Vec<_>>();
    let t = state.temperature;
    match name {
        "weights" => (exact(species.iter().map(|s| s.weight * 1e-3).collect()), 1e-15),
        "rates" => {
            let made = kinetics::production(model, state);
            (made.net.iter().zip(&made.gross).map(|(net, gross)| (net * 1e3, gross * 1e3)).collect(), 1e-10)
        }
        "enthalpies" => {
            let values = species.iter().map(|s| h_rt(&s.thermo, t));
            (values.map(|value| (value, value.abs().max(1.0))).collect(), 1e-12)
        }
        "capacities" => (exact(species.iter().map(|s| cp_r(&s.thermo, t)).collect()), 1e-12),
        "conductivity" => (exact(vec![kinetics::conductivity(model, state)]), FIT),
        "viscosity" => (exact(vec![kinetics::viscosity(model, state)]), FIT),
        "diffusivities" => (exact(kinetics::diffusion(model, state, 0.0)), FIT),
        "ones" => (exact(vec![1.0; species.len()]), 1e-15),
        _ => panic!("the caller says {name}"),
    }
}

/// The files that the host has compilers include.
fn included() -> impl Iterator<Item = &'static str> {
    let files = ["mech.h", "rates.cpp", "enthalpy_RT.cpp", "heat_capacity_R.cpp", "conductivity.cpp", "viscosity.cpp"];
    files.into_iter().chain(["diffusivity.cpp"]).flat_map(|file| ["-include", file])
}

fn written(mechanism: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut singe = assert_cmd::Command::cargo_bin("singe").unwrap();
    singe.arg(mechanism).args(["--target", "cpu", "--emit", "kinetix", "--verify", "off", "-o"]).arg(folder.path());
    let said = String::from_utf8(singe.assert().success().get_output().stdout.clone()).unwrap();
    assert!(said.contains("over those in its cache"), "{said}");
    folder
}

fn model(mechanism: &Path) -> Model {
    let files = mechanism::Files { mechanism: mechanism.to_owned(), ..Default::default() };
    kinetics::model(mechanism::read(&files).unwrap().0).unwrap()
}

/// Species as the host has them: `inert` ones come last.
fn host_order(model: &Model, inert: &[&str]) -> Vec<usize> {
    let all = || 0..model.species().len();
    let is_inert = |&k: &usize| inert.contains(&model.species()[k].name.as_str());
    all().filter(|k| !is_inert(k)).chain(all().filter(is_inert)).collect()
}

/// Writes and builds the files of a mechanism with the caller, and compares what it prints.
fn called(mechanism: &Path, inert: &[&str]) {
    if !there("g++") {
        return;
    }
    let folder = written(mechanism);
    let caller = in_tests("kinetix/caller.cpp");
    let mut compile = Command::new("g++");
    compile.current_dir(folder.path()).args(HOST).args(included()).args(["-I.", "-o", "caller"]).arg(caller);
    testkit::project::run(&mut compile);

    let model = model(mechanism);
    let order = host_order(&model, inert);
    let state = testkit::uneven_state(&model);
    let mut given = format!("{:e} {:e}", state.temperature, state.pressure);
    order.iter().for_each(|&k| write!(given, " {:e}", state.mole_fractions[k]).unwrap());
    std::fs::write(folder.path().join("state"), given).unwrap();
    let input = std::fs::File::open(folder.path().join("state")).unwrap();
    let ran = Command::new(folder.path().join("caller")).stdin(Stdio::from(input)).output().unwrap();
    assert_eq!(ran.status.code(), Some((order.len() - inert.len()) as i32), "species that react");
    let said = String::from_utf8(ran.stdout).unwrap();
    for line in said.lines() {
        let (name, values) = line.split_once(' ').unwrap();
        if name == "names" {
            let names: Vec<&str> = order.iter().map(|&k| model.species()[k].name.as_str()).collect();
            assert_eq!(values, names.join(" "));
            continue;
        }
        let found: Vec<f64> = values.split(' ').map(|word| word.parse().unwrap()).collect();
        let (values, tolerance) = expected(&model, &state, name);
        assert_eq!(found.len(), values.len(), "{name}");
        for (i, found) in found.iter().enumerate() {
            let (value, scale) = values[if values.len() == 1 { 0 } else { order[i] }];
            assert!((found - value).abs() <= tolerance * scale, "{name} {i}: {found:e}, {value:e}");
        }
    }
    assert_eq!(said.lines().count(), 10, "{said}");
}

/// Argon and nitrogen do not react.
#[test]
fn functions_of_h2o2_give_what_the_reference_says() {
    called(&shipped("h2o2"), &["AR", "N2"]);
}

/// In the mechanism argon stands before species that react; the host has it last.
#[test]
fn functions_of_gri30_give_what_the_reference_says() {
    called(&shipped("gri30"), &["AR"]);
}

#[test]
fn functions_of_every_form_of_a_rate_give_what_the_reference_says() {
    called(&own("forms").mechanism, &["N2", "AR"]);
}

/// Macros of the host for CUDA, which HIP takes as well.
const MACROS: [&str; 4] = [
    "-D__KINETIX_DEVICE__=__device__",
    "-D__KINETIX_CONST__=__constant__",
    "-D__KINETIX_INLINE__=__forceinline__ static",
    "-Dcfloat=double",
];

fn in_tests(place: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(place)
}

/// Compares results of each call of `on_gpu.cu` with what `expected` has by the same name, on two states of h2o2. `called` runs a kernel on
/// temperatures and rows of species and returns so many rows.
fn compare(called: impl Fn(&str, [&[f64]; 2], usize) -> Vec<f64>) {
    let model = model(&shipped("h2o2"));
    let order = host_order(&model, &["AR", "N2"]);
    let states =
        [800.0, 2200.0].map(|temperature| State { temperature, pressure: 1e5, ..testkit::uneven_state(&model) });
    let temperatures = states.each_ref().map(|state| state.temperature);
    for (name, rows) in [
        ("rates", order.len()),
        ("enthalpies", order.len()),
        ("capacities", order.len()),
        ("conductivity", 1),
        ("viscosity", 1),
        ("diffusivities", order.len()),
    ] {
        // Rates take concentrations in mol/m3, transport mole fractions.
        let scale = |state: &State| match name {
            "rates" => 1e3 * state.pressure / (GAS_CONSTANT * state.temperature),
            _ => 1.0,
        };
        let by_row = |k: usize| states.iter().map(move |state| state.mole_fractions[k] * scale(state));
        let of_species: Vec<f64> = order.iter().flat_map(|&k| by_row(k)).collect();
        let found = called(&format!("call_{name}"), [&temperatures, &of_species], rows);
        for (i, state) in states.iter().enumerate() {
            let (values, tolerance) = expected(&model, state, name);
            // These are over the root of the temperature.
            let factor = if rows == 1 { state.temperature.sqrt() } else { 1.0 };
            for row in 0..rows {
                let (value, scale) = values[if rows == 1 { 0 } else { order[row] }];
                let found = found[row * states.len() + i] * factor;
                assert!((found - value).abs() <= tolerance * scale, "{name} {i} {row}: {found:e}, {value:e}");
            }
        }
    }
}

/// By the PTX of nvcc, with the host's flags, in the simulator.
#[test]
fn functions_on_a_gpu_of_nvidia_give_what_the_reference_says() {
    let Some(cuda) = cuda13() else { return };
    let folder = written(&shipped("h2o2"));
    let nvcc = |options: &[&str]| {
        let mut compile = Command::new(cuda.join("bin/nvcc"));
        compile.current_dir(folder.path()).args(["-std=c++17", "-O3", "--expt-relaxed-constexpr", "-I."]);
        compile.args(MACROS).args(included()).args(options);
        testkit::project::run(compile.arg(in_tests("kinetix/on_gpu.cu")));
    };
    nvcc(&["-arch=sm_90", "-Werror", "all-warnings", "--cubin", "-o", "functions.cubin"]);
    nvcc(&["-arch=sm_80", "-Werror", "all-warnings", "-ptx", "-o", "functions.ptx"]);
    let ptx = std::fs::read_to_string(folder.path().join("functions.ptx")).unwrap();
    compare(|kernel, inputs, rows| on_devices::by_ptx(&ptx, kernel, inputs, rows));
}

/// By Clang's machine code for gfx90a in the simulator, with stand-ins for HIP's names and functions.
#[test]
fn functions_on_a_gpu_of_amd_give_what_the_reference_says() {
    if !there("clang++") {
        return;
    }
    let folder = written(&shipped("h2o2"));
    let mut compile = Command::new("clang++");
    let target = ["-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-S"];
    let options = ["-std=c++17", "-O3", "-ffp-contract=off", "-o", "functions.s", "-I."];
    compile.current_dir(folder.path()).args(target).args(options).args(MACROS);
    for stand_in in ["amd/hip/device.h", "kinetix/on_amd.h"] {
        compile.arg("-include").arg(in_tests(stand_in));
    }
    testkit::project::run(compile.args(included()).arg(in_tests("kinetix/on_gpu.cu")));
    let listing = std::fs::read_to_string(folder.path().join("functions.s")).unwrap();
    compare(|kernel, inputs, rows| on_devices::by_listing(&listing, kernel, inputs, rows));
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    for arguments in [
        &["--emit", "kinetix", "--units", "cgs"][..],
        &["--emit", "kinetix", "--state", "TC"],
        &["--emit", "kinetix", "--outputs", "mass-production-rates"],
        &["--emit", "kinetix,chemkin"],
        &["--emit", "pelephysics,kinetix"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut singe = assert_cmd::Command::cargo_bin("singe").unwrap();
        singe.arg(shipped("h2o2")).args(["--target", "cpu", "-o"]).arg(folder.path().join("out")).args(arguments);
        let output = singe.assert().failure().get_output().clone();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("emit::no-kinetix"), "{arguments:?}: {message}");
        assert!(!folder.path().join("out").exists(), "{arguments:?}");
    }
}
