//! Operations on pairs as instructions on singles.

use super::super::body::{Binary, Id, Inst, RealFunction, Unary};
use super::double_float::{Powers, powers_of_two, split};
use super::elementary::{EXP2, MAGIC};

/// Instructions that make a number: a single, or the first and the second one of a pair.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    pub high: Id,
    pub low: Option<Id>,
}

impl Number {
    /// Its first digits.
    pub fn leading(self) -> Self {
        Self { low: None, ..self }
    }
}

/// A body under construction.
#[derive(Debug, Default)]
pub struct Pairs {
    insts: Vec<Inst>,
    powers: Powers,
}

impl Pairs {
    /// An empty body, whose powers have so many digits.
    pub fn new(powers: Powers) -> Self {
        Self { insts: Vec::new(), powers }
    }

    pub fn into_insts(self) -> Vec<Inst> {
        self.insts
    }

    pub fn push(&mut self, inst: Inst) -> Id {
        self.insts.push(inst);
        self.insts.len() as Id - 1
    }

    pub fn literal(&mut self, c: f64, is_pair: bool) -> Number {
        let [high, low] = split(c).map(f64::from);
        let high = self.push(Inst::Literal(if c.is_nan() { c } else { high }));
        Number { high, low: (is_pair && low != 0.0).then(|| self.push(Inst::Literal(low))) }
    }

    fn neg(&mut self, a: Id) -> Id {
        self.push(Inst::Unary(Unary::Neg, a))
    }

    fn add(&mut self, a: Id, b: Id) -> Id {
        self.push(Inst::Binary(Binary::Add, a, b))
    }

    fn sub(&mut self, a: Id, b: Id) -> Id {
        self.push(Inst::Binary(Binary::Sub, a, b))
    }

    fn mul(&mut self, a: Id, b: Id) -> Id {
        self.push(Inst::Binary(Binary::Mul, a, b))
    }

    fn fused(&mut self, a: Id, b: Id, c: Id) -> Id {
        self.push(Inst::Fma(a, b, c))
    }

    /// The sum of two singles, exactly.
    fn two_sum(&mut self, a: Id, b: Id) -> [Id; 2] {
        let s = self.add(a, b);
        let of_a = self.sub(s, b);
        let of_b = self.sub(s, of_a);
        let rest_of_a = self.sub(a, of_a);
        let rest_of_b = self.sub(b, of_b);
        [s, self.add(rest_of_a, rest_of_b)]
    }

    /// The same where the first is no smaller.
    fn fast_two_sum(&mut self, a: Id, b: Id) -> Number {
        let high = self.add(a, b);
        let of_b = self.sub(high, a);
        Number { high, low: Some(self.sub(b, of_b)) }
    }

    /// The product of the first numbers, and what it lacks of the product of both.
    fn product(&mut self, x: Number, y: Number) -> [Id; 2] {
        let p = self.mul(x.high, y.high);
        let minus = self.neg(p);
        let mut rest = self.fused(x.high, y.high, minus);
        if let Some(low) = y.low {
            rest = self.fused(x.high, low, rest);
        }
        if let Some(low) = x.low {
            rest = self.fused(low, y.high, rest);
        }
        [p, rest]
    }

    fn times(&mut self, x: Number, y: Number) -> Number {
        let [p, rest] = self.product(x, y);
        match (x.low, y.low) {
            (None, None) => Number { high: p, low: Some(rest) },
            _ => self.fast_two_sum(p, rest),
        }
    }

    fn plus(&mut self, x: Number, y: Number) -> Number {
        let [s, rest] = self.two_sum(x.high, y.high);
        let lows = match (x.low, y.low) {
            (None, None) => return Number { high: s, low: Some(rest) },
            (Some(low), None) | (None, Some(low)) => low,
            (Some(a), Some(b)) => self.add(a, b),
        };
        let rest = self.add(lows, rest);
        self.fast_two_sum(s, rest)
    }

