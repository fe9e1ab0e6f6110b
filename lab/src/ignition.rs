//! Ignition delays of reactors that CVODE integrates on generated code, beside Cantera's own integration of the same mechanism:
//! `docs/lab/ignition.md`.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use xtask::{cantera, pages, program};

/// A mechanism and its stoichiometric mixture with air, at the temperatures of a table in K.
struct Batch {
    name: &'static str,
    mechanism: &'static str,
    mixture: &'static str,
    temperatures: [u32; 5],
}

const BATCHES: [Batch; 2] = [
    Batch {
        name: "gri30",
        mechanism: "mechanisms/gri30/chem.inp",
        mixture: "CH4:1 O2:2 N2:7.52",
        temperatures: [1100, 1200, 1300, 1500, 1700],
    },
    Batch {
        name: "dme",
        mechanism: "../shared/mechanisms/dme/chem.inp",
        mixture: "CH3OCH3:1 O2:3 N2:11.28",
        temperatures: [700, 800, 900, 1100, 1300],
    },
];

/// Pressures in atm.
const PRESSURES: [u32; 4] = [1, 5, 10, 40];

/// Cantera's own integrator on the same conditions; within a step the temperature is interpolated.
const CANTERA: &str = include_str!("ignition.py");

/// The host of reactors that looks for their ignition by the generated integrator.
const DELAYS: &str = include_str!("../../tests/ignition/delays.cpp");

/// Integrates all batches whose mechanisms are there, and writes the page.
///
/// Errors: SUNDIALS, CMake or Cantera are absent, or a program fails.
pub fn write(root: &Path) -> Result<(), String> {
    let python = cantera::python(root)?;
    let mut page = String::from(
        "# Ignition delays\n\n`cargo lab ignition` makes this page. Reactors of constant volume, stoichiometric with air, are integrated by \
         SUNDIALS' CVODE\non the code that `--target cpu --emit cvode` writes ([guide](../guide/reactors.md#with-cvode-instead)), at a relative tolerance of 1e-8. The \
         delay is when the\ntemperature has risen by 400 K. Cantera integrates the same mechanism (`singe fmt --to yaml`) by itself, with a \
         tolerance of 1e-10.\n*Rates* are all evaluations of the right-hand side with the analytic Jacobian; *with quotients* are those with \
         CVODE's own\ndifference quotients in its place, and *for Jacobians* those of them that the matrices take. An analytic \
         Jacobian takes none, and the\ntime of about three ([slots](derivatives.md)). *Jacobians* are all launches of its kernel. *Kernel* is the delay of the \
         generated integrator of\n[`--kernel reactor`](../guide/reactors.md) at its own tolerance of 1e-6, and what it differs by from \
         Cantera's.\n",
    );
    for batch in BATCHES {
        if !root.join(batch.mechanism).is_file() {
            eprintln!("Left out: {}, whose mechanism is absent.", batch.name);
            continue;
        }
        page += &section(root, &python, &batch)?;
    }
    pages::write(root, "ignition.md", &page)
}

