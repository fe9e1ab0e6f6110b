//! Times of what the compiler takes by itself, as its reports predict them, beside other layouts and beside long runs of the same files by
//! `singe ptx time`. Writes two tables of `docs/lab/performance.md`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use xtask::{compiler, pages, program};

use crate::performance_picture;

/// A mechanism of the tables: its name, its file, options, and the beginning of the names of its targets.
struct Input {
    name: &'static str,
    file: &'static str,
    options: &'static [&'static str],
    targets: &'static str,
}

const INPUTS: [Input; 7] = [
    Input { name: "h2o2", file: "mechanisms/h2o2/chem.inp", options: &[], targets: "" },
    Input { name: "gri30", file: "mechanisms/gri30/chem.inp", options: &[], targets: "" },
    complete("dme", "../shared/mechanisms/dme/chem.inp", ""),
    complete("heptane", "../shared/mechanisms/heptane/chem.inp", ""),
    reduced("dme, reduced", "../shared/mechanisms/dme/chem.inp"),
    reduced("heptane, reduced", "../shared/mechanisms/heptane/chem.inp"),
    complete("usc2", "../shared/mechanisms/usc2/chem.inp", "hopper"),
];
const TARGETS: [&str; 4] = ["kepler", "ampere", "hopper", "blackwell"];
/// Turns of the streaming loop that a launch executes, as the compiler has it: the model repeats them.
const EXECUTED: u64 = 4;
const TURNS: [&str; 2] = ["16", "64"];
/// Difference up to which a long run is as predicted.
const ALLOWED: f64 = 0.03;

const PAGE: &str = "performance.md";
const PICTURE: &str = "performance.svg";

/// A table of the page, between two comments.
struct Table {
    begin: &'static str,
    head: &'static str,
}

const END: &str = "<!-- end -->";
const VERSIONS: Table = Table {
    begin: "<!-- versions: written by `cargo lab performance` -->\n",
    head: "| mechanism | target | kernel | taken | warps x CTAs | ns per point | its range | bound (ns) | over bound | best data-parallel | best warp-specialized | warp-specialized over data-parallel |\n\
    |---|---|---|---|---|--:|---|--:|--:|--:|--:|--:|\n",
};
const LONG_RUNS: Table = Table {
    begin: "<!-- long runs: written by `cargo lab performance` -->\n",
    head: "| mechanism | target | kernel | ns per point | 16 turns | 64 turns | 64 turns over predicted |\n|---|---|---|--:|--:|--:|--:|\n",
};

const fn complete(name: &'static str, file: &'static str, targets: &'static str) -> Input {
    Input { name, file, options: &["--permissive", "--reduction", "none"], targets }
}

/// Only chemistry differs from that of the complete mechanism.
const fn reduced(name: &'static str, file: &'static str) -> Input {
    Input { name, file, options: &["--kernel", "chemistry"], targets: "" }
}

/// Compiles the mechanisms whose names start with `mechanism` for the targets whose names start with `target`, times the files that were written,
/// and replaces their rows of both tables. Mechanisms whose files are absent keep their rows.
///
/// Errors: the compiler cannot be built or run, or the page has no place for a table.
pub fn write(root: &Path, mechanism: &str, target: &str) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    for input in INPUTS.iter().filter(|input| input.name.starts_with(mechanism)) {
        if !root.join(input.file).is_file() {
            eprintln!("Not made: {}, whose file is absent.", input.name);
            continue;
        }
        for target in TARGETS.iter().filter(|name| name.starts_with(target) && name.starts_with(input.targets)) {
            eprintln!("{} for {target}", input.name);
            let start = format!("| {} | {target} |", input.name);
            let [versions, long_runs] = rows(root, &compiler, input, target, &start)?;
            let page = VERSIONS.replaced(&pages::text(root, PAGE)?, &start, &versions)?;
            pages::write(root, PAGE, &LONG_RUNS.replaced(&page, &start, &long_runs)?)?;
        }
    }
    let page = pages::text(root, PAGE)?;
    pages::write(root, PICTURE, &performance_picture::ratios(VERSIONS.rows(&page), &TARGETS)?)
}

/// Returns the rows of both tables.
fn rows(root: &Path, compiler: &Path, input: &Input, target: &str, start: &str) -> Result<[String; 2], String> {
    let folder = compiler.with_file_name("performance").join(format!("{}-{target}", input.name.replace(", ", "-")));
    let mut compiles = std::process::Command::new(compiler);
    compiles.arg(root.join(input.file)).args(input.options);
    program::output(compiles.args(["--target", target, "--emit", "cuda,report", "--force", "-o"]).arg(&folder))?;
    let report: Value = json(&std::fs::read(folder.join("report.json")).map_err(|e| e.to_string())?)?;
    let kernels = report["kernels"].as_array().into_iter().flatten().filter(|kernel| kernel["alternative"] != true);
    let mut made = [String::new(), String::new()];
    for kernel in kernels {
        made[0] += &version(start, kernel)?;
        made[1] += &long_run(compiler, &folder, start, target, kernel)?;
    }
    Ok(made)
}

