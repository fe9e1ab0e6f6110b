//! Tables of a page on what was tried for a kernel: the first row of each is its head.

use super::figures::{bound, hundredths};
use crate::report::KernelReport;
use graph::body::Tally;

/// The layouts, and which row is the chosen one.
pub fn layouts(kernel: &KernelReport) -> (Vec<Vec<String>>, Option<usize>) {
    let head = [
        "code", "form", "warps x CTAs", "constants", "inputs", "estimated ns", "predicted ns",
        "range, also if assumptions are off", "",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for layout in &kernel.layouts {
        let band = layout.band();
        let verdict = match layout {
            layout if layout.without_doubt() == kernel.layout_time() => "chosen",
            layout if layout.undecided => "undecided",
            layout if layout.left_out => "not compiled: not near by its estimate",
            _ => "slower",
        };
        rows.push(vec![
            layout.codegen.clone(),
            layout.form.clone(),
            format!("{} x {}", layout.warps, layout.ctas_per_sm),
            layout.constants.clone(),
            if layout.prefetch { "copied ahead" } else { "-" }.into(),
            hundredths(layout.estimated_ns),
            hundredths(layout.predicted_ns),
            band.map_or("-".into(), |[least, most]| format!("{least:.2} to {most:.2}")),
            verdict.into(),
        ]);
    }
    let chosen = rows.iter().position(|row| row.last().is_some_and(|cell| cell == "chosen"));
    (rows, chosen)
}

/// The numbers of CTAs per SM, and which row is the chosen one.
pub fn levels(kernel: &KernelReport) -> (Vec<Vec<String>>, Option<usize>) {
    let mut rows = vec![["CTAs per SM", "registers", "spilled bytes", "ns per point"].map(str::to_owned).to_vec()];
    for level in &kernel.levels {
        let counts = [level.ctas_per_sm, level.registers, level.spilled_bytes].map(|count| count.to_string());
        rows.push([counts.to_vec(), vec![hundredths(level.nanoseconds)]].concat());
    }
    let chosen = kernel.levels.iter().position(|level| level.ctas_per_sm == kernel.tuning.ctas_per_sm.count);
    (rows, chosen.map(|at| at + 1))
}

/// The forms, and which row is the chosen one.
pub fn forms(kernel: &KernelReport) -> (Vec<Vec<String>>, Option<usize>) {
    let head = [
        "form", "slots", "exponentials", "logarithms", "divisions", "others", "shuffles", "shared passes", "registers",
        "error bound",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for form in &kernel.forms {
        let Tally { exponentials, logarithms, divisions, others } = form.tally;
        let counts = [form.slots, exponentials, logarithms, divisions, others, form.shuffles, form.shared_passes];
        let counts = counts.map(|count| count.to_string());
        let rest = [form.registers.to_string(), bound(form.error_bound, form.range)];
        rows.push([vec![form.form.clone()], counts.to_vec(), rest.to_vec()].concat());
    }
    let chosen = kernel.forms.iter().position(|form| form.form == kernel.form);
    (rows, chosen.map(|at| at + 1))
}
