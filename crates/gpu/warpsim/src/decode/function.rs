//! A function of the code, with its printer and its definitions, which are made when they are first asked for.

use crate::slice::Definitions;
use cranelift_entity::SecondaryMap;
use ptx::ir::{Block, Func, Inst, Module, Reg};
use ptx::print::Quotes;
use std::cell::OnceCell;

pub(in super::super) struct Function<'m> {
    pub func: &'m Func,
    /// Row or predicate number of each register.
    pub rows: SecondaryMap<Reg, u32>,
    quotes: OnceCell<Quotes<'m>>,
    definitions: OnceCell<Definitions<'m>>,
}

impl<'m> Function<'m> {
    pub(super) fn new(func: &'m Func, rows: SecondaryMap<Reg, u32>) -> Self {
        Self { func, rows, quotes: OnceCell::new(), definitions: OnceCell::new() }
    }

    /// Returns the text of an instruction, or of the block's end.
    pub(super) fn text(&self, module: &'m Module, block: Block, inst: Option<Inst>) -> String {
        self.quotes.get_or_init(|| Quotes::new(module, self.func)).line(block, inst)
    }

    /// Returns the instructions that write each register.
    pub(super) fn definitions(&self) -> &Definitions<'m> {
        self.definitions.get_or_init(|| Definitions::new(self.func))
    }
}
