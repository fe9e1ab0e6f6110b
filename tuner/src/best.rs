//! What stays of a search: the winners as a configuration, and a table of the best.

use std::fmt::Write as _;

use singe::kernels::Kernel;
use toml::Value;

use crate::measure::{Cost, Outcome, Trial};
use crate::search::ranked;
use crate::space::LAYOUT;
use crate::tune::Winner;

/// The text of `best.toml`, for `singe --config`: what was varied, and what the compiler chose besides.
pub fn configuration(command: &str, target: &str, says: &str, winners: &[Winner]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    // A line end would end the comment.
    let says = says.replace(char::is_control, " ");
    let mut text = format!("# singe-tune {version}, the best of: {command}\n# {says}\ntarget = \"{target}\"\n");
    for Winner { kernel, trial, cost } in winners {
        let (time, kind) = cost.time();
        let Cost { form, layout, constants, registers, ctas_per_sm, .. } = &**cost;
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n# {form}, {layout}, constants: {constants}; {time:.4} ns per point {kind}, {registers} registers, CTAs per \
             SM: {ctas_per_sm}\n[{kernel}]\n"
        );
        for (flag, value) in trial.candidate.entries().chain(chosen(trial, cost)) {
            let _ = writeln!(text, "{flag} = {value}");
        }
    }
    text
}

/// What the compiler chose of that which was not varied.
fn chosen(trial: &Trial, cost: &Cost) -> Vec<(String, Value)> {
    let all = [(LAYOUT, cost.layout.as_str()), ("form", cost.algebra()), ("matrix", cost.matrix())];
    let open = all.into_iter().filter(|(flag, _)| trial.candidate.value(flag).is_none());
    open.map(|(flag, value)| (flag.to_owned(), Value::String(value.to_owned()))).collect()
}

/// What the table of candidates has for each.
pub const HEAD: [&str; 10] =
    ["", "form", "layout", "predicted ns", "estimated ns", "measured ns", "slots", "shuffles", "registers", "spilled"];

/// A row of it.
pub fn row(trial: &Trial, cost: &Cost) -> Vec<String> {
    let time = |time: Option<f64>| time.map_or("-".into(), |time| format!("{time:.3}"));
    vec![
        trial.candidate.to_string(),
        cost.form.clone(),
        cost.layout.clone(),
        time(cost.predicted_ns),
        time(Some(cost.estimated_ns)),
        time(cost.measured_ns),
        format!("{:.0}", cost.slots),
        format!("{:.0}", cost.shuffles),
        cost.registers.to_string(),
        cost.spilled_bytes.to_string(),
    ]
}

/// The five best candidates of each kernel, and how many were refused, by diagnostic.
pub fn table(kernel: Kernel, trials: &[Trial]) -> String {
    const SHOWN: usize = 5;
    let last = trials.iter().map(|trial| trial.level).max().expect("a kernel has candidates");
    let ranked = ranked(trials, last);
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(ranked.iter().take(SHOWN).map(|(trial, cost)| row(trial, cost)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let refused = trials.iter().filter(|trial| trial.cost().is_none()).count();
    let mut text = format!("{kernel}: {} candidates, {} ranked, {refused} refused\n", trials.len(), ranked.len());
    for row in &rows {
        let mut line = format!("  {:<1$}", row[0], widths[0]);
        for (cell, &width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(line, "  {cell:>width$}");
        }
        text += &format!("{}\n", line.trim_end());
    }
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for trial in trials {
        if let Outcome::Refused { id, .. } = &trial.outcome {
            match reasons.iter_mut().find(|(known, _)| known == id) {
                Some((_, count)) => *count += 1,
                None => reasons.push((id, 1)),
            }
        }
    }
    for (id, count) in reasons {
        let _ = writeln!(text, "  {count} refused: {id}");
    }
    text
}
