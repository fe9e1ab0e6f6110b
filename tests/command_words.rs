//! Words of the command: misspelt commands, JSON when it fails, the command that files record, the default target, and
//! the remains of an earlier run.

use std::path::Path;
use std::process::{Command, Output};

use clap::ValueEnum;
use serde_json::Value;

const CHEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/h2o2/chem.inp");

fn singe(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_singe")).current_dir(folder).args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_misspelt_command_is_answered_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    for (words, command) in [
        (&["cehck", CHEM][..], "check"),
        (&["cehck"], "check"),
        (&["verfy", "k.ptx", "--threads", "32"], "ptx verify"),
        (&["occupncy", "--threads", "32"], "ptx occupancy"),
        (&["docter"], "doctor"),
    ] {
        let Output { status, stderr, .. } = singe(folder.path(), words);
        let message = text(&stderr);
        assert_eq!(status.code(), Some(2), "{message}");
        assert!(message.contains(&format!("did you mean the command {command}?")), "{message}");
    }
    // A file of that name is a mechanism, and a word unlike all commands is a path.
    std::fs::write(folder.path().join("chek"), "no mechanism").unwrap();
    for word in ["chek", "mechanism.inp"] {
        let Output { status, stderr, .. } = singe(folder.path(), &[word]);
        assert_eq!(status.code(), Some(1), "{}", text(&stderr));
    }
}

#[test]
fn every_failure_is_json_where_json_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("no.ptx"), "no PTX").unwrap();
    for (words, failure, code) in [
        (&["absent.inp", "--json"][..], "input", 1),
        (&[CHEM, "--json", "--warps", "many"], "usage", 2),
        (&[CHEM, "--json", "--target", "volta", "--layout", "matrix=dmma"], "usage", 2),
        (&[CHEM, "--json", "--verify", "no-compilers", "--inject-fault", "barrier-dropped"], "verification", 3),
        (&["check", "--no-such-flag", "--json"], "usage", 2),
        (&["ptx", "sim", "absent.ptx", "--launch", "absent.toml", "--json"], "input", 1),
        (&["ptx", "verify", "no.ptx", "--threads", "32", "--json"], "input", 1),
        (&["ptx", "analyze", "no.ptx", "--json"], "input", 1),
        (&["ptx", "occupancy", "--json"], "usage", 2),
        (&["cehck", "--json"], "usage", 2),
    ] {
        let Output { status, stdout, stderr } = singe(folder.path(), words);
        assert_eq!(status.code(), Some(code), "{words:?}: {}", text(&stderr));
        let printed: Value =
            serde_json::from_slice(&stdout).unwrap_or_else(|e| panic!("{words:?}: {e} in {}", text(&stdout)));
        assert_eq!((&printed["failure"], &printed["exit_code"]), (&failure.into(), &code.into()), "{words:?}");
        let first = &printed["diagnostics"][0];
        assert!(first["id"].is_string() && first["message"].is_string(), "{words:?}: {first}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was written");
}

