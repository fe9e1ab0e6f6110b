//! Out of SSA form: φs become copies at the ends of the predecessors (Briggs, Cooper, Harvey and Simpson, SPE 1998).
//!
//! The φs of a block read all at once, so their copies are put in an order in which none overwrites what another still
//! reads, and a cycle is broken by one more register (the swap problem). Edges from a block with several successors to one
//! with several predecessors get a block of their own, so that a copy runs on its edge alone (the lost-copy problem).

use super::{Phi, SsaFunc};
use crate::inst::{InstData, Op, Operand, Terminator, UnaryOp};
use crate::ir::{Block, BlockData, Func, Inst, Reg};
use std::collections::BTreeMap;

/// The function without φs and ties.
pub fn destruct(ssa: SsaFunc) -> Func {
    let SsaFunc { mut func, phis, ties } = ssa;
    for block in func.layout.clone() {
        keep_old(&mut func, block, |inst| {
            let pairs = ties[inst].iter().filter_map(|tie| Some((tie.new, tie.old?)));
            pairs.collect()
        });
    }
    for block in func.layout.clone() {
        if phis[block].is_empty() {
            continue;
        }
        let from: Vec<Block> = phis[block][0].args.iter().map(|(from, _)| *from).collect();
        for (i, from) in from.into_iter().enumerate() {
            let place = if goes_one_way(&func, from) { from } else { split(&mut func, from, block) };
            let pairs: Vec<(Reg, Reg)> = phis[block].iter().map(|phi: &Phi| (phi.dst, phi.args[i].1)).collect();
            for (dst, src) in in_order(pairs, |like| {
                let ty = func.regs[like];
                func.regs.push(ty)
            }) {
                let copy = copy(&mut func, dst, src);
                func.blocks[place].insts.push(copy);
            }
        }
    }
    func
}

/// Copies the old value of each tied result in front of its instruction.
fn keep_old(func: &mut Func, block: Block, ties: impl Fn(Inst) -> Vec<(Reg, Reg)>) {
    let old = std::mem::take(&mut func.blocks[block].insts);
    let mut insts = Vec::with_capacity(old.len());
    for inst in old {
        for (new, old) in ties(inst) {
            insts.push(copy(func, new, old));
        }
        insts.push(inst);
    }
    func.blocks[block].insts = insts;
}

fn copy(func: &mut Func, dst: Reg, src: Reg) -> Inst {
    let ty = func.regs[dst].class();
    let op = Op::Unary { op: UnaryOp::Mov, mode: Default::default(), ty, dst, a: Operand::Reg(src) };
    func.insts.push(InstData { guard: None, op })
}

fn goes_one_way(func: &Func, block: Block) -> bool {
    let targets = func.blocks[block].terminator.targets();
    targets.iter().all(|target| *target == targets[0])
}

/// A new block on the edges from `from` to `to`.
fn split(func: &mut Func, from: Block, to: Block) -> Block {
    let middle = func.blocks.push(BlockData { insts: Vec::new(), terminator: Terminator::Bra { target: to } });
    func.blocks[from].terminator.targets_mut(|target| {
        if *target == to {
            *target = middle;
        }
    });
    func.layout.push(middle);
    middle
}

/// Copies one after the other that do what the pairs (destination, source) do at once. Destinations are distinct.
fn in_order(pairs: Vec<(Reg, Reg)>, mut fresh: impl FnMut(Reg) -> Reg) -> Vec<(Reg, Reg)> {
    let mut sources: BTreeMap<Reg, Reg> = pairs.into_iter().filter(|(dst, src)| dst != src).collect();
    let mut readers: BTreeMap<Reg, usize> = BTreeMap::new();
    for src in sources.values() {
        *readers.entry(*src).or_default() += 1;
    }
    let mut ready: Vec<Reg> = sources.keys().filter(|dst| !readers.contains_key(dst)).copied().collect();
    let mut result = Vec::with_capacity(sources.len());
    loop {
        while let Some(dst) = ready.pop() {
            let Some(src) = sources.remove(&dst) else { continue };
            result.push((dst, src));
            let left = readers.entry(src).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 && sources.contains_key(&src) {
                ready.push(src);
            }
        }
        // only cycles are left: each destination is read by one copy
        let Some((&dst, _)) = sources.first_key_value() else { return result };
        let saved = fresh(dst);
        result.push((saved, dst));
        sources.values_mut().filter(|src| **src == dst).for_each(|src| *src = saved);
        ready.push(dst);
    }
}