fn predicted(kernel: &Value) -> Result<f64, String> {
    kernel["machine"]["predicted_ns"].as_f64().ok_or_else(|| "no time was predicted".to_string())
}

/// Returns what was taken, and the fastest versions of either kind that were timed.
fn version(start: &str, kernel: &Value) -> Result<String, String> {
    let time = predicted(kernel)?;
    let settled = &kernel["prediction"]["settled"];
    let at = |end: usize| settled["range_ns"][end].as_f64().unwrap_or(time);
    let bound = kernel["machine"]["bound_ns"].as_f64().ok_or("no bound is known")?;
    let [parallel, specialized] = [true, false].map(|is_parallel| best(kernel, is_parallel));
    let (name, code) = (kernel["kernel"].as_str().unwrap_or_default(), kernel["codegen"].as_str().unwrap_or_default());
    let (warps, ctas) = (warps(kernel), &kernel["machine"]["ctas_per_sm"]);
    let ratio = parallel.as_ref().zip(specialized.as_ref()).map(|(parallel, other)| other.ns / parallel.ns);
    let cell = |best: Option<Version>| best.map_or("–".into(), |best| format!("{:.3} ({})", best.ns, best.shape));
    Ok(format!(
        "{start} {name} | {code} | {warps} x {ctas} | {time:.3} | {:.3} to {:.3} | {bound:.3} | {:.2} | {} | {} | {} |\n",
        at(0),
        at(1),
        time / bound,
        cell(parallel),
        cell(specialized),
        ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")),
    ))
}

/// A version that `auto` timed.
struct Version {
    ns: f64,
    shape: String,
}

fn best(kernel: &Value, is_parallel: bool) -> Option<Version> {
    let timed = kernel["layouts"].as_array().into_iter().flatten().filter_map(|layout| {
        let code = layout["codegen"].as_str()?;
        let ns = layout["predicted_ns"].as_f64()?;
        let shape = match is_parallel {
            true => format!("{}", layout["warps"]),
            false => format!("{code}, {}", layout["warps"]),
        };
        (code.starts_with("data-parallel") == is_parallel).then_some(Version { ns, shape })
    });
    timed.min_by(|a, b| a.ns.total_cmp(&b.ns))
}

fn long_run(compiler: &Path, folder: &Path, start: &str, target: &str, kernel: &Value) -> Result<String, String> {
    let symbol = kernel["symbol"].as_str().unwrap_or_default();
    let text = folder.join(format!("{symbol}.cu"));
    let launch = folder.join(format!("{symbol}.toml"));
    let source = std::fs::read_to_string(&text).map_err(|e| format!("{}: {e}", text.display()))?;
    std::fs::write(&launch, self::launch(kernel, &source)).map_err(|e| format!("{}: {e}", launch.display()))?;
    let predicted = predicted(kernel)?;
    let per_clock = predicted / kernel["prediction"]["clocks_per_point"].as_f64().ok_or("no clocks were predicted")?;
    let per_turn = (points(kernel) / EXECUTED) as f64;
    let long = |turns: &str| -> Result<f64, String> {
        let mut timed = std::process::Command::new(compiler);
        timed.args(["ptx", "time"]).arg(&text).arg("--launch").arg(&launch);
        let printed = program::output(timed.args(["--target", target, "--turns", turns, "--json"]))?;
        let clocks = json(printed.as_bytes())?["turns"]["mean"].as_f64().ok_or("turns have no mean")?;
        Ok(clocks / per_turn * per_clock)
    };
    let [few, many] = [long(TURNS[0])?, long(TURNS[1])?];
    let ratio = many / predicted;
    let remark = match kernel["prediction"]["settled"]["has_settled"] == true {
        _ if (ratio - 1.0).abs() <= ALLOWED => "",
        true => ", differs",
        false => ", not steady",
    };
    let name = kernel["kernel"].as_str().unwrap_or_default();
    Ok(format!("{start} {name} | {predicted:.3} | {few:.3} | {many:.3} | {ratio:.2}{remark} |\n"))
}

fn warps(kernel: &Value) -> u64 {
    kernel["warps"].as_u64().unwrap_or(1) * kernel["groups_per_cta"].as_u64().unwrap_or(1)
}

/// Returns the points of the launch: every CTA of a full SM turns its loop as often as is executed.
fn points(kernel: &Value) -> u64 {
    let number = |value: &Value| value.as_u64().unwrap_or(1);
    let is_data_parallel = kernel["codegen"].as_str().is_some_and(|code| code.starts_with("data-parallel"));
    let groups = if is_data_parallel { warps(kernel) } else { number(&kernel["groups_per_cta"]) };
    EXECUTED * number(&kernel["machine"]["ctas_per_sm"]) * 32 * number(&kernel["points_per_lane"]) * groups
}

