//! Numbers for the shapes of instructions: two of one number do the same with different operands. Melding changes operands
//! alone, so that a number holds in all rounds.

use super::latency::latency;
use super::similar::shape;
use crate::inst::{InstData, Op};
use crate::ir::{Func, Inst};
use cranelift_entity::{SecondaryMap, packed_option::PackedOption};
use rustc_hash::FxHashMap;
use std::mem::{Discriminant, discriminant};

/// The number of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape(u32);
cranelift_entity::entity_impl!(Shape);

/// The shapes that were asked for.
#[derive(Debug, Default)]
pub struct Shapes {
    of: SecondaryMap<Inst, PackedOption<Shape>>,
    /// By the kind of operation: there are few of each.
    known: FxHashMap<Discriminant<Op>, Vec<(InstData, Shape)>>,
    /// The latency of each.
    cycles: Vec<u64>,
}

impl Shapes {
    pub fn of(&mut self, func: &Func, inst: Inst) -> Shape {
        if let Some(shape) = self.of[inst].expand() {
            return shape;
        }
        let bare = shape(&func.insts[inst]);
        let kind = self.known.entry(discriminant(&bare.op)).or_default();
        let shape = match kind.iter().find(|(known, _)| *known == bare) {
            Some((_, shape)) => *shape,
            None => {
                let new = Shape(self.cycles.len() as u32);
                self.cycles.push(latency(&bare.op));
                kind.push((bare, new));
                new
            }
        };
        self.of[inst] = shape.into();
        shape
    }

    /// The cycles of an instruction of the shape.
    pub fn cycles(&self, shape: Shape) -> u64 {
        self.cycles[shape.0 as usize]
    }

    /// As [`of`](Self::of), of an instruction that was asked for before.
    pub fn known(&self, inst: Inst) -> Option<Shape> {
        self.of[inst].expand()
    }
}
