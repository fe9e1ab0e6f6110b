//! Derivatives of straight-line code along a direction, as more code behind it (forward-mode algorithmic differentiation: Griewank &
//! Walther, Evaluating Derivatives, chapter 3). What is zero gets no code.

use std::f64::consts::{LN_2, LOG2_E};

use crate::build::Operands;
use graph::body::{Binary, Body, Id, Inst, RealFunction, Unary};

/// The derivative of an operand: of a scalar or an input. None is zero.
pub type Seed<'a> = &'a dyn Fn(&mut Operands, Inst) -> Option<Id>;

/// The derivative of a result of the body, along the direction in which the operands change by `seed`. Loads, constants and running
/// states do not change.
pub fn slope(o: &mut Operands, of: Id, seed: Seed<'_>) -> Option<Id> {
    let mut is_read = vec![false; of as usize + 1];
    is_read[of as usize] = true;
    mark(&o.body, of as usize, &mut is_read);
    let mut slopes: Vec<Option<Id>> = Vec::new();
    for id in 0..=of {
        let inst = o.body.insts[id as usize];
        let slope = match inst {
            _ if !is_read[id as usize] => None,
            Inst::Scalar(_) | Inst::Input(_) => seed(o, inst),
            _ => of_instruction(&mut o.body, id, inst, &slopes),
        };
        slopes.push(slope);
    }
    slopes[of as usize]
}

/// Marks all that an instruction depends on.
fn mark(body: &Body, id: usize, is_read: &mut [bool]) {
    let mut pending = body.insts[id].operands();
    while let Some(operand) = pending.pop() {
        if !std::mem::replace(&mut is_read[operand as usize], true) {
            pending.extend(body.insts[operand as usize].operands());
        }
    }
}

fn of_instruction(b: &mut Body, id: Id, inst: Inst, slopes: &[Option<Id>]) -> Option<Id> {
    let slope = |id: Id| slopes[id as usize];
    match inst {
        Inst::Literal(_)
        | Inst::Constant(_)
        | Inst::Scalar(_)
        | Inst::Input(_)
        | Inst::Field { .. }
        | Inst::State(_) => None,
        Inst::Unary(function, a) => slope(a).map(|slope| of_function(b, function, id, a, slope)),
        Inst::Binary(Binary::Add, x, y) => add(b, slope(x), slope(y)),
        Inst::Binary(Binary::Sub, x, y) => sub(b, slope(x), slope(y)),
        Inst::Binary(Binary::Mul, x, y) => {
            let first = slope(x).map(|dx| mul(b, dx, y));
            plus_product(b, x, slope(y), first)
        }
        Inst::Binary(Binary::Div | Binary::DivNear, x, y) => quotient(b, id, x, slope(x), y, slope(y)),
        Inst::Fma(x, y, z) => {
            let first = match slope(x) {
                Some(dx) => plus_product(b, y, Some(dx), slope(z)),
                None => slope(z),
            };
            plus_product(b, x, slope(y), first)
        }
        Inst::SelectLe { a, b: c, then, otherwise } => {
            let (then, otherwise) = (slope(then), slope(otherwise));
            if then.is_none() && otherwise.is_none() {
                return None;
            }
            let [then, otherwise] = [then, otherwise].map(|slope| slope.unwrap_or_else(|| b.literal(0.0)));
            Some(b.select_le(a, c, then, otherwise))
        }
    }
}

/// f'(a) da, where f(a) is the instruction `id`.
fn of_function(b: &mut Body, function: Unary, id: Id, a: Id, slope: Id) -> Id {
    let times = |b: &mut Body, factor: f64, x: Id| {
        let factor = b.literal(factor);
        mul(b, factor, x)
    };
    match function.real_function() {
        RealFunction::Neg => b.neg(slope),
        RealFunction::Exp => mul(b, id, slope),
        RealFunction::Exp2OfNegative => {
            let scaled = times(b, -LN_2, slope);
            mul(b, id, scaled)
        }
        RealFunction::Exp2 => {
            let scaled = times(b, LN_2, slope);
            mul(b, id, scaled)
        }
        RealFunction::Log => b.div(slope, a),
        RealFunction::Log2 => {
            let scaled = times(b, LOG2_E, slope);
            b.div(scaled, a)
        }
        RealFunction::Sqrt => {
            let half = times(b, 0.5, slope);
            b.div(half, id)
        }
        RealFunction::Positive => {
            let zero = b.literal(0.0);
            b.select_le(a, zero, zero, slope)
        }
    }
}

