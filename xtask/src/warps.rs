//! The sweep over numbers of warps: every kernel in warp-specialized code, proven and verified in the simulator at each of them.
//! Writes `docs/warps.md`.

use std::collections::BTreeMap;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::kernels::{KERNELS, Outcome, compiled};
use crate::sweep;

/// Mechanisms that ship, with the numbers of warps. The larger one takes minutes at some of them.
const INPUTS: [(&str, &[u32]); 2] = [
    (
        "h2o2",
        &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
            30, 31, 32,
        ],
    ),
    ("gri30", &[1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32]),
];

/// What became of one kernel at all numbers of warps.
#[derive(Default)]
struct Row {
    verified: Vec<u32>,
    /// By the diagnostic.
    refused: BTreeMap<String, Vec<u32>>,
    error: f64,
}

/// Compiles every kernel of the mechanisms whose names start with `only` for every number of warps, and writes the page; a kernel that is
/// wrong stops it.
///
/// Errors: the compiler cannot be built or run, a kernel is not proven or not exact, or the page cannot be written.
pub fn write(root: &Path, only: &str) -> Result<(), String> {
    let compiler = sweep::build(root)?;
    let inputs: Vec<_> = INPUTS.iter().filter(|(name, _)| name.starts_with(only)).collect();
    let runs: usize = inputs.iter().map(|(_, warps)| warps.len() * KERNELS.len()).sum();
    let style = ProgressStyle::with_template("{bar:26} {pos}/{len} [{elapsed}] {msg}").expect("the template is valid");
    let bar = ProgressBar::new(runs as u64).with_style(style);
    let mut tables = String::new();
    for (name, warps) in inputs {
        tables += &format!(
            "\n## {name}\n\nAt {} warps.\n\n| kernel | state | proven and verified | largest error | refused |\n|---|---|---|--:|---|\n",
            listed(warps)
        );
        for (kernel, state) in KERNELS {
            let mut row = Row::default();
            for warps in *warps {
                bar.set_message(format!("{name} {kernel} {state} {warps}"));
                bar.tick();
                let flags = ["--codegen", "overlay", "--target", "hopper", "--warps", &warps.to_string()];
                match compiled(root, &compiler, name, (kernel, state), &flags)? {
                    Outcome::Refused(id) => row.refused.entry(id).or_default().push(*warps),
                    Outcome::Verified(report) => {
                        let error = report["verification"]["largest_error"].as_f64();
                        row.error = row.error.max(error.ok_or_else(|| format!("{name} {kernel}: no error is told"))?);
                        row.verified.push(*warps);
                    }
                }
                bar.inc(1);
            }
            let refused = |(id, warps): (&String, &Vec<u32>)| format!("{}: `{id}`", listed(warps));
            let refused = row.refused.iter().map(refused).collect::<Vec<_>>().join("; ");
            tables +=
                &format!("| `{kernel}` | {state} | {} | {:.1e} | {refused} |\n", listed(&row.verified), row.error);
            // a sweep that is cut off leaves what it has
            let page = root.join("docs/warps.md");
            std::fs::write(page, format!("{HEAD}{tables}")).map_err(|e| format!("docs/warps.md: {e}"))?;
        }
    }
    Ok(())
}

const HEAD: &str = "# Every number of warps\n\n`cargo xtask warps` makes this page: warp-specialized code \
    (`--codegen overlay --target hopper --reduction none`), proven free of races, deadlocks and unsafe reuse of barriers, and verified in \
    the simulator (the lowered text) against the reference evaluator, in the form that the compiler takes by itself, whose error may be up to \
    1e-4 for transport. A kernel that is neither proven nor refused for want of a resource stops the \
    command. `tests/warps.rs` does the same at three numbers of warps.\n";

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
