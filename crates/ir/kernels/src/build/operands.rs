//! A step under construction.

use super::arrays::mole_fraction;
use super::scalar;
use super::scalar::{SCALARS, scalar_of};
use graph::body::{Body, Id};
use graph::dataflow::{Graph, Step, Value};
use mechanism::SpeciesIndex;

/// Logarithms are taken of at least this: a center or a reduced pressure of zero stays finite.
pub const SMALLEST: f64 = 1e-300;

/// A step under construction: its body and the operands it gathers on the way.
#[derive(Default)]
pub struct Operands {
    pub body: Body,
    constants: Vec<f64>,
    inputs: Vec<Value>,
    rows: Vec<u32>,
}

impl Operands {
    /// A step to go on with.
    pub fn from_step(step: &Step, body: &Body) -> Self {
        let Step { constants, inputs, rows, .. } = step.clone();
        Self { body: body.clone(), constants, inputs, rows }
    }

    /// The value that an input reads.
    pub fn value(&self, input: u32) -> Value {
        self.inputs[input as usize]
    }

    pub fn constant(&mut self, value: f64) -> Id {
        self.constants.push(value);
        self.body.constant(self.constants.len() as u32 - 1)
    }

    pub fn input(&mut self, value: Value) -> Id {
        self.inputs.push(value);
        self.body.input(self.inputs.len() as u32 - 1)
    }

    /// A mole fraction from global memory.
    pub fn fraction(&mut self, k: SpeciesIndex) -> Id {
        self.rows.push(k as u32);
        mole_fraction(&mut self.body, self.rows.len() as u32 - 1)
    }

    /// A concentration from global memory.
    pub fn loaded(&mut self, k: SpeciesIndex) -> Id {
        self.rows.push(k as u32);
        loaded_concentration(&mut self.body, &SCALARS, self.rows.len() as u32 - 1)
    }

    /// A field of a global array.
    pub fn field(&mut self, array: u32, row: u32) -> Id {
        self.rows.push(row);
        self.body.field(array, self.rows.len() as u32 - 1)
    }

    pub fn into_step(self, graph: &mut Graph) -> Step {
        Step {
            shape: graph.shape(self.body),
            constants: self.constants,
            inputs: self.inputs,
            rows: self.rows,
            ..Step::default()
        }
    }
}

/// max(x, 0) P/(R T) in kmol/m3.
pub fn loaded_concentration(b: &mut Body, scalars: &[u32], operand: u32) -> Id {
    let x = mole_fraction(b, operand);
    let total = scalar_of(b, scalars, scalar::CONCENTRATION);
    b.mul(x, total)
}
