//! Small kernels that the paper names, written from their descriptions: their structural columns of its Table I. The paper counts
//! branches that end a loop among the votes for loops also if they are uniform.

use super::{Module, parse, predicated};

fn kernel(body: &str) -> Module {
    parse(&format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 4 .b8 tile[1024];
        .entry k(.param .u64 k_in, .param .u64 k_out, .param .u32 k_n)\n{{
        .reg .pred %p<9>;\n.reg .b32 %r<12>;\n.reg .b64 %a<9>;\n.reg .f32 %f<9>;
        ld.param.u64 %a0, [k_in];\nld.param.u64 %a1, [k_out];\nld.param.u32 %r1, [k_n];
        mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.u32 %r0, %r2, %r3, %r4;
        mul.wide.u32 %a2, %r0, 4;\nadd.s64 %a3, %a0, %a2;\nadd.s64 %a4, %a1, %a2;\n{body}\nret;\n}}"
    ))
}

/// Threads past the end do nothing.
fn elementwise(body: &str) -> Module {
    kernel(&format!(
        "setp.ge.u32 %p0, %r0, %r1;\n@%p0 bra END;\nld.global.f32 %f0, [%a3];\n{body}\nst.global.f32 [%a4], %f0;\nEND:"
    ))
}

/// Checks the columns: blocks, regions, loops, branches, uniform branches, votes for loops.
#[track_caller]
fn columns(name: &str, module: &Module, wanted: [usize; 6]) {
    let report = predicated(module, (true, true), None).1;
    let found = report.structures;
    let (uniform, ends) = (report.uniform_branches - report.uniform_loops, report.loop_tests + report.uniform_loops);
    assert_eq!([found.blocks, found.regions, found.loops, found.branches, uniform, ends], wanted, "{name}");
}

/// One guard: distances to a point (nearest neighbours), the first kernel of Gaussian elimination, the magnitude of a sample
/// (MRI-Q), extraction and compression of an image (SRAD).
#[test]
fn kernels_with_one_guard() {
    let one = [3, 1, 0, 1, 0, 0];
    columns("euclid", &elementwise("mul.f32 %f0, %f0, %f0;\nsqrt.approx.f32 %f0, %f0;"), one);
    columns("Fan1", &elementwise("ld.global.f32 %f1, [%a0];\ndiv.rn.f32 %f0, %f0, %f1;"), one);
    columns(
        "ComputePhiMag",
        &elementwise("ld.global.f32 %f1, [%a3+1024];\nmul.f32 %f1, %f1, %f1;\nfma.rn.f32 %f0, %f0, %f0, %f1;"),
        one,
    );
    columns("extract", &elementwise("ex2.approx.f32 %f0, %f0;"), one);
    columns("compress", &elementwise("lg2.approx.f32 %f0, %f0;"), one);
}

/// The second kernel of Gaussian elimination: rows and columns that are left, and the right side by the first column.
#[test]
fn gaussian_elimination() {
    let fan2 = kernel(
        "mov.u32 %r5, %tid.y;\nsetp.ge.u32 %p0, %r0, %r1;\n@%p0 bra END;\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra END;
        ld.global.f32 %f0, [%a3];\nld.global.f32 %f1, [%a4];\nfma.rn.f32 %f1, %f0, %f0, %f1;\nst.global.f32 [%a4], %f1;
        setp.ne.u32 %p2, %r5, 0;\n@%p2 bra END;\nst.global.f32 [%a4+4096], %f1;\nEND:",
    );
    columns("Fan2", &fan2, [5, 3, 0, 3, 0, 0]);
}

/// The second kernel of breadth-first search: nodes that the first one has reached join the frontier.
#[test]
fn breadth_first_search() {
    let second = kernel(
        "setp.ge.u32 %p0, %r0, %r1;\n@%p0 bra END;\nld.global.u32 %r5, [%a3];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra END;
        st.global.u32 [%a4], 1;\nst.global.u32 [%a3], 0;\nEND:",
    );
    columns("Kernel2", &second, [4, 2, 0, 2, 0, 0]);
}

/// The inner block of an LU decomposition: a product of two rows in shared memory, unrolled.
#[test]
fn inner_block_of_lu() {
    let sum: String =
        (0..16).map(|i| format!("ld.shared.f32 %f1, [tile+{}];\nfma.rn.f32 %f0, %f1, %f1, %f0;\n", 4 * i)).collect();
    let inner = kernel(&format!("mov.u32 %r5, tile;\nmov.f32 %f0, 0f00000000;\n{sum}st.global.f32 [%a4], %f0;"));
    columns("lud_internal", &inner, [1, 0, 0, 0, 0, 0]);
}

/// The sum over samples (MRI-Q): an odd sample first, then pairs of them, all lanes alike.
#[test]
fn sum_over_samples() {
    let sum = kernel(
        "mov.f32 %f0, 0f00000000;\nmov.u32 %r5, 0;\nand.b32 %r6, %r1, 1;\nsetp.eq.u32 %p0, %r6, 0;\n@%p0 bra EVEN;
        ld.global.f32 %f1, [%a0];\ncos.approx.f32 %f1, %f1;\nadd.f32 %f0, %f0, %f1;\nmov.u32 %r5, 1;
        EVEN:\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra END;
        PAIR:\ncos.approx.f32 %f1, %f0;\nsin.approx.f32 %f2, %f0;\nadd.f32 %f0, %f1, %f2;\nadd.u32 %r5, %r5, 2;
        setp.lt.u32 %p2, %r5, %r1;\n@%p2 bra PAIR;\nEND:\nst.global.f32 [%a4], %f0;",
    );
    columns("ComputeQ", &sum, [5, 3, 1, 3, 2, 1]);
}

/// A step of a transform: as many rounds as the launch says, none of them for an empty one.
#[test]
fn transforms() {
    let step = kernel(
        "mov.u32 %r5, 0;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra END;\nROUND:\nld.global.f32 %f0, [%a3];\nadd.f32 %f0, %f0, %f0;
        st.global.f32 [%a4], %f0;\nadd.s64 %a3, %a3, 128;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r1;\n@%p1 bra ROUND;\nEND:",
    );
    columns("sp_radix2", &step, [3, 2, 1, 2, 1, 1]);
}
