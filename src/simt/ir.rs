//! Modules, functions, blocks and variables.

use super::inst::{InstData, Space, Terminator, Type};
use cranelift_entity::{PrimaryMap, entity_impl};
use std::collections::BTreeMap;

/// A typed virtual register; may be written more than once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(u32);
entity_impl!(Reg, "r");

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(u32);
entity_impl!(Block, "BB");

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(u32);
entity_impl!(Inst, "inst");

/// A variable in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(u32);
entity_impl!(Variable, "var");

/// A parameter of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Param(u32);
entity_impl!(Param, "param");

/// One PTX module. Its [`Display`](std::fmt::Display) is the complete PTX text.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// The architecture: 35 for sm_35.
    pub sm: u32,
    /// The PTX ISA version, major and minor; `None` for the oldest that knows the architecture.
    pub version: Option<(u32, u32)>,
    pub variables: PrimaryMap<Variable, VariableData>,
    pub funcs: Vec<Func>,
}

impl Module {
    pub fn new(sm: u32) -> Self {
        Self { sm, version: None, variables: PrimaryMap::new(), funcs: Vec::new() }
    }

    /// The kernel of that name.
    pub fn func(&self, name: &str) -> Option<&Func> {
        self.funcs.iter().find(|f| f.name == name)
    }
}

/// A variable in memory: `.shared .align 8 .b8 name[bytes]`, or a table with initial values.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableData {
    pub name: String,
    pub space: Space,
    /// The alignment in bytes.
    pub align: u32,
    pub bytes: u64,
    pub init: Init,
}

/// Initial values.
#[derive(Debug, Clone, PartialEq)]
pub enum Init {
    None,
    F64(Vec<f64>),
    S32(Vec<i32>),
    Bytes(Vec<u8>),
}

/// A kernel (`.visible .entry`).
#[derive(Debug, Clone, PartialEq)]
pub struct Func {
    pub name: String,
    pub params: PrimaryMap<Param, ParamData>,
    /// Threads per CTA (`.reqntid`), when the kernel demands a number.
    pub threads: Option<u32>,
    /// Further directives of the header, such as `.maxntid 256, 1, 1`.
    pub directives: Vec<String>,
    pub regs: PrimaryMap<Reg, Type>,
    pub insts: PrimaryMap<Inst, InstData>,
    pub blocks: PrimaryMap<Block, BlockData>,
    /// The order of the blocks in the text. The first is the entry.
    pub layout: Vec<Block>,
    /// A comment line in front of an instruction.
    pub comments: BTreeMap<Inst, String>,
}

impl Func {
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            params: PrimaryMap::new(),
            threads: None,
            directives: Vec::new(),
            regs: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            layout: Vec::new(),
            comments: BTreeMap::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamData {
    pub name: String,
    pub ty: Type,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockData {
    pub insts: Vec<Inst>,
    pub terminator: Terminator,
}
