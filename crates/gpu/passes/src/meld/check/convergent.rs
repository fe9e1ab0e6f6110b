//! Check that the instructions which threads execute together stay as they are.

use super::change::{Change, Kind, Names, Violation};
use ptx::inst::{Guard, InstData, Op};
use ptx::ir::{Block, Func, Inst, Reg};

/// The same instructions that concern several threads stand in both functions, each once and with the same guard.
pub fn convergent(change: &Change, names: &Names) -> Result<(), Violation> {
    let all = |func: &Func, name: &dyn Fn(Reg) -> Reg| {
        let mut found: Vec<(Inst, Block, Option<Guard>)> = Vec::new();
        for block in &func.layout {
            for inst in &func.blocks[*block].insts {
                let InstData { guard, op } = &func.insts[*inst];
                if is_convergent(op) {
                    found.push((*inst, *block, guard.map(|guard| Guard { pred: name(guard.pred), ..guard })));
                }
            }
        }
        found.sort_unstable_by_key(|(inst, ..)| *inst);
        found
    };
    let (before, after) = (all(change.before, &|reg| names.get(reg)), all(change.after, &|reg| reg));
    let like = |(a, _, guard): &(Inst, Block, Option<Guard>), (b, _, other): &(Inst, Block, Option<Guard>)| {
        a == b && guard == other
    };
    let first =
        before.iter().zip(&after).position(|(old, new)| !like(old, new)).unwrap_or(before.len().min(after.len()));
    match before.get(first).or(after.get(first)) {
        Some((_, block, _)) => Err(Violation { block: *block, kind: Kind::Convergent }),
        None => Ok(()),
    }
}

/// Whether an instruction concerns several threads, so that it must stay where it is.
pub fn is_convergent(op: &Op) -> bool {
    matches!(
        op,
        Op::Shfl { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::Mma { .. }
            | Op::Activemask { .. }
            | Op::Bar { .. }
            | Op::BarRed { .. }
            | Op::BarWarp { .. }
            | Op::Call { .. }
            | Op::Opaque { .. }
    )
}
