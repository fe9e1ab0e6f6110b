//! Candidates for melding: subgraphs on the two sides of a branch that have enough in common, and which of them are melded together.

use super::align::{Column, align};
use super::candidate::{Candidate, Idle, Kind, Pair};
use super::facts::Facts;
use super::options::{Mode, Options};
use super::region::{self, Correspondence, Region, Subgraph};
use super::shapes::{Shape, Shapes};
use cranelift_entity::{EntitySet, SecondaryMap};
use ptx::analysis::lists::table;
use ptx::inst::Terminator;
use ptx::ir::{Block, Func, Reg};
use std::cmp::Reverse;

/// Melds that are applied and checked together: the checker keeps what it knows of their conditions in words of 64 bits.
const MOST_TOGETHER: usize = 64;

/// All candidates of a function whose share reaches the threshold: those that need no replication first, and of these the one
/// that saves most.
pub fn candidates(
    func: &Func,
    facts: &Facts,
    regions: &[Region],
    options: &Options,
    shapes: &mut Shapes,
) -> Vec<Candidate> {
    let mut profiles = Profiles { func, shapes, known: table(func.blocks.len()) };
    let mut found = Vec::new();
    for region in regions {
        found.extend(of_region(func, facts, region, options, &mut profiles));
    }
    // a block finds its like behind branches only where there is nothing else to meld: the region has to be replicated
    let order = |c: &Candidate| {
        let last = c.kind == Kind::BlockAndRegion;
        (last, Reverse(c.saved), c.kind, facts.cfg.number(c.branch), facts.cfg.number(c.entries[0]))
    };
    found.sort_by_key(order);
    found
}

/// The aligned subgraphs of a region.
fn of_region(
    func: &Func,
    facts: &Facts,
    region: &Region,
    options: &Options,
    profiles: &mut Profiles,
) -> Vec<Candidate> {
    let mut known: Vec<((usize, usize), Candidate)> = Vec::new();
    // lanes of one side wait for those of the other at the start of a meld: nothing before it may wait for them
    let reach =
        |side: usize| region.sides[side].iter().take_while(|subgraph| subgraph.meldable(func, facts)).enumerate();
    for (i, first) in reach(0) {
        for (j, second) in reach(1) {
            let sides = [first, second];
            if let Some(candidate) = candidate(func, facts, region.branch, sides, options.mode, profiles)
                && candidate.share >= options.threshold
            {
                known.push(((i, j), candidate));
            }
        }
    }
    let score = |candidate: &Candidate| (candidate.share * 1000.0) as u64;
    match &known[..] {
        [] => {}
        // one has nothing to cross
        [(_, candidate)] if score(candidate) > 0 => {}
        _ => {
            let found = |i, j| known.iter().find(|(place, _)| *place == (i, j));
            let score = |i, j| found(i, j).map_or(0, |(_, candidate)| score(candidate));
            let columns = align([region.sides[0].len(), region.sides[1].len()], 0, score);
            known.retain(|((i, j), _)| columns.contains(&Column::Both(*i, *j)));
        }
    }
    known.into_iter().map(|(_, candidate)| candidate).collect()
}

fn candidate(
    func: &Func,
    facts: &Facts,
    branch: Block,
    sides: [&Subgraph; 2],
    mode: Mode,
    profiles: &mut Profiles,
) -> Option<Candidate> {
    let (kind, pairs) = match (sides[0].is_block(), sides[1].is_block()) {
        (true, true) => {
            let diamond = sides[0].exit == sides[1].exit
                && facts.cfg.successors(branch).contains(&sides[0].entry)
                && facts.cfg.successors(branch).contains(&sides[1].entry);
            if mode == Mode::BranchFusion && !diamond {
                return None;
            }
            (Kind::Blocks, region::isomorphism(func, sides)?.iter().map(Pair::new).collect::<Vec<_>>())
        }
        _ if mode == Mode::BranchFusion => return None,
        (false, false) => (Kind::Regions, region::isomorphism(func, sides)?.iter().map(Pair::new).collect()),
        (first, _) => (Kind::BlockAndRegion, replicated(func, sides, usize::from(!first), profiles)?),
    };
    let (mut shared, mut total, mut saved) = (0, 0, 0);
    for pair in &pairs {
        if let [Some(a), Some(b)] = pair.blocks {
            let own = profiles.shared(a, b);
            shared += own;
            total += profiles.profile(a).total + profiles.profile(b).total;
            saved += own << (3 * facts.loops.depth(a).max(facts.loops.depth(b)).min(10));
        }
    }
    let (entries, exits) = ([sides[0].entry, sides[1].entry], [sides[0].exit, sides[1].exit]);
    let share = shared as f64 / total.max(1) as f64;
    (shared > 0).then_some(Candidate { kind, branch, entries, exits, pairs, share, saved })
}

impl Pair {
    fn new(correspondence: &Correspondence) -> Self {
        let Correspondence { blocks, inverted } = *correspondence;
        Self { blocks: blocks.map(Some), inverted, idle: Idle::Absent, forced: None, columns: Vec::new() }
    }
}

