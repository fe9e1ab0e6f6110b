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
        // One version, which is verified also where another layout is faster.
        let constants_there = format!("constants={constants}");
        let choice = ["--target", target, "--layout", &constants_there, "--kernel", kernel, "--codegen", "overlay"];
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

/// Spill code of ours that fails in what compilers made of it is left out: the kernel is made again without it, verified, and that is told.
#[test]
fn spill_code_that_fails_is_left_out() {
    let hopper = Target::by_name("hopper").unwrap();
    if let Err(absent) = toolchain::find_for(hopper.compute_capability) {
        return skip::skip(format!("NVRTC: {absent}"));
    }
    let folder = tempfile::tempdir().unwrap();
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/ammonia/chem.inp");
    let kernel =
        ["--kernel", "isobaric-sparse-jacobian", "--state", "TPY", "--codegen", "data-parallel", "--effort", "quick"];
    let run = |fault: &[&str]| {
        let mut command = Command::cargo_bin("singe").unwrap();
        command.args([mechanism, "--target", "hopper", "--force", "-o"]).arg(folder.path()).args(kernel).args(fault);
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("proven, verified"), "{said}");
        let text = std::fs::read_to_string(folder.path().join("ammonia_isobaric_sparse_jacobian.cu")).unwrap();
        (said.contains("made again without spill code"), text.contains("spill<"))
    };
    assert_eq!(run(&[]), (false, true));
    assert_eq!(run(&["--inject-fault", "text-spill"]), (true, false));
}

/// Machine code that nothing here can run is not called verified: another layout is taken where the layout is free, else the reports and the exit
/// code say it.
#[test]
fn machine_code_that_cannot_be_run_is_not_called_verified() {
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    for target in ["mi300x", "gfx1250"] {
        let amd = Target::by_name(target).unwrap().amd().unwrap();
        if let Err(absent) = toolchain::hip_compiler(amd) {
            skip::skip(absent);
            continue;
        }
        let run = |words: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let mut command = Command::cargo_bin("singe").unwrap();
            command.args([mechanism, "--kernel", "conductivity", "--target", target, "--inject-fault", "text-unknown"]);
            let output = command.args(words).arg("-o").arg(folder.path()).output().unwrap();
            let is_written = folder.path().join("h2o2_conductivity.hip").exists();
            (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap(), is_written)
        };
        for report in ["brief", "full"] {
            let (code, printed, is_written) = run(&["--codegen", "data-parallel", "--report", report]);
            assert_eq!((code, is_written), (5, true), "{printed}");
            assert!(printed.contains("proven, simulated") && !printed.contains("proven, verified"), "{printed}");
            assert!(printed.contains("machine code was not run: h2o2_conductivity, "), "{printed}");
            assert!(printed.contains("s_icache_inv"), "{printed}");
        }
        let (code, printed, _) = run(&["--codegen", "data-parallel", "--json"]);
        let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
        let kernel = &printed["kernels"][0];
        assert!(
            code == 5
                && kernel["verdict"].as_str().unwrap().starts_with("proven, simulated (own PTX only; machine code of "),
            "{kernel}"
        );
        let (code, printed, _) = run(&["--codegen", "data-parallel", "--verify", "no-machine-code"]);
        assert!(code == 0 && !printed.contains("machine code was not run"), "{printed}");
        let (code, printed, is_written) = run(&[]);
        assert_eq!((code, is_written), (0, true), "{printed}");
        assert!(printed.contains("proven, verified") && printed.contains("overlay"), "{printed}");
    }
}

/// The same for NVIDIA: of all layouts that are tried the fastest is taken whose machine code is run.
#[test]
fn a_layout_whose_machine_code_cannot_be_run_is_not_chosen() {
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let hopper = Target::by_name("hopper").unwrap().compute_capability;
    if let Err(absent) = toolchain::find_for(hopper).and_then(|_| toolchain::disassembler(hopper)) {
        skip::skip(absent);
        return;
    }
    let run = |words: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::cargo_bin("singe").unwrap();
        command.args([mechanism, "--kernel", "viscosity", "--target", "hopper", "--json", "--no-cache"]);
        let output = command.args(words).arg("-o").arg(folder.path()).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let kernel = &report["kernels"][0];
        let text = |key: &str| kernel[key].as_str().unwrap().to_owned();
        (output.status.code().unwrap(), text("codegen"), text("verdict"))
    };
    let unknown = ["--inject-fault", "text-unknown"];
    let (code, codegen, _) = run(&[]);
    assert_eq!((code, &*codegen), (0, "data-parallel"), "what is taken where all of it can be run");
    let (code, codegen, verdict) = run(&[&unknown[..], &["--codegen", "data-parallel"]].concat());
    assert_eq!((code, &*codegen), (5, "data-parallel"));
    assert!(verdict.starts_with("proven, text run"), "{verdict}");
    let (code, codegen, verdict) = run(&unknown);
    assert!(code == 0 && codegen != "data-parallel" && verdict.starts_with("proven, verified"), "{codegen}: {verdict}");
}

