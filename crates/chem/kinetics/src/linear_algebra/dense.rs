//! Products and orthonormal columns of matrices that are slices by rows.

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// a (n by k) times b (k by m). Each sum is in the order of k, four terms for each time that it is loaded and stored.
pub fn product(a: &[f64], b: &[f64], n: usize, k: usize, m: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * m];
    for (i, row) in c.chunks_exact_mut(m.max(1)).enumerate() {
        let (fours, rest) = a[i * k..][..k].as_chunks::<4>();
        for (l, x) in fours.iter().enumerate() {
            let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|at| &b[(4 * l + at) * m..][..m]);
            for (j, s) in row.iter_mut().enumerate() {
                *s = *s + x[0] * b0[j] + x[1] * b1[j] + x[2] * b2[j] + x[3] * b3[j];
            }
        }
        for (l, x) in (4 * fours.len()..).zip(rest) {
            row.iter_mut().zip(&b[l * m..][..m]).for_each(|(s, y)| *s += x * y);
        }
    }
    c
}

/// The q by n transpose of a (n by q).
pub fn transposed(a: &[f64], n: usize, q: usize) -> Vec<f64> {
    (0..q).flat_map(|m| (0..n).map(move |i| a[i * q + m])).collect()
}

/// The columns of a (n by q) made orthonormal: modified Gram-Schmidt, again and again so that even what is left of a column by
/// rounding alone becomes a direction of its own. Zero columns stay zero.
pub fn orthonormal(a: &[f64], n: usize, q: usize) -> Vec<f64> {
    let mut columns: Vec<Vec<f64>> = (0..q).map(|m| (0..n).map(|i| a[i * q + m]).collect()).collect();
    for m in 0..q {
        let (done, rest) = columns.split_at_mut(m);
        let column = &mut rest[0];
        for _ in 0..3 {
            for other in done.iter() {
                let part = dot(other, column);
                column.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
            }
            let length = dot(column, column).sqrt();
            let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
            column.iter_mut().for_each(|x| *x *= factor);
        }
    }
    (0..n).flat_map(|i| columns.iter().map(move |c| c[i]).collect::<Vec<f64>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_sums_in_order() {
        let (n, k, m) = (3, 10, 5);
        let entries = |count: usize, by: f64| (0..count).map(|i| (i as f64 * by).sin()).collect::<Vec<f64>>();
        let (a, b) = (entries(n * k, 0.7), entries(k * m, 1.3));
        for (at, entry) in product(&a, &b, n, k, m).into_iter().enumerate() {
            let (i, j) = (at / m, at % m);
            assert_eq!(entry, (0..k).fold(0.0, |sum, l| sum + a[i * k + l] * b[l * m + j]));
        }
    }

    #[test]
    fn columns_become_orthonormal() {
        let (n, q) = (7, 4);
        let a: Vec<f64> = (0..n * q).map(|i| ((i * i + 3) as f64).sin()).collect();
        let b = orthonormal(&a, n, q);
        let gram = product(&transposed(&b, n, q), &b, q, n, q);
        for (i, entry) in gram.iter().enumerate() {
            let expected = f64::from(u8::from(i / q == i % q));
            assert!((entry - expected).abs() < 1e-14, "{i}: {entry}");
        }
    }
}
