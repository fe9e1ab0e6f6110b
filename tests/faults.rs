//! The compiler, broken on purpose: the proof or the verification notices, names the kernel, the warps and the operation,
//! and nothing is written. What is wrong in the printed text alone, the verification of that text notices.

use assert_cmd::Command;
use machine::target::Target;
use machine::toolchain;
use testkit::skip;

fn broken(fault: &str, more: &[&str]) -> (i32, String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/gri30/chem.inp");
    let output = Command::cargo_bin("singe")
        .unwrap()
        .args([mechanism, "--kernel", "viscosity", "--inject-fault", fault, "-o"])
        .arg(&out)
        .args(more)
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap(), out.exists())
}

fn caught(fault: &str, words: &[&str]) {
    let (code, message, written) = broken(fault, &[]);
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

#[test]
fn a_barrier_that_the_printed_text_lacks_is_not_proven() {
    let (code, message, written) = broken("ptx-barrier", &["--codegen", "overlay"]);
    assert_eq!((code, written), (3, false), "{message}");
    assert!(message.contains("proof::printed") && message.contains("viscosity"), "{message}");
}

/// Where the compilers are: with shuffles of each kind, and with constants in a bank, whose kernels have no broadcasts.
fn caught_in_text(fault: &str, kernel: &str, words: &[&str]) {
    for (target, constants) in [("kepler", "stripe"), ("hopper", "stripe"), ("hopper", "constant-bank")] {
        let compiler = match toolchain::find_for(Target::by_name(target).unwrap().compute_capability) {
            Ok(toolchain) => toolchain.front(),
            Err(absent) => {
                skip::skip(format!("{target}: {absent}"));
                continue;
            }
        };
        if fault == "text-lane" && constants != "stripe" {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
        // All versions are verified then, also those that are not the fastest.
        let choice = ["--target", target, "--constants", constants, "--kernel", kernel, "--effort", "thorough"];
        let run = |faults: &[&str]| {
            let mut command = Command::cargo_bin("singe").unwrap();
            command.arg(mechanism).args(choice).args(faults).arg("-o").arg(&out).output().unwrap()
        };
        let output = run(&["--inject-fault", fault]);
        // Without the line breaks and the bar of a message that is wrapped.
        let message = String::from_utf8(output.stderr).unwrap().replace('|', " ");
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(3), "{fault} {target} {constants}: {message}");
        assert!(!out.exists(), "{fault}: something was written");
        let compiled = format!("the CUDA text, as {compiler} compiles it");
        for word in words.iter().copied().chain([kernel, &compiled]) {
            assert!(message.contains(word), "{fault} {target} {constants}: no \"{word}\" in:\n{message}");
        }
        let output = run(&[]);
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && report.contains(&format!("CUDA ({compiler})")), "{target}: {report}");
    }
}

#[test]
fn a_wrong_barrier_count_in_the_text_is_refused() {
    caught_in_text("text-barrier", "viscosity", &["simulator::hazard", "barrier"]);
}

#[test]
fn a_wrong_broadcast_lane_in_the_text_gives_other_bits() {
    caught_in_text("text-lane", "viscosity", &["verify::not-the-graph"]);
}

#[test]
fn a_polynomial_in_the_text_that_is_rounded_twice_gives_other_bits() {
    caught_in_text("text-rounding", "chemistry", &["verify::not-the-graph"]);
}

#[test]
fn a_point_beyond_the_last_in_the_text_leaves_the_array() {
    caught_in_text("text-clamp", "viscosity", &["simulator::hazard"]);
}

#[test]
fn a_last_group_that_the_text_leaves_out_is_missed() {
    caught_in_text("text-groups", "viscosity", &["verify::unwritten"]);
}
