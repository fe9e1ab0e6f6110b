//! The center of Troe's broadening, made of a few powers of two.

use std::f64::consts::LOG2_E;

use crate::build::{Operands, SCALARS, scalar, scalar_of};
use crate::options::Exponential;
use crate::thermodynamics::formation;
use graph::body::Id;
use kinetics::approximation::range::TemperatureRange;

/// From here on exp(-x) is 0 beside any broadening.
const VANISHING: f64 = 745.0;

/// The center of the broadening: a constant and exponentials of c T or of c/T, c = `rate`.
#[derive(Debug, Clone, PartialEq)]
pub struct Center {
    pub constant: f64,
    /// (weight, rate, whether of 1/T)
    pub terms: Vec<(f64, f64, bool)>,
}

/// log2 max(x, smallest)
pub fn log2(o: &mut Operands, x: Id, smallest: f64) -> Id {
    let b = &mut o.body;
    let smallest = b.literal(smallest);
    let floored = b.max(x, smallest);
    b.log2(floored)
}

impl Center {
    pub fn new([a, t3, t1]: [f64; 3], t2: Option<f64>) -> Self {
        let TemperatureRange { coldest, hottest } = formation::TEMPERATURES;
        let mut center = Self { constant: 0.0, terms: Vec::new() };
        for (weight, t) in [(1.0 - a, t3), (a, t1)] {
            // A zero T3 or T1 stands for an exponential that is zero.
            if weight == 0.0 || t == 0.0 || coldest / t >= VANISHING {
                continue;
            }
            if (hottest / t).abs() < f64::EPSILON / 4.0 {
                center.constant += weight;
            } else {
                center.terms.push((weight, -1.0 / t, false));
            }
        }
        match t2 {
            Some(0.0) => center.constant += 1.0,
            Some(t2) if t2 / hottest < VANISHING => center.terms.push((1.0, -t2, true)),
            _ => {}
        }
        center
    }

    /// log2 max(center, smallest)
    pub fn logarithm(&self, o: &mut Operands, exponential: Exponential, smallest: f64) -> Id {
        if self.terms.is_empty() {
            return o.constant(self.constant.max(smallest).log2());
        }
        if let ([(weight, rate, inverse)], 0.0) = (&self.terms[..], self.constant)
            && *weight > 0.0
        {
            let lg = argument(o, weight.log2(), *rate, *inverse);
            let smallest = o.body.literal(smallest.log2());
            return o.body.max(lg, smallest);
        }
        let mut sum = (self.constant != 0.0).then(|| o.constant(self.constant));
        for &(weight, rate, inverse) in &self.terms {
            let lg = argument(o, 0.0, rate, inverse);
            let value = exponential.power(&mut o.body, lg);
            sum = Some(match sum {
                None if weight == 1.0 => value,
                Some(sum) if weight == 1.0 => o.body.add(sum, value),
                _ => {
                    let weight = o.constant(weight);
                    match sum {
                        None => o.body.mul(weight, value),
                        Some(sum) => o.body.fma(weight, value, sum),
                    }
                }
            });
        }
        let sum = sum.expect("a center has terms here");
        log2(o, sum, smallest)
    }
}

/// lg + log2 e times rate T or rate/T
fn argument(o: &mut Operands, lg: f64, rate: f64, inverse: bool) -> Id {
    let which = if inverse { scalar::INVERSE_TEMPERATURE } else { scalar::TEMPERATURE };
    let rate = o.constant(LOG2_E * rate);
    let x = scalar_of(&mut o.body, &SCALARS, which);
    if lg == 0.0 {
        return o.body.mul(rate, x);
    }
    let lg = o.constant(lg);
    o.body.fma(rate, x, lg)
}
