//! What `singe-tune` finds for published mechanisms: winners, how far a search by halving ends from the best of an exhaustive one, and
//! what both take.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{compiler, lab, program};

const TARGETS: [&str; 3] = ["hopper", "ampere", "kepler"];

/// A kernel and the grid that it is tuned on: all of both layouts.
struct Grid {
    kernel: &'static str,
    vary: &'static [&'static str],
}

/// Kernels whose candidates take longer have a coarser one.
const GRIDS: [Grid; 4] = [
    Grid { kernel: "conductivity", vary: &["warps=4,8,16", "ctas-per-sm=1,2"] },
    Grid { kernel: "viscosity", vary: &["warps=4,8,16", "ctas-per-sm=1"] },
    Grid { kernel: "chemistry", vary: &["warps=4,8,12,16", "ctas-per-sm=1"] },
    Grid { kernel: "diffusion", vary: &["warps=4,8,16", "ctas-per-sm=1", "matrix=dfma,dmma"] },
];
const LAYOUTS: &str = "codegen=overlay,data-parallel";

/// Tunes all of them, one candidate at a time, and writes `docs/lab/tuned.md` and `docs/lab/tuned.json`. What an earlier run finished is not done
/// again; after `most` no further search begins, and the page says what is missing.
///
/// Errors: the tuner cannot be built or run, or the files cannot be written.
pub fn write(root: &Path, most: Duration) -> Result<(), String> {
    let tuner = root.join("target/release/singe-tune");
    let mut is_built = false;
    let start = Instant::now();
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for grid in &GRIDS {
        for (name, path) in mechanisms(root) {
            for target in TARGETS {
                let folder = root.join("target/tuning").join(format!("{name}-{target}-{}", grid.kernel));
                let is_there = folder.join("halving.json").is_file();
                if !path.is_file() || !is_there && start.elapsed() > most {
                    missing.push(format!("{} ({name}, {target})", grid.kernel));
                    continue;
                }
                if !is_there && !is_built {
                    program::cargo_runs(root, &["build", "--release", "-p", "singe-tune"])?;
                    is_built = true;
                }
                eprintln!("{} of {name} for {target}", grid.kernel);
                let [exhaustive, halving] = ["exhaustive", "halving"]
                    .map(|method| search(&tuner, root, (&path, target, grid), method, &folder));
                rows.push(row(&folder, grid.kernel, &exhaustive?, &halving?)?);
            }
        }
    }
    lab::write(root, "tuned.md", &page(root, &rows, &missing))?;
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    lab::write(root, "tuned.json", &format!("[\n{}\n]\n", lines.join(",\n")))
}

