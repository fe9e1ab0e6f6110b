//! Gives the registers of a function the names of physical ones.

use super::class::{Class, PhysicalRegister};
use super::problem::{Node, Problem};
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use ptx::inst::{Op, Operand, Type, UnaryOp};
use ptx::ir::{Func, Inst, Reg};
use ptx::visit::Slot;
use std::collections::BTreeMap;

/// Renames every register to one that stands for its type and unit, and drops copies that became idle, other than those that are
/// `needed`. Returns the place of
/// each new register, and the new names.
pub fn run(
    func: &mut Func,
    problem: &Problem,
    start: &SecondaryMap<Node, u32>,
    needed: impl Fn(Inst) -> bool,
) -> (SecondaryMap<Reg, PhysicalRegister>, SecondaryMap<Reg, Option<Reg>>) {
    let mut members: BTreeMap<(Type, u32), Vec<Reg>> = BTreeMap::new();
    for (node, data) in problem.nodes.iter() {
        for (reg, unit) in &data.members {
            members.entry((func.regs[*reg].class(), start[node] + unit)).or_default().push(*reg);
        }
    }
    let mut regs = PrimaryMap::new();
    let mut physical = SecondaryMap::new();
    let mut names: SecondaryMap<Reg, Option<Reg>> = SecondaryMap::new();
    for ((ty, unit), members) in members {
        let name = regs.push(ty);
        let class = Class::for_type(ty);
        physical[name] = PhysicalRegister { file: class.file, start: unit, units: class.units };
        members.iter().for_each(|reg| names[*reg] = Some(name));
    }
    let name = |reg: Reg| names[reg].unwrap_or(Reg::new(0));
    for block in func.layout.clone() {
        for inst in &func.blocks[block].insts {
            let data = &mut func.insts[*inst];
            data.op.slots(|slot| {
                if let Slot::Read(reg) | Slot::Write(reg) | Slot::Both(reg) = slot {
                    *reg = name(*reg);
                }
            });
            if let Some(guard) = &mut data.guard {
                guard.pred = name(guard.pred);
            }
        }
        if let Some(reg) = func.blocks[block].terminator.condition_mut() {
            *reg = name(*reg);
        }
        let insts = std::mem::take(&mut func.blocks[block].insts);
        func.blocks[block].insts =
            insts.into_iter().filter(|inst| !idle(&func.insts[*inst]) || needed(*inst)).collect();
    }
    func.regs = regs;
    (physical, names)
}

fn idle(data: &ptx::inst::InstData) -> bool {
    data.guard.is_none()
        && matches!(data.op, Op::Unary { op: UnaryOp::Mov, dst, a: Operand::Reg(from), .. } if dst == from)
}
