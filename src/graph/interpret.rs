//! Runs a graph on one point in f64, with our own elementary functions.

use cranelift_entity::SecondaryMap;

use super::body::{Binary, Body, Inst, Unary};
use super::dataflow::{Graph, Op, Step, StepRef, Value};

/// The arrays of one point: `fields[array][row]`. Outputs are overwritten.
pub type Fields = Vec<Vec<f64>>;

/// Runs all steps in the order of the graph.
pub fn run(graph: &Graph, fields: &mut Fields) {
    let mut machine = Machine::new(graph, fields);
    for at in graph.order() {
        machine.step(at, fields);
    }
}

/// The state of one point's evaluation, for callers that choose the order of the steps themselves.
pub struct Machine<'a> {
    graph: &'a Graph,
    scalars: Vec<f64>,
    values: SecondaryMap<Value, f64>,
    states: SecondaryMap<Op, Vec<f64>>,
}

impl<'a> Machine<'a> {
    pub fn new(graph: &'a Graph, fields: &Fields) -> Self {
        let mut machine = Self {
            graph,
            scalars: Vec::new(),
            values: SecondaryMap::with_default(f64::NAN),
            states: SecondaryMap::new(),
        };
        let body = &graph.shapes[graph.preamble.shape];
        let all = machine.evaluate(body, &graph.preamble, &[], fields);
        machine.scalars = body.states.iter().map(|&i| all[i as usize]).collect();
        machine
    }

    /// The value, or not a number before the step that makes it ran.
    pub fn value(&self, value: Value) -> f64 {
        self.values[value]
    }

    pub fn step(&mut self, at: StepRef, fields: &mut Fields) {
        let graph = self.graph;
        let (body, step) = (graph.body(at), graph.step(at));
        let all = self.evaluate(body, step, &self.states[at.op], fields);
        if !body.states.is_empty() {
            self.states[at.op] = body.states.iter().map(|&i| all[i as usize]).collect();
        }
        for (&value, &i) in step.outputs.iter().zip(&body.values) {
            self.values[value] = all[i as usize];
        }
        for (&(array, row), &i) in step.stores.iter().zip(&body.stores) {
            fields[array as usize][row as usize] = all[i as usize];
        }
    }

    fn evaluate(&self, body: &Body, step: &Step, states: &[f64], fields: &Fields) -> Vec<f64> {
        let mut all: Vec<f64> = Vec::with_capacity(body.insts.len());
        for inst in &body.insts {
            let get = |i: u32| all[i as usize];
            all.push(match *inst {
                Inst::Literal(v) => v,
                Inst::Constant(k) => step.constants[k as usize],
                Inst::Scalar(k) => self.scalars[k as usize],
                Inst::Input(k) => self.values[step.inputs[k as usize]],
                Inst::Field { array, operand } => fields[array as usize][step.rows[operand as usize] as usize],
                Inst::State(k) => states[k as usize],
                Inst::Unary(op, a) => unary(op, get(a)),
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
        all
    }
}

fn unary(op: Unary, a: f64) -> f64 {
    match op {
        Unary::Neg => -a,
        Unary::Sqrt => a.sqrt(),
        _ => op.function().expect("what is no instruction is a list of steps").evaluate(a),
    }
}

fn binary(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
    }
}
