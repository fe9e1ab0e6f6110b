//! `singe ptx verify` on many files: exit codes, baselines, SARIF, lines of sources, launches by name, fat binaries; what it says
//! of single kernels stands in `files/verification`. And commands whose readers go.

#[path = "ptx_verify/sarif.rs"]
mod sarif;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use testkit::skip;

const KERNEL: &str = include_str!("ptx_verify/kernel.ptx");

/// A reader that goes before the end, as `head` does, is no error of the compiler, and the verdict stays.
#[test]
fn readers_may_go() {
    let folder = tempfile::tempdir().unwrap();
    let body = "add.u32 other, mine, value; ".repeat(20_000);
    let long = KERNEL.replace("@first st.shared.u32 [other], mine;", &body);
    std::fs::write(folder.path().join("k.ptx"), &long).unwrap();
    for (arguments, expected) in [(&["ptx", "analyze"][..], 0), (&["ptx", "opt", "--pass", "allocate"], 0)] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_singe"))
            .current_dir(folder.path())
            .args(arguments)
            .arg("k.ptx")
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

/// Exit code, output and messages.
struct Answer {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}{}", self.out, self.err))
    }
}

fn verify(folder: &Path, words: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singe"));
    let Output { status, stdout, stderr } =
        command.current_dir(folder).args(["ptx", "verify"]).args(words).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer { code: status.code(), out: text(&stdout), err: text(&stderr) }
}

const HEADER: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// A kernel: every thread writes a word of shared memory, then `middle`, then reads that of the next warp.
fn kernel(name: &str, middle: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 {name}_param_0, .param .u32 {name}_param_1)\n{{\n\
         .shared .align 4 .b8 {name}_words[1024];\n.reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n\
         mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, {name}_words;\nadd.u32 %r4, %r3, %r2;\n\
         st.shared.u32 [%r4], %r1;\nld.param.u64 %rd1, [{name}_param_0];\nld.param.u32 %r7, [{name}_param_1];\n\
         {middle}\nxor.b32 %r2, %r2, 128;\nadd.u32 %r4, %r3, %r2;\nld.shared.u32 %r5, [%r4];\n\
         st.global.u32 [%rd1], %r5;\nret;\n}}\n"
    )
}

const RIGHT: &str = "bar.sync 0;";
const WRONG: &str = "";
const OPEN: &str = "ld.global.u32 %r6, [%rd1]; bar.sync %r6;\nbar.sync 0;";
const CONDITIONAL: &str = "L: ld.volatile.global.u32 %r6, [%rd1]; setp.ne.u32 %p1, %r6, 0; @%p1 bra L;\nbar.sync 0;";

/// A folder with these files, each with one kernel.
fn folder(kernels: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, middle) in kernels {
        std::fs::write(folder.path().join(format!("{name}.ptx")), format!("{HEADER}{}", kernel(name, middle))).unwrap();
    }
    folder
}

const ALL: [(&str, &str); 4] = [("right", RIGHT), ("wrong", WRONG), ("open", OPEN), ("conditional", CONDITIONAL)];

