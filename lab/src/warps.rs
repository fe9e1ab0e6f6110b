//! The sweep over numbers of warps: every kernel in warp-specialized code, proven and verified in the simulator at each of them.
//! Writes `docs/lab/warps.md`.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Value, json};

use crate::kernels::{KERNELS, Outcome, compiled};
use xtask::{compiler, pages};

/// Mechanisms that ship.
const INPUTS: [&str; 2] = ["h2o2", "gri30"];

/// All that a CTA can have.
const WARPS: RangeInclusive<u32> = 1..=32;

/// Results of one kernel at all numbers of warps.
#[derive(Default)]
struct Row {
    verified: Vec<u32>,
    /// Refused numbers of warps, by the diagnostic.
    refused: BTreeMap<String, Vec<u32>>,
    error: f64,
}

/// Compiles every kernel of the mechanisms whose names start with `only` for every number of warps, and writes the page; a kernel that is
/// wrong stops it. What an earlier run of the same compiler finished is not done again.
///
/// Errors: the compiler cannot be built or run, a kernel is not proven or not exact, or the record or the page cannot be written.
pub fn write(root: &Path, only: &str) -> Result<(), String> {
    let (commit, compiler) = (compiler::commit(root), compiler::built(root)?);
    let record = compiler.with_file_name("warps.jsonl");
    let mut finished = read(&record);
    let inputs: Vec<_> = INPUTS.iter().filter(|name| name.starts_with(only)).collect();
    let bar = pages::bar(inputs.len() * KERNELS.len() * WARPS.count());
    let mut tables = String::new();
    for name in inputs {
        tables += &format!(
            "\n## {name}\n\n| kernel | state | proven and verified | largest error | refused |\n|---|---|---|--:|---|\n"
        );
        for (kernel, state) in KERNELS {
            let mut row = Row::default();
            for warps in WARPS {
                let key = format!("{name} {kernel} {state} {warps}");
                bar.set_message(key.clone());
                bar.tick();
                if !finished.contains_key(&key) {
                    let flags = ["--codegen", "overlay", "--target", "hopper", "--warps", &warps.to_string()];
                    let found = found(compiled(root, &compiler, name, kernel, state, &flags)?);
                    append(&record, &key, &found).map_err(|e| format!("{}: {e}", record.display()))?;
                    finished.insert(key.clone(), found);
                }
                let found = &finished[&key];
                match (found["refused"].as_str(), found["error"].as_f64()) {
                    (Some(id), _) => row.refused.entry(id.to_owned()).or_default().push(warps),
                    (None, Some(error)) => {
                        row.error = row.error.max(error);
                        row.verified.push(warps);
                    }
                    (None, None) => return Err(format!("{key}: no error is told")),
                }
                bar.inc(1);
            }
            let refused = |(id, warps): (&String, &Vec<u32>)| format!("{}: `{id}`", listed(warps));
            let refused = row.refused.iter().map(refused).collect::<Vec<_>>().join("; ");
            tables +=
                &format!("| `{kernel}` | {state} | {} | {:.1e} | {refused} |\n", listed(&row.verified), row.error);
            // a sweep that is cut off leaves what it has
            let text = format!("{HEAD}\nThe compiler is that of commit {commit}.\n{tables}");
            pages::write(root, "warps.md", &text)?;
        }
    }
    Ok(())
}

/// Returns the record's entry for a kernel.
fn found(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Refused(id) => json!({ "refused": id }),
        Outcome::Verified(report) => json!({ "error": report["verification"]["largest_error"] }),
    }
}

/// A line for each kernel that is finished: a pair of its name and what was found.
fn append(record: &Path, key: &str, found: &Value) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(record)?;
    // The break before it ends a line that was cut off.
    file.write_all(format!("\n{}", json!([key, found])).as_bytes())
}

/// Reads a record: empty where there is none. Lines that were cut off are passed over.
fn read(record: &Path) -> BTreeMap<String, Value> {
    let text = std::fs::read_to_string(record).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

const HEAD: &str = "# Every number of warps\n\n`cargo lab warps` makes this page: every kernel at every number of warps from 1 to 32, in \
    warp-specialized code (`--codegen overlay --target hopper --reduction none`), proven free of races, deadlocks and unsafe reuse of barriers, \
    and verified in the simulator (the lowered text) against the reference evaluator, in the form that the compiler takes by itself, whose \
    error may be up to 1e-4 for transport. A kernel that is neither proven nor refused for want of a resource stops the command, which goes \
    on where it was stopped. `tests/warps.rs` does the same at three numbers of warps.\n";

/// "1-8, 12, 16"
fn listed(warps: &[u32]) -> String {
    let rows = warps.chunk_by(|a, b| a + 1 == *b);
    let row = |row: &[u32]| match row {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    rows.map(row).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{append, listed, read};

    #[test]
    fn a_record_that_was_cut_off_goes_on() {
        let record = std::env::temp_dir().join(format!("singe-warps-{}.jsonl", std::process::id()));
        append(&record, "a 1", &json!({ "error": 0.5 })).unwrap();
        let text = std::fs::read_to_string(&record).unwrap();
        std::fs::write(&record, text + "\n[\"a 2\",{\"err").unwrap();
        append(&record, "a 3", &json!({ "refused": "x::y" })).unwrap();
        let found = read(&record);
        std::fs::remove_file(record).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a 1", "a 3"]);
        assert_eq!(found["a 1"]["error"], 0.5);
    }

    #[test]
    fn numbers_in_a_row_are_listed_as_one() {
        assert_eq!(listed(&[1, 2, 3, 5, 7, 8]), "1-3, 5, 7-8");
    }
}
