//! Follows all values through a graph within a cell of temperatures.

use cranelift_entity::SecondaryMap;

use super::super::body::{Binary, Body, Id, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::elementary::{EXP_LIMIT, EXP2_LIMIT, LOG_FIRST, LOG_LAST};
use super::form::{Claims, Form};
use super::known::Known;
use super::premises::{Domain, Doubles, Rounding, Unproven};
use kinetics::approximation::range::TemperatureRange;

/// What is claimed of every instruction.
pub fn claims(
    graph: &Graph,
    order: &[StepRef],
    (domain, cell): (&Domain, TemperatureRange),
    rounding: &Rounding,
    doubles: Doubles<'_>,
) -> Result<Claims, Unproven> {
    let follower = |at: Option<Op>| {
        let is_double = doubles(at);
        Follower { graph, domain, rounding: if is_double { &Rounding::DOUBLE } else { rounding }, is_double, cell }
    };
    let mut values: SecondaryMap<Value, Option<(bool, Form)>> = SecondaryMap::new();
    let mut states: SecondaryMap<Op, Vec<Form>> = SecondaryMap::new();
    let preamble = &graph.shapes[graph.preamble.shape];
    let all = follower(None).evaluate(preamble, &graph.preamble, ((false, &[]), &[]), &values)?;
    let scalars: Vec<Form> = preamble.states.iter().map(|&id| all[id as usize].clone()).collect();
    let mut claims = vec![(None, all)];
    for &at in order {
        let (body, step) = (graph.body(at), graph.step(at));
        if body.tensor.is_some() {
            return Err(Unproven::Operation("a product on tensor cores".into()));
        }
        let all = follower(Some(at.op)).evaluate(body, step, ((doubles(None), &scalars), &states[at.op]), &values)?;
        if !body.states.is_empty() {
            states[at.op] = body.states.iter().map(|&id| all[id as usize].clone()).collect();
        }
        for (&value, &id) in step.outputs.iter().zip(&body.values) {
            values[value] = Some((doubles(Some(at.op)), all[id as usize].clone()));
        }
        claims.push((Some(at), all));
    }
    Ok(claims)
}

struct Follower<'a> {
    graph: &'a Graph,
    domain: &'a Domain,
    rounding: &'a Rounding,
    is_double: bool,
    cell: TemperatureRange,
}