    /// x y + c
    pub fn fma(&mut self, x: Number, y: Number, c: Number) -> Number {
        let [p, mut rest] = self.product(x, y);
        let [s, of_sum] = self.two_sum(p, c.high);
        if let Some(low) = c.low {
            rest = self.add(rest, low);
        }
        rest = self.add(rest, of_sum);
        self.fast_two_sum(s, rest)
    }

    /// x y + c, where c is no smaller than the product.
    fn fma_of_larger(&mut self, x: Number, y: Number, c: Number) -> Number {
        let [p, mut rest] = self.product(x, y);
        let Number { high: s, low: of_sum } = self.fast_two_sum(c.high, p);
        for low in [c.low, of_sum].into_iter().flatten() {
            rest = self.add(rest, low);
        }
        self.fast_two_sum(s, rest)
    }

    fn negative(&mut self, x: Number) -> Number {
        Number { high: self.neg(x.high), low: x.low.map(|low| self.neg(low)) }
    }

    pub fn binary(&mut self, op: Binary, x: Number, y: Number) -> Number {
        match op {
            Binary::Add => self.plus(x, y),
            Binary::Sub => {
                let minus = self.negative(y);
                self.plus(x, minus)
            }
            Binary::Mul => self.times(x, y),
            Binary::Div | Binary::DivNear => self.over(op, x, y),
        }
    }

    /// q from the first numbers, and what is left of x beside q y, over y.
    fn over(&mut self, division: Binary, x: Number, y: Number) -> Number {
        let one = self.push(Inst::Literal(1.0));
        let inverse = self.push(Inst::Binary(division, one, y.high));
        let q = self.mul(x.high, inverse);
        let minus = self.neg(q);
        let mut rest = self.fused(minus, y.high, x.high);
        if let Some(low) = x.low {
            rest = self.add(rest, low);
        }
        if let Some(low) = y.low {
            rest = self.fused(minus, low, rest);
        }
        let correction = self.mul(rest, inverse);
        self.fast_two_sum(q, correction)
    }

    fn root(&mut self, x: Number) -> Number {
        let root = self.push(Inst::Unary(Unary::Sqrt, x.high));
        let minus = self.neg(root);
        let mut rest = self.fused(minus, root, x.high);
        if let Some(low) = x.low {
            rest = self.add(rest, low);
        }
        let twice = self.add(root, root);
        let correction = self.push(Inst::Binary(Binary::Div, rest, twice));
        self.fast_two_sum(root, correction)
    }

    pub fn unary(&mut self, op: Unary, x: Number, is_pair: bool) -> Number {
        let function = op.real_function();
        if !is_pair && x.low.is_some() && function == RealFunction::Exp2 {
            return self.leading_power_of_two(x);
        }
        if !is_pair && x.low.is_some() && function == RealFunction::Exp2OfNegative {
            let minus = self.negative(x);
            return self.leading_power_of_two(minus);
        }
        if !is_pair {
            return Number { high: self.push(Inst::Unary(op, x.high)), low: None };
        }
        match function {
            RealFunction::Neg => self.negative(x),
            RealFunction::Sqrt => self.root(x),
            RealFunction::Exp2 => self.power_of_two(x, self.powers.degree_and_pairs()),
            RealFunction::Exp2OfNegative => {
                let minus = self.negative(x);
                self.power_of_two(minus, self.powers.degree_and_pairs())
            }
            RealFunction::Log2 => self.binary_logarithm(x),
            RealFunction::Log => {
                let logarithm = self.binary_logarithm(x);
                let factor = self.literal(std::f64::consts::LN_2, true);
                self.times(logarithm, factor)
            }
            RealFunction::Positive => {
                let zero = self.push(Inst::Literal(0.0));
                let high = self.push(Inst::Unary(op, x.high));
                let low = x.low.unwrap_or(zero);
                Number { high, low: Some(self.push(Inst::SelectLe { a: zero, b: x.high, then: low, otherwise: zero })) }
            }
            // It has no rule in the proof, which comes first.
            RealFunction::Exp => Number { high: self.push(Inst::Unary(op, x.high)), low: None },
        }
    }

