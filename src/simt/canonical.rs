//! The representative of all modules that print alike.

use super::inst::{Guard, Op, Space, Type, UnaryOp};
use super::ir::{Block, Func, Module, Reg, Variable};
use super::print::isa_version;
use super::visit::Slot;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use std::collections::BTreeMap;

impl Module {
    /// The module with everything numbered in the order of its text, registers of their classes' types, the version
    /// spelled out, and no comments: what [`read`](super::read::read) makes of the module's text.
    pub fn canonical(&self) -> Self {
        let mut variables = PrimaryMap::new();
        let mut new: SecondaryMap<Variable, Variable> = SecondaryMap::with_default(Variable::from_u32(0));
        for local in [false, true] {
            for (variable, data) in self.variables.iter().filter(|(_, d)| (d.space == Space::Local) == local) {
                new[variable] = variables.push(data.clone());
            }
        }
        let version = self.version.or_else(|| {
            let (major, minor) = isa_version(self.sm).split_once('.')?;
            Some((major.parse().ok()?, minor.parse().ok()?))
        });
        let funcs = self.funcs.iter().map(|func| canonical(func, &new)).collect();
        Self { sm: self.sm, version, variables, funcs }
    }
}

fn canonical(func: &Func, variables: &SecondaryMap<Variable, Variable>) -> Func {
    let mut regs = PrimaryMap::new();
    let mut names = Names { regs: SecondaryMap::with_default(Reg::from_u32(0)), variables };
    for class in [Type::Pred, Type::B32, Type::B64, Type::F64] {
        for (reg, _) in func.regs.iter().filter(|(_, ty)| ty.class() == class) {
            names.regs[reg] = regs.push(class);
        }
    }
    let mut blocks: SecondaryMap<Block, Block> = SecondaryMap::with_default(Block::from_u32(0));
    for (i, block) in func.layout.iter().enumerate() {
        blocks[*block] = Block::from_u32(i as u32);
    }
    let mut result = Func { regs, threads: func.threads, ..Func::new(func.name.clone()) };
    result.params.clone_from(&func.params);
    result.directives.clone_from(&func.directives);
    result.comments = BTreeMap::new();
    for old in &func.layout {
        let mut data = func.blocks[*old].clone();
        for inst in &mut data.insts {
            let mut copy = func.insts[*inst].clone();
            names.guard(copy.guard.as_mut());
            names.op(&mut copy.op);
            *inst = result.insts.push(copy);
        }
        if let Some(condition) = data.terminator.condition_mut() {
            *condition = names.regs[*condition];
        }
        data.terminator.targets_mut(|target| *target = blocks[*target]);
        let block = result.blocks.push(data);
        result.layout.push(block);
    }
    result
}

struct Names<'a> {
    regs: SecondaryMap<Reg, Reg>,
    variables: &'a SecondaryMap<Variable, Variable>,
}

impl Names<'_> {
    fn guard(&self, guard: Option<&mut Guard>) {
        if let Some(guard) = guard {
            guard.pred = self.regs[guard.pred];
        }
    }

    fn op(&self, op: &mut Op) {
        use super::inst::BinaryOp::{And, Or, Shl, Xor};
        match op {
            Op::Unary { op: UnaryOp::Not, ty, .. } => *ty = bitwise(*ty),
            Op::Binary { op: And | Or | Xor | Shl, ty, .. } => *ty = bitwise(*ty),
            _ => {}
        }
        op.slots(|slot| match slot {
            Slot::Read(reg) | Slot::Write(reg) | Slot::Both(reg) => *reg = self.regs[*reg],
            Slot::Variable(variable) => *variable = self.variables[*variable],
        });
    }
}

/// Bitwise instructions take untyped operands.
fn bitwise(ty: Type) -> Type {
    if ty == Type::F64 { ty } else { ty.class() }
}
