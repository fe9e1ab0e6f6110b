//! The elimination in doubles, and in floats.

use std::ops::{Mul, Neg};

use super::*;

/// Number type of an elimination.
pub trait Number: Copy + Mul<Output = Self> + Neg<Output = Self> {
    fn from_double(x: f64) -> Self;
    fn wide(self) -> f64;
    fn fused(self, factor: Self, sum: Self) -> Self;
    fn inverse(self) -> Self;
}

impl Number for f64 {
    fn from_double(x: f64) -> Self {
        x
    }
    fn wide(self) -> f64 {
        self
    }
    fn fused(self, factor: Self, sum: Self) -> Self {
        self.mul_add(factor, sum)
    }
    fn inverse(self) -> Self {
        1.0 / self
    }
}

impl Number for f32 {
    fn from_double(x: f64) -> Self {
        x as f32
    }
    fn wide(self) -> f64 {
        self.into()
    }
    fn fused(self, factor: Self, sum: Self) -> Self {
        self.mul_add(factor, sum)
    }
    fn inverse(self) -> Self {
        1.0 / self
    }
}

/// A factored matrix, with the inverses of its pivots.
pub struct Factored<'a, N> {
    plan: &'a Elimination,
    a: Vec<Vec<N>>,
    inverse: Vec<N>,
    /// Entries of the diagonal before the elimination, by place.
    entries: Vec<f64>,
}

impl<'a, N: Number> Factored<'a, N> {
    pub fn new(plan: &'a Elimination, matrix: Vec<Vec<f64>>) -> Self {
        let unknown = |place: usize| plan.order[place];
        let entries = plan.order.iter().map(|&unknown| matrix[unknown][unknown]).collect();
        let mut a: Vec<Vec<N>> = matrix.into_iter().map(|row| row.into_iter().map(N::from_double).collect()).collect();
        let mut inverse = Vec::new();
        for i in 0..a.len() {
            for &k in &plan.lower[i] {
                let factor = a[unknown(i)][unknown(k)] * inverse[k];
                a[unknown(i)][unknown(k)] = factor;
                for &j in &plan.upper[k] {
                    let above = a[unknown(k)][unknown(j)];
                    let entry = &mut a[unknown(i)][unknown(j)];
                    *entry = (-factor).fused(above, *entry);
                }
            }
            inverse.push(a[unknown(i)][unknown(i)].inverse());
        }
        Self { plan, a, inverse, entries }
    }

    /// What the pivots tell of growth; the last one, of the sum, has the other sign.
    pub fn growth(&self, diagonal: f64) -> Growth {
        let (last, others) = self.inverse.split_last().unwrap();
        let least = |least: f64, pivot: &N| if least <= pivot.wide() { least } else { pivot.wide() };
        let most = |most: f64, (pivot, &entry): (&N, &f64)| {
            let share = if diagonal <= entry { entry } else { diagonal } * pivot.wide();
            if share <= most { most } else { share }
        };
        let share = others.iter().zip(&self.entries).fold(0.0, most);
        Growth::of_pivots(others.iter().fold(-last.wide(), least), share)
    }

    /// Solves for a right-hand side, which has no last row, times a scale: in doubles.
    pub fn solution(&self, right: &[f64], scale: f64) -> Vec<f64> {
        let Self { plan, a, inverse, .. } = self;
        let size = a.len();
        let unknown = |place: usize| plan.order[place];
        let product = |x: &[f64], i: usize, places: &[usize]| {
            let mut sums = [0.0f64; 4];
            let whole = places.len() / 4 * 4;
            for (at, &j) in places.iter().enumerate() {
                let sum = if at < whole { &mut sums[at % 4] } else { &mut sums[0] };
                *sum = a[unknown(i)][unknown(j)].wide().mul_add(x[j], *sum);
            }
            (sums[0] + sums[1]) + (sums[2] + sums[3])
        };
        let mut x = vec![0.0; size];
        for i in 0..size {
            let given = right.get(unknown(i)).map_or(0.0, |right| right * scale);
            x[i] = given - product(&x, i, &plan.lower[i]);
        }
        for i in (0..size).rev() {
            x[i] = (x[i] - product(&x, i, &plan.upper[i])) * inverse[i].wide();
        }
        let mut solution = vec![0.0; right.len()];
        (0..size).filter(|&i| unknown(i) < right.len()).for_each(|i| solution[unknown(i)] = x[i]);
        solution
    }
}
