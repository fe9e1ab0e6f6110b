//! The function in SSA form: each value becomes a register of its own.

use super::{Def, Facts, Ssa, Value};
use crate::inst::Type;
use crate::ir::{Block, Func, Inst, Reg};
use crate::visit::Slot;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};

/// A function whose registers are written once each.
#[derive(Debug, Clone, PartialEq)]
pub struct SsaFunc {
    /// Its registers are the values: register n is value n.
    pub func: Func,
    /// At the start of each block, all at once.
    pub phis: SecondaryMap<Block, Vec<Phi>>,
    /// The results of guarded and unknown instructions, and what they hold before: the two must share one register.
    pub ties: SecondaryMap<Inst, Vec<Tie>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phi {
    pub dst: Reg,
    /// Arguments by predecessor.
    pub args: Vec<(Block, Reg)>,
}

/// `old` is `None` where nothing was written before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    pub new: Reg,
    pub old: Option<Reg>,
}

/// Applies an [`Ssa`] without pins. Unreachable blocks are left out of the layout.
pub fn apply(func: &Func, facts: &Facts, ssa: &Ssa) -> SsaFunc {
    let mut result = func.clone();
    result.regs = regs(func, ssa);
    let mut phis: SecondaryMap<Block, Vec<Phi>> = SecondaryMap::new();
    let mut ties: SecondaryMap<Inst, Vec<Tie>> = SecondaryMap::new();
    result.layout.retain(|block| facts.cfg.reachable(*block));
    for block in &facts.cfg.order {
        for value in ssa.starts(*block) {
            if let Def::Phi(..) = ssa.values[*value].def {
                let arguments = ssa.arguments(*value);
                let from = facts.cfg.predecessors(*block).iter().copied();
                phis[*block]
                    .push(Phi { dst: reg(*value), args: from.zip(arguments.iter().map(|v| reg(*v))).collect() });
            }
        }
        for inst in &func.blocks[*block].insts {
            rename(&mut result, facts, ssa, *inst);
            let old = ssa.kept(&facts.accesses, *inst).iter();
            let pairs = ssa.writes(*inst).iter().zip(old);
            let written = |old: Value| (ssa.values[old].def != Def::Undefined).then(|| reg(old));
            ties[*inst] = pairs.map(|(new, old)| Tie { new: reg(*new), old: written(*old) }).collect();
        }
        if let (Some(place), Some(value)) = (result.blocks[*block].terminator.condition_mut(), ssa.condition(*block)) {
            *place = reg(value);
        }
    }
    SsaFunc { func: result, phis, ties }
}

fn regs(func: &Func, ssa: &Ssa) -> PrimaryMap<Reg, Type> {
    let mut regs = PrimaryMap::with_capacity(ssa.values.len());
    for data in ssa.values.values() {
        regs.push(func.regs[data.reg]);
    }
    regs
}

fn reg(value: Value) -> Reg {
    Reg::new(value.index())
}

fn rename(result: &mut Func, facts: &Facts, ssa: &Ssa, inst: Inst) {
    let data = &mut result.insts[inst];
    let mut reads = ssa.reads(inst).iter();
    let writes = ssa.writes(inst);
    let mut results = writes.iter();
    data.op.slots(|slot| match slot {
        Slot::Read(place) => *place = reg(*reads.next().expect("the visits of operands agree")),
        Slot::Write(place) => *place = reg(*results.next().expect("the visits of results agree")),
        Slot::Both(place) => {
            let own = writes.iter().find(|value| ssa.values[**value].reg == *place);
            *place = reg(*own.expect("an unknown instruction may write what it names"));
        }
        Slot::Variable(_) => {}
    });
    if let Some(guard) = &mut data.guard {
        let operands = facts.accesses.operands(inst).len();
        guard.pred = reg(ssa.reads(inst)[operands]);
    }
}