#[test]
fn the_worst_verdict_that_fails_decides_the_exit_code() {
    let folder = folder(&ALL);
    let code = |names: &[&str], more: &[&str]| {
        let files: Vec<String> = names.iter().map(|name| format!("{name}.ptx")).collect();
        let words: Vec<&str> =
            files.iter().map(String::as_str).chain(["--threads", "64"]).chain(more.iter().copied()).collect();
        let Answer { code, out, err } = verify(folder.path(), &words);
        assert!(code.is_some() && !err.contains("panicked"), "{out}{err}");
        code.unwrap()
    };
    for (name, default) in [("right", 0), ("wrong", 3), ("open", 3), ("conditional", 3)] {
        assert_eq!(code(&[name], &[]), default, "{name}");
    }
    assert_eq!(code(&["conditional"], &["--assume"]), 0);
    assert_eq!(code(&["open"], &["--assume"]), 3);
    for (name, chosen) in [("right", 0), ("wrong", 1), ("open", 2), ("conditional", 0)] {
        assert_eq!(code(&[name], &["--fail-on", "wrong=1,open=2"]), chosen, "{name}");
    }
    let all = ["right", "conditional", "open", "wrong"];
    assert_eq!(code(&all, &["--fail-on", "wrong=1,open=2"]), 1);
    assert_eq!(code(&all[..3], &["--fail-on", "open=2,wrong=1"]), 2);
    assert_eq!(code(&all, &["--fail-on", "conditional=7"]), 7);
    assert_eq!(code(&all, &["--fail-on", "none"]), 0);
    assert_eq!(code(&["wrong"], &["--fail-on", "open"]), 0);
    assert_eq!(code(&["right"], &["--fail-on", "proven"]), 2);
    assert_eq!(code(&["wrong"], &["--assume", "--fail-on", "open"]), 2);
    // A file that cannot be read does not keep the others from their verdicts, and is wrong input.
    let Answer { code, out, err } = verify(folder.path(), &["absent.ptx", "right.ptx", "--threads", "64"]);
    assert!(code == Some(1) && out.contains("right: proven") && err.contains("cli::unreadable"), "{out}{err}");
    let answer = verify(folder.path(), &["absent.ptx", "right.ptx", "--threads", "64", "--json"]);
    let list = answer.json();
    assert_eq!(answer.code, Some(1));
    assert_eq!((&list[0]["status"], &list[1]["diagnostic"]["id"]), (&"proven".into(), &"cli::unreadable".into()));
}

/// However many work at a time, the answer is the same.
#[test]
fn many_kernels_are_proven_side_by_side() {
    let names: Vec<String> = (0..24).map(|n| format!("k{n:02}")).collect();
    let kernels: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), RIGHT)).collect();
    let folder = folder(&kernels);
    let files: Vec<String> = names.iter().map(|name| format!("{name}.ptx")).collect();
    let mut words: Vec<&str> = files.iter().map(String::as_str).chain(["--threads", "64", "--jobs", "1"]).collect();
    let one = verify(folder.path(), &words);
    *words.last_mut().unwrap() = "8";
    let eight = verify(folder.path(), &words);
    assert!(one.code == Some(0) && one.out == eight.out && one.err == eight.err, "{}{}", eight.out, eight.err);
    let places: Vec<usize> = names.iter().map(|name| one.out.find(&format!("{name}: proven")).unwrap()).collect();
    assert!(places.is_sorted());
}

#[test]
fn known_findings_do_not_fail_and_new_ones_do() {
    let folder = folder(&[("one", WRONG), ("two", RIGHT)]);
    let path = folder.path();
    let run = |more: &[&str]| {
        verify(path, &[&["one.ptx", "two.ptx", "--threads", "64", "--baseline", "known.json"], more].concat())
    };
    assert_eq!(run(&[]).code, Some(1), "there is no baseline yet");
    let written = run(&["--write-baseline"]);
    assert!(written.code == Some(0) && written.err.contains("known.json: 3 findings"), "{}", written.err);
    let known = run(&[]);
    assert!(known.code == Some(0) && known.out.contains("known: 3 of 3 findings"), "{}{}", known.out, known.err);
    assert!(known.out.contains("one: wrong") && !known.err.contains("verify::violation"), "{}{}", known.out, known.err);
    // Other lines and registers are the same finding.
    let text = std::fs::read_to_string(path.join("one.ptx")).unwrap();
    let moved = text.replace("mov.u32 %r1,", "// moved\nmov.u32 %r6, 5;\nmov.u32 %r1,").replace("%r5", "%r8");
    std::fs::write(path.join("one.ptx"), moved).unwrap();
    assert_eq!(run(&[]).code, Some(0));
    // A finding of another kernel is new, and fails.
    std::fs::write(path.join("two.ptx"), format!("{HEADER}{}", kernel("two", WRONG))).unwrap();
    let new = run(&["--json"]);
    let list = new.json();
    assert_eq!(new.code, Some(3));
    assert_eq!((&list[0]["status"], &list[0]["status_of_new"]), (&"wrong".into(), &"proven".into()));
    assert_eq!((&list[0]["findings"][0]["known"], &list[1]["findings"][0]["known"]), (&true.into(), &false.into()));
    // A mended finding is told, and leaves the baseline when it is written again.
    std::fs::write(path.join("one.ptx"), format!("{HEADER}{}", kernel("one", RIGHT))).unwrap();
    let gone = run(&["--fail-on", "none"]);
    assert!(gone.err.contains("3 findings of known.json are gone"), "{}", gone.err);
    assert_eq!(run(&["--write-baseline"]).code, Some(0));
    assert!(!std::fs::read_to_string(path.join("known.json")).unwrap().contains("\"one\""));
    // A file of somebody else is neither taken for a baseline nor replaced.
    std::fs::write(path.join("known.json"), "{}").unwrap();
    assert!(run(&[]).err.contains("verify::baseline"));
    assert!(run(&["--write-baseline"]).err.contains("output::not-ours"));
    assert_eq!(std::fs::read_to_string(path.join("known.json")).unwrap(), "{}");
}