    fn power_of_two(&mut self, x: Number, [degree, pairs]: [usize; 2]) -> Number {
        let magic = self.push(Inst::Literal(f64::from(MAGIC)));
        let shifted = self.add(x.high, magic);
        let whole = self.sub(shifted, magic);
        let rest = self.sub(x.high, whole);
        let r = match x.low {
            None => Number { high: rest, low: None },
            Some(low) => self.fast_two_sum(rest, low),
        };
        let coefficients = powers_of_two(degree);
        let (singles, pairs) = coefficients.split_at(degree + 1 - pairs);
        let mut p = Number { high: self.push(Inst::Literal(f64::from(singles[0] as f32))), low: None };
        for &c in &singles[1..] {
            let c = self.push(Inst::Literal(f64::from(c as f32)));
            p.high = self.fused(p.high, r.high, c);
        }
        for &c in pairs {
            let c = self.literal(c, true);
            p = self.fma_of_larger(p, r, c);
        }
        let scale = self.push(Inst::Unary(Unary::Exp2OfWhole, whole));
        Number { high: self.mul(p.high, scale), low: p.low.map(|low| self.mul(low, scale)) }
    }

    /// The first digits of the power of a pair.
    fn leading_power_of_two(&mut self, x: Number) -> Number {
        let magic = self.push(Inst::Literal(f64::from(MAGIC)));
        let shifted = self.add(x.high, magic);
        let whole = self.sub(shifted, magic);
        let mut r = self.sub(x.high, whole);
        if let Some(low) = x.low {
            r = self.add(r, low);
        }
        let mut p = self.push(Inst::Literal(f64::from(EXP2[0])));
        for c in EXP2[1..].iter().chain(&[1.0]) {
            let c = self.push(Inst::Literal(f64::from(*c)));
            p = self.fused(p, r, c);
        }
        let scale = self.push(Inst::Unary(Unary::Exp2OfWhole, whole));
        Number { high: self.mul(p, scale), low: None }
    }

    fn binary_logarithm(&mut self, x: Number) -> Number {
        let logarithm = self.push(Inst::Unary(Unary::Log2, x.high));
        let minus = Number { high: self.neg(logarithm), low: None };
        let power = self.power_of_two(minus, self.powers.of_logarithms());
        let near_one = self.times(x, power);
        let minus_one = self.push(Inst::Literal(-1.0));
        let mut rest = self.add(near_one.high, minus_one);
        if let Some(low) = near_one.low {
            rest = self.add(rest, low);
        }
        let [first, second] = [std::f64::consts::LOG2_E, -0.5 * std::f64::consts::LOG2_E];
        let first = self.push(Inst::Literal(f64::from(first as f32)));
        let second = self.push(Inst::Literal(f64::from(second as f32)));
        let factor = self.fused(second, rest, first);
        let correction = self.mul(rest, factor);
        self.fast_two_sum(logarithm, correction)
    }

    /// Selects `then` if the first is no more than the second.
    pub fn select(&mut self, [a, b]: [Id; 2], then: Number, otherwise: Number) -> Number {
        let high = self.push(Inst::SelectLe { a, b, then: then.high, otherwise: otherwise.high });
        if then.low.is_none() && otherwise.low.is_none() {
            return Number { high, low: None };
        }
        let [then, otherwise] =
            [then.low, otherwise.low].map(|low| low.unwrap_or_else(|| self.push(Inst::Literal(0.0))));
        Number { high, low: Some(self.push(Inst::SelectLe { a, b, then, otherwise })) }
    }

