//! The sweep over machine code: what ptxas makes of every kernel, in every layout and for every family of instructions, is run
//! and compared with the simulated PTX in bits, and counted.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::{peers, sweep};
use xtask::{compiler, pages};

/// Targets, one of each family of instructions, oldest first.
const TARGETS: [&str; 4] = ["kepler", "ampere", "hopper", "blackwell"];
const KERNELS: [&str; 4] = ["viscosity", "conductivity", "diffusion", "chemistry"];
const LAYOUTS: &str = "overlay,partial,switch,data-parallel";

/// A mechanism of the sweep. Those of the paper lie beside the checkout; they are taken with and without their reductions.
struct Input {
    name: &'static str,
    folder: &'static str,
    reduced: bool,
    warps: u32,
}

const INPUTS: [Input; 6] = [
    Input { name: "h2o2", folder: "mechanisms/h2o2", reduced: false, warps: 4 },
    Input { name: "gri30", folder: "mechanisms/gri30", reduced: false, warps: 8 },
    Input { name: "dme", folder: "../shared/mechanisms/dme", reduced: false, warps: 8 },
    Input { name: "dme, reduced", folder: "../shared/mechanisms/dme", reduced: true, warps: 8 },
    Input { name: "heptane", folder: "../shared/mechanisms/heptane", reduced: false, warps: 8 },
    Input { name: "heptane, reduced", folder: "../shared/mechanisms/heptane", reduced: true, warps: 8 },
];

