//! Products and orthonormal columns of matrices that are slices by rows.

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// a (n by k) times b (k by m).
pub fn product(a: &[f64], b: &[f64], n: usize, k: usize, m: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * m];
    for i in 0..n {
        let row = &mut c[i * m..][..m];
        for l in 0..k {
            let x = a[i * k + l];
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
