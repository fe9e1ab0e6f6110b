//! The integration of one system, step by step, as generated code must do it: the same operations in the same order.

use super::explicit;
use super::method::Method;
use super::options::{
    ERRORS, FIRST_CHANGE, LEAST_ROOT, MOST_DEAD_ENDS, MOST_SHARE, NO_WALL, Options, SHORTER, WATCHED,
};

/// What the pivots of diagonal I - J tell of growth that is faster than the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    None,
    /// A pivot is much less than its entry, so that growth may be about half as fast.
    Doubtful,
    /// A pivot is negative.
    Certain,
}

impl Growth {
    /// By the least inverse pivot, and the largest share of an entry of the diagonal, or of the number on it, in its pivot.
    pub fn of_pivots(least_inverse: f64, largest_share: f64) -> Self {
        match (least_inverse < 0.0, largest_share > MOST_SHARE) {
            (true, _) => Self::Certain,
            (false, true) => Self::Doubtful,
            (false, false) => Self::None,
        }
    }
}

/// The solution of a factored system for a right-hand side.
pub type Solution<'a> = Box<dyn Fn(&[f64]) -> Vec<f64> + 'a>;

/// A factored system diagonal I - J.
pub struct Solver<'a> {
    pub growth: Growth,
    pub solve: Solution<'a>,
}

/// y' = f(y), with linear systems of its Jacobian J.
pub trait System {
    /// f(y); not finite where there is none.
    fn rates(&self, y: &[f64]) -> Vec<f64>;

    /// Adds to the rates at y what unknowns below zero make of them, by the derivatives at the beginning of the step; nothing where rates
    /// have no kink there.
    fn go_on_below_zero(&self, _start: &[f64], _y: &[f64], _rates: &mut [f64]) {}

    /// Whether a step may end at y.
    fn is_state(&self, _y: &[f64]) -> bool {
        true
    }

    /// Factors diagonal I - J(y).
    fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a>;
}

/// Outcome of an integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Done,
    TooManySteps,
    StepTooSmall,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub y: Vec<f64>,
    pub status: Status,
    pub steps: usize,
    pub rejected: usize,
    /// Length of the next step, in s.
    pub step: f64,
    /// Whether it took the method for stiff points.
    pub is_stiff: bool,
}

/// Advances y by `time`, above 0. Steps follow the error of the last one, and its growth since the one before (Gustafsson, ACM Transactions on
/// Mathematical Software 20 (1994) 496; Hairer & Wanner, equation IV.8.25). A point that is not done keeps its state. Where the method has an explicit
/// one beside it, points that this takes to their ends are not stiff.
pub fn advance(system: &dyn System, method: &Method, start: &[f64], time: f64, options: &Options) -> Outcome {
    let explicit = method.explicit.and_then(|explicit| explicit::advance(system, &explicit, start, time, options));
    explicit.unwrap_or_else(|| advance_stiff(system, method, start, time, options))
}

fn advance_stiff(system: &dyn System, method: &Method, start: &[f64], time: f64, options: &Options) -> Outcome {
    let mut y = start.to_vec();
    let (mut now, mut step, mut steps, mut rejected, mut failed_here) = (0.0, options.first_step, 0, 0, false);
    let mut has_grown = false;
    // The earliest end of a step that has none, and the number of such steps.
    let (mut wall, mut dead_ends) = (NO_WALL, 0);
    // Length and root of the error of the last step that was good.
    let mut good: Option<(f64, f64)> = None;
    let status = loop {
        let mut rates = system.rates(&y);
        system.go_on_below_zero(&y, &y, &mut rates);
        if step <= 0.0 {
            step = first_step(&y, &rates, time, options);
        }
        let unwatched = if has_grown { 0.0 } else { good.map_or(0.0, |(length, _)| WATCHED * length) };
        let (h, shortened, solver) = factored(system, method, &y, &rates, (length(time - now, step), unwatched));
        has_grown |= shortened > 0;
        let (next, error) = stages(system, method, &y, rates, (h, &solver), options);
        let has_end = error.is_finite() && system.is_state(&next);
        let accepted = error <= 1.0 && has_end;
        let of_error = root(error, method.order);
        let mut factor = if has_end { 0.9 / of_error } else { 0.1 };
        if accepted {
            if let Some((length, root)) = good {
                factor = factor.min(0.9 * (h / length) * (root / (of_error * of_error)));
            }
            good = Some((h, of_error.max(LEAST_ROOT)));
        }
        step = h * factor.max(0.1).min(if failed_here || shortened > 0 { 1.0 } else { 8.0 });
        steps += 1 + shortened;
        rejected += shortened;
        failed_here = !accepted;
        if accepted {
            let before = now;
            now = if now + h >= time * (1.0 - 1e-14) { time } else { now + h };
            y = next;
            if now >= time {
                break Status::Done;
            } else if now <= before {
                break Status::StepTooSmall;
            }
            if now >= wall {
                (wall, dead_ends) = (NO_WALL, 0);
            }
        } else {
            rejected += 1;
            if !has_end {
                (wall, dead_ends) = (wall.min(now + h), dead_ends + 1);
            }
            if now + step <= now || dead_ends >= MOST_DEAD_ENDS {
                break Status::StepTooSmall;
            }
        }
        if steps >= options.most_steps {
            break Status::TooManySteps;
        }
    };
    let y = if status == Status::Done { y } else { start.to_vec() };
    Outcome { y, status, steps, rejected, step, is_stiff: true }
}

