//! Interval arithmetic over a graph: between which numbers the result of every instruction lies, wherever the temperature that the
//! preamble's scalars are made of lies between two others. Nothing is known of other inputs.
//!
//! A temperature that is not a number is left out: it makes all results so. Ends are rounded to nearest like everything else: whoever compares them leaves room
//! for that.

use cranelift_entity::SecondaryMap;

use super::body::{Binary, Body, Id, Inst, RealFunction, Unary};
use super::dataflow::{Graph, Step, StepRef, Value};
use kinetics::approximation::range::TemperatureRange;

/// The array that holds the temperature, in K.
const TEMPERATURE: &str = "temperature";

/// The numbers from the least to the most, and perhaps what is not a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub least: f64,
    pub most: f64,
    pub or_nan: bool,
}

impl Interval {
    const ALL: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY, or_nan: true };

    /// Interval around some ends; everything if one of these is NaN, like the difference of infinities.
    fn enclosing<const N: usize>(ends: [f64; N], or_nan: bool) -> Self {
        if ends.iter().any(|x| x.is_nan()) {
            return Self::ALL;
        }
        let least = ends.into_iter().fold(f64::INFINITY, f64::min);
        Self { least, most: ends.into_iter().fold(f64::NEG_INFINITY, f64::max), or_nan }
    }

    fn hull(self, other: Self) -> Self {
        let or_nan = self.or_nan || other.or_nan;
        Self { least: self.least.min(other.least), most: self.most.max(other.most), or_nan }
    }

    /// Returns the image under a rising function.
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self::enclosing([f(self.least), f(self.most)], self.or_nan)
    }

    fn plus(self, other: Self) -> Self {
        Self::enclosing([self.least + other.least, self.most + other.most], self.or_nan || other.or_nan)
    }

    fn times(self, other: Self) -> Self {
        let [a, b] = [self, other].map(|x| [x.least, x.most]);
        Self::enclosing([a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]], self.or_nan || other.or_nan)
    }

    fn negative(self) -> Self {
        Self { least: -self.most, most: -self.least, ..self }
    }
}

/// Hands out the intervals of each body's instructions, the preamble's (`None`) first. `order` is that of [`Graph::order`].
pub fn of_instructions(
    graph: &Graph,
    order: &[StepRef],
    temperatures: TemperatureRange,
    mut see: impl FnMut(Option<StepRef>, &Body, &[Interval]),
) {
    let TemperatureRange { coldest, hottest } = temperatures;
    let filtered = |array: u32| match graph.arrays[array as usize].name {
        TEMPERATURE => Interval { least: coldest, most: hottest, or_nan: false },
        _ => Interval::ALL,
    };
    let mut values: SecondaryMap<Value, Interval> = SecondaryMap::with_default(Interval::ALL);
    let preamble = &graph.shapes[graph.preamble.shape];
    let mut all = Vec::new();
    evaluate(preamble, &graph.preamble, &[], &values, filtered, &mut all);
    see(None, preamble, &all);
    let scalars: Vec<Interval> = preamble.states.iter().map(|&id| all[id as usize]).collect();
    for &at in order {
        let (body, step) = (graph.body(at), graph.step(at));
        evaluate(body, step, &scalars, &values, |_| Interval::ALL, &mut all);
        see(Some(at), body, &all);
        // The sums of a matrix product are not what its body says.
        for (&value, &id) in step.outputs.iter().zip(&body.values).filter(|_| body.tensor.is_none()) {
            values[value] = all[id as usize];
        }
    }
}

/// Puts the interval of each instruction in the place of what stood there before.
fn evaluate(
    body: &Body,
    step: &Step,
    scalars: &[Interval],
    values: &SecondaryMap<Value, Interval>,
    field: impl Fn(u32) -> Interval,
    all: &mut Vec<Interval>,
) {
    all.clear();
    for inst in &body.insts {
        let get = |id: Id| all[id as usize];
        all.push(match *inst {
            Inst::Literal(c) => number(c),
            Inst::Constant(k) => number(step.constants[k as usize]),
            Inst::Scalar(k) => scalars[k as usize],
            Inst::Input(k) => values[step.inputs[k as usize]],
            Inst::Field { array, .. } => field(array),
            Inst::State(_) => Interval::ALL,
            Inst::Unary(op, a) => unary(op, get(a)),
            Inst::Binary(op, a, b) => binary(op, get(a), get(b)),
            Inst::Fma(a, b, c) => get(a).times(get(b)).plus(get(c)),
            Inst::SelectLe { a, b, then, otherwise } => selection(all, [a, b], then, otherwise),
        });
    }
}

/// Returns the interval of a constant. NaN adds nothing to a hull but itself.
fn number(c: f64) -> Interval {
    match c.is_nan() {
        true => Interval { least: f64::INFINITY, most: f64::NEG_INFINITY, or_nan: true },
        false => Interval { least: c, most: c, or_nan: false },
    }
}

/// Bounds a selection: a selected side that is no more, or no less, than the other side keeps that bound. NaN fails the comparison.
fn selection(all: &[Interval], [a, b]: [Id; 2], then: Id, otherwise: Id) -> Interval {
    let get = |id: Id| all[id as usize];
    let (left, right) = (get(a), get(b));
    let first = match get(then) {
        known if then == a => Interval { most: known.most.min(right.most), or_nan: false, ..known },
        known if then == b => Interval { least: known.least.max(left.least), or_nan: false, ..known },
        known => known,
    };
    if left.least > right.most {
        get(otherwise)
    } else if left.most <= right.least && !left.or_nan && !right.or_nan {
        first
    } else {
        first.hull(get(otherwise))
    }
}

fn unary(op: Unary, x: Interval) -> Interval {
    let positive = |f: fn(f64) -> f64| {
        let values = x.map(|x| f(x.max(0.0)));
        Interval { or_nan: values.or_nan || x.least <= 0.0, ..values }
    };
    match op.real_function() {
        RealFunction::Neg => x.negative(),
        RealFunction::Sqrt => positive(f64::sqrt),
        RealFunction::Log => positive(f64::ln),
        RealFunction::Log2 => positive(f64::log2),
        RealFunction::Positive => x.map(|x| x.max(0.0)),
        RealFunction::Exp => x.map(f64::exp),
        RealFunction::Exp2 => x.map(f64::exp2),
        RealFunction::Exp2OfNegative => x.negative().map(f64::exp2),
    }
}

fn binary(op: Binary, a: Interval, b: Interval) -> Interval {
    match op {
        Binary::Add => a.plus(b),
        Binary::Sub => a.plus(b.negative()),
        Binary::Mul => a.times(b),
        Binary::Div | Binary::DivNear if b.least > 0.0 || b.most < 0.0 => {
            a.times(Interval { least: 1.0 / b.most, most: 1.0 / b.least, ..b })
        }
        Binary::Div | Binary::DivNear => Interval::ALL,
    }
}
