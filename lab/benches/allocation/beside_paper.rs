//! Modelled speed-ups of the paper's allocators over linear scan, beside those that it measured.

use std::fmt::Write;

use crate::timed::{TARGET, nanoseconds};
use crate::{VARIANTS, allocated};
use kinetics::Model;
use machine::target::Target;
use singe::output::Unit;

use crate::beside_ptxas::bounded;
use crate::kernels::compiled;

/// Registers per thread at which kernels are timed: ptxas makes nothing of the paper's 8.
const BUDGETS: [u32; 3] = [16, 32, 63];
/// Speed-ups in per cent that section 5 of the paper measured, in the order of the allocators behind linear scan.
const PAPER: [f64; 3] = [12.75, 7.31, 29.70];

/// The section of the page; empty where no ptxas or no nvdisasm is found.
pub fn section(shipped: &[(&'static str, Model, Vec<Unit>)]) -> String {
    let target = Target::by_name(TARGET).expect("the target of the kernels");
    let mut text = format!(
        "\n## Speed-ups beside the paper's\n\nThe shipped kernels' PTX of NVRTC as each allocator leaves it, assembled by ptxas with the same limit of registers, in the model of time on {}: geometric \
         mean over the kernels that linear scan spills, in % less time than with linear scan. The paper measured 40 other kernels with 8 registers (9 for linear scan and RemRA) on a GTX 570, under Ocelot's linear scan: \
         {} % (DivRA), {} % (RemRA), {} % (AffRA).\n\n| registers | kernels | DivRA | RemRA | AffRA | AffRA: least | most |\n|---|---|--:|--:|--:|--:|--:|\n",
        target.board.name, PAPER[0], PAPER[1], PAPER[2]
    );
    let mut rows = 0;
    for registers in BUDGETS {
        let units = shipped.iter().flat_map(|(_, model, units)| units.iter().map(move |unit| (model, unit)));
        let ratios: Vec<[f64; 3]> =
            units.filter_map(|(model, unit)| speedups(model, unit, registers, target)).collect();
        if ratios.is_empty() {
            continue;
        }
        rows += 1;
        let per_cent = |ratio: f64| 100.0 * (ratio - 1.0);
        let mean =
            |at: usize| per_cent((ratios.iter().map(|all| all[at].ln()).sum::<f64>() / ratios.len() as f64).exp());
        let affine = || ratios.iter().map(|all| all[2]);
        let (least, most) = (affine().fold(f64::INFINITY, f64::min), affine().fold(0.0, f64::max));
        let _ = writeln!(
            text,
            "| {registers} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            ratios.len(),
            mean(0),
            mean(1),
            mean(2),
            per_cent(least),
            per_cent(most)
        );
    }
    if rows == 0 { String::new() } else { text }
}

/// Time with linear scan over that with each other allocator; `None` where linear scan spills nothing, or one of them is refused.
fn speedups(model: &Model, unit: &Unit, registers: u32, target: &Target) -> Option<[f64; 3]> {
    let module = compiled(unit)?;
    let func = module.entries().next()?;
    let time = |at: usize| {
        let (_, algorithm, rewriting) = VARIANTS[at];
        let allocation = allocated(&module, func, registers, algorithm, rewriting).ok()?;
        let spills = passes::allocate::report::report(&allocation).spilled > 0;
        Some((nanoseconds(model, unit, &bounded(&allocation.module, registers), target)?, spills))
    };
    let (scan, _) = time(0).filter(|(_, spills)| *spills)?;
    Some([scan / time(1)?.0, scan / time(2)?.0, scan / time(3)?.0])
}
