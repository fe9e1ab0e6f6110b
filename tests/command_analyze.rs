//! `singe ptx analyze` and `singe ptx sim --check-uniformity` on the command line: what they print, and their exit codes.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn singe(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("singe").unwrap().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn corpus(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(file).display().to_string()
}

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// One block writes a word per thread, by an index of 32 bits that passes 0 at lane 8.
const WRAPS: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg \
    .b64 %rd<6>;\nmov.u32 %r1, %tid.x;\nsub.u32 %r2, %r1, 8;\ncvt.u64.u32 %rd1, %r2;\nld.param.u64 %rd2, [out];\nmul.wide.u32 \
    %rd3, %r1, 8;\nadd.u64 %rd4, %rd2, %rd3;\nst.global.u64 [%rd4], %rd1;\nret;\n}\n";

#[test]
fn the_text_has_states_and_reasons() {
    let (code, text, _) = singe(&["ptx", "analyze", &corpus("divergence-sync.ptx"), "--block", "64"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("divergence_sync: T is %tid.x; "), "{text}");
    assert!(lines[0].ends_with("0 of 1 branches uniform"), "{text}");
    let line =
        |word: &str| *lines.iter().find(|line| line.contains(word)).unwrap_or_else(|| panic!("no {word} in\n{text}"));
    assert!(line("mov.u32 %r3, %tid.x;").ends_with("%r3 is 1 T + 0: special register"), "{text}");
    assert!(line("mov.u32 %r5, %ctaid.x;").ends_with("%r5 is uniform"), "{text}");
    assert!(line("divergent branch: ").contains("(special register)"), "{text}");
    // without the block's shape nothing is known of %tid.x
    let (code, text, _) = singe(&["ptx", "analyze", &corpus("divergence-sync.ptx")]);
    assert!(code == 0 && text.contains("%r3 is divergent: special register"), "{text}");
    let (code, text, _) = singe(&["ptx", "analyze", &corpus("divergence-sync.ptx"), "--whole-warps"]);
    assert!(code == 0 && text.contains("%r3 is 1 T + 0: special register"), "{text}");
}

#[test]
fn json_and_picture_hold_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("k.dot").display().to_string();
    let file = corpus("divergence-function.ptx");
    let (code, text, _) = singe(&["ptx", "analyze", &file, "--block", "16,4", "--json", "--picture", &picture]);
    assert_eq!(code, 0);
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|kernel| kernel["kernel"].as_str().unwrap()).collect();
    assert_eq!(names, ["clamped", "divergence_function"]);
    for kernel in all.as_array().unwrap() {
        let count = |key: &str| kernel[key].as_u64().unwrap();
        let sum: u64 = ["constant", "uniform", "affine", "divergent"].into_iter().map(count).sum();
        assert_eq!(sum, count("variables"));
        assert_eq!(kernel["unit"], "%laneid");
    }
    let dot = std::fs::read_to_string(&picture).unwrap();
    assert!(dot.starts_with("digraph \"clamped\" {") && dot.contains("digraph \"divergence_function\" {"), "{dot}");
    assert!(dot.contains("fillcolor=\"#f4a6a6\""), "{dot}");
    let (code, text, _) = singe(&["ptx", "analyze", &file, "--kernel", "clamped", "--json"]);
    let one: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(code == 0 && one.as_array().unwrap().len() == 1, "{text}");
}

#[test]
fn wrong_arguments_are_told() {
    let file = corpus("divergence-sync.ptx");
    let (code, _, text) = singe(&["ptx", "analyze", &file, "--kernel", "absent"]);
    assert!(code == 1 && text.contains("absent"), "{text}");
    let (code, _, text) = singe(&["ptx", "analyze", "absent.ptx"]);
    assert!(code == 1 && text.contains("absent.ptx"), "{text}");
    let (code, _, text) = singe(&["ptx", "analyze", &file, "--block", "0"]);
    assert!(code == 2 && text.contains("--block"), "{text}");
    let (code, _, text) = singe(&["ptx", "analyze", &file, "--block", "64", "--whole-warps"]);
    assert!(code == 2 && text.contains("--whole-warps"), "{text}");
    let (code, _, text) = singe(&["ptx", "analyze", &file, "--block", "64,2,1,1"]);
    assert!(code == 2 && text.contains("--block"), "{text}");
    let (code, _, text) = singe(&["ptx", "analyze", &file, "--picture", "/absent/folder/k.dot"]);
    assert!(code == 1 && text.contains("--picture"), "{text}");
}

#[test]
fn the_simulator_checks_claims() {
    for name in ["divergence-function", "pipeline", "block-2d"] {
        let (ptx, launch) = (corpus(&format!("{name}.ptx")), corpus(&format!("{name}.toml")));
        let (code, plain, _) = singe(&["ptx", "sim", &ptx, "--launch", &launch]);
        let (checked_code, checked, _) = singe(&["ptx", "sim", &ptx, "--launch", &launch, "--check-uniformity"]);
        assert!(code == 0 && checked_code == 0 && plain == checked, "{name}: {checked}");
    }
}

/// The assumption that indices do not wrap is the user's; the simulator finds the lane that disproves it.
#[test]
fn a_broken_assumption_fails() {
    let folder = tempfile::tempdir().unwrap();
    let ptx = written(folder.path(), "k.ptx", WRAPS);
    let launch = written(
        folder.path(),
        "launch.toml",
        "threads = 32\n[[arguments]]\ntype = \"u64\"\nlength = 32\noutput = true\n",
    );
    let sim = |more: &[&str]| singe(&[&["ptx", "sim", &ptx, "--launch", &launch][..], more].concat());
    assert_eq!(sim(&["--check-uniformity"]).0, 0);
    let (code, _, text) = sim(&["--check-uniformity", "--assume-index-no-wrap"]);
    assert!(
        code == 3 && text.contains("the claim that %rd1 has stride 1 does not") && text.contains("lane 8"),
        "{code} {text}"
    );
    let (code, text, _) = sim(&["--check-uniformity", "--assume-index-no-wrap", "--json"]);
    assert!(code == 3 && text.contains("the claim that"), "{code} {text}");
    let (code, _, text) = sim(&["--assume-index-no-wrap"]);
    assert!(code == 2 && text.contains("--check-uniformity"), "{code} {text}");
}
