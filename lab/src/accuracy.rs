//! Accuracy of the kernels on published mechanisms: against the reference evaluator, in the simulator, and against
//! Cantera, as compiled libraries. Writes `docs/lab/accuracy.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use xtask::{cantera, compiler, pages};

/// Kernels, with the arrays of the state that they take.
const KERNELS: [(&str, &str); 14] = [
    ("thermodynamics", "TPX"),
    ("chemistry", "TPX"),
    ("viscosity", "TPX"),
    ("conductivity", "TPX"),
    ("diffusion", "TPX"),
    ("temperature", "HPY"),
    ("isobaric", "TPX"),
    ("isochoric", "TPX"),
    ("jacobian", "TPX"),
    ("isobaric-jacobian", "TPX"),
    ("isochoric-jacobian", "TPX"),
    ("isobaric-jacobian-vector", "TPX"),
    ("isochoric-jacobian-vector", "TPX"),
    ("flux", "TPX"),
];

/// Number of kernels that are compared with Cantera, in the order in which the script prints them.
const COMPARED: usize = 5;

/// Matrices of more species are left out.
const LARGEST_MATRIX: usize = 200;

/// States of each kernel in the simulator.
const STATES: usize = 70;

const SCRIPT: &str = include_str!("accuracy.py");

/// The mechanisms beside the checkout and those that ship, as far as they are there.
fn mechanisms(root: &Path) -> Vec<PathBuf> {
    let folders = ["mechanisms", "../shared/mechanisms"].map(|folder| std::fs::read_dir(root.join(folder)));
    let entries = folders.into_iter().flatten().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path().join("chem.inp")).collect();
    files.retain(|file| file.is_file());
    files.sort_by_key(|file| (name(file), file.clone()));
    files.dedup_by_key(|file| name(file));
    // Small ones first: a run that is cut off leaves what it has.
    files.sort_by_key(|file| std::fs::metadata(file).map_or(0, |metadata| metadata.len()));
    files
}

/// The folder's.
fn name(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name);
    folder.unwrap_or_default().to_string_lossy().into_owned()
}

/// Compiles every kernel of the mechanisms whose names start with `only`, and writes the page.
///
/// Errors: the compiler cannot be built or run, or Cantera is absent.
pub fn write(root: &Path, only: &str) -> Result<(), String> {
    let (compiler, python) = (compiler::built(root)?, cantera::python(root)?);
    let (mut own, mut others, mut left_out) = (String::new(), String::new(), String::new());
    let mut version = String::new();
    for file in mechanisms(root).iter().filter(|file| name(file).starts_with(only)) {
        eprintln!("{}", name(file));
        let folder = root.join("target/accuracy").join(name(file));
        own += &row(&compiler, file, &folder, None)?;
        let reduction = file.with_file_name("reduction.txt");
        if reduction.is_file() {
            own += &row(&compiler, file, &folder, Some(&reduction))?;
        }
        match compared(&compiler, &python, file, &folder) {
            Err(reason) => left_out += &format!("- {}: {reason}\n", name(file)),
            Ok(line) => {
                let mut words = line.split_whitespace();
                version = words.next().unwrap_or_default().to_owned();
                let mut errors: Vec<&str> = words.collect();
                errors.resize(COMPARED, "–");
                others += &format!("| {} | {} |\n", name(file), errors.join(" | "));
            }
        }
        pages::write(root, "accuracy.md", &page(&own, &others, &left_out, &version))?;
    }
    Ok(())
}

/// A row of the table of what the simulator finds: all kernels of a mechanism, or of a reduction of it those with rates.
fn row(compiler: &Path, file: &Path, folder: &Path, reduction: Option<&Path>) -> Result<String, String> {
    let (mut cells, mut species) = (Vec::new(), 0);
    for (kernel, state) in KERNELS {
        let is_same = reduction.is_some() && !has_rates(kernel);
        if is_same || kernel.contains("jacobian") && species > LARGEST_MATRIX {
            cells.push("–".to_owned());
            continue;
        }
        let (count, error) = simulated(compiler, file, reduction, folder, kernel, state)?;
        species = species.max(count);
        cells.push(error);
    }
    let of = if reduction.is_some() { ", reduced" } else { "" };
    Ok(format!("| {}{of} | {species} | {} |\n", name(file), cells.join(" | ")))
}

fn has_rates(kernel: &str) -> bool {
    ["chemistry", "isobaric", "isochoric", "jacobian"].iter().any(|start| kernel.starts_with(start))
}

