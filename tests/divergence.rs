//! The affine divergence analysis: what it finds, why it does not find more, and that every claim holds in the simulator.

use std::sync::Arc;

use singe::diagnostic::Source;
use singe::sim::{self, Argument, Buffer, Claims, Kind, Launch, Options as SimOptions};
use singe::simt::analysis::divergence::{BlockShape, Class, Coefficient, Divergence, Options, State};
use singe::simt::analysis::gated::Gated;
use singe::simt::analysis::ssa::Value;
use singe::simt::ir::{Func, Module};
use singe::simt::read;

#[path = "common/numbers.rs"]
mod numbers;
#[path = "common/random_kernel.rs"]
mod random_kernel;

use numbers::Numbers;
use random_kernel::Shape;

/// A kernel `k(out, n)` with a body of PTX that ends with `st` of the words `%r1` to `%r8`.
fn kernel(body: &str) -> Module {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 8 .b8 buffer[4096];\n\
        .visible .entry k(.param .u64 k_out, .param .u32 k_n)\n{{\n\
        .reg .b32 %r<40>; .reg .pred %p<10>; .reg .b64 %rd<20>; .reg .b16 %rs<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n\
        .local .align 8 .b8 stack[64];\n\
        ld.param.u64 %rd1, [k_out]; ld.param.u32 %r30, [k_n];\n{body}\nret;\n}}\n"
    );
    read::read(&Arc::new(Source { name: "k.ptx".into(), text })).unwrap_or_else(|d| panic!("{d:?}"))
}

struct Analysed {
    gated: Gated,
    result: Divergence,
}

fn analyse(func: &Func, options: Options) -> Analysed {
    let gated = Gated::compute(func);
    let result = Divergence::compute(func, &gated, options);
    Analysed { gated, result }
}

/// What the last write of a register makes.
fn value(func: &Func, analysed: &Analysed, name: &str) -> Value {
    // registers are numbered by class in the order of their declaration; the reader keeps that order
    let text = name.trim_start_matches('%');
    let prefix: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let number: usize = text[prefix.len()..].parse().unwrap();
    use singe::simt::inst::Type;
    let class = match prefix.as_str() {
        "p" => Type::Pred,
        "rs" => Type::B16,
        "r" => Type::B32,
        "rd" => Type::B64,
        "f" => Type::F32,
        _ => Type::F64,
    };
    let reg = func.regs.iter().filter(|(_, ty)| **ty == class).nth(number - 1).unwrap().0;
    let values = analysed.gated.ssa.values.iter().filter(|(_, data)| data.reg == reg);
    values.map(|(value, _)| value).next_back().unwrap()
}

fn state(func: &Func, analysed: &Analysed, name: &str) -> State {
    analysed.result.state(value(func, analysed, name))
}

const WARPS: Options = Options { block: BlockShape::WholeWarps, assume_index_no_wrap: false };

/// `class` of registers after a body, by name.
#[track_caller]
fn expect(body: &str, options: Options, classes: &[(&str, Class)]) {
    let module = kernel(body);
    let func = &module.funcs[0];
    let analysed = analyse(func, options);
    for (name, expected) in classes {
        let found = state(func, &analysed, name);
        assert_eq!(found.class(), *expected, "{name}: {found:?} in\n{body}");
    }
}

#[test]
fn the_rules_of_the_paper() {
    use Class::*;
    let body = "
        mov.u32 %r1, %tid.x;
        mov.u32 %r2, 7;
        mul.lo.u32 %r3, %r1, 4;
        add.u32 %r4, %r3, %r2;
        ld.global.u32 %r5, [%rd1];
        add.u32 %r6, %r4, %r5;
        mul.lo.u32 %r7, %r1, %r1;
        cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2;
        ld.global.u32 %r8, [%rd3];
        atom.global.add.u32 %r9, [%rd1], 1;
        mul.lo.u32 %r10, %r1, 0;
        sub.u32 %r11, %r1, %r1;
        neg.s32 %r12, %r1;
        shl.b32 %r13, %r1, 3;
        mad.lo.u32 %r14, %r1, 12, %r5;
        mul.lo.u32 %r15, %r5, %r30;
        setp.lt.u32 %p1, %r1, %r30;
        setp.lt.u32 %p2, %r5, %r30;
        mul.lo.u32 %r16, %r1, %r30;";
    expect(
        body,
        WARPS,
        &[
            ("%r1", Affine),
            ("%r2", Constant),
            ("%r3", Affine),
            ("%r4", Affine),
            ("%r5", Uniform),
            ("%r6", AffineUnknownBase),
            ("%r7", Divergent),
            ("%rd2", Affine),
            ("%rd3", AffineUnknownBase),
            ("%r8", Divergent),
            ("%r9", Divergent),
            ("%r10", Constant),
            ("%r11", Constant),
            ("%r12", Affine),
            ("%r13", Affine),
            ("%r14", AffineUnknownBase),
            ("%r15", Uniform),
            ("%p1", Divergent),
            ("%p2", Uniform),
            ("%r16", Symbolic),
        ],
    );
}

