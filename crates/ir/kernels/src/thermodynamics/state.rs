//! State of a point. Kernels are built on temperature, pressure and mole fractions; for host codes with other variables, these
//! are made once for all readers.

use std::collections::HashMap;

use super::composition::Composition;
use super::temperature;
use crate::build::{MOLE_FRACTIONS, Operands, PRESSURE, TEMPERATURE};
use crate::options::StateVariables;
use cranelift_entity::EntityRef;
use graph::body::{Body, Id, Inst};
use graph::dataflow::{Graph, Op, Part, Shape, Step, Value};
use graph::operands::{self, Moved};
use kinetics::Model;
use kinetics::constants::GAS_CONSTANT;

/// Name of the operation that makes temperature, pressure and the scalars.
pub const NAME: &str = "state";

/// Temperature and pressure of a computed state, in the step that makes the scalars of them.
pub fn temperature_and_pressure(
    graph: &mut Graph,
    model: &Model,
    state: StateVariables,
    composition: &Composition,
    o: &mut Operands,
) -> (Id, Id) {
    let amount = composition.amount.expect("a computed state has its amount of substance");
    let t = match state.work() {
        None => o.field(TEMPERATURE, 0),
        Some(work) => {
            let value = temperature::add(graph, model, work, &composition.fractions, amount);
            o.input(value)
        }
    };
    if state == StateVariables::Enthalpy {
        return (t, o.field(PRESSURE, 0));
    }
    // P = C R T; C is the sum of concentrations, or rho times the specific amount of substance
    let (amount, gas_constant) = (o.input(amount), o.body.literal(GAS_CONSTANT));
    let concentration = if state.is_without_second() {
        amount
    } else {
        let density = o.field(PRESSURE, 0);
        o.body.mul(density, amount)
    };
    let rt = o.body.mul(t, gas_constant);
    (t, o.body.mul(concentration, rt))
}

/// Lets all that loads what is computed read the values that the first operations made.
pub fn connect(graph: &mut Graph, species: usize, state: StateVariables) {
    let made = |graph: &Graph, op: usize| graph.ops[Op::new(op)].epilogue.outputs.clone();
    // The amounts of all species and their sum come before the fractions.
    let fractions: Vec<Value> = (species + 1..2 * species + 1).map(|op| made(graph, op)[0]).collect();
    let place = graph.ops.values().position(|operation| operation.name == NAME).filter(|_| state.is_computed());
    let own = place.map_or(2 * species, |place| place) + 1;
    let computed: Vec<Value> = place.map(|place| made(graph, place)).unwrap_or_default();
    let mut known: HashMap<(Shape, usize), (Shape, Moved<Source>)> = HashMap::new();
    for op in graph.ops.keys().skip(own).collect::<Vec<Op>>() {
        for part in graph.ops[op].parts().collect::<Vec<Part>>() {
            let old = graph.ops[op].step(part).clone();
            let key = (old.shape, old.inputs.len());
            let (shape, moved) = known.entry(key).or_insert_with(|| {
                let (body, moved) = moved(&graph.shapes[old.shape], old.inputs.len(), !computed.is_empty());
                (graph.shape(body), moved)
            });
            let new = moved.to_inputs.iter().map(|&source| match source {
                Source::Fraction(operand) => fractions[old.rows[operand as usize] as usize],
                Source::Computed(n) => computed[n as usize],
            });
            let inputs = old.inputs.iter().copied().chain(new).collect();
            let rows = moved.kept.iter().map(|&operand| old.rows[operand as usize]).collect();
            *graph.ops[op].step_mut(part) = Step { shape: *shape, inputs, rows, ..old };
        }
    }
    if !computed.is_empty() {
        graph.scalars.clear();
    }
    if state.is_without_second() {
        graph.remove_array(PRESSURE);
    }
}

/// Meaning of an input.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    /// The mole fraction of a row operand.
    Fraction(u32),
    /// A value of the state: temperature, pressure, then the scalars.
    Computed(u32),
}

/// The body with inputs behind `inputs` others in place of loads of mole fractions and, where the state is computed, of
/// temperature, pressure and scalars.
fn moved(body: &Body, inputs: usize, is_computed: bool) -> (Body, Moved<Source>) {
    operands::moved(body, inputs, |inst| match inst {
        Inst::Field { array: MOLE_FRACTIONS, operand, .. } => Ok(Source::Fraction(operand)),
        Inst::Field { array: TEMPERATURE, .. } if is_computed => Ok(Source::Computed(0)),
        Inst::Field { array: PRESSURE, .. } if is_computed => Ok(Source::Computed(1)),
        Inst::Scalar(k) if is_computed => Ok(Source::Computed(2 + k)),
        other => Err(other),
    })
}