/// The length of a step, how many longer ones were given up for it, and its factored system. Where something grows by e^x over a step, the method follows
/// for x < 1/(2 gamma); about x = 1/gamma it makes too much of the growth, and beyond that takes it for decay. What grows from next to nothing leaves no error
/// to see, but the system has a negative pivot beyond 1/gamma, and that of twice the length beyond 1/(2 gamma). The latter is factored where a pivot is in
/// doubt, for steps longer than a length. Where all rates are zero nothing grows.
fn factored<'a>(
    system: &'a dyn System,
    method: &Method,
    y: &[f64],
    rates: &[f64],
    (wanted, unwatched): (f64, f64),
) -> (f64, usize, Solver<'a>) {
    let moves = rates.iter().any(|&rate| rate != 0.0);
    let (mut h, mut shortened) = (wanted, 0);
    loop {
        let solver = system.solver(y, 1.0 / h / method.gamma);
        let has_growth = || match solver.growth {
            Growth::None => false,
            Growth::Doubtful if shortened == 0 && h <= unwatched => false,
            Growth::Doubtful => system.solver(y, 0.5 / h / method.gamma).growth == Growth::Certain,
            Growth::Certain => true,
        };
        if !(moves && has_growth()) {
            return (h, shortened, solver);
        }
        h *= SHORTER;
        shortened += 1;
    }
}

/// A step that changes the unknowns by some tolerances, if rates stay as they are.
pub fn first_step(y: &[f64], rates: &[f64], time: f64, options: &Options) -> f64 {
    let mut sum = 0.0f64;
    for (k, (y, rate)) in y.iter().zip(rates).enumerate() {
        let relative = rate / options.relative_tolerance.mul_add(y.abs(), options.absolute(k));
        sum = relative.mul_add(relative, sum);
    }
    let step = FIRST_CHANGE / (sum / y.len() as f64).sqrt();
    if step.is_finite() && step > 0.0 { step.min(time) } else { time }
}

/// The root of an error, of order 2 to 5, by operations that all machines round alike: a power of its sixteenth root, then steps of Newton.
pub(super) fn root(error: f64, order: u32) -> f64 {
    let x = error.clamp(ERRORS[0], ERRORS[1]);
    let sixteenth = x.sqrt().sqrt().sqrt().sqrt();
    let start = (1..16 / order).fold(sixteenth, |y, _| y * sixteenth);
    (0..5).fold(start, |y, _| {
        let power = (2..order).fold(y, |power, _| power * y);
        (f64::from(order) - 1.0).mul_add(y, x / power) / f64::from(order)
    })
}

/// The last steps to the end are equal.
pub(super) fn length(left: f64, step: f64) -> f64 {
    let count = (left / step * (1.0 - 1e-9)).ceil();
    if count > 1.0 && count < 4.0 { left / count } else { left.min(step) }
}

/// A step of a Rosenbrock method.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// u_i, by unknown.
    pub stages: Vec<Vec<f64>>,
    pub end: Vec<f64>,
    /// Difference between the end and a solution of lower order.
    pub errors: Vec<f64>,
}

/// A step of length h from y.
pub fn step(system: &dyn System, method: &Method, y: &[f64], h: f64) -> Step {
    let mut rates = system.rates(y);
    system.go_on_below_zero(y, y, &mut rates);
    step_from(system, method, y, rates, (h, &system.solver(y, 1.0 / h / method.gamma)))
}