/// What warp-specialized code branches on.
#[test]
fn warp_numbers_are_uniform() {
    use Class::*;
    let body = "
        mov.u32 %r1, %tid.x;
        shr.u32 %r2, %r1, 5;
        and.b32 %r3, %r1, -32;
        div.u32 %r4, %r1, 32;
        shr.s32 %r5, %r1, 31; shr.u32 %r6, %r5, 27; add.s32 %r7, %r1, %r6; shr.s32 %r8, %r7, 5;
        mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ntid.x; mad.lo.u32 %r11, %r9, %r10, %r1; shr.u32 %r12, %r11, 5;
        and.b32 %r13, %r1, 31;
        setp.lt.u32 %p1, %r1, 64;
        setp.lt.u32 %p2, %r1, 40;
        setp.eq.u32 %p3, %r2, 3;
        setp.gt.u32 %p4, %r9, %r30;";
    let classes = [
        ("%r2", Uniform),
        ("%r3", Uniform),
        ("%r4", Uniform),
        ("%r8", Uniform),
        ("%r12", Uniform),
        ("%r13", AffineUnknownBase),
        ("%p1", Uniform),
        ("%p2", Divergent),
        ("%p3", Uniform),
        ("%p4", Uniform),
    ];
    expect(body, WARPS, &classes);
    expect(body, Options { block: BlockShape::Known([256, 1, 1]), ..Options::default() }, &classes);
    // 48 threads in a row: warps are rows of lanes; 16 × 16: they are not
    let odd = |shape| Options { block: BlockShape::Known(shape), ..Options::default() };
    expect(body, odd([48, 1, 1]), &[("%r2", Uniform), ("%p1", Constant)]);
    expect(body, odd([16, 16, 1]), &[("%r1", Divergent), ("%r2", Divergent), ("%p4", Uniform)]);
    expect(body, Options::default(), &[("%r1", Divergent), ("%p4", Uniform)]);
}

#[test]
fn the_shape_of_the_block_decides_about_thread_numbers() {
    use Class::*;
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z; mov.u32 %r4, %laneid;";
    let of = |x, y, z| Options { block: BlockShape::Known([x, y, z]), ..Options::default() };
    let regs = ["%r1", "%r2", "%r3", "%r4"];
    for (options, classes) in [
        (of(64, 4, 1), [Affine, Uniform, Constant, AffineUnknownBase]),
        (of(16, 16, 1), [Divergent, Divergent, Constant, Affine]),
        (of(1, 64, 1), [Constant, AffineUnknownBase, Constant, Affine]),
        (of(8, 8, 8), [Divergent, Divergent, Uniform, Affine]),
        (of(20, 1, 1), [Affine, Constant, Constant, Affine]),
        (WARPS, [Affine, Uniform, Uniform, AffineUnknownBase]),
        (Options::default(), [Divergent, Divergent, Divergent, Affine]),
    ] {
        let expected: Vec<_> = regs.into_iter().zip(classes).collect();
        expect(body, options, &expected);
    }
}

/// A launch of one shape; the kernel is analysed with what `options` say of it.
struct Run {
    shape: [u32; 3],
    ctas: u32,
    options: Options,
}

/// Runs a kernel `k(out, n)` with every claim checked: the hazards, and how many claims there were.
fn checked(module: &Module, run: &Run, words: usize, change: impl Fn(Value, State) -> State) -> (Vec<Kind>, usize) {
    let func = &module.funcs[0];
    let analysed = analyse(func, run.options);
    let claims = Claims::new(module, func, &analysed.gated, &analysed.result.basis, |value| {
        change(value, analysed.result.state(value))
    });
    let threads: u32 = run.shape.iter().product();
    let mut buffers = [Buffer::in_out(&vec![0.0; (words * (threads * run.ctas) as usize).div_ceil(2).max(64)])];
    let arguments = vec![Argument::Buffer(0), Argument::U32(40)];
    let launch = Launch { ctas: [run.ctas, 1, 1], threads: run.shape, shared: 0, arguments };
    let result = sim::run_checked(module, "k", &launch, &mut buffers, &SimOptions::default(), Some(&claims));
    let kinds = result.err().map_or(Vec::new(), |hazards| hazards.list.into_iter().map(|h| h.kind).collect());
    (kinds, claims.count)
}

