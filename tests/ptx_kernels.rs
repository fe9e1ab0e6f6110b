//! `singe ptx verify` and `singe ptx sim` on kernels written by hand: one that is right, and those that are broken in one place.

use std::path::Path;

use assert_cmd::Command;

/// Warp 0 hands 32 doubles to warp 1, twice, through one slot.
const HANDOVER: &str = include_str!("ptx_kernels/handover.ptx");

const LAUNCH: &str = include_str!("ptx_kernels/launch.toml");

/// Exit code, stdout, stderr.
fn singe(files: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    run(folder.path(), arguments)
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("singe").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn verify(ptx: &str) -> (i32, serde_json::Value) {
    let (code, out, err) =
        singe(&[("k.ptx", ptx)], &["ptx", "verify", "k.ptx", "--threads", "64", "--integer", "3", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
    (code, json[0].clone())
}

#[test]
fn a_correct_handover_is_proven() {
    let (code, verdict) = verify(HANDOVER);
    assert_eq!(
        (code, verdict["proven"].as_bool(), verdict["arrivals"].as_u64()),
        (0, Some(true), Some(12)),
        "{verdict}"
    );
}

/// Kernels that are broken in one place: the old text, the new one, the list that tells it, and a word of that.
const BROKEN: [(&str, &str, &str, &str); 9] = [
    ("bar.arrive 1, 64", "bar.arrive 1, 96", "violations", "96 threads"),
    ("bar.arrive 1, 64", "bar.arrive 16, 64", "violations", "ids are 0 to 15"),
    ("setp.gt.u32 %p1, %r2, 31", "setp.gt.u32 %p1, %r2, 15", "violations", "only some lanes"),
    ("st.shared.f64 [%r5], %fd1", "st.shared.u32 [slot], %r2", "violations", "lanes write different values"),
    ("bar.sync 2, 64;\n\tst", "st", "violations", "arrives twice"),
    ("setp.gt.u32 %p1, %r2, 31", "setp.gt.f64 %p1, %fd3, 0d0000000000000000", "not_analysed", "branches on data"),
    ("and.b32 %r3, %r2, 31", "ld.global.u32 %r3, [%rd1]", "not_analysed", "address depends on data"),
    ("bar.sync 2, 64", "ld.global.u32 %r8, [%rd1];\n\tbar.sync %r8, 64", "not_analysed", "depend on data"),
    ("bar.sync 2, 64", "bar.sync %r1, 64", "violations", "deadlock"),
];

#[test]
fn each_class_of_error_is_told() {
    for (from, to, list, word) in BROKEN {
        assert!(HANDOVER.contains(from), "no {from}");
        let (code, verdict) = verify(&HANDOVER.replacen(from, to, 1));
        assert_eq!((code, verdict["proven"].as_bool()), (3, Some(false)), "{from} -> {to}: {verdict}");
        assert!(verdict[list].to_string().contains(word), "{from} -> {to}: {verdict}");
    }
}

/// A barrier in a register is known where its value is.
#[test]
fn barriers_in_registers_are_followed() {
    let same = HANDOVER
        .replacen("bar.sync 2, 64", "bar.sync %r8, 64", 1)
        .replacen("mov.u32 %r6, 0;", "mov.u32 %r6, 0;\n\tmov.u32 %r8, 2;", 1);
    let (code, verdict) = verify(&same);
    assert_eq!(code, 0, "{verdict}");
}

#[test]
fn data_may_decide_what_does_not_matter() {
    let harmless =
        "	setp.lt.f64 %p3, %fd2, 0d0000000000000000;\n	@%p3 bra $SKIP;\n	neg.f64 %fd2, %fd2;\n$SKIP:\n	add.f64";
    let (code, verdict) = verify(&HANDOVER.replacen("	add.f64", harmless, 1));
    assert_eq!(code, 0, "{verdict}");
}

#[test]
fn the_simulator_runs_it() {
    let files = [("k.ptx", HANDOVER), ("l.toml", LAUNCH)];
    let (code, out, err) = singe(&files, &["ptx", "sim", "k.ptx", "--launch", "l.toml", "--json"]);
    assert_eq!(code, 0, "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let values: Vec<f64> = serde_json::from_value(json["outputs"][0]["values"].clone()).unwrap();
    assert_eq!(values, (1..=64).map(|i| 2.0 * f64::from(i)).collect::<Vec<_>>());
    assert_eq!(json["counts"]["barriers"], 8);
    let (code, out, _) = singe(&files, &["ptx", "sim", "k.ptx", "--launch", "l.toml"]);
    assert!(code == 0 && out.contains("argument 1: 2.0 4.0 6.0") && out.contains("barriers: 8"), "{out}");
}

#[test]
fn the_simulator_tells_hazards() {
    let broken = HANDOVER.replacen("	bar.arrive 1, 64;\n", "", 1);
    let (code, _, err) =
        singe(&[("k.ptx", &broken), ("l.toml", LAUNCH)], &["ptx", "sim", "k.ptx", "--launch", "l.toml"]);
    assert!(code == 3 && err.contains("deadlock"), "{err}");
    let unknown = HANDOVER.replacen("add.f64 %fd2, %fd2, %fd2", "multimem.frob.f64 %fd2, %fd2, %fd2", 1);
    let (code, _, err) =
        singe(&[("k.ptx", &unknown), ("l.toml", LAUNCH)], &["ptx", "sim", "k.ptx", "--launch", "l.toml"]);
    assert!(code == 3 && err.contains("multimem.frob.f64"), "{err}");
}

#[test]
fn wrong_inputs_are_located() {
    let undeclared = HANDOVER.replacen("%fd2, %fd2, %fd2", "%fd2, %fd2, %fx", 1);
    let (code, _, err) = singe(&[("k.ptx", &undeclared)], &["ptx", "verify", "k.ptx", "--threads", "64"]);
    assert!(code == 1 && err.contains("%fx is not declared") && err.contains("k.ptx:39"), "{err}");
    let files = [("k.ptx", HANDOVER), ("l.toml", "threads = 64\nwarps = 2\n")];
    let (code, _, err) = singe(&files, &["ptx", "sim", "k.ptx", "--launch", "l.toml"]);
    assert!(code == 1 && err.contains("warps"), "{err}");
}
