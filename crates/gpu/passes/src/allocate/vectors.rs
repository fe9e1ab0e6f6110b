//! Vector accesses: their elements must lie in consecutive, aligned units.

use ptx::inst::{InstData, Mode, Op, Operand, Type, UnaryOp};
use ptx::ir::{Block, Func, Reg};

/// Registers that need consecutive units, in order.
pub type Groups = Vec<Vec<Reg>>;

/// Gives each vector access of 64, 96 or 128 bits registers of its own, joined to the rest by copies. Elements of less than
/// 32 bits share units in hardware and are left alone.
pub fn separate(func: &mut Func) -> Groups {
    let mut groups = Groups::new();
    for block in func.layout.clone() {
        separate_block(func, block, &mut groups);
    }
    groups
}

fn separate_block(func: &mut Func, block: Block, groups: &mut Groups) {
    let old = std::mem::take(&mut func.blocks[block].insts);
    let mut new = Vec::with_capacity(old.len());
    for inst in old {
        let guarded = func.insts[inst].guard.is_some();
        let mut data = func.insts[inst].clone();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        match &mut data.op {
            Op::Ld { dst, ty, .. } if wide(*ty, dst.len()) => {
                let group: Vec<Reg> = dst.iter().map(|reg| func.regs.push(func.regs[*reg])).collect();
                for (own, reg) in group.iter().zip(dst.iter()) {
                    if guarded {
                        before.push(mov(func, *own, Operand::Reg(*reg)));
                    }
                    after.push(mov(func, *reg, Operand::Reg(*own)));
                }
                *dst = group.iter().copied().collect();
                groups.push(group);
            }
            Op::St { src, ty, .. } if wide(*ty, src.len()) => {
                let group: Vec<Reg> = src.iter().map(|_| func.regs.push(*ty)).collect();
                before.extend(group.iter().zip(src.iter()).map(|(own, value)| mov(func, *own, *value)));
                *src = group.iter().map(|reg| Operand::Reg(*reg)).collect();
                groups.push(group);
            }
            _ => {}
        }
        func.insts[inst] = data;
        new.extend(before.into_iter().map(|op| func.insts.push(InstData { guard: None, op })));
        new.push(inst);
        new.extend(after.into_iter().map(|op| func.insts.push(InstData { guard: None, op })));
    }
    func.blocks[block].insts = new;
}

fn wide(ty: Type, elements: usize) -> bool {
    elements > 1 && ty.bytes() >= 4
}

fn mov(func: &Func, to: Reg, from: Operand) -> Op {
    Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: func.regs[to].class(), dst: to, a: from }
}
