//! The simulator and the prover execute alike: if a kernel's control does not depend on data, both find the same.

use ptx::{Module, read};
use warpsim::prove::{self, Verdict};
use warpsim::{BarrierMisuse, Buffer, Hazards, Kind, Launch, Options};

fn module(text: &str) -> Module {
    let text = format!(".version 6.0\n.target sm_35\n.address_size 64\n.shared .align 8 .b8 box[1024];\n{text}");
    read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}\n{text}"))
}

/// Returns both domains' results for the kernel `k`, whose one parameter is a buffer of 64 doubles.
fn both(text: &str, threads: u32) -> (Result<(), Box<Hazards>>, Verdict) {
    let module = module(text);
    let launch = Launch::linear(1, threads, prove::arguments(module.func("k").unwrap(), 0));
    let mut buffers = [Buffer::in_out(&[1.0; 64])];
    let run = warpsim::run(&module, "k", &launch, &mut buffers, &Options::default());
    (run.map(|_| ()), prove::prove(&module, "k", &launch).unwrap())
}

fn kinds(run: Result<(), Box<Hazards>>) -> Vec<Kind> {
    run.expect_err("a hazard").list.into_iter().map(|hazard| hazard.kind).collect()
}

/// Warps 0 and 2 arrive for one phase each, and nothing tells warp 2 that the first phase is warp 0's.
#[test]
fn both_see_that_a_barrier_is_used_again_too_early() {
    let (run, verdict) = both(
        ".entry k(.param .u64 p) { .reg .pred %p; .reg .b32 %r<3>; mov.u32 %r0, %tid.x; shr.u32 %r0, %r0, 5;
         setp.eq.u32 %p, %r0, 1; @%p bra B; bar.arrive 1, 64; bra E; B: bar.sync 1, 64; bar.sync 1, 64; E: ret; }",
        96,
    );
    let recycled = Kind::Barrier { id: 1, misuse: BarrierMisuse::Recycled { unseen: 0 } };
    assert_eq!(kinds(run), std::slice::from_ref(&recycled));
    assert_eq!(verdict.violations.iter().map(|v| v.kind.clone()).collect::<Vec<_>>(), [recycled]);
}

/// A generic address that is known to lie in shared memory is an access like any other.
#[test]
fn both_see_a_race_through_generic_addresses() {
    let text = |barrier: &str| {
        format!(
            ".entry k(.param .u64 p) {{ .reg .b32 %r<4>; .reg .b64 %a<4>; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31;
             mul.wide.u32 %a0, %r1, 4; mov.u64 %a1, box; cvta.shared.u64 %a1, %a1; add.s64 %a0, %a0, %a1;
             setp.gt.u32 %p, %r0, 31; @%p bra B; st.u32 [%a0], %r0; {barrier} bra E;
             B: {barrier} ld.u32 %r2, [%a0]; E: ret; }}"
        )
        .replace("{ .reg .b32", "{ .reg .pred %p; .reg .b32")
    };
    let (run, verdict) = both(&text("bar.sync 1, 64;"), 64);
    assert!(run.is_ok() && verdict.proven(), "{run:?} {verdict:?}");
    let (run, verdict) = both(&text(""), 64);
    assert!(matches!(kinds(run)[..], [Kind::Race { .. }, ..]));
    assert!(matches!(verdict.violations[0].kind, Kind::Race { .. }), "{verdict:?}");
}

/// A function that calls itself a number of times that is known.
#[test]
fn both_follow_a_recursion() {
    let text = ".visible .func (.param .b32 out) sum(.param .b32 n) { .reg .pred %p; .reg .b32 %r<4>;
         ld.param.u32 %r0, [n]; mov.u32 %r2, 0; setp.eq.u32 %p, %r0, 0; @%p bra E;
         sub.s32 %r1, %r0, 1; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), sum, (a);
         ld.param.b32 %r2, [b]; } add.s32 %r2, %r2, %r0; E: st.param.b32 [out], %r2; ret; }
         .entry k(.param .u64 p) { .reg .b32 %r<4>; { .param .b32 a; .param .b32 b; st.param.b32 [a], 3;
         call.uni (b), sum, (a); ld.param.b32 %r0, [b]; } bar.sync %r0, 64; ret; }";
    let (run, verdict) = both(text, 64);
    assert!(run.is_ok() && verdict.proven(), "{run:?} {verdict:?}");
    // 3 + 2 + 1: the barrier's id is right
    let (run, _) = both(&text.replace("[a], 3", "[a], 6"), 64);
    assert_eq!(kinds(run), [Kind::Barrier { id: 21, misuse: BarrierMisuse::Id }]);
}

/// Half of a parameter is written with a known value, after the other half with data: the whole is not known.
#[test]
fn half_of_a_parameter_does_not_tell_the_other() {
    let text =
        ".visible .func sync(.param .align 8 .b8 n[8]) { .reg .b32 %r; ld.param.b32 %r, [n+4]; bar.sync %r, 64; ret; }
         .entry k(.param .u64 p) { .reg .b32 %r; .reg .b64 %a; ld.param.u64 %a, [p]; ld.global.u32 %r, [%a];
         { .param .align 8 .b8 a[8]; st.param.b32 [a+4], %r; st.param.b32 [a], 1; call.uni sync, (a); } ret; }";
    let (_, verdict) = both(text, 64);
    assert!(verdict.violations.is_empty() && verdict.not_analysed[0].contains("depend on data"), "{verdict:?}");
    let (_, verdict) = both(&text.replace("[a+4], %r", "[a+4], 2"), 64);
    assert!(verdict.proven(), "{verdict:?}");
}