/// A block beside the one of the region's blocks that it has most in common with, among those that it can stand for: threads of
/// its side take the way through the region that comes by there once.
fn replicated(func: &Func, sides: [&Subgraph; 2], alone: usize, profiles: &mut Profiles) -> Option<Vec<Pair>> {
    let (block, around) = (sides[alone].entry, sides[1 - alone]);
    // a loop of one block is none that is executed once
    if !matches!(func.blocks[block].terminator, Terminator::Bra { .. }) {
        return None;
    }
    let mut best: Option<(u64, Block)> = None;
    for other in &around.blocks {
        let shared = profiles.shared(block, *other);
        if shared > best.map_or(0, |(most, _)| most) && region::way_through(func, around, *other).is_some() {
            best = Some((shared, *other));
        }
    }
    let (_, place) = best?;
    let way = region::way_through(func, around, place)?;
    let position = |block: Block| way.iter().position(|(at, _)| *at == block);
    let matched = position(place)?;
    let pair = |other: &Block| {
        let own = (*other == place).then_some(block);
        let blocks = if alone == 0 { [own, Some(*other)] } else { [Some(*other), own] };
        let idle = match position(*other) {
            Some(at) if at < matched => Idle::Before(block),
            Some(at) if at > matched => Idle::After(block),
            _ => Idle::Absent,
        };
        let forced = position(*other).and_then(|at| way[at].1);
        Pair { blocks, inverted: false, idle, forced, columns: Vec::new() }
    };
    Some(around.blocks.iter().map(pair).collect())
}

/// Number of instructions of each shape in a block.
#[derive(Clone, Default)]
struct Profile {
    shapes: Vec<(Shape, u64)>,
    total: u64,
}

struct Profiles<'a> {
    func: &'a Func,
    shapes: &'a mut Shapes,
    known: SecondaryMap<Block, Option<Profile>>,
}

impl Profiles<'_> {
    fn profile(&mut self, block: Block) -> &Profile {
        let Self { func, shapes, known } = self;
        known[block].get_or_insert_with(|| {
            let insts = &func.blocks[block].insts;
            let mut profile = Profile { shapes: Vec::with_capacity(insts.len()), total: 0 };
            for inst in insts {
                let shape = shapes.shape(func, *inst);
                profile.total += shapes.cycles(shape);
                match profile.shapes.iter_mut().find(|(known, _)| *known == shape) {
                    Some((_, count)) => *count += 1,
                    None => profile.shapes.push((shape, 1)),
                }
            }
            profile
        })
    }

    /// The cycles of instructions that both blocks have.
    fn shared(&mut self, a: Block, b: Block) -> u64 {
        self.profile(a);
        self.profile(b);
        let (Some(a), Some(b)) = (&self.known[a], &self.known[b]) else { return 0 };
        let common = |(shape, count): &(Shape, u64)| {
            let other = b.shapes.iter().find(|(other, _)| other == shape);
            other.map_or(0, |(_, other)| self.shapes.cycles(*shape) * (*count).min(*other))
        };
        a.shapes.iter().map(common).sum()
    }
}

/// The candidates, in order, that can be melded together as if one after the other: they concern neither blocks nor branches of
/// one before them, and write no register that it writes or branches by. One that needs replication comes alone: others might
/// leave something better to meld.
pub fn together<'a>(func: &Func, facts: &Facts, candidates: &'a [Candidate]) -> Vec<&'a Candidate> {
    if let [candidate] = candidates {
        return vec![candidate];
    }
    let mut taken: Vec<&Candidate> = Vec::new();
    let mut inside: EntitySet<Block> = EntitySet::with_capacity(func.blocks.len());
    let mut branches: EntitySet<Block> = EntitySet::with_capacity(func.blocks.len());
    let mut written: EntitySet<Reg> = EntitySet::with_capacity(func.regs.len());
    let mut conditions: EntitySet<Reg> = EntitySet::with_capacity(func.regs.len());
    for candidate in candidates {
        let condition = func.blocks[candidate.branch].terminator.condition();
        let writes = || {
            let insts = candidate.blocks().flat_map(|block| &func.blocks[block].insts);
            insts.flat_map(|inst| facts.accesses.writes(*inst).iter().copied())
        };
        let apart = !inside.contains(candidate.branch)
            && candidate.blocks().all(|block| !inside.contains(block) && !branches.contains(block))
            && !condition.is_some_and(|reg| written.contains(reg))
            && !writes().any(|reg| written.contains(reg) || conditions.contains(reg));
        let alone = !taken.is_empty() && candidate.kind == Kind::BlockAndRegion;
        if apart && !alone {
            candidate.blocks().for_each(|block| _ = inside.insert(block));
            writes().for_each(|reg| _ = written.insert(reg));
            conditions.extend(condition);
            branches.insert(candidate.branch);
            taken.push(candidate);
        }
        if candidate.kind == Kind::BlockAndRegion || taken.len() == MOST_TOGETHER {
            break;
        }
    }
    taken
}
