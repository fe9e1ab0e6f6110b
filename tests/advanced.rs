//! Reactors that are advanced on CPUs: the C++ against the plain integrator in bits, at every width of vectors; against solutions at tight
//! tolerances of the reference evaluator; what conserved quantities do; and what cannot be advanced.

use std::path::Path;
use std::process::{Command, Stdio};

use kinetics::constants::GAS_CONSTANT;
use kinetics::integrator::advance::{Outcome, Solver, Status, System, advance};
use kinetics::integrator::options::{Options, TEMPERATURES};
use kinetics::integrator::{METHODS, Method};
use kinetics::linear_algebra::elimination::solve;
use kinetics::reactor::{Constant, tendency};
use kinetics::thermo::h_rt;
use kinetics::{Model, State};
use machine::target::Target;
use machine::toolchain;
use ptx::inst::Type;
use singe::compilers;
use singe::driver::{self, Request};
use singe::elimination::{self, Elimination};
use singe::emit::host::{self, Coefficients, Energies};
use singe::graph::interpret::Machine;
use singe::kernels::{Kernel, StateVariables};
use singe::observer::Observer;
use singe::output::Unit;
use singe::overlay::Codegen;
use singe::plan::Emit;
use warpsim::{Argument, Buffer, Launch};

#[path = "common/project.rs"]
mod project;
use project::{run, shipped, there};

/// Fills no whole number of vectors of any width.
const POINTS: usize = 37;