/// Returns the launch, with states like those of a verification: temperatures that rise from point to point, and points with a few species alone, whose
/// divisions take longer.
fn launch(kernel: &Value, source: &str) -> String {
    let points = points(kernel);
    let dynamic = source.split_once("dynamic_shared_bytes = ").and_then(|(_, rest)| rest.split_once(';'));
    let shared = dynamic.map_or("0", |(bytes, _)| bytes);
    let mut text =
        format!("ctas = {}\nthreads = {}\nshared = {shared}\n", kernel["machine"]["ctas_per_sm"], 32 * warps(kernel));
    for array in kernel["arrays"].as_array().into_iter().flatten() {
        let rows = array["rows"].as_u64().unwrap_or(1);
        text += "[[arguments]]\n";
        // Writing to a String cannot fail.
        let _ = if array["output"] == true {
            writeln!(text, "output = true\nlength = {}", rows * points)
        } else {
            let name = array["name"].as_str().unwrap_or_default();
            let values: Vec<String> =
                (0..rows * points).map(|at| format!("{:e}", value(name, at / points, at % points, points))).collect();
            writeln!(text, "values = [{}]", values.join(", "))
        };
    }
    // the points, and the distance of two rows
    text + &format!("[[arguments]]\ns32 = {points}\n").repeat(2)
}

/// Returns the value of a row of an array at a point: 300 to 3000 K, 0.5 to 20 bar, steps of 1 to 100 ns, fractions from 0 to 1.
fn value(array: &str, row: u64, point: u64, points: u64) -> f64 {
    let anywhere = ((row * points + point) as f64 * std::f64::consts::SQRT_2).fract();
    match array {
        "temperature" => 300.0 + 2700.0 * point as f64 / points as f64,
        "pressure" => 5e4 + 2e6 * anywhere,
        "time_step" => 10f64.powf(2.0 * anywhere - 9.0),
        _ if matches!(point % 5, 0 | 3) || (row + point).is_multiple_of(4) => anywhere,
        _ => 0.0,
    }
}

impl Table {
    fn rows<'a>(&self, page: &'a str) -> &'a str {
        let rest = page.split_once(self.begin).map_or("", |(_, rest)| rest);
        rest.split_once(END).map_or("", |(rows, _)| rows.trim_start_matches(self.head))
    }

    /// Returns the page with these rows in place of those that begin alike; in the order of their making where there were none.
    fn replaced(&self, page: &str, start: &str, made: &str) -> Result<String, String> {
        let place = || page.split_once(self.begin).and_then(|(head, rest)| Some((head, rest.split_once(END)?)));
        let (head, (old, tail)) = place().ok_or_else(|| format!("the page lacks {}", self.begin))?;
        let old = old.trim_start_matches(self.head);
        let is_other = |line: &&str| !line.starts_with(start);
        let before: String = old.split_inclusive('\n').take_while(is_other).collect();
        let behind: String = old.split_inclusive('\n').skip_while(is_other).filter(is_other).collect();
        Ok([head, self.begin, self.head, &before, made, &behind, END, tail].concat())
    }
}

fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|e| format!("no JSON was printed: {e}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{END, LONG_RUNS, Table, best, launch};

    #[test]
    fn rows_take_the_place_of_those_that_begin_alike() {
        let Table { begin, head } = LONG_RUNS;
        let page = format!("head\n{END}\n{begin}{head}| a | x | 1 |\n| b | x | 1 |\n| c | x | 1 |\n{END}\ntail\n");
        let made = LONG_RUNS.replaced(&page, "| b | x |", "| b | x | 2 |\n").unwrap();
        assert_eq!(made, page.replace("| b | x | 1 |", "| b | x | 2 |"));
        let more = LONG_RUNS.replaced(&page, "| d | x |", "| d | x | 1 |\n").unwrap();
        assert!(more.contains("| c | x | 1 |\n| d | x | 1 |\n<!--"));
        assert!(LONG_RUNS.replaced("no place", "", "").is_err());
    }

    #[test]
    fn the_fastest_timed_version_of_a_kind_is_found() {
        let layout = |code: &str, ns: Option<f64>| json!({ "codegen": code, "warps": 4, "predicted_ns": ns });
        let kernel = json!({ "layouts": [layout("straight", Some(2.0)), layout("partial", Some(1.5)), layout("overlay", None),
            layout("data-parallel", Some(1.0))] });
        assert_eq!(best(&kernel, false).unwrap().shape, "partial, 4");
        assert_eq!(best(&kernel, true).unwrap().ns, 1.0);
        assert!(best(&json!({}), true).is_none());
    }

    #[test]
    fn a_launch_fills_an_sm_for_as_many_turns_as_are_executed() {
        let arrays = json!([{ "name": "temperature", "rows": 1, "output": false }, { "name": "rates", "rows": 3, "output": true }]);
        let kernel = json!({ "codegen": "data-parallel", "warps": 2, "groups_per_cta": 1, "points_per_lane": 1, "arrays": arrays,
            "machine": { "ctas_per_sm": 3 } });
        let text = launch(&kernel, "const int dynamic_shared_bytes = 64;");
        assert!(text.starts_with("ctas = 3\nthreads = 64\nshared = 64\n"));
        assert!(text.contains("length = 2304\n") && text.ends_with("s32 = 768\n"), "{text}");
    }
}
