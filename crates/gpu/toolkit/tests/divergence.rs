//! The affine divergence analysis: why it does not find more. What it finds stands in `files/divergence`.

use ptx::analysis::divergence::{Chains, LONGEST_CHAIN, Rule};
use testkit::divergence::{WARPS, analyse, kernel, value};
use toolkit::divergence::Analysed;

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
    let chain = Chains::new(&analysed.result, func, &analysed.gated, WARPS).chain(from);
    let text: Vec<String> = chain.links.iter().map(|(_, reason)| reason.rule.to_string()).collect();
    assert_eq!(
        text,
        [
            "operation on a divergent value", "divergent branch of BB0", "operation on a divergent value",
            "load from a divergent address", "affine", "affine", "affine", "special register"
        ]
    );
}

/// A chain as long as the kernel is told by its beginning and its source, so that the text grows with the kernel alone.
#[test]
fn long_chains_are_told_by_beginning_and_source() {
    let loads = |count: usize| {
        let chained = "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3];
            setp.eq.u32 %p1, %r1, 3; @%p1 bra N$; add.u32 %r2, %r2, 1; N$:";
        let body: String = (0..count).map(|i| chained.replace('$', &i.to_string())).collect();
        kernel(&format!("mov.u32 %r1, %tid.x; mov.u32 %r2, 0; {body}"))
    };
    let told = |count: usize| {
        let module = loads(count);
        let func = &module.funcs[0];
        let chains = Analysed::new(&module, func, WARPS);
        (chains.text(), chains.json().to_string())
    };
    let module = loads(100);
    let func = &module.funcs[0];
    let analysed = analyse(func, WARPS);
    let chain = Chains::new(&analysed.result, func, &analysed.gated, WARPS).chain(value(func, &analysed, "%r1"));
    assert_eq!(chain.links.len(), LONGEST_CHAIN);
    assert_eq!(chain.last().map(|(_, reason)| reason.rule), Some(Rule::Special));
    let (text, json) = told(100);
    let (more_text, more_json) = told(400);
    assert!(text.contains("from … from %r1 (special register)"), "{text}");
    assert!(json.contains("\"…\",\"%r1: special register\""), "{json}");
    assert!(more_text.len() < 5 * text.len(), "{} and {}", text.len(), more_text.len());
    assert!(more_json.len() < 5 * json.len(), "{} and {}", json.len(), more_json.len());
}
