//! PelePhysics' functions as its solvers call them; the reference evaluator says what they must give.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use kinetics::{Model, State, Stiffness, Surroundings};
use testkit::project::{cuda13, run, there};
use testkit::{on_devices, shipped};

/// (value, what its error is relative to) of a name in the library's units, and how large the error may be.
fn expected(model: &Model, state: &State, name: &str, column: usize) -> (Vec<(f64, f64)>, f64) {
    let species = model.species();
    let exact = |values: Vec<f64>| values.into_iter().map(|value| (value, value.abs())).collect();
    let properties = kinetics::properties::properties(model, state);
    // A reduced mechanism has none.
    let progress = || kinetics::progress::progress(model, state);
    let weight = properties.mean_molar_mass;
    let judged = |all: &[kinetics::properties::Judged], factor: f64| {
        all.iter().map(|judged| (judged.value * factor, judged.scale * factor)).collect::<Vec<_>>()
    };
    let production = |factor: f64| {
        let surroundings = Surroundings { transport_source: Vec::new(), time_step: 0.0 };
        let made = match model.mechanism.reduction {
            None => kinetics::production(model, state),
            Some(_) => kinetics::reduced(model, state, &surroundings, Stiffness::Off).production,
        };
        made.net.iter().zip(&made.gross).map(|(net, gross)| (net * factor, gross * factor)).collect::<Vec<_>>()
    };
    let pure = |k: usize| {
        let mole_fractions = (0..species.len()).map(|other| if other == k { 1.0 } else { 0.0 }).collect();
        State { mole_fractions, ..state.clone() }
    };
    // 1 kmol/m3 is 1e-3 mol/cm3 and 1e3 mol/m3, 1 J/kg is 1e4 erg/g.
    match name {
        "density" => (exact(vec![properties.density * 1e-3]), 1e-13),
        "pressure" => (exact(vec![state.pressure * 10.0]), 1e-13),
        "mean" => (exact(vec![weight]), 1e-13),
        "cp" => (judged(&[properties.mixture.cp.per(weight)], 1e4), 1e-10),
        "u" => (judged(&[properties.mixture.u.per(weight)], 1e4), 1e-10),
        "h" => (judged(&[properties.mixture.h.per(weight)], 1e4), 1e-10),
        "s" => (judged(&properties.species.iter().map(|(of, _)| of.s).collect::<Vec<_>>(), 1e4), 1e-10),
        "temperature" => (exact(vec![state.temperature]), 1e-10),
        "production" => (production(1e-3), 1e-10),
        "production-si" => (production(1e3), 1e-10),
        "forward" => (judged(&progress().forward, 1e-3), 1e-10),
        "forward-si" => (judged(&progress().forward, 1e3), 1e-10),
        "reverse" => (judged(&progress().reverse, 1e-3), 1e-10),
        "column" => {
            let jacobian = kinetics::jacobian::production(model, state);
            let rows = column * species.len()..(column + 1) * species.len();
            let unit = if column < species.len() { 1.0 } else { 1e3 };
            let entries = jacobian.values[rows.clone()].iter().zip(&jacobian.scale[rows]);
            (entries.map(|(value, scale)| (value * unit, scale * unit)).collect(), 1e-9)
        }
        "viscosities" => {
            (exact((0..species.len()).map(|k| kinetics::viscosity(model, &pure(k)) * 10.0).collect()), 1e-12)
        }
        "conductivities" => {
            (exact((0..species.len()).map(|k| kinetics::conductivity(model, &pure(k)) * 1e5).collect()), 1e-12)
        }
        // The coefficient of k in a mixture with one other is that of the pair times the other's weight over the mean.
        "pairs" => {
            let one_atmosphere = 101_325.0;
            let pair = |k: usize| {
                let other = (k + 3) % species.len();
                let mut mixture = pure(k);
                (mixture.mole_fractions[k], mixture.mole_fractions[other]) = (0.25, 0.75);
                mixture.pressure = one_atmosphere;
                let mean = 0.25 * species[k].weight + 0.75 * species[other].weight;
                kinetics::diffusion(model, &mixture, 0.0)[k] * mean / species[other].weight * 1e4
            };
            (exact((0..species.len()).map(pair).collect()), 1e-12)
        }
        "eps" => {
            let data = species.iter().map(|species| species.transport.as_ref().expect("it has transport").well_depth);
            (exact(data.collect()), 0.0)
        }
        _ => panic!("the caller says {name}"),
    }
}

