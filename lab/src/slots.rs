//! Resources that every kernel takes in every layout: slots, shuffles, passes over shared memory, and the bound that
//! follows. Writes `docs/lab/slots.md`.

use std::path::Path;

use crate::kernels::{KERNELS, Outcome, compiled};
use xtask::{compiler, pages};

/// Mechanisms that ship, with the warps of a CTA.
const INPUTS: [(&str, &str); 2] = [("h2o2", "4"), ("gri30", "8")];
const TARGETS: [&str; 2] = ["ampere", "hopper"];
const LAYOUTS: [&str; 4] = ["overlay", "partial", "switch", "data-parallel"];

const HEAD: &str = "# Slots and bounds of every kernel\n\n`cargo lab slots` makes this page: per point, as the simulator counts \
    them in the lowered text (`--reduction none`, without compilers; [machine code](machine-code.md) is what ptxas makes of four of the \
    kernels). Slots are those of double precision. Bound: the time in ns of the board's busiest of double-precision slots, shuffles, passes \
    over shared memory and memory traffic. Estimated: the same with what latency, waiting and code add. Nothing here is a measurement. Forms \
    are those that the compiler takes by itself.\n";

/// Compiles all kernels in all layouts, and writes the page.
///
/// Errors: the compiler cannot be built or run, a kernel is wrong, or the page cannot be written.
pub fn write(root: &Path) -> Result<(), String> {
    let compiler = compiler::built(root)?;
    let runs = INPUTS.len() * TARGETS.len() * KERNELS.len() * LAYOUTS.len();
    let bar = pages::bar(runs);
    let mut tables = String::new();
    for (mechanism, warps) in INPUTS {
        for target in TARGETS {
            tables += &format!(
                "\n## {mechanism}, {target}, {warps} warps\n\n| kernel | state | layout | form | slots | shuffles | passes | local bytes | \
                 bound (ns) | estimated (ns) | largest error |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
            );
            for kernel in KERNELS {
                for layout in LAYOUTS {
                    bar.set_message(format!("{mechanism} {target} {} {layout}", kernel.0));
                    let flags = ["--target", target, "--warps", warps, "--codegen", layout];
                    let outcome = compiled(root, &compiler, mechanism, kernel.0, kernel.1, &flags)?;
                    tables += &row(kernel, layout, &outcome);
                    bar.inc(1);
                }
            }
            // a run that is cut off leaves what it has
            pages::write(root, "slots.md", &format!("{HEAD}{tables}"))?;
        }
    }
    Ok(())
}

fn row((kernel, state): (&str, &str), layout: &str, outcome: &Outcome) -> String {
    let cells = match outcome {
        Outcome::Refused(id) => format!("refused: `{id}` | | | | | | |"),
        Outcome::Verified(report) => {
            let (counts, machine) = (&report["verification"], &report["machine"]);
            let whole = |name: &str| counts[name].as_f64().map_or(String::new(), |count| format!("{count:.0}"));
            let time = |name: &str| machine[name].as_f64().map_or(String::new(), |ns| format!("{ns:.2}"));
            let error = counts["largest_error"].as_f64().map_or(String::new(), |error| format!("{error:.1e}"));
            let counted = ["slots_per_point", "shuffles_per_point", "shared_passes_per_point", "local_bytes_per_point"];
            let form = report["form"].as_str().unwrap_or_default();
            let times = ["busiest_pipe_ns", "estimated_ns"].map(time).join(" | ");
            format!("{form} | {} | {times} | {error}", counted.map(whole).join(" | "))
        }
    };
    format!("| `{kernel}` | {state} | {layout} | {cells} |\n")
}