#[test]
fn the_recorded_command_can_be_given_to_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("it's here & there");
    std::fs::create_dir(&inner).unwrap();
    for file in ["chem.inp", "therm.dat", "tran.dat"] {
        std::fs::copy(Path::new(CHEM).with_file_name(file), inner.join(file)).unwrap();
    }
    let words = ["it's here & there/chem.inp", "--kernel", "viscosity", "--verify", "off,no-compilers", "-o", "out"];
    assert!(singe(folder.path(), &words).status.success());
    let report = std::fs::read_to_string(folder.path().join("out/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let command = report["command"].as_str().unwrap();
    assert_eq!(command, r"singe 'it'\''s here & there/chem.inp' --kernel viscosity --verify off,no-compilers");
    if cfg!(unix) {
        // printf tells what words a shell makes of it.
        let shell = Command::new("sh").args(["-c", &format!("printf '%s\\n' {command}")]).output().unwrap();
        let kept = &words[..words.len() - 2];
        assert_eq!(text(&shell.stdout), format!("singe\n{}\n", kept.join("\n")));
    }
}

#[test]
fn the_default_target_is_one_that_nvcc_of_today_knows() {
    let folder = tempfile::tempdir().unwrap();
    assert!(singe(folder.path(), &[CHEM, "--verify", "off,no-compilers", "--emit", "host"]).status.success());
    let project = std::fs::read_to_string(folder.path().join("singe-h2o2/h2o2.cmake")).unwrap();
    let (_, rest) = project.split_once("set(CMAKE_CUDA_ARCHITECTURES ").unwrap();
    let architecture: u32 = rest.split(')').next().unwrap().parse().unwrap();
    // nvcc 13 compiles for sm_75 and later.
    assert!(architecture >= 75, "{architecture}");
}

#[test]
fn files_of_an_earlier_run_do_not_stay_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let words = [CHEM, "--verify", "off,no-compilers", "--emit", "cuda,dot", "-o", "out"];
        let Output { status, stderr, .. } = singe(folder.path(), &[&words[..], more].concat());
        assert!(status.success());
        let notes = text(&stderr).lines().filter_map(|line| line.strip_prefix("note: ").map(str::to_owned)).collect();
        let notes: Vec<String> = notes;
        notes
    };
    let exists = |name: &str| folder.path().join("out").join(name).exists();
    assert_eq!(run(&[]), Vec::<String>::new());
    std::fs::write(folder.path().join("out/h2o2_diffusion.dot"), "changed").unwrap();
    std::fs::write(folder.path().join("out/mine.cu"), "mine").unwrap();
    let notes = run(&["--kernel", "viscosity"]);
    assert!(notes.len() == 1 && notes[0].contains("h2o2_chemistry.cu, "), "{notes:?}");
    assert!(["h2o2_chemistry.cu", "h2o2_conductivity.cu"].into_iter().all(exists), "another command made them");
    let notes = run(&["--kernel", "viscosity", "--clean"]);
    assert_eq!(notes.len(), 5, "three kernels with two files each, of which the changed one is forgotten: {notes:?}");
    assert_eq!(notes.iter().filter(|note| note.ends_with("is removed")).count(), 5, "{notes:?}");
    assert!(["h2o2_viscosity.cu", "h2o2_diffusion.dot", "mine.cu", "h2o2.h"].into_iter().all(exists));
    assert!(!exists("h2o2_chemistry.cu") && !exists("h2o2_diffusion.cu"));
    // The changed file is no longer on the list, and the same run again changes nothing.
    assert_eq!(run(&["--kernel", "viscosity"]), Vec::<String>::new());
    assert!(exists("h2o2_diffusion.dot"));
}

#[test]
fn the_report_says_whose_registers_it_has_and_where_data_parallel_code_would_be_faster() {
    let folder = tempfile::tempdir().unwrap();
    let gri30 = concat!(env!("CARGO_MANIFEST_DIR"), "/mechanisms/gri30/chem.inp");
    let words = [
        gri30, "--target", "ampere", "--kernel", "viscosity,diffusion", "--codegen", "overlay", "--verify",
        "no-compilers", "--emit", "report", "--report", "full", "-o",
    ];
    let table = text(&singe(folder.path(), &[&words[..], &["one"]].concat()).stdout);
    let row =
        |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {table}"));
    assert_eq!(row("registers ").matches("(allocated)").count(), 2);

    let read = |out: &str| -> Vec<Value> {
        let report = std::fs::read_to_string(folder.path().join(out).join("report.json")).unwrap();
        serde_json::from_str::<Value>(&report).unwrap()["kernels"].as_array().unwrap().clone()
    };
    // The estimate is that of the layout itself, and it is faster where the table says so.
    let both = singe(folder.path(), &[&words[..], &["both", "--codegen", "overlay,data-parallel"]].concat());
    assert!(both.status.success() && !text(&both.stdout).contains("data-parallel estimated"));
    let named = row("data-parallel code is estimated faster for ");
    for (own, layouts) in read("one").iter().zip(read("both").chunks(2)) {
        assert_eq!(layouts[1]["codegen"], "data-parallel");
        assert_eq!(own["data_parallel_ns"], layouts[1]["machine"]["estimated_ns"]);
        assert_eq!(own["machine"]["registers_from"], "allocated");
        // the kernel as it is comes first, and more CTAs per SM leave fewer registers
        let levels = own["backend"]["levels"].as_array().unwrap();
        assert_eq!(levels[0]["registers"], own["backend"]["registers"]);
        let figure = |level: &Value, name: &str| level[name].as_u64().unwrap();
        assert!(levels.windows(2).all(|pair| {
            figure(&pair[0], "ctas_per_sm") < figure(&pair[1], "ctas_per_sm")
                && figure(&pair[0], "registers") >= figure(&pair[1], "registers")
        }));
        let is_faster = own["data_parallel_ns"].as_f64() < own["machine"]["estimated_ns"].as_f64();
        assert_eq!(named.contains(own["kernel"].as_str().unwrap()), is_faster, "{named}");
    }
}

