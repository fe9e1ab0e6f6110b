//! Results of the runner, and figures derived from them.

use crate::benchmark::{self, Sample, entry, findings};
use machine::target::Target;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The JSON of the runner.
#[derive(Debug, Clone, Deserialize)]
pub struct Results {
    pub device: Device,
    packs: Vec<Pack>,
}

/// The device, as the driver describes it.
#[derive(Debug, Clone, Deserialize, Serialize)]
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
    #[serde(default)]
    boards: Vec<Board>,
    #[serde(default)]
    launches: Vec<Launch>,
}

/// Measurements of the whole board.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Board {
    launch_nanoseconds: f64,
    gigabytes_per_second: f64,
    four_ctas_over_one: f64,
}

/// A launch of any kernel.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Launch {
    pub launch: String,
    pub kernel: String,
    pub ctas: [u32; 3],
    pub threads: [u32; 3],
    /// Median of some launches, none of which finds its arrays in a cache.
    pub microseconds: f64,
    /// Time predicted by the model.
    pub predicted: f64,
    /// Elements of its outputs: all, those that differ by a bit from the simulator's, and those that differ by more than rounding.
    pub elements: u64,
    pub different: u64,
    pub wrong: u64,
    /// The largest difference relative to the largest number of the array.
    pub error: f64,
}

/// A kernel of a mechanism.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Kernel {
    pub mechanism: String,
    pub kernel: String,
    pub code: String,
    pub points: u32,
    /// Median of some launches.
    pub microseconds: f64,
    /// Time predicted by the model. `None`: the report has no prediction.
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

/// A measured figure of the GPU beside the model's.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub target: String,
    pub what: &'static str,
    pub unit: &'static str,
    pub entry: &'static str,
    pub measured: f64,
    /// Figure of the model for the same kernels. `None`: the model shows no such step, for example if no size of a loop takes longer.
    pub modelled: Option<f64>,
    /// Value in the target's table.
    pub has: Option<f64>,
}

impl Row {
    /// Returns the proposed entry: the table's value, shifted by the difference between the estimates of the GPU and of the model.
    pub fn proposed(&self) -> f64 {
        let moved = match (self.has, self.modelled) {
            (Some(has), Some(modelled)) if modelled > 0.0 && self.unit != "clocks" => has * self.measured / modelled,
            (Some(has), Some(modelled)) => has + self.measured - modelled,
            _ => self.measured,
        };
        moved.round().max(0.0)
    }
}

/// Returns all kernels of mechanisms, each with the target that it was compiled for.
pub fn kernels(results: &Results) -> impl Iterator<Item = (&str, &Kernel)> {
    results.packs.iter().flat_map(|pack| pack.kernels.iter().map(|kernel| (pack.target.as_str(), kernel)))
}

/// Returns all launches of other kernels, each with its target.
pub fn launches(results: &Results) -> impl Iterator<Item = (&str, &Launch)> {
    results.packs.iter().flat_map(|pack| pack.launches.iter().map(|launch| (pack.target.as_str(), launch)))
}

/// Reads the JSON.
///
/// # Errors
/// The text is not the runner's.
pub fn read(text: &str) -> Result<Results, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Returns all figures of the GPU.
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
        for board in &pack.boards {
            let row = |what, unit, entry: &'static str, measured| Row {
                target: pack.target.clone(),
                what,
                unit,
                entry,
                measured,
                modelled: None,
                has: target.and_then(|target| benchmark::entry(target, entry)),
            };
            rows.push(row("start of a kernel", "nanoseconds", benchmark::LAUNCH, board.launch_nanoseconds));
            let rotate = f64::from(u8::from(board.four_ctas_over_one < 2.5));
            rows.push(row("CTAs of four warps begin on different sub-partitions", "1 or 0", benchmark::ROTATE, rotate));
            let rate = board.gigabytes_per_second;
            rows.push(row(
                "device memory, as much read as written",
                "10^9 bytes per second",
                benchmark::DELIVERED,
                rate,
            ));
        }
    }
    rows
}

/// Prints all measurements as tables.
pub fn page(results: &Results) -> String {
    device(results) + &of_figures(results) + &of_mechanisms(results) + &of_launches(results)
}

/// Prints the kernels of mechanisms alone.
pub fn mechanisms_page(results: &Results) -> String {
    device(results) + &of_mechanisms(results)
}

/// Describes the GPU in a sentence.
fn device(results: &Results) -> String {
    let Device { name, compute_capability: [major, minor], multiprocessors, driver } = &results.device;
    format!("{name}, compute capability {major}.{minor}, {multiprocessors} multiprocessors, driver {driver}.\n")
}

/// Prints the rows, each beside the entry of the target's table; empty without rows.
fn of_figures(results: &Results) -> String {
    let rows = rows(results);
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n| what | target | measured | modelled | ratio | entry | it has | it would be |\n|---|---|--:|--:|--:|---|--:|--:|\n",
    );
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    for row in rows {
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

/// Prints kernels of mechanisms, measured beside predicted; empty if none was run.
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

/// Prints any kernels, measured beside predicted; empty if none was run.
fn of_launches(results: &Results) -> String {
    let rows = launches(results).map(|(target, launch)| {
        let Launch { kernel, launch: name, microseconds, predicted, elements, different, wrong, error, .. } = launch;
        let verdict = match (*different, *wrong) {
            (0, _) => format!("{elements} equal"),
            (_, 0) => format!("{different} of {elements} differ, by {error:.0e} at most"),
            (_, _) => format!("WRONG: {wrong} of {elements}"),
        };
        let ratio = predicted / microseconds;
        format!("| {kernel} | {name} | {target} | {microseconds:.2} | {predicted:.2} | {ratio:.2} | {verdict} |\n")
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "\nMicroseconds of a launch, its start included, with nothing in a cache before; values beside the simulator's:\n\n\
         | kernel | launch | target | measured | modelled | ratio | values |\n|---|---|---|--:|--:|--:|---|\n{rows}"
    )
}

/// Prints the entries that would change, in the format of the tables.
pub fn proposals(results: &Results) -> String {
    let changed = rows(results).into_iter().filter(|row| row.has != Some(row.proposed()));
    let line = |row: Row| {
        let has = row.has.map_or("no such entry".to_owned(), |has| has.to_string());
        format!(
            "{}.toml: {} = {} # measured on {}; was {has}\n",
            row.target,
            row.entry,
            if row.entry == benchmark::ROTATE {
                (row.proposed() > 0.5).to_string()
            } else {
                row.proposed().to_string()
            },
            results.device.name
        )
    };
    changed.map(line).collect()
}
