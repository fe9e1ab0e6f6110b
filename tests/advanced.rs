//! Reactors that are advanced on CPUs: the C++ against the plain integrator in bits, at every width of vectors; against solutions at tight
//! tolerances of the reference evaluator; what conserved quantities do; and what cannot be advanced.

use std::path::Path;
use std::process::{Command, Stdio};

use kinetics::integrator::advance::{Outcome, Solver, Status, System, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::{METHODS, Method};
use kinetics::linear_algebra::elimination::solve;
use kinetics::reactor::{Constant, tendency};
use kinetics::{Model, State};
use machine::target::Target;
use singe::driver::{self, Request};
use singe::elimination::{self, Elimination};
use singe::emit::host;
use singe::graph::interpret::Machine;
use singe::kernels::{Kernel, StateVariables};
use singe::observer::Observer;
use singe::output::Unit;
use singe::overlay::Codegen;
use singe::plan::Emit;

#[path = "common/project.rs"]
mod project;
use project::{run, shipped, there};

/// Fills no whole number of vectors of any width.
const POINTS: usize = 37;

/// Reads temperatures, what is constant, mass fractions and times of some points, and writes what became of them.
const HOST: &str = r#"
#include "NAME_reactor.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
int main(int, char **arguments)
{
  const int points = std::atoi(arguments[1]), species = SPECIES_COUNT;
  const NAME_reactor_options options = {std::atof(arguments[2]), std::atof(arguments[3]), 0.0, std::atoi(arguments[4])};
  std::vector<double> t(points), c(points), y(species * points), dt(points);
  for (std::vector<double> *field : {&t, &c, &y, &dt}) {
    if (std::fread(field->data(), sizeof(double), field->size(), stdin) != field->size()) return 1;
  }
  std::vector<int> status(points), steps(points), rejected(points);
  std::vector<double> step(points);
  const NAME_reactor_results results = {status.data(), steps.data(), rejected.data(), step.data()};
  NAME_context *context = nullptr;
  int failed = NAME_context_create(&context);
  // The state is advanced in place.
  if (!failed) failed = NAME_reactor_advance(context, t.data(), c.data(), y.data(), dt.data(), t.data(), y.data(), &results, &options, points, points);
  for (int p = 0; p < points && !failed; ++p) {
    std::printf("%d %d %d %a %a", status[p], steps[p], rejected[p], step[p], t[p]);
    for (int k = 0; k < species; ++k) std::printf(" %a", y[k * points + p]);
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
}

fn request(name: &str, method: Method, state: StateVariables, folder: &Path) -> Request {
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
        r.common.target = Target::cpu();
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
    Project { rates, jacobian, plan, constant: request.common.constant(), model }
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
#[derive(Clone)]
struct Point {
    temperature: f64,
    fixed: f64,
    fractions: Vec<f64>,
    time: f64,
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
        }
    };
    states.iter().enumerate().map(point).collect()
}

/// Status, steps, rejected steps, next step, and (T, Y) of each point.
fn advanced(folder: &Path, points: &[Point], options: &Options) -> Vec<(i32, [usize; 2], f64, Vec<f64>)> {
    let column = |of: &dyn Fn(&Point) -> f64| points.iter().flat_map(|p| of(p).to_le_bytes()).collect::<Vec<u8>>();
    let mut input = [column(&|p| p.temperature), column(&|p| p.fixed)].concat();
    (0..points[0].fractions.len()).for_each(|k| input.extend(column(&|p| p.fractions[k])));
    input.extend(column(&|p| p.time));
    std::fs::write(folder.join("input"), input).unwrap();
    let stdin = Stdio::from(std::fs::File::open(folder.join("input")).unwrap());
    let Options { relative_tolerance, absolute_tolerance, most_steps, .. } = options;
    let arguments = [
        points.len().to_string(),
        relative_tolerance.to_string(),
        absolute_tolerance.to_string(),
        most_steps.to_string(),
    ];
    let text = String::from_utf8(run(Command::new(folder.join("host")).args(arguments).stdin(stdin)).stdout).unwrap();
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let values: Vec<f64> = words[3..].iter().map(|word| hexadecimal(word)).collect();
            (words[0].parse().unwrap(), [1, 2].map(|at| words[at].parse().unwrap()), values[0], values[1..].to_vec())
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
    fixed: f64,
}

impl Interpreted<'_> {
    fn output(&self, unit: &Unit, y: &[f64]) -> Vec<f64> {
        let n = y.len() - 1;
        let rows = unit.graph.arrays.last().unwrap().rows as usize;
        let mut fields = vec![vec![y[n]], vec![self.fixed], y[..n].to_vec(), vec![0.0; rows]];
        let mut machine = Machine::new(&unit.graph, &fields);
        for phase in &unit.proven.schedule().phases {
            phase.runs.iter().flatten().for_each(|&at| machine.step(at, &mut fields));
        }
        fields.pop().unwrap()
    }
}

