//! Follows all values through a graph within a cell of temperatures.

use std::borrow::Cow;

use cranelift_entity::SecondaryMap;

use super::super::body::{Binary, Body, Id, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::double_float::{EXP2_LIMIT_OF_PAIRS, INVERTED, LEADING_POWER, LEAST};
use super::elementary::{EXP_LIMIT, EXP2_LIMIT, LOG_FIRST, LOG_LAST};
use super::form::{Claims, Form};
use super::kinds::{Kind, Kinds};
use super::known::Known;
use super::premises::{Domain, Rounding, Roundings, Unproven};
use kinetics::approximation::range::TemperatureRange;

/// Returns the claims about every instruction.
pub fn claims(
    graph: &Graph,
    order: &[StepRef],
    domain: &Domain,
    cell: TemperatureRange,
    roundings: &Roundings,
    kinds: &Kinds,
) -> Result<Claims, Unproven> {
    let follower = Follower { graph, domain, roundings, cell };
    let mut values: SecondaryMap<Value, Option<Form>> = SecondaryMap::new();
    let mut states: SecondaryMap<Op, Vec<Form>> = SecondaryMap::new();
    let preamble = &graph.shapes[graph.preamble.shape];
    let all = follower.evaluate(preamble, &graph.preamble, kinds.at(None), &[], &[], &values)?;
    let scalars: Vec<Form> = preamble.states.iter().map(|&id| all[id as usize].clone()).collect();
    let mut claims = vec![(None, all)];
    for &at in order {
        let (body, step) = (graph.body(at), graph.step(at));
        if body.tensor.is_some() {
            return Err(Unproven::Operation("a product on tensor cores".into()));
        }
        let all = follower.evaluate(body, step, kinds.at(Some(at)), &scalars, &states[at.op], &values)?;
        if !body.states.is_empty() {
            states[at.op] = body.states.iter().map(|&id| all[id as usize].clone()).collect();
        }
        for (&value, &id) in step.outputs.iter().zip(&body.values) {
            values[value] = Some(all[id as usize].clone());
        }
        claims.push((Some(at), all));
    }
    Ok(claims)
}

struct Follower<'a> {
    graph: &'a Graph,
    domain: &'a Domain,
    roundings: &'a Roundings,
    cell: TemperatureRange,
}