/// The sum of a number and multiples of an unknown's changes by the stages.
fn weighted(factors: &[f64], u: &[Vec<f64>], k: usize, start: f64) -> f64 {
    let terms = factors.iter().zip(u).filter(|&(&factor, _)| factor != 0.0);
    terms.fold(start, |sum, (factor, u)| factor.mul_add(u[k], sum))
}

/// The state after a step of length h, and the norm of its error.
fn stages(
    system: &dyn System,
    method: &Method,
    y: &[f64],
    rates: Vec<f64>,
    factored: (f64, &Solver),
    options: &Options,
) -> (Vec<f64>, f64) {
    let Step { end, errors, .. } = step_from(system, method, y, rates, factored);
    let mut sum = 0.0f64;
    for (k, ((&y, &after), error)) in y.iter().zip(&end).zip(&errors).enumerate() {
        let size = if y.abs() <= after.abs() { after.abs() } else { y.abs() };
        let relative = error / options.relative_tolerance.mul_add(size, options.absolute(k));
        sum = relative.mul_add(relative, sum);
    }
    let error = (sum / y.len() as f64).sqrt();
    (end, error)
}

/// A step of a length, with the system that was factored for it.
fn step_from(
    system: &dyn System,
    method: &Method,
    y: &[f64],
    rates: Vec<f64>,
    (h, Solver { solve, .. }): (f64, &Solver),
) -> Step {
    let inverse_step = 1.0 / h;
    let mut f = rates;
    let mut u: Vec<Vec<f64>> = Vec::new();
    for stage in 0..method.m.len() {
        if stage > 0 && !method.takes_rates_over(stage) {
            let at: Vec<f64> = (0..y.len()).map(|k| weighted(method.a[stage], &u, k, y[k])).collect();
            f = system.rates(&at);
            system.go_on_below_zero(y, &at, &mut f);
        }
        let right = (0..y.len()).map(|k| weighted(method.c[stage], &u, k, 0.0).mul_add(inverse_step, f[k]));
        u.push(solve(&right.collect::<Vec<f64>>()));
    }
    let end = y.iter().enumerate().map(|(k, &y)| weighted(method.m, &u, k, y)).collect();
    let errors = (0..y.len()).map(|k| weighted(method.e, &u, k, 0.0)).collect();
    Step { stages: u, end, errors }
}

#[cfg(test)]
mod tests {
    use super::super::{AUTO, METHODS, Method};
    use super::*;
    use crate::linear_algebra::elimination;

