//! The promised errors of fitted forms hold at 10,000 temperatures from 200 to 4000 K, for every species and every pair, and
//! the kernels' graphs keep to them.

use graph::{Graph, interpret};
use kernels::{FLOOR, Form, Kernel, Options};
use kinetics::approximation::interpolation::value;
use kinetics::approximation::range::TemperatureRange;
use kinetics::approximation::{polynomials, principal, tucker};
use kinetics::fits::cubic;
use kinetics::mixture::pair_index;
use kinetics::{Model, State, TransportFits};
use singe::verify;
use testkit::skip;

const TEMPERATURES: u32 = 10_000;
const RANGE: TemperatureRange = TemperatureRange::DEFAULT;
const TOLERANCE: f64 = 1e-4;

fn gri30() -> Model {
    testkit::detailed(&testkit::shipped("gri30"))
}

#[test]
fn heptane() {
    let Some(path) = skip::shared("mechanisms/heptane/chem.inp") else { return };
    let model = testkit::detailed(&path);
    bounds_of_approximations_hold_at_every_temperature("heptane", &model);
    graphs_keep_to_their_bounds_in_pure_species("heptane", &model);
    beyond_the_range_errors_grow("heptane", &model);
}

/// Temperatures equally spaced in ln T, ends included, as u.
fn dense() -> impl Iterator<Item = f64> {
    (0..TEMPERATURES).map(|i| 2.0 * f64::from(i) / f64::from(TEMPERATURES - 1) - 1.0)
}

/// Largest relative error of polynomials against exponentials of cubics in u.
fn largest_error(approximations: impl Iterator<Item = (Vec<f64>, [f64; 4])>) -> f64 {
    let mut worst = 0.0f64;
    for (p, c) in approximations {
        for u in dense() {
            worst = worst.max((value(&p, u) / cubic(&c, u).exp() - 1.0).abs());
        }
    }
    worst
}

/// The bound is met, and no more than a few percent of it are given away.
fn is_tight(what: &str, found: f64, bound: f64) {
    println!("{what}: {found:.3e} at {TEMPERATURES} temperatures, bound {bound:.3e}");
    assert!(found <= bound && bound <= 1.05 * found, "{what}: {found:e}, {bound:e}");
    assert!(bound <= TOLERANCE, "{what}: {bound:e}");
}

fn scaled(cubics: &[[f64; 4]]) -> Vec<[f64; 4]> {
    cubics.iter().map(|c| RANGE.scaled(c)).collect()
}

/// ln 1/D_ij over T^1.75, up to a factor.
fn resistances(fits: &TransportFits) -> Vec<[f64; 4]> {
    scaled(&fits.diffusion.iter().map(|c| [-c[0], 1.75 - c[1], -c[2], -c[3]]).collect::<Vec<_>>())
}

#[test]
fn bounds_of_approximations() {
    bounds_of_approximations_hold_at_every_temperature("gri30", &gri30());
}

fn bounds_of_approximations_hold_at_every_temperature(name: &str, model: &Model) {
    let fits = model.transport.as_ref().unwrap();
    let n = model.species().len();
    for (what, cubics) in [("conductivities", scaled(&fits.conductivity)), ("pairs", resistances(fits))] {
        let found = polynomials::polynomials(&cubics, 0.99 * TOLERANCE);
        let all = found.coefficients.iter().cloned().zip(cubics.iter().copied());
        let degree = found.coefficients[0].len() - 1;
        is_tight(&format!("{name}, polynomials of degree {degree} for {what}"), largest_error(all), found.error);
    }
    let cubics = scaled(&fits.conductivity);
    let found = principal::shared(&cubics, 0.99 * TOLERANCE);
    let functions = principal::functions(&found.tails);
    let all = found.coefficients.iter().zip(&cubics).map(|(row, c)| (principal::combined(row, &functions), *c));
    let count = functions.len();
    is_tight(&format!("{name}, {count} functions for conductivities"), largest_error(all), found.error);

    let cubics = resistances(fits);
    let found = tucker::factors(&cubics, n, 0.9 * TOLERANCE);
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let all =
        pairs.map(|(i, j)| (principal::combined(&found.pair(i, j), &found.functions), cubics[pair_index(n, i, j)]));
    let what = format!("{name}, {} columns and {} functions for pairs", found.rows[0].len(), found.functions.len());
    is_tight(&what, largest_error(all), found.error);
}

