//! Real arithmetic of one lane, in both precisions.

use super::scalar::Each;
use ptx::inst::{BinaryOp, Mode, Rounding, TernaryOp, Type, UnaryOp};

/// Reading and writing of values of a type. Single-precision values are held as doubles, which is exact.
#[derive(Clone, Copy)]
pub(super) struct Real {
    double: bool,
    mode: Mode,
}

impl Real {
    /// Makes the reader of a type; `None`: no real type.
    pub(super) fn new(ty: Type, mode: Mode) -> Option<Self> {
        ty.is_float().then_some(Self { double: ty == Type::F64, mode })
    }

    pub(super) fn value(self, bits: u64) -> f64 {
        if self.double {
            return f64::from_bits(bits);
        }
        let x = f32::from_bits(bits as u32);
        f64::from(if self.mode.ftz && x.is_subnormal() { 0.0f32.copysign(x) } else { x })
    }

    /// Returns the bits of a value that the type can represent.
    pub(super) fn finish(self, x: f64) -> u64 {
        let x = if self.mode.sat { if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) } } else { x };
        // -0 clamps to +0
        let x = if self.mode.sat && x == 0.0 { 0.0 } else { x };
        if self.double {
            return x.to_bits();
        }
        let single = x as f32;
        if single.is_nan() {
            return 0x7fff_ffff;
        }
        let single = if self.mode.ftz && single.is_subnormal() { 0.0f32.copysign(single) } else { single };
        single.to_bits().into()
    }

    /// Returns a result in single precision, rounded to nearest, whose exact value is `near + rest` without overflow.
    fn single(self, nearest: f32, near: f64, rest: f64) -> u64 {
        let gap = near - f64::from(nearest);
        let error = if gap == 0.0 { rest } else { gap };
        self.finish(f64::from(directed(nearest, error, self.mode.rounding)))
    }

    pub(super) fn unary(self, op: UnaryOp) -> Option<Each> {
        use UnaryOp::*;
        let sign = if self.double { 1 << 63 } else { 1 << 31 };
        let flushed = move |bits: u64| if self.mode.ftz { self.finish(self.value(bits)) } else { bits };
        let f: fn(f64) -> f64 = match op {
            Mov => return Some(Box::new(|[a, ..]| a)),
            Neg => return Some(Box::new(move |[a, ..]| flushed(a) ^ sign)),
            Abs => return Some(Box::new(move |[a, ..]| flushed(a) & !sign)),
            Rcp => |x| 1.0 / x,
            Sqrt => f64::sqrt,
            Rsqrt => |x| 1.0 / x.sqrt(),
            Sin => f64::sin,
            Cos => f64::cos,
            Ex2 => f64::exp2,
            Lg2 => f64::log2,
            Tanh => f64::tanh,
            _ => return None,
        };
        let exact = matches!(op, Rcp | Sqrt) && self.mode.rounding != Rounding::Approx;
        if !self.double {
            // a double is precise enough for every direction: no quotient or root lies that close to a single
            return Some(Box::new(move |[a, ..]| {
                let y = f(self.value(a));
                self.single(y as f32, y, 0.0)
            }));
        }
        if exact {
            let error: fn(f64, f64) -> f64 = match op {
                Sqrt => |x, root| (-root).mul_add(root, x),
                _ => |x, inverse| (-inverse).mul_add(x, 1.0) * x.signum(),
            };
            return Some(Box::new(move |[a, ..]| {
                let (x, nearest) = (self.value(a), f(self.value(a)));
                self.finish(directed_double(nearest, error(x, nearest), self.mode.rounding))
            }));
        }
        // only the upper half of the result is defined
        Some(Box::new(move |[a, ..]| {
            let y = f(self.value(a));
            let y = if self.mode.ftz && y.is_subnormal() { 0.0f64.copysign(y) } else { y };
            y.to_bits() & !0xffff_ffff
        }))
    }

    pub(super) fn binary(self, op: BinaryOp) -> Option<Each> {
        use BinaryOp::*;
        match op {
            Min => return Some(Box::new(move |[a, b, _]| self.finish(least(self.value(a), self.value(b))))),
            Max => return Some(Box::new(move |[a, b, _]| self.finish(-least(-self.value(a), -self.value(b))))),
            Copysign => {
                let sign = if self.double { 1u64 << 63 } else { 1 << 31 };
                return Some(Box::new(move |[a, b, _]| b & !sign | a & sign));
            }
            Add | Sub | Mul | Div => {}
            _ => return None,
        }
        if self.double {
            let f: fn(f64, f64) -> (f64, f64) = match op {
                Add => |x, y| (x + y, sum_error(x, y)),
                Sub => |x, y| (x - y, sum_error(x, -y)),
                Mul => |x, y| (x * y, x.mul_add(y, -(x * y))),
                _ => |x, y| (x / y, (-(x / y)).mul_add(y, x) * y.signum()),
            };
            return Some(Box::new(move |[a, b, _]| {
                let (nearest, error) = f(self.value(a), self.value(b));
                self.finish(directed_double(nearest, error, self.mode.rounding))
            }));
        }
        Some(Box::new(move |[a, b, _]| {
            let (x, y) = (self.value(a), self.value(b));
            let (p, q) = (x as f32, y as f32);
            match op {
                Add => self.single(p + q, x + y, sum_error(x, y)),
                Sub => self.single(p - q, x - y, sum_error(x, -y)),
                Mul => self.single(p * q, x * y, 0.0),
                _ => self.single(p / q, x / y, 0.0),
            }
        }))
    }

    pub(super) fn ternary(self, op: TernaryOp) -> Option<Each> {
        if !matches!(op, TernaryOp::Fma | TernaryOp::Mad) {
            return None;
        }
        if self.double {
            let directed = matches!(self.mode.rounding, Rounding::Rp | Rounding::Rm | Rounding::Rz);
            return Some(Box::new(move |[a, b, c]| {
                let (x, y, z) = (self.value(a), self.value(b), self.value(c));
                let nearest = x.mul_add(y, z);
                let error = if directed { fused_error(x, y, z, nearest) } else { 0.0 };
                self.finish(directed_double(nearest, error, self.mode.rounding))
            }));
        }
        Some(Box::new(move |[a, b, c]| {
            let (x, y, z) = (self.value(a), self.value(b), self.value(c));
            let nearest = (x as f32).mul_add(y as f32, z as f32);
            // the product is exact in double precision
            self.single(nearest, x * y + z, sum_error(x * y, z))
        }))
    }
}

