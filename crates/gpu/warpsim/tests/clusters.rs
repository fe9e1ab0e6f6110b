//! Clusters of several CTAs in the simulator: the place of a CTA in its cluster, communication through the memory of others, and
//! each CTA's own barriers and registers. Verdicts of the prover are in `tests/verdicts`.

use ptx::inst::Type;
use ptx::{Module, read};
use warpsim::prove::{self, Assumption};
use warpsim::{Argument, Buffer, Launch, Options, Schedule};

fn module(header: &str, body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 box[1024];\n.shared .align 8 .b8 bars[16];\n
         .visible .entry k(.param .u64 out, .param .u64 in)\n{header}\n
         {{ .reg .pred %p<8>; .reg .b16 %h<2>; .reg .b32 %r<12>; .reg .b64 %d<6>; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
         mov.u32 %r3, box; add.u32 %r2, %r2, %r3; ld.param.u64 %d0, [out]; ld.param.u64 %d1, [in];
         mov.u32 %r4, %cluster_ctarank; {body} ret; }}"
    );
    read::text("k.ptx", &text).unwrap_or_else(|d| panic!("{d:?}\n{text}"))
}

/// Returns `out` after a launch, in words; `in` has the numbers from 0 on.
fn run(header: &str, launch: &Launch, body: &str, seed: u64) -> Vec<u64> {
    let mut buffers = [Buffer::unwritten(Type::U32, 256), Buffer::words(Type::U32, 0..256)];
    let options = Options { schedule: Schedule::Random { seed }, ..Options::default() };
    warpsim::run(&module(header, body), "k", launch, &mut buffers, &options).unwrap_or_else(|h| panic!("{h}"));
    (0..256).map_while(|i| buffers[0].element(Type::U32, i)).collect()
}

fn launch(ctas: [u32; 3], threads: u32) -> Launch {
    Launch { ctas, ..Launch::linear(1, threads, vec![Argument::Buffer(0), Argument::Buffer(1)]) }
}

#[test]
fn the_place_of_a_cta_in_its_cluster() {
    let body = "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mad.lo.u32 %r4, %r5, 4, %r4;
        mul.wide.u32 %d2, %r4, 4; add.s64 %d0, %d0, %d2; mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank;
        mad.lo.u32 %r4, %r5, 10, %r4; mov.u32 %r5, %clusterid.x; mad.lo.u32 %r4, %r5, 100, %r4; mov.u32 %r5, %nclusterid.x;
        mad.lo.u32 %r4, %r5, 1000, %r4; mov.u32 %r5, %cluster_ctaid.y; mad.lo.u32 %r4, %r5, 10000, %r4;
        setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%d0], %r4;";
    let words = run(".reqnctapercluster 2, 2", &launch([4, 2, 1], 32), body, 1);
    assert_eq!(words, [2040, 2041, 2140, 2141, 12042, 12043, 12142, 12143]);
    let refused = prove::prove(&module(".reqnctapercluster 2, 2", body), "k", &launch([4, 3, 1], 32)).unwrap_err();
    assert!(refused.contains("clusters of 2 x 2 x 1"), "{refused}");
}

/// A launch can make clusters even if the header says nothing of them: a proof that looks at its place says so.
#[test]
fn a_proof_names_that_clusters_have_one_cta() {
    let read = "setp.eq.u32 %p1, %r4, 0; @%p1 bar.sync 0;";
    let alone = prove::prove(&module("", read), "k", &launch([2, 1, 1], 64)).unwrap();
    assert!(alone.proven() && alone.assumed.contains(&Assumption::OneCta), "{alone:?}");
    let said = prove::prove(&module(".reqnctapercluster 2", read), "k", &launch([2, 1, 1], 64)).unwrap();
    assert!(said.proven() && !said.assumed.contains(&Assumption::OneCta), "{said:?}");
}

/// Three CTAs in a ring: each writes its rank and lane to the next one, and stores the words that it got, at its own barriers of the CTA.
#[test]
fn a_ring_through_the_memory_of_others() {
    let body = "add.u32 %r5, %r4, 1; rem.u32 %r5, %r5, 3; mapa.shared::cluster.u32 %r6, %r2, %r5;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        mad.lo.u32 %r7, %r4, 100, %r1; st.shared::cluster.u32 [%r6], %r7;
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        xor.b32 %r8, %r2, 4; ld.shared.u32 %r9, [%r8]; bar.sync 0;
        mov.u32 %r10, %ctaid.x; mad.lo.u32 %r10, %r10, 64, %r1; mul.wide.u32 %d2, %r10, 4; add.s64 %d0, %d0, %d2;
        st.global.u32 [%d0], %r9;";
    for seed in 0..8 {
        let words = run(".reqnctapercluster 3", &launch([3, 1, 1], 64), body, seed);
        for (at, word) in words.iter().enumerate() {
            let (cta, thread) = (at as u64 / 64, at as u64 % 64);
            assert_eq!(*word, (cta + 2) % 3 * 100 + (thread ^ 1), "word {at}");
        }
        assert_eq!(words.len(), 192);
    }
}