/// Reads temperatures (or energies), what is constant, mass fractions, times and, where there are any, sources of some points, then absolute
/// tolerances of the mass fractions; and writes what became of the points.
const HOST: &str = r#"
#include "NAME_reactor.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int, char **arguments)
{
  const int points = std::atoi(arguments[1]), species = SPECIES_COUNT;
  const bool has_sources = std::atoi(arguments[5]), has_tolerances = std::atoi(arguments[6]);
  std::vector<double> t(points), c(points), y(species * points), dt(points), s(species * points), q(points), tolerances(species);
  const NAME_reactor_options options = {std::atof(arguments[2]), std::atof(arguments[3]), 0.0, std::atoi(arguments[4]),
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
  // The state is advanced in place.
  if (!failed) failed = NAME_reactor_advance(context, t.data(), c.data(), y.data(), dt.data(), t.data(), y.data(),
    has_sources ? &sources : nullptr, &results, &options, points, points);
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

/// A project of reactors in a folder, and what it was made of.
struct Project {
    model: Model,
    rates: Unit,
    jacobian: Unit,
    plan: Elimination,
    constant: Constant,
    energies: Energies,
}

fn request(name: &str, method: Method, state: StateVariables, folder: &Path) -> Request {
    request_for(Target::cpu(), name, method, state, folder)
}

fn request_for(target: &'static Target, name: &str, method: Method, state: StateVariables, folder: &Path) -> Request {
    let files = mechanism::Files { mechanism: shipped(name), ..Default::default() };
    let request = Request {
        files,
        verify: None,
        emit: vec![Emit::Host],
        output: Some(folder.to_owned()),
        reactor: Some(method),
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

fn written(name: &str, method: Method, state: StateVariables, folder: &Path) -> Project {
    let request = request(name, method, state, folder);
    driver::compile(&request, &mut Observer::silent()).map_err(|f| f.diagnostics).unwrap();
    let model = kinetics::model(mechanism::read(&request.files).unwrap().0).unwrap();
    let host = HOST.replace("NAME", name).replace("SPECIES_COUNT", &model.species().len().to_string());
    std::fs::write(folder.join("host.cpp"), host).unwrap();
    let unit = |kernel: Kernel| {
        driver::compile_kernel(kernel, &model, &request, &mut Observer::silent()).map_err(|f| f.diagnostics).unwrap()
    };
    let [rates, jacobian] = request.common.reactor_kernels().map(unit);
    let n = model.species().len();
    let plan = elimination::plan(&host::matrix(&jacobian.graph.pattern, n), &[n, n + 1]);
    let constant = request.common.constant();
    Project { rates, jacobian, plan, constant, energies: Energies::new(&model, constant), model }
}

fn compiled(flags: &[&str], name: &str, folder: &Path) {
    let strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"];
    let sources = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let sources = sources.filter(|file| file.starts_with(name) && file.ends_with(".cpp"));
    let mut compile = Command::new("g++");
    compile.current_dir(folder).args(strict).args(flags).arg("host.cpp").args(sources).args(["-o", "host"]);
    run(&mut compile);
}

/// A point: temperature, what is constant, mass fractions, time.
#[derive(Clone, Default)]
struct Point {
    /// Or specific enthalpy or energy, where states are told by them.
    temperature: f64,
    fixed: f64,
    fractions: Vec<f64>,
    time: f64,
    /// Of the mass fractions in 1/s, and of the energy in W/kg; nothing where there are none.
    sources: Option<(Vec<f64>, f64)>,
}

/// What became of a point.
#[derive(Debug, PartialEq)]
struct Found {
    status: i32,
    steps: [usize; 2],
    step: f64,
    /// Temperature or energy, then the mass fractions.
    state: Vec<f64>,
    temperature: f64,
    heat_release: f64,
    mean_rates: Vec<f64>,
}

fn points(project: &Project, count: usize) -> Vec<Point> {
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

fn advanced(folder: &Path, points: &[Point], options: &Options) -> Vec<Found> {
    let column = |of: &dyn Fn(&Point) -> f64| points.iter().flat_map(|p| of(p).to_le_bytes()).collect::<Vec<u8>>();
    let species = points[0].fractions.len();
    let has_sources = points.iter().any(|point| point.sources.is_some());
    let source = |p: &Point, k: usize| p.sources.as_ref().map_or(0.0, |s| s.0.get(k).copied().unwrap_or(s.1));
    let mut input = [column(&|p| p.temperature), column(&|p| p.fixed)].concat();
    (0..species).for_each(|k| input.extend(column(&|p| p.fractions[k])));
    input.extend(column(&|p| p.time));
    (0..=species).for_each(|k| input.extend(column(&|p| source(p, k))));
    input.extend((0..species).flat_map(|k| options.absolute(k).to_le_bytes()));
    std::fs::write(folder.join("input"), input).unwrap();
    let stdin = Stdio::from(std::fs::File::open(folder.join("input")).unwrap());
    let Options { relative_tolerance, absolute_tolerance, most_steps, absolute_tolerances, .. } = options;
    let arguments = [
        points.len().to_string(),
        relative_tolerance.to_string(),
        absolute_tolerance.to_string(),
        most_steps.to_string(),
        u8::from(has_sources).to_string(),
        u8::from(!absolute_tolerances.is_empty()).to_string(),
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
fn hexadecimal(text: &str) -> f64 {
    let (sign, rest) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let Some((mantissa, exponent)) = rest.strip_prefix("0x").and_then(|rest| rest.split_once('p')) else {
        return sign * rest.parse::<f64>().unwrap();
    };
    let digits = mantissa.replace('.', "");
    let places = mantissa.split_once('.').map_or(0, |(_, places)| places.len() as i32);
    let exponent: i32 = exponent.parse().unwrap();
    sign * u64::from_str_radix(&digits, 16).unwrap() as f64 * 2f64.powi(exponent - 4 * places)
}

/// The kernels' graphs as a system whose unknowns are the mass fractions, then the temperature.
struct Interpreted<'a> {
    project: &'a Project,
    point: &'a Point,
}

/// What the sources make of the temperature, how that changes with it, and the inverse of the sum of Y cp/(R W).
struct Warming {
    rate: f64,
    slope: f64,
    inverse_capacity: f64,
}

/// Of a species: energy over R in K, heat capacity over R, and its slope.
fn heat(energies: &Energies, k: usize, t: f64) -> [f64; 3] {
    let (ends, ranges) = (&energies.ends[k], &energies.ranges[k]);
    let range = ends.iter().position(|&end| t <= end).unwrap_or(ranges.len() - 1);
    let q: Coefficients = ranges[range];
    let capacity = q[4].mul_add(t, q[3]).mul_add(t, q[2]).mul_add(t, q[1]).mul_add(t, q[0]);
    let slope = (4.0 * q[4]).mul_add(t, 3.0 * q[3]).mul_add(t, 2.0 * q[2]).mul_add(t, q[1]);
    let integral = (q[4] / 5.0).mul_add(t, q[3] / 4.0).mul_add(t, q[2] / 3.0).mul_add(t, q[1] / 2.0);
    [integral.mul_add(t, q[0]).mul_add(t, q[5]), capacity, slope]
}

/// The temperature of a specific energy or enthalpy, as the C++ finds it.
fn temperature_of(project: &Project, energy: f64, fractions: &[f64]) -> f64 {
    let species = project.model.species();
    let wanted = energy * fractions.iter().fold(0.0, |sum, y| sum + y) / GAS_CONSTANT;
    let sums = |t: f64| {
        fractions.iter().zip(species).enumerate().fold([-wanted, 0.0], |[sum, slope], (k, (y, s))| {
            let [energy, capacity, _] = heat(&project.energies, k, t);
            let amount = y * (1.0 / s.weight);
            [amount.mul_add(energy, sum), amount.mul_add(capacity, slope)]
        })
    };
    let [mut low, mut high] = TEMPERATURES;
    let mut t = 1000.0;
    for _ in 0..100 {
        let [much, capacity] = sums(t);
        *(if much <= 0.0 { &mut low } else { &mut high }) = t;
        let newton = t - much / capacity;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let change = (next - t).abs();
        t = next;
        if change <= 1e-12 * t {
            break;
        }
    }
    t
}

impl Interpreted<'_> {
    fn warming(&self, y: &[f64]) -> Option<Warming> {
        let (sources, q) = self.point.sources.as_ref()?;
        let n = y.len() - 1;
        let (mut heating, mut change, mut capacity, mut slope) = (q / GAS_CONSTANT, 0.0f64, 0.0f64, 0.0f64);
        for (k, species) in self.project.model.species().iter().enumerate() {
            let inverse_weight = 1.0 / species.weight;
            let [energy, own, bend] = heat(&self.project.energies, k, y[n]);
            let (source, amount) = (sources[k] * inverse_weight, y[k].max(0.0) * inverse_weight);
            heating = (-source).mul_add(energy, heating);
            change = source.mul_add(own, change);
            capacity = amount.mul_add(own, capacity);
            slope = amount.mul_add(bend, slope);
        }
        let inverse = 1.0 / capacity;
        let rate = heating * inverse;
        Some(Warming { rate, slope: -rate.mul_add(slope, change) * inverse, inverse_capacity: inverse })
    }

    /// The entries of the sparse Jacobian, with what sources change by.
    fn jacobian(&self, y: &[f64]) -> Vec<f64> {
        let n = y.len() - 1;
        let mut entries = self.output(&self.project.jacobian, y);
        let Some(warming) = self.warming(y) else { return entries };
        let factor = warming.rate * warming.inverse_capacity;
        for (entry, &(row, column)) in entries.iter_mut().zip(&self.project.jacobian.graph.pattern) {
            let column = column as usize;
            if row as usize == n && column < n {
                let weight = self.project.model.species()[column].weight;
                *entry = (-factor * (1.0 / weight)).mul_add(heat(&self.project.energies, column, y[n])[1], *entry);
            } else if row as usize == n {
                *entry += warming.slope;
            }
        }
        entries
    }

    fn output(&self, unit: &Unit, y: &[f64]) -> Vec<f64> {
        let n = y.len() - 1;
        let rows = unit.graph.arrays.last().unwrap().rows as usize;
        let mut fields = vec![vec![y[n]], vec![self.point.fixed], y[..n].to_vec(), vec![0.0; rows]];
        let mut machine = Machine::new(&unit.graph, &fields);
        for phase in &unit.proven.schedule().phases {
            phase.runs.iter().flatten().for_each(|&at| machine.step(at, &mut fields));
        }
        fields.pop().unwrap()
    }
}

impl System for Interpreted<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let mut rates = self.output(&self.project.rates, y);
        if let Some((warming, (sources, _))) = self.warming(y).zip(self.point.sources.as_ref()) {
            let all = sources.iter().chain([&warming.rate]);
            rates.iter_mut().zip(all).for_each(|(rate, source)| *rate += source);
        }
        rates
    }

    fn go_on_below_zero(&self, start: &[f64], y: &[f64], rates: &mut [f64]) {
        let n = y.len() - 1;
        let is_below = |k: usize| k < n && y[k] < 0.0;
        if !(0..n).any(is_below) {
            return;
        }
        let species = self.project.model.species();
        let sum = (0..n).filter(|&k| is_below(k)).fold(0.0, |sum, k| (1.0 / species[k].weight).mul_add(y[k], sum));
        let entries = self.project.jacobian.graph.pattern.iter().zip(self.jacobian(start));
        for (&(row, column), entry) in entries {
            let (row, column) = (row as usize, column as usize);
            if is_below(column) {
                rates[row] = entry.mul_add(y[column], rates[row]);
            } else if column > n {
                rates[row] = entry.mul_add(sum, rates[row]);
            }
        }
    }

    /// Gauss elimination of the whole matrix, on a table of all its entries; those that the plan leaves out are never touched.
    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        let (n, plan) = (y.len() - 1, &self.project.plan);
        let size = n + 2;
        let mut a = vec![vec![0.0; size]; size];
        for (&(row, column), entry) in self.project.jacobian.graph.pattern.iter().zip(self.jacobian(y)) {
            a[row as usize][column as usize] = -entry;
        }
        for (i, row) in a.iter_mut().enumerate().take(n + 1) {
            row[i] += diagonal;
        }
        a[n + 1][n + 1] = -1.0;
        for (k, species) in self.project.model.species().iter().enumerate() {
            a[n + 1][k] = 1.0 / species.weight;
        }
        let unknown = |place: usize| plan.order[place];
        let mut inverse = vec![0.0; size];
        for i in 0..size {
            for &k in &plan.lower[i] {
                let factor = a[unknown(i)][unknown(k)] * inverse[k];
                a[unknown(i)][unknown(k)] = factor;
                for &j in &plan.upper[k] {
                    let above = a[unknown(k)][unknown(j)];
                    let entry = &mut a[unknown(i)][unknown(j)];
                    *entry = (-factor).mul_add(above, *entry);
                }
            }
            inverse[i] = 1.0 / a[unknown(i)][unknown(i)];
        }
        Box::new(move |right| {
            let product = |x: &[f64], i: usize, places: &[usize]| {
                let mut sums = [0.0f64; 4];
                let whole = places.len() / 4 * 4;
                for (at, &j) in places.iter().enumerate() {
                    let sum = if at < whole { &mut sums[at % 4] } else { &mut sums[0] };
                    *sum = a[unknown(i)][unknown(j)].mul_add(x[j], *sum);
                }
                (sums[0] + sums[1]) + (sums[2] + sums[3])
            };
            let mut x = vec![0.0; size];
            for i in 0..size {
                x[i] = right.get(unknown(i)).copied().unwrap_or(0.0) - product(&x, i, &plan.lower[i]);
            }
            for i in (0..size).rev() {
                x[i] = (x[i] - product(&x, i, &plan.upper[i])) * inverse[i];
            }
            let mut solution = vec![0.0; n + 1];
            (0..size).filter(|&i| unknown(i) <= n).for_each(|i| solution[unknown(i)] = x[i]);
            solution
        })
    }
}

/// The reference evaluator as the same system, with a dense Jacobian by dual numbers and partial pivoting.
struct Reference<'a> {
    project: &'a Project,
    fixed: f64,
}

impl Reference<'_> {
    fn state(&self, y: &[f64]) -> State {
        let species = self.project.model.species();
        let (fractions, temperature) = (&y[..species.len()], y[species.len()]);
        let moles: Vec<f64> = fractions.iter().zip(species).map(|(y, s)| y.max(0.0) / s.weight).collect();
        let sum: f64 = moles.iter().sum();
        let mass: f64 = fractions.iter().map(|y| y.max(0.0)).sum();
        let pressure = match self.project.constant {
            Constant::Pressure => self.fixed,
            Constant::Volume => self.fixed * kinetics::constants::GAS_CONSTANT * temperature * sum / mass,
        };
        State { temperature, pressure, mole_fractions: moles.iter().map(|n| n / sum).collect() }
    }
}

