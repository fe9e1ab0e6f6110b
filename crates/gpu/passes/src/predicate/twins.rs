//! Functions that rows call. All lanes call a twin of the function, whose last parameter is the entrance mask: 1 in the
//! lanes for which it runs. The function itself stays for calls that keep the stack.

use super::check::Violation;
use super::decide::{ends, plan};
use super::options::Options;
use super::twin::Twins;
use super::{apply, spill, together};
use ptx::inst::{Callee, Op, Terminator};
use ptx::ir::{Func, FuncKind, Linkage, Module};
use std::collections::BTreeSet;

/// The twins that functions of the module can have.
///
/// # Errors
/// The plan of one is wrong.
pub fn possible(module: &Module, options: &Options) -> Result<Twins, Vec<Violation>> {
    let mut twins = Twins::new();
    for func in module.funcs.iter().filter(|func| func.kind == FuncKind::Function && can_be_masked(module, func)) {
        let Some(plan) = plan(module, func, &inside(options))? else { continue };
        if plan.plan().stacks.is_empty() && plan.plan().uniform.is_empty() {
            twins.insert(func.name.clone(), free_name(module, &func.name));
        }
    }
    Ok(twins)
}

/// Adds the twins that the functions of `result` call, and those that these call, in front of the function at `index`, whose
/// new place is given back with their number.
///
/// # Errors
/// As those of [`possible`].
pub fn add(
    module: &Module,
    result: &mut Module,
    mut index: usize,
    twins: &Twins,
    options: &Options,
) -> Result<(usize, usize), Vec<Violation>> {
    let mut made = 0;
    let mut at = index;
    loop {
        let missing = twins.iter().find(|(_, twin)| result.func(twin).is_none() && is_called(result, twin));
        let Some((name, twin)) = missing else { return Ok((index, made)) };
        let Some(func) = module.func(name) else { return Ok((index, made)) };
        if let Some(plan) = plan(module, func, &inside(options))? {
            let mut masked = apply::apply(func, &plan, options.machine(module), twins, true);
            spill::run(&mut masked, options.predicates);
            masked.name.clone_from(twin);
            masked.linkage = Linkage::Internal;
            // a function stands in front of those that call it
            at = at.min(index);
            result.funcs.insert(at, masked);
            index += 1;
            made += 1;
        }
    }
}

/// In a twin every branch becomes a mask: what inactive lanes hold must not decide.
fn inside(options: &Options) -> Options {
    Options { sbu: false, tested: None, kept: BTreeSet::new(), ..options.clone() }
}

fn can_be_masked(module: &Module, func: &Func) -> bool {
    let leaves =
        |terminator: &Terminator| matches!(terminator, Terminator::Exit | Terminator::CondBra { uni: true, .. });
    !func.is_declaration()
        && ends(func)
        && together::compute(module, func).is_empty()
        && !func.layout.iter().any(|block| leaves(&func.blocks[*block].terminator))
        && !calls_itself(module, func)
}

fn callees(func: &Func) -> impl Iterator<Item = &str> {
    func.layout.iter().flat_map(|block| &func.blocks[*block].insts).filter_map(|inst| match &func.insts[*inst].op {
        Op::Call { callee: Callee::Func(name), .. } => Some(name.as_str()),
        _ => None,
    })
}

fn calls_itself(module: &Module, func: &Func) -> bool {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut work: Vec<&str> = callees(func).collect();
    while let Some(name) = work.pop() {
        if name == func.name {
            return true;
        }
        if seen.insert(name) {
            work.extend(module.func(name).into_iter().flat_map(callees));
        }
    }
    false
}

fn is_called(module: &Module, name: &str) -> bool {
    module.funcs.iter().flat_map(callees).any(|callee| callee == name)
}

fn free_name(module: &Module, name: &str) -> String {
    let mut free = format!("{name}_masked");
    while module.func(&free).is_some() {
        free.push('_');
    }
    free
}
