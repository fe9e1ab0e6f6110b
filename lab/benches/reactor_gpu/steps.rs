//! Steps of points and their ends, by the plain integrator.

use std::cell::Cell;
use std::fmt::Write as _;

use kinetics::Model;
use kinetics::constants::ATMOSPHERE;
use kinetics::integrator::advance::{Solver, Status, System, advance};
use kinetics::integrator::options::Options;
use kinetics::integrator::reference::Reference;
use kinetics::integrator::{AUTO, METHODS, Method, RODAS5P};
use kinetics::reactor::Constant;

pub struct Point {
    /// Explicit steps that it tried, and those of the method for stiff points.
    pub explicit: usize,
    pub steps: usize,
    pub y: Vec<f64>,
}

/// The points of some states after a time in s at constant pressure. The absolute tolerance is a millionth of the relative one.
pub fn points(model: &Model, states: &[Vec<f64>], method: &Method, time: f64, tolerance: f64) -> Vec<Point> {
    let options = Options { relative_tolerance: tolerance, absolute_tolerance: 1e-6 * tolerance, ..Options::default() };
    let point = |state: &Vec<f64>| {
        let inner = Reference { model, constant: Constant::Pressure, fixed: ATMOSPHERE };
        let system = Counted { inner, rates: Cell::new(0), before_stiff: Cell::new(None) };
        let end = advance(&system, method, state, time, &options);
        assert_eq!(end.status, Status::Done);
        // An explicit step takes rates twice.
        let explicit = system.before_stiff.get().unwrap_or(system.rates.get()).div_ceil(2);
        Point { explicit, steps: if end.is_stiff { end.steps } else { 0 }, y: end.y }
    };
    states.iter().map(point).collect()
}

/// The largest difference of any unknown, relative to |y| + 1e-9.
pub fn largest_error(found: &[Point], exact: &[Point]) -> f64 {
    let pairs = found.iter().zip(exact).flat_map(|(found, exact)| found.y.iter().zip(&exact.y));
    pairs.map(|(found, exact)| (found - exact).abs() / (exact.abs() + 1e-9)).fold(0.0, f64::max)
}

/// Times in s and tolerances at which methods are compared.
const COMPARED: [(f64, f64); 6] = [(1e-7, 1e-3), (1e-6, 1e-2), (1e-6, 1e-3), (1e-6, 1e-4), (1e-6, 1e-5), (1e-5, 1e-4)];

/// A table of steps and errors of all methods, alone and behind the explicit one; its own steps are not counted.
pub fn of_methods(model: &Model, states: &[Vec<f64>]) -> String {
    let mut text = String::from(
        "\n| time | tolerance | method | steps | error | as the second pass: steps | error |\n|---:|---:|---|---:|---:|---:|---:|\n",
    );
    for (time, tolerance) in COMPARED {
        let exact = points(model, states, &RODAS5P, time, super::EXACT);
        for method in METHODS {
            let of_both = [method, Method { explicit: AUTO.explicit, ..method }].map(|method| {
                let found = points(model, states, &method, time, tolerance);
                let mean = found.iter().map(|point| point.steps).sum::<usize>() as f64 / found.len() as f64;
                format!("{mean:.2} | {:.1e}", largest_error(&found, &exact))
            });
            let _ = writeln!(text, "| {time:.0e} s | {tolerance:.0e} | {} | {} |", method.name, of_both.join(" | "));
        }
    }
    text
}

/// A system that counts the evaluations of its rates.
struct Counted<'a> {
    inner: Reference<'a>,
    rates: Cell<usize>,
    /// Those of explicit steps, once there are others.
    before_stiff: Cell<Option<usize>>,
}

impl System for Counted<'_> {
    fn rates(&self, y: &[f64]) -> Vec<f64> {
        self.rates.set(self.rates.get() + 1);
        self.inner.rates(y)
    }

    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
        // A step for stiff points has evaluated its first rates by then.
        self.before_stiff.set(self.before_stiff.get().or(Some(self.rates.get() - 1)));
        self.inner.solver(y, diagonal)
    }
}
