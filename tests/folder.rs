//! Contents of the output folder: files of the user, of other projects, of earlier runs, and of runs that did not end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::project::{run, there};
use testkit::shipped;

const QUICK: [&str; 2] = ["--verify", "off,no-compilers"];
/// One kernel for a GPU.
const ONE: [&str; 4] = ["--kernel", "viscosity", "--codegen", "overlay"];
/// The same for a CPU.
const CPU: [&str; 4] = ["--kernel", "viscosity", "--target", "cpu"];

fn singe(out: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_singe"))
        .arg(shipped("h2o2"))
        .args(QUICK)
        .args(words)
        .arg("-o")
        .arg(out)
        .output()
        .unwrap()
}

/// The run ends well; its notes.
fn written(out: &Path, words: &[&str]) -> String {
    let Output { status, stderr, .. } = singe(out, words);
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.success(), "{words:?}: {stderr}");
    stderr
}

/// The run ends with an error that has all these words, and changes nothing in the folder.
fn refused(out: &Path, words: &[&str], said: &[&str]) {
    let before = all(out);
    let Output { status, stderr, .. } = singe(out, words);
    let stderr = String::from_utf8_lossy(&stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(status.code(), Some(1), "{words:?}: {stderr}");
    said.iter().for_each(|word| assert!(stderr.contains(word), "{word} is not said: {stderr}"));
    assert!(all(out) == before, "{words:?} changed something");
}

/// (path, bytes) of all files below a folder; folders have none.
fn all(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        found.push((path.clone(), if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() }));
        found.extend(all(&path));
    }
    found.sort();
    found
}

#[test]
fn files_that_singe_did_not_write_or_that_were_changed_stay_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let host = [&ONE[..], &["--emit", "host,report"]].concat();
    for name in ["CMakeLists.txt", "h2o2.h", "report.txt", "h2o2.manifest"] {
        fs::write(out.join(name), "mine\n").unwrap();
        refused(out, &host, &["output::not-ours", name, "--force"]);
        fs::remove_file(out.join(name)).unwrap();
    }
    written(out, &host);
    let first = all(out);
    written(out, &host);
    assert!(all(out) == first, "the same again");
    // Another kernel is other bytes of the same files.
    written(out, &[&host[..], &["--warps", "4"]].concat());
    assert!(all(out) != first);
    let driver = out.join("h2o2_driver.cu");
    fs::write(&driver, fs::read_to_string(&driver).unwrap() + "// mine\n").unwrap();
    refused(out, &host, &["output::not-ours", "h2o2_driver.cu", "changed"]);
    written(out, &[&host[..], &["--force"]].concat());
    assert!(!fs::read_to_string(&driver).unwrap().contains("// mine"));
    // A forced file is Singe's again.
    written(out, &host);
    let again: Vec<_> = all(out).into_iter().filter(|(path, _)| first.iter().any(|(other, _)| other == path)).collect();
    assert!(again == first, "the same as at first");
}

/// Commands that write files of their own replace nobody else's either.
#[test]
fn no_command_replaces_other_bytes_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/reduction.ptx");
    let path = |name: &str| out.join(name).display().to_string();
    let levels = ["ptx", "occupancy", kernel, "--block", "256", "--header"];
    let commands: [(&str, Vec<&str>); 5] = [
        ("k.ptx", vec!["ptx", "opt", kernel, "--pass", "dce", "-o"]),
        ("k.dot", vec!["ptx", "analyze", kernel, "--picture"]),
        ("k.svg", vec!["ptx", "occupancy", "--threads", "64", "--sweep", "registers", "--picture"]),
        ("k.hpp", levels.to_vec()),
        ("pages/singe.1", vec!["man", "-o"]),
    ];
    for (file, words) in commands {
        let target = if words[0] == "man" { path("pages") } else { path(file) };
        let run = |more: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_singe"));
            let output = command.args(&words).arg(&target).args(more).output().unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let made = run(&[]);
        assert_eq!(made.0, Some(0), "{words:?}: {}", made.1);
        let own = fs::read(out.join(file)).unwrap();
        assert_eq!(run(&[]).0, Some(0), "{words:?}: the same bytes again");
        fs::write(out.join(file), "mine\n").unwrap();
        let (code, said) = run(&[]);
        assert!(code == Some(1) && said.contains("output::not-ours") && said.contains("--force"), "{words:?}: {said}");
        assert_eq!(fs::read_to_string(out.join(file)).unwrap(), "mine\n", "{words:?}");
        assert_eq!(run(&["--force"]).0, Some(0), "{words:?}");
        assert_eq!(fs::read(out.join(file)).unwrap(), own, "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_may_be_written_again() {
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/reduction.ptx");
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("all")).unwrap();
    for target in ["/dev/null", "/dev/stdout"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_singe"));
        command.args(["ptx", "opt", kernel, "--pass", "dce", "-o", target]).stdout(file.try_clone().unwrap());
        assert!(command.status().unwrap().success(), "{target}");
    }
}

