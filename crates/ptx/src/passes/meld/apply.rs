//! Applies a plan: one subgraph in the place of two.

use super::emit::{Emitter, Held};
use super::facts::Facts;
use super::plan::{Idle, Pair, Plan};
use crate::inst::{Guard, InstData, Mode, Op, Terminator, Type, UnaryOp};
use crate::ir::{Block, BlockData, Func, Inst, Reg};
use crate::visit::Slot;
use std::collections::{BTreeMap, BTreeSet};

/// What a plan made, with what a checker needs to follow it.
pub struct Applied {
    pub func: Func,
    /// Holds in the lanes of the first side from the branch on.
    pub condition: Guard,
    /// Registers that hold, from the start of the meld to its end, one sum in lanes of the first side and another in those of
    /// the second.
    pub selected: Vec<(Reg, [Held; 2])>,
}

/// The function after the meld. Instructions that are alike are executed once, the others under the condition of their side.
pub fn apply(func: &Func, facts: &Facts, plan: &Plan) -> Applied {
    let mut result = func.clone();
    rename(&mut result, &plan.renames);
    let condition = condition(&mut result, facts, plan);
    let inside: BTreeSet<Block> = plan.pairs.iter().flat_map(|pair| pair.blocks.into_iter().flatten()).collect();
    let before = block(&mut result, Terminator::Ret);
    let behind = block(&mut result, Terminator::Ret);
    let starts: Vec<Block> = plan.pairs.iter().map(|_| block(&mut result, Terminator::Ret)).collect();
    let new = Places { plan, starts: &starts, behind };
    let mut emitter = Emitter::new(func, facts, plan, result, condition);
    let mut layout = vec![before];
    for (pair, start) in plan.pairs.iter().zip(&starts) {
        let blocks = emitter.pair(pair, *start);
        let end = *blocks.last().unwrap_or(start);
        let terminator = new.terminator(&mut emitter, pair);
        emitter.end(end, terminator);
        layout.extend(blocks);
    }
    layout.push(behind);
    let hoisted = emitter.hoisted();
    let (mut result, selected) = emitter.finish();
    result.blocks[before] = BlockData { insts: hoisted, terminator: Terminator::Bra { target: starts[0] } };
    result.blocks[behind].terminator = match plan.exits {
        [a, b] if a == b => Terminator::Bra { target: a },
        [then, otherwise] => Terminator::CondBra { guard: condition, uni: false, then, otherwise },
    };
    for outside in result.layout.clone() {
        if !inside.contains(&outside) {
            result.blocks[outside].terminator.targets_mut(|target| {
                if plan.entries.contains(target) {
                    *target = before;
                }
            });
        }
    }
    let place = result.layout.iter().position(|block| inside.contains(block)).unwrap_or(result.layout.len());
    result.layout.splice(place..place, layout);
    result.layout.retain(|block| !inside.contains(block));
    Applied { func: result, condition, selected }
}

/// The new blocks by what they stand for.
struct Places<'a> {
    plan: &'a Plan,
    starts: &'a [Block],
    behind: Block,
}

impl Places<'_> {
    /// Where a branch of a side goes in the meld.
    fn of(&self, side: usize, target: Block) -> Block {
        if target == self.plan.exits[side] {
            return self.behind;
        }
        let place = self.plan.pairs.iter().position(|pair| pair.blocks[side] == Some(target));
        place.map_or(self.behind, |place| self.starts[place])
    }

    fn terminator(&self, emitter: &mut Emitter, pair: &Pair) -> Terminator {
        // the block that gives the shape: of a replicated region, the region's
        let shaped =
            |side: usize| matches!(pair.blocks[side].map(|b| emitter.terminator(b)), Some(Terminator::CondBra { .. }));
        let side = usize::from(pair.blocks[0].is_none() || !shaped(0) && shaped(1));
        let Some(block) = pair.blocks[side] else { return Terminator::Bra { target: self.behind } };
        let (guard, then, otherwise) = match emitter.terminator(block) {
            Terminator::CondBra { guard, then, otherwise, .. } => (guard, then, otherwise),
            Terminator::Bra { target } => {
                // a block alone may lead out of a region that goes on
                let other = pair.blocks[1 - side].map(|block| emitter.terminator(block));
                let target = match other {
                    Some(Terminator::Bra { target: other }) if self.of(side, target) == self.behind => {
                        self.of(1 - side, other)
                    }
                    _ => self.of(side, target),
                };
                return Terminator::Bra { target };
            }
            _ => return Terminator::Bra { target: self.behind },
        };
        let other = pair.blocks[1 - side].map(|block| emitter.terminator(block));
        let guard = match (other, pair.forced) {
            (Some(Terminator::CondBra { guard: other, .. }), None) => {
                let other = Guard { negate: other.negate ^ pair.inverted, ..other };
                emitter.choice(if side == 0 { [guard, other] } else { [other, guard] })
            }
            (_, Some(forced)) => emitter.forced(1 - side, guard, forced),
            _ => guard,
        };
        Terminator::CondBra { guard, uni: false, then: self.of(side, then), otherwise: self.of(side, otherwise) }
    }
}

fn block(func: &mut Func, terminator: Terminator) -> Block {
    func.blocks.push(BlockData { insts: Vec::new(), terminator })
}

/// The condition of the branch in a register that nothing changes as long as the meld needs it.
fn condition(func: &mut Func, facts: &Facts, plan: &Plan) -> Guard {
    let Terminator::CondBra { guard, .. } = func.blocks[plan.branch].terminator else {
        return Guard { pred: Reg::from_u32(0), negate: false };
    };
    let later = |block: &&Block| **block != plan.branch && facts.dominators.dominates(plan.branch, **block);
    // nothing else becomes this register
    let writes = |inst: &Inst| facts.accesses.writes(*inst).contains(&guard.pred);
    let written = facts.cfg.order.iter().filter(later).any(|block| func.blocks[*block].insts.iter().any(writes));
    if !written {
        return guard;
    }
    let pred = func.regs.push(Type::Pred);
    let op = Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::Pred, dst: pred, a: guard.pred.into() };
    let copy = func.insts.push(InstData { guard: None, op });
    func.blocks[plan.branch].insts.push(copy);
    Guard { pred, ..guard }
}

/// Renames registers everywhere.
pub fn rename(func: &mut Func, renames: &BTreeMap<Reg, Reg>) {
    if renames.is_empty() {
        return;
    }
    let change = |reg: &mut Reg| {
        if let Some(new) = renames.get(reg) {
            *reg = *new;
        }
    };
    for data in func.insts.values_mut() {
        if let Some(guard) = &mut data.guard {
            change(&mut guard.pred);
        }
        data.op.slots(|slot| match slot {
            Slot::Read(reg) | Slot::Write(reg) | Slot::Both(reg) => change(reg),
            Slot::Variable(_) => {}
        });
    }
    for data in func.blocks.values_mut() {
        if let Some(reg) = data.terminator.condition_mut() {
            change(reg);
        }
    }
}

impl Pair {
    /// The block whose registers threads of a side need here, and whether at its start; `None` where there are no such threads.
    pub fn needs(&self, side: usize) -> Option<(Block, bool)> {
        match (self.blocks[side], self.idle) {
            (Some(_), _) | (None, Idle::Absent) => None,
            (None, Idle::Before(block)) => Some((block, true)),
            (None, Idle::After(block)) => Some((block, false)),
        }
    }
}
