//! Instructions that all lanes of a warp must execute together, or as many of them as the text says.

use ptx::inst::{Callee, Op};
use ptx::ir::{Block, Func, Module};
use std::collections::BTreeSet;

/// The blocks that have such instructions.
pub fn compute(module: &Module, func: &Func) -> BTreeSet<Block> {
    let has = |block: &Block| {
        let mut ops = func.blocks[*block].insts.iter().map(|inst| &func.insts[*inst].op);
        ops.any(|op| is_collective(module, op, &mut BTreeSet::new()))
    };
    func.layout.iter().copied().filter(has).collect()
}

/// Barriers, exchanges between lanes, what counts the active lanes, and what may do one of these. Calls that are being
/// looked at are in `open`.
fn is_collective<'m>(module: &'m Module, op: &'m Op, open: &mut BTreeSet<&'m str>) -> bool {
    match op {
        Op::Bar { .. }
        | Op::BarRed { .. }
        | Op::BarWarp { .. }
        | Op::Shfl { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::Redux { .. }
        | Op::Mma { .. }
        | Op::Activemask { .. } => true,
        Op::Opaque { opcode, .. } => !LANEWISE.contains(&opcode.split('.').next().unwrap_or("")),
        Op::Call { callee: Callee::Reg(..), .. } => true,
        Op::Call { callee: Callee::Func(name), .. } => {
            let Some(func) = module.func(name).filter(|func| !func.is_declaration()) else { return true };
            open.insert(&func.name) && func.insts.values().any(|inst| is_collective(module, &inst.op, open))
        }
        _ => false,
    }
}

/// Instructions that the IR keeps as text, and that each lane executes for itself.
const LANEWISE: [&str; 32] = [
    "abs", "add", "bfe", "bfi", "bfind", "cnot", "copysign", "cvt", "div", "dp2a", "dp4a", "ex2", "fma", "isspacep",
    "ld", "ldu", "lg2", "mad", "mapa", "max", "min", "mov", "mul", "neg", "prefetch", "rcp", "rsqrt", "selp", "set",
    "setp", "st", "sub",
];
