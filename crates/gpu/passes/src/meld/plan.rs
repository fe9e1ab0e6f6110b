//! Melds as data: which blocks correspond, which instructions become one, and which registers.

use super::align::{Column, align};
use super::candidate::{Candidate, Pair};
use super::facts::Facts;
use super::names::NewNames;
use super::shapes::Shapes;
use super::similar::{Named, Names, named, selections};
use super::unify::unify;
use cranelift_entity::EntitySet;
use ptx::estimate::latency::{SIMPLE, latency};
use ptx::inst::Terminator;
use ptx::ir::{Block, Func, Inst, Reg};

/// Melds of a function that concern different blocks, ready to be applied together.
#[derive(Debug, Clone)]
pub struct Plan {
    /// With the columns of their pairs.
    pub melds: Vec<Candidate>,
    /// Registers that become others, each once.
    pub renames: Vec<(Reg, Reg)>,
}

/// Aligns the instructions of candidates that can be melded together, and makes registers one.
///
/// `shapes`: those that the candidates were found by.
pub fn plan(func: &Func, facts: &Facts, candidates: &[&Candidate], shapes: &Shapes) -> Plan {
    let mut wanted: Vec<(Reg, Reg)> = Vec::new();
    let mut named: Vec<[Vec<Option<Names>>; 2]> = Vec::new();
    let mut melds: Vec<Candidate> = candidates.iter().map(|candidate| (*candidate).clone()).collect();
    for Candidate { branch, pairs, .. } in &mut melds {
        let defined = [0, 1].map(|side| {
            let blocks = pairs.iter().filter_map(|pair| pair.blocks[side]);
            let insts = blocks.flat_map(|block| &func.blocks[block].insts);
            let mut set: EntitySet<Reg> = EntitySet::with_capacity(func.regs.len());
            set.extend(insts.flat_map(|inst| facts.accesses.writes(*inst).iter().copied()));
            set
        });
        let first = named.len();
        for pair in pairs.iter_mut() {
            let same = |a, b| a == b || defined[0].contains(a) && defined[1].contains(b);
            let names = names(func, pair.blocks);
            pair.columns = columns(func, shapes, pair.blocks, &names, same);
            named.push(names);
        }
        let condition = func.blocks[*branch].terminator.condition();
        for (pair, names) in pairs.iter().zip(&named[first..]) {
            common_registers(func, pair, names, |a, b| {
                let local = a != b && defined[0].contains(a) && defined[1].contains(b);
                if local && func.regs[a].class() == func.regs[b].class() && ![Some(a), Some(b)].contains(&condition) {
                    wanted.push((a, b));
                }
            });
        }
    }
    let renames = unify(func, facts, &wanted);
    let names = NewNames::new(func, &renames);
    for (pair, named) in melds.iter_mut().flat_map(|meld| &mut meld.pairs).zip(&named) {
        part(func, pair, named, |a, b| names.get(a) == names.get(b));
    }
    Plan { melds, renames }
}

fn insts(func: &Func, block: Option<Block>) -> &[Inst] {
    block.map_or(&[], |block| &func.blocks[block].insts)
}

/// Returns the names in the instructions of two blocks; nothing where there is nothing to align.
fn names(func: &Func, blocks: [Option<Block>; 2]) -> [Vec<Option<Names>>; 2] {
    if blocks.contains(&None) {
        return [Vec::new(), Vec::new()];
    }
    blocks.map(|block| insts(func, block).iter().map(|inst| named(&func.insts[*inst].op)).collect())
}

/// Aligns the instructions of two blocks; `same` tells of two registers whether they might become one.
fn columns(
    func: &Func,
    shapes: &Shapes,
    blocks: [Option<Block>; 2],
    named: &[Vec<Option<Names>>; 2],
    same: impl Fn(Reg, Reg) -> bool,
) -> Vec<Column> {
    let sides = blocks.map(|block| insts(func, block));
    let [Some(_), Some(_)] = blocks else {
        let alone = |side: usize| 0..sides[side].len();
        return alone(0).map(Column::First).chain(alone(1).map(Column::Second)).collect();
    };
    let score = |i: usize, j: usize| {
        let (shape, other) = (shapes.known(sides[0][i]), shapes.known(sides[1][j]));
        let (Some(shape), true) = (shape, shape == other) else { return 0 };
        let (Some(first), Some(second)) = (&named[0][i], &named[1][j]) else { return 0 };
        let Some(count) = selections(func, &func.insts[sides[0][i]].op, [first, second], &same) else { return 0 };
        // if two save the same, the one with fewer selections wins
        4 * shapes.cycles(shape).saturating_sub(SIMPLE * count)
    };
    align([sides[0].len(), sides[1].len()], 2, score)
}

/// Visits the registers that two blocks use alike where their instructions correspond: results, conditions and guards.
fn common_registers(func: &Func, pair: &Pair, named: &[Vec<Option<Names>>; 2], mut visit: impl FnMut(Reg, Reg)) {
    let [Some(a), Some(b)] = pair.blocks else { return };
    if let [Terminator::CondBra { guard: a, .. }, Terminator::CondBra { guard: b, .. }] =
        [a, b].map(|block| &func.blocks[block].terminator)
    {
        visit(a.pred, b.pred);
    }
    for column in &pair.columns {
        let Column::Both(i, j) = *column else { continue };
        let [a, b] = [(a, i), (b, j)].map(|(block, at)| &func.insts[func.blocks[block].insts[at]]);
        if let (Some(a), Some(b)) = (a.guard, b.guard) {
            visit(a.pred, b.pred);
        }
        let (Some(a), Some(b)) = (&named[0][i], &named[1][j]) else { continue };
        for pair in a.iter().zip(b) {
            if let (Named::Def(a), Named::Def(b)) = pair {
                visit(*a, *b);
            }
        }
    }
}

/// Parts instructions that share a column but are dearer together, now that it is known which registers are one. Guarded ones
/// share it only with one result: lanes without the guard keep what they have.
fn part(func: &Func, pair: &mut Pair, named: &[Vec<Option<Names>>; 2], same: impl Fn(Reg, Reg) -> bool) {
    let [Some(a), Some(b)] = pair.blocks else { return };
    let together = |i: usize, j: usize| {
        let [a, b] = [(a, i), (b, j)].map(|(block, at)| &func.insts[func.blocks[block].insts[at]]);
        let (Some(first), Some(second)) = (&named[0][i], &named[1][j]) else { return false };
        let Some(mut count) = selections(func, &a.op, [first, second], &same) else { return false };
        for pair in first.iter().zip(second) {
            if let (Named::Def(x), Named::Def(y)) = pair
                && !same(*x, *y)
            {
                count += if a.guard.is_some() { return false } else { 2 };
            }
        }
        if let (Some(x), Some(y)) = (a.guard, b.guard) {
            count += if x.negate == y.negate && same(x.pred, y.pred) { 0 } else { 2 };
        }
        SIMPLE * count < latency(&a.op)
    };
    let mut columns = Vec::with_capacity(2 * pair.columns.len());
    for column in &pair.columns {
        match *column {
            Column::Both(i, j) if !together(i, j) => columns.extend([Column::First(i), Column::Second(j)]),
            column => columns.push(column),
        }
    }
    pair.columns = columns;
}
