//! Fused multiply-adds against tensor cores, for the constant matrices of the viscosity and the low-rank diffusion.

use std::fmt::Write as _;
use std::path::Path;

use kernels::{Form, Kernel};
use machine::target::Target;
use singe::compilers;
use singe::driver::Multiplier;

use crate::{CASES, model, request, states, unit};

const HEAD: &str = "
## Fused multiply-adds against tensor cores

`--layout matrix=dfma` and `--layout matrix=dmma` for the viscosity and the low-rank diffusion, warp-specialized with 8 warps, counted by the simulator as above. A product of
matrices (DMMA) counts as 4 slots, which its peak rate makes it worth on ampere and hopper; on blackwell it is worth 8, and so no less
than the fused multiply-adds that it does. Errors are the largest over the states of the reference values. Registers per thread and
spilled bytes by ptxas. The low-rank conductivity stays without: its products have ten rows, two blocks of eight, so that tensor cores
would spare it less than a sixth of its slots, and the mole fractions, which a warp now reads once, would have to pass through shared
memory.

| mechanism | species | kernel | form | matrix | DMMA | slots, 4 per DMMA | slots, 8 per DMMA | shuffles | shared passes | error | sm_80 | sm_90 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The forms that multiply with constant matrices.
const PRODUCTS: [(Kernel, Form); 3] =
    [(Kernel::Viscosity, Form::Symmetric), (Kernel::Viscosity, Form::LowRank), (Kernel::Diffusion, Form::LowRank)];

pub fn table(shared: &Path) -> String {
    let mut text = String::from(HEAD);
    for case in CASES.iter().filter(|case| !case.reduced) {
        let (model, states) = (model(shared, case), states(shared, case));
        for (kernel, form) in PRODUCTS {
            for (name, matrix) in [("dfma", Multiplier::Dfma), ("dmma", Multiplier::Dmma)] {
                let on = |target| {
                    let target = Target::by_name(target).expect("a known target");
                    let plain = request(shared, case, kernel, Some(form));
                    plain.with(|r| {
                        r.common.target = target;
                        r.tuning.matrix = Some(matrix);
                    })
                };
                let request = on("ampere");
                let row = crate::row(&model, &unit(&model, &request), &request, &states);
                let mut line = format!(
                    "| {} | {} | {kernel} | {form} | {name} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {:.1e} |",
                    case.name,
                    model.species().len(),
                    row.products,
                    row.slots + 4.0 * row.products,
                    row.slots + 8.0 * row.products,
                    row.shuffles,
                    row.passes,
                    row.error
                );
                for request in ["ampere", "hopper"].map(on) {
                    let unit = unit(&model, &request);
                    let text = (unit.program.symbol.as_str(), unit.source.as_str());
                    let usage = compilers::compile(request.common.target, &[text]);
                    let cell = usage.expect("accepted text").first().map_or("-".into(), |made| {
                        let c = &made.needs;
                        format!("{} / {}", c.registers, c.spill_store_bytes + c.spill_load_bytes)
                    });
                    write!(line, " {cell} |").expect("a string");
                }
                println!("{line}");
                writeln!(text, "{line}").expect("a string");
            }
        }
    }
    text
}
