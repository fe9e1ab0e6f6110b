//! ReactorSinge as PelePhysics' programs call it, beside the plain equations of a cell whose sources change its density.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use kinetics::constants::GAS_CONSTANT;
use kinetics::reactor::{Constant, tendency};
use kinetics::thermo::{cp_r, h_rt};
use kinetics::{Model, State, production};
use machine::target::Target;
use testkit::project::{run, there};
use testkit::{shipped, standing_in};

/// A cell of the host in SI units: densities of the species, the temperature, and the sources of densities and energy.
#[derive(Clone)]
struct Cell {
    densities: Vec<f64>,
    temperature: f64,
    sources: Vec<f64>,
    heating: f64,
}

/// s
const TIME: f64 = 2e-7;

/// Relative to the density or the temperature. The reactor takes the density in the middle of the step, and sources change it by less than
/// 0.6 %: that of the beginning would be off by 2e-6 and more.
const WITH_SOURCES: f64 = 1.5e-6;
const WITHOUT: f64 = 1e-8;

/// 4 cells, of which the first two have no sources.
fn cells(model: &Model) -> Vec<Cell> {
    let species = model.species();
    let cell = |i: usize| {
        let temperature = 1150.0 + 150.0 * i as f64;
        let moles: Vec<f64> = (0..species.len()).map(|k| 1.0 + ((k + i) * (k + 2) % 5) as f64).collect();
        let total = 1e5 / (GAS_CONSTANT * temperature) / moles.iter().sum::<f64>();
        let densities: Vec<f64> = moles.iter().zip(species).map(|(n, s)| n * total * s.weight).collect();
        let flows = if i < 2 { 0.0 } else { 5e4 };
        let sources = densities.iter().enumerate().map(|(k, rho)| flows * rho * (0.4 - (k % 3) as f64 * 0.5)).collect();
        Cell { densities, temperature, sources, heating: flows * 1e5 }
    };
    (0..4).map(cell).collect()
}

/// Specific heat content of each species in J/kg, and its slope.
fn energies(model: &Model, temperature: f64, constant: Constant) -> Vec<[f64; 2]> {
    let work = if constant == Constant::Volume { 1.0 } else { 0.0 };
    let of = |s: &mechanism::Species| {
        let by_weight = GAS_CONSTANT / s.weight;
        [
            by_weight * temperature * (h_rt(&s.thermo, temperature) - work),
            by_weight * (cp_r(&s.thermo, temperature) - work),
        ]
    };
    model.species().iter().map(of).collect()
}

/// What a cell has by volume, in J/m3.
fn energy(model: &Model, cell: &Cell, constant: Constant) -> f64 {
    let of = energies(model, cell.temperature, constant);
    cell.densities.iter().zip(of).map(|(rho, [e, _])| rho * e).sum()
}

fn state(model: &Model, densities: &[f64], temperature: f64, pressure: Option<f64>) -> State {
    let moles: Vec<f64> = densities.iter().zip(model.species()).map(|(rho, s)| rho.max(0.0) / s.weight).collect();
    let sum: f64 = moles.iter().sum();
    let pressure = pressure.unwrap_or(sum * GAS_CONSTANT * temperature);
    State { temperature, pressure, mole_fractions: moles.iter().map(|n| n / sum).collect() }
}

/// Rates of the densities, then of the temperature.
fn rates(model: &Model, cell: &Cell, y: &[f64], pressure: Option<f64>, constant: Constant) -> Vec<f64> {
    let (temperature, densities) = y.split_last().unwrap();
    let rho: f64 = densities.iter().sum();
    let state = state(model, densities, *temperature, pressure);
    let by_chemistry = tendency(model, &state, &production(model, &state), constant);
    let of = energies(model, *temperature, constant);
    let capacity: f64 = densities.iter().zip(&of).map(|(rho, [_, c])| rho * c).sum();
    let carried: f64 = cell.sources.iter().zip(&of).map(|(source, [e, _])| source * e).sum();
    let warming = by_chemistry.temperature + (cell.heating - carried) / capacity;
    let densities = by_chemistry.mass_fractions.iter().zip(&cell.sources).map(|(f, source)| rho * f + source);
    densities.chain([warming]).collect()
}