impl System for Reference<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        let (model, state) = (&self.project.model, self.state(y));
        let all = tendency(model, &state, &kinetics::production(model, &state), self.project.constant);
        [all.mass_fractions, vec![all.temperature]].concat()
    }

    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        let all = kinetics::jacobian::tendency(&self.project.model, &self.state(y), self.project.constant);
        Box::new(move |right| {
            let row = |i: usize| -> Vec<f64> {
                let entry = |j: usize| if i == j { diagonal } else { 0.0 } - all.values[j * all.rows + i];
                (0..right.len()).map(entry).chain([right[i]]).collect()
            };
            solve((0..right.len()).map(row).collect())
        })
    }
}

fn start(point: &Point) -> Vec<f64> {
    [&point.fractions[..], &[point.temperature]].concat()
}

/// The points with sources: some are mixed with other gas, some heated or cooled, one is left alone.
fn with_sources(points: &[Point]) -> Vec<Point> {
    let with = |(i, point): (usize, &Point)| {
        let n = point.fractions.len();
        let rate = [0.0, 1e3, 1e2, 1e4][i % 4];
        let equal = 1.0 / n as f64;
        let sources = point.fractions.iter().map(|y| rate * (equal - y)).collect();
        Point { sources: Some((sources, [0.0, 1e9, -1e9, 1e10][i / 4 % 4])), ..point.clone() }
    };
    points.iter().enumerate().map(with).collect()
}

