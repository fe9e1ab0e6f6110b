//! The examples of the paper.

use super::{Options, execute, parse, predicated};

/// Figure 8: two ways lead to one block. With a divergence stack it runs once for each, under predication once.
#[test]
fn a_shared_block_runs_once() {
    let text = ".version 6.0\n.target sm_35\n.address_size 64\n.entry k(.param .u64 k_out, .param .u32 k_n)\n{
        .reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 %a<3>;
        mov.u32 %r0, %tid.x;\nld.param.u64 %a0, [k_out];\nmul.wide.u32 %a1, %r0, 4;\nadd.s64 %a0, %a0, %a1;
        mov.u32 %r2, 1;\nsetp.lt.u32 %p0, %r0, 8;\n@%p0 bra N4;
        setp.gt.u32 %p1, %r0, 24;\n@%p1 bra N5;
        N4:\nsqrt.rn.f32 %r2, %r2;\nst.global.u32 [%a0], %r0;
        N5:\nret;\n}";
    let text = text.replace("sqrt.rn.f32 %r2, %r2;", "add.u32 %r2, %r2, 1;");
    let module = parse(&text);
    let stores = |module| {
        let (values, counts) = execute(module, [32, 1, 1], 1).expect("no hazard");
        (values, counts[0].global)
    };
    let (after, report) = predicated(&module, &Options::default());
    let (before, after) = (stores(&module), stores(&after));
    assert_eq!(before.0, after.0);
    // of two CTAs
    assert_eq!((before.1, after.1), (4, 2));
    assert_eq!(report.structures.regions, 1);
}
