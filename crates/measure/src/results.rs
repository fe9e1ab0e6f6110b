//! What the runner wrote, and what follows from it.

use crate::benchmark::{Sample, entry, findings};
use machine::target::Target;
use serde::Deserialize;
use std::fmt::Write;

/// The JSON of the runner.
#[derive(Debug, Clone, Deserialize)]
pub struct Results {
    pub device: Device,
    packs: Vec<Pack>,
}

/// As the driver describes it.
#[derive(Debug, Clone, Deserialize)]
pub struct Device {
    pub name: String,
    pub compute_capability: [u32; 2],
    pub multiprocessors: u32,
    pub driver: u32,
}

#[derive(Debug, Clone, Deserialize)]
struct Pack {
    target: String,
    samples: Vec<Both>,
    kernels: Vec<Kernel>,
}

/// A kernel of a mechanism.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Kernel {
    pub mechanism: String,
    pub kernel: String,
    pub code: String,
    pub points: u32,
    /// The median of some launches.
    pub microseconds: f64,
    /// By the model. `None`: the report has no prediction.
    pub predicted: Option<f64>,
    pub error: f64,
    pub allowed: f64,
    /// Outputs that differ by a bit from those of the same state elsewhere.
    pub different: u64,
}

impl Kernel {
    pub fn is_right(&self) -> bool {
        self.error <= self.allowed && self.different == 0
    }
}

#[derive(Debug, Clone, Deserialize)]
struct Both {
    series: String,
    length: u32,
    rounds: [u32; 2],
    clocks: [f64; 2],
    modelled: [f64; 2],
}

/// A figure of the GPU beside the model's.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub target: String,
    pub what: &'static str,
    pub unit: &'static str,
    pub entry: &'static str,
    pub measured: f64,
    /// By the same kernels. `None`: the model shows no such step, as where no size of a loop takes longer.
    pub modelled: Option<f64>,
    /// What the target's table has.
    pub has: Option<f64>,
}

impl Row {
    /// The entry that the measurement gives: the table's, moved by as much as the estimate of the GPU is from that of the model.
    pub fn proposed(&self) -> f64 {
        let moved = match (self.has, self.modelled) {
            (Some(has), Some(modelled)) if modelled > 0.0 && self.unit != "clocks" => has * self.measured / modelled,
            (Some(has), Some(modelled)) => has + self.measured - modelled,
            _ => self.measured,
        };
        moved.round().max(0.0)
    }
}

/// All kernels of mechanisms, each with the target that it was compiled for.
pub fn kernels(results: &Results) -> impl Iterator<Item = (&str, &Kernel)> {
    results.packs.iter().flat_map(|pack| pack.kernels.iter().map(|kernel| (pack.target.as_str(), kernel)))
}

/// Reads the JSON.
///
/// # Errors
/// It is not the runner's.
pub fn read(text: &str) -> Result<Results, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// All figures of the GPU.
pub fn rows(results: &Results) -> Vec<Row> {
    let mut rows = Vec::new();
    for pack in &results.packs {
        let with = |clocks: fn(&Both) -> [f64; 2]| -> Vec<Sample> {
            let sample = |both: &Both| Sample {
                series: both.series.clone(),
                length: both.length,
                rounds: both.rounds,
                clocks: clocks(both),
            };
            pack.samples.iter().map(sample).collect()
        };
        let modelled = findings(&with(|both| both.modelled));
        let target = Target::by_name(&pack.target).ok();
        rows.extend(findings(&with(|both| both.clocks)).into_iter().map(|found| Row {
            target: pack.target.clone(),
            what: found.what,
            unit: found.unit,
            entry: found.entry,
            measured: found.value,
            modelled: modelled.iter().find(|other| other.entry == found.entry).map(|other| other.value),
            has: target.and_then(|target| entry(target, found.entry)),
        }));
    }
    rows
}

/// The rows as a table, and the entries that differ from those that the targets have.
pub fn page(results: &Results) -> String {
    let Device { name, compute_capability: [major, minor], multiprocessors, driver } = &results.device;
    let mut text = format!(
        "{name}, compute capability {major}.{minor}, {multiprocessors} multiprocessors, driver {driver}.\n\n\
         | what | target | measured | modelled | ratio | entry | it has | it would be |\n|---|---|--:|--:|--:|---|--:|--:|\n"
    );
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    for row in rows(results) {
        let ratio = row.modelled.filter(|_| row.measured != 0.0).map(|modelled| modelled / row.measured);
        let _ = writeln!(
            text,
            "| {}, {} | {} | {:.1} | {} | {} | `{}` | {} | {} |",
            row.what,
            row.unit,
            row.target,
            row.measured,
            shown(row.modelled),
            ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}")),
            row.entry,
            row.has.map_or("–".to_owned(), |has| has.to_string()),
            row.proposed(),
        );
    }
    text + &of_mechanisms(results)
}

/// Kernels of mechanisms, measured beside predicted; empty where none was run.
fn of_mechanisms(results: &Results) -> String {
    let rows = kernels(results).map(|(target, kernel)| {
        let Kernel { mechanism, kernel: what, code, points, microseconds, predicted, .. } = kernel;
        let each = |microseconds: f64| format!("{:.2}", 1e3 * microseconds / f64::from(*points));
        let (modelled, ratio) = match predicted {
            Some(predicted) => (each(*predicted), format!("{:.2}", predicted / microseconds)),
            None => ("–".to_owned(), "–".to_owned()),
        };
        let verdict = if kernel.is_right() { "right" } else { "WRONG" };
        format!(
            "| {mechanism} | {what} | {code} | {target} | {} | {modelled} | {ratio} | {verdict} |\n",
            each(*microseconds)
        )
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "\nNanoseconds for each of 64³ points, launch included:\n\n\
         | mechanism | kernel | layout | target | measured | modelled | ratio | values |\n|---|---|---|---|--:|--:|--:|---|\n{rows}"
    )
}

/// The entries that would change, in the words of the tables.
pub fn proposals(results: &Results) -> String {
    let changed = rows(results).into_iter().filter(|row| row.has != Some(row.proposed()));
    let line = |row: Row| {
        let has = row.has.map_or("no such entry".to_owned(), |has| has.to_string());
        format!(
            "{}.toml: {} = {} # measured on {}; was {has}\n",
            row.target,
            row.entry,
            row.proposed(),
            results.device.name
        )
    };
    changed.map(line).collect()
}
