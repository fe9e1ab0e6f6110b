//! Files that the command reads: those that the kernels need, each once. The generated files name them with the hashes
//! of the bytes that were read.

use std::path::Path;

use assert_cmd::Command;
use mechanism::Input;

const MECHANISM: &str = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1.0E+18 -1.0 0.0\nEND\n";

const RECORDS: &str = "\
H2                      H   2               G   300.000  5000.000 1000.00      1
 3.50000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00    2
 0.00000000E+00 0.00000000E+00 3.50000000E+00 0.00000000E+00 0.00000000E+00    3
 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00                   4
H                       H   1               G   300.000  5000.000 1000.00      1
 2.50000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00    2
 0.00000000E+00 0.00000000E+00 2.50000000E+00 0.00000000E+00 0.00000000E+00    3
 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00                   4
";

const COMPLETE: &str = "H 0 145. 2.05 0 0 0\nH2 1 38. 2.92 0 .79 280.\n";

/// Without H2.
const PARTIAL: &str = "H 0 145. 2.05 0 0 0\n";

const YAML: &str = include_str!("inputs/hydrogen.yaml");

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a writable folder");
    }
    folder
}

fn thermo() -> String {
    format!("THERMO\n   300.000  1000.000  5000.000\n{RECORDS}END\n")
}

/// Runs `singe` for one kernel; its exit code and what it prints to stderr.
fn singe(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("singe").expect("built");
    let command = command.current_dir(folder).args(arguments);
    let run = command.args(["--verify", "off,no-compilers", "-o", "out"]).output().expect("it runs");
    (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
}

/// Name and hash of each input, as the first kernel's file tells them.
fn told(folder: &Path) -> Vec<(String, String)> {
    let entries =
        std::fs::read_dir(folder.join("out")).expect("a folder of kernels").map(|entry| entry.unwrap().path());
    let is_kernel = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|e| e == "cu") && !path.to_string_lossy().ends_with("_context.cu")
    };
    let text = std::fs::read_to_string(entries.into_iter().find(is_kernel).expect("a kernel")).expect("a text");
    let inputs = text.lines().filter_map(|line| line.split_once("input  ")?.1.trim().split_once(" sha256 "));
    inputs.map(|(name, hash)| (name.to_owned(), hash.to_owned())).collect()
}

fn hashed(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let inputs = files.iter().map(|(name, text)| Input::new((*name).to_owned(), text.as_bytes()));
    inputs.map(|input| (input.name, input.sha256)).collect()
}

#[test]
fn provenance_names_the_files_that_were_read() {
    let (thermo, chemistry) = (thermo(), ["chem.inp", "--kernel", "chemistry"]);
    let inline = format!("ELEMENTS H END\nSPECIES H H2 END\n{thermo}REACTIONS\n2H+M=H2+M 1.0E+18 -1.0 0.0\nEND\n");
    let viscosity = ["chem.inp", "--kernel", "viscosity", "--config", "best.toml"];
    let (chem, therm, tran, best) =
        (("chem.inp", MECHANISM), ("therm.dat", thermo.as_str()), ("tran.dat", COMPLETE), ("best.toml", "warps = 4\n"));
    // The thermo section makes the file beside it needless; chemistry needs no transport data.
    for (files, arguments, expected) in [
        (vec![chem, therm, tran], &chemistry[..], vec![chem, therm]),
        (vec![chem, therm, tran, best], &viscosity[..], vec![chem, therm, tran, best]),
        (
            vec![("chem.inp", inline.as_str()), ("therm.dat", "garbage\n"), ("tran.dat", "garbage\n")],
            &chemistry[..],
            vec![("chem.inp (with its sections THERMO)", inline.as_str())],
        ),
    ] {
        let folder = folder(&files);
        let (code, message) = singe(folder.path(), arguments);
        assert_eq!(code, Some(0), "{message}");
        assert_eq!(told(folder.path()), hashed(&expected), "{arguments:?}");
    }
}

#[test]
fn missing_transport_data_matter_where_a_kernel_needs_them() {
    let thermo = thermo();
    let folder = folder(&[("chem.inp", MECHANISM), ("therm.dat", &thermo), ("tran.dat", PARTIAL), ("chem.yaml", YAML)]);
    for mechanism in ["chem.inp", "chem.yaml"] {
        for (arguments, id) in [
            (&["--kernel", "chemistry"][..], None),
            (&["--kernel", "chemistry", "--transport", "none"], None),
            (&["--kernel", "viscosity"], Some("transport::missing-species")),
            (&["--kernel", "viscosity,chemistry"], Some("transport::missing-species")),
            (&["--kernel", "viscosity", "--transport", "none"], Some("kernel::no-transport")),
        ] {
            let (code, message) = singe(folder.path(), &[&[mechanism], arguments].concat());
            assert_eq!(code, Some(i32::from(id.is_some())), "{mechanism} {arguments:?}: {message}");
            assert!(message.contains(id.unwrap_or("")), "{mechanism} {arguments:?}: {message}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once_and_never_waited_for_in_vain() {
    let thermo = thermo();
    let folder = folder(&[("chem.inp", MECHANISM)]);
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let arguments = ["chem.inp", "--kernel", "chemistry", "--thermo", "pipe"];
    let started = std::time::Instant::now();
    let (code, message) = singe(folder.path(), &arguments);
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("mechanism::unreadable-file") && message.contains("nobody writes to it"), "{message}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let writer = std::thread::spawn({
        let (pipe, thermo) = (pipe.clone(), thermo.clone());
        move || std::fs::write(pipe, thermo)
    });
    let (code, message) = singe(folder.path(), &arguments);
    assert_eq!(code, Some(0), "{message}");
    writer.join().expect("the writer ends").expect("the pipe was read");
    assert_eq!(told(folder.path()), hashed(&[("chem.inp", MECHANISM), ("pipe", &thermo)]));
}