/// Temperatures where polynomials through Chebyshev's points err most, about, and the ends.
fn peaks() -> impl Iterator<Item = f64> {
    (0..=48).map(|k| {
        let u = (std::f64::consts::PI * f64::from(k) / 48.0).cos();
        ((u - RANGE.offset()) / RANGE.slope()).exp().clamp(RANGE.coldest, RANGE.hottest)
    })
}

/// In a pure species the mixture rule is that of the species itself or of its pairs: each error shows undiluted.
fn largest_error_of_graph(kernel: Kernel, model: &Model, graph: &Graph) -> f64 {
    let mut worst = 0.0f64;
    for temperature in peaks() {
        for pure in 0..model.species().len() {
            let mut mole_fractions = vec![0.0; model.species().len()];
            mole_fractions[pure] = 1.0;
            let state = State { temperature, pressure: 101_325.0, mole_fractions };
            let mut fields = verify::inputs(model, graph, &state);
            interpret::run(graph, &mut fields);
            let expected = match kernel {
                Kernel::Conductivity => vec![kinetics::conductivity(model, &state)],
                _ => kinetics::diffusion(model, &state, FLOOR),
            };
            for (found, expected) in fields.pop().unwrap().iter().zip(expected) {
                let error = (found / expected - 1.0).abs();
                worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
            }
        }
    }
    worst
}

#[test]
fn graphs_in_pure_species() {
    graphs_keep_to_their_bounds_in_pure_species("gri30", &gri30());
}

fn graphs_keep_to_their_bounds_in_pure_species(name: &str, model: &Model) {
    for kernel in [Kernel::Conductivity, Kernel::Diffusion] {
        for form in [Form::Polynomial, Form::LowRank] {
            let graph = kernels::build(kernel, model, &Options { form, ..Options::default() }).unwrap();
            assert_eq!(graph.range, Some(RANGE));
            let found = largest_error_of_graph(kernel, model, &graph);
            println!("{name} {kernel} {form}: {found:.3e}, bound {:.3e}", graph.bound);
            assert!(found <= graph.bound && graph.bound <= TOLERANCE, "{name} {kernel} {form}: {found:e}");
            assert!(found > 0.8 * graph.bound, "{name} {kernel} {form}: {found:e} of {:e}", graph.bound);
        }
    }
}

/// Where the range ends, so does the promise: a colder or hotter gas shows that it was one.
#[test]
fn beyond_the_range() {
    beyond_the_range_errors_grow("gri30", &gri30());
}

fn beyond_the_range_errors_grow(name: &str, model: &Model) {
    for kernel in [Kernel::Conductivity, Kernel::Diffusion] {
        for form in [Form::Polynomial, Form::LowRank] {
            let graph = kernels::build(kernel, model, &Options { form, ..Options::default() }).unwrap();
            for temperature in [150.0, 5000.0] {
                let mole_fractions = vec![1.0 / model.species().len() as f64; model.species().len()];
                let state = State { temperature, pressure: 101_325.0, mole_fractions };
                let mut fields = verify::inputs(model, &graph, &state);
                interpret::run(&graph, &mut fields);
                let (expected, _) = verify::reference(kernel, model, &graph, kinetics::Stiffness::Sequential, &state);
                let found = fields.pop().unwrap();
                let errors = found.iter().zip(expected).map(|(a, b)| (a / b - 1.0).abs());
                let worst = errors.fold(0.0, f64::max);
                println!("{name} {kernel} {form} at {temperature} K: {worst:.1e}");
                assert!(worst < 0.1, "{name} {kernel} {form} at {temperature} K: {worst:e}");
            }
        }
    }
}

/// A narrower range takes fewer slots: it is the range that is paid for.
#[test]
fn a_narrower_range_is_cheaper() {
    let model = gri30();
    let slots = |fit_range| {
        let options = Options { form: Form::LowRank, fit_range, ..Options::default() };
        let graph = kernels::build(Kernel::Diffusion, &model, &options).unwrap();
        assert_eq!(graph.range, Some(fit_range));
        graph.slots(8)
    };
    let narrow = slots(TemperatureRange { coldest: 700.0, hottest: 1500.0 });
    assert!(narrow < slots(RANGE), "{narrow}");
}