/// Shapes of blocks, also with widths that are no multiple of 32, and all that may be known of them.
fn runs(numbers: &mut Numbers) -> Vec<Run> {
    let shapes: [[u32; 3]; 9] = [
        [32, 1, 1],
        [96, 1, 1],
        [1 + numbers.below(200) as u32, 1, 1],
        [16, 16, 1],
        [64, 3, 1],
        [20, 5, 2],
        [1, 50, 1],
        [8, 4, 3],
        [1 + numbers.below(40) as u32, 1 + numbers.below(5) as u32, 1 + numbers.below(3) as u32],
    ];
    let shape = shapes[numbers.below(shapes.len())];
    let mut blocks = vec![BlockShape::Unknown, BlockShape::Known(shape)];
    if shape[0] % 32 == 0 {
        blocks.push(BlockShape::WholeWarps);
    }
    let options = |block| Options { block, assume_index_no_wrap: false };
    blocks.into_iter().map(|block| Run { shape, ctas: 2, options: options(block) }).collect()
}

/// Kernels with any control flow, also cycles with several entries, on random launches.
#[test]
fn every_claim_holds_on_random_kernels() {
    let mut claims = 0;
    for seed in 0..250 {
        let mut numbers = Numbers(seed);
        let blocks = 1 + numbers.below(12);
        let shape = Shape { blocks, words: 6, preds: 3, length: 5, fuel: 30 };
        let module = random_kernel::kernel(&shape, &mut numbers);
        for run in runs(&mut numbers) {
            let (broken, count) = checked(&module, &run, 6, |_, state| state);
            assert!(broken.is_empty(), "seed {seed}, {:?}, {:?}: {broken:?}\n{module}", run.shape, run.options);
            claims += count;
        }
    }
    println!("{claims} claims");
    assert!(claims > 10_000);
}

/// Runs a body under every claim on several shapes.
#[track_caller]
fn holds(body: &str, shapes: &[[u32; 3]]) {
    let module = kernel(body);
    for shape in shapes {
        for block in [BlockShape::Unknown, BlockShape::Known(*shape)] {
            let run = Run { shape: *shape, ctas: 2, options: Options { block, ..Options::default() } };
            let (broken, _) = checked(&module, &run, 8, |_, state| state);
            assert!(broken.is_empty(), "{shape:?} {block:?}: {broken:?}");
        }
    }
}

/// Claims of a rule that is not sound: the simulator finds a lane that disproves them.
#[track_caller]
fn caught(body: &str, shape: [u32; 3], name: &str, wrong: State) {
    let module = kernel(body);
    let func = &module.funcs[0];
    let options = Options { block: BlockShape::Known(shape), ..Options::default() };
    let analysed = analyse(func, options);
    let target = value(func, &analysed, name);
    assert_ne!(state(func, &analysed, name), wrong, "the analysis makes the wrong claim itself");
    let run = Run { shape, ctas: 1, options };
    let (broken, _) = checked(&module, &run, 8, |value, state| if value == target { wrong } else { state });
    assert!(broken.iter().any(|kind| matches!(kind, Kind::BrokenClaim { .. })), "{broken:?}");
}

fn affine(stride: u64, base: u64) -> State {
    State::new(Coefficient::Known(stride), Coefficient::Known(base))
}

/// |tid - 16| is no affine function: taking the absolute values of stride and base apart gives tid + 16.
#[test]
fn the_absolute_value_keeps_no_stride() {
    let body = "mov.u32 %r1, %tid.x; sub.s32 %r2, %r1, 16; abs.s32 %r3, %r2; add.s32 %r4, %r1, 5; abs.s32 %r5, %r4;";
    holds(body, &[[64, 1, 1], [40, 1, 1]]);
    expect(body, WARPS, &[("%r3", Class::Divergent), ("%r5", Class::Affine)]);
    caught(body, [64, 1, 1], "%r3", affine(1, 16));
}

/// A conversion that wraps is no identity.
#[test]
fn a_conversion_that_wraps_keeps_no_stride() {
    let body = "mov.u32 %r1, %tid.x; sub.u32 %r2, %r1, 8; cvt.u64.u32 %rd2, %r2; cvt.s64.s32 %rd3, %r2;
        mul.wide.u32 %rd4, %r2, 4; mul.wide.s32 %rd5, %r2, 4; cvt.u64.u32 %rd6, %r1;";
    holds(body, &[[64, 1, 1], [40, 1, 1]]);
    let classes = [
        ("%rd2", Class::Divergent),
        ("%rd3", Class::Affine),
        ("%rd4", Class::Divergent),
        ("%rd5", Class::Affine),
        ("%rd6", Class::Affine),
    ];
    expect(body, WARPS, &classes);
    caught(body, [64, 1, 1], "%rd2", affine(1, 8u64.wrapping_neg()));
}

