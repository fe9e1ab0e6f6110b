//! Predicted times of the kernels that ship, beside those of long runs of their files by `singe ptx time`. Writes a table of `docs/lab/performance.md`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use xtask::{compiler, pages, program};

/// Mechanisms that ship as examples of their own, and targets that a table of the page has.
const MECHANISMS: [&str; 2] = ["h2o2", "gri30"];
const TARGETS: [&str; 4] = ["kepler", "ampere", "hopper", "blackwell"];
/// Turns of the streaming loop that a launch executes, as the compiler has it: the model repeats them.
const EXECUTED: u64 = 4;
const TURNS: [&str; 2] = ["16", "64"];
/// Difference up to which a long run is as predicted.
const ALLOWED: f64 = 0.03;

const PAGE: &str = "performance.md";
const BEGIN: &str = "<!-- long runs: written by `cargo lab long-runs` -->\n";
const END: &str = "<!-- end of long runs -->";
const HEAD: &str = "| mechanism | target | kernel | code | warps x CTAs | predicted (ns) | its range | 16 turns | 64 turns | 64 turns / predicted |\n\
    |---|---|---|---|---|--:|---|--:|--:|--:|\n";

/// Compiles the mechanisms whose names start with `mechanism` for the targets whose names start with `target`, times the files that were written,
/// and replaces their rows of the table.
///
/// Errors: the compiler cannot be built or run, or the page has no place for the table.
pub fn write(root: &Path, mechanism: &str, target: &str) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    let begins = |words: &[&'static str], start: &str| {
        words.iter().copied().filter(|word| word.starts_with(start)).collect::<Vec<_>>()
    };
    for mechanism in begins(&MECHANISMS, mechanism) {
        for target in begins(&TARGETS, target) {
            eprintln!("{mechanism} for {target}");
            let made = rows(root, &compiler, mechanism, target)?;
            let page = replaced(&pages::text(root, PAGE)?, &format!("| {mechanism} | {target} |"), &made)?;
            pages::write(root, PAGE, &page)?;
        }
    }
    Ok(())
}

fn rows(root: &Path, compiler: &Path, mechanism: &str, target: &str) -> Result<String, String> {
    let folder = compiler.with_file_name("long-runs").join(format!("{mechanism}-{target}"));
    let mut compiles = std::process::Command::new(compiler);
    compiles.arg(root.join("mechanisms").join(mechanism).join("chem.inp"));
    program::output(compiles.args(["--target", target, "--emit", "cuda,report", "--force", "-o"]).arg(&folder))?;
    let report: Value = json(&std::fs::read(folder.join("report.json")).map_err(|e| e.to_string())?)?;
    let kernels = report["kernels"].as_array().into_iter().flatten().filter(|kernel| kernel["alternative"] != true);
    kernels.map(|kernel| row(compiler, &folder, mechanism, target, kernel)).collect()
}

fn row(compiler: &Path, folder: &Path, mechanism: &str, target: &str, kernel: &Value) -> Result<String, String> {
    let symbol = kernel["symbol"].as_str().unwrap_or_default();
    let text = folder.join(format!("{symbol}.cu"));
    let launch = folder.join(format!("{symbol}.toml"));
    let source = std::fs::read_to_string(&text).map_err(|e| format!("{}: {e}", text.display()))?;
    std::fs::write(&launch, self::launch(kernel, &source)).map_err(|e| format!("{}: {e}", launch.display()))?;
    let predicted = kernel["machine"]["predicted_ns"].as_f64().ok_or("no time was predicted")?;
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
    let settled = &kernel["prediction"]["settled"];
    let at = |end: usize| settled["range_ns"][end].as_f64().unwrap_or(predicted);
    let ratio = many / predicted;
    let (name, code) = (kernel["kernel"].as_str().unwrap_or_default(), kernel["codegen"].as_str().unwrap_or_default());
    let remark = match settled["has_settled"] == true {
        _ if (ratio - 1.0).abs() <= ALLOWED => "",
        true => ", differs",
        false => ", not steady",
    };
    Ok(format!(
        "| {mechanism} | {target} | {name} | {code} | {} x {} | {predicted:.3} | {:.3} to {:.3} | {few:.3} | {many:.3} | {ratio:.2}{remark} |\n",
        warps(kernel),
        kernel["machine"]["ctas_per_sm"],
        at(0),
        at(1),
    ))
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

/// Returns the value of a row of an array at a point: 300 to 3000 K, 0.5 to 20 bar, fractions from 0 to 1.
fn value(array: &str, row: u64, point: u64, points: u64) -> f64 {
    let anywhere = ((row * points + point) as f64 * std::f64::consts::SQRT_2).fract();
    match array {
        "temperature" => 300.0 + 2700.0 * point as f64 / points as f64,
        "pressure" => 5e4 + 2e6 * anywhere,
        _ if matches!(point % 5, 0 | 3) || (row + point).is_multiple_of(4) => anywhere,
        _ => 0.0,
    }
}

/// Returns the page with these rows in place of those that begin alike; in the order of their making where there were none.
fn replaced(page: &str, start: &str, made: &str) -> Result<String, String> {
    let place = || Some((page.split_once(BEGIN)?, page.split_once(END)?.1));
    let ((head, rest), tail) = place().ok_or("the page has no place for long runs")?;
    let old = rest.split_once(END).map_or("", |(table, _)| table).trim_start_matches(HEAD);
    let is_other = |line: &&str| !line.starts_with(start);
    let before: String = old.split_inclusive('\n').take_while(is_other).collect();
    let behind: String = old.split_inclusive('\n').skip_while(is_other).filter(is_other).collect();
    Ok(format!("{head}{BEGIN}{HEAD}{before}{made}{behind}{END}{tail}"))
}

fn json(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|e| format!("no JSON was printed: {e}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{BEGIN, END, HEAD, launch, replaced};

    #[test]
    fn rows_take_the_place_of_those_that_begin_alike() {
        let page = format!("head\n{BEGIN}{HEAD}| a | x | 1 |\n| b | x | 1 |\n| c | x | 1 |\n{END}\ntail\n");
        let made = replaced(&page, "| b | x |", "| b | x | 2 |\n").unwrap();
        assert_eq!(made, page.replace("| b | x | 1 |", "| b | x | 2 |"));
        assert!(
            replaced(&page, "| d | x |", "| d | x | 1 |\n").unwrap().contains("| c | x | 1 |\n| d | x | 1 |\n<!--")
        );
        assert!(replaced("no place", "", "").is_err());
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
