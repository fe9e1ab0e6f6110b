//! The tuner from the outside: what it writes, and that the winner is the best of what it tried.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

fn mechanism() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mechanisms/h2o2/chem.inp")
}

struct Run {
    code: i32,
    stdout: String,
    stderr: String,
    folder: tempfile::TempDir,
}

impl Run {
    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("out").join(name)).unwrap()
    }
}

fn tune(arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("singe-tune").unwrap();
    let command = command.arg(mechanism()).args(["--compilers", "off", "-o"]).arg(folder.path().join("out"));
    let output = command.args(arguments).output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        folder,
    }
}

fn predicted(trial: &Value) -> Option<f64> {
    trial["cost"]["predicted_ns"].as_f64()
}

#[test]
fn the_winner_is_the_best_of_all() {
    let run = tune(&["--kernel", "viscosity,chemistry", "--vary", "warps=2,4", "--vary", "form=pairwise,auto"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    let trials = record["trials"].as_array().unwrap();
    // Two warps, two forms, the usual two of CTAs and of points per lane, two kernels.
    assert_eq!(trials.len(), 32);
    for kernel in ["viscosity", "chemistry"] {
        let clean = |trial: &&Value| trial["kernel"] == kernel && trial["cost"]["spilled_bytes"] == 0;
        let least = trials.iter().filter(clean).filter_map(predicted).fold(f64::INFINITY, f64::min);
        let best = record["best"].as_array().unwrap().iter().find(|pair| pair[0] == kernel).unwrap();
        let own = trials.iter().find(|t| t["kernel"] == kernel && t["settings"] == best[1]["settings"]).unwrap();
        assert_eq!(predicted(own), Some(least), "{kernel}");
        assert!(run.text(&format!("tune_{kernel}.svg")).contains("ns per point"));
        assert!(run.text(&format!("h2o2_{kernel}.cu")).contains("singe-tune"));
        assert!(run.stdout.contains(&format!("{kernel}: 16 candidates")), "{}", run.stdout);
    }
}

#[test]
fn the_configuration_gives_the_same_kernels() {
    let run = tune(&["--kernel", "viscosity,diffusion", "--target", "ampere", "--vary", "warps=3,6"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let again = run.folder.path().join("again");
    let config = run.folder.path().join("out/best.toml");
    let paths = [mechanism(), "--config".into(), config, "-o".into(), again.clone()].map(PathBuf::into_os_string);
    let flags = ["singe", "--kernel", "viscosity,diffusion", "--compilers", "off", "--json"].map(Into::into);
    assert_eq!(singe::cli::run(flags.into_iter().chain(paths)), std::process::ExitCode::SUCCESS);
    for kernel in ["viscosity", "diffusion"] {
        let code =
            |text: String| text.lines().filter(|line| !line.starts_with("//")).map(str::to_owned).collect::<Vec<_>>();
        let name = format!("h2o2_{kernel}.cu");
        let ours = code(std::fs::read_to_string(again.join(&name)).unwrap());
        assert!(ours.len() > 50);
        assert_eq!(ours, code(run.text(&name)), "{kernel}");
    }
}

#[test]
fn measured_times_decide() {
    // The fewer warps, the longer it takes, says this command; the prediction says otherwise or nothing.
    let command = "sed -n 's/^.. execution .*per CTA: \\([0-9]*\\),.*/\\1/p' h2o2_conductivity.cu";
    let vary = ["--vary", "warps=5,2,7", "--vary", "ctas-per-sm=1", "--vary", "points-per-lane=1"];
    let run = tune(&[&["--kernel", "conductivity", "--measure", command], &vary[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    assert_eq!(record["best"][0][1]["settings"][0], serde_json::json!(["warps", "2"]));
    let times: Vec<f64> =
        record["trials"].as_array().unwrap().iter().map(|t| t["cost"]["measured_ns"].as_f64().unwrap()).collect();
    assert_eq!(times, [5.0, 2.0, 7.0]);
    assert!(run.text("best.toml").contains("[conductivity]\nwarps = 2\n"));
}

#[test]
fn failures_have_their_diagnostics_and_write_nothing() {
    let one = ["--kernel", "diffusion", "--warps", "4", "--points-per-lane", "1"];
    let cases: [(&[&str], &str, i32); 4] = [
        (&["--vary", "ctas-per-sm=32"], "tune::no-candidate", 1),
        (&["--vary", "ctas-per-sm=1", "--measure", "echo soon"], "tune::measure", 1),
        (&["--vary", "ctas-per-sm=1", "--measure", "exit 3"], "tune::measure", 1),
        (&["--vary", "ctas-per-sm=0"], "0", 2),
    ];
    for (arguments, word, code) in cases {
        let run = tune(&[&one, arguments].concat());
        assert_eq!(run.code, code, "{}", run.stderr);
        assert!(run.stderr.contains(word), "{}", run.stderr);
        assert!(!run.folder.path().join("out").exists());
    }
    let known = diagnostics::entries().filter(|entry| entry.id.starts_with("tune::")).count();
    assert_eq!(known, 2, "each of them has a case above");
}

#[test]
fn what_cannot_be_varied_is_refused() {
    for arguments in [["--vary", "target=hopper"], ["--vary", "warps="], ["--vary", "warps"], ["--vary", "warps=4,x"]] {
        let run = tune(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(tune(&["--vary", "warps=4", "--vary", "warps=8"]).code, 2);
}

#[test]
fn the_guide_knows_every_flag() {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/tuning.md")).unwrap();
    let help = Command::cargo_bin("singe-tune").unwrap().arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    // The flags of singe have their own page.
    let all = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/flags.md")).unwrap();
    let words = help.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    let flags: Vec<&str> = words.map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())).collect();
    assert!(flags.contains(&"vary") && flags.contains(&"config"));
    for flag in flags.into_iter().filter(|flag| !["help", "version"].contains(flag)) {
        let name = format!("`--{flag}");
        assert!(guide.contains(&name) || all.contains(&name), "--{flag} is in no guide");
    }
}