#[test]
fn a_file_with_the_same_bytes_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    written(out, &ONE);
    let age = |name: &str| fs::metadata(out.join(name)).unwrap().modified().unwrap();
    let before = age("h2o2_viscosity.cu");
    written(out, &ONE);
    assert_eq!(age("h2o2_viscosity.cu"), before);
}

#[test]
fn a_folder_in_the_place_of_a_file_leaves_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    fs::create_dir(out.join("report.txt")).unwrap();
    refused(out, &ONE, &["output::unwritable", "report.txt"]);
    refused(out, &[&ONE[..], &["--force"]].concat(), &["output::unwritable", "report.txt"]);
    fs::remove_dir(out.join("report.txt")).unwrap();
    written(out, &ONE);
    // Behind a file no folder can be made: this is found when others are in place already.
    let openfoam = tempfile::tempdir().unwrap();
    let out = openfoam.path();
    fs::write(out.join("Make"), "mine").unwrap();
    refused(out, &["--kernel", "reactor", "--target", "cpu", "--emit", "openfoam"], &["output::unwritable"]);
}

#[test]
fn two_projects_share_a_folder_and_cmake_builds_both() {
    let folder = tempfile::tempdir().unwrap();
    let (out, build) = (folder.path().join("out"), folder.path().join("build"));
    let named = |name: &'static str, more: &[&'static str]| [&CPU[..], &["--name", name], more].concat();
    written(&out, &named("one", &["--emit", "host,report"]));
    let one = all(&out);
    written(&out, &named("two", &["--units", "cgs", "--emit", "host,report"]));
    let unchanged = one.iter().filter(|(path, _)| !path.to_string_lossy().contains("report."));
    unchanged.for_each(|(path, bytes)| assert_eq!(&fs::read(path).unwrap(), bytes, "{}", path.display()));
    if there("cmake") && there("g++") {
        run(Command::new("cmake").arg("-S").arg(&out).arg("-B").arg(&build));
        run(Command::new("cmake").arg("--build").arg(&build).args(["--target", "one_driver", "two_driver"]));
        for name in ["one", "two"] {
            run(Command::new(build.join(format!("{name}_driver"))).args(["--sizes", "4"]));
        }
    }
    // Files that the other project has stay when one is cleaned, and go with the last.
    let notes = written(&out, &named("one", &["--emit", "report", "--clean"]));
    assert!(notes.contains("CMakeLists.txt") && notes.contains("project two"), "{notes}");
    let is_there = |name: &str| out.join(name).exists();
    assert!(
        !is_there("one.cmake") && is_there("two.cmake") && is_there("CMakeLists.txt") && is_there("singe_vector.h")
    );
    written(&out, &named("two", &["--emit", "report", "--clean"]));
    assert!(!is_there("CMakeLists.txt") && !is_there("singe_vector.h"));
}

#[test]
fn cmake_does_not_build_the_files_of_an_earlier_run() {
    if !there("cmake") || !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (out, build) = (folder.path().join("out"), folder.path().join("build"));
    written(&out, &[&CPU[..], &["--emit", "host"]].concat());
    let configured = || Command::new("cmake").arg("-S").arg(&out).arg("-B").arg(&build).output().unwrap();
    assert!(configured().status.success());
    written(&out, &[&CPU[..], &["--units", "cgs", "--emit", "cuda"]].concat());
    let Output { status, stderr, .. } = configured();
    let said = String::from_utf8_lossy(&stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!status.success() && said.contains("h2o2.cmake is of an earlier run"), "{said}");
}