impl System for Interpreted<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        self.output(&self.project.rates, y)
    }

    fn go_on_below_zero(&self, start: &[f64], y: &[f64], rates: &mut [f64]) {
        let n = y.len() - 1;
        let is_below = |k: usize| k < n && y[k] < 0.0;
        if !(0..n).any(is_below) {
            return;
        }
        let species = self.project.model.species();
        let sum = (0..n).filter(|&k| is_below(k)).fold(0.0, |sum, k| (1.0 / species[k].weight).mul_add(y[k], sum));
        let entries = self.project.jacobian.graph.pattern.iter().zip(self.output(&self.project.jacobian, start));
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
        for (&(row, column), entry) in
            self.project.jacobian.graph.pattern.iter().zip(self.output(&self.project.jacobian, y))
        {
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
    let options = Options { most_steps: 60, ..Options::default() };
    let expected: Vec<Outcome> = points
        .iter()
        .map(|point| {
            advance(
                &Interpreted { project: &project, fixed: point.fixed },
                &method,
                &start(point),
                point.time,
                &options,
            )
        })
        .collect();
    assert!(expected.iter().any(|outcome| outcome.steps > 5), "some reactors react");
    for flags in ways {
        compiled(flags, name, folder.path());
        for (i, (found, expected)) in advanced(folder.path(), &points, &options).iter().zip(&expected).enumerate() {
            let (status, steps, step, state) = found;
            assert_eq!(
                (*status, *steps),
                (number(expected.status), [expected.steps, expected.rejected]),
                "{name} {flags:?} {i}"
            );
            let (t, fractions) = state.split_first().unwrap();
            let n = fractions.len();
            for (k, (found, expected)) in fractions.iter().chain([t]).zip(&expected.y).enumerate() {
                assert_eq!(
                    found.to_bits(),
                    expected.to_bits(),
                    "{name} {flags:?} point {i} row {k} of {n}: {found:e} {expected:e}"
                );
            }
            if expected.status == Status::Done {
                assert_eq!(step.to_bits(), expected.step.to_bits());
            }
        }
    }
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
        for ((status, _, _, found), point) in advanced(folder.path(), &points, &options).into_iter().zip(&points) {
            assert_eq!(status, 0, "{name}");
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
    let changes: [Change; 13] = [
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
        assert_eq!(found.0, *expected, "{i}");
        if found.0 != 0 || mixed[i].time == 0.0 {
            let kept = [&[mixed[i].temperature][..], &mixed[i].fractions].concat();
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&found.3), bits(&kept), "{i} keeps its state");
        }
    }
    // Of two steps some points need more, and keep their states.
    let few = advanced(folder.path(), &good, &Options { most_steps: 2, ..options });
    for (found, point) in few.iter().zip(&good) {
        let kept = [&[point.temperature][..], &point.fractions].concat();
        assert!(matches!((found.0, found.1[0]), (0, 1 | 2) | (1, 2)));
        assert_eq!(found.0 == 1, found.3 == kept);
    }
    assert!(few.iter().any(|found| found.0 == 0) && few.iter().any(|found| found.0 == 1));
    let refused = |options: &Options| std::panic::catch_unwind(|| advanced(folder.path(), &good, options)).is_err();
    assert!(refused(&Options { relative_tolerance: 0.0, ..options }));
    assert!(refused(&Options { absolute_tolerance: -1.0, ..options }));
    assert!(refused(&Options { most_steps: 0, ..options }));
}
