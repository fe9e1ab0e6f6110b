//! Every candidate as a line of CSV.

use crate::measure::Outcome;
use crate::why::TrialOutcome;

/// Heads behind the kernel and the flags.
const HEADS: [&str; 19] = [
    "level", "kept_form", "kept_layout", "kept_constants", "estimated_ns", "predicted_ns", "measured_ns",
    "measured_least_ns", "measured_most_ns", "slots", "shuffles", "shared_passes", "barrier_waits_per_group",
    "registers", "spilled_bytes", "ctas_per_sm", "occupancy", "refused", "why",
];

/// A line of heads, then one for each candidate; flags have the columns that all candidates together need.
pub fn table(trials: &[TrialOutcome]) -> String {
    let mut flags: Vec<&str> = Vec::new();
    for (flag, _) in trials.iter().flat_map(|told| &told.trial.candidate.settings) {
        if !flags.contains(&flag.as_str()) {
            flags.push(flag);
        }
    }
    let head: Vec<String> =
        std::iter::once("kernel").chain(flags.iter().copied()).chain(HEADS).map(str::to_owned).collect();
    let rows = trials.iter().map(|told| row(told, &flags));
    std::iter::once(head).chain(rows).map(|cells| line(&cells)).collect()
}

fn row(told: &TrialOutcome, flags: &[&str]) -> Vec<String> {
    let trial = told.trial;
    let flags = flags.iter().map(|flag| trial.candidate.value(flag).unwrap_or("").to_owned());
    let level = serde_json::to_value(trial.level).expect("a level is a text");
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let (costs, refused) = match &trial.outcome {
        Outcome::Refused { id, .. } => (vec![String::new(); HEADS.len() - 3], id.clone()),
        Outcome::Cost(cost) => {
            let spread = |at: usize| number(cost.measured_spread.map(|spread| spread[at]));
            let costs = vec![
                cost.form.clone(),
                cost.layout.clone(),
                cost.constants.clone(),
                number(Some(cost.estimated_ns)),
                number(cost.predicted_ns),
                number(cost.measured_ns),
                spread(0),
                spread(1),
                number(Some(cost.slots)),
                number(Some(cost.shuffles)),
                number(Some(cost.shared_passes)),
                number(Some(cost.barrier_waits_per_group)),
                cost.registers.to_string(),
                cost.spilled_bytes.to_string(),
                cost.ctas_per_sm.to_string(),
                number(Some(cost.occupancy)),
            ];
            (costs, String::new())
        }
    };
    let begin = std::iter::once(trial.kernel.clone()).chain(flags).chain([level.as_str().unwrap_or("").to_owned()]);
    begin.chain(costs).chain([refused, told.why.clone()]).collect()
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    cells.join(",") + "\r\n"
}

/// As RFC 4180 has it.
fn quoted(cell: &str) -> String {
    let is_plain = !cell.contains([',', '"', '\r', '\n']);
    if is_plain { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}