/// The points told by their specific energies or enthalpies, and what temperatures follow from these.
fn by_energy(project: &Project, points: &[Point]) -> (Vec<Point>, Vec<f64>) {
    let told = points.iter().map(|point| {
        let species = project.model.species().iter().zip(&point.fractions).enumerate();
        let terms = species.map(|(k, (s, y))| y / s.weight * heat(&project.energies, k, point.temperature)[0]);
        let energy = GAS_CONSTANT * terms.sum::<f64>() / point.fractions.iter().sum::<f64>();
        let temperature = temperature_of(project, energy, &point.fractions);
        assert!((temperature / point.temperature - 1.0).abs() < 1e-10);
        (Point { temperature: energy, ..point.clone() }, temperature)
    });
    told.unzip()
}

fn number(status: Status) -> i32 {
    match status {
        Status::Done => 0,
        Status::TooManySteps => 1,
        Status::StepTooSmall => 2,
    }
}

fn gives_the_bits_of_the_integrator(name: &str, method: Method, state: StateVariables, ways: &[&[&str]], count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let project = written(name, method, state, folder.path());
    let points = points(&project, count);
    has_the_bits(
        &project,
        (name, method, folder.path()),
        &points,
        ways,
        &Options { most_steps: 60, ..Options::default() },
    );
}

