//! One broken schedule per class of error: the proof refuses each for the right reason, and accepts the schedule that
//! they were made from.

use singe::schedule::proof;
use testkit::handover::{BROKEN, exchange, handover, qssa_warps, violations};

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
