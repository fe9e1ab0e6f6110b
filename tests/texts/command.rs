//! Statements of the command about the C++ text: run, not run, or wrong.

use std::path::Path;

use testkit::project::there;

/// The standard output of the command for h2o2's chemistry, without a cache.
fn said(out: &Path, target: &str, compiler: Option<&str>, more: &[&str]) -> (Option<i32>, String) {
    let mut command = assert_cmd::Command::cargo_bin("singe").unwrap();
    command.env("SINGE_CACHE", "off").arg(testkit::shipped("h2o2")).args(["--target", target, "--kernel", "chemistry"]);
    if let Some(compiler) = compiler {
        command.env("CXX", compiler);
    }
    let output = command.args(["--verify", "8", "-o"]).arg(out).args(more).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn a_text_that_is_not_run_is_not_called_verified() {
    let folder = tempfile::tempdir().unwrap();
    for (compiler, more, reason) in [
        (Some("no-such-compiler"), &["--emit", "host"][..], "no C++ compiler is found (CXX is no-such-compiler)"),
        (None, &["--verify", "no-compilers"][..], "compilers are off"),
    ] {
        let (code, said) = said(folder.path(), "cpu", compiler, more);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("not run") && said.contains(reason) && !said.contains("verified"), "{said}");
    }
    let (_, said) = said(folder.path(), "hopper", Some("no-such-compiler"), &["--emit", "device"]);
    assert!(said.contains("text of h2o2_device.h: not run, no C++ compiler is found"), "{said}");
}

#[test]
fn a_text_that_is_run_is_told_with_its_compiler() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (code, told) = said(folder.path(), "cpu", Some("g++"), &["--emit", "host,device", "--json"]);
    assert_eq!(code, Some(0), "{told}");
    let json: serde_json::Value = serde_json::from_str(&told).unwrap();
    let kernel = &json["kernels"][0];
    assert!(kernel["text_on_cpu"]["verified"]["compiler"].as_str().unwrap().starts_with("g++ "), "{kernel}");
    assert!(kernel["verdict"].as_str().unwrap().starts_with("proven, verified (C++ text, as g++ "), "{kernel}");
    assert_eq!(json["texts_for_cpu"][0]["what"], "h2o2_device.h");
    let (_, told) = said(folder.path(), "hopper", Some("g++"), &["--emit", "host"]);
    assert!(told.contains("text of the kernels for CPUs: verified, as g++ "), "{told}");
}

#[test]
fn a_text_that_gives_other_bits_is_not_written() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (code, told) = said(&out, "cpu", Some("g++"), &["--inject-fault", "text-rounding"]);
    assert_eq!(code, Some(3), "{told}");
    assert!(told.contains("verify::not-the-graph") && told.contains("the C++ text, as g++ "), "{told}");
    assert!(!out.exists());
}
