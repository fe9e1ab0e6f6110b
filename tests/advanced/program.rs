//! Projects of reactors, built and run as a host code does it.

use std::fs::read_to_string;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use super::*;
use testkit::once::Once;

/// Fills no whole number of vectors of any width.
pub const POINTS: usize = 37;

/// Reads temperatures (or energies), what is constant, mass fractions, times and, where there are any, sources of some points, then absolute
/// tolerances of the mass fractions; and writes what became of the points.
pub const HOST: &str = r#"
#include "NAME_reactor.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int, char **arguments)
{
  const int points = std::atoi(arguments[1]), species = SPECIES_COUNT;
  const bool has_sources = std::atoi(arguments[5]), has_tolerances = std::atoi(arguments[6]);
  std::vector<double> t(points), c(points), y(species * points), dt(points), s(species * points), q(points), tolerances(species);
  const NAME_reactor_options options = {std::atof(arguments[2]), std::atof(arguments[3]), std::atof(arguments[7]), std::atoi(arguments[4]),
    has_tolerances ? tolerances.data() : nullptr};
  for (std::vector<double> *field : {&t, &c, &y, &dt, &s, &q, &tolerances}) {
    if (field == &s && !has_sources) break;
    if (std::fread(field->data(), sizeof(double), field->size(), stdin) != field->size()) return 1;
  }
  std::vector<int> status(points), steps(points), rejected(points);
  std::vector<double> step(points), temperature(points), mean(species * points), heat(points);
  const NAME_reactor_results results = {status.data(), steps.data(), rejected.data(), step.data(), temperature.data(), mean.data(), heat.data()};
  const NAME_reactor_sources sources = {s.data(), q.data()};
  NAME_context *context = nullptr;
  int failed = NAME_context_create(&context);
  size_t bytes = 0;
  if (!failed) failed = NAME_reactor_workspace(context, points, &bytes);
  std::vector<double> workspace(bytes / sizeof(double));
  // The state is advanced in place.
  if (!failed) failed = NAME_reactor_advance(context, t.data(), c.data(), y.data(), dt.data(), t.data(), y.data(),
    has_sources ? &sources : nullptr, &results, &options, points, points, workspace.data(), nullptr);
  for (int p = 0; p < points && !failed; ++p) {
    std::printf("%d %d %d %a %a", status[p], steps[p], rejected[p], step[p], t[p]);
    for (int k = 0; k < species; ++k) std::printf(" %a", y[k * points + p]);
    std::printf(" %a %a", temperature[p], heat[p]);
    for (int k = 0; k < species; ++k) std::printf(" %a", mean[k * points + p]);
    std::printf("\n");
  }
  return failed ? -failed : 0;
}
"#;

/// The host program of a mechanism, the same for CPUs and GPUs.
pub fn host_for(name: &str, species: usize) -> String {
    HOST.replace("NAME", name).replace("SPECIES_COUNT", &species.to_string())
}

/// A project of reactors in a folder, and what it was made of.
pub struct Project {
    pub model: Model,
    pub rates: &'static Unit,
    pub jacobian: &'static Unit,
    /// The same made as several kernels, where that is tried.
    pub parts: Vec<Unit>,
    pub plan: Elimination,
    pub constant: Constant,
    pub energies: Energies,
    pub method: Method,
    /// Factors of the program for a GPU, and how it takes steps.
    pub factors: Factors,
    pub steps: ReactorSteps,
}

pub fn request(name: &str, method: Method, state: StateVariables, folder: &Path) -> Request {
    request_for(Target::cpu(), name, method, state, folder)
}

pub fn request_for(
    target: &'static Target,
    name: &str,
    method: Method,
    state: StateVariables,
    folder: &Path,
) -> Request {
    let files = mechanism::Files { mechanism: shipped(name), ..Default::default() };
    let request = Request {
        files,
        verify: None,
        emit: vec![Emit::Host],
        output: Some(folder.to_owned()),
        reactor_method: Some(method),
        codegen: Codegen::DataParallel,
        ..Request::default()
    };
    let request = request.with(|r| {
        r.common.target = target;
        r.common.state = state;
        r.kernels = r.common.reactor_kernels().to_vec();
    });
    request.for_target().unwrap()
}

