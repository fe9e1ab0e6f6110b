//! Ignitions that begin with radicals far below the tolerance: rates and errors of the first steps say nothing of them.

use super::*;

/// Temperatures in K, pressures in Pa and mass fractions of hydrogen, the rest air. By steps whose pivots nobody looks at, the first four end as they
/// begin.
const BEGINNINGS: [[f64; 3]; 6] = [
    [1231.0, 133_524.0, 0.013_809],
    [1198.6, 282_716.0, 0.002_648],
    [1231.3, 339_914.0, 0.004_956],
    [1163.3, 136_387.0, 0.011_355],
    [1000.0, 101_325.0, 0.028_5],
    [1500.0, 1_013_250.0, 0.028_5],
];

fn beginnings(project: &Project) -> Vec<Point> {
    let point = |[temperature, pressure, fuel]: [f64; 3]| {
        let fraction = |name: &str| match name {
            "H2" => fuel,
            "O2" => 0.233 * (1.0 - fuel),
            "N2" => 0.767 * (1.0 - fuel),
            _ => 0.0,
        };
        let species = project.model.species();
        let fractions: Vec<f64> = species.iter().map(|species| fraction(&species.name)).collect();
        let moles: f64 = fractions.iter().zip(species).map(|(y, s)| y / s.weight).sum();
        let is_pressure = project.constant == Constant::Pressure;
        let fixed = if is_pressure { pressure } else { pressure / (GAS_CONSTANT * temperature * moles) };
        Point { temperature, fixed, fractions, time: 1e-4, sources: None }
    };
    BEGINNINGS.map(point).to_vec()
}

/// Temperatures at the end by the published formulas, at a tight tolerance.
fn expected(project: &Project, points: &[Point]) -> Vec<f64> {
    let tight = Options { relative_tolerance: 1e-9, absolute_tolerance: 1e-20, ..Options::default() };
    let end = |point: &Point| {
        let system = Reference { model: &project.model, constant: project.constant, fixed: point.fixed };
        let outcome = advance(&system, &METHODS[0], &start(point), point.time, &tight);
        assert_eq!(outcome.status, Status::Done);
        outcome.y[point.fractions.len()]
    };
    points.iter().map(end).collect()
}

/// The text for a GPU that leaves all doubts about growth as they are.
fn without_doubts(text: String) -> String {
    let broken = text.replacen("while (is_too_long(b, twice)", "while (false && is_too_long(b, twice)", 1).replacen(
        "while (factorize_at_length(b) &&",
        "while (factorize_at_length(b) && false &&",
        1,
    );
    assert_ne!(text, broken);
    broken
}

/// Temperatures at the end by the integrator for every method, and its bits by the text for a CPU and for a GPU.
#[test]
fn ignitions_from_next_to_nothing_are_not_passed_over() {
    if !there("g++") {
        return;
    }
    for (state, steps) in
        [(StateVariables::MassFractions, ReactorSteps::Pipeline), (StateVariables::Density, ReactorSteps::Fused)]
    {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { steps, ..written("h2o2", METHODS[0], state, folder.path()) };
        let points = beginnings(&project);
        let n = points[0].fractions.len();
        let expected = expected(&project, &points);
        assert!((0..4).all(|i| expected[i] > points[i].temperature + 150.0), "they ignite: {expected:?}");
        let of_tolerance = |relative_tolerance: f64| Options {
            relative_tolerance,
            absolute_tolerance: 1e-6 * relative_tolerance,
            ..Options::default()
        };
        for tolerance in [1e-3, 1e-4, 1e-6] {
            for method in METHODS.iter().chain([&AUTO]) {
                for (point, expected) in points.iter().zip(&expected) {
                    let outcome = integrated(&project, method, point, &of_tolerance(tolerance));
                    let (found, steps) = (outcome.y[n], [outcome.steps, outcome.rejected]);
                    let what = format!("{state:?} {} {tolerance:e}: {found:.1} for {expected:.1} K", method.name);
                    println!("{what}, {steps:?} steps");
                    assert!(outcome.status == Status::Done && (found / expected - 1.0).abs() < 0.02, "{what}");
                }
            }
        }
        let options = of_tolerance(1e-3);
        let outcomes: Vec<Outcome> =
            points.iter().map(|point| integrated(&project, &METHODS[0], point, &options)).collect();
        let has_bits = |what: &str| {
            for (i, (found, expected)) in advanced(folder.path(), &points, &options).iter().zip(&outcomes).enumerate() {
                is_the_outcome(found, expected, &format!("{state:?} {what} {i}"));
            }
        };
        compiled(NATIVE, "h2o2", folder.path());
        has_bits("CPU");
        let target = Target::by_name("hopper").unwrap();
        let stood_in = |change: &dyn Fn(String) -> String| {
            standing_in::stood_in(&project, folder.path(), standing_in::Main::Host, target, state, change);
        };
        stood_in(&|text| text);
        has_bits("GPU");
        stood_in(&without_doubts);
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| has_bits("without doubts")));
        assert!(found.is_err(), "{state:?}: doubts are not settled, and nothing differs");
    }
}
