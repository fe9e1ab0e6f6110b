//! Named barriers of gfx1250: kernels that use them as LLVM's execution model of barriers has it, and broken ones of each kind.

mod listings;

use listings::{computed, ran};

/// Wave 0 sets barriers 1 and 2 up for two arrivals each, and all meet.
const SET_UP: &str = "\ts_cmp_lg_u32 s20, 0\n\ts_cbranch_scc1 .LBB0_1\n\ts_mov_b32 m0, 0x20001\n\ts_barrier_init m0\n\t\
                      s_mov_b32 m0, 0x20002\n\ts_barrier_init m0\n.LBB0_1:\n\ts_barrier_signal -1\n\ts_barrier_wait -1\n";

/// Wave 0 hands its values over: it arrives at barrier 1 and goes on. Wave 1 waits there and reads them.
const HANDOVER: &str = "\ts_cmp_lg_u32 s20, 0\n\ts_cbranch_scc1 .LBB0_2\n\tds_store_b64 v11, v[0:1]\n\ts_wait_dscnt 0x0\n\t\
                        s_mov_b32 m0, 0x20001\n\ts_barrier_signal m0\n\tv_mov_b64_e32 v[2:3], v[0:1]\n\ts_branch .LBB0_3\n\
                        .LBB0_2:\n\ts_mov_b32 m0, 1\n\ts_barrier_join m0\n\ts_mov_b32 m0, 0x20001\n\ts_barrier_signal m0\n\t\
                        s_barrier_wait 1\n\tv_subrev_nc_u32_e32 v4, 0x100, v11\n\tds_load_b64 v[2:3], v4\n\ts_wait_dscnt 0x0\n\
                        .LBB0_3:";

/// Returns the code that the waves run next, wave 0 first.
fn then(first: &str, second: &str) -> String {
    format!(
        "\n\ts_cmp_lg_u32 s20, 0\n\ts_cbranch_scc1 .LBB0_4\n{first}\n\ts_branch .LBB0_5\n.LBB0_4:\n{second}\n.LBB0_5:"
    )
}

fn arrive(barrier: u32) -> String {
    format!("\ts_mov_b32 m0, {:#x}\n\ts_barrier_signal m0", 0x20000 + barrier)
}

fn meet(barrier: u32) -> String {
    format!("\ts_mov_b32 m0, {barrier}\n\ts_barrier_join m0\n{}\n\ts_barrier_wait 1", arrive(barrier))
}

const SYNC: &str = "\ts_barrier_signal -1\n\ts_barrier_wait -1";
const STORE: &str = "\tds_store_b64 v11, v[0:1]\n\ts_wait_dscnt 0x0";

fn found(middle: &str) -> Result<Vec<f64>, String> {
    computed(64, middle, |thread| thread as f64)
}

#[test]
fn values_are_handed_over() {
    let expected: Vec<f64> = (0..64).map(|thread| (thread % 32) as f64).collect();
    assert_eq!(found(&format!("{SET_UP}{HANDOVER}")), Ok(expected.clone()));
    // Work between an arrival and the wait.
    let split = HANDOVER
        .replace("\ts_barrier_wait 1\n\tv_subrev", "\tv_subrev")
        .replace("\tds_load", "\ts_barrier_wait 1\n\tds_load");
    assert_ne!(split, HANDOVER);
    assert_eq!(found(&format!("{SET_UP}{split}")), Ok(expected.clone()));
    // Back by barrier 2, and the place is free for the next values.
    let back = then(&format!("{}\n{STORE}\n{}", meet(2), arrive(1)), &format!("{}\n{}", arrive(2), meet(1)));
    assert_eq!(found(&format!("{SET_UP}{HANDOVER}{back}")), Ok(expected));
}

/// Two waves of three meet at a named barrier, while the third is alone; each barrier counts its own.
#[test]
fn waves_that_take_no_part_are_not_waited_for() {
    let set_up = SET_UP.replace("0x20002", "0x10002");
    let body = format!("{set_up}{HANDOVER}").replace(
        ".LBB0_2:\n",
        ".LBB0_2:\n\ts_cmp_eq_u32 s20, 1\n\ts_cbranch_scc1 .LBB0_6\n\ts_mov_b32 m0, 2\n\ts_barrier_join m0\n\t\
         s_barrier_signal 2\n\ts_barrier_wait 1\n\tv_mov_b64_e32 v[2:3], v[0:1]\n\ts_branch .LBB0_3\n.LBB0_6:\n",
    );
    let expected: Vec<f64> = (0..96).map(|thread| if thread < 64 { thread % 32 } else { thread } as f64).collect();
    assert_eq!(computed(96, &body, |thread| thread as f64), Ok(expected));
}

