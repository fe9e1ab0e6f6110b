//! Mass fractions instead of mole fractions as input: X_k = (Y_k/W_k) / sum Y_j/W_j, computed once for all readers.

use super::common::{MOLE_FRACTIONS, single, step, zeros};
use crate::graph::body::{Body, Inst};
use crate::graph::dataflow::{Graph, Op, Operation, Part, Shape, Step, Value};
use cranelift_entity::EntityRef;
use kinetics::Model;
use std::collections::HashMap;

/// What tells the state of a point, in the order of the arrays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
pub enum StateVariables {
    /// Temperature, pressure, mole fractions
    #[default]
    #[value(name = "TPX")]
    #[serde(rename = "TPX")]
    MoleFractions,
    /// Temperature, pressure, mass fractions
    #[value(name = "TPY")]
    #[serde(rename = "TPY")]
    MassFractions,
}

impl StateVariables {
    /// The array of the composition.
    pub fn composition(self) -> &'static str {
        match self {
            Self::MoleFractions => "mole_fractions",
            Self::MassFractions => "mass_fractions",
        }
    }
}

/// Adds the mole fractions as values, which must be the first of the graph. Negative mass fractions count as zero.
pub fn begin(graph: &mut Graph, model: &Model) {
    let species = model.species();
    let shape = {
        let mut b = Body::default();
        let (y, inverse_weight) = (super::common::mole_fraction(&mut b, 0), b.constant(0));
        b.values = vec![b.mul(y, inverse_weight)];
        graph.shape(b)
    };
    let mut amounts = Vec::new();
    for (k, s) in species.iter().enumerate() {
        let name = format!("amount {}", s.name);
        let step = step(shape, vec![1.0 / s.weight], vec![], vec![k as u32]);
        amounts.extend(value(graph, single(name.clone(), step), &name));
    }
    let iteration = {
        let mut b = Body::default();
        let (sum, amount) = (b.state(0), b.input(0));
        b.states = vec![b.add(sum, amount)];
        graph.shape(b)
    };
    let epilogue = {
        let mut b = Body::default();
        let (one, sum) = (b.literal(1.0), b.state(0));
        b.values = vec![b.div(one, sum)];
        graph.shape(b)
    };
    let sum = Operation {
        name: "amounts".into(),
        states: 1,
        prologue: Some(zeros(graph, 1)),
        iterations: amounts.iter().map(|&amount| step(iteration, vec![], vec![amount], vec![])).collect(),
        ordered: false,
        epilogue: step(epilogue, vec![], vec![], vec![]),
    };
    let inverse = value(graph, sum, "inverse amount");
    let shape = {
        let mut b = Body::default();
        let (amount, inverse) = (b.input(0), b.input(1));
        b.values = vec![b.mul(amount, inverse)];
        graph.shape(b)
    };
    for (s, &amount) in species.iter().zip(&amounts) {
        let name = format!("mole fraction {}", s.name);
        let inputs = [amount].into_iter().chain(inverse).collect();
        value(graph, single(name.clone(), step(shape, vec![], inputs, vec![])), &name);
    }
}

/// The value that an operation makes in its epilogue.
fn value(graph: &mut Graph, operation: Operation, name: &str) -> Option<Value> {
    let op = graph.add(operation, |_, _| name.to_owned());
    graph.ops[op].epilogue.outputs.first().copied()
}

/// Lets all that loads a mole fraction read the value that [`begin`] made.
pub fn connect(graph: &mut Graph, species: usize) {
    let own = 2 * species + 1;
    let mut known: HashMap<(Shape, usize), (Shape, Moved)> = HashMap::new();
    for op in graph.ops.keys().skip(own).collect::<Vec<Op>>() {
        for part in graph.ops[op].parts().collect::<Vec<Part>>() {
            let old = graph.ops[op].step(part).clone();
            let key = (old.shape, old.inputs.len());
            let (shape, moved) = known.entry(key).or_insert_with(|| {
                let (body, moved) = moved(&graph.shapes[old.shape], old.inputs.len());
                (graph.shape(body), moved)
            });
            let fractions =
                moved.to_inputs.iter().map(|&operand| Value::new(species + 1 + old.rows[operand as usize] as usize));
            let inputs = old.inputs.iter().copied().chain(fractions).collect();
            let rows = moved.kept.iter().map(|&operand| old.rows[operand as usize]).collect();
            *graph.ops[op].step_mut(part) = Step { shape: *shape, inputs, rows, ..old };
        }
    }
}

/// Row operands of a body that become inputs, and those that stay, in their new order.
#[derive(Default)]
struct Moved {
    to_inputs: Vec<u32>,
    kept: Vec<u32>,
}

/// The body with inputs behind `inputs` others in place of loads of mole fractions.
fn moved(body: &Body, inputs: usize) -> (Body, Moved) {
    let mut moved = Moved::default();
    let place = |list: &mut Vec<u32>, operand: u32| {
        let found = list.iter().position(|&known| known == operand);
        found.unwrap_or_else(|| {
            list.push(operand);
            list.len() - 1
        }) as u32
    };
    let mut new = body.clone();
    for inst in &mut new.insts {
        *inst = match *inst {
            Inst::Field { array: MOLE_FRACTIONS, operand } => {
                Inst::Input(inputs as u32 + place(&mut moved.to_inputs, operand))
            }
            Inst::Field { array, operand } => Inst::Field { array, operand: place(&mut moved.kept, operand) },
            other => other,
        };
    }
    (new, moved)
}