/// The densities and the temperature at the end, by short steps of the classical method of order 4.
fn end(model: &Model, cell: &Cell, constant: Constant) -> Vec<f64> {
    let pressure = state(model, &cell.densities, cell.temperature, None).pressure;
    let fixed = (constant == Constant::Pressure).then_some(pressure);
    let steps = 4000;
    let h = TIME / f64::from(steps);
    let mut y = [&cell.densities[..], &[cell.temperature]].concat();
    for _ in 0..steps {
        let along = |k: &[f64], h: f64| y.iter().zip(k).map(|(y, k)| y + h * k).collect::<Vec<f64>>();
        let rates = |y: &[f64]| rates(model, cell, y, fixed, constant);
        let first = rates(&y);
        let second = rates(&along(&first, 0.5 * h));
        let third = rates(&along(&second, 0.5 * h));
        let fourth = rates(&along(&third, h));
        let sum = |i: usize| first[i] + 2.0 * (second[i] + third[i]) + fourth[i];
        y = y.iter().enumerate().map(|(i, y)| y + h / 6.0 * sum(i)).collect();
    }
    y
}

fn written(folder: &Path, arguments: &[&str]) {
    assert_cmd::Command::cargo_bin("singe")
        .unwrap()
        .arg(shipped("h2o2"))
        .args(["--verify", "off,no-compilers", "-o"])
        .arg(folder)
        .args(arguments)
        .assert()
        .success();
}

/// The flags that a target's text takes on the host, besides those of all.
fn flags(target: &Target) -> Vec<&'static str> {
    if target.is_cpu() {
        return vec!["-march=native", "-Wno-psabi"];
    }
    // GPUs have fused multiply-adds.
    let fused: &[&str] = if cfg!(target_arch = "x86_64") { &["-mfma"] } else { &[] };
    let allowed = ["-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-attributes", "-Wno-dangling-pointer"];
    let own: &[&str] =
        if target.is_amd() { &["-DAMREX_USE_HIP", "-D__HIP_DEVICE_COMPILE__"] } else { &["-DAMREX_USE_CUDA"] };
    [fused, &allowed, own, &["-include", standing_in::runtime(target).0, "-isystem", "standing_in"]].concat()
}

/// Makes the sources for a GPU what the host's compiler reads: calls in place of launches, and functions of one point in place of kernels.
fn stand_in(folder: &Path, target: &Target, constant: Constant, sources: &[&str]) {
    let (header, runtime) = standing_in::runtime(target);
    let header = folder.join("standing_in").join(header);
    std::fs::create_dir_all(header.parent().unwrap()).unwrap();
    std::fs::write(header, runtime).unwrap();
    let (kernels, state) = match constant {
        Constant::Volume => (["isochoric", "isochoric_sparse_jacobian"], "TRY"),
        Constant::Pressure => (["isobaric", "isobaric_sparse_jacobian"], "TPY"),
    };
    let wanted = kernels.join(",").replace('_', "-");
    written(&folder.join("si"), &["--target", "cpu", "--emit", "device", "--state", state, "--kernel", &wanted]);
    for source in sources {
        let text = std::fs::read_to_string(folder.join(source)).unwrap();
        let kernel = kernels.iter().find(|kernel| *source == format!("h2o2_{kernel}.cpp"));
        let text = match kernel {
            Some(kernel) => standing_in::KERNEL.replace("NAME", kernel).replace("h2o2_device.h", "si/h2o2_device.h"),
            None => standing_in::launch_as_call(&text),
        };
        std::fs::write(folder.join(source), text).unwrap();
    }
}

