//! Modules, functions, blocks and variables.

use super::inst::{InstData, Space, Terminator, Type};
use super::lines::Lines;
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

/// A parameter of a function, or a place for an argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Param(u32);
entity_impl!(Param, "param");

/// One PTX module. Its [`Display`](std::fmt::Display) is the complete PTX text.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// The architecture: 35 for sm_35.
    pub sm: u32,
    /// Text behind the number in `.target`, such as `a` or `, texmode_independent`.
    pub target_options: String,
    /// The PTX ISA version, major and minor; `None` for the oldest that knows the architecture.
    pub version: Option<(u32, u32)>,
    /// `.address_size`, where it is given.
    pub address_size: Option<u32>,
    /// `.file` lines and declarations of textures, samplers and surfaces, verbatim.
    pub directives: Vec<String>,
    pub variables: PrimaryMap<Variable, VariableData>,
    pub funcs: Vec<Func>,
    /// `.section` blocks and other debugging text at the end, verbatim.
    pub sections: Vec<String>,
}

impl Module {
    pub fn new(sm: u32) -> Self {
        Self {
            sm,
            target_options: String::new(),
            version: None,
            address_size: Some(64),
            directives: Vec::new(),
            variables: PrimaryMap::new(),
            funcs: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// The function of that name.
    pub fn func(&self, name: &str) -> Option<&Func> {
        self.funcs.iter().find(|f| f.name == name)
    }

    /// The name, or where a variable has it the name with a number.
    pub fn unused_name(&self, name: &str) -> String {
        let taken = |name: &str| self.variables.values().any(|variable| variable.name == name);
        let numbered = (1u32..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !taken(name)).expect("a module has fewer variables than there are numbers")
    }

    /// The kernels.
    pub fn entries(&self) -> impl Iterator<Item = &Func> {
        self.funcs.iter().filter(|f| f.kind == FuncKind::Entry)
    }
}

/// A variable in memory: `.shared .align 8 .b8 name[bytes]`, or a table with initial values.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableData {
    pub name: String,
    pub linkage: Linkage,
    pub space: Space,
    /// The alignment in bytes.
    pub align: u32,
    /// 0 for `.extern .shared name[]`, whose size the launch tells.
    pub bytes: u64,
    pub init: Init,
}

/// Who else sees a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Linkage {
    #[default]
    Internal,
    Visible,
    Extern,
    Weak,
    Common,
}

/// Initial values.
#[derive(Debug, Clone, PartialEq)]
pub enum Init {
    None,
    F64(Vec<f64>),
    F32(Vec<f32>),
    S32(Vec<i32>),
    Bytes(Vec<u8>),
    /// Values with addresses in them, verbatim, and the type of an element.
    Verbatim(Type, String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FuncKind {
    /// A kernel (`.entry`).
    #[default]
    Entry,
    /// `.func`
    Function,
}

/// A kernel or a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Func {
    pub name: String,
    pub kind: FuncKind,
    pub linkage: Linkage,
    pub params: PrimaryMap<Param, ParamData>,
    /// Threads per CTA (`.reqntid`), when the kernel demands a number.
    pub threads: Option<[u32; 3]>,
    /// Further directives of the header, such as `.maxntid 256, 1, 1`.
    pub directives: Vec<String>,
    /// `.callprototype`s and `.calltargets` by name, verbatim.
    pub prototypes: BTreeMap<String, String>,
    pub regs: PrimaryMap<Reg, Type>,
    pub insts: PrimaryMap<Inst, InstData>,
    pub blocks: PrimaryMap<Block, BlockData>,
    /// The order of the blocks in the text. The first is the entry. Without blocks the function is defined elsewhere.
    pub layout: Vec<Block>,
    /// A comment line in front of an instruction.
    pub comments: BTreeMap<Inst, String>,
    /// Where the function was read from.
    pub lines: Lines,
}

impl Func {
    /// An empty kernel.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: FuncKind::Entry,
            linkage: Linkage::Visible,
            params: PrimaryMap::new(),
            threads: None,
            directives: Vec::new(),
            prototypes: BTreeMap::new(),
            regs: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            layout: Vec::new(),
            comments: BTreeMap::new(),
            lines: Lines::default(),
        }
    }

    /// A copy with room for so many more instructions.
    pub fn clone_with_room(&self, more: usize) -> Self {
        let mut insts = PrimaryMap::with_capacity(self.insts.len() + more);
        insts.extend(self.insts.values().cloned());
        Self {
            name: self.name.clone(),
            kind: self.kind,
            linkage: self.linkage,
            params: self.params.clone(),
            threads: self.threads,
            directives: self.directives.clone(),
            prototypes: self.prototypes.clone(),
            regs: self.regs.clone(),
            insts,
            blocks: self.blocks.clone(),
            layout: self.layout.clone(),
            comments: self.comments.clone(),
            lines: self.lines.clone(),
        }
    }

    /// Whether only the header is known.
    pub fn is_declaration(&self) -> bool {
        self.layout.is_empty()
    }

    /// The parameters of one kind, in order.
    pub fn params_of(&self, kind: ParamKind) -> impl Iterator<Item = (Param, &ParamData)> {
        self.params.iter().filter(move |(_, data)| data.kind == kind)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    Input,
    /// A result of a function.
    Return,
    /// In a function's body: an argument or a result of a call.
    Local,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamData {
    pub name: String,
    pub kind: ParamKind,
    pub ty: Type,
    /// Alignment and elements of an array.
    pub align: Option<u32>,
    pub count: Option<u64>,
    /// Other attributes, such as `.ptr .global .align 8`.
    pub attributes: String,
}

impl ParamData {
    /// A scalar parameter.
    pub fn input(name: impl Into<String>, ty: Type) -> Self {
        Self { name: name.into(), kind: ParamKind::Input, ty, align: None, count: None, attributes: String::new() }
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.ty.bytes()).saturating_mul(self.count.unwrap_or(1))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockData {
    pub insts: Vec<Inst>,
    pub terminator: Terminator,
}
