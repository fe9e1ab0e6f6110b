//! Reactors that are advanced on CPUs: the C++ against the plain integrator in bits, at every width of vectors; against solutions at tight
//! tolerances of the reference evaluator; what conserved quantities do; and what cannot be advanced.

use std::path::Path;
use std::process::{Command, Stdio};

use emit_c::host::{Coefficients, Energies};
use graph::fission;
use graph::interpret::Machine;
use kernels::elimination::{self, Elimination};
use kernels::{Factors, Kernel, StateVariables};
use kinetics::constants::GAS_CONSTANT;
use kinetics::integrator::advance::{Growth, Outcome, Solver, Status, System, advance};
use kinetics::integrator::options::{MOST_DRAINED, MOST_NEGATIVE, Options, TEMPERATURES};
use kinetics::integrator::reference::Reference;
use kinetics::integrator::{AUTO, METHODS, Method, RODAS5P};
use kinetics::reactor::Constant;
use kinetics::thermo::h_rt;
use kinetics::{Model, State};
use machine::target::Target;
use machine::toolchain;
use overlay::Codegen;
use ptx::inst::Type;
use singe::compilers;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::output::Unit;
use singe::plan::{Emit, Part, ReactorSteps};
use warpsim::{Buffer, Launch};

mod drained;
mod explicitly;
mod factored;
mod factors;
mod gpu;
mod ignitions;
mod interpreted;
mod mixing;
mod program;
mod standing_in;
mod sums;

use drained::drained;
use factored::Factored;
use interpreted::*;
use program::*;
use sums::integrated;
use testkit::project::{run, there};
use testkit::shipped;

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
        let temperature = temperature_of(project, energy, &point.fractions, SOME_TEMPERATURE);
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
        name,
        method,
        folder.path(),
        &points,
        ways,
        &Options { most_steps: 60, ..Options::default() },
    );
}

/// Compares a project of temperatures with the integrator, for each way to compile it.
fn has_the_bits(
    project: &Project,
    name: &str,
    method: Method,
    folder: &Path,
    points: &[Point],
    ways: &[&[&str]],
    options: &Options,
) {
    let expected = outcomes(project, method, points, options);
    for flags in ways {
        compiled(flags, name, folder);
        are_those_of_the_integrator(project, name, folder, (points, &expected), &format!("{flags:?}"), options);
    }
}

/// Returns what the plain integrator makes of the points.
fn outcomes(project: &Project, method: Method, points: &[Point], options: &Options) -> Vec<Outcome> {
    let expected: Vec<Outcome> = points.iter().map(|point| integrated(project, &method, point, options)).collect();
    assert!(expected.iter().any(|outcome| outcome.steps > 5), "some reactors react");
    expected
}