/// The library of a mechanism.
fn written(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(shipped(name))
        .args(["--target", "cpu", "--units", "cgs", "--emit", "pelephysics"])
        .args(["--verify", "off", "--stiffness", "off", "-o"])
        .arg(folder.path())
        .assert()
        .success();
    folder
}

/// Writes and builds the library of a mechanism with the caller, and compares what it prints.
fn called(name: &str, is_reduced: bool) {
    if !there("g++") {
        return;
    }
    let folder = written(name);
    let amrex = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pelephysics");
    // Optimised, the text of GRI-Mech takes half a minute; what remarks need an optimiser for, the others show.
    let optimised = if name == "gri30" { "-O0" } else { "-O1" };
    let strict = ["-std=c++17", optimised, "-Wall", "-Wextra", "-Werror", "-I.", "-o", "caller", "mechanism.cpp", "-I"];
    let caller = amrex.join("caller.cpp");
    run(Command::new("g++")
        .current_dir(folder.path())
        .args(strict)
        .arg(&amrex)
        .arg(caller)
        .args(is_reduced.then_some("-DREDUCED")));

    let files = mechanism::Files { mechanism: shipped(name), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let state = testkit::uneven_state(&model);
    let mut given = format!("{:e} {:e}", state.pressure * 10.0, state.temperature);
    for fraction in &state.mole_fractions {
        write!(given, " {fraction:e}").unwrap();
    }
    std::fs::write(folder.path().join("state"), given).unwrap();
    let input = std::fs::File::open(folder.path().join("state")).unwrap();
    let ran = run(Command::new(folder.path().join("caller")).stdin(Stdio::from(input)));
    let said = String::from_utf8(ran.stdout).unwrap();
    let mut column = 0;
    for line in said.lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let found: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let (values, tolerance) = expected(&model, &state, name, column);
        column += usize::from(name == "column");
        assert_eq!(found.len(), values.len(), "{name}");
        for (i, (found, (value, scale))) in found.iter().zip(values).enumerate() {
            assert!((found - value).abs() <= tolerance * scale, "{name} {i}: {found:e}, {value:e}");
        }
    }
    assert_eq!(column, model.species().len() + 1, "columns of the Jacobian");
    let of_reactions = if is_reduced { 0 } else { 3 };
    assert_eq!(said.lines().count(), 20 + of_reactions + column, "{said}");
}

#[test]
fn functions_of_h2o2_give_what_the_reference_says() {
    called("h2o2", false);
}

#[test]
fn functions_of_gri30_give_what_the_reference_says() {
    called("gri30", false);
}

/// Quasi-steady species are no species of the solver, and there are no rates of reactions one by one.
#[test]
fn functions_of_a_reduced_mechanism_give_what_the_reference_says() {
    called("methane", true);
}

/// A call of `on_gpu.cu`: temperatures or energies, values of the species by row, and what `expected` names it.
struct Call {
    kernel: &'static str,
    scalars: Vec<f64>,
    of_species: Vec<f64>,
    name: &'static str,
    rows: usize,
}

/// The calls for some states. Concentrations of the host are in mol/m3 for `productionRate`, in mol/cm3 for `DWDOT`.
fn calls(model: &Model, states: &[State]) -> Vec<Call> {
    let species = model.species();
    let by_row = |value: &dyn Fn(&State, usize) -> f64| -> Vec<f64> {
        (0..species.len()).flat_map(|k| states.iter().map(move |state| value(state, k))).collect()
    };
    let temperatures: Vec<f64> = states.iter().map(|state| state.temperature).collect();
    let mean = |state: &State| kinetics::thermo::mean_weight(&model.mechanism, state);
    let fractions = by_row(&|state, k| state.mole_fractions[k] * species[k].weight / mean(state));
    let concentrations = by_row(&|state, k| {
        state.mole_fractions[k] * state.pressure / (kinetics::constants::GAS_CONSTANT * state.temperature)
    });
    let scaled = |factor: f64| concentrations.iter().map(|c| c * factor).collect();
    let energies = states.iter().map(|state| expected(model, state, "u", 0).0[0].0).collect();
    let (n, size) = (species.len(), species.len() + 1);
    let of = |kernel, of_species, name, rows| Call { kernel, scalars: temperatures.clone(), of_species, name, rows };
    vec![
        of("call_productionRate", scaled(1e3), "production-si", n),
        of("call_CKCPBS", fractions.clone(), "cp", 1),
        of("call_DWDOT", scaled(1e-3), "column", size * size),
        Call { scalars: energies, ..of("call_GET_T_GIVEN_EY", fractions, "temperature", 1) },
    ]
}