/// (dx - q dy)/y, q = x/y.
fn quotient(b: &mut Body, q: Id, x: Id, dx: Option<Id>, y: Id, dy: Option<Id>) -> Option<Id> {
    let Some(dy) = dy else { return dx.map(|dx| b.div(dx, y)) };
    let minus = b.neg(q);
    if dx.is_none() && is_one(b, x) {
        // q = 1/y: no second quotient.
        let square = b.mul(minus, q);
        return Some(mul(b, square, dy));
    }
    let numerator = plus_product(b, minus, Some(dy), dx)?;
    Some(b.div(numerator, y))
}

/// x dy + rest
fn plus_product(b: &mut Body, x: Id, dy: Option<Id>, rest: Option<Id>) -> Option<Id> {
    let Some(dy) = dy else { return rest };
    Some(match rest {
        None => mul(b, x, dy),
        Some(rest) if is_one(b, dy) => b.add(x, rest),
        Some(rest) => b.fma(x, dy, rest),
    })
}

fn add(b: &mut Body, x: Option<Id>, y: Option<Id>) -> Option<Id> {
    match (x, y) {
        (Some(x), Some(y)) => Some(b.add(x, y)),
        (one, other) => one.or(other),
    }
}

fn sub(b: &mut Body, x: Option<Id>, y: Option<Id>) -> Option<Id> {
    match (x, y) {
        (Some(x), Some(y)) => Some(b.sub(x, y)),
        (Some(x), None) => Some(x),
        (None, y) => y.map(|y| b.neg(y)),
    }
}

fn mul(b: &mut Body, x: Id, y: Id) -> Id {
    match (is_one(b, x), is_one(b, y)) {
        (true, _) => y,
        (_, true) => x,
        _ => b.mul(x, y),
    }
}

fn is_one(b: &Body, id: Id) -> bool {
    matches!(b.insts[id as usize], Inst::Literal(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use graph::dataflow::{Array, Graph, Step};
    use graph::interpret;

    /// f and f' of one scalar, by the interpreter.
    fn evaluated(x: f64, f: impl Fn(&mut Body, Id) -> Id) -> [f64; 2] {
        let arrays = [("x", 1, false), ("y", 2, true)].map(|(name, rows, output)| Array { name, rows, output });
        let mut graph = Graph::new("test", arrays.to_vec());
        let mut b = Body::default();
        b.states = vec![b.field(0, 0)];
        graph.scalars = vec!["x"];
        graph.preamble = Step { shape: graph.shape(b), rows: vec![0], ..Step::default() };
        let mut o = Operands::default();
        let scalar = o.body.scalar(0);
        let y = f(&mut o.body, scalar);
        let slope = slope(&mut o, y, &|o, _| Some(o.body.literal(1.0)));
        let slope = slope.unwrap_or_else(|| o.body.literal(0.0));
        o.body.stores = vec![y, slope];
        let step = Step { stores: vec![(1, 0), (1, 1)], ..o.into_step(&mut graph) };
        graph.add(build::single("f".into(), step), |_, _| String::new());
        let mut fields = vec![vec![x], vec![0.0; 2]];
        interpret::run(&graph, &mut fields);
        [fields[1][0], fields[1][1]]
    }

    #[test]
    fn slopes_are_those_of_difference_quotients() {
        type Function = fn(&mut Body, Id) -> Id;
        let functions: [Function; 12] = [
            |b, x| b.exp(x),
            |b, x| b.log(x),
            |b, x| b.log2(x),
            |b, x| b.unary(Unary::Exp2, x),
            |b, x| b.unary(Unary::Exp2Falling, x),
            |b, x| b.unary(Unary::Sqrt, x),
            |b, x| b.fma(x, x, x),
            |b, x| {
                let y = b.mul(x, x);
                let z = b.sub(y, x);
                b.neg(z)
            },
            |b, x| {
                let one = b.literal(1.0);
                b.div(one, x)
            },
            |b, x| {
                let two = b.literal(2.0);
                let y = b.fma(x, x, two);
                b.div(x, y)
            },
            |b, x| {
                let two = b.literal(2.0);
                let y = b.mul(x, x);
                b.max(y, two)
            },
            |b, _| b.literal(3.0),
        ];
        for (n, f) in functions.into_iter().enumerate() {
            for x in [0.4, 1.1, 2.3] {
                let [above, below] = [x + 1e-5, x - 1e-5].map(|x| evaluated(x, f)[0]);
                let (quotient, found) = ((above - below) / 2e-5, evaluated(x, f)[1]);
                assert!((quotient - found).abs() <= 1e-8 * (1.0 + found.abs()), "{n}, {x}: {found} {quotient}");
            }
        }
    }
}
