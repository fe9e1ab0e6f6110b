//! One kernel on one target: all levels, the choice among a few, and ptxas's version of the original kernel.

use super::Candidate;
use super::remembered::Remembered;
use machine::target::{Target, occupancy};
use machine::toolchain::{Installation, installations};
use passes::allocate::Algorithm;
use passes::allocate::spill_location::Rewriting;
use passes::occupancy::header::Ladder;
use passes::occupancy::select::{Clock, ctas};
use passes::occupancy::settle::settle;
use passes::occupancy::{Demand, Direction, Settings, Version, every, select};
use ptx::Module;
use ptx::cost::Model;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::process::Command;
use warpsim::Appraisal;

/// A level with its cycles, and bytes per thread that are spilled.
#[derive(Serialize, Deserialize)]
pub struct Level {
    pub ctas: u32,
    pub cycles: f64,
    pub spilled: u64,
}

/// A level that was taken: its CTAs, registers per thread of the machine code, and cycles.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Taken {
    pub ctas: u32,
    pub registers: u32,
    pub cycles: f64,
}

#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    pub target: String,
    pub max_live: u32,
    pub warps_per_cta: u32,
    pub direction: Direction,
    pub levels: Vec<Level>,
    /// Number of levels that nothing realises, or whose machine code cannot be run.
    pub refused: usize,
    pub chosen: Taken,
    /// Level that ptxas takes by itself: that of the original kernel.
    pub default: Taken,
    pub versions: usize,
    pub iterations: usize,
    /// Number of levels whose text each release of ptxas took: all that can be realised.
    pub assembled: Vec<(String, usize)>,
    pub dip: Option<u32>,
}

impl Measured {
    pub fn best(&self) -> f64 {
        self.levels.iter().map(|level| level.cycles).fold(f64::INFINITY, f64::min)
    }

    pub fn worst(&self) -> f64 {
        self.levels.iter().map(|level| level.cycles).fold(0.0, f64::max)
    }

    /// Returns the level of the best of all, the lowest of several.
    pub fn best_ctas(&self) -> u32 {
        self.levels.iter().find(|level| level.cycles <= self.best()).map_or(0, |level| level.ctas)
    }

    pub fn line(&self) -> String {
        let Self { name, target, chosen, default, versions, iterations, .. } = self;
        let levels: Vec<String> = self.levels.iter().map(|l| format!("{}: {:.0}", l.ctas, l.cycles)).collect();
        format!(
            "{name} on {target}: {chosen:?} of {versions} versions in {iterations} iterations, default {default:?}; {} ({} refused)",
            levels.join(", "),
            self.refused
        )
    }
}

/// # Errors
/// The compilers are missing, or the model cannot time the kernel.
pub fn measured(candidate: &Candidate, target: &'static Target) -> Result<Measured, String> {
    let arch = target.compute_capability.number();
    let module = Module { sm: arch, version: None, ..(candidate.module)(target)? };
    let entry = candidate.entry.clone().or_else(|| module.entries().next().map(|entry| entry.name.clone()));
    let entry = entry.ok_or("there is no kernel")?;
    let index = module.funcs.iter().position(|func| func.name == entry).ok_or("there is no kernel")?;
    let (launch, setup) = (&candidate.setup.launch, &candidate.setup);
    let appraisal = Appraisal::new(&module, &entry, setup, Some(target)).map_err(|unfit| format!("{unfit:?}"))?;
    if !appraisal.runs_machine_code() {
        return Err("its machine code cannot be run".to_owned());
    }
    let model = Remembered::new(appraisal);
    let shared = u32::try_from(launch.shared).map_err(|e| e.to_string())?;
    let demand = Demand::for_kernel(&module, index, Some(launch.threads), shared).ok_or("no shape")?;
    let settings = Settings {
        target,
        block: Some(launch.threads),
        predicates: 7,
        algorithm: Algorithm::ChaitinBriggs,
        rewriting: Rewriting::AffRA,
        model: Some(&model),
        source: None,
    };
    let (clock, rows) = every(&module, index, &demand, &settings).map_err(|refusal| format!("{refusal:?}"))?;
    let selection = select(&module, index, &demand, &settings).map_err(|refusal| format!("{refusal:?}"))?;
    let selection = selection.filter(|selection| (clock, selection.clock) == (Clock::Model, Clock::Model));
    let selection = selection.ok_or("the model of time cannot run its versions")?;
    let ladder = Ladder::new(&selection);
    let times: Vec<f64> = ladder.versions.iter().map(|timed| timed.clocks).collect();
    let settled = settle(times.len(), ladder.original, ladder.direction, |version| times[version]);

    let registers = model.registers(&module, &entry).ok_or("nothing assembles it")?;
    let cycles = model.cycles_of_ctas(&module, &entry, ctas(target, &demand), shared);
    let default = Taken {
        ctas: occupancy(target, demand.kernel(registers, demand.shared())).blocks,
        registers,
        cycles: cycles.map_err(|unfit| format!("{unfit:?}"))? as f64,
    };
    let version = selection.version();
    let chosen = Taken {
        ctas: version.level.blocks,
        registers: version.assembled.unwrap_or(version.registers),
        cycles: selection.tried[selection.chosen].clocks,
    };
    let made: Vec<&Version> = rows.iter().filter_map(|(_, row)| Some(&row.as_ref().ok()?.version)).collect();
    let texts: BTreeSet<String> = made.iter().map(|version| version.module.to_string()).collect();
    let levels = rows.iter().filter_map(|(level, row)| {
        let timed = row.as_ref().ok()?;
        let (local, shared) = timed.version.spilled_bytes();
        Some(Level { ctas: level.blocks, cycles: timed.clocks, spilled: local + shared })
    });
    Ok(Measured {
        name: candidate.name.clone(),
        target: target.name.to_owned(),
        max_live: demand.max_live,
        warps_per_cta: demand.warps(),
        direction: selection.direction,
        levels: levels.collect(),
        refused: rows.iter().filter(|(_, row)| row.is_err()).count(),
        chosen,
        default,
        versions: selection.versions(),
        iterations: settled.tried.len(),
        assembled: assembled(made.len(), &texts, target)?,
        dip: candidate.dip,
    })
}

/// Counts the levels that each ptxas takes that knows the architecture. That of the model has assembled all of them already.
///
/// # Errors
/// One ptxas refuses one of them.
fn assembled(levels: usize, texts: &BTreeSet<String>, target: &Target) -> Result<Vec<(String, usize)>, String> {
    let arch = target.compute_capability;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    let serving = installations().iter().filter(|installation| installation.architectures.contains(&arch));
    for (number, installation) in serving.enumerate() {
        for text in texts.iter().filter(|_| number > 0) {
            let (from, to) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
            std::fs::write(&from, text).map_err(|e| e.to_string())?;
            let Installation { ptxas, .. } = installation;
            let made = Command::new(ptxas).arg(format!("-arch={}", arch.sm())).arg(&from).arg("-o").arg(&to).output();
            let made = made.map_err(|e| e.to_string())?;
            if !made.status.success() {
                return Err(format!("ptxas {}: {}", installation.version(), String::from_utf8_lossy(&made.stderr)));
            }
        }
        found.push((installation.version(), levels));
    }
    Ok(found)
}