/// Returns the smaller number. A NaN loses against a number, and -0 is below +0.
pub(super) fn least(x: f64, y: f64) -> f64 {
    match x.partial_cmp(&y) {
        None if x.is_nan() => y,
        None => x,
        Some(std::cmp::Ordering::Less) => x,
        Some(std::cmp::Ordering::Greater) => y,
        Some(std::cmp::Ordering::Equal) => {
            if x.is_sign_negative() {
                x
            } else {
                y
            }
        }
    }
}

/// Returns a number with the sign of the rounding error of a fused multiply-add (Boldo and Muller, "Exact and approximated error
/// of the FMA", 2011): exact unless something overflows or becomes subnormal.
fn fused_error(x: f64, y: f64, z: f64, nearest: f64) -> f64 {
    let product = x * y;
    let low = x.mul_add(y, -product);
    let (tail, rest) = (z + low, sum_error(z, low));
    let (head, between) = (product + tail, sum_error(product, tail));
    let gap = (head - nearest) + between;
    let error = gap + rest;
    if error.is_nan() { 0.0 } else { error }
}

/// Returns the rounding error of a sum (Knuth); for a sum that overflows, a value that brings it back.
pub(super) fn sum_error(x: f64, y: f64) -> f64 {
    let sum = x + y;
    if sum.is_infinite() && x.is_finite() && y.is_finite() {
        return -sum;
    }
    let part = sum - x;
    let error = (x - (sum - part)) + (y - part);
    if error.is_nan() { 0.0 } else { error }
}

/// Returns the neighbour of the nearest number in the wanted direction; `error` has the sign of exact minus nearest.
pub(super) fn directed(nearest: f32, error: f64, rounding: Rounding) -> f32 {
    choose([nearest.next_down(), nearest, nearest.next_up()], nearest.into(), error, rounding)
}

/// As [`directed`], for doubles.
fn directed_double(nearest: f64, error: f64, rounding: Rounding) -> f64 {
    choose([nearest.next_down(), nearest, nearest.next_up()], nearest, error, rounding)
}

/// Chooses one of three neighbours, the second of which has the value `at`.
fn choose<T>([below, nearest, above]: [T; 3], at: f64, error: f64, rounding: Rounding) -> T {
    match rounding {
        Rounding::Rp if error > 0.0 => above,
        Rounding::Rm if error < 0.0 => below,
        Rounding::Rz if at > 0.0 && error < 0.0 => below,
        Rounding::Rz if at < 0.0 && error > 0.0 => above,
        _ => nearest,
    }
}