/// One CTA counts the threads of both by atomics in the memory of the first.
#[test]
fn atomics_in_the_memory_of_others() {
    let body = "setp.ne.u32 %p1, %r1, 0; @!%p1 st.shared.u32 [box], 0; barrier.cluster.arrive; barrier.cluster.wait;
        mapa.shared::cluster.u32 %r6, box, 0; atom.shared::cluster.add.u32 %r7, [%r6], 1;
        barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r8, [box];
        mul.wide.u32 %d2, %r4, 4; add.s64 %d0, %d0, %d2; @!%p1 st.global.u32 [%d0], %r8;";
    assert_eq!(run(".reqnctapercluster 2", &launch([2, 1, 1], 64), body, 3), [128, 0]);
}

/// Each of two CTAs copies half of a row to both.
#[test]
fn a_copy_to_all_ctas() {
    let body = "setp.ne.u32 %p1, %r1, 0; @%p1 bra READY; mbarrier.init.shared::cta.b64 [bars], 1;
        fence.mbarrier_init.release.cluster; READY: barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;
        @%p1 bra STARTED; mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 256; mov.u16 %h0, 3;
        mul.lo.u32 %r5, %r4, 128; add.u32 %r6, %r3, %r5; cvt.u64.u32 %d2, %r5; add.s64 %d1, %d1, %d2;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r6], [%d1], 128, [bars], %h0;
        STARTED: WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0; @!%p2 bra WAIT;
        ld.shared.u32 %r7, [%r2]; mad.lo.u32 %r8, %r4, 64, %r1; mul.wide.u32 %d3, %r8, 4; add.s64 %d0, %d0, %d3;
        st.global.u32 [%d0], %r7; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    for seed in 0..8 {
        let words = run(".reqnctapercluster 2", &launch([2, 1, 1], 64), body, seed);
        assert_eq!(words, (0..64).chain(0..64).collect::<Vec<u64>>());
    }
}

/// The pool of registers is one of each CTA: registers that the warps of one give back do not go to the other.
#[test]
fn registers_stay_in_their_cta() {
    let body = "setp.eq.u32 %p1, %r4, 0; @%p1 bra GIVE; setmaxnreg.inc.sync.aligned.u32 40; bra DONE;
        GIVE: setmaxnreg.dec.sync.aligned.u32 24; DONE:";
    let header = ".maxnreg 32 .reqnctapercluster 2";
    let found = prove::prove(&module(header, body), "k", &launch([2, 1, 1], 32)).unwrap();
    assert!(found.violations.iter().any(|hazard| hazard.to_string().contains("deadlock")), "{found:?}");
}

/// Sixteen CTAs with 200 KiB each are more than is followed.
#[test]
fn clusters_with_much_memory_are_not_followed() {
    let body = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    let said = |ctas: u32| {
        let header = format!(".reqnctapercluster {ctas}");
        let launch = Launch { shared: 200 << 10, ..launch([ctas, 1, 1], 32) };
        prove::prove(&module(&header, body), "k", &launch).unwrap()
    };
    assert!(said(8).proven());
    let found = said(16);
    assert!(!found.proven() && found.violations.is_empty(), "{found:?}");
}

/// The launch tells the size of a cluster as the header does, and both must agree.
#[test]
fn launches_give_the_size_of_a_cluster() {
    let text = include_str!("verdicts/cluster-mbarrier.ptx");
    let read = |text: String| ptx::read::text("k.ptx", &text).unwrap();
    let (said, open) = (read(text.to_owned()), read(text.replace(".reqnctapercluster 2", "")));
    let with = |cluster| Launch { cluster, ..Launch::linear(2, 64, vec![Argument::Buffer(0)]) };
    assert!(prove::prove(&said, "k", &with(None)).unwrap().proven());
    let given = prove::prove(&open, "k", &with(Some([2, 1, 1]))).unwrap();
    assert!(given.proven(), "{given:?}");
    assert!(given.assumed.iter().any(|what| what.to_string() == "clusters of 2 CTAs"), "{:?}", given.assumed);
    // alone in its cluster, a CTA has no other one to arrive at
    assert!(!prove::prove(&open, "k", &with(None)).unwrap().holds());
    for cluster in [[4, 1, 1], [1, 1, 1], [0, 1, 1], [32, 1, 1]] {
        assert!(prove::prove(&said, "k", &with(Some(cluster))).is_err(), "{cluster:?}");
    }
}