#[test]
fn a_run_that_was_killed_is_undone_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    written(out, &ONE);
    let before = all(out);
    // As it is left between two renames: one file is new, one was there before, one is removed; and one was changed meanwhile.
    let staging = out.join(".singe-writing");
    for inner in ["new", "old"] {
        fs::create_dir_all(staging.join(inner)).unwrap();
    }
    let hash = |text: &str| mechanism::Input::new(String::new(), text.as_bytes()).sha256;
    fs::rename(out.join("h2o2.h"), staging.join("old/h2o2.h")).unwrap();
    fs::write(out.join("h2o2.h"), "new").unwrap();
    fs::write(out.join("new.h"), "new").unwrap();
    fs::rename(out.join("h2o2_context.cu"), staging.join("old/h2o2_context.cu")).unwrap();
    fs::write(out.join("mine"), "changed meanwhile").unwrap();
    fs::write(staging.join("old/mine"), "before").unwrap();
    let elsewhere = folder.path().parent().unwrap().join("singe-elsewhere");
    fs::write(&elsewhere, "new").unwrap();
    let new = hash("new");
    let journal = format!("{new}  h2o2.h\n{new}  new.h\n-  h2o2_context.cu\n{new}  mine\n{new}  ../singe-elsewhere\n");
    fs::write(staging.join("journal"), journal).unwrap();
    // A run that is refused undoes it, too.
    fs::write(out.join("report.html"), "mine").unwrap();
    assert_eq!(singe(out, &[&ONE[..], &["--emit", "html"]].concat()).status.code(), Some(1));
    fs::remove_file(out.join("report.html")).unwrap();
    assert_eq!(fs::read_to_string(out.join("mine")).unwrap(), "changed meanwhile");
    fs::remove_file(out.join("mine")).unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "new", "a journal leads to no other folder");
    fs::remove_file(elsewhere).unwrap();
    assert!(all(out) == before, "not as before");
    // Without a journal nothing was changed yet.
    fs::create_dir_all(staging.join("new")).unwrap();
    fs::write(staging.join("new/h2o2.h"), "half of").unwrap();
    written(out, &ONE);
    assert!(all(out) == before, "not as before");
}

#[test]
fn runs_into_one_folder_leave_a_list_that_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    for round in 0..6 {
        std::thread::scope(|scope| {
            for kernel in ["viscosity", "conductivity", "diffusion"] {
                scope.spawn(move || written(out, &["--kernel", kernel, "--codegen", "overlay", "--clean"]));
            }
        });
        let list = fs::read_to_string(out.join("h2o2.manifest")).unwrap();
        let mut listed: Vec<&str> =
            list.lines().filter_map(|line| line.split_once("  ")).map(|(_, name)| name).collect();
        let mut found: Vec<String> =
            all(out).iter().map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        found.retain(|name| name != "h2o2.manifest");
        listed.sort_unstable();
        found.sort();
        assert_eq!(listed, found, "round {round}");
        let right = list.lines().all(|line| {
            let (hash, name) = line.split_once("  ").unwrap();
            mechanism::Input::new(String::new(), &fs::read(out.join(name)).unwrap()).sha256 == hash
        });
        assert!(right, "round {round}");
    }
}

#[test]
fn canonical_files_do_not_replace_others_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let fmt = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_singe"))
            .arg("fmt")
            .arg(shipped("h2o2"))
            .arg("-o")
            .arg(out)
            .args(more)
            .output()
            .unwrap()
    };
    assert!(fmt(&[]).status.success() && fmt(&[]).status.success(), "the same again");
    let path = out.join("chem.inp");
    let canonical = fs::read(&path).unwrap();
    fs::write(&path, "mine").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let Output { status, stderr, .. } = fmt(&[]);
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.code() == Some(1) && said.contains("output::not-ours"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert!(fmt(&["--force"]).status.success());
    assert_eq!(fs::read(&path).unwrap(), canonical);
}