#[test]
fn sarif_keeps_the_rules_of_the_standard() {
    let folder = folder(&ALL);
    let path = folder.path();
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    for file in ["softmax.ptx", "softmax.cu"] {
        std::fs::copy(check.join(file), path.join(file)).unwrap();
    }
    std::fs::write(path.join("no.ptx"), ".version 7.0\n.target sm_70\n.entry k() { bar.sync 0 ret; }\n").unwrap();
    let words = [
        "right.ptx", "wrong.ptx", "open.ptx", "conditional.ptx", "softmax.ptx", "absent.ptx", "no.ptx", "--threads",
        "64",
    ];
    let written = |more: &[&str]| {
        let answer = verify(path, &[&words[..], &["--sarif", "out.sarif"], more].concat());
        assert_eq!(answer.code, Some(1), "{}{}", answer.out, answer.err);
        let log: Value = serde_json::from_str(&std::fs::read_to_string(path.join("out.sarif")).unwrap()).unwrap();
        sarif::check(&log);
        log
    };
    let log = written(&[]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |kernel: &str| results.iter().find(|result| result["properties"]["kernel"] == kernel).unwrap();
    let said =
        |result: &Value| (result["kind"].as_str().unwrap().to_owned(), result["level"].as_str().unwrap().to_owned());
    let pair = |kind: &str, level: &str| (kind.to_owned(), level.to_owned());
    assert_eq!(said(of("wrong")), pair("fail", "error"));
    assert_eq!(said(of("open")), pair("fail", "warning"));
    assert!(results.iter().all(|result| result["properties"]["kernel"] != "right"));
    assert_eq!(of("wrong")["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "wrong.ptx");
    // The lines are those of the source, with both accesses and a flow for each of the two warps.
    let race = results.iter().find(|one| one["ruleId"] == "race" && one["properties"]["kernel"] == "softmax").unwrap();
    let physical = &race["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "softmax.cu", "{race:#}");
    assert_eq!(physical["region"]["startLine"], 27, "{race:#}");
    let snippet = "for (int w = 1; w < warps; ++w) most = fmaxf(most, part[w]);";
    assert_eq!(physical["region"]["snippet"]["text"], snippet);
    let other = &race["relatedLocations"][1]["physicalLocation"]["region"];
    assert_eq!(other["snippet"]["text"], "if (lane == 0) part[warp] = sum;");
    assert_eq!(race["relatedLocations"].as_array().unwrap().len(), 2);
    assert_eq!(race["codeFlows"][0]["threadFlows"].as_array().unwrap().len(), 2);
    let notifications = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notifications[0]["descriptor"]["id"], "cli::unreadable");
    assert_eq!(notifications[1]["descriptor"]["id"], "ptx::semicolon");
    assert_eq!(notifications[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    // A finding that does not fail has another kind, for which the standard demands no level.
    let lenient = written(&["--fail-on", "wrong"]);
    let results = lenient["runs"][0]["results"].as_array().unwrap();
    let kinds: Vec<_> = results.iter().map(said).collect();
    assert!(kinds.contains(&pair("open", "none")) && kinds.contains(&pair("review", "none")), "{kinds:?}");
    // With a baseline each result has a state.
    verify(path, &[&words[..5], &["--threads", "64", "--baseline", "b.json", "--write-baseline"]].concat());
    let compared = written(&["--baseline", "b.json"]);
    let results = compared["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["baselineState"] == "unchanged"), "{results:#?}");
    std::fs::write(path.join("out.sarif"), "mine").unwrap();
    assert!(verify(path, &["right.ptx", "--threads", "64", "--sarif", "out.sarif"]).err.contains("output::not-ours"));
}

#[test]
fn lines_are_those_of_cuda_triton_and_numba() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let triton = kernel("_add", "\t.loc\t1 12 8                          // kernel.py:12:8\n")
        .replace("st.shared", "\t.loc\t1 9 4                           // kernel.py:9:4\nst.shared");
    std::fs::write(path.join("triton.ptx"), format!("{HEADER}{triton}\t.file\t1 \"/home/me/ops/kernel.py\"\n"))
        .unwrap();
    let numba = kernel("_ZN6cudapy8__main__4stepB2v1E5ArrayIfLi1E1C7mutable7alignedE", ".loc 1 6 0\n")
        .replace("st.shared", ".loc 1 3 0\nst.shared");
    std::fs::write(path.join("numba.ptx"), format!("{HEADER}.file 1 \"step.py\"\n{numba}")).unwrap();
    let lines: String = (1..=12).map(|n| format!("    line_{n}()\n")).collect();
    std::fs::write(path.join("kernel.py"), &lines).unwrap();
    std::fs::write(path.join("step.py"), &lines).unwrap();
    let list = verify(path, &["triton.ptx", "numba.ptx", "--threads", "64", "--json"]).json();
    for (number, file, lines, column) in [(0, "kernel.py", [12, 9], 8), (1, "step.py", [6, 3], 0)] {
        let findings = list[number]["findings"].as_array().unwrap();
        let race = findings.iter().find(|finding| finding["rule"] == "race").unwrap();
        let [write, read] = [0, 1].map(|n| &race["accesses"][n]["source"][0]);
        assert_eq!((&read["file"], &read["line"]), (&file.into(), &lines[0].into()), "{race:#}");
        assert_eq!((&write["file"], &write["line"]), (&file.into(), &lines[1].into()), "{race:#}");
        assert_eq!(read["excerpt"], format!("line_{}()", lines[0]));
        assert_eq!(read["column"].as_u64().unwrap_or(0), column);
        assert_eq!(race["accesses"][0]["access"], "write");
    }
    // A function of a package that was inlined is the package's: the caller's line is shown, and both are told.
    let inlined = std::fs::read_to_string(path.join("triton.ptx")).unwrap();
    let package = "site-packages/triton/language/standard.py";
    std::fs::create_dir_all(path.join(package).parent().unwrap()).unwrap();
    std::fs::write(path.join(package), &lines).unwrap();
    let inlined = inlined.replace(
        "\t.loc\t1 9 4 ",
        &format!("\t.file\t2 \"{package}\"\n\t.loc\t2 3 1, function_name $L__info_string0, inlined_at 1 9 4 "),
    );
    std::fs::write(path.join("inlined.ptx"), inlined).unwrap();
    let list = verify(path, &["inlined.ptx", "--threads", "64", "--json"]).json();
    let findings = list[0]["findings"].as_array().unwrap();
    let race = findings.iter().find(|finding| finding["rule"] == "race").unwrap();
    let own = |n: usize| {
        let place = &race["accesses"][0]["source"][n];
        (place["file"].as_str().unwrap(), place["line"].as_u64().unwrap(), place["shown"].as_bool().unwrap())
    };
    assert_eq!([own(0), own(1)], [(package, 3, false), ("kernel.py", 9, true)], "{race:#}");
    // The messages quote the source; without it they name the line.
    let told = verify(path, &["triton.ptx", "--threads", "64"]);
    assert!(told.err.contains("kernel.py:12:") && told.err.contains("line_12()"), "{}", told.err);
    assert!(told.out.contains("kernel.py:9: line_9()"), "{}", told.out);
    std::fs::remove_file(path.join("kernel.py")).unwrap();
    let told = verify(path, &["triton.ptx", "--threads", "64"]);
    assert!(
        told.out.contains("/home/me/ops/kernel.py:9") && told.err.contains("triton.ptx:"),
        "{}{}",
        told.out,
        told.err
    );
}

/// The bug of the guide: storage is used again while other warps still read it.
#[test]
fn a_race_has_its_accesses_threads_barriers_and_an_interleaving() {
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let list = verify(&check, &["softmax.ptx", "repaired.ptx", "--launch", "launch.toml", "--json"]).json();
    assert_eq!((&list[0]["status"], &list[1]["status"]), (&"wrong".into(), &"proven".into()), "{list:#}");
    let findings = list[0]["findings"].as_array().unwrap();
    let race = findings.iter().find(|finding| finding["rule"] == "race").unwrap();
    let accesses = race["accesses"].as_array().unwrap();
    assert_eq!(accesses.len(), 2, "{race:#}");
    assert_eq!((&accesses[0]["access"], &accesses[1]["access"]), (&"read".into(), &"write".into()));
    // One lane writes, all lanes of another warp read, both behind the first barrier and before the second.
    assert_eq!(accesses[0]["lanes"].as_array().unwrap().len(), 32);
    assert_eq!(accesses[1]["lanes"], serde_json::json!([0]));
    let [reader, writer] = [0, 1].map(|n| accesses[n]["warp"].as_u64().unwrap());
    assert!(writer != reader && accesses[1]["threads"] == serde_json::json!([32 * writer]), "{race:#}");
    for access in accesses {
        assert_eq!(access["barriers_before"], 1, "{race:#}");
        assert_eq!(access["last_barrier"]["source"][0]["line"], 25, "{race:#}");
    }
    let steps = race["interleaving"].as_array().unwrap();
    let what: Vec<&str> = steps.iter().map(|step| step["what"].as_str().unwrap()).collect();
    assert_eq!(what.len(), 4, "{what:?}");
    assert!(what[0].contains("passes its first barrier") && what[1].contains("passes its first barrier"), "{what:?}");
    assert!(what[2].contains("writes") && what[3].contains("reads") && what[3].contains("nothing orders"), "{what:?}");
}

/// The steps of a violation: who waits for what, who comes when.
#[test]
fn deadlocks_and_lanes_have_an_interleaving_too() {
    let half = "setp.lt.u32 %p1, %r1, 32; @%p1 bra L; bar.sync 1, 64; L:\nbar.sync 0;";
    let folder = folder(&[("stuck", half), ("lanes", RIGHT)]);
    let path = folder.path();
    let lanes = std::fs::read_to_string(path.join("lanes.ptx")).unwrap().replace("%r2, %r2, 128", "%r2, %r2, 4");
    std::fs::write(path.join("lanes.ptx"), lanes.replace("bar.sync 0;", "")).unwrap();
    let list = verify(path, &["stuck.ptx", "lanes.ptx", "--threads", "64", "--json"]).json();
    let finding = |number: usize| &list[number]["findings"][0];
    assert_eq!(finding(0)["rule"], "deadlock", "{:#}", list[0]);
    let steps = finding(0)["interleaving"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["what"].as_str().unwrap().contains("waits for ever")) && !steps.is_empty());
    assert_eq!(finding(1)["rule"], "lane-race", "{:#}", list[1]);
    let own: Vec<usize> = (0..2).map(|n| finding(1)["accesses"][n]["lanes"].as_array().unwrap().len()).collect();
    assert_eq!(own, [1, 1], "{:#}", finding(1));
}

#[test]
fn launches_are_found_by_name_and_parameters_by_name_or_position() {
    let folder = folder(&[]);
    let path = folder.path();
    // The barrier counts as many threads as the parameter says.
    let counted = "bar.sync 0, %r7;";
    let kernels = ["_Z4stepPfi", "other", "debug_dump"].map(|name| kernel(name, counted)).concat();
    std::fs::write(path.join("k.ptx"), format!("{HEADER}{kernels}")).unwrap();
    let run = |text: &str| {
        std::fs::write(path.join("launch.toml"), text).unwrap();
        verify(path, &["k.ptx", "--launch", "launch.toml", "--json"])
    };
    let step = "[[launch]]\nkernel = \"step\"\nblock = [64]\nnames = [\"x\", \"n\"]\nparameters = { n = 64 }\n";
    let other = "[[launch]]\nkernel = \"oth*\"\nblock = 128\ngrid = [2, 2]\nshared = 64\nparameters = { 1 = 128 }\n";
    let skipped = "[[launch]]\nkernel = \"debug*\"\nskip = true\n";
    let answer = run(&[step, other, skipped].concat());
    let list = answer.json();
    assert_eq!(answer.code, Some(0), "{list:#}");
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(list[1]["launch"], serde_json::json!({ "grid": [2, 2, 1], "block": [128, 1, 1], "shared": 64 }));
    // A wrong count is found, two launches are two verdicts, and a kernel without a launch is not forgotten.
    let twice = [step, &step.replace("n = 64", "n = 32"), other, skipped].concat();
    let list = run(&twice).json();
    assert_eq!(list.as_array().unwrap().len(), 3, "{list:#}");
    assert_eq!((&list[0]["status"], &list[1]["status"]), (&"proven".into(), &"wrong".into()));
    let refused = run(&[step, other].concat());
    assert!(
        refused.code == Some(1) && refused.out.contains("debug_dump: nothing says how many threads"),
        "{}",
        refused.out
    );
    let unnamed = run(&[step, other, skipped, "[[launch]]\nkernel = \"gone\"\nblock = 32\n"].concat());
    assert!(unnamed.err.contains("no kernel is called gone"), "{}", unnamed.err);
    let wrong = run(&[&step.replace("n = 64", "m = 64"), other, skipped].concat());
    assert!(wrong.code == Some(1) && wrong.out.contains("has no parameter m"), "{}", wrong.out);
    // The launch that the simulator takes does as well, and .reqntid needs none.
    let one = "kernel = \"other\"\nthreads = 64\n[[arguments]]\nlength = 64\noutput = true\n[[arguments]]\nu32 = 64\n";
    std::fs::write(path.join("sim.toml"), one).unwrap();
    let words = ["k.ptx", "--launch", "sim.toml", "--kernel", "other"];
    assert_eq!(verify(path, &words).code, Some(0));
    let required = kernel("k", RIGHT).replace(")\n{", ")\n.reqntid 64, 1, 1\n{");
    std::fs::write(path.join("required.ptx"), format!("{HEADER}{required}")).unwrap();
    assert_eq!(verify(path, &["required.ptx"]).code, Some(0));
}

fn nvcc() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(".toolchain/cuda13/nvidia/cu13");
    root.join("bin/nvcc").exists().then_some(root)
}

/// PTX inside what nvcc writes, under each compression, and lines of the source that it was made of.
#[test]
fn ptx_is_read_from_fat_binaries_and_objects() {
    let Some(cuda) = nvcc() else { return skip::skip("nvcc is absent (`cargo xtask toolchain` installs it)") };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    for file in ["softmax.cu", "launch.toml"] {
        std::fs::copy(check.join(file), path.join(file)).unwrap();
    }
    let include = cuda.join("include");
    let made = |name: &str, more: &[&str]| {
        let mut command = Command::new(cuda.join("bin/nvcc"));
        command.arg("-I").arg(&include).args(["-lineinfo", "softmax.cu", "-o", name]).args(more);
        let output = command.current_dir(path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let both = ["-gencode", "arch=compute_80,code=[sm_80,compute_80]"];
    for mode in ["none", "speed", "balance", "size"] {
        let compress = format!("--compress-mode={mode}");
        made(&format!("{mode}.fatbin"), &[&both[..], &["-fatbin", &compress]].concat());
    }
    made("softmax.ptx", &["-arch=sm_80", "-ptx"]);
    made("lines.cubin", &["-arch=sm_80", "-cubin"]);
    let mut files = vec!["none.fatbin", "speed.fatbin", "balance.fatbin", "size.fatbin", "softmax.ptx"];
    if Command::new("g++").arg("--version").output().is_ok() {
        made("softmax.o", &[&both[..], &["-c"]].concat());
        files.push("softmax.o");
    }
    let list = verify(path, &[&files[..], &["--launch", "launch.toml", "--json"]].concat()).json();
    assert_eq!(list.as_array().unwrap().len(), files.len(), "{list:#}");
    for (verdict, file) in list.as_array().unwrap().iter().zip(files) {
        assert_eq!(verdict["status"], "wrong", "{file}");
        assert!(verdict["file"].as_str().unwrap().starts_with(file), "{verdict:#}");
        let race = verdict["findings"].as_array().unwrap().iter().find(|one| one["rule"] == "race").unwrap();
        assert_eq!(
            (&race["source"][0]["file"], &race["source"][0]["line"]),
            (&"softmax.cu".into(), &27.into()),
            "{file}"
        );
    }
    // A cubin has the text with -lineinfo and -g alone.
    let plain = ["-I", include.to_str().unwrap(), "-arch=sm_80", "-cubin", "softmax.cu", "-o", "plain.cubin"];
    let output = Command::new(cuda.join("bin/nvcc")).args(plain).current_dir(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let none = verify(path, &["plain.cubin", "--threads", "64"]);
    assert!(none.code == Some(1) && none.err.contains("verify::no-ptx"), "{}", none.err);
    let debug = verify(path, &["lines.cubin", "--launch", "launch.toml"]);
    assert!(debug.code == Some(3) && debug.out.contains("softmax: wrong"), "{}{}", debug.out, debug.err);
}

/// Old names work for a version, and tell the new one in one line.
#[test]
fn old_names_of_the_tools_work_and_tell_the_new_ones() {
    let folder = folder(&[("right", RIGHT)]);
    let run = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_singe")).current_dir(folder.path()).args(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for (tool, more) in [
        ("verify", &["right.ptx", "--threads", "64"][..]),
        ("analyze", &["right.ptx"]),
        ("opt", &["right.ptx", "--pass", "dce"]),
        ("occupancy", &["--threads", "64"]),
    ] {
        let (code, new, told) = run(&[&["ptx", tool], more].concat());
        assert_eq!(code, Some(0), "{told}");
        assert!(!told.contains("now"), "{told}");
        let (code, old, told) = run(&[&[tool], more].concat());
        assert_eq!((code, &old), (Some(0), &new), "{told}");
        let line =
            format!("warning: `singe {tool}` is `singe ptx {tool}` now; the next version has the new name alone");
        assert_eq!(told.lines().filter(|told| *told == line).count(), 1, "{told}");
    }
    let (code, help, _) = run(&["ptx", "--help"]);
    assert!(code == Some(0) && help.lines().count() < 45, "{help}");
    for tool in ["verify", "analyze", "opt", "sim", "time", "occupancy"] {
        assert!(help.contains(&format!("  {tool} ")), "{tool}: {help}");
    }
    let (_, help, _) = run(&["help", "ptx", "verify"]);
    assert!(help.contains("--fail-on"), "{help}");
}
