//! Divergent regions and the single-entry single-exit subgraphs on their two sides.

use super::facts::Facts;
use super::similar::own;
use cranelift_entity::{EntitySet, SecondaryMap};
use ptx::analysis::lists::table;
use ptx::inst::{Op, Terminator};
use ptx::ir::{Block, Func};
use smallvec::SmallVec;

/// Blocks that are entered at one and left to one.
#[derive(Debug, Clone)]
pub struct Subgraph {
    pub entry: Block,
    /// In pre-order; the entry first.
    pub blocks: SmallVec<[Block; 4]>,
    /// Where all its ways lead, outside of it.
    pub exit: Block,
}

/// A region whose entry branches to two sides, neither of which comes after the other. The first side is that of lanes that
/// take the branch.
#[derive(Debug, Clone)]
pub struct Region {
    pub branch: Block,
    /// Each in order: a subgraph is left to the next one. The last one may be left to what the region does not contain.
    pub sides: [Vec<Subgraph>; 2],
}

/// The regions behind the branches of a function whose two sides both have subgraphs, in reverse post-order.
pub fn regions<'a>(func: &'a Func, facts: &'a Facts) -> impl Iterator<Item = Region> + use<'a> {
    let mut marks = Marks { of: table(func.blocks.len()), last: 0, work: Vec::with_capacity(8) };
    facts.cfg.order.iter().filter_map(move |block| region(func, facts, *block, &mut marks))
}

fn region(func: &Func, facts: &Facts, branch: Block, marks: &mut Marks) -> Option<Region> {
    let Terminator::CondBra { then, otherwise, .. } = func.blocks[branch].terminator else { return None };
    let end = facts.meets[branch]?;
    if then == otherwise || then == end || otherwise == end {
        return None;
    }
    let sides = [then, otherwise].map(|side| chain(func, facts, branch, side, end, marks));
    sides.iter().all(|side| !side.is_empty()).then_some(Region { branch, sides })
}

/// Sets of blocks, each by a number of its own.
struct Marks {
    /// The last set of blocks in a subgraph that a block was found in, and the last one that a subgraph may be entered from.
    of: SecondaryMap<Block, (u32, u32)>,
    last: u32,
    /// Blocks to look at, none between searches.
    work: Vec<Block>,
}

/// The subgraphs from the first block of a side on, as far as nobody enters them from elsewhere.
fn chain(func: &Func, facts: &Facts, branch: Block, first: Block, end: Block, marks: &mut Marks) -> Vec<Subgraph> {
    let mut chain: Vec<Subgraph> = Vec::new();
    let mut entry = first;
    marks.last += 1;
    marks.of[branch].1 = marks.last;
    while entry != end {
        let Some(subgraph) = subgraph(func, facts, entry, end, marks) else { break };
        entry = subgraph.exit;
        marks.last += 1;
        subgraph.blocks.iter().for_each(|block| marks.of[*block].1 = marks.last);
        chain.push(subgraph);
    }
    chain
}

/// The smallest subgraph that begins with the block and is entered only from the set that was marked last.
fn subgraph(func: &Func, facts: &Facts, entry: Block, end: Block, marks: &mut Marks) -> Option<Subgraph> {
    let mut exit = facts.meets[entry]?;
    let before = marks.last;
    loop {
        let blocks = between(func, entry, exit, marks);
        let closed = blocks.iter().all(|block| {
            let entered = |from: &Block| {
                let (inside, outside) = marks.of[*from];
                inside == marks.last || *block == entry && outside == before
            };
            facts.cfg.predecessors(*block).iter().all(entered)
        });
        if closed {
            return Some(Subgraph { entry, blocks, exit });
        }
        if exit == end {
            return None;
        }
        exit = facts.meets[exit]?;
    }
}

/// The blocks that can be reached without passing the exit, in pre-order, and marked.
fn between(func: &Func, entry: Block, exit: Block, marks: &mut Marks) -> SmallVec<[Block; 4]> {
    let Marks { of, last, work } = marks;
    *last += 1;
    let mut blocks = SmallVec::new();
    work.push(entry);
    while let Some(block) = work.pop() {
        if block != exit && std::mem::replace(&mut of[block].0, *last) != *last {
            blocks.push(block);
            let first = work.len();
            func.blocks[block].terminator.each_target(|target| work.push(target));
            work[first..].reverse();
        }
    }
    blocks
}

impl Subgraph {
    pub fn is_block(&self) -> bool {
        self.blocks.len() == 1
    }

    /// Whether threads may execute it together with threads that take another side: it has nothing that concerns several
    /// threads, and atomics only where they are executed once.
    pub fn meldable(&self, func: &Func, facts: &Facts) -> bool {
        let depth = |block: &Block| facts.loops.depth(*block);
        let shallowest = self.blocks.iter().map(depth).min().unwrap_or(0);
        let cyclic = self
            .blocks
            .iter()
            .any(|block| depth(block) > shallowest || facts.cfg.successors(*block).contains(&self.entry));
        self.blocks.iter().all(|block| {
            let data = &func.blocks[*block];
            let ops = data.insts.iter().map(|inst| &func.insts[*inst].op);
            let branches = matches!(data.terminator, Terminator::Bra { .. } | Terminator::CondBra { .. });
            let single = |op: &Op| !(cyclic && matches!(op, Op::Atom { .. }));
            branches && !facts.loops.irreducible(*block) && ops.into_iter().all(|op| own(op) && single(op))
        })
    }
}

