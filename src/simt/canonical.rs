//! The representative of all modules that print alike.

use super::inst::{Address, Base, Guard, Op, Operand, Piece, Space, Terminator, Type};
use super::ir::{Block, Func, Module, Reg, Variable};
use super::print::isa_version;
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
        match &mut data.terminator {
            Terminator::Bra { target } => *target = blocks[*target],
            Terminator::CondBra { guard, then, otherwise } => {
                names.guard(Some(guard));
                (*then, *otherwise) = (blocks[*then], blocks[*otherwise]);
            }
            Terminator::Brx { index, targets } => {
                *index = names.regs[*index];
                targets.iter_mut().for_each(|target| *target = blocks[*target]);
            }
            Terminator::Ret => {}
        }
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

    fn each<const N: usize>(&self, regs: [&mut Reg; N]) {
        for reg in regs {
            *reg = self.regs[*reg];
        }
    }

    fn operands<const N: usize>(&self, operands: [&mut Operand; N]) {
        for operand in operands {
            match operand {
                Operand::Reg(reg) => *reg = self.regs[*reg],
                Operand::Variable(variable) => *variable = self.variables[*variable],
                Operand::Imm(_) | Operand::Special(_) => {}
            }
        }
    }

    fn address(&self, addr: &mut Address) {
        match &mut addr.base {
            Base::Reg(reg) => *reg = self.regs[*reg],
            Base::Variable(variable) => *variable = self.variables[*variable],
            Base::Param(_) => {}
        }
    }

    fn op(&self, op: &mut Op) {
        match op {
            Op::Unary { op, ty, dst, a } => {
                *ty = if *op == super::inst::UnaryOp::Not { bitwise(*ty) } else { *ty };
                self.each([dst]);
                self.operands([a]);
            }
            Op::Binary { op, ty, dst, a, b } => {
                use super::inst::BinaryOp::{And, Or, Shl, Xor};
                *ty = if matches!(op, And | Or | Xor | Shl) { bitwise(*ty) } else { *ty };
                self.each([dst]);
                self.operands([a, b]);
            }
            Op::Cvt { dst, a, .. } => {
                self.each([dst]);
                self.operands([a]);
            }
            Op::Setp { dst, a, b, .. } => {
                self.each([dst]);
                self.operands([a, b]);
            }
            Op::Ternary { dst, a, b, c, .. } => {
                self.each([dst]);
                self.operands([a, b, c]);
            }
            Op::Selp { dst, a, b, pred, .. } => {
                self.each([dst, pred]);
                self.operands([a, b]);
            }
            Op::Pack { dst, lo, hi } => self.each([dst, lo, hi]),
            Op::Unpack { lo, hi, src } => self.each([lo, hi, src]),
            Op::Ld { dst, addr, .. } => {
                self.each([dst]);
                self.address(addr);
            }
            Op::St { addr, src, .. } => {
                self.address(addr);
                self.operands([src]);
            }
            Op::Shfl { dst, src, lane, clamp, .. } => {
                self.each([dst, src]);
                self.operands([lane, clamp]);
            }
            Op::Vote { dst, pred, .. } => self.each([dst, pred]),
            Op::Bar { .. } => {}
            Op::Bfi { dst, a, b, pos, len, .. } => {
                self.each([dst]);
                self.operands([a, b, pos, len]);
            }
            Op::Opaque { pieces, .. } => {
                for piece in pieces {
                    if let Piece::Reg(reg) = piece {
                        *reg = self.regs[*reg];
                    }
                }
            }
        }
    }
}

/// Bitwise instructions take untyped operands.
fn bitwise(ty: Type) -> Type {
    if ty == Type::F64 { ty } else { ty.class() }
}
