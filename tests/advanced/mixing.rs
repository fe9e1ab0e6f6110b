//! States that flows make of fresh and burnt gas: none fails.

use super::*;

/// Moles of methane for two of oxygen and 7.52 of nitrogen.
const FUEL: [f64; 3] = [0.2, 1.0, 5.0];

fn fresh(project: &Project, fuel: f64, temperature: f64, pressure: f64) -> Point {
    let moles = |name: &str| match name {
        "CH4" => fuel,
        "O2" => 2.0,
        "N2" => 7.52,
        _ => 0.0,
    };
    let masses: Vec<f64> = project.model.species().iter().map(|s| moles(&s.name) * s.weight).collect();
    let mass: f64 = masses.iter().sum();
    let fractions = masses.iter().map(|m| m / mass).collect();
    Point { temperature, fixed: pressure, fractions, time: 1e-3, sources: None }
}

/// Between two points, by shares of mass; temperatures as if heat capacities were equal.
fn mixed(cold: &Point, hot: &Point, share: f64) -> Point {
    let between = |a: f64, b: f64| share.mul_add(b - a, a);
    let fractions = cold.fractions.iter().zip(&hot.fractions).map(|(&a, &b)| between(a, b)).collect();
    Point { temperature: between(cold.temperature, hot.temperature), fractions, ..cold.clone() }
}

/// Ignitions, flames from cold to burnt, burnt gas quenched, and lean burnt beside rich gas, at low and high pressure.
#[test]
fn no_mixture_of_fresh_and_burnt_gas_fails() {
    if !there("g++") {
        return;
    }
    let Gri30 { project, folder } = gri30();
    let options = Options { most_steps: 5000, ..Options::default() };
    let mut states = Vec::new();
    for pressure in [2e4, 101_325.0, 4e6] {
        let hot = FUEL.map(|fuel| fresh(project, fuel, 1800.0, pressure));
        let burnt = advanced(folder, &hot, &options);
        let burnt: Vec<Point> = std::iter::zip(&hot, &burnt)
            .map(|(hot, end)| {
                assert_eq!(end.status, 0);
                let (&temperature, fractions) = end.state.split_first().unwrap();
                Point { temperature, fractions: fractions.to_vec(), ..hot.clone() }
            })
            .collect();
        assert!(burnt[1].temperature > 2500.0, "it burns: {}", burnt[1].temperature);
        for (fuel, burnt) in std::iter::zip(FUEL, &burnt) {
            let cold = fresh(project, fuel, 300.0, pressure);
            states.extend((0..=10).map(|n| mixed(&cold, burnt, f64::from(n) / 10.0)));
            states.extend([400.0, 800.0, 1200.0].map(|temperature| Point { temperature, ..burnt.clone() }));
            states.extend([1000.0, 1500.0, 2500.0].map(|temperature| fresh(project, fuel, temperature, pressure)));
        }
        states.extend([0.1, 0.5, 0.9].map(|share| mixed(&burnt[0], &hot[2], share)));
    }
    for time in [1e-6, 1e-4] {
        states.iter_mut().for_each(|state| state.time = time);
        let mut most = 0;
        for (i, (found, state)) in advanced(folder, &states, &options).iter().zip(&states).enumerate() {
            assert_eq!(found.status, 0, "point {i}: {} K, {} Pa", state.temperature, state.fixed);
            let fractions = &found.state[1..];
            assert!((fractions.iter().sum::<f64>() - 1.0).abs() < 1e-12, "point {i}");
            assert!(fractions.iter().all(|&y| y > -1e-9), "point {i}");
            assert!((250.0..4000.0).contains(&found.temperature), "point {i}: {}", found.temperature);
            most = most.max(found.steps[0]);
        }
        println!("{} states over {time:e} s: {most} steps at most", states.len());
    }
}
