//! Control-flow analyses against their definitions, and SSA form there and back in the simulator.

use ptx::analysis::cfg::Cfg;
use ptx::analysis::control;
use ptx::analysis::dominators::{Dominators, post_dominators, post_dominators_of_reachable};
use ptx::analysis::liveness::Liveness;
use ptx::analysis::loops::Loops;
use ptx::analysis::ssa::{Facts, Ssa, SsaFunc, apply, destruct};
use ptx::inst::{Op, UnaryOp};
use ptx::ir::{Block, Func, Module, Reg};
use std::collections::{BTreeMap, BTreeSet};
use testkit::numbers::Numbers;
use testkit::random_kernel::{self, Shape};
use warpsim::{self, Argument, Buffer, Launch, Options};

fn random(seed: u64) -> Module {
    let mut numbers = Numbers(seed);
    let shape = Shape { blocks: 1 + numbers.below(12), words: 6, preds: 3, length: 5, fuel: 40 };
    random_kernel::kernel(&shape, &mut numbers)
}

const THREADS: u32 = 96;

fn outputs(module: &Module) -> Vec<u64> {
    let mut buffers = [Buffer::output((6 * THREADS as usize * 2).div_ceil(2))];
    let launch = Launch::linear(2, THREADS, vec![Argument::Buffer(0), Argument::U32(3)]);
    warpsim::run(module, "k", &launch, &mut buffers, &Options::default()).unwrap_or_else(|h| panic!("{h}\n{module}"));
    buffers[0].reals().iter().map(|value| value.to_bits()).collect()
}

fn ssa(func: &Func) -> (Facts, SsaFunc) {
    let facts = Facts::compute(func);
    let numbered = Ssa::compute(func, &facts, &[]);
    let form = apply(func, &facts, &numbered);
    (facts, form)
}

#[test]
fn there_and_back_gives_the_same_bits() {
    for seed in 0..150 {
        let module = random(seed);
        let (_, form) = ssa(&module.funcs[0]);
        let back = Module { funcs: vec![destruct(form)], ..module.clone() };
        assert_eq!(outputs(&module), outputs(&back), "seed {seed}\n{module}\n{back}");
    }
}

/// Every register is written once, and the write dominates every read.
#[test]
fn the_form_is_ssa() {
    for seed in 0..150 {
        let module = random(seed);
        let (facts, form) = ssa(&module.funcs[0]);
        let func = &form.func;
        let mut written: BTreeMap<Reg, (Block, usize)> = BTreeMap::new();
        for block in &func.layout {
            let mut at = |reg: Reg, place: usize| assert_eq!(written.insert(reg, (*block, place)), None, "{reg}");
            form.phis[*block].iter().for_each(|phi| at(phi.dst, 0));
            for (i, inst) in func.blocks[*block].insts.iter().enumerate() {
                func.insts[*inst].op.results().into_iter().for_each(|reg| at(reg, i + 1));
            }
        }
        let check = |reg: Reg, block: Block, place: usize| {
            let Some((location, at)) = written.get(&reg) else { return };
            let good = if *location == block { *at < place } else { facts.dominators.dominates(*location, block) };
            assert!(good, "seed {seed}: {reg} in {block} at {place}, written in {location} at {at}");
        };
        for block in &func.layout {
            for phi in &form.phis[*block] {
                phi.args.iter().for_each(|(from, reg)| check(*reg, *from, usize::MAX));
            }
            for (i, inst) in func.blocks[*block].insts.iter().enumerate() {
                let data = &func.insts[*inst];
                data.op.operands(|operand| {
                    if let ptx::inst::Operand::Reg(reg) = operand {
                        check(reg, *block, i + 1);
                    }
                });
                data.guard.iter().for_each(|guard| check(guard.pred, *block, i + 1));
                form.ties[*inst].iter().filter_map(|tie| tie.old).for_each(|old| check(old, *block, i + 1));
            }
            func.blocks[*block].terminator.condition().iter().for_each(|reg| check(*reg, *block, usize::MAX));
        }
    }
}

/// The swap problem: two registers change places in a loop, so their φs read each other.
#[test]
fn a_swap_in_a_loop_survives() {
    let module = read(
        "mov.u32 %r1, %tid.x; mov.u32 %r2, 7; mov.u32 %r3, 0;
        LOOP: mov.u32 %r4, %r1; mov.u32 %r1, %r2; mov.u32 %r2, %r4;
        add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra LOOP;",
    );
    let mut module = module;
    propagate_copies(&mut module.funcs[0]);
    let back = destructed(&module);
    assert_eq!(first_words(&back, 2), [[7; 32].to_vec(), (0..32).collect()].concat());
}

