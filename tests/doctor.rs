//! `singe doctor` finds compilers where users have them. The toolkit here is a folder with a script in place of ptxas.
#![cfg(unix)]

use std::fs::{create_dir_all, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// A toolkit as `.toolchain/cuda12` in a folder, whose programs leave a file `ran` where they are run.
fn hidden_toolkit(folder: &Path) -> PathBuf {
    let programs = folder.join(".toolchain/cuda12/bin");
    create_dir_all(&programs).unwrap();
    let ran = folder.join("ran");
    write(programs.join("ptxas"), PTXAS.replace("case", &format!("touch '{}'\ncase", ran.display()))).unwrap();
    set_permissions(programs.join("ptxas"), PermissionsExt::from_mode(0o755)).unwrap();
    ran
}

/// Runs the program of a folder there and returns its findings.
fn doctor_of(program: &Path) -> Value {
    let here = program.parent().unwrap();
    let output =
        Command::new(program).current_dir(here).args(["doctor", "--json"]).env_remove("SINGE_TOOLCHAIN").output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

#[test]
fn compilers_of_the_current_folder_are_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let ran = hidden_toolkit(folder.path());
    let below = folder.path().join("a/b");
    create_dir_all(&below).unwrap();
    for here in [folder.path(), &below] {
        let findings = doctor(None, here);
        let passed_over = findings["passed_over"].to_string();
        assert!(passed_over.contains("beside the program; SINGE_TOOLCHAIN may name it"), "{findings:#}");
        assert!(!releases(&findings).contains(&(".toolchain", "12.3")) && !ran.exists(), "{findings:#}");
    }
    let named = doctor(Some(("SINGE_TOOLCHAIN", &folder.path().join(".toolchain"))), folder.path());
    assert!(releases(&named) == [("SINGE_TOOLCHAIN", "12.3")] && ran.exists(), "{named:#}");
}

#[test]
fn compilers_beside_the_program_are_run_unless_they_are_another_users() {
    let folder = tempfile::tempdir().unwrap();
    let ran = hidden_toolkit(folder.path());
    let toolchain = folder.path().join(".toolchain");
    // Beside the program, and beside the folder that cargo built it in.
    let places = ["singe", "target/release/singe"].map(|place| folder.path().join(place));
    for program in &places {
        create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_singe"), program).unwrap();
        let findings = doctor_of(program);
        assert!(releases(&findings).contains(&(".toolchain", "12.3")) && ran.exists(), "{findings:#}");
        std::fs::remove_file(&ran).unwrap();
    }
    let refused = |reason: &str| {
        for program in &places {
            let findings = doctor_of(program);
            assert!(!releases(&findings).contains(&(".toolchain", "12.3")) && !ran.exists(), "{findings:#}");
            assert!(findings["passed_over"].to_string().contains(reason), "{findings:#}");
        }
    };
    set_permissions(&toolchain, PermissionsExt::from_mode(0o777)).unwrap();
    refused("everybody may write to it");
    set_permissions(&toolchain, PermissionsExt::from_mode(0o755)).unwrap();
    if std::os::unix::fs::chown(&toolchain, Some(12345), None).is_err() {
        return testkit::skip::skip("only root can make a folder of another user");
    }
    refused("it belongs to another user (12345)");
    // A link to it is refused, too, and so is another user's link to a folder of ours.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::rename(&toolchain, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &toolchain).unwrap();
    refused("it belongs to another user (12345)");
    std::os::unix::fs::chown(&elsewhere, Some(0), None).unwrap();
    std::os::unix::fs::lchown(&toolchain, Some(12345), None).unwrap();
    refused("it belongs to another user (12345)");
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
