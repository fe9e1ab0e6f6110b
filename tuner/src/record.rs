//! What stays of a search: the winners as a configuration, and a table of the best.

use std::fmt::Write as _;

use singe::kernels::Kernel;

use crate::measure::{Outcome, Trial};
use crate::search::ranked;
use crate::space::Candidate;

/// The text of `best.toml`, for `singe --config`.
pub fn configuration(command: &str, target: &str, winners: &[(Kernel, Candidate)]) -> String {
    let mut text = format!("# The best of: {command}\ntarget = \"{target}\"\n");
    for (kernel, candidate) in winners {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n[{kernel}]\n");
        for (flag, value) in candidate.entries() {
            let _ = writeln!(text, "{flag} = {value}");
        }
    }
    text
}

/// The five best candidates of each kernel, and how many were refused, by diagnostic.
pub fn table(kernel: Kernel, trials: &[Trial]) -> String {
    const SHOWN: usize = 5;
    let ranked = ranked(trials);
    let mut rows = vec![
        ["", "form", "predicted ns", "measured ns", "slots", "shuffles", "registers", "spilled", "CTAs/SM"]
            .map(str::to_owned),
    ];
    for (trial, cost) in ranked.iter().take(SHOWN) {
        rows.push([
            settings(&trial.candidate),
            cost.form.clone(),
            format!("{:.3}", cost.predicted_ns),
            cost.measured_ns.map_or("-".into(), |time| format!("{time:.3}")),
            format!("{:.0}", cost.slots),
            format!("{:.0}", cost.shuffles),
            cost.registers.to_string(),
            cost.spilled_bytes.to_string(),
            cost.ctas_per_sm.to_string(),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = format!("{kernel}: {} candidates, {} refused\n", trials.len(), trials.len() - ranked.len());
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

/// `warps=8 form=log-space`
pub fn settings(candidate: &Candidate) -> String {
    candidate.settings.iter().map(|(flag, value)| format!("{flag}={value}")).collect::<Vec<_>>().join(" ")
}
