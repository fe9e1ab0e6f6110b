//! The compiler, broken on purpose: the proof or the verification notices, names the kernel, the warps and the operation,
//! and nothing is written.

use assert_cmd::Command;

fn broken(fault: &str) -> (i32, String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/gri30/chem.inp");
    let output = Command::cargo_bin("singe")
        .unwrap()
        .args([mechanism, "--kernel", "viscosity", "--inject-fault", fault, "-o"])
        .arg(&out)
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap(), out.exists())
}

fn caught(fault: &str, words: &[&str]) {
    let (code, message, written) = broken(fault);
    assert_eq!(code, 3, "{message}");
    assert!(!written, "{fault}: something was written");
    for word in words.iter().chain(&["viscosity", "warp", "operation"]) {
        assert!(message.contains(word), "{fault}: no \"{word}\" in:\n{message}");
    }
}

#[test]
fn a_swapped_barrier_id_is_a_deadlock() {
    caught("barrier-swapped", &["deadlock"]);
}

#[test]
fn a_dropped_barrier_is_a_race() {
    caught("barrier-dropped", &["race"]);
}

#[test]
fn a_count_off_by_32_is_refused() {
    caught("arrive-count", &["barrier"]);
}

#[test]
fn a_slot_reused_too_early_is_refused() {
    caught("slot-reused", &["slot"]);
}

#[test]
fn a_constant_wrong_in_its_12th_digit_fails_verification() {
    caught("constant", &["dataflow graph"]);
}
