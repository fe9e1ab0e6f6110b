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
    text
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
