//! Fractions whose sum is not 1: rates, derivatives and reactors are those of the fractions over their sum.

use super::*;

/// The point as a lane has it: without what is below zero, and with fractions whose sum is 1; and the sum that they had.
fn entered(point: &Point) -> (Point, f64) {
    let sum = point.fractions.iter().fold(0.0, |sum, y| sum + y.max(0.0));
    let over = |values: &[f64], least: f64| values.iter().map(|y| y.max(least) / sum).collect();
    let sources = point.sources.as_ref().map(|(sources, q)| (over(sources, f64::NEG_INFINITY), *q));
    (Point { fractions: over(&point.fractions, 0.0), sources, ..point.clone() }, sum)
}

/// The fractions of a point whose lane has these: their sum, and what was below zero.
fn given_back(fractions: &mut [f64], point: &Point, sum: f64) {
    for (y, &start) in fractions.iter_mut().zip(&point.fractions) {
        *y = if start < 0.0 { y.mul_add(sum, start) } else { *y * sum };
    }
}

/// The plain integrator's outcome, with the fractions as they are given back.
pub fn integrated(project: &Project, method: &Method, point: &Point, options: &Options) -> Outcome {
    let (lane, sum) = entered(point);
    let mut outcome = advance(&Interpreted { project, point: &lane }, method, &start(&lane), point.time, options);
    if outcome.status == Status::Done {
        given_back(&mut outcome.y, point, sum);
    } else {
        outcome.y = start(point);
    }
    outcome
}

/// The state of a point whose fractions have a sum.
fn of_sum(point: &Point, sum: f64) -> Vec<f64> {
    let mut y = start(point);
    let (fractions, _) = y.split_at_mut(point.fractions.len());
    fractions.iter_mut().for_each(|y| *y *= sum);
    y
}

/// The product of the sparse Jacobian with a change of the fractions alone, and the sum of the sizes of its terms.
fn product(project: &Project, entries: &[f64], change: &[f64]) -> Vec<[f64; 2]> {
    let n = change.len();
    let amount: f64 = change.iter().zip(project.model.species()).map(|(y, s)| y / s.weight).sum();
    let mut rows = vec![[0.0; 2]; n + 1];
    for (&(row, column), entry) in project.jacobian.graph.pattern.iter().zip(entries) {
        let by = match column as usize {
            k if k < n => change[k],
            k if k > n => amount,
            _ => 0.0,
        };
        let [sum, size] = &mut rows[row as usize];
        *sum += entry * by;
        *size += (entry * by).abs();
    }
    rows
}