/// Of a project of temperatures.
fn has_the_bits(
    project: &Project,
    (name, method, folder): (&str, Method, &Path),
    points: &[Point],
    ways: &[&[&str]],
    options: &Options,
) {
    let interpreted =
        |point: &Point| advance(&Interpreted { project, point }, &method, &start(point), point.time, options);
    let expected: Vec<Outcome> = points.iter().map(interpreted).collect();
    assert!(expected.iter().any(|outcome| outcome.steps > 5), "some reactors react");
    for flags in ways {
        compiled(flags, name, folder);
        for (i, (found, expected)) in advanced(folder, points, options).iter().zip(&expected).enumerate() {
            let what = format!("{name} {flags:?} point {i}");
            is_the_outcome(found, expected, &what);
            let (t, fractions) = found.state.split_first().unwrap();
            assert_eq!(t.to_bits(), found.temperature.to_bits(), "{what}");
            are_means(project, &points[i], found, fractions, &what);
        }
    }
}

/// Status, numbers of steps and mass fractions; and the temperature where the state has it.
fn is_the_outcome(found: &Found, expected: &Outcome, what: &str) {
    let counts = (number(expected.status), [expected.steps, expected.rejected]);
    assert_eq!((found.status, found.steps), counts, "{what}");
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    let n = expected.y.len() - 1;
    assert_eq!(bits(&found.state[1..]), bits(&expected.y[..n]), "{what}: {:e} {:e}", found.state[1], expected.y[0]);
    if found.state[0] == found.temperature {
        assert_eq!(found.temperature.to_bits(), expected.y[n].to_bits(), "{what}");
    }
    if expected.status == Status::Done {
        assert_eq!(found.step.to_bits(), expected.step.to_bits(), "{what}");
    }
}

