//! The forms in machine code, on four families of processors: what their slots stand for, and what they do not.

use std::fmt::Write as _;
use std::path::Path;

use kernels::{Form, Kernel};
use machine::target::Target;
use overlay::Codegen;
use serde_json::Value;
use singe::driver::Request;

const HEAD: &str = "
## In machine code

gri30, 8 warps, on four targets: what ptxas makes of each form, run by the simulator and equal to the simulated PTX in bits. Counts are
warp instructions of all warps for 32 points; bound: clocks of an SM for 32 points in its busiest part; modelled: ns per point on the
target's board by the model of an SM (`singe ptx time`), none of it a measurement. Overlay: the warps share one copy of the code;
data-parallel: one thread per point. `auto` marks the form that `--form auto` takes for the layout. [Machine code](machine-code.md)
has every mechanism in all layouts in that form.

| kernel | target | layout | form | issued | FP64 | shuffles | shared wavefronts | local bytes per point | code executed (kB) | registers | bound | modelled (ns) |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

const TARGETS: [&str; 4] = ["kepler", "ampere", "hopper", "blackwell"];
const LAYOUTS: [Codegen; 2] = [Codegen::Overlay, Codegen::DataParallel];

/// The table.
pub fn table(shared: &Path) -> String {
    let mut text = String::from(HEAD);
    let case = crate::case("gri30", "gri30", false, [None; 3]);
    for kernel in Kernel::ALL {
        for target in TARGETS {
            for codegen in LAYOUTS {
                let of = |form| {
                    let request = Request { codegen, ..crate::request(shared, &case, kernel, form) };
                    request.with(|r| r.common.target = Target::by_name(target).expect("a known target"))
                };
                let chosen = report(&of(None));
                for form in Form::allowed(kernel, Some(1e-4)) {
                    let report = report(&Request { verify: Some(70), real_compilers: true, ..of(Some(form)) });
                    let mark = if report["form"] == chosen["form"] { " **auto**" } else { "" };
                    let start = format!("{kernel} | {target} | {} | {form}{mark}", codegen.name());
                    let line = format!("| {start} | {} |", cells(&report).join(" | "));
                    println!("{line}");
                    writeln!(text, "{line}").expect("a string");
                }
            }
        }
    }
    text
}

fn report(request: &Request) -> Value {
    let report = testkit::request::report(request);
    serde_json::to_value(&report.kernels[0]).expect("a report is JSON")
}

/// Counts, then times. What was not counted is left open.
fn cells(report: &Value) -> Vec<String> {
    let (code, machine) = (&report["machine_code"]["verified"], &report["machine"]);
    let turn = code["turn"].as_array().map_or(&[][..], Vec::as_slice);
    let count = |of: &dyn Fn(&Value) -> Option<u64>| {
        let sum: u64 = turn.iter().filter_map(of).sum();
        code["points_per_turn"].as_f64().map(|points| 32.0 * sum as f64 / points)
    };
    let bound = machine["bound"].as_object().into_iter().flatten().filter_map(|(_, clocks)| clocks.as_f64());
    let whole = |x: Option<f64>| x.map_or("–".to_owned(), |x| format!("{x:.0}"));
    vec![
        whole(count(&|counts| counts["instructions"].as_u64())),
        whole(count(&|counts| counts["pipes"]["fp64"].as_u64())),
        whole(count(&|counts| counts["classes"]["shuffles"].as_u64())),
        whole(count(&|counts| counts["shared_wavefronts"].as_u64())),
        whole(count(&|counts| counts["local_bytes"].as_u64()).map(|bytes| bytes / 32.0)),
        whole(code["code_bytes"].as_f64().map(|bytes| bytes / 1000.0)),
        whole(report["compiled"]["registers"].as_f64()),
        whole(bound.max_by(f64::total_cmp)),
        machine["predicted_ns"].as_f64().map_or("–".to_owned(), |x| format!("{x:.2}")),
    ]
}