    /// The larger one, by the first numbers, and where these are equal by the second ones.
    pub fn maximum(&mut self, a: Number, b: Number) -> Number {
        let zero = self.push(Inst::Literal(0.0));
        let [low_a, low_b] = [a, b].map(|x| Number { high: x.low.unwrap_or(zero), low: None });
        let low = self.select([low_a.high, low_b.high], low_b, low_a);
        let of_equal = Number { high: a.high, low: Some(low.high) };
        let of_larger = self.select([b.high, a.high], of_equal, Number { high: b.high, low: Some(low_b.high) });
        let of_first = Number { high: a.high, low: Some(low_a.high) };
        // a < b: b; a = b: what the second numbers say; a > b, or no number: a.
        self.select([a.high, b.high], of_larger, of_first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::double_float::{FUNCTIONS, LEADING_POWER, LONG_FUNCTIONS, LONG_LOGARITHMS, UNIT};
    use super::super::premises::Rounding;
    use super::*;
    use crate::interpret::Arithmetic;

    /// Runs the instructions on some singles, which are read as fields of a row each.
    fn run(pairs: &Pairs, fields: &[f32], result: Number) -> f64 {
        let mut all: Vec<f32> = Vec::new();
        for inst in &pairs.insts {
            let get = |id: Id| all[id as usize];
            all.push(match *inst {
                Inst::Literal(c) => c as f32,
                Inst::Scalar(k) => fields[k as usize],
                Inst::Unary(op, a) => <f32 as Arithmetic>::unary(op, get(a)),
                Inst::Binary(Binary::Add, a, b) => get(a) + get(b),
                Inst::Binary(Binary::Sub, a, b) => get(a) - get(b),
                Inst::Binary(Binary::Mul, a, b) => get(a) * get(b),
                Inst::Binary(Binary::Div | Binary::DivNear, a, b) => get(a) / get(b),
                Inst::Fma(a, b, c) => get(a).mul_add(get(b), get(c)),
                Inst::SelectLe { a, b, then, otherwise } => get(if get(a) <= get(b) { then } else { otherwise }),
                _ => unreachable!("pairs read scalars here, and nothing else"),
            });
        }
        let of = |id: Id| f64::from(all[id as usize]);
        of(result.high) + result.low.map_or(0.0, of)
    }

    /// The largest error of an operation on numbers of either sign and many sizes, with pairs and singles as operands, relative to what `scale` makes of them.
    fn worst<const N: usize>(
        build: impl Fn(&mut Pairs, [Number; N]) -> Number,
        exact: impl Fn([f64; N]) -> f64,
        scale: impl Fn([f64; N]) -> f64,
        draw: impl Fn(&mut dyn FnMut() -> f64) -> f64,
    ) -> f64 {
        worst_with(Powers::Short, build, exact, scale, draw)
    }

    fn worst_with<const N: usize>(
        powers: Powers,
        build: impl Fn(&mut Pairs, [Number; N]) -> Number,
        exact: impl Fn([f64; N]) -> f64,
        scale: impl Fn([f64; N]) -> f64,
        draw: impl Fn(&mut dyn FnMut() -> f64) -> f64,
    ) -> f64 {
        let mut worst = 0.0f64;
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for singles in 0..1u32 << N {
            let mut pairs = Pairs::new(powers);
            let mut read = |k: u32| {
                let high = pairs.push(Inst::Scalar(2 * k));
                Number { high, low: (singles >> k & 1 == 0).then(|| pairs.push(Inst::Scalar(2 * k + 1))) }
            };
            let operands: [Number; N] = std::array::from_fn(|k| read(k as u32));
            let result = build(&mut pairs, operands);
            for _ in 0..100_000 {
                let halves: [[f32; 2]; N] = std::array::from_fn(|k| {
                    let [high, low] = split(draw(&mut random));
                    [high, if singles >> k & 1 == 0 { low } else { 0.0 }]
                });
                let numbers = halves.map(|[high, low]| f64::from(high) + f64::from(low));
                let found = run(&pairs, halves.as_flattened(), result);
                worst = worst.max((found - exact(numbers)).abs() / scale(numbers));
            }
        }
        worst
    }

    fn of_any_size(random: &mut dyn FnMut() -> f64) -> f64 {
        let size = (random() * 12.0 - 6.0).exp2();
        if random() < 0.5 { -size } else { size }
    }

    /// Doubles have 53 digits, and what is compared with them errs from the 48th on.
    #[test]
    fn operations_err_by_less_than_is_stated() {
        let errors = [
            worst(|p, [x, y]| p.binary(Binary::Add, x, y), |[x, y]| x + y, |[x, y]| x.abs() + y.abs(), of_any_size),
            worst(|p, [x, y]| p.binary(Binary::Sub, x, y), |[x, y]| x - y, |[x, y]| x.abs() + y.abs(), of_any_size),
            worst(|p, [x, y]| p.binary(Binary::Mul, x, y), |[x, y]| x * y, |[x, y]| (x * y).abs(), of_any_size),
            worst(|p, [x, y]| p.binary(Binary::Div, x, y), |[x, y]| x / y, |[x, y]| (x / y).abs(), of_any_size),
            worst(
                |p, [x, y, c]| p.fma(x, y, c),
                |[x, y, c]| x.mul_add(y, c),
                |[x, y, c]| (x * y).abs() + c.abs(),
                of_any_size,
            ),
            worst(
                |p, [x]| p.unary(Unary::Sqrt, x, true),
                |[x]| x.sqrt(),
                |[x]| x.sqrt(),
                |random| of_any_size(random).abs(),
            ),
        ];
        println!("sum, difference, product, quotient, product and sum, root: {errors:?} of {UNIT:.2e}");
        assert!(errors.iter().all(|&error| error <= UNIT && error > UNIT / 64.0), "{errors:?}");
    }

    #[test]
    fn functions_err_by_less_than_is_stated() {
        let power = worst(
            |p, [x]| p.unary(Unary::Exp2, x, true),
            |[x]| x.exp2(),
            |[x]| x.exp2(),
            |random| random() * 128.0 - 64.0,
        );
        let logarithm = worst(
            |p, [x]| p.unary(Unary::Log2, x, true),
            |[x]| x.log2(),
            |[x]| x.log2(),
            |random| (random() * 8.0 + 6.0).exp2(),
        );
        let long_power = worst_with(
            Powers::Long,
            |p, [x]| p.unary(Unary::Exp2, x, true),
            |[x]| x.exp2(),
            |[x]| x.exp2(),
            |random| random() * 128.0 - 64.0,
        );
        let long_logarithm = worst_with(
            Powers::Long,
            |p, [x]| p.unary(Unary::Log2, x, true),
            |[x]| x.log2(),
            |[x]| x.log2(),
            |random| (random() * 8.0 + 6.0).exp2(),
        );
        println!(
            "long: 2^x {long_power:.2e} of {LONG_FUNCTIONS:.2e}, log2 x {long_logarithm:.2e} of {LONG_LOGARITHMS:.2e}"
        );
        assert!(long_power <= LONG_FUNCTIONS && long_power > LONG_FUNCTIONS / 64.0, "{long_power:e}");
        assert!(long_logarithm <= LONG_LOGARITHMS && long_logarithm > LONG_LOGARITHMS / 64.0, "{long_logarithm:e}");
        let leading = worst(
            |p, [x]| p.unary(Unary::Exp2, x, false),
            |[x]| x.exp2(),
            |[x]| x.exp2(),
            |random| random() * 250.0 - 125.0,
        );
        let most = LEADING_POWER * Rounding::SINGLE.power;
        println!("2^x as a single {leading:.2e} of {most:.2e}");
        assert!(leading <= most && leading > 0.25 * most, "{leading:e}");
        println!("2^x {power:.2e}, log2 x {logarithm:.2e} of {FUNCTIONS:.2e}");
        assert!(power <= FUNCTIONS && power > FUNCTIONS / 64.0, "{power:e}");
        assert!(logarithm <= FUNCTIONS && logarithm > FUNCTIONS / 1024.0, "{logarithm:e}");
    }

    #[test]
    fn the_larger_one_of_pairs_is_that_of_their_sums() {
        let error = worst(
            |p, [x, y]| p.maximum(x, y),
            |[x, y]| x.max(y),
            |[x, y]| x.abs().max(y.abs()),
            // Many of them are equal in their first numbers.
            |random| 1.0 + (random() * 4.0).floor() * 1e-9 + (random() * 2.0).floor() * 1e-7,
        );
        assert_eq!(error, 0.0);
    }
}
