//! The affine divergence analysis: why it does not find more. What it finds stands in `files/divergence`.

use testkit::divergence::{WARPS, analyse, kernel, value};

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
