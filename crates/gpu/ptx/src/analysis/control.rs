//! Control dependence: which branches decide whether a block runs.

use crate::ir::{Block, Func};
use cranelift_entity::SecondaryMap;

/// For each block the branches that it depends on: the branching block and the successor taken, by its position in
/// [`targets`](crate::inst::Terminator::targets). After Ferrante, Ottenstein and Warren (TOPLAS 1987).
pub fn compute(
    func: &Func,
    post_dominators: &SecondaryMap<Block, Option<Block>>,
) -> SecondaryMap<Block, Vec<(Block, u32)>> {
    let mut result: SecondaryMap<Block, Vec<(Block, u32)>> = SecondaryMap::new();
    for branch in &func.layout {
        let targets = func.blocks[*branch].terminator.targets();
        if targets.len() < 2 {
            continue;
        }
        for (i, target) in targets.into_iter().enumerate() {
            let mut runner = Some(target);
            while let Some(block) = runner.filter(|block| Some(*block) != post_dominators[*branch]) {
                result[block].push((*branch, i as u32));
                runner = post_dominators[block];
            }
        }
    }
    result
}
