//! Times of what the compiler takes by itself, as its reports predict them, beside other layouts and beside long runs of the same files by
//! `singe ptx time`. Writes two tables of `docs/lab/performance.md`.

use std::path::Path;

use serde_json::Value;
use xtask::{compiler, pages, program};

use crate::performance_launch::{EXECUTED, launch, points, warps};
use crate::performance_picture;

/// A mechanism of the tables: its name, its file, options, the beginning of the names of its targets, and its kernels.
struct Input {
    name: &'static str,
    file: &'static str,
    options: &'static [&'static str],
    targets: &'static str,
    kernels: &'static [&'static str],
}

const INPUTS: [Input; 7] = [
    Input { options: &[], ..complete("h2o2", "mechanisms/h2o2/chem.inp", "") },
    Input { options: &[], ..complete("gri30", "mechanisms/gri30/chem.inp", "") },
    complete("dme", "../shared/mechanisms/dme/chem.inp", ""),
    complete("heptane", "../shared/mechanisms/heptane/chem.inp", ""),
    reduced("dme, reduced", "../shared/mechanisms/dme/chem.inp"),
    reduced("heptane, reduced", "../shared/mechanisms/heptane/chem.inp"),
    complete("usc2", "../shared/mechanisms/usc2/chem.inp", "hopper"),
];
const TARGETS: [&str; 4] = ["kepler", "ampere", "hopper", "blackwell"];
const KERNELS: [&str; 4] = ["viscosity", "conductivity", "diffusion", "chemistry"];
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
    head: "| mechanism | target | kernel | taken | warps x CTAs | ns per point | its range | bound (ns) | over bound | best data-parallel | best warp-specialized | warp-specialized over data-parallel | commit |\n\
    |---|---|---|---|---|--:|---|--:|--:|--:|--:|--:|---|\n",
};
const LONG_RUNS: Table = Table {
    begin: "<!-- long runs: written by `cargo lab performance` -->\n",
    head: "| mechanism | target | kernel | ns per point | 16 turns | 64 turns | 64 turns over predicted |\n|---|---|---|--:|--:|--:|--:|\n",
};

const COUNTS: &str = "<!-- counts: written by `cargo lab performance` -->\n";

const fn complete(name: &'static str, file: &'static str, targets: &'static str) -> Input {
    Input { name, file, options: &["--permissive", "--reduction", "none"], targets, kernels: &KERNELS }
}

/// Quasi-steady species are in none of its kernels.
const fn reduced(name: &'static str, file: &'static str) -> Input {
    Input { name, file, options: &[], targets: "", kernels: &KERNELS }
}

/// Compiles the kernels, of the mechanisms, for the targets that these words name or begin, times the files that were written, and replaces their rows
/// of both tables as they come. Rows that were made with this very compiler are not made again; mechanisms whose files are absent keep their rows.
///
/// Errors: the compiler cannot be built, some kernels cannot be compiled or timed, or the page has no place for a table.
pub fn write(root: &Path, mechanism: &str, target: &str, kernel: &str) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    let commit = compiler::commit(root);
    let runs = runs(root, [mechanism, target, kernel]);
    let mut failed = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let start = format!("| {} | {} | {} |", run.input.name, run.target, run.kernel);
        eprintln!("{} of {}: {start}", at + 1, runs.len());
        match rows(root, &compiler, run, &start, &commit) {
            Err(reason) => {
                eprintln!("{reason}");
                failed.push(start);
            }
            Ok([versions, long_runs]) => {
                let page = VERSIONS.replaced(&pages::text(root, PAGE)?, &start, &versions)?;
                pages::write(root, PAGE, &LONG_RUNS.replaced(&page, &start, &long_runs)?)?;
            }
        }
    }
    let page = with_counts(&pages::text(root, PAGE)?)?;
    pages::write(root, PAGE, &page)?;
    pages::write(root, PICTURE, &performance_picture::ratios(VERSIONS.rows(&page), &TARGETS)?)?;
    if failed.is_empty() { Ok(()) } else { Err(format!("not made: {}", failed.join(", "))) }
}

