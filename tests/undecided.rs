//! Where what is assumed of a GPU decides which version of a kernel is the fastest, the project has both.

use std::fs::{read_to_string, write};
use std::path::Path;
use std::process::Command;

use machine::target::Target;
use machine::toolchain;
use serde_json::Value;
use testkit::project::{self, cuda13, has_gpu, run, there};
use testkit::shipped;
use testkit::skip;

/// Targets on one of which a version of hydrogen's chemistry is undecided.
const TARGETS: [&str; 2] = ["hopper", "volta"];

/// Whether compilers and a disassembler are there, without which nothing is timed.
fn timed(target: &str) -> bool {
    let arch = Target::by_name(target).unwrap().compute_capability;
    let absent = toolchain::find_for(arch).and_then(|_| toolchain::disassembler(arch)).err();
    absent.iter().for_each(skip::skip);
    absent.is_none()
}

/// The project of hydrogen's chemistry for a target: what its report says of the chosen version and of those behind it, and the short report.
fn compiled(target: &str, emit: &str, out: &Path) -> (Vec<Value>, String) {
    let mut command = assert_cmd::Command::cargo_bin("singe").unwrap();
    command.arg(shipped("h2o2")).args(["--kernel", "chemistry", "--target", target, "--emit", emit, "-o"]).arg(out);
    let ended = command.args(["--verify", "32"]).assert().success();
    let short = String::from_utf8(ended.get_output().stdout.clone()).unwrap();
    let report: Value = serde_json::from_str(&read_to_string(out.join("report.json")).unwrap()).unwrap();
    (report["kernels"].as_array().unwrap().clone(), short)
}

fn is_undecided(chosen: &Value) -> bool {
    chosen["layouts"].as_array().unwrap().iter().any(|layout| layout["undecided"] == true)
}