/// Compiles the kernels whose names start with `kernel`, of the mechanisms whose names start with `only`, and writes `docs/lab/machine-code.md` and
/// `docs/lab/machine-code.json`; rows of others stay as they are.
///
/// Errors: the compiler cannot be built or run, a mechanism is absent, or the files cannot be written.
pub fn write(root: &Path, only: &str, kernel: &str) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    let inputs: Vec<&Input> = INPUTS.iter().filter(|input| input.name.starts_with(only)).collect();
    let mut rows: Vec<Value> = pages::last(root, "machine-code.json").as_array().cloned().unwrap_or_default();
    let kernels: Vec<&str> = KERNELS.into_iter().filter(|name| name.starts_with(kernel)).collect();
    let bar = pages::bar(inputs.len() * TARGETS.len() * kernels.len());
    for input in inputs {
        let file = root.join(input.folder).join("chem.inp");
        if !file.is_file() {
            return Err(format!("{} is absent: {} cannot be swept", file.display(), input.name));
        }
        for target in TARGETS {
            for &kernel in &kernels {
                let is_other =
                    |row: &Value| row["mechanism"] != input.name || row["target"] != target || row["kernel"] != kernel;
                bar.set_message(format!("{} {target} {kernel}", input.name));
                bar.tick();
                let made = run(&compiler, &file, input, target, kernel)?;
                rows.retain(is_other);
                rows.extend(made);
                bar.inc(1);
            }
            // a sweep that is cut off leaves what it has
            save(root, &mut rows)?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn save(root: &Path, rows: &mut [Value]) -> Result<(), String> {
    let place = |row: &Value| {
        let at = |names: &[&str], key: &str| names.iter().position(|name| row[key] == *name);
        (at(&TARGETS, "target"), at(&INPUTS.map(|input| input.name), "mechanism"), at(&KERNELS, "kernel"))
    };
    rows.sort_by_key(place);
    pages::write(root, "machine-code.md", &page(rows))?;
    let lines = rows.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n");
    pages::write(root, "machine-code.json", &format!("[\n{lines}\n]\n"))
}

/// One kernel in all layouts.
fn run(compiler: &Path, file: &Path, input: &Input, target: &str, kernel: &str) -> Result<Vec<Value>, String> {
    let output = Command::new(compiler)
        .arg(file)
        .args(if input.reduced { &[][..] } else { &["--reduction", "none"] })
        .args(["--kernel", kernel, "--target", target, "--warps", &input.warps.to_string()])
        .args(["--codegen", LAYOUTS, "--json", "--emit", "report", "-o"])
        .arg(compiler.with_file_name("machine-code"))
        .output()
        .map_err(|e| format!("singe cannot be run: {e}"))?;
    let row = |layout: &str| json!({ "mechanism": input.name, "target": target, "kernel": kernel, "layout": layout });
    if !output.status.success() {
        let mut refused = row("all");
        refused["verdict"] = sweep::message(&output.stderr)["text"].clone();
        return Ok(vec![refused]);
    }
    let report: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("the report is no JSON: {e}"))?;
    let kernels = report["kernels"].as_array().into_iter().flatten();
    Ok(kernels
        .map(|kernel| {
            let mut row = row(kernel["codegen"].as_str().unwrap_or_default());
            let (code, text) = (&kernel["machine_code"], &kernel["text"]);
            row["verdict"] = match (&code["verified"], &code["not_run"]) {
                (Value::Object(_), _) => "equal".into(),
                (_, Value::String(reason)) => reason.clone().into(),
                _ => "not run".into(),
            };
            row["form"] = kernel["form"].clone();
            row["compiler"] = text["compiler"].clone();
            count(&mut row, &code["verified"]);
            time(&mut row, &kernel["machine"]);
            row
        })
        .collect())
}

/// Warp instructions of all warps for 32 points.
fn count(row: &mut Value, verified: &Value) {
    let turn = verified["turn"].as_array().map_or(&[][..], Vec::as_slice);
    let points = verified["points_per_turn"].as_f64().unwrap_or(32.0);
    let sum = |of: &dyn Fn(&Value) -> u64| (32.0 * turn.iter().map(of).sum::<u64>() as f64 / points).round() as u64;
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    if turn.is_empty() {
        return;
    }
    row["assembler"] = verified["assembler"].clone();
    row["points"] = verified["points"].clone();
    row["issued"] = sum(&|counts| number(&counts["instructions"])).into();
    row["fp64"] = sum(&|counts| number(&counts["pipes"]["fp64"])).into();
    for class in ["addresses", "moves", "shuffles", "barrier"] {
        row[class] = sum(&|counts| number(&counts["classes"][class])).into();
    }
    row["shared_wavefronts"] = sum(&|counts| number(&counts["shared_wavefronts"])).into();
    row["local_bytes_per_point"] = (sum(&|counts| number(&counts["local_bytes"])) / 32).into();
    row["code_bytes"] = verified["code_bytes"].clone();
}

/// Clocks of an SM for 32 points in its busiest part, and times per point in ns.
fn time(row: &mut Value, machine: &Value) {
    let parts = machine["bound"].as_object().into_iter().flatten();
    let largest = parts.filter_map(|(_, clocks)| clocks.as_f64()).max_by(f64::total_cmp);
    if let Some(largest) = largest {
        row["bound"] = (largest.round() as u64).into();
        row["bound_ns"] = machine["bound_ns"].clone();
        row["modelled_ns"] = machine["predicted_ns"].clone();
    }
}

fn page(rows: &[Value]) -> String {
    let equal = rows.iter().filter(|row| row["verdict"] == "equal").count();
    let mut out = format!(
        "# Machine code of every kernel\n\n\
         What ptxas makes of the emitted text, run by the simulator: its outputs are those of the simulated PTX in bits where the\n\
         last column says so, on launches with whole, partial and several groups of points for each CTA. `cargo lab machine-code`\n\
         makes this page and `machine-code.json`. Equal: {equal} of {} rows.\n\n\
         Counts are warp instructions of all warps for 32 points, without what stands around the streaming loop. Bound: clocks of an\n\
         SM for 32 points in the busiest of double precision, issue, shuffles with shared memory, and local memory. Modelled: ns per\n\
         point on the target's board by the model of an SM (`singe ptx time`), and that over the bound, which is no less there than what\n\
         the board's memory takes. None of it is a measurement.\n",
        rows.len()
    );
    out += &peers::table(rows);
    let mut target = "";
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        if text("target") != target {
            target = text("target");
            // Writing to a String cannot fail.
            let _ = write!(
                out,
                "\n## {target}\n\n\
                 | mechanism | kernel | layout | form | issued | FP64 | addresses | moves | shuffles | barriers | shared wavefronts | local bytes per point | code executed (kB) | bound | modelled (ns) | modelled / bound | machine code |\n\
                 |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
            );
        }
        let number = |name: &str| row[name].as_u64().map_or("–".to_owned(), |n| n.to_string());
        let [modelled, bound] = ["modelled_ns", "bound_ns"].map(|name| row[name].as_f64());
        let ratio = modelled.zip(bound).map(|(modelled, bound)| modelled / bound);
        let hundredths = |x: Option<f64>| x.map_or("–".to_owned(), |x| format!("{x:.2}"));
        let kilobytes = row["code_bytes"].as_u64().map_or("–".to_owned(), |n| (n / 1000).to_string());
        let cells = [
            text("mechanism").to_owned(),
            text("kernel").to_owned(),
            text("layout").to_owned(),
            text("form").to_owned(),
            number("issued"),
            number("fp64"),
            number("addresses"),
            number("moves"),
            number("shuffles"),
            number("barrier"),
            number("shared_wavefronts"),
            number("local_bytes_per_point"),
            kilobytes,
            number("bound"),
            hundredths(modelled),
            hundredths(ratio),
            text("verdict").to_owned(),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}