/// The heading and the table of a mechanism.
fn section(root: &Path, python: &Path, batch: &Batch) -> Result<String, String> {
    let Batch { name, mechanism, mixture, .. } = batch;
    let folder = root.join("target/ignition").join(name);
    let (source, build) = (folder.join("source"), folder.join("build"));
    let reactor = ["--kernel", "isochoric,isochoric-jacobian", "--state", "TRY", "--reduction", "none"];
    let cpu = ["--target", "cpu", "--emit", "cvode", "-o"];
    run(singe(root).arg(mechanism).args(reactor).args(cpu).arg(&source), "")?;
    run(singe(root).args(["fmt", mechanism, "--to", "yaml", "-o"]).arg(&folder), "")?;
    run(Command::new("cmake").arg("-S").arg(&source).arg("-B").arg(&build), "")?;
    let target = format!("{name}_ignition");
    run(Command::new("cmake").arg("--build").arg(&build).args(["--target", &target]), "")?;
    let program = build.join(target);
    let conditions: String = batch
        .temperatures
        .iter()
        .flat_map(|t| PRESSURES.map(|p| format!("{t} {} {mixture}\n", f64::from(p) * 101325.0)))
        .collect();
    let analytic = run(&mut Command::new(&program), &conditions)?;
    let quotients = run(Command::new(&program).arg("--difference-quotients"), &conditions)?;
    let mut cantera = Command::new("python3");
    cantera.env("PYTHONPATH", python).args(["-W", "ignore", "-c", CANTERA]).arg(folder.join("chem.yaml"));
    let theirs = run(&mut cantera, &conditions)?;
    let kernel = by_the_kernel(root, batch, &folder, &conditions, &theirs)?;
    let mut theirs = theirs.lines();
    let versions = analytic.lines().find(|line| line.starts_with("# SUNDIALS")).unwrap_or_default();
    let version = theirs.next().unwrap_or_default();
    let mut text = format!(
        "\n## {name}\n\nMoles: {mixture}. {}; Cantera {version}.\n\n| T (K) | P (atm) | Singe and CVODE (s) | Cantera (s) | difference | \
         steps | Jacobians | rates | with quotients | for Jacobians | kernel (s) | difference |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        versions.trim_start_matches("# ")
    );
    let rows = |text: &str| -> Vec<Vec<f64>> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.split(' ').filter_map(|word| word.parse().ok()).collect()).collect()
    };
    for (((ours, quotients), theirs), kernel) in
        rows(&analytic).iter().zip(rows(&quotients)).zip(theirs).zip(rows(&kernel))
    {
        let theirs: f64 = theirs.parse().map_err(|_| format!("Cantera printed {theirs}"))?;
        let [t, p, delay, steps, rates, _, jacobians] = ours[..] else { return Err(format!("not a row: {ours:?}")) };
        text += &format!(
            "| {t} | {} | {delay:.6e} | {theirs:.6e} | {:.4} % | {steps} | {jacobians} | {rates} | {} | {} | {:.6e} | \
             {:.5} % |\n",
            p / 101325.0,
            100.0 * (delay / theirs - 1.0),
            quotients[4],
            quotients[5],
            kernel[0],
            100.0 * (kernel[0] / theirs - 1.0),
        );
    }
    Ok(text)
}

/// Returns the output of the host of reactors, which looks for each delay between half and twice Cantera's.
fn by_the_kernel(
    root: &Path,
    Batch { name, mechanism, mixture, .. }: &Batch,
    folder: &Path,
    conditions: &str,
    theirs: &str,
) -> Result<String, String> {
    let (source, build) = (folder.join("reactors"), folder.join("reactors-build"));
    let reactor = ["--kernel", "reactor", "--state", "TRY", "--reduction", "none", "--target", "cpu", "--emit", "host"];
    run(singe(root).arg(mechanism).args(reactor).args(["--name", name, "-o"]).arg(&source), "")?;
    run(Command::new("cmake").arg("-S").arg(&source).arg("-B").arg(&build), "")?;
    run(Command::new("cmake").arg("--build").arg(&build).args(["--target", name]), "")?;
    let upper = name.to_uppercase();
    let host = DELAYS
        .replace("NAME_SPECIES", &format!("{upper}_SPECIES"))
        .replace("NAME_REACTOR", &format!("{upper}_REACTOR"))
        .replace("NAME", name);
    let (text, program) = (source.join("delays.cpp"), build.join("delays"));
    std::fs::write(&text, host).map_err(|e| format!("{}: {e}", text.display()))?;
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O2", "-I"]).arg(&source).arg(&text).arg(build.join(format!("lib{name}.a")));
    run(compiler.args(["-fopenmp", "-o"]).arg(&program), "")?;
    let line = |(condition, delay): (&str, &str)| {
        let words: Vec<&str> = condition.split(' ').take(2).collect();
        format!("{} {delay} 2\n", words.join(" "))
    };
    let lines: String = conditions.lines().zip(theirs.lines().skip(1)).map(line).collect();
    run(Command::new(program).args(mixture.split(' ')), &lines)
}

fn singe(root: &Path) -> Command {
    let mut command = program::cargo(root);
    command.args(["run", "--release", "--quiet", "--"]);
    command
}

/// Runs a program on this input and returns what it prints.
fn run(command: &mut Command, input: &str) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| format!("{name}: {e}");
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().map_err(failed)?;
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).map_err(failed)?;
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)))
}