#[test]
fn both_versions_are_kept_where_a_driver_tells() {
    let mut undecided = 0;
    for target in TARGETS {
        if !timed(target) {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let (kernels, short) = compiled(target, "host,report", folder.path());
        let second = is_undecided(&kernels[0]);
        assert_eq!(kernels.len(), 1 + usize::from(second), "{target}");
        assert_eq!(kernels[0]["symbol"], "h2o2_chemistry");
        if !second {
            continue;
        }
        undecided += 1;
        assert_eq!(kernels[1]["symbol"], "h2o2_chemistry_alternative");
        assert!(short.contains("h2o2_chemistry_alternative may be faster or take up to "), "{short}");
        is_whole(folder.path(), &kernels);
        for_cpus_both_are_one(folder.path());
        builds_and_compares(folder.path(), target);
    }
    assert!(undecided > 0, "none of the targets is undecided: try others");
}

#[test]
fn without_a_driver_one_version_is_kept() {
    if !TARGETS.into_iter().all(timed) {
        return;
    }
    let has_one = |target: &str| {
        let folder = tempfile::tempdir().unwrap();
        let (kernels, _) = compiled(target, "cuda,report", folder.path());
        assert_eq!(kernels.len(), 1, "{target}");
        is_undecided(&kernels[0])
    };
    assert!(TARGETS.into_iter().any(has_one), "none of the targets is undecided: try others");
}

/// The short report has the range of a predicted time, and its steady state, whether the kernel is verified or not.
#[test]
fn times_are_predicted_without_verification() {
    if !timed("hopper") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = assert_cmd::Command::cargo_bin("singe").unwrap();
    command.arg(shipped("h2o2")).args(["--kernel", "conductivity", "--target", "hopper", "--emit", "cuda,report"]);
    let printed = command.args(["--verify", "off", "-o"]).arg(folder.path()).assert().success();
    let report: Value = serde_json::from_str(&read_to_string(folder.path().join("report.json")).unwrap()).unwrap();
    let prediction = &report["kernels"][0]["prediction"];
    assert!(prediction["settled"]["turns"].as_u64() >= Some(16), "{prediction}");
    let [least, most] = [0, 1].map(|at| prediction["settled"]["range_ns"][at].as_f64().unwrap());
    let time = prediction["nanoseconds_per_point"].as_f64().unwrap();
    assert!(least <= time && time <= most, "{least} to {most}: {time}");
    let floor = report["kernels"][0]["machine"]["bandwidth_floor_ns"].as_f64().unwrap();
    assert!(least >= floor, "{least} for {floor}");
    let printed = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    assert!(printed.contains(&format!("{time:.2} ns (")), "{printed}");
}

/// The second version has a text, an entry of the header, and a figure of its own: that of the fastest version that may be faster.
fn is_whole(folder: &Path, kernels: &[Value]) {
    let text = |name: &str| read_to_string(folder.join(name)).unwrap();
    let [shipped, other] = ["h2o2_chemistry.cu", "h2o2_chemistry_alternative.cu"].map(text);
    assert!(!shipped.contains("alternative"));
    assert_ne!(other.replace("_alternative", ""), shipped, "another version");
    let header = text("h2o2.h");
    assert!(header.contains("int h2o2_chemistry_alternative_launch(const struct h2o2_context *context"), "{header}");
    assert!(header.contains("int chemistry_alternative_ctas;"), "{header}");
    let marked = kernels[0]["layouts"].as_array().unwrap().iter().filter(|layout| layout["undecided"] == true);
    let least = marked.map(|layout| layout["predicted_ns"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert_eq!(kernels[1]["machine"]["predicted_ns"].as_f64(), Some(least));
    let driver = text("h2o2_driver.cu");
    assert!(driver.contains("\"h2o2_chemistry\", \"h2o2_chemistry_alternative\" }"), "{driver}");
    let lines = text("report.txt");
    assert!(lines.lines().any(|line| line.contains(" to ") && line.ends_with("  undecided")), "{lines}");
    assert!(lines.lines().any(|line| line.contains(" to ") && line.ends_with("  chosen")), "{lines}");
}

/// Without a compiler for CUDA the launch functions of both are there, and give the same bits.
fn for_cpus_both_are_one(folder: &Path) {
    if !there("g++") {
        return;
    }
    let program = "#include \"h2o2.h\"\n#include <cstdio>\n#include <cstring>\n#include \"h2o2_reference.h\"\nint main()\n{\n\
        const int n = h2o2_reference_states;\n  static double one[10 * 4096], other[10 * 4096];\n  h2o2_context *context;\n\
        if (h2o2_context_create(&context)) return 1;\n\
        const double *t = h2o2_reference_temperature, *p = h2o2_reference_pressure, *x = h2o2_reference_mole_fractions;\n\
        if (h2o2_chemistry_launch(context, t, p, x, one, n, n, 0)) return 2;\n\
        if (h2o2_chemistry_alternative_launch(context, t, p, x, other, n, n, 0)) return 3;\n\
        std::printf(\"%g\\n\", one[0]);\n\
        return one[0] == 0.0 || std::memcmp(one, other, sizeof *one * 10 * n) ? 4 : 0;\n}\n";
    write(folder.join("both.cpp"), program).unwrap();
    let files = ["both.cpp", "h2o2_context.cpp", "h2o2_chemistry.cpp"];
    project::program("g++", folder, &["-std=c++17", "-O1"], &files, &[], "both");
    run(&mut Command::new(folder.join("both")));
}

/// The project builds, and its driver comes as far as to the question which GPU there is.
fn builds_and_compares(folder: &Path, target: &str) {
    // nvcc 13 compiles for Turing and later
    let (Some(cuda), true, true) = (cuda13(), there("cmake"), target != "volta") else { return };
    let build = folder.join("build");
    project::build(&cuda, folder, &build, &[]);
    if !has_gpu() {
        let driver = Command::new(build.join("h2o2_driver")).status().unwrap();
        assert_eq!(driver.code(), Some(2));
    }
}
