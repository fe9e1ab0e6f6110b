//! Reactors that are advanced by an explicit method where they are not stiff.

use super::*;

/// Runs the program on the points and tells whether each was stiff: its host prints that with the status.
fn told(folder: &Path, points: &[Point], options: &Options) -> Vec<(Found, bool)> {
    let found = advanced(folder, points, options).into_iter();
    found.map(|found| (Found { status: found.status % 10, ..found }, found.status >= 10)).collect()
}

fn written_with_stiffness(state: StateVariables, folder: &Path) -> Project {
    let project = written("h2o2", AUTO, state, folder);
    let host = folder.join("host.cpp");
    let mut text = std::fs::read_to_string(&host).unwrap();
    for (from, to) in [
        ("status(points),", "status(points), is_stiff(points),"),
        ("heat.data()};", "heat.data(), is_stiff.data()};"),
        (" status[p],", " status[p] + 10 * is_stiff[p],"),
    ] {
        assert!(text.contains(from));
        text = text.replace(from, to);
    }
    std::fs::write(host, text).unwrap();
    project
}

/// Statuses, steps, states and the choice of the method, by all ways to compile and with sources.
#[test]
fn points_choose_their_method_by_stiffness() {
    if !there("g++") {
        return;
    }
    let options = Options { relative_tolerance: 1e-4, absolute_tolerance: 1e-10, most_steps: 60, ..Options::default() };
    for (state, has_sources) in [(StateVariables::MassFractions, false), (StateVariables::Density, true)] {
        let folder = tempfile::tempdir().unwrap();
        let project = written_with_stiffness(state, folder.path());
        let mut points = points(&project, POINTS);
        for (i, point) in points.iter_mut().enumerate() {
            point.time = 1e-9 * 3f64.powi((i % 8) as i32);
        }
        if has_sources {
            points = with_sources(&points);
        }
        let expected: Vec<Outcome> = points.iter().map(|point| integrated(&project, &AUTO, point, &options)).collect();
        let explicit = expected.iter().filter(|outcome| !outcome.is_stiff);
        let steps: usize = explicit.clone().map(|outcome| outcome.steps).sum();
        let count = explicit.count();
        println!("{state:?}: {count} of {POINTS} explicitly, in {steps} steps");
        assert!(count > 5 && POINTS - count > 5 && steps > count, "{count} {steps}");
        for flags in if has_sources { &[NATIVE][..] } else { &[NATIVE, SCALAR, SHARED] } {
            compiled(flags, "h2o2", folder.path());
            for (i, ((found, is_stiff), expected)) in
                told(folder.path(), &points, &options).iter().zip(&expected).enumerate()
            {
                let what = format!("{state:?} {flags:?} point {i}");
                assert_eq!(*is_stiff, expected.is_stiff, "{what}");
                is_the_outcome(found, expected, &what);
                are_means(&project, &points[i], found, &found.state[1..], &what);
            }
        }
    }
}

/// Errors of points that are advanced explicitly are larger than those of the method for stiff ones, and within the tolerance: in the norm that steps are
/// judged by, beside the plain integrator at a hundred-thousandth of it.
#[test]
fn explicit_points_keep_to_their_tolerance() {
    let folder = tempfile::tempdir().unwrap();
    let project = written("h2o2", AUTO, StateVariables::MassFractions, folder.path());
    let (mut worst, mut count) = (0.0f64, 0);
    for relative_tolerance in [1e-3, 1e-4, 1e-6] {
        let options =
            Options { relative_tolerance, absolute_tolerance: 1e-6 * relative_tolerance, ..Options::default() };
        let tight = Options { relative_tolerance: 1e-9, absolute_tolerance: 1e-15, ..options };
        for (i, mut point) in points(&project, POINTS).into_iter().enumerate() {
            point.time = 1e-9 * 3f64.powi((i % 8) as i32);
            let found = integrated(&project, &AUTO, &point, &options);
            if found.is_stiff {
                continue;
            }
            let expected = integrated(&project, &METHODS[0], &point, &tight).y;
            let relative = |(y, expected): (&f64, &f64)| {
                (y - expected) / (relative_tolerance * expected.abs() + options.absolute_tolerance)
            };
            let sum: f64 = found.y.iter().zip(&expected).map(relative).map(|error| error * error).sum();
            worst = worst.max((sum / expected.len() as f64).sqrt());
            count += 1;
        }
    }
    println!("{count} points, {worst:.2} tolerances");
    assert!(count > 30 && worst < 1.0, "{count} points, {worst} tolerances");
}
