//! Whole generated projects through CMake and nvcc, with host codes in C, C++ and Fortran around them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use xtask::program;

/// A mechanism, by its name and path, and what else the command line says.
pub struct Project {
    pub name: &'static str,
    pub mechanism: &'static str,
    pub options: &'static [&'static str],
    /// Remark for the table.
    pub remark: &'static str,
}

pub const PROJECTS: [Project; 3] = [
    Project { name: "gri30", mechanism: "mechanisms/gri30/chem.inp", options: &[], remark: "complete" },
    Project {
        name: "dme",
        mechanism: "../shared/mechanisms/dme/chem.inp",
        options: &["--reduction", "none"],
        remark: "complete",
    },
    Project { name: "dme", mechanism: "../shared/mechanisms/dme/chem.inp", options: &[], remark: "reduced" },
];

/// The machines of today, which ask for more shared memory than a kernel may declare.
const TARGETS: [&str; 3] = ["ampere", "hopper", "blackwell"];

/// Exit code of a driver that finds no device.
const NO_DEVICE: i32 = 2;

/// Builds every project whose mechanism and whose compilers are there: one row of the table for each. What is left out is
/// told on stderr.
///
/// Errors: a generated project does not build without a remark of a compiler, or its programs do not end as documented.
pub fn build(root: &Path) -> Result<Vec<Value>, String> {
    let nvcc = root.join(".toolchain/cuda13/nvidia/cu13/bin/nvcc");
    if !nvcc.is_file() || !program::runs("cmake", &["--version"]) {
        eprintln!("No project is built: nvcc 13 or CMake is absent (`cargo xtask toolchain` installs them).");
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for project in &PROJECTS {
        if !root.join(project.mechanism).is_file() {
            eprintln!("Not built: {} ({}), whose mechanism is absent.", project.name, project.remark);
            continue;
        }
        for target in TARGETS {
            eprintln!("Building {} ({}) for {target}", project.name, project.remark);
            rows.push(one(root, &nvcc, project, target)?);
        }
    }
    Ok(rows)
}

fn one(root: &Path, nvcc: &Path, project: &Project, target: &str) -> Result<Value, String> {
    const STRICT: &str = "-Wall -Wextra -Werror";
    let Project { name, mechanism, options, remark } = project;
    let folder = root.join("target/projects").join(format!("{name}-{remark}-{target}"));
    let (source, build) = (folder.join(name), folder.join("build"));
    program::output(
        program::cargo(root)
            .args(["run", "--release", "--quiet", "--", mechanism, "--target", target, "--emit", "host,report"])
            .args(["--codegen", "overlay,data-parallel", "--verify", "off,no-compilers", "-o"])
            .arg(&source)
            .args(*options),
    )?;
    let fortran = program::runs("gfortran", &["--version"]);
    program::output(
        Command::new("cmake")
            .arg("-S")
            .arg(root.join("tests/consumer"))
            .arg("-B")
            .arg(&build)
            .arg(format!("-DPROJECT={}", source.display()))
            .arg(format!("-DPREFIX={name}"))
            .arg(format!("-DCMAKE_CUDA_COMPILER={}", nvcc.display()))
            .arg("-DCMAKE_CUDA_FLAGS=-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror")
            .args(["C", "CXX", "Fortran"].map(|language| format!("-DCMAKE_{language}_FLAGS={STRICT}")))
            .args(["--no-warn-unused-cli", if fortran { "-DSINGE_FORTRAN=ON" } else { "-DSINGE_FORTRAN=OFF" }]),
    )?;
    program::output(Command::new("cmake").arg("--build").arg(&build).args(["--parallel", "2"]))?;
    let languages: &[&str] = if fortran { &["c", "cpp", "f90"] } else { &["c", "cpp"] };
    for language in languages {
        program::output(&mut Command::new(build.join(format!("consumer_{language}"))))?;
    }
    let driver = build.join(name).join(format!("{name}_driver"));
    let outcome = Command::new(&driver).output().map_err(|e| format!("{}: {e}", driver.display()))?;
    let checked = match outcome.status.code() {
        Some(0) => true,
        Some(NO_DEVICE) => false,
        _ => return Err(program::failure(&driver.to_string_lossy(), &outcome)),
    };
    row(project, &source, languages, &version(nvcc), if checked { "yes" } else { "no" })
}

/// Returns the table's row for a project, whose report lies in the folder.
///
/// Errors: the report is absent or no JSON.
pub fn row(project: &Project, source: &Path, languages: &[&str], compiler: &str, ran: &str) -> Result<Value, String> {
    let Project { name, remark, .. } = project;
    let path = source.join("report.json");
    let report = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let report: Value = serde_json::from_str(&report).map_err(|e| format!("{}: {e}", path.display()))?;
    let kernels = report["kernels"].as_array().map_or(&[][..], Vec::as_slice);
    Ok(json!({
        "mechanism": name,
        "remark": remark,
        "architecture": report["target"],
        "kernels": kernels.len(),
        "most_shared_bytes": kernels.iter().filter_map(|kernel| kernel["shared_bytes"].as_u64()).max(),
        "languages": languages,
        "compiler": compiler,
        "checked_on_a_device": ran,
    }))
}

/// Rows as a table.
pub fn table(rows: &[Value]) -> String {
    let mut out = String::from(
        "| target | mechanism | kernels | most shared bytes | host codes | compiler | run on a device |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        let languages: Vec<&str> =
            row["languages"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        out += &format!(
            "| {} | {} ({}) | {} | {} | {} | {} | {} |\n",
            text("architecture"),
            text("mechanism"),
            text("remark"),
            row["kernels"],
            row["most_shared_bytes"],
            languages.join(", "),
            text("compiler"),
            text("checked_on_a_device"),
        );
    }
    out
}

/// Returns the version, such as `nvcc 13.0.88`.
fn version(nvcc: &Path) -> String {
    let text = Command::new(nvcc).arg("--version").output().map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let text = text.unwrap_or_default();
    let number = text.split_whitespace().find_map(|word| word.strip_prefix('V'));
    format!("nvcc {}", number.unwrap_or("of an unknown version"))
}
