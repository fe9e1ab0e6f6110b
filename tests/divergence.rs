//! The affine divergence analysis: what it finds, and why it does not find more.

use ptx::analysis::divergence::{BlockShape, Class, Options};

#[path = "common/divergence.rs"]
mod common;

use common::{WARPS, analyse, expect, kernel, value};

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

#[test]
fn counters_are_no_constants_but_may_be_multiples() {
    use Class::*;
    let body = "
        mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, %tid.x; mov.u32 %r4, 5;
        ld.global.f64 %fd2, [%rd1]; mov.f64 %fd1, 0d0000000000000000; mov.f64 %fd3, %fd1;
        LOOP:
        add.u32 %r5, %r3, %r1; shr.u32 %r5, %r5, 5;
        add.u32 %r6, %r3, %r2; shr.u32 %r6, %r6, 5;
        add.u32 %r1, %r1, 1; add.u32 %r2, %r2, 64; add.u32 %r3, %r3, 32; add.u32 %r4, %r4, 0;
        add.f64 %fd1, %fd1, %fd2; mov.f64 %fd3, %fd1;
        setp.lt.u32 %p1, %r1, %r30;
        @%p1 bra LOOP;
        shr.u32 %r7, %r3, 5;
        mul.lo.u32 %r8, %r4, 3;";
    let found = [
        ("%r1", Uniform),
        ("%r2", Uniform),
        ("%r3", AffineUnknownBase),
        ("%r4", Constant),
        ("%r5", Divergent),
        ("%r6", Uniform),
        ("%r7", Uniform),
        ("%r8", Constant),
        ("%fd1", Uniform),
        ("%fd3", Uniform),
    ];
    expect(body, WARPS, &found);
}

#[test]
fn operands_that_hold_immediates_count_as_such() {
    use Class::*;
    let body = "
        mov.u32 %r1, %tid.x; mov.u32 %r2, 31; mov.u32 %r3, 15; setp.lt.u32 %p1, %r30, 5;
        shfl.sync.idx.b32 %r4, %r1, %r30, %r2, -1;
        shfl.sync.idx.b32 %r5, %r1, %r30, %r3, -1;
        selp.u32 %r6, 64, 32, %p1; add.u32 %r6, %r6, %r1; shr.u32 %r6, %r6, 5;
        selp.u32 %r7, 64, 33, %p1; add.u32 %r7, %r7, %r1; shr.u32 %r7, %r7, 5;
        @%p1 mov.u32 %r2, 15;
        shfl.sync.idx.b32 %r8, %r1, %r30, %r2, -1;";
    let found = [("%r4", Uniform), ("%r5", Divergent), ("%r6", Uniform), ("%r7", Divergent), ("%r8", Divergent)];
    expect(body, WARPS, &found);
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
