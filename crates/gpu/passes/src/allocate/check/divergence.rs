//! Slots of a warp that lose their value where its threads part and meet.

use super::state::{Location, State};
use crate::allocate::{Allocation, Sides};
use cranelift_entity::SecondaryMap;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::post_dominators;
use ptx::inst::{Address, Base, Op, Space};
use ptx::ir::{Block, Func, FuncKind};
use std::collections::{BTreeMap, BTreeSet};

/// Effect of the parting of threads on slots in shared memory.
pub struct Kills {
    /// Slots whose value is lost on an edge.
    edges: BTreeMap<(Block, Block), BTreeSet<Location>>,
    /// Slots that another side writes while this block runs.
    contested: SecondaryMap<Block, BTreeSet<Location>>,
    /// Blocks to which not all lanes of a warp come.
    apart: BTreeSet<Block>,
}

impl Kills {
    pub fn compute(func: &Func, cfg: &Cfg, allocation: &Allocation) -> Self {
        let mut kills = Self { edges: BTreeMap::new(), contested: SecondaryMap::new(), apart: BTreeSet::new() };
        if func.kind != FuncKind::Entry {
            // its callers may have parted
            kills.apart.extend(&cfg.order);
        }
        let post_dominators = post_dominators(func);
        let stores = stores(func, allocation);
        let written = |blocks: &mut dyn Iterator<Item = &Block>| -> BTreeSet<Location> {
            blocks.filter_map(|block| stores.get(block)).flatten().copied().collect()
        };
        for block in cfg.order.iter().filter(|block| allocation.facts.divergent[**block]) {
            let reconvergence = post_dominators[*block];
            let sides: Vec<(Block, BTreeSet<Block>)> =
                cfg.successors(*block).iter().map(|next| (*next, side(cfg, *next, reconvergence))).collect();
            let region: BTreeSet<Block> =
                sides.iter().flat_map(|(_, blocks)| blocks).copied().chain([*block]).collect();
            kills.apart.extend(sides.iter().flat_map(|(_, blocks)| blocks));
            if let Some(reconvergence) = reconvergence {
                let written = written(&mut region.iter().filter(|inside| *inside != block));
                for from in cfg.predecessors(reconvergence).iter().filter(|from| region.contains(from)) {
                    kills.edges.entry((*from, reconvergence)).or_default().extend(&written);
                }
            }
            for (i, (first, own)) in sides.iter().enumerate() {
                for (_, other) in sides.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, side)| side) {
                    let written = written(&mut other.iter());
                    if written.is_empty() {
                        continue;
                    }
                    if allocation.sides == Sides::Interleaved || !own.is_disjoint(other) {
                        own.iter().for_each(|inside| kills.contested[*inside].extend(&written));
                    } else {
                        kills.edges.entry((*block, *first)).or_default().extend(&written);
                    }
                }
            }
        }
        kills
    }

    /// Threads follow an edge.
    pub fn edge(&self, from: Block, to: Block, state: &mut State) {
        for slot in self.edges.get(&(from, to)).into_iter().flatten() {
            state.forget(*slot);
        }
    }

    /// Whether all lanes of a warp come to the block.
    pub fn gathered(&self, block: Block) -> bool {
        !self.apart.contains(&block)
    }

    /// Whether a block may rely on what it reads from a slot.
    pub fn reliable(&self, block: Block, slot: Location) -> bool {
        !self.contested[block].iter().any(|other| other.overlaps(slot))
    }
}

/// The blocks that threads run between a branch and the place where they meet.
fn side(cfg: &Cfg, first: Block, reconvergence: Option<Block>) -> BTreeSet<Block> {
    let mut blocks = BTreeSet::new();
    let mut work = vec![first];
    while let Some(block) = work.pop() {
        if Some(block) != reconvergence && blocks.insert(block) {
            work.extend(cfg.successors(block));
        }
    }
    blocks
}

/// Whether an address is that of a thread's own slot, which no other thread writes. Where both parts begin in one register, none is.
pub fn own_slot(allocation: &Allocation, base: Base) -> bool {
    allocation.own_base.is_some_and(|own| base == Base::Reg(own)) && allocation.own_base != allocation.base
}

/// The slots of a warp's shared memory that spill code writes, by the blocks that write any.
fn stores(func: &Func, allocation: &Allocation) -> BTreeMap<Block, BTreeSet<Location>> {
    let mut stores: BTreeMap<Block, BTreeSet<Location>> = BTreeMap::new();
    for block in &func.layout {
        for inst in &func.blocks[*block].insts {
            let inserted = inst.as_u32() as usize >= allocation.prepared.insts.len();
            if let (true, Op::St { space: Space::Shared, ty, addr: Address { offset, base }, .. }) =
                (inserted, &func.insts[*inst].op)
                && !own_slot(allocation, *base)
            {
                let slot = Location::Shared { offset: *offset, bytes: ty.bytes() };
                stores.entry(*block).or_default().insert(slot);
            }
        }
    }
    stores
}