/// Mean rates and the heat release of a point, by the changes of its mass fractions.
fn are_means(project: &Project, point: &Point, found: &Found, fractions: &[f64], what: &str) {
    let source = |k: usize| point.sources.as_ref().map_or(0.0, |sources| sources.0[k]);
    let is_done = found.status == 0;
    let rates = (0..fractions.len())
        .map(|k| if is_done { (fractions[k] - point.fractions[k]) / point.time - source(k) } else { 0.0 });
    let rates: Vec<f64> = rates.collect();
    assert_eq!(found.mean_rates, rates, "{what}");
    let heats = rates
        .iter()
        .zip(project.model.species())
        .map(|(rate, species)| rate * h_rt(&species.thermo, 298.15) * GAS_CONSTANT * 298.15 / species.weight);
    let heats: Vec<f64> = heats.collect();
    let gross: f64 = heats.iter().map(|heat| heat.abs()).sum();
    assert!((found.heat_release + heats.iter().sum::<f64>()).abs() <= 1e-12 * gross, "{what}");
}

const NATIVE: &[&str] = &["-O2", "-march=native"];
const SCALAR: &[&str] = &["-O1", "-march=native", "-DSINGE_WIDTH=1"];
const SHARED: &[&str] = &["-O1", "-fopenmp"];
/// The factorisation as loops over tables, as mechanisms have it whose statements would be too many.
const LOOPS: &[&str] = &["-O1", "-march=native", "-DSINGE_LOOPS"];

#[test]
fn hydrogen_has_the_bits_of_the_integrator_by_every_method() {
    if !there("g++") {
        return;
    }
    for method in METHODS {
        gives_the_bits_of_the_integrator(
            "h2o2",
            method,
            StateVariables::MassFractions,
            &[NATIVE, SCALAR, SHARED, LOOPS],
            POINTS,
        );
    }
    gives_the_bits_of_the_integrator("h2o2", METHODS[0], StateVariables::Density, &[NATIVE], POINTS);
}

#[test]
fn gri30_has_the_bits_of_the_integrator() {
    if !there("g++") {
        return;
    }
    gives_the_bits_of_the_integrator("gri30", METHODS[0], StateVariables::MassFractions, &[NATIVE, LOOPS], 11);
}

/// Sources, tolerances by species, and states told by enthalpies or energies.
#[test]
fn what_flows_bring_has_the_bits_of_the_integrator() {
    if !there("g++") {
        return;
    }
    let method = METHODS[0];
    for (state, told) in
        [(StateVariables::MassFractions, StateVariables::Enthalpy), (StateVariables::Density, StateVariables::Energy)]
    {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", method, state, folder.path());
        let n = project.model.species().len();
        let points = with_sources(&points(&project, POINTS));
        let tolerances: Vec<f64> = (0..n).map(|k| [1e-12, 1e-9, 1e-15][k % 3]).collect();
        let options = Options { most_steps: 60, absolute_tolerances: &tolerances, ..Options::default() };
        has_the_bits(&project, ("h2o2", method, folder.path()), &points, &[NATIVE, SCALAR], &options);
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", method, told, folder.path());
        assert_eq!(project.jacobian.graph.arrays[0].name, "temperature");
        let (told, temperatures) = by_energy(&project, &points);
        compiled(NATIVE, "h2o2", folder.path());
        for (i, found) in advanced(folder.path(), &told, &options).iter().enumerate() {
            let point = Point { temperature: temperatures[i], ..points[i].clone() };
            let system = Interpreted { project: &project, point: &point };
            let expected = advance(&system, &method, &start(&point), point.time, &options);
            let what = format!("{state:?} point {i}");
            is_the_outcome(found, &expected, &what);
            let done = if found.status == 0 { point.time } else { 0.0 };
            let energy = point.sources.as_ref().unwrap().1.mul_add(done, told[i].temperature);
            assert_eq!(found.state[0].to_bits(), energy.to_bits(), "{what}");
            let end = temperature_of(&project, energy, &found.state[1..]);
            assert_eq!(found.temperature.to_bits(), end.to_bits(), "{what}");
            // What was integrated keeps the energy within its tolerance.
            let apart = (end / expected.y[n] - 1.0).abs();
            assert!(found.status != 0 || apart < 1e-5, "{what}: {apart:e}");
        }
    }
}