/// The Jacobian of a project as several kernels.
pub fn in_parts(project: &Project, name: &str, method: Method, state: StateVariables, folder: &Path) -> Vec<Unit> {
    let whole = &project.jacobian.graph;
    let longest = whole.steps().map(|at| whole.body(at).insts.len()).sum::<usize>() / 3;
    let rows = fission::plan(whole, longest);
    assert!(rows.len() > 1);
    let of = rows.len();
    let unit = |(number, rows)| {
        let part = Some(Part { number, of, rows });
        let request = request(name, method, state, folder).with(|r| r.part = part);
        let [_, jacobian] = request.common.reactor_kernels();
        driver::compile_kernel(jacobian, &project.model, &request, &mut Observer::silent()).map_err(|f| f.diagnostics)
    };
    (1..).zip(rows).map(|part| unit(part).unwrap()).collect()
}

/// What tells a request from others, wherever its files go.
fn key(request: &Request) -> String {
    format!("{:?}", Request { output: None, ..request.clone() })
}

/// Writes the files of a request, which is compiled once for all tests.
pub fn generate(request: &Request) {
    static FILES: Once<Vec<(String, String)>> = Once::new();
    let files = FILES.get(key(request), || {
        let folder = tempfile::tempdir().unwrap();
        let request = Request { output: Some(folder.path().to_owned()), ..request.clone() };
        testkit::request::report(&request);
        files_of(folder.path())
    });
    let folder = request.output.as_ref().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
}

/// The files of a folder, by name.
fn files_of(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let read =
        |file: std::fs::DirEntry| (file.file_name().into_string().unwrap(), read_to_string(file.path()).unwrap());
    files.map(read).collect()
}

pub fn written(name: &str, method: Method, state: StateVariables, folder: &Path) -> Project {
    static UNITS: Once<(Model, [Unit; 2])> = Once::new();
    let request = request(name, method, state, folder);
    generate(&request);
    let (model, [rates, jacobian]) = UNITS.get(key(&request), || {
        let model = kinetics::model(mechanism::read(&request.files).unwrap().0).unwrap();
        let unit = |kernel: Kernel| {
            let unit = driver::compile_kernel(kernel, &model, &request, &mut Observer::silent());
            unit.map_err(|f| f.diagnostics).unwrap()
        };
        let units = request.common.reactor_kernels().map(unit);
        (model, units)
    });
    std::fs::write(folder.join("host.cpp"), host_for(name, model.species().len())).unwrap();
    let n = model.species().len();
    let plan = elimination::plan(&elimination::matrix(&jacobian.graph.pattern, n), &[n, n + 1]);
    let constant = request.common.constant();
    Project {
        rates,
        jacobian,
        parts: Vec::new(),
        plan,
        constant,
        energies: Energies::new(model, constant),
        model: model.clone(),
        method,
        factors: Factors::Double,
        steps: ReactorSteps::Pipeline,
    }
}

/// The program of gri30, which takes the compiler most of a minute, and its folder: compiled once for all tests.
pub struct Gri30 {
    pub project: Project,
    pub folder: PathBuf,
}

pub fn gri30() -> &'static Gri30 {
    static COMPILED: OnceLock<Gri30> = OnceLock::new();
    COMPILED.get_or_init(|| {
        // Nothing that is static is dropped: this folder is written anew each time.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reactors_of_gri30");
        if folder.exists() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        let project = written("gri30", METHODS[0], StateVariables::MassFractions, &folder);
        // Half of the time at -O2, which the smaller mechanism has.
        compiled(&["-O1", "-march=native"], "gri30", &folder);
        Gri30 { project, folder }
    })
}

pub fn compiled(flags: &[&str], name: &str, folder: &Path) {
    let strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"];
    let sources = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    // The project's driver is a program of its own.
    let is_part = |file: &String| file.starts_with(name) && file.ends_with(".cpp") && !file.ends_with("_driver.cpp");
    let sources: Vec<String> = sources.filter(is_part).chain(["host.cpp".to_owned()]).collect();
    build(&[&strict, flags].concat(), &sources, folder);
}

/// Compiles and links sources of a folder. Texts that do not differ are compiled once for all tests.
pub fn build(flags: &[&str], sources: &[String], folder: &Path) {
    static OBJECTS: Once<Vec<u8>> = Once::new();
    let compiler = || {
        let mut compiler = Command::new("g++");
        compiler.current_dir(folder).args(flags);
        compiler
    };
    let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut headers: Vec<String> = names.filter(|name| name.ends_with(".h") || name.ends_with(".hpp")).collect();
    headers.sort();
    let headers: String = headers.iter().map(|name| read_to_string(folder.join(name)).unwrap()).collect();
    let object = |source: &String| {
        let (text, object) = (read_to_string(folder.join(source)).unwrap(), format!("{source}.o"));
        let bytes = OBJECTS.get(format!("{flags:?} {source} {text} {headers}"), || {
            run(compiler().args(["-c", source, "-o", &object]));
            std::fs::read(folder.join(&object)).unwrap()
        });
        std::fs::write(folder.join(&object), bytes).unwrap();
        object
    };
    let objects: Vec<String> = sources.iter().map(object).collect();
    run(compiler().args(objects).args(["-o", "host"]));
}

