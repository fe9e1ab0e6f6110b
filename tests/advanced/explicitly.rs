//! Reactors that are advanced by an explicit method where they are not stiff.

use super::*;
use standing_in::Main;

/// Runs the program on the points and tells whether each was stiff: its host prints that with the status.
fn told(folder: &Path, points: &[Point], options: &Options) -> Vec<(Found, bool)> {
    let found = advanced(folder, points, options).into_iter();
    found.map(|found| (Found { status: found.status % 10, ..found }, found.status >= 10)).collect()
}

fn written_with_stiffness(state: StateVariables, folder: &Path) -> Project {
    let project = written("h2o2", AUTO, state, folder);
    let host = folder.join("host.cpp");
    std::fs::write(&host, with_stiffness(std::fs::read_to_string(&host).unwrap())).unwrap();
    project
}

/// The host that prints that, too.
pub fn with_stiffness(host: String) -> String {
    let mut text = host;
    for (from, to) in [
        ("status(points),", "status(points), is_stiff(points),"),
        ("heat.data()};", "heat.data(), is_stiff.data()};"),
        (" status[p],", " status[p] + 10 * is_stiff[p],"),
    ] {
        assert!(text.contains(from));
        text = text.replace(from, to);
    }
    text
}

const OPTIONS: Options = Options {
    relative_tolerance: 1e-4,
    absolute_tolerance: 1e-10,
    absolute_tolerances: &[],
    first_step: 0.0,
    most_steps: 60,
};

/// Points of which some are stiff, and their outcomes.
pub fn of_both_kinds(project: &Project, count: usize, has_sources: bool) -> (Vec<Point>, Vec<Outcome>) {
    let mut points = points(project, count);
    for (i, point) in points.iter_mut().enumerate() {
        point.time = 1e-9 * 3f64.powi((i % 8) as i32);
    }
    if has_sources {
        points = with_sources(&points);
    }
    let expected: Vec<Outcome> = points.iter().map(|point| integrated(project, &AUTO, point, &OPTIONS)).collect();
    let explicit = expected.iter().filter(|outcome| !outcome.is_stiff);
    let steps: usize = explicit.clone().map(|outcome| outcome.steps).sum();
    let explicit = explicit.count();
    println!("{explicit} of {count} explicitly, in {steps} steps");
    assert!(explicit > 5 && count - explicit > 5 && steps > explicit, "{explicit} {steps}");
    (points, expected)
}

/// Whether the program in the folder gives the points their outcomes.
fn gives(project: &Project, folder: &Path, (points, expected): &(Vec<Point>, Vec<Outcome>), what: &str) {
    for (i, ((found, is_stiff), expected)) in told(folder, points, &OPTIONS).iter().zip(expected).enumerate() {
        let what = format!("{what} point {i}");
        assert_eq!(*is_stiff, expected.is_stiff, "{what}");
        is_the_outcome(found, expected, &what);
        are_means(project, &points[i], found, &found.state[1..], &what);
    }
}

/// Statuses, steps, states and the choice of the method, by all ways to compile and with sources.
#[test]
fn points_choose_their_method_by_stiffness() {
    if !there("g++") {
        return;
    }
    for (state, has_sources) in [(StateVariables::MassFractions, false), (StateVariables::Density, true)] {
        let folder = tempfile::tempdir().unwrap();
        let project = written_with_stiffness(state, folder.path());
        let points = of_both_kinds(&project, POINTS, has_sources);
        for flags in if has_sources { &[NATIVE][..] } else { &[NATIVE, SCALAR] } {
            compiled(flags, "h2o2", folder.path());
            gives(&project, folder.path(), &points, &format!("{state:?} {flags:?}"));
        }
    }
}

/// The same of the programs for GPUs on the host: the second pass takes what the first one left, in few slots and in many.
#[test]
fn a_gpu_leaves_what_is_stiff_to_its_second_pass() {
    if !there("g++") {
        return;
    }
    let (fused, apart) = (ReactorSteps::Fused, ReactorSteps::Pipeline);
    for (target, state, steps, has_sources) in [
        ("hopper", StateVariables::MassFractions, apart, true),
        ("hopper", StateVariables::Density, fused, true),
        ("mi300x", StateVariables::Density, apart, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { steps, ..written_with_stiffness(state, folder.path()) };
        let points = of_both_kinds(&project, standing_in::POINTS, has_sources);
        let stood_in = |change: &dyn Fn(&str) -> String| {
            let target = Target::by_name(target).unwrap();
            standing_in::stood_in(&project, folder.path(), Main::Host, target, state, |text| change(&text));
        };
        let changes = [|text: &str| text.to_owned(), standing_in::in_few_slots];
        for change in changes.into_iter().skip(usize::from(target != "hopper")) {
            stood_in(&change);
            gives(&project, folder.path(), &points, target);
        }
        // both dialects have the same text there
        if steps == fused || target != "hopper" {
            continue;
        }
        for (right, wrong) in [
            ("parts.left[before++]", "parts.left[before]"),
            ("parts.is_left[slot] = 0", "parts.is_left[slot] = number % 2"),
            ("point = number >= moving && arrays.order", "point = number >= moving && !arrays.order"),
            ("explicit_b[j]), of_stage", "1.000001 * explicit_b[j]), of_stage"),
        ] {
            stood_in(&|text| {
                let broken = text.replacen(right, wrong, 1);
                assert_ne!(text, broken, "{right}");
                standing_in::in_few_slots(&broken)
            });
            let found = std::panic::catch_unwind(|| gives(&project, folder.path(), &points, wrong));
            assert!(found.is_err(), "{wrong} is broken, and nothing differs");
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
