//! Cost of factors in single precision, in steps and errors.

use super::*;

/// The largest error of the points beside exact ends, in tolerances, and all their steps.
fn errors_and_steps(project: &Project, points: &[Point], exact: &[Outcome], options: &Options) -> (f64, usize) {
    let (mut worst, mut steps) = (0.0f64, 0);
    for (point, exact) in points.iter().zip(exact) {
        let end = advance(&Interpreted { project, point }, &METHODS[0], &start(point), point.time, options);
        assert_eq!(end.status, Status::Done);
        steps += end.steps;
        let squares = end.y.iter().zip(&exact.y).map(|(found, exact)| {
            let allowed = options.relative_tolerance.mul_add(exact.abs(), options.absolute_tolerance);
            ((found - exact) / allowed).powi(2)
        });
        worst = worst.max((squares.sum::<f64>() / end.y.len() as f64).sqrt());
    }
    (worst, steps)
}

/// The method's order needs exact derivatives. Factors in floats leave steps and errors as they are down to a tolerance of 1e-7. From there on their own error
/// shows, which is still of the size of the tolerance at 1e-8.
#[test]
fn factors_in_floats_keep_steps_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let mut project = written("h2o2", METHODS[0], StateVariables::MassFractions, folder.path());
    let points = points(&project, 13);
    let of = |tolerance: f64| Options {
        relative_tolerance: tolerance,
        absolute_tolerance: 1e-6 * tolerance,
        ..Options::default()
    };
    let exact = |point: &Point| {
        advance(&Interpreted { project: &project, point }, &METHODS[0], &start(point), point.time, &of(1e-11))
    };
    let exact: Vec<Outcome> = points.iter().map(exact).collect();
    for tolerance in [1e-4, 1e-6, 1e-7, 1e-8] {
        let [whole, single] = [Factors::Double, Factors::Single].map(|factors| {
            project.factors = factors;
            errors_and_steps(&project, &points, &exact, &of(tolerance))
        });
        println!(
            "{tolerance:e}: error {:.3} and {:.3} tolerances, {} and {} steps",
            whole.0, single.0, whole.1, single.1
        );
        let allowed = if tolerance >= 1e-7 { 1.2 * whole.0 } else { 2.0 };
        assert!(single.0 <= allowed, "{tolerance}: {} {}", single.0, whole.0);
        assert!(single.1 as f64 <= 1.05 * whole.1 as f64, "{tolerance}: {} {}", single.1, whole.1);
    }
}
