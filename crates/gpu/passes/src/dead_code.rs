//! Removes instructions whose results nothing needs, also those that need only each other, such as a counter that is only
//! counted. Branches stay, with what they depend on.

use super::options::Options;
use super::outcome::{Failure, Outcome, Report, counted, with_func};
use cranelift_entity::SecondaryMap;
use ptx::analysis::lists::table;
use ptx::analysis::ssa::{Def, Facts, Ssa, Value};
use ptx::inst::{Op, Order};
use ptx::ir::{Func, Inst, Module};
use serde::Serialize;

/// Counts of what was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Removed {
    pub instructions: usize,
}

/// The function without dead code.
pub fn run(func: &Func) -> (Func, Removed) {
    let mut result = func.clone();
    let removed = remove(&mut result);
    (result, removed)
}

/// As [`run`], in place.
pub fn remove(func: &mut Func) -> Removed {
    let facts = Facts::compute(func);
    let ssa = Ssa::compute(func, &facts, &[]);
    remove_unneeded(func, &facts, &ssa)
}

/// As [`remove`], where the values of the function are known, or those that it had under other names of registers.
pub fn remove_unneeded(func: &mut Func, facts: &Facts, ssa: &Ssa) -> Removed {
    let needed = needed(func, facts, ssa);
    let mut instructions = 0;
    for block in &facts.cfg.order {
        let insts = &mut func.blocks[*block].insts;
        let before = insts.len();
        insts.retain(|inst| needed[*inst]);
        instructions += before - insts.len();
    }
    Removed { instructions }
}

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, _: &Options) -> Result<Outcome, Failure> {
    let (func, removed) = run(&module.funcs[index]);
    let summary = format!("{} removed", counted(removed.instructions, "instruction"));
    Ok(Outcome { module: with_func(module, index, func), report: Report::new(summary, removed) })
}

/// Instructions that do something, and those whose values they and the branches need.
fn needed(func: &Func, facts: &Facts, ssa: &Ssa) -> SecondaryMap<Inst, bool> {
    let mut needed: SecondaryMap<Inst, bool> = table(func.insts.len());
    let mut known: SecondaryMap<Value, bool> = table(ssa.values.len());
    let mut work: Vec<Value> = Vec::with_capacity(ssa.values.len());
    for block in &facts.cfg.order {
        work.extend(ssa.condition(*block));
        for &inst in &func.blocks[*block].insts {
            if !only_makes_results(&func.insts[inst].op) {
                needed[inst] = true;
                work.extend(ssa.reads(inst));
            }
        }
    }
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut known[value], true) {
            continue;
        }
        match ssa.values[value].def {
            Def::Inst(inst, _) if !std::mem::replace(&mut needed[inst], true) => work.extend(ssa.reads(inst)),
            Def::Phi(..) => work.extend(ssa.arguments(value)),
            Def::Copy(_, source) => work.push(source),
            Def::Inst(..) | Def::Undefined => {}
        }
    }
    needed
}

/// The instruction does nothing but make its results, for its own thread.
pub(super) fn only_makes_results(op: &Op) -> bool {
    match op {
        Op::Ld { access, .. } => matches!(access.order, Order::None | Order::Weak),
        op => op.only_computes(),
    }
}
