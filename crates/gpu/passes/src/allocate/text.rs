//! Analyses of a function that is being allocated.

use super::class::{Class, File};
use ptx::analysis::access::Accesses;
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::ir::{Block, Func, Reg};
use std::collections::BTreeSet;

/// A function with its analyses.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub func: &'a Func,
    pub accesses: &'a Accesses,
    pub liveness: &'a Liveness,
    pub loops: &'a Loops,
}

impl Text<'_> {
    /// Executions of a block, as they are estimated: ten for each loop around it.
    pub fn weight(&self, block: Block) -> f64 {
        10f64.powi(self.loops.depth(block).min(12) as i32)
    }

    pub fn class(&self, reg: Reg) -> Class {
        Class::for_type(self.func.regs[reg])
    }
}

/// The units of the two files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    pub general: u32,
    pub predicates: u32,
}

impl Sizes {
    pub fn file(self, file: File) -> u32 {
        match file {
            File::General => self.general,
            File::Predicate => self.predicates,
        }
    }

    pub fn add(&mut self, class: Class) {
        *self.file_mut(class.file) += class.units;
    }

    pub fn remove(&mut self, class: Class) {
        *self.file_mut(class.file) -= class.units;
    }

    fn file_mut(&mut self, file: File) -> &mut u32 {
        match file {
            File::General => &mut self.general,
            File::Predicate => &mut self.predicates,
        }
    }
}

/// The registers that are alive at one place of a walk, with the units that they take.
#[derive(Debug, Default)]
pub struct Live {
    regs: BTreeSet<Reg>,
    pub units: Sizes,
}

impl Live {
    /// Adds a register; false where it was alive.
    pub fn insert(&mut self, reg: Reg, class: Class) -> bool {
        let is_new = self.regs.insert(reg);
        if is_new {
            self.units.add(class);
        }
        is_new
    }

    /// Removes a register; false where it was not alive.
    pub fn remove(&mut self, reg: Reg, class: Class) -> bool {
        let was = self.regs.remove(&reg);
        if was {
            self.units.remove(class);
        }
        was
    }
}