#[test]
fn broken_barriers_are_found() {
    let right = format!("{SET_UP}{HANDOVER}");
    let without = |part: &str| {
        let broken = right.replace(part, "");
        assert_ne!(broken, right, "{part}");
        broken
    };
    let replaced = |from: &str, to: &str| {
        let broken = right.replacen(from, to, 1);
        assert_ne!(broken, right, "{from}");
        broken
    };
    // The second of two.
    let second = |from: &str, to: &str| {
        let at = right.rfind(from).unwrap();
        format!("{}{to}{}", &right[..at], &right[at + from.len()..])
    };
    for (broken, reason) in [
        // Setting up.
        (HANDOVER.to_owned(), "barrier 1 was not set up"),
        (without("\ts_barrier_signal -1\n\ts_barrier_wait -1\n"), "nothing orders it behind what barrier 1 did before"),
        (replaced("0x20001\n\ts_barrier_init", "1\n\ts_barrier_init"), "cannot be set up for 0 arrivals"),
        (replaced("\ts_barrier_init m0", "\ts_barrier_init -1"), "the barrier of the workgroup cannot be set up"),
        (
            replaced("0x20001\n\ts_barrier_init", "0x20005\n\ts_barrier_init"),
            "has no barrier 5 (its named ones are 1 to 4)",
        ),
        (replaced("0x20001\n\ts_barrier_init", "0x20000\n\ts_barrier_init"), "has no barrier 0"),
        (
            replaced("\ts_barrier_signal m0\n\tv_mov", "\ts_barrier_signal m0\n\ts_barrier_init m0\n\tv_mov"),
            "barrier 1 is set up while it may be in use",
        ),
        // Members and counts.
        (without("\ts_barrier_join m0\n"), "waits at barrier 1 without having joined any"),
        (replaced("\ts_mov_b32 m0, 1\n", "\ts_mov_b32 m0, 2\n"), "waits at barrier 2, where it has not arrived"),
        (replaced("\ts_barrier_join m0", "\ts_barrier_join -1"), "cannot join the barrier of the workgroup"),
        (
            second("0x20001\n\ts_barrier_signal", "0x30001\n\ts_barrier_signal"),
            "is to expect 3 arrivals, and 2 by those",
        ),
        (right.replace("0x20001\n\ts_barrier_signal", "0x30001\n\ts_barrier_signal"), "no wave can go on"),
        (right.replace("0x20001\n\ts_barrier_signal", "0x10001\n\ts_barrier_signal"), "nothing orders it behind"),
        // Arrivals and waits.
        (second("\ts_barrier_signal m0\n\ts_barrier_wait 1", "\ts_barrier_wait 1"), "where it has not arrived"),
        (replaced("\ts_barrier_signal m0\n\tv_mov", "\tv_mov"), "no wave can go on"),
        (
            replaced("\ts_barrier_signal m0\n\tv_mov", "\ts_barrier_signal m0\n\ts_barrier_signal m0\n\tv_mov"),
            "arrives at barrier 1 twice",
        ),
        (
            second(
                "\ts_barrier_signal m0\n\ts_barrier_wait 1",
                "\ts_barrier_signal m0\n\ts_barrier_join m0\n\ts_barrier_wait 1",
            ),
            "nothing orders it behind",
        ),
        (without("\ts_barrier_wait 1\n"), "the LDS at 0x0"),
        (without("\ts_barrier_wait -1\n"), "nothing orders it behind"),
        (
            right.replace("\ts_barrier_signal -1\n", ""),
            "waits at the barrier of the workgroup, where it has not arrived",
        ),
        // The values that are handed over.
        (replaced("\ts_wait_dscnt 0x0\n", ""), "no `s_wait…` before it covers what line"),
        (
            replaced(STORE, "")
                .replace("v_mov_b64_e32 v[2:3], v[0:1]", &format!("v_mov_b64_e32 v[2:3], v[0:1]\n{STORE}")),
            "LDS at 0x",
        ),
        // The next values, with nothing that tells that the first were read; and an arrival that may count for the first.
        (format!("{right}{}", then(STORE, "")), "which another wave wrote"),
        (format!("{right}{}", then(&arrive(1), &meet(1))), "arrives at barrier 1 twice before that is completed"),
        // Two completions, one wait.
        (
            format!(
                "{right}{}",
                then(
                    &format!("{SYNC}\n{}\n{SYNC}\n{}", meet(1), meet(1)),
                    &format!("{SYNC}\n{}\n{SYNC}\n{}\n\ts_barrier_wait 1", arrive(1), arrive(1)),
                )
            ),
            "waits at barrier 1 once, and has arrived there more often",
        ),
    ] {
        let found = found(&broken);
        assert!(found.as_ref().is_err_and(|e| e.contains(reason)), "{broken}\n{reason}: {found:?}");
    }
}

/// Wave 0 arrives a second time when the first completion has come, which nothing tells it: in another order it would be counted for that.
#[test]
fn arrivals_that_may_count_for_an_earlier_completion_are_found() {
    let others = format!(
        ".LBB0_2:\n\ts_cmp_eq_u32 s20, 1\n\ts_cbranch_scc1 .LBB0_6\n{}\n\tv_mov_b64_e32 v[2:3], v[0:1]\n\t\
         s_branch .LBB0_3\n.LBB0_6:\n",
        arrive(2)
    );
    let body = {
        let handover = format!("{SET_UP}{HANDOVER}").replace(".LBB0_2:\n", &others);
        let second = format!("\ts_cmp_eq_u32 s20, 2\n\ts_cbranch_scc1 .LBB0_5\n{}", meet(1));
        format!("{handover}{}", then(&format!("{}\n{}", meet(2), arrive(1)), &second))
    };
    let found = computed(96, &body, |thread| thread as f64);
    let reason = "`s_barrier_signal m0`: nothing orders it behind what barrier 1 did before";
    assert!(found.as_ref().is_err_and(|e| e.contains(reason)), "{found:?}");
}

/// A wave that has ended is in the barrier of the workgroup no more, but named barriers wait for it.
#[test]
fn waves_that_end_leave_the_barrier_of_the_workgroup_alone() {
    let body = |meeting: &str| {
        format!(
            "\tv_readfirstlane_b32 s20, v0\n\ts_lshr_b32 s20, s20, 5\n{SET_UP}\ts_cmp_lg_u32 s20, 0\n\ts_cbranch_scc1 .LBB0_4\n\ts_endpgm\n.LBB0_4:\n{meeting}"
        )
    };
    assert_eq!(ran(64, &body("\ts_barrier_signal -1\n\ts_barrier_wait -1"), |_| 0.0), Ok(vec![]));
    let found = ran(64, &body(&meet(1)), |_| 0.0);
    assert!(found.as_ref().is_err_and(|e| e.contains("no wave can go on")), "{found:?}");
}