/// A point: temperature, what is constant, mass fractions, time.
#[derive(Clone, Default)]
pub struct Point {
    /// Or specific enthalpy or energy, where states are told by them.
    pub temperature: f64,
    pub fixed: f64,
    pub fractions: Vec<f64>,
    pub time: f64,
    /// Sources of the mass fractions in 1/s, and of the energy in W/kg; `None` where there are none.
    pub sources: Option<(Vec<f64>, f64)>,
}

/// Result of a point.
#[derive(Debug, PartialEq)]
pub struct Found {
    pub status: i32,
    pub steps: [usize; 2],
    pub step: f64,
    /// Temperature or energy, then the mass fractions.
    pub state: Vec<f64>,
    pub temperature: f64,
    pub heat_release: f64,
    pub mean_rates: Vec<f64>,
}

pub fn points(project: &Project, count: usize) -> Vec<Point> {
    let states = kinetics::verification_states(&project.model, count);
    let point = |(i, state): (usize, &State)| {
        let weights = project.model.species().iter().map(|species| species.weight);
        let masses: Vec<f64> = state.mole_fractions.iter().zip(weights).map(|(x, w)| x * w).collect();
        let mass: f64 = masses.iter().sum();
        let moles: f64 = state.mole_fractions.iter().sum();
        let density = state.pressure / (kinetics::constants::GAS_CONSTANT * state.temperature) * mass / moles;
        Point {
            temperature: state.temperature.clamp(400.0, 2800.0),
            fixed: if project.constant == Constant::Pressure { state.pressure } else { density },
            fractions: masses.iter().map(|m| m / mass).collect(),
            time: [1e-8, 1e-7, 1e-6, 1e-5][i % 4],
            sources: None,
        }
    };
    states.iter().enumerate().map(point).collect()
}

pub fn advanced(folder: &Path, points: &[Point], options: &Options) -> Vec<Found> {
    let column = |of: &dyn Fn(&Point) -> f64| points.iter().flat_map(|p| of(p).to_le_bytes()).collect::<Vec<u8>>();
    let species = points[0].fractions.len();
    let has_sources = points.iter().any(|point| point.sources.is_some());
    let source = |p: &Point, k: usize| p.sources.as_ref().map_or(0.0, |s| s.0.get(k).copied().unwrap_or(s.1));
    let mut input = [column(&|p| p.temperature), column(&|p| p.fixed)].concat();
    (0..species).for_each(|k| input.extend(column(&|p| p.fractions[k])));
    input.extend(column(&|p| p.time));
    (0..=species).for_each(|k| input.extend(column(&|p| source(p, k))));
    input.extend((0..species).flat_map(|k| options.absolute(k).to_le_bytes()));
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&input).unwrap();
    file.rewind().unwrap();
    let stdin = Stdio::from(file);
    let Options { relative_tolerance, absolute_tolerance, most_steps, absolute_tolerances, first_step } = options;
    let arguments = [
        points.len().to_string(),
        relative_tolerance.to_string(),
        absolute_tolerance.to_string(),
        most_steps.to_string(),
        u8::from(has_sources).to_string(),
        u8::from(!absolute_tolerances.is_empty()).to_string(),
        first_step.to_string(),
    ];
    let text = String::from_utf8(run(Command::new(folder.join("host")).args(arguments).stdin(stdin)).stdout).unwrap();
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let values: Vec<f64> = words[3..].iter().map(|word| hexadecimal(word)).collect();
            let (state, rest) = values[1..].split_at(1 + species);
            Found {
                status: words[0].parse().unwrap(),
                steps: [1, 2].map(|at| words[at].parse().unwrap()),
                step: values[0],
                state: state.to_vec(),
                temperature: rest[0],
                heat_release: rest[1],
                mean_rates: rest[2..].to_vec(),
            }
        })
        .collect()
}

/// A double as `%a` prints it.
pub fn hexadecimal(text: &str) -> f64 {
    let (sign, rest) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let Some((mantissa, exponent)) = rest.strip_prefix("0x").and_then(|rest| rest.split_once('p')) else {
        return sign * rest.parse::<f64>().unwrap();
    };
    let digits = mantissa.replace('.', "");
    let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len() as i32);
    let exponent: i32 = exponent.parse().unwrap();
    sign * u64::from_str_radix(&digits, 16).unwrap() as f64 * 2f64.powi(exponent - 4 * places)
}