/// Returns the page with a sentence about its long runs: how many are as predicted, and how many others in the range that the report has.
fn with_counts(page: &str) -> Result<String, String> {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<String>>();
    let number = |cell: &str| cell.split(',').next().and_then(|word| word.parse::<f64>().ok());
    let ranges: Vec<Vec<String>> = VERSIONS.rows(page).lines().map(cells).collect();
    let is_in_range = |run: &[String]| {
        let versions = ranges.iter().find(|version| version[1..4] == run[1..4])?;
        let (least, most) = versions[7].split_once(" to ")?;
        let [least, most, time] = [least, most, &run[6]].map(number);
        Some((least? * (1.0 - ALLOWED)..=most? * (1.0 + ALLOWED)).contains(&time?))
    };
    let runs: Vec<Vec<String>> = LONG_RUNS.rows(page).lines().map(cells).collect();
    let others: Vec<&Vec<String>> = runs.iter().filter(|run| run[7].contains(',')).collect();
    let in_range = others.iter().filter(|run| is_in_range(run) == Some(true)).count();
    let counts = format!(
        "Of {} rows {} are within {allowed} %. Of the other {} rows {in_range} are in the range of [the table above](#what-the-compiler-takes), or within {allowed} % of it.\n",
        runs.len(),
        runs.len() - others.len(),
        others.len(),
        allowed = 100.0 * ALLOWED,
    );
    let place = || page.split_once(COUNTS).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = place().ok_or_else(|| format!("the page lacks {COUNTS}"))?;
    Ok([head, COUNTS, &counts, END, tail].concat())
}

/// A row of each table.
struct Run {
    input: &'static Input,
    target: &'static str,
    kernel: &'static str,
}

/// Returns the rows whose mechanism, target and kernel these words name or begin.
fn runs(root: &Path, [mechanism, target, kernel]: [&str; 3]) -> Vec<Run> {
    let mut runs = Vec::new();
    for input in inputs(mechanism) {
        if !root.join(input.file).is_file() {
            eprintln!("Not made: {}, whose file is absent.", input.name);
            continue;
        }
        for target in TARGETS.iter().filter(|name| name.starts_with(target) && name.starts_with(input.targets)) {
            let kernels = input.kernels.iter().filter(|name| name.starts_with(kernel));
            runs.extend(kernels.map(|kernel| Run { input, target, kernel }));
        }
    }
    runs
}

/// Returns the mechanism of this name, or those whose names start so.
fn inputs(mechanism: &str) -> impl Iterator<Item = &'static Input> {
    let is_whole = INPUTS.iter().any(|input| input.name == mechanism);
    INPUTS.iter().filter(move |input| input.name == mechanism || !is_whole && input.name.starts_with(mechanism))
}

/// Returns the rows of both tables: those of the record beside the compiler, or those that are made, and recorded.
fn rows(root: &Path, compiler: &Path, run: &Run, start: &str, commit: &str) -> Result<[String; 2], String> {
    let Run { input, target, kernel } = *run;
    let name = format!("{}-{target}-{kernel}", input.name.replace(", ", "-"));
    let folder = compiler.with_file_name("performance").join(name);
    let record = folder.join("rows.json");
    if let Ok(bytes) = std::fs::read(&record) {
        return serde_json::from_slice(&bytes).map_err(|e| format!("{}: {e}", record.display()));
    }
    let mut compiles = std::process::Command::new(compiler);
    compiles.arg(root.join(input.file)).args(input.options).args(["--kernel", kernel, "--target", target]);
    program::output(compiles.args(["--emit", "cuda,report", "--force", "-o"]).arg(&folder))?;
    let report: Value = json(&std::fs::read(folder.join("report.json")).map_err(|e| e.to_string())?)?;
    let kernel = &report["kernels"][0];
    let made = [version(start, kernel, commit)?, long_run(compiler, &folder, start, target, kernel)?];
    std::fs::write(&record, Value::from(made.to_vec()).to_string()).map_err(|e| e.to_string())?;
    Ok(made)
}

fn predicted(kernel: &Value) -> Result<f64, String> {
    kernel["machine"]["predicted_ns"].as_f64().ok_or_else(|| "no time was predicted".to_string())
}