/// Rates do not change with the sum, nor do derivatives: those of the rates, along a change that leaves the sum as it is, are theirs over the sum.
#[test]
fn derivatives_are_those_of_fractions_whose_sum_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for state in [StateVariables::MassFractions, StateVariables::Density] {
        let project = written("h2o2", METHODS[0], state, folder.path());
        for point in points(&project, 30) {
            let n = point.fractions.len();
            let system = Interpreted { project: &project, point: &point };
            let (rates, entries) = (system.rates(&start(&point)), system.jacobian(&start(&point)));
            let largest = rates[..n].iter().fold(0.0, |largest: f64, rate| largest.max(rate.abs()));
            for sum in [0.9, 1.001, 1.7] {
                let y = of_sum(&point, sum);
                let near = |found: &[f64], expected: &[f64], scale: f64| {
                    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs() + 1e-12 * scale;
                    found.iter().zip(expected).all(is_near)
                };
                assert!(near(&system.rates(&y)[..n], &rates[..n], largest), "{state:?} {sum}");
                let of_entries = entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
                assert!(near(&system.jacobian(&y), &entries, 1e-3 * of_entries), "{state:?} {sum}");
                // Every second species gains what the others lose.
                let parts = [0, 1].map(|first| y[..n].iter().skip(first).step_by(2).sum::<f64>());
                if parts.contains(&0.0) {
                    continue;
                }
                compared += 1;
                let part = 1e-5 * parts[0].min(parts[1]);
                let change: Vec<f64> = (0..n).map(|k| [part, -part][k % 2] * y[k] / parts[k % 2]).collect();
                let moved = [1.0, -1.0].map(|sign| {
                    let moved: Vec<f64> =
                        y.iter().enumerate().map(|(k, y)| y + sign * change.get(k).unwrap_or(&0.0)).collect();
                    system.rates(&moved)
                });
                for (row, [expected, size]) in product(&project, &entries, &change).into_iter().enumerate().take(n) {
                    let quotient = 0.5 * (moved[0][row] - moved[1][row]);
                    let apart = (quotient - expected / sum).abs();
                    assert!(apart <= 1e-6 * size + 1e-13 * largest, "{state:?} {sum} {row}: {quotient:e} {expected:e}");
                }
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// A mixture that ignites within the time.
fn igniting(project: &Project) -> Point {
    let fraction = |name: &str| match name {
        "H2" => 0.0285,
        "O2" => 0.2264,
        "N2" => 0.7451,
        _ => 0.0,
    };
    let fractions = project.model.species().iter().map(|species| fraction(&species.name)).collect();
    let fixed = if project.constant == Constant::Pressure { 101_325.0 } else { 0.25 };
    Point { temperature: 1200.0, fixed, fractions, time: 1e-4, sources: None }
}

/// The order of the method, the temperature and the composition are those of the normalised state, and the sum is given back.
#[test]
fn a_sum_that_is_not_one_is_kept_and_costs_no_steps() {
    if !there("g++") {
        return;
    }
    for state in [StateVariables::MassFractions, StateVariables::Density, StateVariables::Energy] {
        let folder = tempfile::tempdir().unwrap();
        let project = written("h2o2", METHODS[0], state, folder.path());
        compiled(NATIVE, "h2o2", folder.path());
        let one = igniting(&project);
        let n = one.fractions.len();
        let sums = [1.0, 1.001, 0.999, 1.0 + 1e-9, 2.0];
        let points = sums.map(|sum| {
            let sources = one.fractions.iter().map(|y| 10.0 * sum * (1.0 / n as f64 - y)).collect();
            Point { fractions: of_sum(&one, sum)[..n].to_vec(), sources: Some((sources, 1e9)), ..one.clone() }
        });
        let points = if state == StateVariables::Energy { by_energy(&project, &points).0 } else { points.to_vec() };
        let options = Options { relative_tolerance: 1e-8, absolute_tolerance: 1e-14, ..Options::default() };
        let found = advanced(folder.path(), &points, &options);
        assert!(found[0].temperature > 2300.0 && found[0].steps[0] < 2000, "it ignites: {:?}", found[0].steps);
        let first = &found[0];
        for (found, sum) in found.iter().zip(sums) {
            println!("{state:?} {sum}: {:?} steps, {} K", found.steps, found.temperature);
            assert_eq!(found.status, 0);
            assert!(found.steps[0].abs_diff(first.steps[0]) <= 2, "{sum}: {:?} {:?}", found.steps, first.steps);
            assert!((found.temperature / first.temperature - 1.0).abs() < 1e-8, "{sum}: {}", found.temperature);
            assert!((found.state[1..].iter().sum::<f64>() / sum - 1.0).abs() < 1e-12, "{sum}");
            for k in 0..n {
                let apart = (found.state[1 + k] / sum - first.state[1 + k]).abs();
                assert!(apart <= 1e-6 * first.state[1 + k].abs() + 1e-12, "{sum} {k}: {apart:e}");
                let scale = found.mean_rates[k].abs().max(1.0);
                assert!((found.mean_rates[k] / sum - first.mean_rates[k]).abs() < 1e-5 * scale, "{sum} {k}");
            }
        }
    }
}