fn mechanisms(root: &Path) -> [(&'static str, PathBuf); 3] {
    let reduced = |name: &str| root.join("../shared/mechanisms").join(name).join("chem.inp");
    [("gri30", root.join("mechanisms/gri30/chem.inp")), ("dme", reduced("dme")), ("heptane", reduced("heptane"))]
}

/// What `tune.json` says after a search. Both methods share a record: what one has compiled the other takes from there.
fn search(
    tuner: &Path,
    root: &Path,
    (mechanism, target, grid): (&Path, &str, &Grid),
    method: &str,
    folder: &Path,
) -> Result<Value, String> {
    let kept = folder.join(format!("{method}.json"));
    let failed = |e: std::io::Error| format!("{} cannot be written: {e}", folder.display());
    let text = match std::fs::read_to_string(&kept) {
        Ok(text) => text,
        Err(_) => {
            let mut command = Command::new(tuner);
            command.current_dir(root).arg(mechanism.strip_prefix(root).unwrap_or(mechanism));
            command.args(["--kernel", grid.kernel, "--target", target, "--search", method, "--widen", "off"]);
            command.args(["--threads", "1", "--points-per-lane", "1", "--constants", "auto", "--form", "auto"]);
            command.args(["--matrix", "auto", "--vary", LAYOUTS]);
            grid.vary.iter().for_each(|vary| {
                command.args(["--vary", vary]);
            });
            let output = command.arg("--json").arg("-o").arg(folder).stderr(std::process::Stdio::inherit()).output();
            let output = output.map_err(|e| format!("singe-tune cannot be run: {e}"))?;
            if !output.status.success() {
                return Err(format!("singe-tune fails: {}", String::from_utf8_lossy(&output.stdout)));
            }
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            std::fs::write(&kept, &text).map_err(failed)?;
            std::fs::write(folder.join("commit"), compiler::commit(root)).map_err(failed)?;
            text
        }
    };
    serde_json::from_str(&text).map_err(|e| format!("{} is no JSON: {e}", kept.display()))
}

/// A row of the table.
fn row(folder: &Path, kernel: &str, exhaustive: &Value, halving: &Value) -> Result<Value, String> {
    let record = std::fs::read_to_string(folder.join("candidates.jsonl")).map_err(|e| e.to_string())?;
    let entries: Vec<Value> = record.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect();
    let trials = |search: &Value| search["trials"].as_array().cloned().unwrap_or_default();
    let compiled = |trial: &Value| trial["level"] == "compiled";
    let went_on: Vec<Value> = trials(halving).into_iter().filter(compiled).map(|t| t["settings"].clone()).collect();
    let seconds = |wanted: &dyn Fn(&Value) -> bool| -> f64 {
        entries.iter().filter(|entry| wanted(entry)).filter_map(|entry| entry["seconds"].as_f64()).sum()
    };
    let all = seconds(&compiled);
    let fewer = seconds(&|entry| !compiled(entry) || went_on.contains(&entry["settings"]));
    let (best, found) = (&exhaustive["best"][0], &halving["best"][0]);
    let time = |best: &Value| best["nanoseconds"].as_f64().unwrap_or(f64::NAN);
    // What --codegen auto takes with the usual size of a CTA.
    let plain = |trial: &&Value| setting(trial, "warps") == "8" && setting(trial, "ctas-per-sm") == "1";
    let default = trials(exhaustive)
        .iter()
        .filter(plain)
        .filter_map(|t| t["cost"]["predicted_ns"].as_f64())
        .fold(f64::INFINITY, f64::min);
    let refused = trials(exhaustive).iter().filter(|trial| trial["refused"].is_object()).count();
    Ok(json!({
        "mechanism": exhaustive["mechanism"],
        "target": exhaustive["target"],
        "kernel": kernel,
        "times": exhaustive["times"],
        "commit": std::fs::read_to_string(folder.join("commit")).unwrap_or_default().trim(),
        "candidates": trials(exhaustive).len(),
        "refused": refused,
        "best": best,
        "default_ns": if default.is_finite() { json!(default) } else { Value::Null },
        "edges": exhaustive["edges"],
        "halving": found,
        "halving_compiled": went_on.len(),
        "distance_percent": 100.0 * (time(found) / time(best) - 1.0),
        "seconds": { "exhaustive": all, "halving": fewer },
    }))
}

fn setting<'a>(trial: &'a Value, flag: &str) -> &'a str {
    let settings = trial["settings"].as_array().map(Vec::as_slice).unwrap_or_default();
    settings.iter().find(|pair| pair[0] == flag).and_then(|pair| pair[1].as_str()).unwrap_or_default()
}

