//! `singe fmt`, and `--permissive` of every command.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

const H2O2: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");

/// Exit code, stdout, stderr.
fn singe(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("singe").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_canonical_form_is_a_fixed_point() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (code, _, stderr) = singe(at, &["fmt", H2O2, "-o", "out"]);
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) = singe(at, &["fmt", "--check", "out/chem.inp"]);
    assert_eq!((code, stdout.as_str()), (0, ""), "{stderr}");
    let (code, stdout, _) = singe(at, &["fmt", "out/chem.inp"]);
    assert_eq!((code, stdout), (0, std::fs::read_to_string(at.join("out/chem.inp")).unwrap()));
}

#[test]
fn check_names_the_file_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert_eq!(singe(at, &["fmt", H2O2, "-o", "out"]).0, 0);
    let thermo = at.join("out/therm.dat");
    let text = std::fs::read_to_string(&thermo).unwrap();
    std::fs::write(&thermo, text.replace("THERMO ALL", "THERMO all")).unwrap();
    let (code, _, stderr) = singe(at, &["fmt", "--check", "out/chem.inp"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("the thermo file of") && !stderr.contains("the mechanism of"), "{stderr}");
}

/// `chem.inp` beside its companions, with two transport lines that differ.
fn with_repeated_transport(at: &Path) -> PathBuf {
    for name in ["chem.inp", "therm.dat", "tran.dat"] {
        std::fs::copy(Path::new(H2O2).with_file_name(name), at.join(name)).unwrap();
    }
    let transport = std::fs::read_to_string(at.join("tran.dat")).unwrap();
    std::fs::write(at.join("tran.dat"), transport + "\nH2 1 38. 2.93 0 .79 280.\n").unwrap();
    at.join("chem.inp")
}

#[test]
fn permissive_forgives_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    with_repeated_transport(at);
    for arguments in [
        vec!["check", "chem.inp"],
        vec!["check", "--json", "chem.inp"],
        vec!["fmt", "chem.inp"],
        vec!["chem.inp", "--kernel", "viscosity", "--verify", "no-compilers", "-o", "out"],
    ] {
        let (code, stdout, stderr) = singe(at, &arguments);
        assert_eq!(code, 1, "{arguments:?}");
        assert!((stdout + &stderr).contains("transport::repeated-species"), "{arguments:?}: {stderr}");
        let forgiving: Vec<_> = arguments.into_iter().chain(["--permissive"]).collect();
        let (code, stdout, stderr) = singe(at, &forgiving);
        assert_eq!(code, 0, "{forgiving:?}: {stderr}");
        assert!((stdout + &stderr).contains("duplicate transport data"), "{forgiving:?}: {stderr}");
    }
    let (_, stdout, _) = singe(at, &["check", "--json", "--permissive", "chem.inp"]);
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json[0]["severity"], "warning");
}