/// The page around the rows of both tables.
fn page(own: &str, others: &str, left_out: &str, version: &str) -> String {
    let heads = |count: usize| KERNELS[..count].iter().map(|(kernel, _)| *kernel).collect::<Vec<_>>().join("` | `");
    format!(
        "# Accuracy\n\n`cargo lab accuracy` makes this page: largest errors on {STATES} states, in exact \
         forms\n(`--error form=exact`), of complete mechanisms (`--reduction none`) and, as *reduced*, with their quasi-steady \
         species (`--stiffness off`: scaled rates have no derivatives); errors of published files that have an obvious repair are repaired (`--permissive`). Rates are relative to gross rates, entries of matrices to the largest sum of sizes of terms in \
         their row,\nproperties to themselves and to R or RT.\n\n## Against the reference evaluator\n\nData-parallel code in the simulator; \
         matrices of at most {LARGEST_MATRIX} species.\n\n| mechanism | species | `{}` |\n|---|{}\n{own}\n## Against Cantera {version}\n\n\
         Libraries that `--target cpu` makes, on 70 states from 300 to 3000 K and from 0.1 to 100 atm with random \
         compositions;\ntransport by `mixture-averaged-CK`. Cantera reads what `singe fmt --to yaml` writes; mechanisms that it \
         cannot read are named below.\n\n| mechanism | `{}` |\n|---|{}\n{others}\nNot compared:\n\n{left_out}",
        heads(KERNELS.len()),
        "---:|".repeat(KERNELS.len() + 1),
        heads(COMPARED),
        "---:|".repeat(COMPARED)
    )
}

/// Species, and the largest error of a kernel in the simulator; a dash where the mechanism has no such kernel.
fn simulated(
    compiler: &Path,
    file: &Path,
    reduction: Option<&Path>,
    folder: &Path,
    kernel: &str,
    state: &str,
) -> Result<(usize, String), String> {
    let output = Command::new(compiler)
        .arg(file)
        .arg("--reduction")
        .arg(reduction.unwrap_or(Path::new("none")))
        .args(["--kernel", kernel, "--state", state, "--stiffness", "off", "--error", "form=exact"])
        .args(["--permissive", "--target", "cpu", "--emit", "report", "--verify", &STATES.to_string(), "--json", "-o"])
        .arg(folder)
        .output()
        .map_err(|e| e.to_string())?;
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let error = report["kernels"][0]["verification"]["largest_error"].as_f64();
    let faults = report["diagnostics"].as_array().into_iter().flatten();
    let mut faults = faults.filter(|fault| fault["severity"] == "error").filter_map(|fault| fault["id"].as_str());
    match error {
        Some(error) => Ok((report["species"].as_u64().unwrap_or(0) as usize, format!("{error:.1e}"))),
        None if faults.clone().all(|id| id.starts_with("transport::") || id.starts_with("kernel::"))
            && faults.next().is_some() =>
        {
            Ok((0, "–".into()))
        }
        None => Err(format!("{} {kernel}: {}", file.display(), String::from_utf8_lossy(&output.stderr))),
    }
}

/// Returns the output of the script: Cantera's version and the errors.
fn compared(compiler: &Path, python: &Path, file: &Path, folder: &Path) -> Result<String, String> {
    let run = |command: &mut Command| -> Result<String, String> {
        let output = command.output().map_err(|e| e.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(reason(&text(&output.stderr))) }
    };
    run(Command::new(compiler).args(["fmt", "--permissive", "--to", "yaml", "-o"]).arg(folder).arg(file))?;
    let source = folder.join("source");
    let compile = |kernels: &str| {
        let mut command = Command::new(compiler);
        command.arg(file).args(["--kernel", kernels, "--target", "cpu", "--emit", "cuda", "--name", "accuracy"]);
        command
            .args(["--reduction", "none", "--error", "form=exact", "--permissive", "--verify", "off", "-o"])
            .arg(&source);
        run(&mut command)
    };
    compile("thermodynamics,chemistry,viscosity,conductivity,diffusion")
        .or_else(|_| compile("thermodynamics,chemistry"))?;
    let files = std::fs::read_dir(&source).map_err(|e| e.to_string())?.flatten().map(|entry| entry.path());
    let library = folder.join("accuracy.so");
    let options = ["-std=c++17", "-O1", "-march=native", "-fPIC", "-shared", "-Wno-psabi", "-o"];
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    run(Command::new("g++").args(options).arg(&library).args(sources))?;
    let mut script = Command::new("python3");
    script.env("PYTHONPATH", python).args(["-W", "ignore", "-c", SCRIPT]).arg(&library).arg(folder.join("chem.yaml"));
    run(&mut script)
}

/// Why a program ended: what Cantera says of each reaction that it does not take, or else the last line with words.
fn reason(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().map(str::trim).collect();
    let said = lines.windows(2).filter(|pair| pair[0].starts_with("Error on line")).map(|pair| pair[1]);
    let mut reasons: Vec<&str> = said.collect();
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() {
        reasons.extend(lines.iter().rev().find(|line| line.chars().any(char::is_alphanumeric)));
    }
    reasons.join("; ")
}