/// An unknown base may wrap anywhere; the option assumes that it does not, and the simulator tells when it does.
#[test]
fn an_assumption_about_indices_is_checked() {
    let body = |base: &str| {
        format!(
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, {base}, %r1;
        sub.u32 %r4, %r3, %r30; cvt.u64.u32 %rd2, %r4;"
        )
    };
    let assumed = Options { assume_index_no_wrap: true, ..WARPS };
    expect(&body("64"), WARPS, &[("%rd2", Class::Divergent)]);
    expect(&body("64"), assumed, &[("%rd2", Class::AffineUnknownBase)]);
    let run = Run { shape: [64, 1, 1], ctas: 2, options: assumed };
    // n is 40, so lane 40 of the first block is where the index passes 0
    let (broken, _) = checked(&kernel(&body("64")), &run, 8, |_, state| state);
    assert!(!broken.is_empty());
}

/// The result of `set` is no difference of its operands.
#[test]
fn set_keeps_no_stride() {
    let body = "mov.u32 %r1, %tid.x; set.lt.u32.u32 %r2, %r1, 16;";
    expect(body, WARPS, &[("%r2", Class::Divergent)]);
}

/// Each element of a vector counts by itself; nothing is left without a state.
#[test]
fn vectors_are_handled_by_element() {
    let body = "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; shl.b64 %rd3, %rd2, 3; add.u64 %rd4, %rd1, %rd3;
        ld.global.v2.u32 {%r2, %r3}, [%rd4]; ld.global.v2.u32 {%r4, %r5}, [%rd1];
        mov.b64 %rd5, {%r1, %r30}; mov.b64 {%r6, %r7}, %rd5; mov.b64 {%r8, %r9}, %rd4;";
    let classes = [
        ("%r2", Class::Divergent),
        ("%r3", Class::Divergent),
        ("%r4", Class::Uniform),
        ("%r5", Class::Uniform),
        ("%r6", Class::Divergent),
        ("%r8", Class::AffineUnknownBase),
        ("%r9", Class::Divergent),
    ];
    expect(body, WARPS, &classes);
}

#[test]
fn unknown_instructions_are_divergent() {
    let body = "mov.u32 %r1, 5; frobnicate.u32 %r2, %r1; add.u32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 6;";
    expect(body, WARPS, &[("%r2", Class::Divergent), ("%r3", Class::Divergent), ("%p1", Class::Divergent)]);
    let loads = "ld.volatile.global.u32 %r1, [%rd1]; ld.local.u32 %r2, [stack]; ld.u32 %r3, [%rd1];
        ld.relaxed.gpu.global.u32 %r4, [%rd1]; mov.u32 %r5, %clock; mov.u32 %r6, %lanemask_lt;";
    let divergent = ["%r1", "%r2", "%r3", "%r4", "%r5", "%r6"].map(|name| (name, Class::Divergent));
    expect(loads, WARPS, &divergent);
}

/// In blocks of 16 × 16 a warp has two rows.
#[test]
fn rows_of_sixteen_threads_are_no_warps() {
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r3, %r2, 16, %r1; shr.u32 %r4, %r1, 5;
        setp.eq.u32 %p1, %r2, 1; mov.u32 %r5, 0; @%p1 bra SKIP; mov.u32 %r5, 1; SKIP: add.u32 %r6, %r5, 1;";
    holds(body, &[[16, 16, 1], [32, 8, 1], [64, 2, 1], [20, 3, 1]]);
    caught(body, [16, 16, 1], "%r2", State::UNIFORM);
    caught(body, [16, 16, 1], "%p1", State::UNIFORM);
    caught(body, [16, 16, 1], "%r6", State::UNIFORM);
    caught(body, [16, 16, 1], "%r1", affine(1, 0));
}

