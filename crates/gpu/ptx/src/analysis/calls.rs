//! Calls that return the same to all lanes: a function whose arguments are uniform returns uniform values, if it takes no
//! divergent way to where it stores them.
//!
//! Results of calls are first taken to be uniform, as loads of their results say. A call drops out where an argument is not
//! uniform, until nothing changes: what is left holds for every call, those in loops too.

use super::control;
use super::divergence::{Divergence, Options};
use super::dominators::post_dominators;
use super::gated::Gated;
use crate::inst::{Address, Base, Callee, Op, Space};
use crate::ir::{Func, Inst, Module, Param, ParamKind};
use std::collections::{BTreeMap, BTreeSet};

/// The gated form of a function that knows which calls return the same to all lanes.
pub fn gated(module: &Module, func: &Func, options: Options) -> Gated {
    assuming(module, func, options, &BTreeSet::new(), &mut Vec::new())
}

/// As [`gated()`], of a function whose loads `given` are uniform. Functions that are being looked at are in `open`.
fn assuming<'m>(
    module: &'m Module,
    func: &'m Func,
    options: Options,
    given: &BTreeSet<Inst>,
    open: &mut Vec<&'m str>,
) -> Gated {
    let mut calls = calls(module, func, options, open);
    loop {
        let mut passed = given.clone();
        passed.extend(calls.keys());
        let gated = Gated::assuming(func, &passed);
        let before = calls.len();
        if before > 0 {
            let divergence = Divergence::compute(func, &gated, options);
            calls.retain(|_, stores| stores.iter().all(|store| reads_uniform(&gated, &divergence, *store)));
        }
        if calls.len() == before {
            return gated;
        }
    }
}

fn reads_uniform(gated: &Gated, divergence: &Divergence, inst: Inst) -> bool {
    gated.ssa.reads(inst).iter().all(|value| divergence.state(*value).is_uniform())
}

/// The loads of results of calls that return the same to all lanes if their arguments are uniform, with the stores of the
/// arguments. All stand without guards in the block of the call, so that the same lanes execute them.
fn calls<'m>(
    module: &'m Module,
    func: &'m Func,
    options: Options,
    open: &mut Vec<&'m str>,
) -> BTreeMap<Inst, Vec<Inst>> {
    let mut found = BTreeMap::new();
    for block in &func.layout {
        let insts = &func.blocks[*block].insts;
        for (at, call) in insts.iter().enumerate() {
            let Op::Call { callee: Callee::Func(name), results, arguments, .. } = &func.insts[*call].op else {
                continue;
            };
            if func.insts[*call].guard.is_some() || results.is_empty() || !returns_alike(module, name, options, open) {
                continue;
            }
            let stores: Vec<Inst> =
                insts[..at].iter().copied().filter(|inst| stores_to(func, *inst, arguments).is_some()).collect();
            let given = |param: &Param| stores.iter().any(|inst| stores_to(func, *inst, &[*param]).is_some());
            if !arguments.iter().all(given) {
                continue;
            }
            let next = |inst: &Inst| matches!(func.insts[*inst].op, Op::Call { .. });
            let own = insts[at + 1..].iter().take_while(|inst| !next(inst));
            for load in own.filter(|inst| loads_from(func, **inst, results)) {
                found.insert(*load, stores.clone());
            }
        }
    }
    found
}

/// Whether a function returns the same to lanes that give it the same.
fn returns_alike<'m>(module: &'m Module, name: &str, options: Options, open: &mut Vec<&'m str>) -> bool {
    let Some(func) = module.func(name).filter(|func| !func.is_declaration()) else { return false };
    if open.contains(&func.name.as_str()) {
        return false;
    }
    open.push(&func.name);
    let params = |kind: ParamKind| func.params_of(kind).map(|(param, _)| param).collect::<Vec<Param>>();
    let (inputs, returned) = (params(ParamKind::Input), params(ParamKind::Return));
    let given = func.insts.keys().filter(|inst| loads_from(func, *inst, &inputs)).collect();
    let gated = assuming(module, func, options, &given, open);
    open.pop();
    let divergence = Divergence::compute(func, &gated, options);
    let depends = control::compute(func, &post_dominators(func));
    let order = &gated.facts.cfg.order;
    let parts = order.iter().any(|block| divergence.uniform_branch(&gated, *block) == Some(false));
    let mut written: BTreeSet<Param> = BTreeSet::new();
    for block in order {
        for inst in &func.blocks[*block].insts {
            if let Some(param) = stores_to(func, *inst, &returned) {
                let alone = parts && !depends[*block].is_empty();
                if alone || func.insts[*inst].guard.is_some() || !reads_uniform(&gated, &divergence, *inst) {
                    return false;
                }
                written.insert(param);
            }
        }
    }
    written.len() == returned.len()
}

/// The parameter that the instruction stores to, if it is one of these.
fn stores_to(func: &Func, inst: Inst, params: &[Param]) -> Option<Param> {
    match &func.insts[inst].op {
        Op::St { space: Space::Param, addr: Address { base: Base::Param(param), .. }, .. }
            if params.contains(param) =>
        {
            Some(*param)
        }
        _ => None,
    }
}

fn loads_from(func: &Func, inst: Inst, params: &[Param]) -> bool {
    let data = &func.insts[inst];
    data.guard.is_none()
        && matches!(&data.op, Op::Ld { space: Space::Param, addr: Address { base: Base::Param(param), .. }, .. } if params.contains(param))
}