/// Writes and builds both, and compares what the reactor makes of fields and of packed arrays with the plain equations.
fn advanced(constant: Constant, target: &Target) {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (name, kind) = match constant {
        Constant::Volume => ("TRY", 1),
        Constant::Pressure => ("TPY", 2),
    };
    written(folder.path(), &["--emit", "pelephysics"]);
    let of_reactor = ["--emit", "pelephysics-reactor", "--state", name, "--codegen", "data-parallel"];
    let of_target = if target.is_cpu() { vec![] } else { vec!["--target", &target.name] };
    written(folder.path(), &[&of_reactor[..], &of_target].concat());
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pelephysics");
    let list = std::fs::read_to_string(folder.path().join("Make.package")).unwrap();
    let sources = list.lines().find_map(|line| line.strip_prefix("CEXE_sources += ")).unwrap();
    let sources: Vec<&str> = sources.split_whitespace().collect();
    if !target.is_cpu() {
        stand_in(folder.path(), target, constant, &sources);
    }
    run(Command::new("g++")
        .current_dir(folder.path())
        .args(["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-DMOD_REACTOR", "-I."])
        .args(flags(target))
        .args(["-o", "caller", "mechanism.cpp", "-I"])
        .arg(&host)
        .arg(host.join("reactor_caller.cpp"))
        .args(sources));

    let files = mechanism::Files { mechanism: shipped("h2o2"), ..Default::default() };
    let model = kinetics::model(mechanism::read(&files).unwrap().0).unwrap();
    let cells = cells(&model);
    let mut given = format!("{kind} {TIME:e}");
    for cell in &cells {
        for number in cell.densities.iter().chain(&cell.sources) {
            write!(given, " {:e}", number * 1e-3).unwrap();
        }
        // The temperature is a guess: the energy decides.
        let (guess, energy) = (cell.temperature + 20.0, energy(&model, cell, constant));
        write!(given, " {guess:e} {:e} {:e}", energy * 10.0, cell.heating * 10.0).unwrap();
    }
    std::fs::write(folder.path().join("cells"), given).unwrap();
    let input = std::fs::File::open(folder.path().join("cells")).unwrap();
    let ran = run(Command::new(folder.path().join("caller")).stdin(Stdio::from(input)));
    let said = String::from_utf8(ran.stdout).unwrap();
    let rows: Vec<Vec<f64>> =
        said.lines().map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 8, "{said}");
    let (fields, packed) = rows.split_at(4);
    assert_eq!(fields[..3], packed[..3], "of fields and of packed arrays");
    let start: Vec<f64> = cells[3].densities.iter().map(|rho| rho * 1e-3).collect();
    assert_eq!(fields[3][..start.len()], start[..], "a covered cell stays as it is");
    for (i, (found, cell)) in packed.iter().zip(&cells).enumerate() {
        let wanted = end(&model, cell, constant);
        let (temperature, densities) = wanted.split_last().unwrap();
        let rho: f64 = densities.iter().sum();
        let tolerance = if cell.heating == 0.0 { WITHOUT } else { WITH_SOURCES };
        for (k, density) in densities.iter().enumerate() {
            let error = (found[k] * 1e3 - density) / rho;
            assert!(error.abs() <= tolerance, "cell {i}, species {k}: {error:e}");
        }
        let error = found[densities.len()] / temperature - 1.0;
        assert!(error.abs() <= tolerance, "cell {i}, temperature: {error:e}");
        // Sources are taken exactly.
        let mass: f64 = found[..densities.len()].iter().sum::<f64>() * 1e3 / rho;
        assert!((mass - 1.0).abs() < 1e-12, "cell {i}, mass: {mass}");
        let change = energy(&model, cell, constant) + TIME * cell.heating;
        assert!((found[densities.len() + 1] / (10.0 * change) - 1.0).abs() < 1e-14, "cell {i}, energy");
        assert!((densities[0] / cell.densities[0] - 1.0).abs() > 1e-2, "cell {i} hardly reacts");
    }
}

#[test]
fn cells_at_constant_volume_end_where_the_plain_equations_do() {
    advanced(Constant::Volume, Target::cpu());
}

#[test]
fn cells_at_constant_pressure_end_where_the_plain_equations_do() {
    advanced(Constant::Pressure, Target::cpu());
}

/// The text for CUDA, with stand-ins for AMReX and for the runtime.
#[test]
fn cells_on_a_gpu_of_nvidia_end_where_the_plain_equations_do() {
    advanced(Constant::Pressure, Target::by_name("hopper").unwrap());
}

#[test]
fn cells_on_a_gpu_of_amd_end_where_the_plain_equations_do() {
    advanced(Constant::Volume, Target::by_name("mi300x").unwrap());
}