/// Lanes that leave a loop early bring the value of an earlier round, also where they leave to the next round of an
/// outer loop, and where several branches leave.
#[test]
fn values_behind_a_divergent_exit_are_divergent() {
    let body = "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; mov.u32 %r3, 0;
        LOOP: add.u32 %r3, %r3, 1; mul.lo.u32 %r4, %r3, 3; setp.le.u32 %p1, %r3, %r2; @%p1 bra LOOP;
        add.u32 %r5, %r4, 1;";
    expect(body, WARPS, &[("%r5", Class::Divergent)]);
    holds(body, &[[64, 1, 1], [40, 1, 1], [16, 4, 1]]);
    caught(body, [64, 1, 1], "%r5", State::UNIFORM);
    let two = "mov.u32 %r1, %tid.x; mov.u32 %r3, 0;
        LOOP: add.u32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, %r1; @%p1 bra OUT; setp.lt.u32 %p2, %r3, %r30; @%p2 bra LOOP;
        OUT: add.u32 %r5, %r3, 1;";
    expect(two, WARPS, &[("%p2", Class::Uniform), ("%r5", Class::Divergent)]);
    holds(two, &[[64, 1, 1], [40, 1, 1]]);
    // lanes that go on to the next round meet the others in front of the only exit
    let next = "mov.u32 %r1, %tid.x; mov.u32 %r3, 0; mov.u32 %r6, 0;
        LOOP: add.u32 %r3, %r3, 1; and.b32 %r4, %r3, 3; and.b32 %r2, %r1, 3; setp.lt.u32 %p1, %r4, %r2; @%p1 bra LOOP;
        add.u32 %r5, %r3, 1; setp.lt.u32 %p2, %r5, 20; @%p2 bra LOOP;";
    expect(next, WARPS, &[("%r5", Class::Divergent), ("%p2", Class::Divergent)]);
    holds(next, &[[64, 1, 1], [40, 1, 1]]);
    caught(next, [64, 1, 1], "%r5", State::UNIFORM);
}

/// The stride is known to the simulator only.
#[test]
fn a_stride_that_is_a_uniform_value_is_checked() {
    let body = "mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, %r30; add.u32 %r3, %r2, 5; shl.b32 %r4, %r3, 2; sub.u32 %r5, %r4, %r2;";
    expect(body, WARPS, &[("%r2", Class::Symbolic), ("%r4", Class::Symbolic), ("%r5", Class::Symbolic)]);
    holds(body, &[[64, 1, 1], [40, 1, 1]]);
    // a name does not outlive its round of a loop
    let looped = "mov.u32 %r1, %tid.x; mov.u32 %r3, 1; mov.u32 %r4, 0;
        LOOP: ld.global.u32 %r5, [%rd1]; add.u32 %r6, %r5, %r3; mul.lo.u32 %r7, %r1, %r6; add.u32 %r8, %r4, 1;
        mov.u32 %r4, %r7; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 6; @%p1 bra LOOP;";
    expect(looped, WARPS, &[("%r7", Class::Symbolic), ("%r8", Class::Divergent)]);
    holds(looped, &[[64, 1, 1], [40, 1, 1]]);
}

#[test]
fn warp_wide_operations() {
    use Class::*;
    let body = "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 9;
        vote.sync.any.pred %p2, %p1, -1; vote.sync.ballot.b32 %r2, %p1, -1;
        shfl.sync.idx.b32 %r3, %r1, 4, 31, -1; shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1; shfl.sync.idx.b32 %r5, %r1, %r1, 31, -1;
        shfl.sync.up.b32 %r6, %r30, 1, 0, -1; activemask.b32 %r7; vote.sync.any.pred %p3, %p1, %r30;
        match.any.sync.b32 %r8, %r1, -1;";
    let classes = [
        ("%p2", Uniform),
        ("%r2", Uniform),
        ("%r3", Uniform),
        ("%r4", Divergent),
        ("%r5", Divergent),
        ("%r6", Uniform),
        ("%r7", Uniform),
        ("%p3", Divergent),
        ("%r8", Divergent),
    ];
    expect(body, WARPS, &classes);
}

/// Reasons lead from a value to a source.
#[test]
fn reasons_are_chains() {
    let module = kernel(
        "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; shl.b64 %rd3, %rd2, 2; add.u64 %rd4, %rd1, %rd3;
        ld.global.u32 %r2, [%rd4]; setp.gt.u32 %p1, %r2, 3; mov.u32 %r3, 1; @%p1 bra SKIP; mov.u32 %r3, 2;
        SKIP: add.u32 %r4, %r3, 1;",
    );
    let func = &module.funcs[0];
    let analysed = analyse(func, WARPS);
    let from = value(func, &analysed, "%r4");
    let chain = analysed.result.reasons(func, &analysed.gated, WARPS, from);
    let text: Vec<String> = chain.iter().map(|(_, reason)| reason.rule.to_string()).collect();
    assert_eq!(
        text,
        [
            "operation on a divergent value",
            "divergent branch of BB0",
            "operation on a divergent value",
            "load from a divergent address",
            "affine",
            "affine",
            "affine",
            "special register"
        ]
    );
}