/// The lost-copy problem: the φ's value is read behind the loop, where its next value is there already.
#[test]
fn a_copy_is_not_lost() {
    let mut module = read(
        "mov.u32 %r1, %tid.x; mov.u32 %r3, 0;
        LOOP: mov.u32 %r2, %r1; add.u32 %r1, %r1, 1; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra LOOP;
        mov.u32 %r1, %r2;",
    );
    propagate_copies(&mut module.funcs[0]);
    let back = destructed(&module);
    assert_eq!(first_words(&back, 1), (3..35).collect::<Vec<u32>>());
}

/// Makes a kernel that writes the first two words of every lane.
fn read(body: &str) -> Module {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
        .reg .b32 %r<9>; .reg .pred %p<3>; .reg .b64 %rd<4>;\n{body}\n\
        ld.param.u64 %rd1, [out]; mov.u32 %r5, %tid.x; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;\n\
        st.global.u32 [%rd3], %r1; st.global.u32 [%rd3+128], %r2; ret;\n}}\n"
    );
    ptx::read::text("k.ptx", &text).unwrap()
}

fn first_words(module: &Module, count: usize) -> Vec<u32> {
    let mut buffers = [Buffer::output(32)];
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0)]);
    warpsim::run(module, "k", &launch, &mut buffers, &Options::default()).unwrap_or_else(|h| panic!("{h}\n{module}"));
    let words = buffers[0].reals().into_iter().flat_map(|v| [v.to_bits() as u32, (v.to_bits() >> 32) as u32]);
    words.take(32 * count).collect()
}

/// Replaces reads of copies by reads of the copied registers, which makes φs overlap. The text itself stays as it is.
fn propagate_copies(func: &mut Func) {
    let (_, mut form) = ssa(func);
    let mut same: BTreeMap<Reg, Reg> = BTreeMap::new();
    for data in form.func.insts.values() {
        if let Op::Unary { op: UnaryOp::Mov, dst, a: ptx::inst::Operand::Reg(src), .. } = &data.op {
            same.insert(*dst, same.get(src).copied().unwrap_or(*src));
        }
    }
    let original = |reg: &mut Reg| {
        while let Some(src) = same.get(reg) {
            *reg = *src;
        }
    };
    for block in form.func.layout.clone() {
        form.phis[block].iter_mut().flat_map(|phi| &mut phi.args).for_each(|(_, reg)| original(reg));
    }
    let insts: Vec<_> = form.func.insts.keys().collect();
    for inst in insts {
        form.func.insts[inst].op.slots(|slot| {
            if let ptx::visit::Slot::Read(reg) = slot {
                original(reg);
            }
        });
    }
    *func = destruct(form);
}

fn destructed(module: &Module) -> Module {
    let (_, form) = ssa(&module.funcs[0]);
    Module { funcs: vec![destruct(form)], ..module.clone() }
}

fn reach(func: &Func, from: Block, without: Option<Block>) -> BTreeSet<Block> {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if Some(block) != without && seen.insert(block) {
            work.extend(func.blocks[block].terminator.targets());
        }
    }
    seen
}

#[test]
fn dominators_follow_their_definition() {
    for seed in 0..60 {
        let module = random(seed);
        let func = &module.funcs[0];
        let cfg = Cfg::compute(func);
        let dominators = Dominators::compute(func, &cfg);
        for a in func.blocks.keys() {
            let without = reach(func, cfg.entry, Some(a));
            for b in &cfg.order {
                let expected = cfg.reachable(a) && (a == *b || !without.contains(b));
                assert_eq!(dominators.dominates(a, *b), expected, "seed {seed}: {a} over {b}");
            }
        }
    }
}

#[test]
fn post_dominators_follow_their_definition() {
    for seed in 0..60 {
        let module = random(seed);
        let func = &module.funcs[0];
        let parents = post_dominators(func);
        let cfg = Cfg::compute(func);
        let of_reachable = post_dominators_of_reachable(&cfg);
        for block in &cfg.order {
            assert_eq!(of_reachable[*block], parents[*block], "seed {seed}: {block}");
        }
        let returns = |set: &BTreeSet<Block>| set.iter().any(|b| func.blocks[*b].terminator.targets().is_empty());
        for block in func.blocks.keys().filter(|block| returns(&reach(func, *block, None))) {
            let all: BTreeSet<Block> =
                func.blocks.keys().filter(|a| *a != block && !returns(&reach(func, block, Some(*a)))).collect();
            let mut chain = BTreeSet::new();
            let mut runner = parents[block];
            while let Some(parent) = runner {
                chain.insert(parent);
                runner = parents[parent];
            }
            assert_eq!(chain, all, "seed {seed}: {block}");
        }
    }
}