/// The derivatives of what sources make of the temperature, beside quotients of differences.
#[test]
fn sources_have_the_derivatives_of_their_rates() {
    let folder = tempfile::tempdir().unwrap();
    for state in [StateVariables::MassFractions, StateVariables::Density] {
        let project = written("h2o2", METHODS[0], state, folder.path());
        let n = project.model.species().len();
        for point in with_sources(&points(&project, 9)) {
            let y = start(&point);
            let [system, alone] = [point.clone(), Point { sources: None, ..point.clone() }];
            let [system, alone] = [&system, &alone].map(|point| Interpreted { project: &project, point });
            let warming = |y: &[f64]| system.warming(y).unwrap().rate;
            let scale = warming(&y).abs().max(1e3);
            let pattern = &project.jacobian.graph.pattern;
            for (&(row, column), (with, without)) in
                pattern.iter().zip(system.jacobian(&y).iter().zip(alone.jacobian(&y)))
            {
                let column = column as usize;
                if row as usize != n || y[column] == 0.0 {
                    assert!(row as usize == n || *with == without);
                    continue;
                }
                let change = if column == n { 1e-3 } else { 1e-5 * y[column] };
                let moved = [change, -change].map(|change| {
                    let mut moved = y.clone();
                    moved[column] += change;
                    warming(&moved)
                });
                let quotient = (moved[0] - moved[1]) / (2.0 * change);
                let allowed = 1e-5 * quotient.abs() + 1e-10 * scale / change + 1e-11 * with.abs();
                assert!((with - without - quotient).abs() < allowed, "{column}: {:e} {quotient:e}", with - without);
            }
        }
    }
}

/// Solutions of the reference evaluator at a thousandth of the tolerance, and sums of fractions that stay.
#[test]
fn solutions_keep_to_their_tolerances() {
    if !there("g++") {
        return;
    }
    for (name, state) in [
        ("h2o2", StateVariables::MassFractions),
        ("h2o2", StateVariables::Density),
        ("gri30", StateVariables::MassFractions),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let project = written(name, METHODS[0], state, folder.path());
        compiled(NATIVE, name, folder.path());
        let points = points(&project, 13);
        let options = Options::default();
        let tight = Options { relative_tolerance: 1e-9, absolute_tolerance: 1e-15, ..options };
        let mut worst = 0.0f64;
        for (Found { status, state: found, .. }, point) in
            advanced(folder.path(), &points, &options).iter().zip(&points)
        {
            assert_eq!(*status, 0, "{name}");
            let system = Reference { project: &project, fixed: point.fixed };
            let expected = advance(&system, &METHODS[0], &start(point), point.time, &tight);
            assert_eq!(expected.status, Status::Done);
            let (t, fractions) = found.split_first().unwrap();
            let sums = [&point.fractions[..], fractions].map(|fractions| fractions.iter().sum::<f64>());
            assert!((sums[0] - sums[1]).abs() < 1e-13, "{sums:?}");
            for (found, expected) in fractions.iter().chain([t]).zip(&expected.y) {
                worst = worst.max((found - expected).abs() / (1e-6 * expected.abs() + 1e-11));
            }
        }
        println!("{name} {state:?}: {worst:.3} tolerances");
        // The norm is a mean: one unknown may have the whole error of a step, and errors of steps add up.
        let unknowns = project.model.species().len() + 1;
        assert!(worst < 2.0 * (unknowns as f64).sqrt(), "{name}: {worst}");
    }
}

