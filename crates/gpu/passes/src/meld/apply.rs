//! Applies a plan: one subgraph in the place of two.

use super::candidate::{Candidate, Pair};
use super::check::{Condition, OffsetOperand};
use super::emit::Emitter;
use super::facts::Facts;
use super::names::NewNames;
use super::plan::Plan;
use cranelift_entity::EntitySet;
use ptx::inst::{Guard, InstData, Mode, Op, Terminator, Type, UnaryOp};
use ptx::ir::{Block, BlockData, Func, Inst, Reg};
use ptx::visit::Slot;

/// Result of a plan, with what a checker needs to follow it.
pub struct Applied {
    pub func: Func,
    /// New names of the registers that were there before.
    pub names: NewNames,
    /// Conditions of melds; each predicate once.
    pub conditions: Vec<Condition>,
    /// The new blocks of each meld, the first of them first, each with an old one that is executed as often.
    pub made: Vec<Vec<(Block, Block)>>,
}

/// The function after the melds. Instructions that are alike are executed once, the others under the condition of their side.
pub fn apply(func: &Func, facts: &Facts, plan: &Plan) -> Applied {
    let columns: usize = plan.melds.iter().flat_map(|meld| &meld.pairs).map(|pair| pair.columns.len()).sum();
    let mut result = func.clone_with_room(2 * columns);
    let names = NewNames::new(func, &plan.renames);
    if !plan.renames.is_empty() {
        rename(&mut result, &names);
    }
    let (mut conditions, mut made) = (Vec::new(), Vec::with_capacity(plan.melds.len()));
    let mut guards: Vec<(Block, Guard)> = Vec::with_capacity(plan.melds.len());
    // melded blocks, and what takes the place of their entries
    let mut gone: EntitySet<Block> = EntitySet::with_capacity(func.blocks.len());
    let mut starts: Vec<([Block; 2], Block)> = Vec::with_capacity(plan.melds.len());
    for meld in &plan.melds {
        let known = guards.iter().find(|(branch, _)| *branch == meld.branch);
        let guard = known.map_or_else(|| condition(&mut result, facts, meld.branch), |(_, guard)| *guard);
        guards.push((meld.branch, guard));
        let mut one = apply_one(Emitter::new(func, facts, &names, meld, result, guard), meld, guard);
        one.selected.iter_mut().filter(|_| guard.negate).for_each(|(_, held)| held.swap(0, 1));
        note(&mut conditions, guard.pred, (meld.branch, facts.meets[meld.branch]), one.selected);
        starts.push((meld.entries, one.made[0].0));
        made.push(one.made);
        meld.pairs.iter().flat_map(|pair| pair.blocks.into_iter().flatten()).for_each(|block| _ = gone.insert(block));
        result = one.func;
    }
    result.layout.retain(|block| !gone.contains(*block));
    for block in &result.layout {
        result.blocks[*block].terminator.targets_mut(|target| {
            if let Some((_, before)) = starts.iter().find(|(entries, _)| entries.contains(target)) {
                *target = *before;
            }
        });
    }
    Applied { func: result, names, conditions, made }
}

/// Adds what follows from the condition of a meld, and where its lanes meet again.
fn note(
    conditions: &mut Vec<Condition>,
    pred: Reg,
    region: (Block, Option<Block>),
    selected: Vec<(Reg, [OffsetOperand; 2])>,
) {
    match conditions.iter_mut().find(|condition| condition.pred == pred) {
        Some(condition) => {
            condition.regions.push(region);
            condition.selected.extend(selected);
        }
        None => conditions.push(Condition { pred, regions: vec![region], selected }),
    }
}

/// Result of one meld, as [`Applied`] has it of all.
struct One {
    func: Func,
    selected: Vec<(Reg, [OffsetOperand; 2])>,
    made: Vec<(Block, Block)>,
}

/// Adds the blocks of one meld, in front of those that they replace.
fn apply_one(mut emitter: Emitter, meld: &Candidate, guard: Guard) -> One {
    let [before, behind] = [(); 2].map(|()| emitter.block());
    let starts: Vec<Block> = meld.pairs.iter().map(|_| emitter.block()).collect();
    let new = Places { meld, starts: &starts, behind };
    let mut made = vec![(before, meld.branch)];
    for (pair, start) in meld.pairs.iter().zip(&starts) {
        let blocks = emitter.pair(pair, *start);
        let end = *blocks.last().unwrap_or(start);
        let terminator = new.terminator(&mut emitter, pair);
        emitter.end(end, terminator);
        let like = pair.blocks.into_iter().flatten().next().unwrap_or(meld.branch);
        made.extend(blocks.into_iter().map(|block| (block, like)));
    }
    made.push((behind, meld.branch));
    let hoisted = emitter.hoisted();
    let (mut func, selected) = emitter.finish();
    func.blocks[before] = BlockData { insts: hoisted, terminator: Terminator::Bra { target: starts[0] } };
    func.blocks[behind].terminator = match meld.exits {
        [a, b] if a == b => Terminator::Bra { target: a },
        [then, otherwise] => Terminator::CondBra { guard, uni: false, then, otherwise },
    };
    let inside = |block: &Block| meld.pairs.iter().any(|pair| pair.blocks.contains(&Some(*block)));
    let place = func.layout.iter().position(inside).unwrap_or(func.layout.len());
    func.layout.splice(place..place, made.iter().map(|(block, _)| *block));
    One { func, selected, made }
}

/// The new blocks by what they stand for.
struct Places<'a> {
    meld: &'a Candidate,
    starts: &'a [Block],
    behind: Block,
}

impl Places<'_> {
    /// Where a branch of a side goes in the meld.
    fn block(&self, side: usize, target: Block) -> Block {
        if target == self.meld.exits[side] {
            return self.behind;
        }
        let place = self.meld.pairs.iter().position(|pair| pair.blocks[side] == Some(target));
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
                    Some(Terminator::Bra { target: other }) if self.block(side, target) == self.behind => {
                        self.block(1 - side, other)
                    }
                    _ => self.block(side, target),
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
        Terminator::CondBra { guard, uni: false, then: self.block(side, then), otherwise: self.block(side, otherwise) }
    }
}

/// The condition of the branch in a register that nothing changes as long as a meld needs it.
fn condition(func: &mut Func, facts: &Facts, branch: Block) -> Guard {
    let Terminator::CondBra { guard, .. } = func.blocks[branch].terminator else {
        return Guard { pred: Reg::from_u32(0), negate: false };
    };
    let later = |block: &&Block| **block != branch && facts.dominators.dominates(branch, **block);
    // nothing else becomes this register
    let writes = |inst: &Inst| facts.accesses.writes(*inst).contains(&guard.pred);
    let written = facts.cfg.order.iter().filter(later).any(|block| func.blocks[*block].insts.iter().any(writes));
    if !written {
        return guard;
    }
    let pred = func.regs.push(Type::Pred);
    let op = Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty: Type::Pred, dst: pred, a: guard.pred.into() };
    let copy = func.insts.push(InstData { guard: None, op });
    func.blocks[branch].insts.push(copy);
    Guard { pred, ..guard }
}

/// Renames registers everywhere.
pub fn rename(func: &mut Func, names: &NewNames) {
    let change = |reg: &mut Reg| *reg = names.get(*reg);
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