fn page(root: &Path, rows: &[Value], missing: &[String]) -> String {
    let grids = GRIDS.iter().map(|grid| format!("- {}: `{LAYOUTS}`, `{}`", grid.kernel, grid.vary.join("`, `")));
    let mut out = format!(
        "# Tuned kernels\n\n\
         GRI-Mech 3.0 and the reduced mechanisms of the paper, tuned by `singe-tune`, which tried every candidate of a coarse grid\n\
         (`--search exhaustive`) and then searched it by halving: it counts every candidate, and compiles a quarter, four at least\n\
         (up to commit 9de04c8 the best by the counts, since then the best of each layout and way to multiply first).\n\
         `cargo xtask tuning` makes this page and `tuned.json`; it goes on where it was stopped. The grids are\n\n{}\n\n\
         and the compiler chose forms, constants and, where they are not varied, ways to multiply (`--matrix auto`). Times are nanoseconds per point, predicted by the model of an SM\n\
         that runs the machine code: they are no measurements. *Default* is the faster layout with eight warps and one CTA per SM.\n\
         *Edge* names flags of the best candidate whose value is the least or the most of the grid: there may be better ones beyond\n\
         (`singe-tune` goes on there by itself; here it was told not to, so that both searches have the same grid). Seconds are what\n\
         compiling and simulating the candidates took on one core of a machine that others used as well, some hours more than others.\n\
         *Commit* is the state of the compiler that made the kernels and of the search: times of different ones are not to be compared.\n\n\
         | mechanism | target | kernel | candidates | best | ns | default | edge | halving: ns | beyond the best | compiled | seconds: all | halving | commit |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        grids.collect::<Vec<_>>().join("\n"),
    );
    for row in rows {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let number = |value: &Value| value.as_f64().map_or("–".to_owned(), |number| format!("{number:.3}"));
        let best = &row["best"];
        let settings = best["settings"].as_array().map(Vec::as_slice).unwrap_or_default();
        let of_form = [text(&best["form"])];
        let settings: Vec<String> = settings.iter().map(|pair| text(&pair[1])).chain(of_form).collect();
        let edges = row["edges"].as_array().map(Vec::as_slice).unwrap_or_default();
        let edges: Vec<String> = edges.iter().map(|edge| text(&edge["flag"])).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} % | {} | {:.0} | {:.0} | {} |",
            text(&row["mechanism"]),
            text(&row["target"]),
            text(&row["kernel"]),
            row["candidates"],
            settings.join(", "),
            number(&best["nanoseconds"]),
            number(&row["default_ns"]),
            edges.join(", "),
            number(&row["halving"]["nanoseconds"]),
            row["distance_percent"].as_f64().unwrap_or(f64::NAN),
            row["halving_compiled"],
            row["seconds"]["exhaustive"].as_f64().unwrap_or(f64::NAN),
            row["seconds"]["halving"].as_f64().unwrap_or(f64::NAN),
            text(&row["commit"]),
        );
    }
    out += &summary(rows);
    if !missing.is_empty() {
        let _ = writeln!(out, "\nNot tuned yet: {}.", missing.join(", "));
    }
    if let Ok(best) = std::fs::read_to_string(root.join("target/tuning/gri30-hopper-viscosity/best.toml")) {
        let _ = writeln!(
            out,
            "\n`best.toml` of the viscosity kernel of GRI-Mech on Hopper, for `singe --config`:\n\n```toml\n{best}```"
        );
    }
    out
}

/// How far halving ends from the best, and what it saves, where it compiled fewer candidates than there are.
fn summary(rows: &[Value]) -> String {
    let fewer: Vec<&Value> =
        rows.iter().filter(|row| row["halving_compiled"].as_u64() < row["candidates"].as_u64()).collect();
    let distance = |row: &&Value| row["distance_percent"].as_f64().unwrap_or(f64::NAN);
    let exact = fewer.iter().filter(|row| distance(row) < 1e-6).count();
    let farthest = fewer.iter().map(distance).fold(0.0, f64::max);
    let seconds = |name: &str| fewer.iter().filter_map(|row| row["seconds"][name].as_f64()).sum::<f64>();
    format!(
        "\nHalving finds the best of the grid in {exact} of {} searches in which it compiled fewer candidates than there are, and ends at\n\
         most {farthest:.1} % beyond it; it takes {:.0} of {:.0} seconds.\n",
        fewer.len(),
        seconds("halving"),
        seconds("exhaustive"),
    )
}
