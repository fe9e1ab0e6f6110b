//! Description of a kernel that does not end within the budget.

use crate::Launch;
use crate::hazard::Site;
use crate::slice::Definitions;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::loops::Loops;
use ptx::inst::Terminator;
use ptx::ir::{Block, Func, ParamKind};

/// Names the innermost loop around the block where the budget ended, its exit, and the parameters that decide that.
pub(super) fn describe(func: &Func, block: Block, site: &Site, launch: &Launch, executed: u64) -> String {
    let spent = format!("{site}: {executed} warp instructions were not enough");
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let Some(inner) = loops.innermost(block) else { return format!("{spent}; a larger budget may be") };
    let blocks = &loops.loops[inner].blocks;
    let lines = blocks.iter().flat_map(|block| {
        let insts = func.blocks[*block].insts.iter().map(|inst| func.lines.line(*block, Some(*inst)));
        insts.chain([func.lines.line(*block, None)]).flatten()
    });
    let (first, last) = lines.fold((u32::MAX, 0), |(first, last), line| (first.min(line), last.max(line)));
    let place = format!("the loop of lines {first} to {last}");
    let leaves = |block: &&Block| func.blocks[**block].terminator.targets().iter().any(|to| !blocks.contains(to));
    let exits: Vec<Block> = blocks.iter().filter(leaves).copied().collect();
    if exits.is_empty() {
        return format!("{spent}: {place} has no way out");
    }
    let deciding = exits.iter().filter_map(|block| match &func.blocks[*block].terminator {
        Terminator::CondBra { guard, .. } => Some(guard.pred),
        Terminator::Brx { index, .. } => Some(*index),
        _ => None,
    });
    let origins = Definitions::new(func).origins(deciding, true);
    let inputs = func.params_of(ParamKind::Input).zip(&launch.arguments);
    let named: Vec<String> = inputs
        .filter(|((param, _), _)| origins.params.contains(param))
        .map(|((_, data), value)| {
            super::assumption::Assumption::Parameter { name: data.name.clone(), value: value.clone() }.to_string()
        })
        .collect();
    let exit = exits.iter().filter_map(|block| func.lines.line(*block, None)).max();
    let exit = exit.map_or(String::new(), |line| format!(", which is left at line {line},"));
    match named.is_empty() {
        true => format!("{spent}: {place}{exit} goes on; a larger budget may be enough"),
        false => {
            format!("{spent}: {place}{exit} goes on with {}; give other values, or a larger budget", named.join(", "))
        }
    }
}
