//! Runs a graph on one point in single precision.

use cranelift_entity::SecondaryMap;

use super::super::body::{Binary, Body, Inst};
use super::super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::elementary;

/// The state of one point's evaluation. Arrays hold doubles: what is read is rounded, what is written is widened.
pub struct Machine<'a> {
    graph: &'a Graph,
    scalars: Vec<f32>,
    values: SecondaryMap<Value, f32>,
    states: SecondaryMap<Op, Vec<f32>>,
}

impl<'a> Machine<'a> {
    pub fn new(graph: &'a Graph, fields: &[Vec<f64>]) -> Self {
        let mut machine = Self {
            graph,
            scalars: Vec::new(),
            values: SecondaryMap::with_default(f32::NAN),
            states: SecondaryMap::new(),
        };
        let preamble = &graph.shapes[graph.preamble.shape];
        let all = machine.evaluate(preamble, &graph.preamble, &[], fields);
        machine.scalars = preamble.states.iter().map(|&id| all[id as usize]).collect();
        machine
    }

    /// Runs a step; `fields[array][row]`, whose outputs are overwritten.
    pub fn step(&mut self, at: StepRef, fields: &mut [Vec<f64>]) {
        let (body, step) = (self.graph.body(at), self.graph.step(at));
        let all = self.evaluate(body, step, &self.states[at.op], fields);
        if !body.states.is_empty() {
            self.states[at.op] = body.states.iter().map(|&id| all[id as usize]).collect();
        }
        for (&value, &id) in step.outputs.iter().zip(&body.values) {
            self.values[value] = all[id as usize];
        }
        for (&(array, row), &id) in step.stores.iter().zip(&body.stores) {
            fields[array as usize][row as usize] = f64::from(all[id as usize]);
        }
    }

    fn evaluate(&self, body: &Body, step: &Step, states: &[f32], fields: &[Vec<f64>]) -> Vec<f32> {
        let mut all: Vec<f32> = Vec::with_capacity(body.insts.len());
        for inst in &body.insts {
            let get = |id: u32| all[id as usize];
            all.push(match *inst {
                Inst::Literal(c) => c as f32,
                Inst::Constant(k) => step.constants[k as usize] as f32,
                Inst::Scalar(k) => self.scalars[k as usize],
                Inst::Input(k) => self.values[step.inputs[k as usize]],
                Inst::Field { array, operand } => fields[array as usize][step.rows[operand as usize] as usize] as f32,
                Inst::State(k) => states[k as usize],
                Inst::Unary(op, a) => elementary::evaluate(op, get(a)),
                Inst::Binary(Binary::Add, a, b) => get(a) + get(b),
                Inst::Binary(Binary::Sub, a, b) => get(a) - get(b),
                Inst::Binary(Binary::Mul, a, b) => get(a) * get(b),
                Inst::Binary(Binary::Div, a, b) => get(a) / get(b),
                Inst::Fma(a, b, c) => get(a).mul_add(get(b), get(c)),
                Inst::SelectLe { a, b, then, otherwise } => get(if get(a) <= get(b) { then } else { otherwise }),
            });
        }
        all
    }
}
