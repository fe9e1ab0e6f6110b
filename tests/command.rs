//! The command line on bad input: a message that says what to do, the documented exit code, nothing written.

use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;

struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
    written: bool,
}

/// Runs `singe` in a folder with the given files; `-o out` is added.
fn singe(files: &[(&str, &str)], arguments: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let output = Command::cargo_bin("singe")
        .unwrap()
        .current_dir(folder.path())
        .args(arguments)
        .args(["-o", "out"])
        .output()
        .unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        written: folder.path().join("out").exists(),
    }
}

fn h2o2(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms/h2o2").join(file);
    std::fs::read_to_string(path).unwrap()
}

fn refused(files: &[(&str, &str)], arguments: &[&str], code: i32, words: &[&str]) {
    let outcome = singe(files, arguments);
    assert_eq!(outcome.code, code, "{}", outcome.stderr);
    assert!(!outcome.written, "something was written");
    for word in words {
        assert!(outcome.stderr.contains(word), "no \"{word}\" in:\n{}", outcome.stderr);
    }
}

#[test]
fn a_missing_mechanism_names_the_file() {
    refused(&[], &["absent.inp"], 1, &["absent.inp"]);
}

#[test]
fn a_missing_companion_says_what_was_sought() {
    let chem = h2o2("chem.inp");
    refused(&[("chem.inp", &chem)], &["chem.inp"], 1, &["therm.dat", "--thermo"]);
}

#[test]
fn a_wrong_reaction_is_located() {
    let (chem, therm, tran) = (h2o2("chem.inp"), h2o2("therm.dat"), h2o2("tran.dat"));
    for (from, to, word) in [("H2O2", "H2O9", "H2O9"), ("REACTIONS", "REACTIONS BTU/MOLE", "BTU/MOLE")] {
        let position = chem.find("REACTIONS").unwrap();
        let position = position + chem[position..].find(from).unwrap();
        let broken = format!("{}{to}{}", &chem[..position], &chem[position + from.len()..]);
        let line = broken[..position].matches('\n').count() + 1;
        let files = [("chem.inp", broken.as_str()), ("therm.dat", &therm), ("tran.dat", &tran)];
        refused(&files, &["chem.inp"], 1, &[word, &format!("chem.inp:{line}:")]);
    }
}

#[test]
fn an_unbalanced_reaction_and_a_malformed_number_come_together() {
    let (chem, therm, tran) = (h2o2("chem.inp"), h2o2("therm.dat"), h2o2("tran.dat"));
    let broken = chem.trim_end().trim_end_matches("END").to_owned()
        + "H2 + O => H2O2 1.0 0.0 0.0\nH + O => OH 1.x 0.0 0.0\nEND\n";
    let files = [("chem.inp", broken.as_str()), ("therm.dat", &therm), ("tran.dat", &tran)];
    refused(&files, &["chem.inp"], 1, &["H2+O=>H2O2", "1.x"]);
}

#[test]
fn usage_errors_exit_with_2() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    for (arguments, word) in [
        (vec![chem, "--warps", "0"], "from 1 to 32"),
        (vec![chem, "--warps", "33"], "from 1 to 32"),
        (vec![chem, "--target", "voodoo"], "kepler"),
        (vec![chem, "--kernel", "vorticity"], "viscosity"),
        (vec![chem, "--layout", "placement=best"], "mixed"),
        (vec![chem, "--verify", "0"], "states"),
        (vec![chem, "--ctas-per-sm", "0"], "from 1 to 32"),
        (vec![], "MECHANISM"),
    ] {
        refused(&[], &arguments, 2, &[word]);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    // A file stands where the folder should be made.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("taken"), "").unwrap();
    let out = folder.path().join("taken").join("out");
    let output = Command::cargo_bin("singe").unwrap().args([chem, "--kernel", "conductivity", "-o"]).arg(&out).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cannot write") && message.contains("-o"), "{message}");
}

#[test]
fn too_many_ctas_name_the_resource() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/gri30/chem.inp");
    let overlay = |flags: &[&'static str]| [&[chem, "--target", "kepler", "--codegen", "overlay"], flags].concat();
    refused(&[], &overlay(&["--warps", "4", "--ctas-per-sm", "16"]), 1, &["shared memory"]);
    let words = ["3 CTAs of 32 warps", "--ctas-per-sm 2 with 32 warps per CTA"];
    refused(&[], &[chem, "--target", "kepler", "--warps", "32", "--ctas-per-sm", "3"], 2, &words);
    refused(&[], &[chem, "--target", "kepler", "--warps", "1", "--ctas-per-sm", "17"], 2, &["at most 16 CTAs"]);
    refused(
        &[],
        &overlay(&["--warps", "4", "--ctas-per-sm", "4", "--layout", "placement=store"]),
        1,
        &["use --layout placement=auto"],
    );
}