/// Compares the program in the folder with the plain integrator's outcomes, point by point.
fn are_those_of_the_integrator(
    project: &Project,
    name: &str,
    folder: &Path,
    (points, expected): (&[Point], &[Outcome]),
    way: &str,
    options: &Options,
) {
    for (i, (found, expected)) in advanced(folder, points, options).iter().zip(expected).enumerate() {
        let what = format!("{name} {way} point {i}");
        is_the_outcome(found, expected, &what);
        let (t, fractions) = found.state.split_first().unwrap();
        assert_eq!(t.to_bits(), found.temperature.to_bits(), "{what}");
        are_means(project, &points[i], found, fractions, &what);
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
    let rates: Vec<f64> = found.mean_rates.clone();
    for (k, rate) in rates.iter().enumerate() {
        let expected = if is_done { (fractions[k] - point.fractions[k]) / point.time - source(k) } else { 0.0 };
        // Fractions are rounded when they are multiplied with their sum.
        let rounded = if is_done { 4.0 * f64::EPSILON * point.fractions[k].abs() / point.time } else { 0.0 };
        assert!((rate - expected).abs() <= rounded + 1e-15 * rate.abs(), "{what}: {rate:e} {expected:e}");
    }
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
    // The ways to compile show by turns: the text of the methods differs in its tableau and in the number of stages.
    let ways: [&[&[&str]]; 4] = [&[NATIVE, SHARED], &[NATIVE], &[LOOPS], &[SCALAR]];
    for (method, ways) in METHODS.into_iter().zip(ways) {
        gives_the_bits_of_the_integrator("h2o2", method, StateVariables::MassFractions, ways, POINTS);
    }
    gives_the_bits_of_the_integrator("h2o2", METHODS[0], StateVariables::Density, &[NATIVE], POINTS);
}

#[test]
fn gri30_has_the_bits_of_the_integrator() {
    if !there("g++") {
        return;
    }
    let Gri30 { project, folder } = gri30();
    let points = points(project, 11);
    let options = Options { most_steps: 60, ..Options::default() };
    let expected = outcomes(project, METHODS[0], &points, &options);
    are_those_of_the_integrator(project, "gri30", folder, (&points, &expected), "as it is compiled", &options);
    if testkit::skip::sweeps("gri30 in loops") {
        gives_the_bits_of_the_integrator("gri30", METHODS[0], StateVariables::MassFractions, &[LOOPS], 11);
    }
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
        let mut points = with_sources(&points(&project, POINTS));
        points[3] = drained(&project);
        if project.constant == Constant::Pressure {
            heated(&mut points[5]);
        }
        let tolerances: Vec<f64> = (0..n).map(|k| [1e-12, 1e-9, 1e-15][k % 3]).collect();
        let options = Options { most_steps: 60, absolute_tolerances: &tolerances, ..Options::default() };
        has_the_bits(&project, "h2o2", method, folder.path(), &points, &[NATIVE], &options);
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", method, told, folder.path());
        assert_eq!(project.jacobian.graph.arrays[0].name, "temperature");
        let (told, temperatures) = by_energy(&project, &points);
        compiled(NATIVE, "h2o2", folder.path());
        for (i, found) in advanced(folder.path(), &told, &options).iter().enumerate() {
            let point = Point { temperature: temperatures[i], ..points[i].clone() };
            let expected = integrated(&project, &method, &point, &options);
            let what = format!("{state:?} point {i}");
            is_the_outcome(found, &expected, &what);
            let done = if found.status == 0 { point.time } else { 0.0 };
            let energy = point.sources.as_ref().unwrap().1.mul_add(done, told[i].temperature);
            assert_eq!(found.state[0].to_bits(), energy.to_bits(), "{what}");
            let near = if found.status == 0 { expected.y[n] } else { SOME_TEMPERATURE };
            let end = temperature_of(&project, energy, &found.state[1..], near);
            assert_eq!(found.temperature.to_bits(), end.to_bits(), "{what}");
            // An integrated state keeps the energy within its tolerance.
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
    for state in [StateVariables::MassFractions, StateVariables::Density] {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", METHODS[0], state, folder.path());
        compiled(NATIVE, "h2o2", folder.path());
        keep_to_their_tolerances("h2o2", &project, folder.path(), 13);
    }
    let Gri30 { project, folder } = gri30();
    // The reference takes seconds for each.
    keep_to_their_tolerances("gri30", project, folder, 6);
}

fn keep_to_their_tolerances(name: &str, project: &Project, folder: &Path, count: usize) {
    let points = points(project, count);
    let options = Options::default();
    let tight = Options { relative_tolerance: 1e-9, absolute_tolerance: 1e-15, ..options };
    let mut worst = 0.0f64;
    for (Found { status, state: found, .. }, point) in advanced(folder, &points, &options).iter().zip(&points) {
        assert_eq!(*status, 0, "{name}");
        let system = Reference { model: &project.model, constant: project.constant, fixed: point.fixed };
        let expected = advance(&system, &METHODS[0], &start(point), point.time, &tight);
        assert_eq!(expected.status, Status::Done);
        let (t, fractions) = found.split_first().unwrap();
        let sums = [&point.fractions[..], fractions].map(|fractions| fractions.iter().sum::<f64>());
        assert!((sums[0] - sums[1]).abs() < 1e-13, "{sums:?}");
        for (found, expected) in fractions.iter().chain([t]).zip(&expected.y) {
            worst = worst.max((found - expected).abs() / (1e-6 * expected.abs() + 1e-11));
        }
    }
    println!("{name}, {:?} constant: {worst:.3} tolerances", project.constant);
    // The norm is a mean: one unknown may have the whole error of a step, and errors of steps add up.
    let unknowns = project.model.species().len() + 1;
    assert!(worst < 2.0 * (unknowns as f64).sqrt(), "{name}: {worst}");
}

/// A radical below zero at the beginning stays what it was, beside what becomes of the rest: it does not grow.
#[test]
fn what_is_below_zero_stays() {
    if !there("g++") {
        return;
    }
    for state in [StateVariables::MassFractions, StateVariables::Enthalpy] {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", METHODS[0], state, folder.path());
        compiled(NATIVE, "h2o2", folder.path());
        let species = project.model.species();
        let at = |name: &str| species.iter().position(|s| s.name == name).unwrap();
        let mut fractions = vec![0.0; species.len()];
        [("H2", 0.0285), ("O2", 0.2264), ("N2", 0.7451)].iter().for_each(|(name, y)| fractions[at(name)] = *y);
        let good = Point { temperature: 1200.0, fixed: 101325.0, fractions, time: 1e-3, sources: None };
        let mut points = vec![good];
        for (name, below) in [("H", -1e-9), ("H", -9e-7), ("OH", -1e-8)] {
            let mut point = points[0].clone();
            point.fractions[at(name)] = below;
            points.push(point);
        }
        if state == StateVariables::Enthalpy {
            points = by_energy(&project, &points).0;
        }
        let found = advanced(folder.path(), &points, &Options::default());
        let temperature = found[0].temperature;
        assert!(temperature > 2500.0, "it ignites");
        for (found, point) in found.iter().zip(&points) {
            assert_eq!(found.status, 0);
            assert!((found.temperature / temperature - 1.0).abs() < 1e-5, "{} {temperature}", found.temperature);
            let sums = [&point.fractions[..], &found.state[1..]].map(|fractions| fractions.iter().sum::<f64>());
            assert!((sums[0] - sums[1]).abs() < 1e-13, "{sums:?}");
        }
        if state == StateVariables::MassFractions {
            for (i, point) in points.iter().enumerate() {
                let with_what_was_below = |(y, start): (&f64, &f64)| if *start < 0.0 { y + start } else { *y };
                let expected: Vec<f64> =
                    found[0].state[1..].iter().zip(&point.fractions).map(with_what_was_below).collect();
                assert_eq!(found[i].state[1..], expected, "{i}");
            }
        }
    }
}

fn heated(p: &mut Point) {
    (p.temperature, p.fixed, p.time) = (3000.0, 1e4, 1e-6);
    p.fractions = vec![0.003, 0.0, 0.005, 0.731, 0.017, 0.009, 0.088, 0.066, 0.007, 0.074];
    p.sources = Some((vec![0.0; p.fractions.len()], 5e16));
}

/// The status of a point that is changed.
type Change<'a> = (i32, &'a dyn Fn(&mut Point));

/// A point that is no state, or does not end, is told; neighbours do not notice.
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
    let changes: [Change; 17] = [
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
        // Peroxides that decompose near the hottest temperature.
        (2, &|p| {
            (p.temperature, p.fixed, p.time) = (9900.0, 1.75e5, 4e-4);
            p.fractions = vec![0.003, 0.0, 0.005, 0.731, 0.017, 0.009, 0.088, 0.066, 0.007, 0.074];
        }),
        // Heated towards the temperature where the polynomials' heat capacity is 0.
        (2, &heated),
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
        // Dead ends are left soon, as below the hottest temperature.
        assert!(found.status != 2 || found.steps[0] < 100, "{i}: {:?}", found.steps);
        if found.status != 0 || mixed[i].time == 0.0 {
            let kept = [&[mixed[i].temperature][..], &mixed[i].fractions].concat();
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            assert_eq!(bits(&found.state), bits(&kept), "{i} keeps its state");
        }
    }
    // Some points need more than two steps, and keep their states.
    let few = advanced(folder.path(), &good, &Options { most_steps: 2, ..options });
    for (found, point) in few.iter().zip(&good) {
        let kept = [&[point.temperature][..], &point.fractions].concat();
        assert!(matches!((found.status, found.steps[0]), (0, 1 | 2) | (1, 2)));
        assert_eq!(found.status == 1, found.state == kept);
    }
    assert!(few.iter().any(|found| found.status == 0) && few.iter().any(|found| found.status == 1));
    let refused = |options: &Options| std::panic::catch_unwind(|| advanced(folder.path(), &good, options)).is_err();
    assert!(refused(&Options { relative_tolerance: 0.0, ..options }));
    for absolute_tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(&Options { absolute_tolerance, ..options }), "{absolute_tolerance}");
        let mut tolerances = vec![1e-12; good[0].fractions.len()];
        tolerances[2] = absolute_tolerance;
        assert!(refused(&Options { absolute_tolerances: &tolerances, ..options }), "{absolute_tolerance}");
    }
    for first_step in [-1e-9, f64::NAN, f64::INFINITY] {
        assert!(refused(&Options { first_step, ..options }), "{first_step}");
    }
    assert!(!refused(&Options { first_step: 1e-9, ..options }));
    assert!(refused(&Options { most_steps: 0, ..options }));
}
