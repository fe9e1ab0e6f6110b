//! Machine code for AMD: what Clang makes of every kernel, run instruction by instruction and compared with the graph in bits.
//! Writes the tables of `docs/lab/amd.md`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use xtask::{compiler, pages};

/// Kernels, with the variables of the state that they are compiled for.
const KERNELS: [(&str, &str); 16] = [
    ("viscosity", "TPX"),
    ("conductivity", "TPX"),
    ("diffusion", "TPX"),
    ("transport", "TPX"),
    ("flux", "TPX"),
    ("thermodynamics", "TPX"),
    ("temperature", "HPY"),
    ("temperature", "ERY"),
    ("chemistry", "TPX"),
    ("isobaric", "TPY"),
    ("isochoric", "TRY"),
    ("jacobian", "TPX"),
    ("isobaric-jacobian", "TPY"),
    ("isochoric-jacobian", "TPY"),
    ("isobaric-jacobian-vector", "TPY"),
    ("isochoric-jacobian-vector", "TPY"),
];

/// Exit code of a command that refuses its input.
const REFUSED: i32 = 1;

/// One machine of each architecture.
const TARGETS: [&str; 4] = ["mi250x", "mi300x", "mi355x", "gfx1250"];

/// Mechanisms and their folders. Those of the paper lie beside the checkout, and are taken with their reductions.
const INPUTS: [(&str, &str); 4] = [
    ("h2o2", "mechanisms/h2o2"),
    ("gri30", "mechanisms/gri30"),
    ("dme", "../shared/mechanisms/dme"),
    ("heptane", "../shared/mechanisms/heptane"),
];

/// Warps that work together, in warp-specialized code: as many as give a lane all registers where there are two groups of them, where the kernel would spill else.
fn warps(mechanism: &str, kernel: &str, layout: &str) -> &'static str {
    match (mechanism, kernel) {
        _ if layout == ALONE => "8",
        ("h2o2", _) | ("dme", "chemistry") => "4",
        _ => "8",
    }
}
const ALONE: &str = "data-parallel";
const TOGETHER: [&str; 3] = ["overlay", "partial", "switch"];
/// Kernels that are run in all layouts.
const IN_ALL_LAYOUTS: [&str; 4] = ["viscosity", "conductivity", "diffusion", "chemistry"];

const PAGE: &str = "amd.md";
const ROWS: &str = "amd.json";
const START: &str = "<!-- made by `cargo lab amd` -->";
const END: &str = "<!-- end -->";

/// Compiles and runs the kernel that the second word names, or those whose names start with it, or all, of the mechanisms whose names start with the first, for the
/// targets whose names start with the third; rows of others stay as they are.
///
/// Errors: the compiler cannot be built or run, a mechanism is absent, a kernel is wrong, or the files cannot be written.
pub fn write(root: &Path, only: &str, kernels: &str, target: &str) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    let inputs: Vec<_> = INPUTS.iter().filter(|(name, _)| name.starts_with(only)).collect();
    let is_whole = KERNELS.iter().any(|(name, _)| *name == kernels);
    let is_asked = |case: &Case| if is_whole { case.kernel == kernels } else { case.kernel.starts_with(kernels) };
    let cases: Vec<_> = cases().into_iter().filter(is_asked).collect();
    let mut rows: Vec<Value> = pages::last(root, ROWS).as_array().cloned().unwrap_or_default();
    let targets: Vec<&str> = TARGETS.into_iter().filter(|name| name.starts_with(target)).collect();
    let bar = pages::bar(inputs.len() * cases.len() * targets.len());
    for (mechanism, folder) in inputs {
        let file = root.join(folder).join("chem.inp");
        if !file.is_file() {
            return Err(format!("{} is absent: {mechanism} cannot be run", file.display()));
        }
        for &target in &targets {
            for case in &cases {
                bar.set_message(format!("{mechanism} {target} {} {}", case.kernel, case.layout));
                bar.tick();
                let row = run(&compiler, &file, mechanism, target, case)?;
                rows.retain(|old| KEY.iter().any(|name| old[name] != row[name]));
                rows.push(row);
                // a run that is cut off leaves what it has
                save(root, &mut rows)?;
                bar.inc(1);
            }
        }
    }
    Ok(())
}

