//! Factors of the estimate that fit the full model best.

use machine::cost::{CALIBRATED, Factors, Spread, Work};
use machine::target::Target;

/// Work and spread of a kernel on an SM, its target, and the full model's nanoseconds per point.
pub type Row = (Work, Spread, &'static Target, f64);

/// Fits the factors from the calibrated ones on, one at a time by ever smaller steps, as long as the mean error falls.
pub fn fit(rows: &[Row]) -> Factors {
    let mut best = CALIBRATED;
    for step in [1.3, 1.1, 1.03, 1.01] {
        while let Some(better) =
            neighbours(best, step).into_iter().find(|other| error(other, rows) < error(&best, rows))
        {
            best = better;
        }
    }
    best
}

/// Returns the mean square of the logarithm of estimated over full time.
fn error(factors: &Factors, rows: &[Row]) -> f64 {
    let of = |(work, spread, target, full): &Row| {
        let busy = target.board.nanoseconds(work.clocks_by(factors, spread, target));
        let memory = work.device_bytes / f64::from(target.board.gigabytes_per_second);
        (busy.max(memory) / full).ln().powi(2)
    };
    rows.iter().map(of).sum::<f64>() / rows.len() as f64
}

/// Each factor a step more and a step less, within what it can mean.
fn neighbours(from: Factors, step: f64) -> Vec<Factors> {
    let mut found = Vec::new();
    for by in [step, 1.0 / step] {
        let share = |x: f64| (x * by).clamp(0.01, 1.0);
        let ratio = |x: f64| (x * by).clamp(1.0, 20.0);
        found.extend([
            Factors { expansion: ratio(from.expansion), ..from },
            Factors { step: ratio(from.step), ..from },
            Factors { shuffle: share(from.shuffle), ..from },
            Factors { shared: share(from.shared), ..from },
            Factors { local: share(from.local), ..from },
            Factors { global: share(from.global), ..from },
            Factors { first: (from.first * by).clamp(0.01, 20.0), ..from },
            Factors { constants: share(from.constants), ..from },
            Factors { fetch_beyond: (from.fetch_beyond * by).clamp(0.01, 20.0), ..from },
            Factors { fetch: (from.fetch * by).clamp(0.01, 20.0), ..from },
            Factors { imbalance: ratio(from.imbalance), ..from },
            Factors { norm: ratio(from.norm), ..from },
            Factors { reuse: ratio(from.reuse), ..from },
        ]);
    }
    found
}
