//! One broken schedule per class of error: the proof refuses each for the right reason, and accepts the schedule that
//! they were made from.

use schedule::named_barriers::{Plan, Use};
use schedule::proof;
use testkit::handover::{BROKEN, exchange, handover, qssa_warps, violations};
use testkit::named_barriers;

#[test]
fn the_handover_is_proven() {
    let (graph, mapping, schedule) = handover();
    proof::prove(&graph, &mapping, schedule, 16).unwrap();
}

#[test]
fn every_broken_schedule_is_refused_for_the_right_reason() {
    for (id, what, break_it) in BROKEN {
        let violations = violations(break_it);
        let found: Vec<&str> = violations.iter().map(|d| d.id).collect();
        assert!(found.contains(&id), "{what}: {id} is not among {found:?}");
    }
}

#[test]
fn a_step_of_the_crew_in_another_warp() {
    assert!(qssa_warps(&[]).is_empty());
    let violations = qssa_warps(&[(2, 1)]);
    assert!(!violations.is_empty() && violations.iter().all(|d| d.id == "proof::outside-qssa-warps"), "{violations:?}");
}

/// Before the value is read, and before the next iteration writes it again.
#[test]
fn lanes_that_exchange_values_meet() {
    assert!(exchange([true, true]).is_empty());
    for meets in [[false, true], [true, false]] {
        let violations = exchange(meets);
        assert!(!violations.is_empty() && violations.iter().all(|d| d.id == "proof::lanes"), "{violations:?}");
    }
}

/// With one wave for each warp, and with a wave of each of several groups.
#[test]
fn the_plan_of_named_barriers_is_proven() {
    for groups in 1..=3 {
        let proven = named_barriers::proven(groups, |_| {}).unwrap();
        assert_eq!(proven.plan().set_up.barriers, [(0, 2 * groups), (1, 2 * groups), (2, 2 * groups)]);
        assert_eq!(proven.plan().programs.len() as u32, 2 * groups);
    }
}

/// Code may have all uses of one wave ahead of those of another that comes first.
#[test]
fn a_named_barrier_is_set_up_for_its_first_use_in_time() {
    let of = |id, waves, waits| Use { id, waves, waits };
    let plan = Plan::new(&[
        vec![of(1, 2, true), of(2, 3, true)],
        vec![of(2, 2, true), of(1, 2, false), of(2, 3, true)],
        vec![of(2, 2, false), of(2, 3, true)],
    ]);
    assert_eq!(plan.set_up.barriers, [(1, 2), (2, 2)]);
}

#[test]
fn every_broken_plan_of_named_barriers_is_refused_for_the_right_reason() {
    for (id, what, break_it) in named_barriers::BROKEN {
        for groups in [1, 2] {
            let violations = named_barriers::proven(groups, break_it).err().unwrap_or_default();
            let found: Vec<&str> = violations.iter().map(|d| d.id).collect();
            assert!(found.contains(&id), "{what}, groups {groups}: {id} is not among {violations:?}");
        }
    }
}