/// Compiles the reactors of h2o2: the exit code, what was printed, and whether there are files.
fn reactors(words: &[&str]) -> (i32, String, bool) {
    let mechanism = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("singe").unwrap();
    command.args([mechanism, "--kernel", "reactor", "--no-cache", "--verify", "4"]).args(words);
    let output = command.arg("-o").arg(folder.path()).output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let is_written = folder.path().read_dir().unwrap().next().is_some();
    (output.status.code().unwrap(), String::from_utf8(printed).unwrap(), is_written)
}

/// The text of reactors is compiled and run before it is called verified.
#[test]
fn reactors_whose_text_is_broken_are_refused() {
    let target = Target::by_name("hopper").unwrap();
    if let Err(absent) = toolchain::find_for(target.compute_capability) {
        return skip::skip(absent);
    }
    let quick = ["--codegen", "data-parallel", "--effort", "quick", "--verify", "no-time"];
    let run = |words: &[&str]| reactors(&[&quick, words].concat());
    let (code, printed, _) = run(&["--target", "hopper", "--state", "TPY"]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("h2o2_reactor.cu: verified (CUDA text, as NVRTC"), "{printed}");
    let (code, printed, is_written) = run(&["--target", "hopper", "--state", "ERY", "--inject-fault", "text-queue"]);
    assert!(code == 3 && !is_written, "{printed}");
    assert!(printed.contains("verify::not-the-reference") && printed.contains("h2o2_reactor: point 1"), "{printed}");
}

/// The same of the machine code for AMD.
#[test]
fn reactors_for_amd_whose_text_is_broken_are_refused() {
    let target = Target::by_name("mi300x").unwrap();
    if let Err(absent) = toolchain::hip_compiler(target.amd().unwrap()) {
        return skip::skip(absent);
    }
    let run = |words: &[&str]| reactors(&[&["--target", "mi300x", "--effort", "quick"], words].concat());
    let (code, printed, _) = run(&[]);
    assert!(code == 0 && printed.contains("h2o2_reactor.hip: verified (machine code that clang"), "{printed}");
    let (code, printed, is_written) = run(&["--inject-fault", "text-queue"]);
    assert!(code == 3 && !is_written && printed.contains("verify::not-the-reference"), "{printed}");
    let (code, printed, is_written) = run(&["--verify", "no-machine-code"]);
    assert!(code == 0 && is_written, "{printed}");
    assert!(printed.contains("h2o2_reactor.hip: not run: --verify no-machine-code"), "{printed}");
}

/// The same for a CPU, where a lane of a vector that is done takes a further point.
#[test]
fn reactors_for_a_cpu_whose_text_is_broken_are_refused() {
    let compiler = match toolchain::host_compiler() {
        Ok(compiler) => &compiler.name,
        Err(absent) => return skip::skip(absent),
    };
    let run = |words: &[&str]| reactors(&[&["--target", "cpu"], words].concat());
    let verified = format!("h2o2_reactor.cpp: verified (C++ text, as {compiler} compiles it), 9 points in ");
    let (code, printed, is_written) = run(&["--state", "ERY", "--integrator", "auto", "--report", "full"]);
    assert!(code == 0 && is_written && printed.contains(&verified), "{printed}");
    for fault in ["text-queue", "text-refill"] {
        let (code, printed, is_written) = run(&["--inject-fault", fault]);
        assert!(code == 3 && !is_written, "{printed}");
        assert!(printed.contains("verify::not-the-reference") && printed.contains("h2o2_reactor: point "), "{printed}");
    }
    let (code, printed, is_written) = run(&["--verify", "no-compilers"]);
    assert!(code == 0 && is_written, "{printed}");
    assert!(printed.contains("h2o2_reactor.cpp: not run: --verify no-compilers"), "{printed}");
}
