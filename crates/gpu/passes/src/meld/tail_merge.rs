//! Tail merging: blocks that go to one block and end with the same instructions share that end. No operands are chosen: but
//! for names of registers the ends must be equal. It is the weakest of the techniques that melding is compared with.

use super::apply::rename;
use super::check::{self, Change};
use super::facts::Facts;
use super::names::NewNames;
use super::similar::Named::{At, Def, Read, Use};
use super::similar::{named, of_one_shape, own};
use super::unify::unify;
use super::{Tidy, tidy};
use crate::options::Options;
use crate::outcome::{Failure, Outcome, Report, counted, with_func};
use ptx::estimate::latency::latency;
use ptx::inst::{Base, Operand, Terminator};
use ptx::ir::{Block, BlockData, Func, Inst, Module, Reg};
use serde::Serialize;

/// Report on what was merged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Merged {
    pub ends: usize,
    /// Instructions that two became.
    pub instructions: usize,
    /// Why the checker does not prove the next merge, which is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Two blocks, how many instructions at their ends are one, and the registers that become others.
struct Plan {
    blocks: [Block; 2],
    target: Block,
    length: usize,
    renames: Vec<(Reg, Reg)>,
    saved: u64,
}

/// The function with common ends of blocks merged, the longest first; the same function where there are none. It ends at the first merge that the
/// checker does not prove.
pub fn run(func: &Func) -> (Func, Merged) {
    let mut work = tidy(func.clone());
    let mut merged = Merged::default();
    while let Some(plan) = plan(&work) {
        let next = apply(&work.func, &plan);
        let checked = check::check(&Change {
            before: &work.func,
            after: &next,
            renames: &plan.renames,
            roots: &plan.blocks,
            conditions: &[],
        });
        if let Err(violation) = checked {
            merged.refused = Some(violation.to_string());
            break;
        }
        let next = tidy(next);
        if next.estimate() >= work.estimate() {
            break;
        }
        work = next;
        merged.ends += 1;
        merged.instructions += plan.length;
    }
    if merged.ends == 0 { (func.clone(), merged) } else { (work.func, merged) }
}

/// See [`PASSES`](crate::PASSES).
pub(crate) fn pass(module: &Module, index: usize, _: &Options) -> Result<Outcome, Failure> {
    let func = &module.funcs[index];
    let (func, merged) = run(func);
    let refused = merged.refused.as_ref().map_or(String::new(), |why| format!("; the next is left alone: {why}"));
    let (ends, instructions) = (counted(merged.ends, "end"), counted(merged.instructions, "instruction"));
    let summary = format!("{ends} merged, {instructions} for two{refused}");
    Ok(Outcome { module: with_func(module, index, func), report: Report::new(summary, merged) })
}

/// The two blocks whose common end takes most cycles.
fn plan(Tidy { func, facts, .. }: &Tidy) -> Option<Plan> {
    let mut best: Option<Plan> = None;
    for target in &facts.cfg.order {
        let jumps = |block: &&Block| func.blocks[**block].terminator == Terminator::Bra { target: *target };
        let from: Vec<Block> = facts.cfg.predecessors(*target).iter().filter(jumps).copied().collect();
        for (i, first) in from.iter().enumerate() {
            for second in &from[i + 1..] {
                let plan = common_end(func, facts, [*first, *second], *target);
                best = match (best, plan) {
                    (Some(best), Some(plan)) if plan.saved > best.saved => Some(plan),
                    (None, plan) => plan,
                    (best, _) => best,
                };
            }
        }
    }
    best
}

/// The longest common end of two blocks, with the names of registers that make it one.
fn common_end(func: &Func, facts: &Facts, blocks: [Block; 2], target: Block) -> Option<Plan> {
    let ends = |like: &dyn Fn(Inst, Inst) -> bool| {
        let [first, second] = blocks.map(|block| func.blocks[block].insts.iter().rev());
        first.zip(second).take_while(|(a, b)| like(**a, **b)).map(|(a, b)| (*a, *b)).collect::<Vec<_>>()
    };
    let alike = |a: Inst, b: Inst| alike(func, a, b, |_, _| true);
    let mut wanted: Vec<(Reg, Reg)> = ends(&alike).iter().flat_map(|(a, b)| registers(func, *a, *b)).collect();
    wanted.retain(|(a, b)| a != b && func.regs[*a].class() == func.regs[*b].class());
    let renames = unify(func, facts, &wanted);
    let name = |reg: Reg| renames.iter().find(|(from, _)| *from == reg).map_or(reg, |(_, to)| *to);
    let same = |a: Inst, b: Inst| self::alike(func, a, b, |a, b| name(a) == name(b));
    let end = ends(&same);
    let depth = facts.loops.depth(blocks[0]).min(10);
    let saved = end.iter().map(|(a, _)| latency(&func.insts[*a].op)).sum::<u64>() << (3 * depth);
    (saved > 0).then_some(Plan { blocks, target, length: end.len(), renames, saved })
}

/// The registers at the same places of two instructions of one shape.
fn registers(func: &Func, a: Inst, b: Inst) -> Vec<(Reg, Reg)> {
    let [first, second] = [a, b].map(|inst| &func.insts[inst]);
    let guards = first.guard.iter().zip(&second.guard).map(|(a, b)| (a.pred, b.pred));
    let (Some(x), Some(y)) = (named(&first.op), named(&second.op)) else { return Vec::new() };
    let named = x.into_iter().zip(y).filter_map(|pair| match pair {
        (Def(a), Def(b)) | (Use(a), Use(b)) | (Read(Operand::Reg(a)), Read(Operand::Reg(b))) => Some((a, b)),
        (At(Base::Reg(a), _), At(Base::Reg(b), _)) => Some((a, b)),
        _ => None,
    });
    named.chain(guards).collect()
}

/// Whether two instructions are equal but for registers, of which `same` decides.
fn alike(func: &Func, a: Inst, b: Inst, same: impl Fn(Reg, Reg) -> bool) -> bool {
    let [first, second] = [a, b].map(|inst| &func.insts[inst]);
    let guards = match (first.guard, second.guard) {
        (None, None) => true,
        (Some(a), Some(b)) => a.negate == b.negate && same(a.pred, b.pred),
        _ => false,
    };
    let shapes = of_one_shape(first, second) && own(&first.op);
    let (Some(x), Some(y), true) = (named(&first.op), named(&second.op), guards && shapes) else { return false };
    x.len() == y.len()
        && x.into_iter().zip(y).all(|pair| match pair {
            (Def(a), Def(b)) | (Use(a), Use(b)) | (Read(Operand::Reg(a)), Read(Operand::Reg(b))) => same(a, b),
            (At(Base::Reg(a), i), At(Base::Reg(b), j)) => i == j && same(a, b),
            (a, b) => a == b,
        })
}

/// Both blocks go to a new one with the common end.
fn apply(func: &Func, plan: &Plan) -> Func {
    let mut result = func.clone();
    rename(&mut result, &NewNames::new(func, &plan.renames));
    let [first, second] = plan.blocks;
    let kept = result.blocks[first].insts.len() - plan.length;
    let insts = result.blocks[first].insts.split_off(kept);
    let kept = result.blocks[second].insts.len() - plan.length;
    result.blocks[second].insts.truncate(kept);
    let end = result.blocks.push(BlockData { insts, terminator: Terminator::Bra { target: plan.target } });
    for block in plan.blocks {
        result.blocks[block].terminator = Terminator::Bra { target: end };
    }
    let place = result.layout.iter().position(|block| *block == plan.target).unwrap_or(result.layout.len());
    result.layout.insert(place, end);
    result
}