const KEY: [&str; 5] = ["mechanism", "target", "kernel", "state", "layout"];

/// A kernel in a layout.
struct Case {
    kernel: &'static str,
    state: &'static str,
    layout: &'static str,
}

/// Returns the cases in the order of the tables.
fn cases() -> Vec<Case> {
    let layouts = |kernel| {
        std::iter::once(ALONE)
            .chain(TOGETHER)
            .filter(move |layout| *layout == ALONE || IN_ALL_LAYOUTS.contains(&kernel))
    };
    KERNELS
        .iter()
        .flat_map(|&(kernel, state)| layouts(kernel).map(move |layout| Case { kernel, state, layout }))
        .collect()
}

/// Compiles one kernel, and runs its machine code.
fn run(
    compiler: &Path,
    file: &Path,
    mechanism: &str,
    target: &str,
    &Case { kernel, state, layout }: &Case,
) -> Result<Value, String> {
    let folder = compiler.with_file_name("amd").join(format!("{mechanism}-{kernel}-{state}-{target}-{layout}"));
    let warps = warps(mechanism, kernel, layout);
    let output = Command::new(compiler)
        .arg(file)
        .args(["--kernel", kernel, "--state", state, "--target", target, "--codegen", layout, "--warps", warps])
        .args(["--emit", "report", "--json", "-o"])
        .arg(folder)
        .output()
        .map_err(|e| format!("singe cannot be run: {e}"))?;
    let mut row =
        json!({ "mechanism": mechanism, "target": target, "kernel": kernel, "state": state, "layout": layout });
    let what = format!("{mechanism} {kernel} {state} {target} {layout}");
    let found: Value = serde_json::from_slice(&output.stdout).map_err(|e| format!("{what}: no JSON: {e}"))?;
    if output.status.code() == Some(REFUSED) {
        row["refused"] = found["diagnostics"][0]["id"].clone();
        return Ok(row);
    }
    let of_kernel = &found["kernels"][0];
    match of_kernel["verdict"].as_str() {
        Some(verdict) if output.status.success() && verdict.starts_with("proven, verified") => {}
        _ => return Err(format!("{what}: {found}")),
    }
    let code = &of_kernel["on_amd"];
    for name in ["compiler", "vgprs", "scratch_bytes", "lds_bytes", "code_bytes", "over_instruction_cache", "run"] {
        row[name] = code[name].clone();
    }
    Ok(row)
}

/// Writes the rows, and the tables that show them.
fn save(root: &Path, rows: &mut [Value]) -> Result<(), String> {
    let cases = cases();
    let place = |row: &Value| {
        let at =
            |names: &[&str], name: &Value| names.iter().position(|known| *known == name.as_str().unwrap_or_default());
        let is_it =
            |case: &Case| row["kernel"] == case.kernel && row["state"] == case.state && row["layout"] == case.layout;
        let kernel = cases.iter().position(is_it);
        (at(&INPUTS.map(|(name, _)| name), &row["mechanism"]), at(&TARGETS, &row["target"]), kernel)
    };
    rows.sort_by_key(place);
    let lines: Vec<String> = rows.iter().map(|row| format!("  {row}")).collect();
    pages::write(root, ROWS, &format!("[\n{}\n]\n", lines.join(",\n")))?;
    let page = root.join("docs/lab").join(PAGE);
    let text = std::fs::read_to_string(&page).map_err(|e| format!("{} cannot be read: {e}", page.display()))?;
    let with = spliced(&text, &tables(rows)).ok_or_else(|| format!("{} lacks `{START}` or `{END}`", page.display()))?;
    pages::write(root, PAGE, &with)
}

