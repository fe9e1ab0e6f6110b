//! Numbers for the shapes of instructions: two of one number do the same with different operands. Melding changes operands
//! alone, so that a number holds in all rounds.

use super::similar::of_one_shape;
use cranelift_entity::{PrimaryMap, SecondaryMap, packed_option::PackedOption};
use ptx::estimate::latency::latency;
use ptx::inst::{InstData, Op};
use ptx::ir::{Func, Inst};
use std::mem::{Discriminant, discriminant};

/// The number of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape(u32);
cranelift_entity::entity_impl!(Shape);

/// The shapes that were asked for.
#[derive(Debug, Default)]
pub struct Shapes {
    of: SecondaryMap<Inst, PackedOption<Shape>>,
    /// Each with the first instruction that has it, and its latency.
    known: PrimaryMap<Shape, (InstData, u64)>,
    /// Their kinds of operation: to compare these takes no time.
    kinds: Vec<(Discriminant<Op>, Shape)>,
}

impl Shapes {
    pub fn shape(&mut self, func: &Func, inst: Inst) -> Shape {
        if self.of.get(inst).is_none() {
            self.of.resize(func.insts.len());
        }
        if let Some(shape) = self.of[inst].expand() {
            return shape;
        }
        let data = &func.insts[inst];
        let kind = discriminant(&data.op);
        let alike = |(known, shape): &&(_, Shape)| *known == kind && of_one_shape(&self.known[*shape].0, data);
        let shape = self.kinds.iter().find(alike).map(|(_, shape)| *shape).unwrap_or_else(|| {
            let new = self.known.push((data.clone(), latency(&data.op)));
            self.kinds.push((kind, new));
            new
        });
        self.of[inst] = shape.into();
        shape
    }

    /// The cycles of an instruction of the shape.
    pub fn cycles(&self, shape: Shape) -> u64 {
        self.known[shape].1
    }

    /// As [`of`](Self::of), of an instruction that was asked for before.
    pub fn known(&self, inst: Inst) -> Option<Shape> {
        self.of[inst].expand()
    }
}
