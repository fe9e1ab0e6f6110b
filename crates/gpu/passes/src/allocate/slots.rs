//! Offsets in the spill areas: values that are never needed together share a slot.
//!
//! In the thread's own memory, together means: alive at one place. A slot in shared memory belongs to a whole warp, whose threads
//! a divergent branch may send to different places: values of different sides of such a branch are needed together too,
//! unless the sides run one after the other and both values live inside their side only.

use super::options::{Rules, Sides};
use cranelift_entity::SecondaryMap;
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::post_dominators;
use ptx::analysis::liveness::Liveness;
use ptx::ir::{Block, Func, FuncKind, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of registers, the smaller first.
type Pairs = BTreeSet<(Reg, Reg)>;

/// Offsets of the registers, which take `bytes` each, and the size of the area.
pub fn assign(bytes: &BTreeMap<Reg, u32>, together: &Pairs) -> (BTreeMap<Reg, u32>, u32) {
    let mut order: Vec<Reg> = bytes.keys().copied().collect();
    // wide ones first, so that no gaps open between them
    order.sort_by_key(|reg| (std::cmp::Reverse(bytes[reg]), *reg));
    let mut offsets: BTreeMap<Reg, u32> = BTreeMap::new();
    let mut end = 0;
    for reg in order {
        let size = bytes[&reg];
        let taken = |offset: u32| {
            offsets.iter().any(|(other, at)| {
                together.contains(&pair(reg, *other)) && *at < offset + size && offset < at + bytes[other]
            })
        };
        let offset = (0..).step_by(size as usize).find(|offset| !taken(*offset)).expect("some offset is free");
        end = end.max(offset + size);
        offsets.insert(reg, offset);
    }
    (offsets, end)
}

/// The pairs that are alive at one place of a thread.
pub fn in_a_thread(func: &Func, regs: &BTreeSet<Reg>) -> Pairs {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let mut pairs = Pairs::new();
    for block in &cfg.order {
        let mut live: BTreeSet<Reg> =
            liveness.live_out(*block).iter().filter(|reg| regs.contains(reg)).copied().collect();
        live.extend(func.blocks[*block].terminator.condition().filter(|reg| regs.contains(reg)));
        for inst in func.blocks[*block].insts.iter().rev() {
            let written: Vec<Reg> = accesses.writes(*inst).iter().filter(|reg| regs.contains(reg)).copied().collect();
            for reg in &written {
                pairs.extend(live.iter().chain(&written).filter(|o| *o != reg).map(|o| pair(*reg, *o)));
            }
            written.iter().for_each(|reg| _ = live.remove(reg));
            live.extend(accesses.reads(*inst).iter().filter(|reg| regs.contains(reg)));
        }
    }
    pairs
}

/// The pairs that are alive at one time in some threads of a warp.
pub fn in_a_warp(
    func: &Func,
    regs: &BTreeSet<Reg>,
    divergent: &SecondaryMap<Block, bool>,
    sides: Sides,
    rules: Rules,
) -> Pairs {
    let mut pairs = in_a_thread(func, regs);
    if rules == Rules::Published {
        return pairs;
    }
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let post_dominators = post_dominators(func);
    for block in cfg.order.iter().filter(|block| divergent[**block]) {
        let reconvergence = post_dominators[*block];
        let parts: Vec<BTreeSet<Block>> =
            cfg.successors(*block).iter().map(|next| inside(&cfg, *next, reconvergence)).collect();
        let alive: Vec<BTreeSet<Reg>> =
            parts.iter().map(|part| alive(func, &accesses, &liveness, part, regs)).collect();
        let crosses = |reg: Reg| {
            liveness.live_out(*block).contains(&reg)
                || reconvergence.is_some_and(|reconvergence| liveness.is_live_in(reg, reconvergence))
        };
        for i in 0..parts.len() {
            for j in 0..i {
                let apart = sides == Sides::OneByOne && parts[i].is_disjoint(&parts[j]);
                for (a, b) in alive[i].iter().flat_map(|a| alive[j].iter().map(move |b| (*a, *b))) {
                    if a != b && !(apart && !crosses(a) && !crosses(b)) {
                        pairs.insert(pair(a, b));
                    }
                }
            }
        }
    }
    pairs
}

/// Registers that a slot of the warp cannot hold, shared with others or not: one side of a divergent branch writes them while
/// another still needs the value from before.
///
/// Where lanes are threads of their own, one lane writes a slot for all, between two barriers of the warp. So all that are written behind
/// the first branch are: a barrier there might be one that not all lanes come to, or that nobody can prove all to come to.
pub fn contested(func: &Func, divergent: &SecondaryMap<Block, bool>, sides: Sides) -> BTreeSet<Reg> {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    if sides == Sides::Interleaved {
        let head = head(func, &cfg);
        let behind = cfg.order.iter().filter(|block| !head.contains(block));
        let insts = behind.flat_map(|block| &func.blocks[*block].insts);
        return insts.flat_map(|inst| accesses.writes(*inst)).copied().collect();
    }
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let post_dominators = post_dominators(func);
    let all: BTreeSet<Reg> = func.regs.keys().collect();
    let mut contested = BTreeSet::new();
    for block in cfg.order.iter().filter(|block| divergent[**block]) {
        let reconvergence = post_dominators[*block];
        let parts: Vec<(Block, BTreeSet<Block>)> =
            cfg.successors(*block).iter().map(|next| (*next, inside(&cfg, *next, reconvergence))).collect();
        for (i, (first, part)) in parts.iter().enumerate() {
            for (_, other) in parts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, part)| part) {
                let insts = other.iter().flat_map(|block| &func.blocks[*block].insts);
                let written: BTreeSet<Reg> = insts.flat_map(|inst| accesses.writes(*inst)).copied().collect();
                let needed = match part.is_disjoint(other) {
                    true => liveness.live_in(*first).iter().copied().collect(),
                    false => alive(func, &accesses, &liveness, part, &all),
                };
                contested.extend(written.intersection(&needed));
            }
        }
    }
    contested
}

/// The blocks in front of all branches and loops of a kernel: whatever data say, all lanes of a warp come to them, once. None of a
/// function, whose callers may have parted.
fn head(func: &Func, cfg: &Cfg) -> BTreeSet<Block> {
    let mut blocks = BTreeSet::new();
    let mut next = (func.kind == FuncKind::Entry && cfg.predecessors(cfg.entry).is_empty()).then_some(cfg.entry);
    while let Some(block) = next {
        blocks.insert(block);
        next = match cfg.successors(block) {
            [only] if cfg.predecessors(*only).len() == 1 => Some(*only),
            _ => None,
        };
    }
    blocks
}

fn inside(cfg: &Cfg, first: Block, reconvergence: Option<Block>) -> BTreeSet<Block> {
    let (mut blocks, mut work) = (BTreeSet::new(), vec![first]);
    while let Some(block) = work.pop() {
        if Some(block) != reconvergence && blocks.insert(block) {
            work.extend(cfg.successors(block));
        }
    }
    blocks
}

fn alive(
    func: &Func,
    accesses: &Accesses,
    liveness: &Liveness,
    blocks: &BTreeSet<Block>,
    regs: &BTreeSet<Reg>,
) -> BTreeSet<Reg> {
    let mut alive = BTreeSet::new();
    for block in blocks {
        alive.extend(liveness.live_in(*block));
        func.blocks[*block].insts.iter().for_each(|inst| alive.extend(accesses.writes(*inst)));
    }
    alive.retain(|reg| regs.contains(reg));
    alive
}

fn pair(a: Reg, b: Reg) -> (Reg, Reg) {
    (a.min(b), a.max(b))
}
