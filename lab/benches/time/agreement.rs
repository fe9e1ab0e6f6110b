//! How well two lists of numbers agree.

/// The mean of |a/b - 1|.
pub fn mean_error(pairs: &[(f64, f64)]) -> f64 {
    pairs.iter().map(|(a, b)| (a / b - 1.0).abs()).sum::<f64>() / pairs.len().max(1) as f64
}

/// Kendall's tau: pairs in the same order less those in the other one, over all.
pub fn tau(pairs: &[(f64, f64)]) -> f64 {
    let (mut agree, mut all) = (0i64, 0i64);
    for (at, (a, b)) in pairs.iter().enumerate() {
        for (c, d) in &pairs[..at] {
            all += 1;
            agree += match ((a - c) * (b - d)).total_cmp(&0.0) {
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Equal => 0,
                std::cmp::Ordering::Less => -1,
            };
        }
    }
    agree as f64 / all.max(1) as f64
}
