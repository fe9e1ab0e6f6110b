//! Offsets in the spill areas: values that are never needed together share a slot.
//!
//! In the thread's own memory, together means: alive at one place. A slot in shared memory belongs to a whole warp,
//! whose threads a divergent branch may send to different places. So values of different sides of such a branch are
//! needed together, too. The exception is sides that run one after the other, if both values live only inside their
//! side.

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

/// The places of the text at which a register is alive, as half-open ranges in ascending order.
type Ranges = Vec<(u32, u32)>;

/// Offsets of the registers, which take `bytes` each, and the size of the area. Registers share a slot if they are alive at no place
/// together and are none of the pairs that are `apart`.
pub fn assign(func: &Func, bytes: &BTreeMap<Reg, u32>, apart: &Pairs) -> (BTreeMap<Reg, u32>, u32) {
    let alive = alive_at(func, bytes);
    let mut order: Vec<Reg> = bytes.keys().copied().collect();
    // wide ones first, so that no gaps open between them
    order.sort_by_key(|reg| (std::cmp::Reverse(bytes[reg]), *reg));
    let mut words: Vec<Word> = Vec::new();
    let mut offsets: BTreeMap<Reg, u32> = BTreeMap::new();
    for reg in order {
        let count = (bytes[&reg] / 4) as usize;
        let free = |word: usize| words.get(word).is_none_or(|word| word.is_free(reg, &alive[reg], apart));
        let fits = |first: &usize| (*first..first + count).all(free);
        let first = (0..).step_by(count).find(fits).expect("behind all of them is room");
        words.resize_with(words.len().max(first + count), Word::default);
        words[first..first + count].iter_mut().for_each(|word| word.take(reg, &alive[reg]));
        offsets.insert(reg, 4 * first as u32);
    }
    (offsets, 4 * words.len() as u32)
}

/// Four bytes of an area.
#[derive(Debug, Default)]
struct Word {
    /// When they are taken, ascending.
    taken: Ranges,
    by: Vec<Reg>,
}

impl Word {
    fn is_free(&self, reg: Reg, ranges: &Ranges, apart: &Pairs) -> bool {
        let meets = |(begin, end): &(u32, u32)| {
            let next = self.taken.partition_point(|(_, other_end)| other_end <= begin);
            self.taken.get(next).is_some_and(|(other_begin, _)| other_begin < end)
        };
        !ranges.iter().any(meets)
            && (apart.is_empty() || !self.by.iter().any(|other| apart.contains(&pair(reg, *other))))
    }

    fn take(&mut self, reg: Reg, ranges: &Ranges) {
        for range in ranges {
            let at = self.taken.partition_point(|other| other < range);
            self.taken.insert(at, *range);
        }
        self.by.push(reg);
    }
}

/// When the registers are alive, from behind their writes to their last reads. Instructions have two places each: in front of the reads, and
/// behind the writes.
fn alive_at(func: &Func, regs: &BTreeMap<Reg, u32>) -> SecondaryMap<Reg, Ranges> {
    let (cfg, accesses) = (Cfg::compute(func), Accesses::compute(func));
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let mut alive: SecondaryMap<Reg, Ranges> = SecondaryMap::new();
    // the ends of ranges whose beginnings the walk backwards has not met
    let mut end: BTreeMap<Reg, u32> = BTreeMap::new();
    let mut first = 0;
    for block in &cfg.order {
        let data = &func.blocks[*block];
        let last = first + 2 * data.insts.len() as u32 + 1;
        let leaving = liveness.live_out(*block).iter().copied().chain(data.terminator.condition());
        end.extend(leaving.filter(|reg| regs.contains_key(reg)).map(|reg| (reg, last + 1)));
        for (at, inst) in data.insts.iter().enumerate().rev() {
            let place = first + 2 * at as u32 + 1;
            for reg in accesses.writes(*inst).iter().filter(|reg| regs.contains_key(reg)) {
                let end = end.remove(reg).unwrap_or(place + 1);
                alive[*reg].push((place, end));
            }
            for reg in accesses.reads(*inst).iter().filter(|reg| regs.contains_key(reg)) {
                end.entry(*reg).or_insert(place);
            }
        }
        for (reg, end) in std::mem::take(&mut end) {
            alive[reg].push((first, end));
        }
        first = last + 1;
    }
    for reg in regs.keys() {
        alive[*reg].sort_unstable();
        alive[*reg].dedup_by(|next, before| {
            let joined = before.1 >= next.0;
            if joined {
                before.1 = before.1.max(next.1);
            }
            joined
        });
    }
    alive
}

/// The pairs of which some threads of a warp need one while others need the other, wherever each is.
pub fn on_two_sides(
    func: &Func,
    regs: &BTreeSet<Reg>,
    divergent: &SecondaryMap<Block, bool>,
    sides: Sides,
    rules: Rules,
) -> Pairs {
    let mut pairs = Pairs::new();
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
