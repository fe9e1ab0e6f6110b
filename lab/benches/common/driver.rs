//! Projects for CPUs, built by g++ and timed by their own drivers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The driver of the project in the folder, built with these flags; nothing where there is no compiler.
pub fn built(folder: &Path, build: &str, flags: &[&str]) -> Option<PathBuf> {
    let program = folder.join(build);
    let sources: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    let sources = sources.iter().filter(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    let options = ["-std=c++17", "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-Wno-psabi"];
    let compiled = Command::new("g++").args(options).args(flags).args(sources).arg("-o").arg(&program).output().ok()?;
    succeeded(&compiled);
    Some(program)
}

/// The driver's timings.
pub fn timed(program: &Path, sizes: [&str; 4], threads: u32) -> Vec<Value> {
    let json = program.with_extension("json");
    let run = Command::new(program).args(sizes).args(["--threads", &threads.to_string(), "--json"]).arg(&json).output();
    succeeded(&run.expect("the driver was built"));
    let text = std::fs::read_to_string(json).expect("the driver writes its timings");
    let result: Value = serde_json::from_str(&text).expect("timings are JSON");
    result["timings"].as_array().cloned().expect("timings are a list")
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub fn of_a_core(timings: &[Value], kernel: &str) -> f64 {
    number(timings, kernel, "points_per_second_of_a_core")
}

pub fn number(timings: &[Value], kernel: &str, what: &str) -> f64 {
    let timing = timings.iter().find(|timing| timing["kernel"] == kernel).expect("every kernel is timed");
    timing[what].as_f64().expect("a number")
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn cpu_name() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown");
    let has = |flag: &str| info.contains(flag);
    let width = if has("avx512f") {
        "AVX-512"
    } else if has("avx2") {
        "AVX2"
    } else {
        "128-bit vectors"
    };
    format!("{}, {width}", name.trim_start_matches(['\t', ' ', ':']))
}

fn compiler() -> String {
    let output = Command::new("g++").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("no g++").to_owned()
}

/// The machine, and what else it does, for the head of a page.
pub fn this_machine() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!("{}; {}; load average {}", cpu_name(), compiler(), load.split(' ').next().unwrap_or("unknown"))
}
