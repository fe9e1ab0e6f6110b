//! `singe doctor` finds compilers where users have them. The toolkit here is a folder with a script in place of ptxas.
#![cfg(unix)]

use std::fs::{create_dir_all, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

const PTXAS: &str = "#!/bin/sh
case $1 in
--version) echo 'Cuda compilation tools, release 12.3, V12.3.52';;
--help) echo \"Allowed values: 'sm_80','sm_90','sm_90a'\";;
esac
";

fn toolkit() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for inner in ["bin", "lib64", "include"] {
        create_dir_all(folder.path().join(inner)).unwrap();
    }
    for (file, text) in [("bin/ptxas", PTXAS), ("bin/nvcc", ""), ("lib64/libnvrtc.so.12", "no library")] {
        write(folder.path().join(file), text).unwrap();
    }
    set_permissions(folder.path().join("bin/ptxas"), PermissionsExt::from_mode(0o755)).unwrap();
    folder
}

fn doctor(variable: Option<(&str, &Path)>, here: &Path) -> Value {
    let mut command = assert_cmd::Command::cargo_bin("singe").unwrap();
    command.current_dir(here).args(["doctor", "--json"]).env_remove("SINGE_TOOLCHAIN");
    if let Some((name, value)) = variable {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn releases(findings: &Value) -> Vec<(&str, &str)> {
    let list = findings["installations"].as_array().unwrap();
    list.iter().map(|found| (found["origin"].as_str().unwrap(), found["release"].as_str().unwrap())).collect()
}

#[test]
fn a_toolkit_is_found_by_each_variable() {
    let kit = toolkit();
    let folder = kit.path();
    for (name, value, origin) in [
        ("CUDA_HOME", folder.to_owned(), "CUDA_HOME"),
        ("CUDA_PATH", folder.to_owned(), "CUDA_PATH"),
        ("PATH", folder.join("bin"), "PATH"),
    ] {
        let findings = doctor(Some((name, &value)), Path::new("/"));
        assert!(releases(&findings).contains(&(origin, "12.3")), "{name}: {findings:#}");
    }
    // A folder that holds toolkits, as .toolchain does.
    let several = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder, several.path().join("cuda12")).unwrap();
    for place in [folder, several.path()] {
        let findings = doctor(Some(("SINGE_TOOLCHAIN", place)), Path::new("/"));
        assert_eq!(releases(&findings), [("SINGE_TOOLCHAIN", "12.3")], "it is the only place");
        let found = &findings["installations"][0];
        assert_eq!(found["architectures"], serde_json::json!(["sm_80", "sm_90"]));
        assert!(found["nvrtc"].as_str().unwrap().ends_with("lib64/libnvrtc.so.12"));
    }
}

#[test]
fn each_target_is_told_what_serves_it() {
    let kit = toolkit();
    let findings = doctor(Some(("SINGE_TOOLCHAIN", kit.path())), Path::new("/"));
    let of = |name: &str| {
        let targets = findings["targets"].as_array().unwrap();
        targets.iter().find(|served| served["target"] == name).unwrap().clone()
    };
    assert_eq!((&of("hopper")["nvcc"], &of("hopper")["architecture"]), (&"nvcc 12.3".into(), &"sm_90".into()));
    assert_eq!(of("kepler")["nvcc"], Value::Null);
    assert_eq!(of("hopper")["compilers"], Value::Null, "what cannot be loaded serves nobody");
    let missing = findings["missing"].to_string();
    assert!(missing.contains("nvcc for fermi, kepler,") && missing.contains("NVRTC and ptxas for "), "{missing}");
}

#[test]
fn without_compilers_all_targets_lack_them() {
    let empty = tempfile::tempdir().unwrap();
    let findings = doctor(Some(("SINGE_TOOLCHAIN", empty.path())), Path::new("/"));
    assert_eq!(releases(&findings), []);
    assert!(findings["targets"].as_array().unwrap().iter().all(|served| served["nvcc"].is_null()));
}

#[test]
fn the_same_is_found_from_any_working_directory() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [here, elsewhere] = [root, Path::new("/")].map(|folder| doctor(None, folder)["installations"].clone());
    let strip = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|found| found["release"].clone()).collect()
    };
    assert_eq!(strip(&here), strip(&elsewhere));
}