impl Follower<'_> {
    fn evaluate(
        &self,
        body: &Body,
        step: &Step,
        ((are_double, scalars), states): ((bool, &[Form]), &[Form]),
        values: &SecondaryMap<Value, Option<(bool, Form)>>,
    ) -> Result<Vec<Form>, Unproven> {
        let mut all: Vec<Form> = Vec::with_capacity(body.insts.len());
        let constant = |c: f64| Form::of(if self.is_double { Known::new([c], 0.0, 0.0) } else { Known::number(c) });
        for inst in &body.insts {
            let get = |id: Id| &all[id as usize];
            let number = |id: Id| get(id).number(self.domain);
            all.push(match *inst {
                Inst::Literal(c) => constant(c),
                Inst::Constant(k) => constant(step.constants[k as usize]),
                Inst::Scalar(k) => self.read(are_double, &scalars[k as usize])?,
                Inst::Input(k) => match &values[step.inputs[k as usize]] {
                    Some((is_double, value)) => self.read(*is_double, value)?,
                    None => Form::of(Known::NOTHING),
                },
                Inst::Field { array, operand } => self.field(array, step.rows[operand as usize]),
                Inst::State(k) => states[k as usize].clone(),
                Inst::Unary(Unary::Neg, a) => get(a).negative(),
                Inst::Unary(Unary::Positive, a) if number(a).least >= 0.0 => get(a).clone(),
                Inst::Unary(op, a) => Form::of(self.function(op, number(a))?),
                // The difference of a number and itself is exact.
                Inst::Binary(Binary::Sub, a, b) if a == b => Form::of(Known::ZERO),
                Inst::Binary(op, a, b) => self.binary(op, get(a), get(b))?,
                Inst::Fma(a, b, c) => self.rounded(&get(a).times(get(b), self.domain).plus(get(c)))?,
                Inst::SelectLe { .. } if let Some(species) = self.clamped(body, step, inst) => {
                    Form::clamped(species, self.rounding.unit, self.domain.floor)
                }
                Inst::SelectLe { a, b, then, otherwise } => {
                    let (left, right) = (number(a), number(b));
                    if left.most + left.absolute <= right.least - right.absolute {
                        get(then).clone()
                    } else if right.most + right.absolute < left.least - left.absolute {
                        get(otherwise).clone()
                    } else {
                        return Err(Unproven::Comparison);
                    }
                }
            });
        }
        Ok(all)
    }

    /// What another operation has made, rounded where that is in double precision and this is not.
    fn read(&self, is_double: bool, value: &Form) -> Result<Form, Unproven> {
        if is_double && !self.is_double { self.rounded(value) } else { Ok(value.clone()) }
    }

    /// Of which species this is the larger one of mole fraction and floor.
    fn clamped(&self, body: &Body, step: &Step, inst: &Inst) -> Option<u32> {
        let Inst::SelectLe { a, b, then, otherwise } = *inst else { return None };
        let (Inst::Field { array, operand }, Inst::Literal(floor)) = (body.insts[a as usize], body.insts[b as usize])
        else {
            return None;
        };
        let is_larger = (then, otherwise) == (b, a) && floor == self.domain.floor && floor > 0.0;
        let is_fraction = self.graph.arrays[array as usize].name == "mole_fractions";
        (is_larger && is_fraction).then(|| step.rows[operand as usize])
    }

    fn field(&self, array: u32, row: u32) -> Form {
        let unit = self.rounding.unit;
        let TemperatureRange { coldest, hottest } = self.cell;
        match self.graph.arrays[array as usize].name {
            "temperature" => Form::of(Known::new([coldest, hottest], f64::INFINITY, unit)),
            "pressure" => {
                let to_si = self.graph.units.to_si("pressure");
                Form::of(Known::new(self.domain.pressures.map(|p| p / to_si), f64::INFINITY, unit))
            }
            "mole_fractions" => Form::fraction(row, unit),
            _ => Form::of(Known::NOTHING),
        }
    }

    fn rounded(&self, exact: &Form) -> Result<Form, Unproven> {
        exact.rounded(self.rounding.unit, self.domain)
    }

    fn binary(&self, op: Binary, a: &Form, b: &Form) -> Result<Form, Unproven> {
        self.rounded(&match op {
            Binary::Add => a.plus(b),
            Binary::Sub => a.plus(&b.negative()),
            Binary::Mul => a.times(b, self.domain),
            Binary::Div => {
                let inverse = b.number(self.domain).reciprocal().ok_or(Unproven::Cancellation)?;
                a.times(&Form::of(inverse), self.domain)
            }
        })
    }

    fn function(&self, op: Unary, x: Known) -> Result<Known, Unproven> {
        let Rounding { unit, power, logarithm } = *self.rounding;
        let within = |limit: f32| match x.magnitude() + x.absolute <= f64::from(limit) {
            true => Ok(()),
            false => Err(Unproven::Range),
        };
        match op.real_function() {
            RealFunction::Exp => {
                within(EXP_LIMIT)?;
                Ok(x.map(f64::exp, [f64::INFINITY, x.absolute.exp_m1()], power))
            }
            function @ (RealFunction::Exp2 | RealFunction::Exp2OfNegative) => {
                within(EXP2_LIMIT)?;
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
            RealFunction::Sqrt if x.least > 0.0 && x.relative < 0.5 => {
                Ok(x.map(f64::sqrt, [f64::INFINITY, x.relative], unit))
            }
            RealFunction::Sqrt => Err(Unproven::Cancellation),
            _ => Err(Unproven::Operation(format!("{op:?}"))),
        }
    }
}
