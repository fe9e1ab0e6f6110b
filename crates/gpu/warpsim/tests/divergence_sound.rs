//! Every claim of the divergence analysis holds in the simulator, and claims of rules that are not sound are caught there.

use ptx::analysis::divergence::{BlockShape, Class, Coefficient, Options, State};
use ptx::analysis::ssa::Value;
use ptx::ir::Module;
use testkit::divergence::{WARPS, analyse, expect, kernel, state, value};
use testkit::numbers::Numbers;
use testkit::random_kernel::{self, Shape};
use warpsim::{self, Argument, Buffer, Claims, Kind, Launch, Options as SimOptions};

/// A launch of one shape; the kernel is analysed with the knowledge in `options`.
struct Run {
    shape: [u32; 3],
    ctas: u32,
    options: Options,
}

/// Runs a kernel `k(out, n)` with every claim checked; returns the hazards, and the number of claims.
fn checked(module: &Module, run: &Run, words: usize, change: impl Fn(Value, State) -> State) -> (Vec<Kind>, usize) {
    checked_on(module, module, run, words, change)
}

/// As [`checked`], but the claims of `module` are checked on another kernel with as many instructions in the same blocks.
fn checked_on(
    module: &Module,
    executed: &Module,
    run: &Run,
    words: usize,
    change: impl Fn(Value, State) -> State,
) -> (Vec<Kind>, usize) {
    let func = &module.funcs[0];
    let analysed = analyse(func, run.options);
    let claims = Claims::new(module, func, &analysed.gated, &analysed.result.basis, |value| {
        change(value, analysed.result.state(value))
    });
    let threads: u32 = run.shape.iter().product();
    let mut buffers = [Buffer::in_out(&vec![0.0; (words * (threads * run.ctas) as usize).div_ceil(2).max(64)])];
    let arguments = vec![Argument::Buffer(0), Argument::U32(40)];
    let launch = Launch { ctas: [run.ctas, 1, 1], threads: run.shape, cluster: None, shared: 0, arguments };
    let result = warpsim::run_checked(executed, "k", &launch, &mut buffers, &SimOptions::default(), Some(&claims));
    let kinds = result.err().map_or(Vec::new(), |hazards| hazards.list.into_iter().map(|h| h.kind).collect());
    (kinds, claims.count)
}

/// Shapes of blocks, also with widths that are no multiple of 32, each with all possible knowledge of them.
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
    if shape[0].is_multiple_of(32) {
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
    let body = "mov.u32 %r1, %tid.x; set.lt.u32.u32 %r2, %r1, 16; set.lt.u32.u32 %r3, %r30, 16;";
    expect(body, WARPS, &[("%r2", Class::Divergent), ("%r3", Class::Uniform)]);
    holds(body, &[[64, 1, 1], [40, 1, 1]]);
    caught(body, [64, 1, 1], "%r2", affine(1, 16u64.wrapping_neg()));
    caught(body, [64, 1, 1], "%r2", State::UNIFORM);
}

/// Each element of a vector counts by itself; nothing is left without a state.
#[test]
fn vectors_are_handled_by_element() {
    let body = "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; shl.b64 %rd3, %rd2, 3; add.u64 %rd4, %rd1, %rd3;
        st.global.v2.u32 [%rd4], {%r30, %r1}; mov.b64 %rd7, {%r30, %r1};
        ld.global.v2.u32 {%r2, %r3}, [%rd4]; ld.global.v2.u32 {%r4, %r5}, [%rd1];
        mov.b64 %rd5, {%r1, %r30}; mov.b64 {%r6, %r7}, %rd5; mov.b64 {%r8, %r9}, %rd4;
        mov.b64 {%r10, %r11}, %rd7;";
    let classes = [
        ("%r2", Class::Divergent),
        ("%r3", Class::Divergent),
        ("%r4", Class::Uniform),
        ("%r5", Class::Uniform),
        ("%r6", Class::Divergent),
        ("%r8", Class::AffineUnknownBase),
        ("%r9", Class::Divergent),
        ("%rd7", Class::Divergent),
    ];
    expect(body, WARPS, &classes);
    holds(body, &[[64, 1, 1], [40, 1, 1], [16, 4, 1]]);
    // a rule that looks at the first element and leaves the others as they were
    for name in ["%r3", "%rd7", "%r11"] {
        caught(body, [64, 1, 1], name, State::UNIFORM);
    }
    caught(body, [64, 1, 1], "%r3", State::constant(0));
    caught(body, [64, 1, 1], "%r6", State::UNIFORM);
}

/// An instruction that the analysis does not know may turn out to be any other: whatever it does, no claim breaks.
#[test]
fn unknown_instructions_may_do_anything() {
    let body = |inst: &str| {
        format!(
            "mov.u32 %r1, %tid.x; mov.u32 %r3, %r30; setp.lt.u32 %p2, %r30, 3; {inst}
            add.u32 %r4, %r2, 1; setp.lt.u32 %p1, %r4, 9; mov.u32 %r5, 0; @%p1 bra SKIP; mov.u32 %r5, 1;
            SKIP: add.u32 %r6, %r5, 1;"
        )
    };
    let unknown = kernel(&body("multimem.frobnicate.u32 %r2, %r3;"));
    let guarded = kernel(&body("@%p2 multimem.frobnicate.u32 %r2, %r3;"));
    let meanings = [
        "mov.u32 %r2, %laneid;",
        "mul.lo.u32 %r2, %r1, %r1;",
        "mov.u32 %r2, %r3;",
        "atom.global.add.u32 %r2, [%rd1], 1;",
    ];
    for shape in [[64, 1, 1], [40, 1, 1], [16, 4, 1]] {
        let options = Options { block: BlockShape::Known(shape), ..Options::default() };
        let run = Run { shape, ctas: 1, options };
        let func = &unknown.funcs[0];
        let target = value(func, &analyse(func, options), "%r2");
        for meaning in meanings {
            let executed = kernel(&body(meaning));
            let (broken, count) = checked_on(&unknown, &executed, &run, 8, |_, state| state);
            assert!(broken.is_empty() && count > 0, "{meaning}: {broken:?}");
            let executed = kernel(&body(&format!("@%p2 {meaning}")));
            let (broken, _) = checked_on(&guarded, &executed, &run, 8, |_, state| state);
            assert!(broken.is_empty(), "{meaning}: {broken:?}");
        }
        // trusting an unknown instruction because its operands are uniform
        let trusted = |value, state| if value == target { State::UNIFORM } else { state };
        let (broken, _) = checked_on(&unknown, &kernel(&body(meanings[0])), &run, 8, trusted);
        assert!(broken.iter().any(|kind| matches!(kind, Kind::BrokenClaim { .. })), "{broken:?}");
    }
    // by itself it cannot be executed, and the simulator says so
    let options = Options::default();
    let (found, _) = checked(&unknown, &Run { shape: [32, 1, 1], ctas: 1, options }, 8, |_, state| state);
    assert!(matches!(&found[..], [Kind::Unsupported(text)] if text.contains("frobnicate")), "{found:?}");
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