impl Follower<'_> {
    fn evaluate(
        &self,
        body: &Body,
        step: &Step,
        kinds: &[Kind],
        scalars: &[Form],
        states: &[Form],
        values: &SecondaryMap<Value, Option<Form>>,
    ) -> Result<Vec<Form>, Unproven> {
        let mut all: Vec<Form> = Vec::with_capacity(body.insts.len());
        for (inst, &kind) in body.insts.iter().zip(kinds) {
            let whole = |id: Id| &all[id as usize];
            // An operand as this instruction reads it: of a number with more digits than its own it takes the first ones.
            let get = |id: Id| -> Result<Cow<'_, Form>, Unproven> {
                let made = kinds[id as usize];
                if kind != Kind::Single || made == Kind::Single {
                    return Ok(Cow::Borrowed(whole(id)));
                }
                Ok(Cow::Owned(match body.insts[id as usize] {
                    Inst::Literal(c) => constant(c, kind),
                    Inst::Constant(k) => constant(step.constants[k as usize], kind),
                    _ => whole(id).rounded(self.roundings.single.unit, self.domain)?,
                }))
            };
            let number = |id: Id| Ok(get(id)?.number(self.domain));
            all.push(match *inst {
                Inst::Literal(c) => constant(c, kind),
                Inst::Constant(k) => constant(step.constants[k as usize], kind),
                Inst::Scalar(k) => scalars[k as usize].clone(),
                Inst::Input(k) => values[step.inputs[k as usize]].clone().unwrap_or(Form::constant(Known::NOTHING)),
                Inst::Field { array, operand, .. } => self.field(array, step.rows[operand as usize], kind),
                Inst::State(k) => states[k as usize].clone(),
                Inst::Unary(Unary::Neg, a) => whole(a).negative(),
                Inst::Unary(Unary::Positive, a) if number(a)?.least >= 0.0 => whole(a).clone(),
                Inst::Unary(op, a)
                    if kind == Kind::Single && kinds[a as usize] == Kind::Pair && is_power_of_two(op) =>
                {
                    let single = &self.roundings.single;
                    let rounding = Rounding { power: LEADING_POWER * single.power, ..*single };
                    Form::constant(self.function(op, whole(a).number(self.domain), kind, &rounding)?)
                }
                Inst::Unary(op, a) => Form::constant(self.function(op, number(a)?, kind, self.roundings.get(kind))?),
                // The difference of a number and itself is exact.
                Inst::Binary(Binary::Sub, a, b) if a == b => Form::constant(Known::ZERO),
                Inst::Binary(op, a, b) => self.binary(op, &*get(a)?, &*get(b)?, kind)?,
                Inst::Fma(a, b, c) => {
                    let product = get(a)?.times(&*get(b)?, self.domain);
                    match kind {
                        // The product is one of pairs.
                        Kind::Pair => self.sum(&self.rounded(&product, kind)?, &*get(c)?, kind)?,
                        _ => self.rounded(&product.plus(&*get(c)?), kind)?,
                    }
                }
                Inst::SelectLe { a, .. } if let Some(species) = self.clamped(body, step, inst) => {
                    // The floor has all digits of the result, and the fraction those that it was read with.
                    let unit = self.of_reading(kind.min(kinds[a as usize]));
                    let floor = constant(self.domain.floor, kind).constant;
                    Form::clamped(species, unit.max(floor.relative), self.domain.floor)
                }
                Inst::SelectLe { a, b, then, otherwise } => {
                    // Pairs are compared by their first numbers.
                    let leading = |id: Id| match kinds[id as usize] {
                        Kind::Pair => {
                            Ok(whole(id).rounded(self.roundings.single.unit, self.domain)?.number(self.domain))
                        }
                        _ => number(id),
                    };
                    let (left, right) = (leading(a)?, leading(b)?);
                    if left.most + left.absolute <= right.least - right.absolute {
                        get(then)?.into_owned()
                    } else if right.most + right.absolute < left.least - left.absolute {
                        get(otherwise)?.into_owned()
                    } else {
                        return Err(Unproven::Comparison);
                    }
                }
            });
        }
        Ok(all)
    }

    /// Returns the species if the instruction is the larger one of its mole fraction and the floor.
    fn clamped(&self, body: &Body, step: &Step, inst: &Inst) -> Option<u32> {
        let Inst::SelectLe { a, b, then, otherwise } = *inst else { return None };
        let (Inst::Field { array, operand, .. }, Inst::Literal(floor)) =
            (body.insts[a as usize], body.insts[b as usize])
        else {
            return None;
        };
        let is_larger = (then, otherwise) == (b, a) && floor == self.domain.floor && floor > 0.0;
        let is_fraction = self.graph.arrays[array as usize].name == "mole_fractions";
        (is_larger && is_fraction).then(|| step.rows[operand as usize])
    }

    /// Returns the rounding of a number that is read from an array.
    fn of_reading(&self, kind: Kind) -> f64 {
        if self.domain.reads_singles { 0.0 } else { self.roundings.get(kind).unit }
    }

    fn field(&self, array: u32, row: u32, kind: Kind) -> Form {
        let unit = self.of_reading(kind);
        let TemperatureRange { coldest, hottest } = self.cell;
        match self.graph.arrays[array as usize].name {
            "temperature" => Form::constant(Known::new([coldest, hottest], f64::INFINITY, unit)),
            "pressure" => {
                let to_si = self.graph.units.to_si("pressure");
                Form::constant(Known::new(self.domain.pressures.map(|p| p / to_si), f64::INFINITY, unit))
            }
            "mole_fractions" => Form::fraction(row, unit),
            _ => Form::constant(Known::NOTHING),
        }
    }

    fn rounded(&self, exact: &Form, kind: Kind) -> Result<Form, Unproven> {
        let unit = self.roundings.get(kind).unit;
        if kind == Kind::Pair { exact.rounded_as_pair(unit, self.domain) } else { exact.rounded(unit, self.domain) }
    }

    /// Adds two values. For pairs, each term is rounded, and then their sum is exact.
    fn sum(&self, a: &Form, b: &Form, kind: Kind) -> Result<Form, Unproven> {
        if kind != Kind::Pair {
            return self.rounded(&a.plus(b), kind);
        }
        self.rounded(a, kind)?.plus(&self.rounded(b, kind)?).as_pair(self.domain)
    }

    fn binary(&self, op: Binary, a: &Form, b: &Form, kind: Kind) -> Result<Form, Unproven> {
        match op {
            Binary::Add => self.sum(a, b, kind),
            Binary::Sub => self.sum(a, &b.negative(), kind),
            Binary::Mul => self.rounded(&a.times(b, self.domain), kind),
            Binary::Div | Binary::DivNear => {
                let divisor = b.number(self.domain);
                let inverse = Form::constant(divisor.reciprocal().ok_or(Unproven::Cancellation)?);
                if kind != Kind::Pair {
                    return self.rounded(&a.times(&inverse, self.domain), kind);
                }
                if divisor.magnitude() > INVERTED || divisor.nearest() < 1.0 / INVERTED {
                    return Err(Unproven::Range);
                }
                // The loss of small numbers in the remainder counts as an error of the dividend.
                let exact = a.as_pair(self.domain)?.times(&inverse, self.domain);
                // A mean is not as small as the least sum over the largest one, whose second number would be lost.
                let mean = a.quotients(b).map(|ends| Form::constant(exact.number(self.domain).between(ends)));
                self.rounded(&mean.unwrap_or(exact), kind)
            }
        }
    }

    fn function(&self, op: Unary, x: Known, kind: Kind, rounding: &Rounding) -> Result<Known, Unproven> {
        let Rounding { unit, power, logarithm } = *rounding;
        let within = |limit: f32| match x.magnitude() + x.absolute <= f64::from(limit) {
            true => Ok(()),
            false => Err(Unproven::Range),
        };
        match op.real_function() {
            RealFunction::Exp if kind != Kind::Pair => {
                within(EXP_LIMIT)?;
                Ok(x.map(f64::exp, [f64::INFINITY, x.absolute.exp_m1()], power))
            }
            function @ (RealFunction::Exp2 | RealFunction::Exp2OfNegative) => {
                within(if kind == Kind::Pair { EXP2_LIMIT_OF_PAIRS } else { EXP2_LIMIT })?;
                let errors = [f64::INFINITY, (x.absolute * std::f64::consts::LN_2).exp_m1()];
                let falls = function == RealFunction::Exp2OfNegative;
                Ok(if falls { x.negative() } else { x }.map(f64::exp2, errors, power))
            }
            function @ (RealFunction::Log | RealFunction::Log2) => {
                let is_proven = x.least * (1.0 - x.relative) >= f64::from(LOG_FIRST)
                    && x.most * (1.0 + x.relative) <= f64::from(LOG_LAST);
                if !is_proven {
                    return Err(Unproven::Range);
                }
                let natural = -(-x.relative).ln_1p();
                let error = if function == RealFunction::Log { natural } else { natural * std::f64::consts::LOG2_E };
                let f = if function == RealFunction::Log { f64::ln } else { f64::log2 };
                Ok(x.map(f, [error, f64::INFINITY], logarithm))
            }
            RealFunction::Sqrt if kind == Kind::Pair && x.least < LEAST => Err(Unproven::Range),
            RealFunction::Sqrt if x.least > 0.0 && x.relative < 0.5 => {
                Ok(x.map(f64::sqrt, [f64::INFINITY, x.relative], unit))
            }
            RealFunction::Sqrt => Err(Unproven::Cancellation),
            _ => Err(Unproven::Operation(format!("{op:?}"))),
        }
    }
}

/// A constant of the code, as this arithmetic has it.
fn constant(c: f64, kind: Kind) -> Form {
    Form::constant(match kind {
        Kind::Single => Known::number(c),
        Kind::Pair => Known::of_pair(c),
        Kind::Double => Known::new([c], 0.0, 0.0),
    })
}

/// Its argument may have more digits than its result.
fn is_power_of_two(op: Unary) -> bool {
    matches!(op.real_function(), RealFunction::Exp2 | RealFunction::Exp2OfNegative)
}
