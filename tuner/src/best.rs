//! Results of a search that stay: the winners as a configuration, and a table of the best.

use std::fmt::Write as _;

use kernels::StateVariables;
use singe::driver::Request;
use singe::plan::{Common, Tuning, varied::LAYOUT};
use toml::{Table, Value};

use crate::measure::{Cost, Outcome, Trial};
use crate::search::ranked;
use crate::tune::Winner;

/// The text of `best.toml`, for `singe --config`: which kernels there are, and of each all settings of the version that was kept.
pub fn configuration(command: &str, request: &Request, says: &str, winners: &[Winner]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    // A line end would end the comment.
    let says = says.replace(char::is_control, " ");
    let mut text = format!("# singe-tune {version}, the best of: {command}\n# {says}\n");
    let mut whole = Table::from_iter([("kernel".to_owned(), kernels(request)), ("target".to_owned(), target(request))]);
    whole.extend(of_others(&request.common, &Common::default()));
    whole.extend(state(request));
    lines(&mut text, &whole);
    for winner @ Winner { kernel, cost, .. } in winners {
        let (time, kind) = cost.time();
        let Cost { form, layout, constants, registers, ctas_per_sm, .. } = &**cost;
        let is_cpu = request.common.target.is_cpu();
        let place = if is_cpu { String::new() } else { format!(", {registers} registers, CTAs per SM: {ctas_per_sm}") };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\n# {form}, {layout}, constants: {constants}; {time:.4} ns per point {kind}{place}\n# {}\n[{kernel}]\n",
            against_auto(winner)
        );
        lines(&mut text, &settings(cost, is_cpu));
    }
    text
}

/// Compares the time of the best candidate with that of the default of `singe`.
fn against_auto(winner: &Winner) -> String {
    let (_, kind) = winner.cost.time();
    match (winner.auto_ns(), winner.percent_against_auto()) {
        _ if winner.trial.candidate.is_auto() => "+0.0 % against auto: it is what singe takes by itself".to_owned(),
        (Some(auto), Some(percent)) => format!("{percent:+.1} % against auto, which takes {auto:.4} ns {kind}"),
        _ => "nothing is known of the time of auto".to_owned(),
    }
}

/// Returns the configuration of one kernel: its layout and size, the chosen settings, and those that differ from the defaults.
fn settings(cost: &Cost, is_cpu: bool) -> Table {
    let all = fields(&cost.tuning);
    let mut own = of_others(&cost.tuning, &Tuning::default());
    let always: &[&str] = if is_cpu { &["form"] } else { &["warps", "ctas-per-sm", "form", "matrix"] };
    own.extend(always.iter().filter_map(|key| Some(((*key).to_owned(), all.get(*key)?.clone()))));
    if !is_cpu {
        own.insert(LAYOUT.to_owned(), Value::String(cost.layout.clone()));
    }
    own
}

/// The fields that another value has.
fn of_others<T: serde::Serialize>(value: &T, default: &T) -> Table {
    let usual = fields(default);
    fields(value).into_iter().filter(|(key, value)| usual.get(key) != Some(value)).collect()
}

fn fields<T: serde::Serialize>(value: &T) -> Table {
    Table::try_from(value).expect("the fields are numbers and texts")
}

fn kernels(request: &Request) -> Value {
    let reactor = request.reactor_method.map(|_| "reactor".to_owned());
    let names = request.kernels.iter().map(|kernel| kernel.name().to_owned()).chain(reactor);
    Value::Array(names.map(Value::String).collect())
}

fn target(request: &Request) -> Value {
    Value::String(request.common.target.name.clone())
}

/// The state that was asked for, where the kernels of reactors have another.
fn state(request: &Request) -> Option<(String, Value)> {
    let state = match request.common.state {
        _ if !request.by_energy => return None,
        StateVariables::Density => StateVariables::Energy,
        _ => StateVariables::Enthalpy,
    };
    Some(("state".to_owned(), Value::try_from(state).expect("a state is a text")))
}

fn lines(text: &mut String, table: &Table) {
    for (key, value) in table {
        let _ = writeln!(text, "{key} = {value}");
    }
}

/// Heads of the table of candidates. Those behind `GPU` are left out for a CPU.
const HEAD: [&str; 10] =
    ["", "form", "layout", "predicted ns", "estimated ns", "measured ns", "slots", "shuffles", "registers", "spilled"];
const GPU: usize = 7;

/// The heads of the columns that a target has.
pub fn head(is_cpu: bool) -> &'static [&'static str] {
    if is_cpu { &HEAD[..GPU] } else { &HEAD }
}

/// A row of the table of candidates.
pub fn row(trial: &Trial, cost: &Cost, is_cpu: bool) -> Vec<String> {
    let time = |time: Option<f64>| time.map_or("-".into(), |time| format!("{time:.3}"));
    let mut row = vec![
        trial.candidate.to_string(),
        cost.form.clone(),
        cost.layout.clone(),
        time(cost.predicted_ns),
        time(Some(cost.estimated_ns)),
        time(cost.measured_ns) + &spread(cost),
        format!("{:.0}", cost.slots),
        format!("{:.0}", cost.shuffles),
        cost.registers.to_string(),
        cost.spilled_bytes.to_string(),
    ];
    row.truncate(head(is_cpu).len());
    row
}

/// The least and the most of several measurements.
fn spread(cost: &Cost) -> String {
    cost.measured_spread.map_or(String::new(), |[least, most]| format!(" ({least:.3} to {most:.3})"))
}

/// The five best candidates of a kernel, the best beside what `singe` takes by itself, and how many were refused, by diagnostic.
pub fn table(winner: &Winner, trials: &[Trial], is_cpu: bool) -> String {
    const SHOWN: usize = 5;
    let kernel = winner.kernel;
    let ranked = ranked(trials, winner.trial.level);
    let mut rows = vec![head(is_cpu).iter().copied().map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(ranked.iter().take(SHOWN).map(|(trial, cost)| row(trial, cost, is_cpu)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let refused = trials.iter().filter(|trial| trial.cost().is_none()).count();
    let mut text = format!("{kernel}: {} candidates, {} ranked, {refused} refused\n", trials.len(), ranked.len());
    for row in &rows {
        let mut line = format!("  {:<1$}", row[0], widths[0]);
        for (cell, &width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(line, "  {cell:>width$}");
        }
        text += &format!("{}\n", line.trim_end());
    }
    let _ = writeln!(text, "  {}: {}", winner.trial.candidate, against_auto(winner));
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
    text + "\n"
}