/// Compares what a device gives with the reference, on three states; `run` gives nothing of calls that are left out.
fn called_on(name: &str, run: &dyn Fn(&Call) -> Option<Vec<f64>>) {
    let files = mechanism::Files { mechanism: shipped(name), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let states: Vec<State> =
        [700.0, 1350.0, 2400.0].map(|t| State { temperature: t, ..testkit::uneven_state(&model) }).into();
    for call in calls(&model, &states) {
        let Some(found) = run(&call) else { continue };
        for (i, state) in states.iter().enumerate() {
            // A matrix has the row of the temperature besides, and its column by another unit than the reference's.
            let columns = if call.name == "column" { model.species().len() + 1 } else { 1 };
            for column in 0..columns {
                let unit = if columns > 1 && column == columns - 1 { 1e-6 } else { 1.0 };
                let (values, tolerance) = expected(&model, state, call.name, column);
                for (row, (value, scale)) in values.iter().enumerate() {
                    let found = found[(column * columns + row) * states.len() + i];
                    let error = (found - value * unit).abs();
                    assert!(
                        error <= tolerance * scale * unit,
                        "{} {i} {column} {row}: {found:e}, {value:e}",
                        call.kernel
                    );
                }
            }
        }
    }
}

#[test]
fn functions_compile_for_gpus() {
    let Some(cuda) = cuda13() else { return };
    let folder = written("h2o2");
    let amrex = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pelephysics");
    for architecture in ["sm_80", "sm_90"] {
        let options = ["-std=c++17", "-O3", "-Werror", "all-warnings", "--cubin", "-o", "functions.cubin", "-I.", "-I"];
        let mut compile = Command::new(cuda.join("bin/nvcc"));
        compile.current_dir(folder.path()).args(options).arg(&amrex).arg(format!("-arch={architecture}"));
        run(compile.arg(amrex.join("on_gpu.cu")));
    }
}

#[test]
fn functions_on_a_gpu_of_nvidia_give_what_the_reference_says() {
    let Some(cuda) = cuda13() else { return };
    let folder = written("h2o2");
    let amrex = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pelephysics");
    let options = ["-std=c++17", "-O3", "-arch=sm_80", "-ptx", "-o", "functions.ptx", "-I.", "-I"];
    let mut compile = Command::new(cuda.join("bin/nvcc"));
    run(compile.current_dir(folder.path()).args(options).arg(&amrex).arg(amrex.join("on_gpu.cu")));
    let ptx = std::fs::read_to_string(folder.path().join("functions.ptx")).unwrap();
    called_on("h2o2", &|call| {
        Some(on_devices::by_ptx(&ptx, call.kernel, [&call.scalars, &call.of_species], call.rows))
    });
}

#[test]
fn functions_on_a_gpu_of_amd_give_what_the_reference_says() {
    if !there("clang++") {
        return;
    }
    let folder = written("h2o2");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [amrex, device] = ["tests/pelephysics", "tests/amd/hip/device.h"].map(|place| root.join(place));
    let target = ["-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-S"];
    let options = ["-std=c++17", "-O3", "-ffp-contract=off", "-o", "functions.s", "-I.", "-I"];
    let mut compile = Command::new("clang++");
    compile.current_dir(folder.path()).args(target).args(options).arg(&amrex).arg("-include").arg(device);
    run(compile.arg(amrex.join("on_gpu.cu")));
    let listing = std::fs::read_to_string(folder.path().join("functions.s")).unwrap();
    called_on("h2o2", &|call| {
        // Clang merges a mask into undefined bits there, which the simulator refuses.
        let runs = call.name != "temperature";
        runs.then(|| on_devices::by_listing(&listing, call.kernel, [&call.scalars, &call.of_species], call.rows))
    });
}
