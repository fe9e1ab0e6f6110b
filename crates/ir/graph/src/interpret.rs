//! Runs a graph on one point, in double precision with our own elementary functions, or in another [`Arithmetic`].

use cranelift_entity::SecondaryMap;

use super::body::{Binary, Body, Inst, Share, Unary};
use super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::single::double_float::of_double;
use std::ops::{Add, Div, Mul, Sub};

/// The numbers that a graph is run in. Arrays hold doubles: what is read is rounded to them, what is written is widened.
pub trait Arithmetic:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn rounded(x: f64) -> Self;
    fn widened(self) -> f64;
    fn unary(op: Unary, a: Self) -> Self;
    fn mul_add(self, b: Self, c: Self) -> Self;
}

/// The arrays of one point: `fields[array][row]`. Outputs are overwritten.
pub type Fields = Vec<Vec<f64>>;

/// Runs all steps in the order of the graph.
pub fn run(graph: &Graph, fields: &mut Fields) {
    let mut machine = Machine::new(graph, fields);
    for at in graph.order() {
        machine.step(at, fields);
    }
}

/// In double precision.
pub type Machine<'a> = Evaluation<'a, f64>;

/// The state of one point's evaluation, for callers that choose the order of the steps themselves.
pub struct Evaluation<'a, N: Arithmetic> {
    graph: &'a Graph,
    scalars: Vec<N>,
    values: SecondaryMap<Value, N>,
    states: SecondaryMap<Op, Vec<N>>,
    /// Results of a step's instructions: room that the next step has again.
    results: Vec<N>,
}

impl<'a, N: Arithmetic> Evaluation<'a, N> {
    pub fn new(graph: &'a Graph, fields: &[Vec<f64>]) -> Self {
        let mut machine = Self {
            graph,
            scalars: Vec::new(),
            values: SecondaryMap::with_default(N::rounded(f64::NAN)),
            states: SecondaryMap::new(),
            results: Vec::new(),
        };
        machine.values.resize(graph.values.len());
        let body = &graph.shapes[graph.preamble.shape];
        let mut all = Vec::new();
        machine.evaluate(body, &graph.preamble, &[], fields, &mut all);
        machine.scalars = body.states.iter().map(|&i| all[i as usize]).collect();
        machine
    }

    /// The value, or not a number before the step that makes it ran.
    pub fn value(&self, value: Value) -> N {
        self.values[value]
    }

    pub fn step(&mut self, at: StepRef, fields: &mut [Vec<f64>]) {
        let graph = self.graph;
        let (body, step) = (graph.body(at), graph.step(at));
        let mut all = std::mem::take(&mut self.results);
        self.evaluate(body, step, &self.states[at.op], fields, &mut all);
        if !body.states.is_empty() {
            let states = &mut self.states[at.op];
            states.clear();
            states.extend(body.states.iter().map(|&i| all[i as usize]));
        }
        for (&value, &i) in step.outputs.iter().zip(&body.values) {
            self.values[value] = all[i as usize];
        }
        for (k, (&(array, row), &i)) in step.stores.iter().zip(&body.stores).enumerate() {
            let widened = |i: u32| all[i as usize].widened();
            fields[array as usize][row as usize] = match body.rest(k) {
                None => widened(i),
                Some(rest) => widened(i) + widened(rest),
            };
        }
        self.results = all;
    }

    fn evaluate(&self, body: &Body, step: &Step, states: &[N], fields: &[Vec<f64>], all: &mut Vec<N>) {
        all.clear();
        for inst in &body.insts {
            let get = |i: u32| all[i as usize];
            all.push(match *inst {
                Inst::Literal(v) => N::rounded(v),
                Inst::Constant(k) => N::rounded(step.constants[k as usize]),
                Inst::Scalar(k) => self.scalars[k as usize],
                Inst::Input(k) => self.values[step.inputs[k as usize]],
                Inst::Field { array, operand, share } => {
                    let x = fields[array as usize][step.rows[operand as usize] as usize];
                    match share {
                        Share::Whole => N::rounded(x),
                        Share::First => N::rounded(of_double(x)[0].into()),
                        Share::Second => N::rounded(of_double(x)[1].into()),
                    }
                }
                Inst::State(k) => states[k as usize],
                Inst::Unary(op, a) => N::unary(op, get(a)),
                Inst::Binary(op, a, b) => binary(op, get(a), get(b)),
                Inst::Fma(a, b, c) => get(a).mul_add(get(b), get(c)),
                Inst::SelectLe { a, b, then, otherwise } => {
                    if get(a) <= get(b) {
                        get(then)
                    } else {
                        get(otherwise)
                    }
                }
            });
        }
    }
}

impl Arithmetic for f64 {
    fn rounded(x: f64) -> Self {
        x
    }

    fn widened(self) -> f64 {
        self
    }

    fn unary(op: Unary, a: Self) -> Self {
        match op {
            Unary::Neg => -a,
            Unary::Sqrt | Unary::SqrtNear => a.sqrt(),
            _ => op.function().expect("what is no instruction is a list of steps").evaluate(a),
        }
    }

    fn mul_add(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

fn binary<N: Arithmetic>(op: Binary, a: N, b: N) -> N {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div | Binary::DivNear => a / b,
    }
}