/// Two blocks that correspond to each other, and whether the first successor of one corresponds to the second of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correspondence {
    pub blocks: [Block; 2],
    pub inverted: bool,
}

/// Steps of the search for an isomorphism.
const MOST_STEPS: usize = 1 << 10;

/// A mapping of one subgraph onto the other that keeps entry, exit and edges, in pre-order; branches may be inverted.
pub fn isomorphism(func: &Func, sides: [&Subgraph; 2]) -> Option<Vec<Correspondence>> {
    if sides[0].blocks.len() != sides[1].blocks.len() {
        return None;
    }
    let entries = [sides[0].entry, sides[1].entry];
    let jumps = entries.map(|block| matches!(func.blocks[block].terminator, Terminator::Bra { .. }));
    if sides[0].is_block() && jumps == [true; 2] {
        return Some(vec![Correspondence { blocks: entries, inverted: false }]);
    }
    let mut search = Search { func, exits: [sides[0].exit, sides[1].exit], steps: MOST_STEPS };
    let found = search.extend(Vec::with_capacity(4), vec![entries])?;
    (found.len() == sides[0].blocks.len()).then_some(found)
}

struct Search<'a> {
    func: &'a Func,
    exits: [Block; 2],
    steps: usize,
}

impl Search<'_> {
    /// Maps the pairs of blocks that are still open, and what follows them.
    fn extend(&mut self, mut mapping: Vec<Correspondence>, mut open: Vec<[Block; 2]>) -> Option<Vec<Correspondence>> {
        let Some([a, b]) = open.pop() else { return Some(mapping) };
        self.steps = self.steps.checked_sub(1)?;
        match (a == self.exits[0], b == self.exits[1]) {
            (true, true) => return self.extend(mapping, open),
            (false, false) => {}
            _ => return None,
        }
        match mapping.iter().find(|pair| pair.blocks[0] == a || pair.blocks[1] == b) {
            None => {}
            Some(known) if known.blocks == [a, b] => return self.extend(mapping, open),
            Some(_) => return None,
        }
        let ends = [a, b].map(|block| &self.func.blocks[block].terminator);
        match ends {
            [Terminator::Bra { target: a_next }, Terminator::Bra { target: b_next }] => {
                mapping.push(Correspondence { blocks: [a, b], inverted: false });
                open.push([*a_next, *b_next]);
                self.extend(mapping, open)
            }
            [
                Terminator::CondBra { then: a_then, otherwise: a_otherwise, .. },
                Terminator::CondBra { then: b_then, otherwise: b_otherwise, .. },
            ] => [false, true].into_iter().find_map(|inverted| {
                let (mut mapping, mut open) = (mapping.clone(), open.clone());
                mapping.push(Correspondence { blocks: [a, b], inverted });
                let [first, second] = if inverted { [b_otherwise, b_then] } else { [b_then, b_otherwise] };
                open.push([*a_otherwise, *second]);
                open.push([*a_then, *first]);
                self.extend(mapping, open)
            }),
            _ => None,
        }
    }
}

/// The branches that a thread has to take in a subgraph to run one of its blocks exactly once and no block twice: at each block
/// on its way with two successors, whether it takes the first. `None` where there is no such way.
pub fn way_through(func: &Func, subgraph: &Subgraph, block: Block) -> Option<Vec<(Block, Option<bool>)>> {
    let mut way = path(func, subgraph.entry, block, &[subgraph.exit])?;
    let passed: Vec<Block> = way.iter().map(|(block, _)| *block).collect();
    way.extend(path(func, block, subgraph.exit, &passed)?);
    Some(way)
}

/// A shortest way to a block, without it, that avoids others.
fn path(func: &Func, from: Block, to: Block, avoid: &[Block]) -> Option<Vec<(Block, Option<bool>)>> {
    if from == to {
        return Some(Vec::new());
    }
    let mut seen = EntitySet::with_capacity(func.blocks.len());
    seen.insert(from);
    avoid.iter().filter(|block| **block != to).for_each(|block| _ = seen.insert(*block));
    // each block that was reached, with the place in this list that it was reached from, and the side of the branch there
    let mut reached: Vec<(Block, usize, Option<bool>)> = vec![(from, 0, None)];
    let mut next = 0;
    while !seen.contains(to) {
        let block = reached.get(next)?.0;
        let terminator = &func.blocks[block].terminator;
        let branches = !matches!(terminator, Terminator::Bra { .. });
        let mut first = true;
        terminator.each_target(|target| {
            if seen.insert(target) {
                reached.push((target, next, branches.then_some(first)));
            }
            first = false;
        });
        next += 1;
    }
    let mut at = reached.iter().position(|(block, ..)| *block == to)?;
    let mut way = Vec::new();
    while at > 0 {
        let (_, before, branch) = reached[at];
        way.push((reached[before].0, branch));
        at = before;
    }
    way.reverse();
    Some(way)
}