/// The status of a point that is changed.
type Change<'a> = (i32, &'a dyn Fn(&mut Point));

/// What is no state, or does not end, is told; neighbours do not notice.
#[test]
fn what_cannot_be_advanced_is_told() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = written("h2o2", METHODS[0], StateVariables::MassFractions, folder.path());
    compiled(NATIVE, "h2o2", folder.path());
    let good = points(&project, POINTS);
    let options = Options { most_steps: 500, ..Options::default() };
    let alone = advanced(folder.path(), &good, &options);
    let changes: [Change; 15] = [
        (3, &|p| p.temperature = f64::NAN),
        (3, &|p| p.temperature = 99.0),
        (3, &|p| p.temperature = 10_001.0),
        (3, &|p| p.fixed = 0.0),
        (3, &|p| p.fixed = f64::INFINITY),
        (3, &|p| p.time = -1e-9),
        (3, &|p| p.time = f64::NAN),
        (3, &|p| p.fractions[0] = -1e-5),
        (3, &|p| p.fractions[1] = f64::NAN),
        (3, &|p| p.fractions.fill(0.0)),
        (3, &|p| p.sources = Some((vec![f64::NAN; p.fractions.len()], 0.0))),
        (3, &|p| p.sources = Some((vec![0.0; p.fractions.len()], f64::INFINITY))),
        (0, &|p| p.time = 0.0),
        (0, &|p| p.fractions[0] = -1e-9),
        (2, &|p| (p.temperature, p.fixed) = (300.0, 1e300)),
    ];
    let mut mixed = good.clone();
    for (i, (_, change)) in changes.iter().enumerate() {
        change(&mut mixed[2 * i + 1]);
    }
    let found = advanced(folder.path(), &mixed, &options);
    for (i, (found, alone)) in found.iter().zip(&alone).enumerate() {
        let changed = (i % 2 == 1).then(|| changes.get(i / 2)).flatten();
        let Some((expected, _)) = changed else {
            assert_eq!(found, alone, "the neighbour {i}");
            continue;
        };
        assert_eq!(found.status, *expected, "{i}");
        if found.status != 0 || mixed[i].time == 0.0 {
            let kept = [&[mixed[i].temperature][..], &mixed[i].fractions].concat();
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&found.state), bits(&kept), "{i} keeps its state");
        }
    }
    // Of two steps some points need more, and keep their states.
    let few = advanced(folder.path(), &good, &Options { most_steps: 2, ..options });
    for (found, point) in few.iter().zip(&good) {
        let kept = [&[point.temperature][..], &point.fractions].concat();
        assert!(matches!((found.status, found.steps[0]), (0, 1 | 2) | (1, 2)));
        assert_eq!(found.status == 1, found.state == kept);
    }
    assert!(few.iter().any(|found| found.status == 0) && few.iter().any(|found| found.status == 1));
    let refused = |options: &Options| std::panic::catch_unwind(|| advanced(folder.path(), &good, options)).is_err();
    assert!(refused(&Options { relative_tolerance: 0.0, ..options }));
    assert!(refused(&Options { absolute_tolerance: -1.0, ..options }));
    assert!(refused(&Options { most_steps: 0, ..options }));
}

/// What NVRTC makes of the program for a GPU.
fn module_for(target: &'static Target, name: &str, method: Method, state: StateVariables) -> Option<ptx::Module> {
    if let Err(absent) = toolchain::find_for(target.compute_capability) {
        project::skip::skip(format!("NVRTC: {absent}"));
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
fn simulated(module: &ptx::Module, name: &str, points: &[Point], options: &Options, ctas: u32) -> Vec<Found> {
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
fn a_gpu_has_the_bits_of_the_integrator() {
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
