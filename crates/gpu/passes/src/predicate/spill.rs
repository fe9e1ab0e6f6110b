//! Predicates beyond those that a thread has are kept as bits of words: `setp` writes a predicate that lives for an
//! instruction, `bfi` puts it into the word, and who reads it tests the bit.

use cranelift_entity::EntityRef;
use ptx::analysis::access::Accesses;
use ptx::analysis::cfg::Cfg;
use ptx::analysis::dominators::Dominators;
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::inst::*;
use ptx::ir::{Func, Inst, Reg};
use ptx::visit::Slot;
use std::collections::{BTreeMap, BTreeSet};

/// Keeps predicates in words until no more than `most` are alive at once, as far as that can be had; how many.
pub fn run(func: &mut Func, most: u32) -> usize {
    let mut bits: BTreeMap<Reg, Bit> = BTreeMap::new();
    let mut short: BTreeSet<Reg> = BTreeSet::new();
    let mut words: Vec<Reg> = Vec::new();
    while let Some(reg) = candidate(func, most as usize, &short) {
        let place = bits.len() % 32;
        if place == 0 {
            let word = func.regs.push(Type::B32);
            let inst = func.insts.push(InstData { guard: None, op: zero(word, Type::B32) });
            let entry = func.layout[0];
            if Cfg::compute(func).predecessors(entry).is_empty() {
                func.blocks[entry].insts.insert(0, inst);
            }
            words.push(word);
        }
        let bit = Bit { word: words[words.len() - 1], place: place as u32 };
        bits.insert(reg, bit);
        rewrite(func, reg, bit, &mut short);
        short.insert(reg);
    }
    bits.len()
}

/// The most predicates that are alive at once.
pub fn live_predicates(func: &Func) -> usize {
    if func.is_declaration() {
        return 0;
    }
    let mut most = 0;
    points(func, |alive, _| most = most.max(alive.len()));
    most
}

#[derive(Clone, Copy)]
struct Bit {
    word: Reg,
    place: u32,
}

/// Visits the predicates that are alive at each instruction and terminator, and those that it names.
fn points(func: &Func, mut visit: impl FnMut(&BTreeSet<Reg>, &[Reg])) {
    let cfg = Cfg::compute(func);
    let accesses = Accesses::compute(func);
    let liveness = Liveness::compute(func, &cfg, &accesses);
    let is_pred = |reg: &Reg| func.regs[*reg] == Type::Pred;
    for block in &cfg.order {
        let mut alive: BTreeSet<Reg> = liveness.live_out(*block).iter().copied().filter(is_pred).collect();
        let condition: Vec<Reg> = func.blocks[*block].terminator.condition().filter(is_pred).into_iter().collect();
        alive.extend(&condition);
        visit(&alive, &condition);
        for inst in func.blocks[*block].insts.iter().rev() {
            let (reads, writes) = accesses.reads_and_writes(*inst);
            let writes: Vec<Reg> = writes.iter().copied().filter(is_pred).collect();
            alive.extend(&writes);
            visit(&alive, &writes);
            writes.iter().for_each(|reg| _ = alive.remove(reg));
            let reads: Vec<Reg> = reads.iter().copied().filter(is_pred).collect();
            alive.extend(&reads);
            visit(&alive, &reads);
        }
    }
}

/// The predicate whose reads and writes cost least for the places at which too many are alive that it frees.
fn candidate(func: &Func, most: usize, short: &BTreeSet<Reg>) -> Option<Reg> {
    let mut frees: BTreeMap<Reg, usize> = BTreeMap::new();
    points(func, |alive, named| {
        if alive.len() > most {
            let others = alive.iter().filter(|reg| !short.contains(reg) && !named.contains(reg));
            others.for_each(|reg| *frees.entry(*reg).or_default() += 1);
        }
    });
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &Dominators::compute(func, &cfg));
    let mut costs: BTreeMap<Reg, f64> = BTreeMap::new();
    for block in &cfg.order {
        let weight = 10f64.powi(loops.depth(*block).min(9) as i32);
        for inst in &func.blocks[*block].insts {
            let InstData { guard, op } = &func.insts[*inst];
            guard.iter().for_each(|guard| *costs.entry(guard.pred).or_default() += weight);
            op.operands(|operand| operand.reg().into_iter().for_each(|reg| *costs.entry(reg).or_default() += weight));
            op.results().into_iter().for_each(|reg| *costs.entry(reg).or_default() += 2.0 * weight);
        }
        let condition = func.blocks[*block].terminator.condition();
        condition.into_iter().for_each(|reg| *costs.entry(reg).or_default() += weight);
    }
    let price = |reg: &Reg, freed: usize| costs.get(reg).copied().unwrap_or(0.0) / freed as f64;
    let best =
        frees.iter().min_by(|a, b| price(a.0, *a.1).total_cmp(&price(b.0, *b.1)).then(a.0.index().cmp(&b.0.index())));
    best.map(|(reg, _)| *reg)
}