/// Words of other compilers are answered with ours.
#[test]
fn a_mistake_gets_the_hint_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    for (words, hint) in [
        (&["compile", "x.yaml", "--target", "h100"][..], "singe x.yaml --target h100"),
        (&["build"], "singe MECHANISM"),
        (&[CHEM, "--fp32"], "--precision single"),
        (&[CHEM, "--arch=sm_90"], "--target"),
        (&[CHEM, "--kernels", "chemistry"], "--kernel"),
    ] {
        let Output { status, stderr, .. } = singe(folder.path(), words);
        assert_eq!(status.code(), Some(2), "{words:?}");
        assert!(text(&stderr).contains(hint), "{words:?}: {}", text(&stderr));
    }
    let Output { status, stderr, .. } = singe(folder.path(), &[]);
    assert_eq!(status.code(), Some(2));
    assert!(text(&stderr).contains("Examples:"), "help where nothing is asked for: {}", text(&stderr));
    let all = singe(folder.path(), &["help", "all"]);
    assert!(all.status.success() && text(&all.stdout).contains("--jacobian-storage"));
    assert!(!text(&singe(folder.path(), &["--help"]).stdout).contains("--jacobian-storage"));
}

#[test]
fn a_flag_that_changes_nothing_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let warnings = |words: &[&str]| {
        let words = [&[CHEM, "--verify", "off,no-compilers", "-o", "o"], words].concat();
        let Output { status, stderr, .. } = singe(folder.path(), &words);
        assert!(status.success(), "{}", text(&stderr));
        text(&stderr).lines().filter(|line| line.contains("has no effect")).count()
    };
    for (words, count) in [
        (&["--soret", "--kernel", "chemistry"][..], 1),
        (&["--soret", "--kernel", "flux"], 0),
        (&["--target", "cpu", "--warps", "8", "--layout", "prefetch=off"], 2),
        (&["--warps", "8", "--kernel", "viscosity"], 0),
        (&["--jacobian-storage", "compressed", "--kernel", "chemistry"], 1),
        (&["--integrator", "ros4", "--kernel", "chemistry"], 1),
        (&["--precision", "factors=single", "--kernel", "chemistry"], 1),
        (&["--error", "form=exact", "--kernel", "chemistry"], 1),
        (&["--effort", "quick", "--codegen", "overlay", "--kernel", "viscosity"], 1),
    ] {
        assert_eq!(warnings(words), count, "{words:?}");
    }
}

/// As reactors do, a step takes the state of its own unknowns where nobody says.
#[test]
fn a_step_has_the_state_of_its_unknowns() {
    let folder = tempfile::tempdir().unwrap();
    for (kernel, constant) in [("isobaric-step", "pressure"), ("isochoric-step", "density")] {
        let words =
            [CHEM, "--kernel", kernel, "--target", "cpu", "--integrator", "rodas3", "--verify", "2", "-o", kernel];
        let Output { status, stderr, .. } = singe(folder.path(), &words);
        assert!(status.success(), "{}", text(&stderr));
        let header = std::fs::read_to_string(folder.path().join(kernel).join("h2o2.h")).unwrap();
        assert!(header.contains(constant) && header.contains("mass_fractions"), "{header}");
    }
}

