//! Modelled time of kernels with our allocation, beside the same text with that of ptxas.

use std::fmt::Write;

use crate::beside_ptxas::{allocation, bounded, median_and_worst};
use crate::kernels::compiled;
use kinetics::{Model, Stiffness};
use machine::target::{Kernel, Target, occupancy};
use machine::toolchain;
use ptx::Module;
use singe::output::Unit;

use singe::verify::{self, Subject};

/// Limits of registers per thread at which kernels are timed.
const LIMITS: [u32; 3] = [255, 64, 32];

/// The section of the page; empty where no ptxas or no nvdisasm is found.
pub fn section(shipped: &[(&'static str, Model, Vec<Unit>)]) -> String {
    let target = Target::by_name("kepler").expect("the target of the kernels");
    let mut text = format!(
        "\n## Time beside ptxas\n\nThe shipped kernels' PTX of NVRTC is taken once as it is. It is taken once more as our allocator leaves it, with registers and \
         spill code of its own. ptxas assembles both with the same limit. The model of time runs both machine codes on {}, with as many \
         CTAs as fit. Ratios are nanoseconds per point of ours over those of ptxas' own allocation. Where registers are left, ptxas may keep \
         values of our spill code in them: bytes of the table above then cost no time here.\n\n\
         | kernels | limit | compared | median | worst |\n|---|---|---|---|---|\n",
        target.board.name
    );
    let mut rows = 0;
    for label in ["overlay", "data-parallel"] {
        for limit in LIMITS {
            let of_label = shipped.iter().filter(|(other, ..)| *other == label);
            let units = of_label.flat_map(|(_, model, units)| units.iter().map(move |unit| (model, unit)));
            let ratios: Vec<(f64, &str)> =
                units.filter_map(|(model, unit)| ratio(model, unit, limit, target)).collect();
            let Some((median, worst)) = median_and_worst(ratios.iter().copied()) else { continue };
            rows += 1;
            let count = ratios.len();
            let _ = writeln!(text, "| {label} | {limit} | {count} | {median:.2} | {:.2} (`{}`) |", worst.0, worst.1);
        }
    }
    if rows == 0 { String::new() } else { text }
}

fn ratio<'a>(model: &Model, unit: &'a Unit, limit: u32, target: &Target) -> Option<(f64, &'a str)> {
    let module = compiled(unit)?;
    let own = allocation(&module, module.entries().next()?, limit)?;
    let [ours, theirs] = [&own.module, &module].map(|module| nanoseconds(model, unit, &bounded(module, limit), target));
    Some((ours? / theirs?, &unit.program.symbol))
}

/// Modelled time per point of the machine code that ptxas makes of a text; `None` where it is refused or not run.
fn nanoseconds(model: &Model, unit: &Unit, module: &Module, target: &Target) -> Option<f64> {
    let (text, arch) = (module.to_string(), target.compute_capability);
    let assembled = toolchain::find_for_text(arch, &text).ok()?.assemble(&text, arch).ok()?;
    let usage = assembled.usages.into_iter().find(|usage| usage.kernel == unit.program.symbol)?;
    let cubin = toolkit::cubin::read_machine_code("k", &assembled.cubin).ok()?;
    let module = &ptx::read::text("k.ptx", &text).ok()?;
    let shared_bytes = unit.report.shared_bytes;
    let (registers_per_thread, named_barriers) = (usage.registers, usage.barriers);
    let needs =
        Kernel { threads: 32 * unit.program.execution.warps(), registers_per_thread, shared_bytes, named_barriers };
    let ctas = occupancy(target, needs).blocks;
    let Unit { kernel, graph, mapping, proven, program, .. } = unit;
    let stiffness = Stiffness::Sequential;
    let subject = Subject { kernel: *kernel, model, stiffness, graph, mapping, proven, program, module };
    let found = verify::predict(&subject, &cubin, shared_bytes, ctas, target).ok()??;
    Some(found.nanoseconds_per_point)
}
