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

/// Runs the tuner with the estimate alone.
fn tune(arguments: &[&str]) -> Run {
    tune_in(tempfile::tempdir().unwrap(), arguments)
}

fn tune_in(folder: tempfile::TempDir, arguments: &[&str]) -> Run {
    let mut command = Command::cargo_bin("singe-tune").unwrap();
    let command = command.arg(mechanism()).args(["--verify", "no-compilers", "-o"]).arg(folder.path().join("out"));
    let output = command.args(arguments).output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        folder,
    }
}

/// Arguments that keep a search small: all that is usually varied has one value.
const SMALL: [&str; 8] =
    ["--codegen", "overlay", "--ctas-per-sm", "1", "--layout", "points-per-lane=1", "--layout", "constants=stripe"];

fn estimated(trial: &Value) -> Option<f64> {
    trial["cost"]["estimated_ns"].as_f64()
}

#[test]
fn the_winner_is_the_best_of_all() {
    let flags = ["--kernel", "viscosity,chemistry", "--vary", "warps=2,4", "--vary", "form=pairwise,auto"];
    let more = ["--layout", "constants=stripe", "--widen", "off", "--vary", "codegen=overlay,data-parallel"];
    let run = tune(&[&flags[..], &more].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    let trials = record["trials"].as_array().unwrap();
    // Auto; then two warps, two forms, two layouts, the usual two of CTAs and of points per lane; viscosity and warp-specialized code may
    // take either way to multiply.
    let of = |kernel: &'static str| trials.iter().filter(move |trial| trial["kernel"] == kernel);
    assert_eq!((of("viscosity").count(), of("chemistry").count()), (49, 33));
    for kernel in ["viscosity", "chemistry"] {
        let spilled = |trial: &Value| trial["cost"]["spilled_bytes"].as_u64();
        let auto = of(kernel).next().unwrap();
        assert_eq!(auto["settings"], serde_json::json!([]));
        let clean = |trial: &&Value| spilled(trial).is_some() && spilled(trial) <= spilled(auto);
        let least = of(kernel).filter(clean).filter_map(estimated).fold(f64::INFINITY, f64::min);
        let best = record["best"].as_array().unwrap().iter().find(|best| best["kernel"] == kernel).unwrap();
        let own = of(kernel).find(|trial| trial["settings"] == best["settings"]).unwrap();
        assert_eq!(estimated(own), Some(least), "{kernel}");
        assert_eq!((best["nanoseconds"].as_f64(), &best["kind"]), (Some(least), &"estimated".into()));
        assert_eq!(best["auto_nanoseconds"].as_f64(), estimated(auto));
        assert!(best["percent_against_auto"].as_f64().unwrap() <= 0.0);
        assert!(run.stdout.contains(" % against auto"), "{}", run.stdout);
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
    let flags = ["singe", "--verify", "no-compilers", "--json"].map(Into::into);
    assert_eq!(singe::cli::run(flags.into_iter().chain(paths)), std::process::ExitCode::SUCCESS);
    assert!(!again.join("h2o2_chemistry.cu").exists(), "the file says which kernels there are");
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
    for line in [
        "kernel = [\"viscosity\", \"diffusion\"]\n",
        "target = \"ampere\"",
        " % against auto",
        "[viscosity]",
        "codegen = \"",
        "form = \"",
        " ns per point estimated, ",
    ] {
        assert!(best.contains(line), "{line}: {best}");
    }
}

#[test]
fn files_that_somebody_changed_stay_unless_forced() {
    let words =
        [&["--kernel", "viscosity", "--vary", "warps=2", "--form", "auto", "--widen", "off"], &SMALL[..]].concat();
    let first = tune(&words);
    let again = tune_in(first.folder, &words);
    assert_eq!(again.code, 0, "what it wrote itself is replaced: {}", again.stderr);
    let best = again.folder.path().join("out/best.toml");
    std::fs::write(&best, "mine\n").unwrap();
    let refused = tune_in(again.folder, &words);
    assert!(refused.code == 1 && refused.stderr.contains("output::not-ours"), "{}", refused.stderr);
    assert_eq!(refused.text("best.toml"), "mine\n");
    let forced = tune_in(refused.folder, &[&words[..], &["--force"]].concat());
    assert_eq!(forced.code, 0, "{}", forced.stderr);
    assert!(forced.text("best.toml").contains("singe-tune"));
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
    assert_eq!(times, [8.0, 5.0, 2.0, 7.0]);
    let best = run.text("best.toml");
    assert!(best.contains("-75.0 % against auto, which takes 8.0000 ns measured\n[conductivity]\n"), "{best}");
    assert!(best.contains("\nwarps = 2\n"), "{best}");
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
    let tried: Vec<String> = record["trials"].as_array().unwrap().iter().skip(1).map(warps).collect();
    assert_eq!(tried, ["4", "6", "8", "10", "12"]);
    assert_eq!(warps(&record["best"][0]), "10");
    assert!(widened.stderr.contains("conductivity: the best has warps=6, the most that was tried: 8 is tried, too"));

    let off = tune(&[&arguments[..], &["--vary", "warps=4,6", "--widen", "off"]].concat());
    assert!(off.stderr.contains("what lies beyond may be better (--vary warps=6,8)"), "{}", off.stderr);
    assert_eq!(off.json("tune.json")["edges"][0]["tried"], false);
    assert_eq!(off.json("tune.json")["trials"].as_array().unwrap().len(), 3);
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
    let one = "--kernel diffusion --warps 4 --codegen overlay --layout points-per-lane=1 --layout constants=stripe --form auto --layout matrix=dfma";
    let one: Vec<&str> = one.split(' ').collect();
    let cases: [(&[&str], &str, i32); 5] = [
        (&["--ctas-per-sm", "32"], "tune::no-candidate", 1),
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
    assert_eq!(forms[0], "[]");
    assert_eq!(forms[1..], ["pairwise", "symmetric", "low-rank"].map(|form| format!("[[\"form\",\"{form}\"]]")));
    for text in [&run.stdout, &run.text("best.toml")] {
        assert!(!["CTA", "register", "spilled", "shuffles"].iter().any(|word| text.contains(word)), "{text}");
    }
    for flag in ["warps=4", "codegen=overlay", "points-per-lane=2"] {
        let refused = tune(&["--kernel", "viscosity", "--target", "cpu", "--vary", flag]);
        assert!(refused.code == 2 && refused.stderr.contains("target::no-warps"), "{}", refused.stderr);
    }
}

#[test]
fn what_all_would_be_refused_for_is_said_once() {
    let run = tune(&["--kernel", "viscosity", "--state", "TPY", "--precision", "single"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.starts_with("precision::not-offered") && !run.stderr.contains("candidate"), "{}", run.stderr);
    assert!(!run.folder.path().join("out").exists(), "nothing was tried");
}

#[test]
fn a_candidate_that_is_refused_leaves_what_singe_takes_by_itself() {
    let fixed = "--kernel diffusion --warps 4 --codegen overlay --layout points-per-lane=1 --layout constants=stripe --form auto --layout matrix=dfma";
    let flags: Vec<&str> = fixed.split(' ').chain(["--vary", "ctas-per-sm=32"]).collect();
    let run = tune(&flags);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 refused: target::too-many-ctas"), "{}", run.stdout);
    assert!(run.stdout.contains("auto: +0.0 % against auto"), "{}", run.stdout);
}

#[test]
fn a_budget_ends_a_search_and_more_of_it_goes_on() {
    let own = "--kernel viscosity --vary warps=1,2,3,4,5,6 --form auto --layout matrix=dfma --widen off";
    let small: Vec<&str> = own.split(' ').chain(SMALL).collect();
    let first = tune(&[&small[..], &["--trials", "3"]].concat());
    assert_eq!(first.code, 0, "{}", first.stderr);
    let record = first.json("tune.json");
    assert_eq!((record["trials"].as_array().unwrap().len(), &record["untried"]), (3, &4.into()));
    assert_eq!(record["trials"][0]["settings"], serde_json::json!([]));
    assert!(first.stdout.contains("4 candidates were not tried"), "{}", first.stdout);
    let begun = first.text("candidates.jsonl");
    // No time at all is enough for what singe takes by itself.
    let none = tune(&[&small[..], &["--budget", "0.000001s"]].concat());
    assert_eq!(none.json("tune.json")["trials"].as_array().unwrap().len(), 1, "{}", none.stderr);
    let whole = tune_in(first.folder, &[&small[..], &["--budget", "1h"]].concat());
    assert_eq!(whole.json("tune.json")["trials"].as_array().unwrap().len(), 7);
    assert!(whole.text("candidates.jsonl").starts_with(&begun), "what was known is not tried again");
    // The same as a table for other programs.
    let csv = whole.text("tune.csv");
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.starts_with("kernel,warps,level,kept_form,") && csv.lines().count() == 8, "{csv}");
    assert!(columns == 21 && csv.lines().nth(2).unwrap().starts_with("viscosity,1,compiled,"), "{csv}");
}

#[test]
fn measurements_are_repeated_and_have_a_limit() {
    let command = "n=$(cat n 2> /dev/null); echo $((n + 1)) > n; echo $((30 + n))";
    let small =
        [&["--kernel", "conductivity", "--vary", "warps=2", "--form", "auto", "--widen", "off"], &SMALL[..]].concat();
    let run = tune(&[&small[..], &["--measure", command, "--repeats", "3"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let record = run.json("tune.json");
    let cost = &record["trials"][1]["cost"];
    assert_eq!((&cost["measured_ns"], &cost["measured_spread"]), (&31.0.into(), &serde_json::json!([30.0, 32.0])));
    assert!(record["times"].as_str().unwrap().ends_with("the median of 3 runs"), "{}", record["times"]);
    assert!(run.stdout.contains("31.000 (30.000 to 32.000)"), "{}", run.stdout);
    // The header has the command, too, which is why it does not match itself.
    let slow = "grep -q 'warps per CTA: [2],' h2o2_conductivity.cu && sleep 60; echo 1";
    let run = tune(&[&small[..], &["--measure", slow, "--measure-limit", "3s"]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let refused = &run.json("tune.json")["trials"][1]["refused"]["message"];
    assert!(refused.as_str().unwrap().ends_with("it took more than 3 s"), "{refused}");
    assert_eq!(tune(&[&small[..], &["--repeats", "3"]].concat()).code, 2);
}

#[test]
fn nobody_needs_to_read_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_singe-tune");
    let small = format!("--kernel viscosity --vary warps=2,4 --form auto --verify no-compilers {}", SMALL.join(" "));
    for (number, end) in ["| true", "2> /dev/full", "> /dev/full", "2>&- >&-"].into_iter().enumerate() {
        let search = format!("{program} {} {small} -o {}/{number}", mechanism().display(), folder.path().display());
        let line = format!("({search}; echo $? >&3) 3> {}/code {end}", folder.path().display());
        let line = if end.starts_with('|') {
            format!("{{ {search}; echo $? > {}/code; }} {end}", folder.path().display())
        } else {
            line
        };
        std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        let code = common::text(folder.path(), "code");
        assert_eq!(code.trim(), if end == "> /dev/full" { "1" } else { "0" }, "{line}");
    }
}

#[test]
fn the_record_of_another_search_is_left_alone() {
    let small = [&["--kernel", "viscosity", "--vary", "warps=2", "--form", "auto"], &SMALL[..]].concat();
    let first = tune(&small);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let before = first.text("candidates.jsonl");
    let other = tune_in(first.folder, &[&small[..], &["--error", "1e-6"]].concat());
    assert_eq!(other.code, 1);
    assert!(other.stderr.contains("tune::other-search"), "{}", other.stderr);
    assert_eq!(other.text("candidates.jsonl"), before);
    // The version is the same, but the compiler is another one.
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
    let shown = ["tune::measure", "tune::no-candidate", "tune::other-search", "tune::record"];
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