/// The page with other tables.
fn spliced(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(START)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{START}\n{tables}\n{END}{after}"))
}

const COUNTS: [&str; 8] = ["instructions", "vector", "doubles", "scalar", "lds", "global", "barriers", "scratch"];
/// Number of columns with numbers.
const COLUMNS: usize = COUNTS.len() + 5;

fn tables(rows: &[Value]) -> String {
    let mut text = String::new();
    for (mechanism, _) in INPUTS {
        for target in TARGETS {
            let own: Vec<&Value> =
                rows.iter().filter(|row| row["mechanism"] == mechanism && row["target"] == target).collect();
            if own.is_empty() {
                continue;
            }
            text += &format!(
                "\n### {mechanism}, {target}\n\n| kernel | state | layout | instructions | vector | on doubles | scalar | LDS | global | barriers | scratch instructions | \
                 registers | scratch bytes per lane | bytes of LDS | bytes of code | over cache | equal |\n|---|---|---|{}---|\n",
                "--:|".repeat(COLUMNS)
            );
            text.extend(own.into_iter().map(line));
        }
    }
    text
}

fn line(row: &Value) -> String {
    let word = |name: &str| row[name].as_str().unwrap_or_default();
    let head = format!("| `{}` | {} | {} |", word("kernel"), word("state"), word("layout"));
    if row["refused"].is_string() {
        return format!("{head}{} refused: `{}` |\n", " |".repeat(COLUMNS), word("refused"));
    }
    let wave = &row["run"]["verified"]["wave"];
    // Loads of constants are instructions of the scalar unit.
    let count = |name: &str| {
        let loads = if name == "scalar" { wave["scalar_loads"].as_u64() } else { None };
        wave[name].as_u64().map_or(String::new(), |count| (count + loads.unwrap_or(0)).to_string())
    };
    let counts = COUNTS.map(count).join(" | ");
    let whole = ["vgprs", "scratch_bytes", "lds_bytes", "code_bytes"].map(|name| row[name].to_string()).join(" | ");
    let cache = row["over_instruction_cache"].as_f64().map_or(String::new(), |part| format!("{part:.2}"));
    let equal = row["run"]["not_run"].as_str().map_or("yes".to_owned(), |reason| format!("not run: {reason}"));
    format!("{head} {counts} | {whole} | {cache} | {equal} |\n")
}

#[cfg(test)]
mod tests {
    use super::{END, START, line, spliced};
    use serde_json::json;

    #[test]
    fn tables_stand_between_their_marks() {
        let page = format!("head\n{START}\nold\n{END}\ntail\n");
        assert_eq!(spliced(&page, "new").unwrap(), format!("head\n{START}\nnew\n{END}\ntail\n"));
        assert_eq!(spliced("no marks", "new"), None);
    }

    #[test]
    fn a_row_tells_what_was_run() {
        let wave = json!({ "instructions": 9, "vector": 5, "doubles": 3, "scalar": 2, "scalar_loads": 1, "lds": 0, "global": 1, "barriers": 0, "scratch": 0 });
        let mut row = json!({ "kernel": "flux", "state": "TPX", "layout": "switch", "vgprs": 30, "scratch_bytes": 0, "lds_bytes": 8, "code_bytes": 72,
            "over_instruction_cache": 0.5, "run": { "verified": { "wave": wave } } });
        assert_eq!(
            line(&row),
            "| `flux` | TPX | switch | 9 | 5 | 3 | 3 | 0 | 1 | 0 | 0 | 30 | 0 | 8 | 72 | 0.50 | yes |\n"
        );
        row["run"] = json!({ "not_run": "why" });
        assert!(line(&row).ends_with("| 0.50 | not run: why |\n"));
        assert_eq!(line(&row).matches('|').count(), 18);
        row["refused"] = "form::none".into();
        assert!(line(&row).ends_with("| refused: `form::none` |\n"));
        assert_eq!(line(&row).matches('|').count(), 18);
    }
}