/// A register is live where some path leads to a read without a write before.
#[test]
fn liveness_follows_its_definition() {
    for seed in 0..60 {
        let module = random(seed);
        let func = &module.funcs[0];
        let facts = Facts::compute(func);
        let liveness = Liveness::compute(func, &facts.cfg, &facts.accesses);
        for reg in func.regs.keys() {
            // reads first, or writes, or neither
            let first = |block: Block| {
                for inst in &func.blocks[block].insts {
                    if facts.accesses.reads(*inst).contains(&reg) {
                        return Some(true);
                    }
                    if facts.accesses.writes(*inst).contains(&reg) {
                        return Some(false);
                    }
                }
                (func.blocks[block].terminator.condition() == Some(reg)).then_some(true)
            };
            for block in &facts.cfg.order {
                let (mut seen, mut work, mut live) = (BTreeSet::new(), vec![*block], false);
                while let Some(block) = work.pop() {
                    match first(block) {
                        Some(read) => live |= read,
                        None if seen.insert(block) => work.extend(facts.cfg.successors(block)),
                        None => {}
                    }
                }
                assert_eq!(liveness.is_live_in(reg, *block), live, "seed {seed}: {reg} in {block}");
            }
        }
    }
}

/// A natural loop has the header and all blocks that reach a jump back to it without passing it.
#[test]
fn loops_follow_their_definition() {
    let mut nested = 0;
    for seed in 0..100 {
        let module = random(seed);
        let func = &module.funcs[0];
        let Facts { cfg, dominators, .. } = Facts::compute(func);
        let loops = Loops::compute(&cfg, &dominators);
        let mut expected: BTreeMap<Block, BTreeSet<Block>> = BTreeMap::new();
        for from in &cfg.order {
            for header in cfg.successors(*from).iter().filter(|to| dominators.dominates(**to, *from)) {
                let inside = |b: &Block| b != header && reach(func, *b, Some(*header)).contains(from);
                let all = cfg.order.iter().filter(|b| dominators.dominates(*header, **b)).copied().filter(inside);
                expected.entry(*header).or_default().extend(all.chain([*header]));
            }
        }
        let found: BTreeMap<Block, BTreeSet<Block>> =
            loops.loops.values().map(|data| (data.header, data.blocks.iter().copied().collect())).collect();
        assert_eq!(found, expected, "seed {seed}");
        for block in &cfg.order {
            let around = expected.values().filter(|blocks| blocks.contains(block)).count();
            assert_eq!(loops.depth(*block) as usize, around, "seed {seed}: {block}");
            nested += usize::from(around > 1);
        }
        let marked = cfg.order.iter().any(|block| loops.irreducible(*block));
        assert_eq!(marked, !reducible(&cfg), "seed {seed}");
    }
    assert!(nested > 0);
}

/// Whether the graph is reducible, by the transformations T1 and T2 of Hecht and Ullman: drop self loops, merge a node into its only predecessor.
fn reducible(cfg: &Cfg) -> bool {
    let mut edges: BTreeSet<(Block, Block)> =
        cfg.order.iter().flat_map(|from| cfg.successors(*from).iter().map(|to| (*from, *to))).collect();
    let mut nodes: BTreeSet<Block> = cfg.order.iter().copied().collect();
    loop {
        edges.retain(|(from, to)| from != to);
        let single = nodes.iter().copied().filter(|node| *node != cfg.entry).find_map(|node| {
            let mut from = edges.iter().filter(|(_, to)| *to == node);
            from.next().filter(|_| from.next().is_none()).map(|(from, _)| (*from, node))
        });
        let Some((from, node)) = single else { return nodes.len() == 1 };
        nodes.remove(&node);
        edges = edges.into_iter().map(|(a, b)| (if a == node { from } else { a }, b)).filter(|e| e.1 != node).collect();
    }
}

/// A block depends on an edge when it runs whenever the edge is taken, and not always when the branch is reached.
#[test]
fn control_dependence_follows_its_definition() {
    for seed in 0..60 {
        let module = random(seed);
        let func = &module.funcs[0];
        let parents = post_dominators(func);
        let up = |block: Block| std::iter::successors(Some(block), |b| parents[*b]).collect::<BTreeSet<_>>();
        let result = control::compute(func, &parents);
        for block in func.blocks.keys() {
            let mut expected = Vec::new();
            for branch in &func.layout {
                let targets = func.blocks[*branch].terminator.targets();
                let strictly = parents[*branch].is_some_and(|parent| up(parent).contains(&block));
                for (i, target) in targets.iter().enumerate().filter(|_| targets.len() > 1) {
                    if up(*target).contains(&block) && !strictly {
                        expected.push((*branch, i as u32));
                    }
                }
            }
            assert_eq!(result[block], expected, "seed {seed}: {block}");
        }
    }
}
