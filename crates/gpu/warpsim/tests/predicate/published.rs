//! The examples of the paper, and the branches that the pass leaves to the stack.

use super::{Module, parse, predicated, same};
use warpsim::{Argument, Buffer, Launch, Options, run};

fn kernel(body: &str) -> Module {
    parse(&format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 k_out, .param .u32 k_n)\n{{
        .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %a<3>;
        mov.u32 %r0, %tid.x;\nld.param.u64 %a0, [k_out];\nmul.wide.u32 %a1, %r0, 4;\nadd.s64 %a0, %a0, %a1;
        ld.param.u32 %r1, [k_n];\nmov.u32 %r2, 1;\n{body}\nret;\n}}"
    ))
}

fn launch() -> (Launch, [Buffer; 1]) {
    let buffers = [Buffer::words(ptx::inst::Type::U32, vec![0; 64])];
    (Launch::linear(1, 32, vec![Argument::Buffer(0), Argument::U32(5)]), buffers)
}

/// Counts the warp instructions on global memory.
fn stores(module: &Module) -> u64 {
    let (launch, mut buffers) = launch();
    run(module, "k", &launch, &mut buffers, &Options::default()).expect("no hazard").total().global
}

/// Figure 8: two ways lead to one block. With a divergence stack it runs once for each, under predication once.
#[test]
fn a_shared_block_runs_once() {
    let module = kernel(
        "setp.lt.u32 %p0, %r0, 8;\n@%p0 bra N4;\nsetp.gt.u32 %p1, %r0, 24;\n@%p1 bra N5;
        N4:\nst.global.u32 [%a0], %r0;\nN5:\nmov.u32 %r2, 3;",
    );
    let (after, report) = predicated(&module, (false, false), None);
    let (launch, buffers) = launch();
    same(&module, &after, "k", &launch, &buffers).expect("the same");
    assert_eq!((stores(&module), stores(&after)), (2, 1));
    // an acyclic structure, which gets no test
    assert_eq!((report.structures.blocks, report.structures.regions, report.structures.branches), (4, 1, 2));
    assert_eq!(predicated(&module, (true, true), None).1.side_tests, 0);
}

/// Figure 5a: where only the inner branch differs between lanes, static uniformity leaves the outer one a branch.
#[test]
fn an_outer_branch_stays_and_the_inner_one_goes() {
    let module = kernel(
        "setp.gt.u32 %p1, %r1, 3;\n@!%p1 bra N3;\nsetp.lt.u32 %p2, %r0, 7;\n@%p2 bra N6;
        mov.u32 %r2, 2;\nbra N7;\nN6:\nmov.u32 %r2, 4;\nN7:\nadd.u32 %r2, %r2, %r1;\nbra N8;
        N3:\nmov.u32 %r2, 9;\nN8:\nst.global.u32 [%a0], %r2;",
    );
    let count = |mode| {
        let (after, report) = predicated(&module, mode, None);
        let (launch, buffers) = launch();
        same(&module, &after, "k", &launch, &buffers).expect("the same");
        (report.structures.regions, report.uniform_branches, report.masked_blocks)
    };
    // N3 to N7 under masks, or only N5 and N6
    assert_eq!(count((false, false)), (2, 0, 5));
    assert_eq!(count((true, false)), (2, 1, 2));
}

/// Figure 5c: a block that one uniform branch and one divergent branch decide about makes both masks, as else its mask would not be
/// known on the way that stays.
#[test]
fn a_branch_beside_a_divergent_one_goes_too() {
    let module = kernel(
        "setp.gt.u32 %p1, %r1, 3;\n@%p1 bra N12;\nsetp.lt.u32 %p3, %r0, 7;\n@%p3 bra N9;\nbra N10;
        N12:\nadd.u32 %r2, %r2, 5;\nN10:\nmul.lo.u32 %r2, %r2, 3;\nN9:\nst.global.u32 [%a0], %r2;",
    );
    let (after, report) = predicated(&module, (true, false), None);
    let (launch, buffers) = launch();
    same(&module, &after, "k", &launch, &buffers).expect("the same");
    assert_eq!((report.uniform_branches, report.masked_blocks), (0, 3));
}

/// Two masks that one edge makes, inside of another branch: of the block behind it, and of one that other lanes reach as well.
#[test]
fn one_edge_makes_several_masks() {
    let module = kernel(
        "setp.lt.u32 %p4, %r0, 30;\n@!%p4 bra END;\nsetp.ne.u32 %p3, %r0, 20;\nsetp.lt.u32 %p1, %r0, 16;\n@!%p1 bra B;
        add.u32 %r2, %r2, 5;\nbra C;\nB:\n@!%p3 bra END;\nC:\nmul.lo.u32 %r2, %r2, 3;\n@%p1 add.u32 %r2, %r2, 7;
        END:\nst.global.u32 [%a0], %r2;",
    );
    for mode in [(false, false), (true, true)] {
        let (after, report) = predicated(&module, mode, None);
        let (launch, buffers) = launch();
        same(&module, &after, "k", &launch, &buffers).unwrap_or_else(|difference| panic!("{difference}\n{after}"));
        assert!(report.masked_blocks >= 4, "{report:?}");
    }
}

/// A side that no lane takes is skipped by a vote.
#[test]
fn an_empty_side_is_skipped() {
    let module = kernel(
        "setp.gt.u32 %p1, %r0, 40;\n@!%p1 bra JOIN;\nst.global.u32 [%a0], %r0;\nst.global.u32 [%a0], %r1;
        st.global.u32 [%a0], %r2;\nst.global.u32 [%a0+4], %r1;\nJOIN:\nmov.u32 %r2, 0;",
    );
    let (plain, _) = predicated(&module, (false, false), None);
    let (tested, report) = predicated(&module, (false, true), None);
    assert_eq!(report.side_tests, 1);
    assert_eq!((stores(&module), stores(&plain), stores(&tested)), (0, 4, 0));
    assert!(tested.to_string().contains("vote.sync.any.pred"));
    assert!(tested.to_string().contains("bra.uni"));
}

/// A barrier that only some lanes may reach keeps the stack; one behind which lanes have ended does not.
#[test]
fn barriers_keep_the_stack() {
    let apart = kernel(
        "setp.lt.u32 %p0, %r0, 8;\n@%p0 bra SKIP;\nsetp.lt.u32 %p1, %r0, 20;\n@%p1 bra INNER;\nmov.u32 %r2, 3;
        INNER:\nbarrier.sync 0;\nSKIP:\nst.global.u32 [%a0], %r2;",
    );
    let (after, report) = predicated(&apart, (true, true), None);
    assert_eq!((report.stacks, report.masked_blocks), (1, 0));
    assert_eq!(after, apart);
    let ended = kernel(
        "setp.ge.u32 %p0, %r0, 24;\n@%p0 exit;\nsetp.lt.u32 %p1, %r0, 20;\n@%p1 bra INNER;\nmov.u32 %r2, 3;
        INNER:\nbar.sync 0;\nst.global.u32 [%a0], %r2;",
    );
    let (after, report) = predicated(&ended, (false, false), None);
    assert_eq!((report.stacks, report.masked_blocks), (0, 1));
    let (launch, buffers) = launch();
    same(&ended, &after, "k", &launch, &buffers).expect("the same");
}