    fn solved_by<'a>(solve: impl Fn(&[f64]) -> Vec<f64> + 'a) -> Solver<'a> {
        Solver { growth: Growth::None, solve: Box::new(solve) }
    }

    /// Three reactions of very different speeds (Robertson 1966), and a decay that is not linear.
    struct Robertson;

    impl System for Robertson {
        fn rates(&self, y: &[f64]) -> Vec<f64> {
            let [a, b, c] = [0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]];
            vec![b - a, a - b - c, c, -y[3] * y[3]]
        }

        fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
            let jacobian = [
                [-0.04, 1e4 * y[2], 1e4 * y[1], 0.0],
                [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1], 0.0],
                [0.0, 6e7 * y[1], 0.0, 0.0],
                [0.0, 0.0, 0.0, -2.0 * y[3]],
            ];
            solved_by(move |right: &[f64]| {
                let row = |(i, row): (usize, &[f64; 4])| -> Vec<f64> {
                    let entry = |j: usize| if i == j { diagonal - row[j] } else { -row[j] };
                    (0..4).map(entry).chain([right[i]]).collect()
                };
                elimination::solve(jacobian.iter().enumerate().map(row).collect())
            })
        }
    }

    /// A system whose rates are not numbers.
    struct Nowhere;

    impl System for Nowhere {
        fn rates(&self, _: &[f64]) -> Vec<f64> {
            vec![f64::NAN]
        }

        fn solver<'a>(&'a self, _: &[f64], diagonal: f64) -> Solver<'a> {
            solved_by(move |right: &[f64]| vec![right[0] / diagonal])
        }
    }

    /// A fall that has no states below zero.
    struct Falling;

    impl System for Falling {
        fn rates(&self, _: &[f64]) -> Vec<f64> {
            vec![-1.0]
        }

        fn is_state(&self, y: &[f64]) -> bool {
            y[0] >= 0.0
        }

        fn solver<'a>(&'a self, _: &[f64], diagonal: f64) -> Solver<'a> {
            solved_by(move |right: &[f64]| vec![right[0] / diagonal])
        }
    }

    /// The oscillator of van der Pol with little damping, for which asymptotic orders show early.
    struct Smooth;

    impl System for Smooth {
        fn rates(&self, y: &[f64]) -> Vec<f64> {
            vec![y[1], (1.0 - y[0] * y[0]) * y[1] - y[0]]
        }

        fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
            let (j10, j11) = (-2.0 * y[0] * y[1] - 1.0, 1.0 - y[0] * y[0]);
            solved_by(move |right: &[f64]| {
                elimination::solve(vec![vec![diagonal, -1.0, right[0]], vec![-j10, diagonal - j11, right[1]]])
            })
        }
    }

    /// Growth from next to nothing up to 1 beside a decay.
    struct Explosion {
        /// In 1/s.
        rate: f64,
    }

    impl System for Explosion {
        fn rates(&self, y: &[f64]) -> Vec<f64> {
            vec![self.rate * y[0] * (1.0 - y[0]), -y[1]]
        }

        fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
            let entry = diagonal - self.rate * (1.0 - 2.0 * y[0]);
            let growth = Growth::of_pivots(1.0 / entry, diagonal.max(entry) / entry);
            Solver { growth, solve: Box::new(move |right| vec![right[0] / entry, right[1] / (diagonal + 1.0)]) }
        }
    }

    /// From fractions far below the tolerance the rates say nothing and errors are nothing: pivots alone show what comes.
    #[test]
    fn growth_from_next_to_nothing_is_followed() {
        for method in METHODS {
            for start in [1e-20, 1e-30] {
                for share in 1..=40 {
                    // What the first step tries is of any length beside the growth.
                    let system = Explosion { rate: 10f64.powf(f64::from(share) / 10.0) };
                    let time = 200.0 / system.rate;
                    for tolerance in [1e-3, 1e-6] {
                        let options = Options {
                            relative_tolerance: tolerance,
                            absolute_tolerance: 1e-6 * tolerance,
                            ..Options::default()
                        };
                        let outcome = advance(&system, &method, &[start, 0.0], time, &options);
                        let what = format!("{} {start:e} {share} {tolerance:e}: {outcome:?}", method.name);
                        assert_eq!(outcome.status, Status::Done, "{what}");
                        assert!((outcome.y[0] - 1.0).abs() < 10.0 * tolerance, "{what}");
                    }
                }
            }
            // Nothing grows from nothing.
            let system = Explosion { rate: 1.0 };
            assert_eq!(advance(&system, &method, &[0.0, 0.0], 1e6, &Options::default()).steps, 1);
        }
    }

    /// The difference of the solutions after equal steps and twice as many, over the whole.
    fn difference(method: &Method, steps: usize) -> f64 {
        let run = |steps: usize| {
            let mut y = vec![2.0, 0.5];
            for _ in 0..steps {
                let rates = Smooth.rates(&y);
                let h = 1.0 / steps as f64;
                let solver = Smooth.solver(&y, 1.0 / h / method.gamma);
                y = stages(&Smooth, method, &y, rates, (h, &solver), &Options::default()).0;
            }
            y
        };
        let (coarse, fine) = (run(steps), run(2 * steps));
        coarse.iter().zip(&fine).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn order(method: &Method) -> f64 {
        (difference(method, 32) / difference(method, 64)).log2()
    }

    /// Whether the solution is the place of the last stage and its change, which makes a method stiffly accurate.
    fn ends_with_a_stage(method: &Method) -> bool {
        method.a.last().is_some_and(|last| method.m.split_last() == Some((&1.0, last)))
    }

    #[test]
    fn roots_are_those_of_powers() {
        for order in 2..=5 {
            for n in -60..=60 {
                let x = 10f64.powf(f64::from(n) / 12.0);
                let found = root(x, order) / x.powf(1.0 / f64::from(order));
                assert!((found - 1.0).abs() < 1e-14, "{x}: {found}");
            }
            assert!(0.9 / root(0.0, order) > 8.0 && 0.9 / root(1e9, order) < 0.1);
        }
    }

    #[test]
    fn all_but_one_are_stiffly_accurate() {
        let others: Vec<&str> =
            METHODS.iter().filter(|method| !ends_with_a_stage(method)).map(|method| method.name).collect();
        assert_eq!(others, ["ros4"]);
    }

    #[test]
    fn methods_have_their_orders() {
        for method in METHODS {
            let found = order(&method);
            println!("{}: order {found:.2}", method.name);
            assert!(found > f64::from(method.order) - 0.2, "{}: {found}", method.name);
        }
    }

    /// Every coefficient counts: moved by a few hundredths, it costs most of an order at least.
    #[test]
    fn a_wrong_coefficient_costs_the_order() {
        for method in METHODS {
            for row in 1..method.m.len() {
                for at in 0..row {
                    let moved = |rows: &'static [&'static [f64]]| -> Vec<Vec<f64>> {
                        let mut rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
                        rows[row][at] += 0.03;
                        rows
                    };
                    let leaked = |rows: Vec<Vec<f64>>| -> &'static [&'static [f64]] {
                        let rows: Vec<&'static [f64]> = rows.into_iter().map(|row| &*row.leak()).collect();
                        rows.leak()
                    };
                    for wrong in [
                        Method { a: leaked(moved(method.a)), ..method },
                        Method { c: leaked(moved(method.c)), ..method },
                    ] {
                        let found = (difference(&wrong, 128) / difference(&wrong, 256)).log2();
                        let is_noticed = found < f64::from(method.order) - 0.5
                            || ends_with_a_stage(&method) && !ends_with_a_stage(&wrong);
                        assert!(is_noticed, "{} {row} {at}: {found}", method.name);
                    }
                }
            }
        }
    }

    /// Growth of errors from step to step predicts the next error: an oscillation with sharp turns retries fewer steps, 0.06 to 0.17
    /// of them (0.15 to 0.24 by the last error alone).
    #[test]
    fn growing_errors_are_foreseen() {
        for method in METHODS {
            let options = Options { relative_tolerance: 1e-4, absolute_tolerance: 1e-10, ..Options::default() };
            let outcome = advance(&Smooth, &method, &[2.0, 0.5], 200.0, &options);
            println!("{}: {} steps, {} in vain", method.name, outcome.steps, outcome.rejected);
            assert_eq!(outcome.status, Status::Done);
            assert!((outcome.rejected as f64) < 0.18 * outcome.steps as f64, "{}: {}", method.name, outcome.rejected);
        }
    }

    #[test]
    fn a_stiff_system_keeps_to_its_tolerance() {
        let start = [1.0, 0.0, 0.0, 1.0];
        // Reference values at t = 40 s. First three: Hairer & Wanner, section IV.1; the last, 1/41, is of this page's own equation.
        let expected = [0.715_827_068_719_36, 9.185_534_764_557e-6, 0.284_163_745_745_87, 1.0 / 41.0];
        for method in METHODS {
            for tolerance in [1e-4, 1e-6, 1e-8] {
                let options = Options {
                    relative_tolerance: tolerance,
                    absolute_tolerance: 1e-6 * tolerance,
                    ..Options::default()
                };
                let outcome = advance(&Robertson, &method, &start, 40.0, &options);
                assert_eq!(outcome.status, Status::Done);
                let error =
                    outcome.y.iter().zip(expected).map(|(y, e): (&f64, f64)| (y / e - 1.0).abs()).fold(0.0, f64::max);
                println!(
                    "{} {tolerance:e}: {} steps, {} rejected, error {error:.1e}",
                    method.name, outcome.steps, outcome.rejected
                );
                // The error of a method without a stiff end is 8 to 12 tolerances, for any first step from 30 to 3000 tolerances.
                let most = if ends_with_a_stage(&method) { 3.0 } else { 20.0 };
                assert!(error < most * tolerance, "{} {tolerance:e}: {error:e}", method.name);
            }
        }
    }

    #[test]
    fn steps_are_counted_and_end() {
        let options = Options { most_steps: 3, ..Options::default() };
        let outcome = advance(&Robertson, &METHODS[0], &[1.0, 0.0, 0.0, 1.0], 40.0, &options);
        assert_eq!((outcome.status, outcome.steps, outcome.y), (Status::TooManySteps, 3, vec![1.0, 0.0, 0.0, 1.0]));
        let outcome = advance(&Nowhere, &METHODS[0], &[1.0], 40.0, &Options::default());
        assert_eq!(outcome.status, Status::StepTooSmall);
        for method in [METHODS[0], AUTO] {
            let ends = [0.5, 2.0].map(|time| advance(&Falling, &method, &[1.0], time, &Options::default()).status);
            assert_eq!(ends, [Status::Done, Status::StepTooSmall]);
        }
    }
}