/// Returns what was taken, and the fastest versions of either kind that were timed.
fn version(start: &str, kernel: &Value, commit: &str) -> Result<String, String> {
    let time = predicted(kernel)?;
    let [least, most] = range(kernel, time);
    let bound = kernel["machine"]["bound_ns"].as_f64().ok_or("no bound is known")?;
    let [parallel, specialized] = [true, false].map(|is_parallel| best(kernel, is_parallel));
    let code = kernel["codegen"].as_str().unwrap_or_default();
    let undecided = if layouts(kernel).any(|layout| layout["undecided"] == true) { ", undecided" } else { "" };
    let (warps, ctas) = (warps(kernel), &kernel["machine"]["ctas_per_sm"]);
    let ratio = parallel.as_ref().zip(specialized.as_ref()).map(|(parallel, other)| other.ns / parallel.ns);
    let cell = |best: Option<Version>| best.map_or("–".into(), |best| format!("{:.3} ({})", best.ns, best.shape));
    Ok(format!(
        "{start} {code}{undecided} | {warps} x {ctas} | {time:.3} | {least:.3} to {most:.3} | {bound:.3} | {:.2} | {} | {} | {} | {commit} |\n",
        time / bound,
        cell(parallel),
        cell(specialized),
        ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")),
    ))
}

/// The versions that `auto` weighed.
fn layouts(kernel: &Value) -> impl Iterator<Item = &Value> {
    kernel["layouts"].as_array().into_iter().flatten()
}

/// Returns the least and the most of its time: in the steady state, and under other assumptions where it was timed so.
fn range(kernel: &Value, time: f64) -> [f64; 2] {
    let is_own =
        |layout: &&Value| layout["codegen"] == kernel["codegen"] && layout["predicted_ns"].as_f64() == Some(time);
    let assumed = layouts(kernel).find(is_own).and_then(|own| own["sensitivity"].as_object());
    let settled = kernel["prediction"]["settled"]["range_ns"].as_array();
    let times = settled.into_iter().flatten().chain(assumed.into_iter().flat_map(serde_json::Map::values));
    let times = times.filter_map(Value::as_f64);
    times.fold([time; 2], |[least, most], time| [least.min(time), most.max(time)])
}

/// A version that `auto` timed.
struct Version {
    ns: f64,
    shape: String,
}

fn best(kernel: &Value, is_parallel: bool) -> Option<Version> {
    let timed = layouts(kernel).filter_map(|layout| {
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
    Ok(format!("{start} {predicted:.3} | {few:.3} | {many:.3} | {ratio:.2}{remark} |\n"))
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

    use super::{COUNTS, END, INPUTS, LONG_RUNS, Table, VERSIONS, best, inputs, range, with_counts};

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
    fn long_runs_are_counted_by_prediction_and_by_range() {
        let version =
            |target: &str, range: &str| format!("| a | {target} | k | straight | 4 x 1 | 1.000 | {range} | 0.5 |\n");
        let versions =
            version("x", "0.990 to 1.010") + &version("y", "0.900 to 1.200") + &version("z", "0.900 to 1.000");
        let run = |target: &str, end: &str| format!("| a | {target} | k | 1.000 | 1.000 | {end} |\n");
        let runs = run("x", "1.020 | 1.02") + &run("y", "1.230 | 1.23, differs") + &run("z", "1.040 | 1.04, differs");
        let tables = [(&VERSIONS, versions), (&LONG_RUNS, runs)]
            .map(|(Table { begin, head }, rows)| [begin, head, &*rows, END].concat());
        let page = tables.concat() + COUNTS + "old\n" + END + "\ntail\n";
        let counted = with_counts(&page).unwrap();
        let sentence = "Of 3 rows 1 are within 3 %. Of the other 2 rows 1 are in the range of";
        assert!(
            counted.contains(&[COUNTS, sentence].concat()) && counted.ends_with("\n<!-- end -->\ntail\n"),
            "{counted}"
        );
        assert!(with_counts("no place").is_err());
    }

    #[test]
    fn a_whole_name_is_of_one_mechanism() {
        assert_eq!(["dme", "dme, reduced", "dm", ""].map(|name| inputs(name).count()), [1, 1, 2, INPUTS.len()]);
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
    fn a_range_has_the_times_under_other_assumptions() {
        let sensitivity = json!({ "caches_half_ns": 1.2, "ctas_elsewhere_ns": 2.5 });
        let other = json!({ "codegen": "partial", "predicted_ns": 1.1, "sensitivity": { "caches_half_ns": 9.0 } });
        let own = json!({ "codegen": "partial", "predicted_ns": 1.0, "sensitivity": sensitivity });
        let settled = json!({ "settled": { "range_ns": [0.9, 1.1] } });
        let kernel = json!({ "codegen": "partial", "prediction": settled, "layouts": [other, own] });
        assert_eq!(range(&kernel, 1.0), [0.9, 2.5]);
        assert_eq!(range(&json!({}), 1.0), [1.0, 1.0]);
    }
}