#[test]
fn quiet_prints_warnings_and_errors_alone_and_colours_are_a_matter_of_taste() {
    let folder = tempfile::tempdir().unwrap();
    let words = [CHEM, "--kernel", "chemistry", "--target", "cpu", "--verify", "4", "-o", "o"];
    let quiet = singe(folder.path(), &[&words[..], &["--quiet"]].concat());
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{quiet:?}");
    let header = std::fs::read_to_string(folder.path().join("o/h2o2.h")).unwrap();
    singe(folder.path(), &[&words[..], &["--color", "never"]].concat());
    assert_eq!(std::fs::read_to_string(folder.path().join("o/h2o2.h")).unwrap(), header, "they change no file");
    let warned = singe(folder.path(), &[&words[..], &["-q", "--soret"]].concat());
    assert!(warned.stdout.is_empty() && text(&warned.stderr).contains("--soret has no effect"));
    let refused =
        |color: &str| text(&singe(folder.path(), &["--color", color, "absent.inp"]).stderr).contains('\u{1b}');
    assert_eq!(["auto", "always", "never"].map(refused), [false, true, false]);
}

#[test]
fn the_words_of_the_report_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let Output { status, stdout, .. } = singe(folder.path(), &["help", "report"]);
    let explained = text(&stdout);
    assert!(status.success());
    let has = |word: &str| {
        explained.lines().any(|line| line.split("  ").any(|part| part.trim().split(", ").any(|part| part == word)))
    };
    let layouts = overlay::Codegen::value_variants().iter().map(|codegen| codegen.name());
    let causes = warpsim::machine_code::Cause::ALL.iter().map(|cause| cause.name());
    let verdicts = ["proven", "verified", "measured", "simulated", "text run", "own PTX"];
    let missing: Vec<&str> = layouts.chain(causes).chain(verdicts).filter(|word| !has(word)).collect();
    assert!(missing.is_empty() && !has("no such word"), "{missing:?}");
}

/// Failed proofs have one exit code, of races and of error bounds.
#[test]
fn a_bound_that_cannot_be_proven_is_a_failed_proof() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        [CHEM, "--target", "cpu", "--kernel", "viscosity", "--precision", "single", "--verify", "off,no-compilers"];
    let with = |error: &str| singe(folder.path(), &[&words[..], &["--error", error]].concat());
    let Output { status, stderr, .. } = with("1e-8");
    assert!(status.code() == Some(3) && text(&stderr).contains("precision::not-proven"), "{}", text(&stderr));
    assert_eq!(with("1e-4").status.code(), Some(0));
}

/// Files for host codes set the target, the units and the state that they need, and say so.
#[test]
fn files_for_a_host_code_need_no_other_flag() {
    let folder = tempfile::tempdir().unwrap();
    for (emit, note) in [
        ("chemkin", Some("--target cpu --units cgs")),
        ("kinetix", Some("--target cpu")),
        ("openfoam", Some("--target cpu --state TPY")),
        ("device", None),
    ] {
        let words = [CHEM, "--emit", emit, "--verify", "off,no-compilers", "-o", emit];
        let Output { status, stderr, .. } = singe(folder.path(), &words);
        let message = text(&stderr);
        assert!(status.success(), "{message}");
        match note {
            Some(note) => assert!(message.contains(&format!("note: these files need {note}\n")), "{message}"),
            None => assert!(!message.contains("these files need"), "{message}"),
        }
    }
    let Output { status, stderr, .. } = singe(folder.path(), &[CHEM, "--emit", "chemkin", "--target", "hopper"]);
    assert!(status.code() == Some(2) && text(&stderr).contains("emit::no-chemkin"), "{}", text(&stderr));
}