/// Replaces a predicate by its bit.
fn rewrite(func: &mut Func, reg: Reg, bit: Bit, short: &mut BTreeSet<Reg>) {
    for block in func.layout.clone() {
        let old = std::mem::take(&mut func.blocks[block].insts);
        let mut insts: Vec<Inst> = Vec::new();
        for inst in old {
            let mut data = func.insts[inst].clone();
            let mut reads = data.guard.is_some_and(|guard| guard.pred == reg);
            data.op.operands(|operand| reads |= operand == Operand::Reg(reg));
            let results = data.op.results();
            let writes = results.contains(&reg);
            // where the guard is gone behind the instruction, or nothing is known of it, the old bit is written back
            let gone = data.guard.is_some_and(|guard| guard.pred != reg && results.contains(&guard.pred));
            let whole = writes && (gone || matches!(data.op, Op::Opaque { .. }));
            let old = (reads || whole).then(|| load(func, bit, &mut insts, short));
            if let (Some(guard), Some(old)) = (data.guard.as_mut().filter(|guard| guard.pred == reg), old) {
                guard.pred = old;
            }
            let new = match old.filter(|_| whole) {
                Some(old) => old,
                None if writes => func.regs.push(Type::Pred),
                None => reg,
            };
            if writes {
                short.insert(new);
            }
            data.op.slots(|slot| match slot {
                Slot::Read(read) if *read == reg => *read = old.unwrap_or(reg),
                Slot::Write(written) | Slot::Both(written) if *written == reg => *written = new,
                _ => {}
            });
            let guard = data.guard.filter(|_| !whole);
            if writes && guard.is_some() {
                // a write under a guard would make the short-lived predicate live from the start
                match &data.op {
                    Op::Setp { other: None, .. } | Op::Unary { .. } | Op::Binary { .. } => data.guard = None,
                    _ => insts.push(func.insts.push(InstData { guard: None, op: zero(new, Type::Pred) })),
                }
            }
            func.insts[inst] = data;
            insts.push(inst);
            if writes {
                store(func, bit, new, guard, &mut insts);
            }
        }
        if func.blocks[block].terminator.condition() == Some(reg) {
            let pred = load(func, bit, &mut insts, short);
            if let Some(condition) = func.blocks[block].terminator.condition_mut() {
                *condition = pred;
            }
        }
        func.blocks[block].insts = insts;
    }
}

fn zero(dst: Reg, ty: Type) -> Op {
    Op::Unary { op: UnaryOp::Mov, mode: Mode::default(), ty, dst, a: 0.into() }
}

/// p = bit of word
fn load(func: &mut Func, bit: Bit, insts: &mut Vec<Inst>, short: &mut BTreeSet<Reg>) -> Reg {
    let (masked, pred) = (func.regs.push(Type::B32), func.regs.push(Type::Pred));
    short.insert(pred);
    let (mode, ty) = (Mode::default(), Type::B32);
    let (a, b) = (bit.word.into(), Operand::Imm(1 << bit.place));
    insts.push(
        func.insts.push(InstData { guard: None, op: Op::Binary { op: BinaryOp::And, mode, ty, dst: masked, a, b } }),
    );
    let (a, b) = (masked.into(), 0.into());
    let op = Op::Setp { cmp: Cmp::Ne, ftz: false, ty, dst: pred, other: None, a, b, combine: None };
    insts.push(func.insts.push(InstData { guard: None, op }));
    pred
}

/// bit of word = p, in lanes of the guard
fn store(func: &mut Func, bit: Bit, pred: Reg, guard: Option<Guard>, insts: &mut Vec<Inst>) {
    let one = func.regs.push(Type::B32);
    let op = Op::Selp { ty: Type::B32, dst: one, a: 1.into(), b: 0.into(), pred };
    insts.push(func.insts.push(InstData { guard: None, op }));
    let (word, pos) = (bit.word, Operand::Imm(bit.place.into()));
    let op = Op::Bfi { ty: Type::B32, dst: word, a: one.into(), b: word.into(), pos, len: 1.into() };
    insts.push(func.insts.push(InstData { guard, op }));
}
