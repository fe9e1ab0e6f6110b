//! The table of all targets: what the simulator and the real compilers say of every kernel on each of them, and what nvcc says
//! of whole projects.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::{amd_projects, projects};
use xtask::{pages, program};

/// Every machine description, oldest first.
const TARGETS: [&str; 14] = [
    "fermi",
    "kepler",
    "kepler-gk210",
    "maxwell",
    "pascal",
    "volta",
    "turing",
    "ampere",
    "ampere-ga10x",
    "ada",
    "hopper",
    "blackwell",
    "blackwell-ultra",
    "blackwell-gb20x",
];

/// Compiles a mechanism for every target and builds whole projects; writes `docs/lab/targets.md` and `docs/lab/targets.json`.
///
/// Errors: a compilation or a build fails, or the files cannot be written.
pub fn write(root: &Path, mechanism: &str, warps: &str) -> Result<(), String> {
    let mut rows = Vec::new();
    let bar = pages::bar(TARGETS.len());
    for target in TARGETS {
        bar.set_message(target);
        bar.tick();
        let report = compile(root, mechanism, warps, target)?;
        bar.inc(1);
        for kernel in report["kernels"].as_array().into_iter().flatten() {
            rows.push(row(target, &report, kernel));
        }
    }
    bar.finish_and_clear();
    let mut built = projects::build(root)?;
    built.extend(amd_projects::build(root, "")?);
    save(root, mechanism, warps, &rows, &built)
}

/// Builds projects for AMD alone, of mechanisms whose names start with the word; all other rows stay as they are.
///
/// Errors: as of `write`.
pub fn write_amd(root: &Path, only: &str) -> Result<(), String> {
    let last = pages::last(root, "targets.json");
    let of = |name: &str| last[name].as_array().cloned().unwrap_or_default();
    let word = |name: &str| last[name].as_str().unwrap_or_default();
    let mut built = of("projects");
    for row in amd_projects::build(root, only)? {
        let same = |old: &Value| ["architecture", "mechanism", "remark"].iter().all(|key| old[key] == row[key]);
        match built.iter_mut().find(|old| same(old)) {
            Some(old) => *old = row,
            None => built.push(row),
        }
    }
    save(root, word("mechanism"), word("warps"), &of("rows"), &built)
}

fn save(root: &Path, mechanism: &str, warps: &str, rows: &[Value], built: &[Value]) -> Result<(), String> {
    pages::write(root, "targets.md", &page(mechanism, warps, rows, built))?;
    pages::write(
        root,
        "targets.json",
        &format!("{:#}\n", json!({ "mechanism": mechanism, "warps": warps, "rows": rows, "projects": built })),
    )
}

fn compile(root: &Path, mechanism: &str, warps: &str, target: &str) -> Result<Value, String> {
    let folder = root.join("target").join("targets").join(target);
    let output = program::cargo(root)
        .args(["run", "--release", "--quiet", "--", mechanism, "--warps", warps, "--target", target, "--json"])
        .args(["--emit", "report", "-o"])
        .arg(&folder)
        .output()
        .map_err(|e| format!("cargo cannot be run: {e}"))?;
    if !output.status.success() {
        return Err(format!("{target}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("{target}: the report is no JSON: {e}"))
}

/// Returns the table's row for a kernel.
fn row(target: &str, report: &Value, kernel: &Value) -> Value {
    let (verified, compiled, machine) = (&kernel["verification"], &kernel["compiled"], &kernel["machine"]);
    json!({
        "target": target,
        "architecture": report["target"],
        "kernel": kernel["kernel"],
        "form": kernel["form"],
        "states": verified["states"],
        "largest_error": verified["largest_error"],
        "tolerance": verified["tolerance"],
        "compilers": compiled["compilers"],
        "registers": compiled["registers"],
        "spill_store_bytes": compiled["spill_store_bytes"],
        "spill_load_bytes": compiled["spill_load_bytes"],
        "barriers": compiled["barriers"],
        "shared_bytes": kernel["shared_bytes"],
        "ctas_per_sm": machine["ctas_per_sm"],
        "limited_by": machine["limited_by"],
        "busiest_pipe_ns": machine["busiest_pipe_ns"],
    })
}

fn page(mechanism: &str, warps: &str, rows: &[Value], built: &[Value]) -> String {
    let mut out = format!(
        "# Every target\n\n\
         `{mechanism}` with {warps} warps per CTA, on every target: verified in the simulator, and compiled by the compilers\n\
         named in the last column. `cargo lab targets` makes this page and `targets.json`.\n\n\
         Spills are bytes stored + loaded per thread. CTAs per SM follow from registers, shared memory and named barriers.\n\
         A dash stands where the compilers for a target are not installed.\n\n\
         | target | kernel | form | states | largest error | registers | spills | barriers | shared bytes | CTAs per SM | compilers |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for row in rows {
        let number = |name: &str| row[name].as_u64().map_or("–".to_owned(), |n| n.to_string());
        let spills = match (row["spill_store_bytes"].as_u64(), row["spill_load_bytes"].as_u64()) {
            (Some(stored), Some(loaded)) => format!("{stored} + {loaded}"),
            _ => "–".to_owned(),
        };
        let error = match (row["largest_error"].as_f64(), row["tolerance"].as_f64()) {
            (Some(error), Some(allowed)) => format!("{error:.1e} (≤ {allowed:.0e})"),
            _ => "–".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {error} | {} | {spills} | {} | {} | {} | {} |",
            row["architecture"].as_str().unwrap_or_default(),
            row["kernel"].as_str().unwrap_or_default(),
            row["form"].as_str().unwrap_or_default(),
            number("states"),
            number("registers"),
            number("barriers"),
            number("shared_bytes"),
            number("ctas_per_sm"),
            row["compilers"].as_str().unwrap_or("–"),
        );
    }
    out += "\n## Whole projects\n\n\
            Each project holds all kernels in two layouts, overlay and data-parallel code. CMake builds it inside a project of a host\n\
            code with programs in each language; every warning of nvcc, of the compilers that it calls and of those of the host code\n\
            is an error. A kernel that needs more than 49152 bytes of shared memory asks for them at launch. nvcc 13 compiles for\n\
            sm_75 and later; a test compiles the host half of every target's kernels with a C++ compiler.\n\n\
            For AMD there is no ROCm here: Clang makes a code object of every kernel and Zig's linker links it, and the host's compilers\n\
            build the project, its driver and the host codes against a stand-in for HIP. It runs the driver, whose values are compared\n\
            with the reference. `cargo lab targets-amd` makes these rows alone.\n\n";
    out + &projects::table(built)
}