#[test]
fn flags_without_effect_are_told() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let stderr = |kernel: &str, flags: &[&str]| {
        let common =
            [chem, "--codegen", "overlay", "--target", "hopper", "--verify", "off,no-compilers", "--kernel", kernel];
        let Outcome { code, stderr, .. } = singe(&[], &[&common[..], flags].concat());
        assert_eq!(code, 0, "{flags:?}: {stderr}");
        stderr
    };
    for (kernel, flags, heeded) in [
        ("chemistry", &["--layout", "qssa-warps=2"][..], false),
        ("viscosity", &["--form", "log-space"], false),
        ("conductivity", &["--form", "log-space"], true),
        ("conductivity", &["--form", "low-rank", "--error", "form=exact"], false),
        ("viscosity", &["--form", "pairwise", "--layout", "matrix=dmma"], false),
        ("viscosity", &["--form", "low-rank", "--layout", "matrix=dmma"], true),
    ] {
        let stderr = stderr(kernel, flags);
        assert_eq!(!stderr.contains("has no effect"), heeded, "{kernel} {flags:?}: {stderr}");
    }
}

#[test]
fn a_single_species_does_not_diffuse() {
    let argon = "ELEMENTS AR END SPECIES AR END\nTHERMO\n300. 1000. 5000.\n\
        AR                120186AR  1               G  0300.00   5000.00  1000.00      1\n \
        0.02500000E+02 0.00000000E+00 0.00000000E+00 0.00000000E+00 0.00000000E+00    2\n\
        -0.07453750E+04 0.04366001E+02 0.02500000E+02 0.00000000E+00 0.00000000E+00    3\n \
        0.00000000E+00 0.00000000E+00-0.07453750E+04 0.04366001E+02                   4\n\
        END\nTRANS ALL\nAR 0 136.5 3.33 0 0 0\nEND\n";
    let files = [("argon.inp", argon)];
    refused(&files, &["argon.inp"], 1, &["two species", "--kernel"]);
    let others = ["argon.inp", "--kernel", "viscosity,conductivity,chemistry", "--verify", "no-compilers"];
    assert_eq!(singe(&files, &others).code, 0);
}

