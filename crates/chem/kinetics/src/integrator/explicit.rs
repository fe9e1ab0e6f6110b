//! The integration of points that are not stiff by an explicit method, as generated code must do it: the same operations in the same order.

use super::advance::{Outcome, Status, System, first_step, length, root};
use super::method::Explicit;
use super::options::{MOST_EXPLICIT_STEPS, MOST_FIRST_STEPS, Options};

/// Advances y by `time`, above 0; nothing where that is left to a method for stiff systems: where rates ask for many steps at once, where steps are
/// bounded by stability rather than by their errors, and where many would be needed.
pub fn advance(system: &dyn System, method: &Explicit, start: &[f64], time: f64, options: &Options) -> Option<Outcome> {
    let mut y = start.to_vec();
    let (mut now, mut step, mut steps, mut rejected) = (0.0, options.first_step, 0, 0);
    loop {
        let rates = system.rates(&y);
        if step <= 0.0 {
            step = first_step(&y, &rates, time, options);
        }
        if steps == 0 && step * MOST_FIRST_STEPS < time {
            return None;
        }
        // The first step is tried over the whole time.
        let h = if steps == 0 { time } else { length(time - now, step) };
        let Step { next, error, stiffness } = stages(system, method, &y, rates, h, options);
        let has_end = error.is_finite() && system.is_state(&next);
        let accepted = error <= 1.0 && has_end;
        step = h * (0.9 / root(error, method.order)).clamp(0.1, 8.0);
        steps += 1;
        if accepted {
            now = if now + h >= time * (1.0 - 1e-14) { time } else { now + h };
            y = next;
            if now >= time {
                return Some(Outcome { y, status: Status::Done, steps, rejected, step, is_stiff: false });
            }
        } else {
            rejected += 1;
        }
        let more = ((time - now) / step).ceil();
        let is_bounded_by_error = stiffness <= 0.5 * method.stable;
        let are_few = steps as f64 + more <= MOST_EXPLICIT_STEPS as f64 && steps < options.most_steps;
        if !(has_end && is_bounded_by_error && are_few) {
            return None;
        }
    }
}

struct Step {
    next: Vec<f64>,
    /// The norm of its error.
    error: f64,
    /// The length of the step times how fast rates change between its last two stages (Hairer & Wanner, Solving Ordinary Differential Equations II,
    /// section IV.2): of stiff systems about the length times the largest eigenvalue.
    stiffness: f64,
}

fn stages(system: &dyn System, method: &Explicit, y: &[f64], rates: Vec<f64>, h: f64, options: &Options) -> Step {
    let weighted = |factors: &[f64], k: &[Vec<f64>], at: usize| {
        let terms = factors.iter().zip(k).filter(|&(&factor, _)| factor != 0.0);
        terms.fold(0.0, |sum, (factor, k)| factor.mul_add(k[at], sum))
    };
    let mut all = vec![rates];
    let (mut place, mut before) = (y.to_vec(), y.to_vec());
    for stage in 1..method.b.len() {
        let at: Vec<f64> = (0..y.len()).map(|k| h.mul_add(weighted(method.a[stage], &all, k), y[k])).collect();
        all.push(system.rates(&at));
        before = std::mem::replace(&mut place, at);
    }
    let [last, other] = [&all[all.len() - 1], &all[all.len() - 2]];
    let (mut sum, mut changes, mut distance) = (0.0f64, 0.0f64, 0.0f64);
    let mut next = Vec::new();
    for (k, &y) in y.iter().enumerate() {
        let after = h.mul_add(weighted(method.b, &all, k), y);
        let size = if y.abs() <= after.abs() { after.abs() } else { y.abs() };
        let scale = options.relative_tolerance.mul_add(size, options.absolute(k));
        let relative = h * weighted(method.e, &all, k) / scale;
        let change = h * (last[k] - other[k]) / scale;
        let apart = (place[k] - before[k]) / scale;
        sum = relative.mul_add(relative, sum);
        changes = change.mul_add(change, changes);
        distance = apart.mul_add(apart, distance);
        next.push(after);
    }
    let stiffness = if distance > 0.0 { (changes / distance).sqrt() } else { 0.0 };
    Step { next, error: (sum / y.len() as f64).sqrt(), stiffness }
}

#[cfg(test)]
mod tests {
    use super::super::advance::advance as by;
    use super::super::advance::{Growth, Solver};
    use super::super::{AUTO, HEUN};
    use super::*;

