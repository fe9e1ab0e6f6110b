//! The names that registers get where a plan makes several of them one.

use cranelift_entity::{SecondaryMap, packed_option::PackedOption};
use ptx::analysis::lists::table;
use ptx::ir::{Func, Reg};

/// The names that registers get.
pub struct NewNames(SecondaryMap<Reg, PackedOption<Reg>>);

impl NewNames {
    pub fn new(func: &Func, renames: &[(Reg, Reg)]) -> Self {
        let mut names = table(func.regs.len());
        renames.iter().for_each(|(from, to)| names[*from] = (*to).into());
        Self(names)
    }

    pub fn get(&self, reg: Reg) -> Reg {
        self.0[reg].expand().unwrap_or(reg)
    }
}
