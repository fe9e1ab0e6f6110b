//! The fast estimate beside the full model.

use std::fmt::Write as _;
use std::path::Path;

use super::agreement::{mean_error, tau};
use super::fit::{Row, fit};
use super::{compiled, request};
use kernels::Kernel;
use overlay::Codegen;
use singe::driver::Request;
use singe::report::KernelReport;

const HEAD: &str = "# The fast estimate of time, beside the full model

Before a kernel is compiled, and where its machine code cannot be run, its time is estimated from counts of PTX
(`crates/gpu/machine/src/cost/estimate.rs`). The few factors of the estimate that no machine file has were fitted to rows of an
earlier compiler, and keep the order of these: Kendall's tau is below. Nothing here was measured on a GPU. Nanoseconds per point on the target's board: `busiest pipe` is the bound that counts of double-precision
slots, shuffles, shared memory and bytes give alone. `cargo bench --bench time -- estimate --write` writes this page.

| mechanism | target | kernel | code | warps | CTAs | busiest pipe | estimated | full model | estimated / full |
|---|---|---|---|---|---|---|---|---|---|
";

/// A mechanism, a target, warps, whether chemistry is compiled too (its compilers are slow), and layouts.
type Case = (&'static str, &'static str, u32, bool, &'static [Codegen]);

const BOTH: &[Codegen] = &[Codegen::Overlay, Codegen::DataParallel];
const CASES: [Case; 5] = [
    ("h2o2", "hopper", 4, true, &[Codegen::Overlay, Codegen::Switch, Codegen::DataParallel]),
    ("h2o2", "ampere", 8, true, BOTH),
    ("gri30", "hopper", 8, true, BOTH),
    ("dme", "hopper", 8, false, BOTH),
    ("gri30", "ampere", 8, false, BOTH),
];

/// The page.
pub fn page(shared: &Path) -> String {
    let mut text = String::from(HEAD);
    let (mut bounds, mut estimates, mut rows): (Vec<_>, Vec<_>, Vec<Row>) = Default::default();
    for (mechanism, target, warps, with_chemistry, layouts) in CASES {
        let shipped = testkit::root().join("mechanisms").join(mechanism);
        let folder = if shipped.exists() { shipped } else { shared.join(mechanism) };
        let request = request(&folder, target).with(|request| {
            request.kernels.retain(|kernel| with_chemistry || *kernel != Kernel::Chemistry);
            request.real_compilers = true;
            request.verify_machine_code = false;
            request.tuning.warps = warps;
            // of each layout as it is shipped
            request.keep_fastest = true;
        });
        let of = |codegen: &Codegen| compiled(&Request { codegen: *codegen, ..request.clone() });
        let failed = |failure| panic!("{mechanism}, {target}: {failure}");
        let kernels: Vec<KernelReport> =
            layouts.iter().flat_map(|codegen| of(codegen).unwrap_or_else(failed)).collect();
        for k in &kernels {
            let [bound, estimate] =
                [k.machine.busiest_pipe_ns, k.machine.estimated_ns].map(|time| time.expect("simulated"));
            let Some(full) = k.machine.predicted_ns else { continue };
            rows.extend(k.machine.counts.map(|(work, spread)| (work, spread, request.common.target, full)));
            bounds.push((bound, full));
            estimates.push((estimate, full));
            let row = format!(
                "| {mechanism} | {target} | {} | {} | {} | {} | {bound:.3} | {estimate:.3} | {full:.3} | {:.2} |",
                k.kernel,
                k.codegen,
                k.warps,
                k.machine.ctas_per_sm,
                estimate / full
            );
            println!("{row}");
            writeln!(text, "{row}").expect("a string");
        }
    }
    println!("factors that fit best: {:?}", fit(&rows));
    let words = |name: &str, pairs: &[(f64, f64)]| {
        format!("{name}: mean error {:.0} %, Kendall's tau {:.2}", 100.0 * mean_error(pairs), tau(pairs))
    };
    let (bounds, estimates) = (words("Busiest pipe", &bounds), words("Estimate", &estimates));
    writeln!(text, "\n{bounds}. {estimates}; against the full model.").expect("a string");
    text
}
