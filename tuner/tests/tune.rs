//! The tuner from the outside: what it writes, and that the winner is the best of what it tried.

mod common;

use assert_cmd::Command;
use common::mechanism;
use serde_json::Value;
use std::path::Path;

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
        common::text(&self.folder.path().join("out"), name)
    }
}

/// With the estimate alone.
fn tune(arguments: &[&str]) -> Run {
    tune_in(tempfile::tempdir().unwrap(), arguments)
}

fn tune_in(folder: tempfile::TempDir, arguments: &[&str]) -> Run {
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

/// What keeps a search small: all that is usually varied has one value.
const SMALL: [&str; 8] =
    ["--codegen", "overlay", "--ctas-per-sm", "1", "--points-per-lane", "1", "--constants", "stripe"];

fn estimated(trial: &Value) -> Option<f64> {
    trial["cost"]["estimated_ns"].as_f64()
}

#[test]
fn the_winner_is_the_best_of_all() {
    let flags = ["--kernel", "viscosity,chemistry", "--vary", "warps=2,4", "--vary", "form=pairwise,auto"];
    let run = tune(&[&flags[..], &["--constants", "stripe", "--widen", "off"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    let trials = record["trials"].as_array().unwrap();
    // Two warps, two forms, two layouts, the usual two of CTAs and of points per lane; viscosity and warp-specialized code may take
    // either way to multiply.
    let of = |kernel: &'static str| trials.iter().filter(move |trial| trial["kernel"] == kernel);
    assert_eq!((of("viscosity").count(), of("chemistry").count()), (48, 32));
    for kernel in ["viscosity", "chemistry"] {
        let clean = |trial: &&Value| trial["cost"]["spilled_bytes"] == 0 || trial["cost"]["layout"] == "data-parallel";
        let least = of(kernel).filter(clean).filter_map(estimated).fold(f64::INFINITY, f64::min);
        let best = record["best"].as_array().unwrap().iter().find(|best| best["kernel"] == kernel).unwrap();
        let own = of(kernel).find(|trial| trial["settings"] == best["settings"]).unwrap();
        assert_eq!(estimated(own), Some(least), "{kernel}");
        assert_eq!((best["nanoseconds"].as_f64(), &best["kind"]), (Some(least), &"estimated".into()));
        // Everyone but the best is told why it lost.
        assert!(of(kernel).all(|trial| (trial["why"] == "") == (trial == own)));
        assert!(run.text(&format!("tune_{kernel}_flags.svg")).contains("ns per point"));
        assert!(run.text(&format!("h2o2_{kernel}.cu")).contains("singe-tune"));
        assert!(run.stdout.contains(&format!("{kernel}: {} candidates", of(kernel).count())), "{}", run.stdout);
    }
    assert!(run.stdout.contains("times are estimated from counts (no compilers are asked)"), "{}", run.stdout);
}

#[test]
fn the_configuration_gives_the_same_kernels() {
    // Layouts differ, and forms are chosen by the compiler.
    let vary = ["--vary", "warps=3,6", "--vary", "codegen=overlay,data-parallel", "--vary", "form=auto"];
    let run = tune(&[&["--kernel", "viscosity,diffusion", "--target", "ampere"], &vary[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let again = run.folder.path().join("again");
    let config = run.folder.path().join("out/best.toml");
    let paths = [mechanism(), "--config".into(), config, "-o".into(), again.clone()].map(|path| path.into_os_string());
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
    let best = run.text("best.toml");
    assert!(
        best.starts_with(&format!("# singe-tune {}, the best of: singe-tune ", env!("CARGO_PKG_VERSION"))),
        "{best}"
    );
    for line in ["target = \"ampere\"", "[viscosity]", "codegen = \"", "form = \"", " ns per point estimated, "] {
        assert!(best.contains(line), "{line}: {best}");
    }
}

#[test]
fn measured_times_decide() {
    // The fewer warps, the longer it takes, says this command; the estimate says otherwise or nothing.
    let command = "sed -n 's/^.. execution .*per CTA: \\([0-9]*\\),.*/\\1/p' h2o2_conductivity.cu";
    let vary = ["--vary", "warps=5,2,7", "--form", "auto", "--widen", "off"];
    let run = tune(&[&["--kernel", "conductivity", "--measure", command], &SMALL[..], &vary].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    assert_eq!(record["best"][0]["settings"][0], serde_json::json!(["warps", "2"]));
    let times: Vec<f64> =
        record["trials"].as_array().unwrap().iter().map(|t| t["cost"]["measured_ns"].as_f64().unwrap()).collect();
    assert_eq!(times, [5.0, 2.0, 7.0]);
    assert!(run.text("best.toml").contains("[conductivity]\nwarps = 2\n"));
    assert!(record["times"].as_str().unwrap().starts_with("times are measured by sed"));
}

/// A command that takes as long as there are warps, or as many as they fall short of 11.
fn most_at_eleven() -> String {
    let warps = "$(sed -n 's/^.. execution .*per CTA: \\([0-9]*\\),.*/\\1/p' h2o2_conductivity.cu)";
    format!("w={warps}; if [ $w -lt 11 ]; then echo $((40 - w)); else echo $((29 + w)); fi")
}

#[test]
fn the_grid_widens_until_the_best_is_within() {
    let command = most_at_eleven();
    let arguments = [&["--kernel", "conductivity", "--form", "auto", "--measure", &command], &SMALL[..]].concat();
    let widened = tune(&[&arguments[..], &["--vary", "warps=4,6"]].concat());
    assert_eq!(widened.code, 0, "{}", widened.stderr);
    let record = widened.json("tune.json");
    let warps = |trial: &Value| trial["settings"][0][1].as_str().unwrap().to_owned();
    let tried: Vec<String> = record["trials"].as_array().unwrap().iter().map(warps).collect();
    assert_eq!(tried, ["4", "6", "8", "10", "12"]);
    assert_eq!(warps(&record["best"][0]), "10");
    assert!(widened.stderr.contains("conductivity: the best has warps=6, the most that was tried: 8 is tried, too"));

    let off = tune(&[&arguments[..], &["--vary", "warps=4,6", "--widen", "off"]].concat());
    assert!(off.stderr.contains("what lies beyond may be better (--vary warps=6,8)"), "{}", off.stderr);
    assert_eq!(off.json("tune.json")["edges"][0]["tried"], false);
    assert_eq!(off.json("tune.json")["trials"].as_array().unwrap().len(), 2);
}

#[test]
fn the_report_is_one_file_without_scripts() {
    let run = tune(&[&["--kernel", "viscosity", "--vary", "warps=2,4", "--form", "auto"], &SMALL[..]].concat());
    let page = run.text("tune.html");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!elsewhere.contains("http") && !page.contains("<script") && !page.contains("src="), "{page}");
    // Every link leads to a place on the page.
    for link in page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
    }
    let svg = run.text("tune_viscosity_pareto.svg");
    assert!(page.contains(&svg), "the pictures are in the page");
    assert!(page.contains("why it lost") && page.contains("% more than the best"));
}

#[test]
fn failures_have_their_diagnostics_and_leave_only_the_record() {
    let one = "--kernel diffusion --warps 4 --codegen overlay --points-per-lane 1 --constants stripe --form auto --matrix dfma";
    let one: Vec<&str> = one.split(' ').collect();
    let cases: [(&[&str], &str, i32); 5] = [
        (&["--vary", "ctas-per-sm=32"], "tune::no-candidate", 1),
        (&["--vary", "ctas-per-sm=1", "--measure", "echo soon"], "tune::measure", 1),
        (&["--vary", "ctas-per-sm=1", "--measure", "exit 3"], "tune::measure", 1),
        (&["--vary", "ctas-per-sm=0"], "0", 2),
        (&["--vary", "ctas-per-sm=1", "--shard", "1/2"], "--search exhaustive", 2),
    ];
    for (arguments, word, code) in cases {
        let run = tune(&[&one[..], arguments].concat());
        assert_eq!(run.code, code, "{}", run.stderr);
        assert!(run.stderr.contains(word), "{}", run.stderr);
        let out = run.folder.path().join("out");
        let left: Vec<_> =
            std::fs::read_dir(out).into_iter().flatten().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "candidates.jsonl"), "{left:?}");
    }
}

#[test]
fn kernels_for_a_cpu_differ_in_their_forms() {
    let run = tune(&["--kernel", "viscosity", "--target", "cpu"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    let forms: Vec<String> = record["trials"].as_array().unwrap().iter().map(|t| t["settings"].to_string()).collect();
    assert_eq!(forms, ["pairwise", "symmetric", "low-rank"].map(|form| format!("[[\"form\",\"{form}\"]]")));
}

#[test]
fn the_record_of_another_search_is_left_alone() {
    let small = [&["--kernel", "viscosity", "--vary", "warps=2", "--form", "auto"], &SMALL[..]].concat();
    let first = tune(&small);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let before = first.text("candidates.jsonl");
    let other = tune_in(first.folder, &[&small[..], &["--floor", "1e-9"]].concat());
    assert_eq!(other.code, 1);
    assert!(other.stderr.contains("tune::other-search"), "{}", other.stderr);
    assert_eq!(other.text("candidates.jsonl"), before);
    // Of the same version, and yet another compiler.
    let path = other.folder.path().join("out/candidates.jsonl");
    let program = other.json("tune.json")["program"].as_str().unwrap().to_owned();
    assert!(program.len() == 64 && before.contains(&program), "{program}");
    std::fs::write(&path, before.replace(&program, &"0".repeat(64))).unwrap();
    let other = tune_in(other.folder, &small);
    assert!(other.stderr.contains("a search with another program"), "{}", other.stderr);
    std::fs::write(&path, "[]\n").unwrap();
    let none = tune_in(other.folder, &small);
    assert!(none.stderr.contains("tune::record"), "{}", none.stderr);
}

#[test]
fn what_cannot_be_varied_is_refused() {
    for arguments in [
        ["--vary", "target=hopper"],
        ["--vary", "warps="],
        ["--vary", "warps"],
        ["--vary", "warps=4,x"],
        ["--vary", "codegen=fast"],
    ] {
        let run = tune(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(tune(&["--vary", "warps=4", "--vary", "warps=8"]).code, 2);
}

#[test]
fn every_diagnostic_of_the_tuner_is_shown_by_a_test() {
    let mut known: Vec<&str> =
        diagnostics::entries().map(|entry| entry.id).filter(|id| id.starts_with("tune::")).collect();
    known.sort();
    // Busy is shown where two searches are in one folder.
    let shown = ["tune::busy", "tune::measure", "tune::no-candidate", "tune::other-search", "tune::record"];
    assert_eq!(known, shown);
}

#[test]
fn the_guide_knows_every_flag() {
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/tuning.md")).unwrap();
    // The flags of singe have their own page.
    let all = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/flags.md")).unwrap();
    let help = |words: &[&str]| {
        let help = Command::cargo_bin("singe-tune").unwrap().args(words).output().unwrap();
        String::from_utf8(help.stdout).unwrap()
    };
    let help = help(&["--help"]) + &help(&["merge", "--help"]);
    let words = help.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    let flags: Vec<&str> = words.map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())).collect();
    assert!(flags.contains(&"vary") && flags.contains(&"config") && flags.contains(&"shard"));
    for flag in flags.into_iter().filter(|flag| !["help", "version"].contains(flag)) {
        let name = format!("`--{flag}");
        assert!(guide.contains(&name) || all.contains(&name), "--{flag} is in no guide");
    }
}