#[test]
fn json_is_json() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let outcome = singe(&[], &[chem, "--kernel", "viscosity", "--verify", "no-compilers", "--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let report: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["kernels"][0]["kernel"], "viscosity");
    assert!(report["kernels"][0]["verification"]["largest_error"].as_f64().unwrap() < 1e-12);
}

/// PTX is the GPU's alone; the kernels for a CPU that a project has besides need none.
#[test]
fn a_project_has_ptx_for_its_gpu() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let out = tempfile::tempdir().unwrap();
    let flags = "--kernel conductivity --verify 2,no-compilers --emit cuda,host,ptx -o";
    let output =
        Command::cargo_bin("singe").unwrap().arg(chem).args(flags.split(' ')).arg(out.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["h2o2_conductivity.ptx", "h2o2_conductivity.cu", "h2o2_conductivity.cpp", "h2o2_cpu.cmake"] {
        assert!(out.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn every_pass_prints_and_times_itself() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    for (pass, word) in [
        ("mechanism", "H2O2"),
        ("dataflow", "graph viscosity"),
        ("schedule", "barrier 0"),
        ("lower", "kind: Sync"),
        ("ptx", "bar.sync"),
    ] {
        let outcome = singe(&[], &[chem, "--kernel", "viscosity", "--verify", "no-compilers", "--print-after", pass]);
        assert!(outcome.stderr.contains(word), "{pass}: {}", &outcome.stderr[..outcome.stderr.len().min(500)]);
    }
    let outcome =
        singe(&[], &[chem, "--kernel", "viscosity", "--verify", "no-compilers", "--time-passes", "--verify", "off"]);
    assert!(
        outcome.stdout.contains("times are estimates: singe doctor tells which compilers are there\n"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stderr.contains("schedule") && outcome.stderr.contains(" ms"), "{}", outcome.stderr);
}

/// Four kernels fit 100 columns; a row of which nothing is known (no machine code without compilers) is left out; a target without warps has no rows of them; the full report has every figure.
#[test]
fn the_printed_report_is_brief_unless_the_full_one_is_asked_for() {
    let chem = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");
    let brief = singe(&[], &[chem, "--verify", "no-compilers"]).stdout;
    assert!(brief.lines().all(|line| line.chars().count() <= 100), "{brief}");
    let rows: Vec<&str> = brief.lines().skip(3).take_while(|line| !line.is_empty()).collect();
    assert!(rows.len() == 9 && !brief.contains("\nmachine code ") && rows[0].starts_with("code "), "{brief}");
    assert!(brief.contains("\ncall h2o2_viscosity_launch of ") && !brief.contains("cross-warp edges"), "{brief}");
    let full = singe(&[], &[chem, "--verify", "no-compilers", "--report", "full"]).stdout;
    assert!(full.contains("\ncross-warp edges") && full.contains("\nforms of chemistry"), "{full}");
    let cpu = singe(&[], &[chem, "--target", "cpu", "--kernel", "reactor", "--emit", "host"]).stdout;
    assert!(cpu.contains("\ncall h2o2_reactor_advance of ") && !cpu.contains("warps"), "{cpu}");
}

/// Pipes are read to their end, and one that nobody writes to is no reason to wait for ever.
#[cfg(unix)]
#[test]
fn pipes_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo is part of every Unix");
    let of_tests = |name: &str| format!("{}/tests/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
    let (kernel, launch) = (of_tests("reduction.ptx"), of_tests("reduction.toml"));
    let mechanism = format!("{}/mechanisms/h2o2/chem.inp", env!("CARGO_MANIFEST_DIR"));
    let small = ["--kernel", "viscosity", "--verify", "off,no-compilers", "-o", "out", "--config", "pipe"];
    for (words, written) in [
        (vec!["ptx", "analyze", "pipe"], std::fs::read(&kernel).unwrap()),
        (vec!["ptx", "verify", "pipe", "--threads", "64"], std::fs::read(&kernel).unwrap()),
        (vec!["ptx", "opt", "pipe", "--pass", "dce"], std::fs::read(&kernel).unwrap()),
        (vec!["ptx", "sim", &*kernel, "--launch", "pipe"], std::fs::read(launch).unwrap()),
        ([&[&*mechanism], &small[..]].concat(), b"warps = 4\n".to_vec()),
    ] {
        let run = || {
            let mut command = Command::cargo_bin("singe").unwrap();
            let output = command.current_dir(folder.path()).args(&words).timeout(Duration::from_secs(60)).output();
            let output = output.unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (code, said) = run();
        assert!(code == Some(1) && said.contains("it is a pipe, and nobody writes to it"), "{words:?}: {said}");
        let pipe = folder.path().join("pipe");
        let writer = std::thread::spawn(move || std::fs::write(pipe, written));
        let (code, said) = run();
        assert!(writer.join().unwrap().is_ok());
        assert!(code == Some(0) || words[1] == "verify" && code == Some(3), "{words:?}: {said}");
    }
    let devices = ["ptx", "analyze", "/dev/zero"];
    let endless = Command::cargo_bin("singe").unwrap().args(devices).timeout(Duration::from_secs(60)).output().unwrap();
    let said = String::from_utf8_lossy(&endless.stderr);
    assert!(endless.status.code() == Some(1) && said.contains("larger than 1024 MB"), "{said}");
}

#[test]
fn nobody_needs_to_read_what_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wrong.inp"), "SPECIES H2 END\nREACTIONS\nH2=>H3 1 0 0\nEND\n").unwrap();
    let right = Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms/h2o2/chem.inp");
    let right = format!("{} --verify no-compilers --kernel viscosity --no-cache -o out", right.display());
    for (words, code) in [
        ("check wrong.inp".to_owned(), 1),
        ("wrong.inp".to_owned(), 1),
        (format!("{right} --time-passes"), 0),
        (format!("{right} --print-after map"), 0),
        ("--no-such-flag".to_owned(), 2),
        ("--help".to_owned(), 0),
    ] {
        for end in ["2> /dev/full", "2>&-", "2>&1 | true"] {
            let line = format!("(\"$0\" {words}; echo $? > code) {end}");
            let shell = std::process::Command::new("sh")
                .args(["-c", &line, env!("CARGO_BIN_EXE_singe")])
                .current_dir(folder.path())
                .output();
            assert!(shell.unwrap().status.code().is_some());
            let found = std::fs::read_to_string(folder.path().join("code")).unwrap();
            assert_eq!(found.trim(), code.to_string(), "{words} {end}");
        }
    }
}
