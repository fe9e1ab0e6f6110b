//! The representative of all modules that print alike.

use super::inst::{Op, Operand, Space, Type, UnaryOp};
use super::ir::{Block, Func, Module, ParamKind, Reg, Variable};
use super::print::{isa_version, locals};
use super::visit::Slot;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use std::collections::BTreeSet;

impl Module {
    /// The module with everything numbered in the order of its text, registers of their classes' types, the version
    /// spelled out, and no comments: what [`read`](super::read::read) makes of the module's text.
    pub fn canonical(&self) -> Self {
        let mut variables = PrimaryMap::new();
        let mut new: SecondaryMap<Variable, Variable> = SecondaryMap::with_default(Variable::from_u32(0));
        let (declared, defined): (Vec<&Func>, Vec<&Func>) = self.funcs.iter().partition(|func| func.is_declaration());
        let shared = self.variables.iter().filter(|(_, data)| data.space != Space::Local).map(|(variable, _)| variable);
        // a function that shares the local variables of another declares them again
        let mut placed = BTreeSet::new();
        let locals = defined.iter().flat_map(|func| locals(self, func));
        for variable in shared.chain(locals).filter(|variable| placed.insert(*variable)) {
            new[variable] = variables.push(self.variables[variable].clone());
        }
        let version = self.version.or_else(|| {
            let (major, minor) = isa_version(self.sm).split_once('.')?;
            Some((major.parse().ok()?, minor.parse().ok()?))
        });
        let funcs = declared.into_iter().chain(defined).map(|func| canonical(func, &new, self.sm)).collect();
        let (target_options, address_size) = (self.target_options.clone(), self.address_size);
        let (directives, sections) = (self.directives.clone(), self.sections.clone());
        Self { sm: self.sm, target_options, version, address_size, directives, variables, funcs, sections }
    }
}

/// The classes of registers, in the order of their declarations.
pub(super) const CLASSES: [Type; 7] = [Type::Pred, Type::B16, Type::B32, Type::B64, Type::F32, Type::F64, Type::B128];

fn canonical(func: &Func, variables: &SecondaryMap<Variable, Variable>, sm: u32) -> Func {
    let mut regs = PrimaryMap::new();
    let mut new: SecondaryMap<Reg, Reg> = SecondaryMap::with_default(Reg::from_u32(0));
    for class in CLASSES {
        for (reg, _) in func.regs.iter().filter(|(_, ty)| ty.class() == class) {
            new[reg] = regs.push(class);
        }
    }
    let mut blocks: SecondaryMap<Block, Block> = SecondaryMap::with_default(Block::from_u32(0));
    for (i, block) in func.layout.iter().enumerate() {
        blocks[*block] = Block::from_u32(i as u32);
    }
    let mut result = Func {
        regs,
        kind: func.kind,
        linkage: func.linkage,
        threads: func.threads,
        params: func.params.clone(),
        directives: func.directives.clone(),
        prototypes: func.prototypes.clone(),
        ..Func::new(func.name.clone())
    };
    for (param, data) in result.params.iter_mut().filter(|(_, data)| data.kind == ParamKind::Local) {
        data.name = local_name(param.index());
    }
    for (i, old) in func.layout.iter().enumerate() {
        let block = Block::from_u32(i as u32);
        let mut data = func.blocks[*old].clone();
        for inst in &mut data.insts {
            let line = func.lines.line(*old, Some(*inst));
            let mut copy = func.insts[*inst].clone();
            if let Some(guard) = &mut copy.guard {
                guard.pred = new[guard.pred];
            }
            copy.op.slots(|slot| match slot {
                Slot::Read(reg) | Slot::Write(reg) | Slot::Both(reg) => *reg = new[*reg],
                Slot::Variable(variable) => *variable = variables[*variable],
            });
            spell_out(&mut copy.op, sm);
            *inst = result.insts.push(copy);
            result.lines.set(block, Some(*inst), line.unwrap_or(0));
        }
        result.lines.set(block, None, func.lines.line(*old, None).unwrap_or(0));
        if let Some(condition) = data.terminator.condition_mut() {
            *condition = new[*condition];
        }
        data.terminator.targets_mut(|target| *target = blocks[*target]);
        let block = result.blocks.push(data);
        result.layout.push(block);
    }
    result
}

/// The printed name of a place for an argument.
pub(super) fn local_name(index: usize) -> String {
    format!("$arg{index}")
}

/// Bitwise instructions take untyped operands; from sm_70 on warp-wide instructions name their lanes.
fn spell_out(op: &mut Op, sm: u32) {
    match op {
        Op::Unary { op: UnaryOp::Not | UnaryOp::Cnot, ty, .. } => *ty = ty.bits(),
        Op::Binary { op, ty, .. } if op.is_bitwise() => *ty = ty.bits(),
        Op::Shfl { mask, .. } | Op::Vote { mask, .. } if mask.is_none() && sm >= 70 => {
            *mask = Some(Operand::Imm(0xffff_ffff));
        }
        _ => {}
    }
}
