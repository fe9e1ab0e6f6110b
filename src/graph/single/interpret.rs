//! Runs a graph on one point in single precision.

use cranelift_entity::SecondaryMap;

use super::super::body::{Binary, Body, Inst, Unary};
use super::super::dataflow::{Graph, Op, Step, Value};
use super::elementary;

/// Runs all steps in the order of the graph; `fields[array][row]`, whose outputs are overwritten. `None`: an operation has no single precision.
pub fn run(graph: &Graph, fields: &mut [Vec<f32>]) -> Option<()> {
    let mut values: SecondaryMap<Value, f32> = SecondaryMap::with_default(f32::NAN);
    let mut states: SecondaryMap<Op, Vec<f32>> = SecondaryMap::new();
    let preamble = &graph.shapes[graph.preamble.shape];
    let all = evaluate(preamble, &graph.preamble, [&[], &[]], &values, fields)?;
    let scalars: Vec<f32> = preamble.states.iter().map(|&id| all[id as usize]).collect();
    for at in graph.order() {
        let (body, step) = (graph.body(at), graph.step(at));
        let all = evaluate(body, step, [&scalars, &states[at.op]], &values, fields)?;
        if !body.states.is_empty() {
            states[at.op] = body.states.iter().map(|&id| all[id as usize]).collect();
        }
        for (&value, &id) in step.outputs.iter().zip(&body.values) {
            values[value] = all[id as usize];
        }
        for (&(array, row), &id) in step.stores.iter().zip(&body.stores) {
            fields[array as usize][row as usize] = all[id as usize];
        }
    }
    Some(())
}

fn evaluate(
    body: &Body,
    step: &Step,
    [scalars, states]: [&[f32]; 2],
    values: &SecondaryMap<Value, f32>,
    fields: &[Vec<f32>],
) -> Option<Vec<f32>> {
    let mut all: Vec<f32> = Vec::with_capacity(body.insts.len());
    for inst in &body.insts {
        let get = |id: u32| all[id as usize];
        all.push(match *inst {
            Inst::Literal(c) => c as f32,
            Inst::Constant(k) => step.constants[k as usize] as f32,
            Inst::Scalar(k) => scalars[k as usize],
            Inst::Input(k) => values[step.inputs[k as usize]],
            Inst::Field { array, operand } => fields[array as usize][step.rows[operand as usize] as usize],
            Inst::State(k) => states[k as usize],
            Inst::Unary(Unary::Neg, a) => -get(a),
            Inst::Unary(Unary::Positive, a) => get(a).max(0.0),
            Inst::Unary(Unary::Exp, a) => elementary::exp(get(a)),
            Inst::Unary(Unary::Log, a) => elementary::log(get(a)),
            Inst::Unary(..) => return None,
            Inst::Binary(Binary::Add, a, b) => get(a) + get(b),
            Inst::Binary(Binary::Sub, a, b) => get(a) - get(b),
            Inst::Binary(Binary::Mul, a, b) => get(a) * get(b),
            Inst::Binary(Binary::Div, a, b) => get(a) / get(b),
            Inst::Fma(a, b, c) => get(a).mul_add(get(b), get(c)),
            Inst::SelectLe { a, b, then, otherwise } => get(if get(a) <= get(b) { then } else { otherwise }),
        });
    }
    Some(all)
}