    /// A decay towards the square of a slow oscillation.
    struct Decay {
        rate: f64,
    }

    impl System for Decay {
        fn rates(&self, y: &[f64]) -> Vec<f64> {
            vec![self.rate * (y[1] * y[1] - y[0]) - 2.0 * y[1] * y[2], -y[2], y[1]]
        }

        fn solver<'a>(&'a self, y: &[f64], diagonal: f64) -> Solver<'a> {
            let (rate, y) = (self.rate, y.to_vec());
            let solve = move |right: &[f64]| {
                let of_both = diagonal * diagonal + 1.0;
                let y1 = (diagonal * right[1] - right[2]) / of_both;
                let y2 = (diagonal * right[2] + right[1]) / of_both;
                let of_slow = (2.0 * rate * y[1] - 2.0 * y[2]) * y1 - 2.0 * y[1] * y2;
                vec![(right[0] + of_slow) / (diagonal + rate), y1, y2]
            };
            Solver { growth: Growth::None, solve: Box::new(solve) }
        }
    }

    /// State at which the decay is over.
    const START: [f64; 3] = [0.64, 0.8, 0.6];

    /// The end of equal steps over a time of 1.
    fn end(method: &Explicit, steps: usize) -> Vec<f64> {
        let system = Decay { rate: 1.0 };
        (0..steps).fold(vec![0.5, 1.0, 0.0], |y, _| {
            let rates = system.rates(&y);
            stages(&system, method, &y, rates, 1.0 / steps as f64, &Options::default()).next
        })
    }

    fn order(method: &Explicit) -> f64 {
        let apart = |steps: usize| {
            let ends = [end(method, steps), end(method, 2 * steps)];
            ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        (apart(64) / apart(128)).log2()
    }

    #[test]
    fn the_method_has_its_order() {
        let found = order(&HEUN);
        println!("{}: order {found:.2}", HEUN.name);
        assert!((found - f64::from(HEUN.order)).abs() < 0.1, "{found}");
        let wrong = [Explicit { a: &[&[], &[0.9]], ..HEUN }, Explicit { b: &[0.45, 0.55], ..HEUN }];
        for wrong in wrong {
            assert!(order(&wrong) < f64::from(HEUN.order) - 0.5, "{:?}", wrong);
        }
    }

    /// The error that is told is that of Euler's method.
    #[test]
    fn the_error_is_of_order_one_less() {
        let system = Decay { rate: 1.0 };
        let of = |h: f64| stages(&system, &HEUN, &START, system.rates(&START), h, &Options::default()).error;
        let found = (of(2e-3) / of(1e-3)).log2();
        assert!((found - f64::from(HEUN.order)).abs() < 0.1, "{found}");
    }

    /// The measured quantity is the length of the step times the largest eigenvalue.
    #[test]
    fn stiffness_is_measured() {
        for rate in [1e2, 1e4] {
            let system = Decay { rate };
            let start = [1.5, 1.0, 0.0];
            let options = Options { absolute_tolerance: 1e-3, ..Options::default() };
            let h = 1e-3 / rate;
            let found = stages(&system, &HEUN, &start, system.rates(&start), h, &options).stiffness;
            assert!((found / (h * rate) - 1.0).abs() < 0.05, "{rate}: {found:e}");
        }
    }

    #[test]
    fn stiff_points_are_left_to_the_other_method() {
        let options = Options { relative_tolerance: 1e-2, absolute_tolerance: 1e-2, ..Options::default() };
        for (rate, time, is_stiff) in [(1.0, 0.1, false), (1e5, 1e-6, false), (1e5, 0.1, true), (1e5, 1.0, true)] {
            let outcome = by(&Decay { rate }, &AUTO, &START, time, &options);
            println!("{rate:e} {time:e}: {} steps, {}", outcome.steps, outcome.is_stiff);
            assert_eq!((outcome.status, outcome.is_stiff), (Status::Done, is_stiff), "{rate:e} {time:e}");
            let slow = 0.8 * time.cos() - 0.6 * time.sin();
            assert!((outcome.y[0] - slow * slow).abs() < 0.03, "{rate:e} {time:e}: {:?}", outcome.y);
        }
        let slow = Decay { rate: 1.0 };
        assert!(advance(&slow, &HEUN, &START, 1.0, &Options::default()).is_none(), "many steps are needed");
    }
}
