//! Parameters whose values a proof needs.

use crate::slice::Definitions;
use crate::{Argument, Launch};
use ptx::inst::{Address, Base, Op, Operand, Space};
use ptx::ir::{Func, ParamKind, Reg};
use ptx::visit::Part;

/// Returns the numbers of the parameters that a proof with this launch may depend on: `holds` proves again, with fewer values.
///
/// Parameters that reach no branch, guard, address or barrier are left out at once, others where the proof holds without them.
pub(super) fn needed(func: &Func, launch: &Launch, mut holds: impl FnMut(&Launch) -> bool) -> Vec<usize> {
    let candidates = candidates(func);
    let mut trial = launch.clone();
    let given = |at: &usize| launch.arguments[*at] != Argument::Any;
    let decide = |list: Vec<usize>, trial: &mut Launch, holds: &mut dyn FnMut(&Launch) -> bool| {
        let before = trial.arguments.clone();
        list.iter().for_each(|at| trial.arguments[*at] = Argument::Any);
        if list.is_empty() || holds(trial) {
            return Vec::new();
        }
        trial.arguments = before;
        list
    };
    let others = (0..launch.arguments.len()).filter(|at| !candidates.contains(at)).collect();
    // they reach nothing that is decided, which the proof without them confirms
    let mut needed = decide(others, &mut trial, &mut holds);
    let (pointers, numbers): (Vec<usize>, Vec<usize>) =
        candidates.into_iter().filter(given).partition(|at| matches!(launch.arguments[*at], Argument::Buffer(_)));
    for group in [pointers, numbers] {
        for at in decide(group, &mut trial, &mut holds) {
            needed.extend(decide(vec![at], &mut trial, &mut holds));
        }
    }
    needed.retain(|at| given(at));
    needed.sort_unstable();
    needed
}

/// Returns the parameters that reach something that decides synchronisation, or the place of an access of shared memory.
fn candidates(func: &Func) -> Vec<usize> {
    let mut deciding: Vec<Reg> = Vec::new();
    let mut calls = false;
    for data in func.insts.values() {
        calls |= matches!(data.op, Op::Call { .. });
        deciding.extend(data.guard.map(|guard| guard.pred));
        match &data.op {
            Op::Ld { space, addr, .. } | Op::St { space, addr, .. } | Op::Atom { space, addr, .. } => {
                let Address { base: Base::Reg(reg), .. } = addr else { continue };
                if !matches!(space, Space::Local | Space::Const) {
                    deciding.push(*reg);
                }
            }
            op if op.only_computes() => {}
            op => op.parts(|part| match part {
                Part::Use(reg) | Part::Touch(reg) | Part::Read(Operand::Reg(reg)) => deciding.push(*reg),
                Part::At(Address { base: Base::Reg(reg), .. }) => deciding.push(*reg),
                _ => {}
            }),
        }
    }
    for block in &func.layout {
        match &func.blocks[*block].terminator {
            ptx::inst::Terminator::CondBra { guard, .. } => deciding.push(guard.pred),
            ptx::inst::Terminator::Brx { index, .. } => deciding.push(*index),
            _ => {}
        }
    }
    let origins = Definitions::new(func).origins(deciding, true);
    let inputs = func.params_of(ParamKind::Input).enumerate();
    inputs.filter(|(_, (param, _))| calls || origins.params.contains(param)).map(|(at, _)| at).collect()
}
