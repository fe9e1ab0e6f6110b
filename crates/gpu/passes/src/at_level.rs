//! Occupancy as a pass: the kernel at the level that is asked for, or at the one that takes least time.

use super::allocation::refused;
pub use super::options::{OccupancyOptions as Options, TargetLevel};
use super::outcome::{Failure, Outcome, Report, counted};
use crate::occupancy::select::{Clock, Timed};
use crate::occupancy::{Demand, Refusal, Selection, Settings, Version, levels, realise, select};
use ptx::inst::Op;
use ptx::ir::{Func, FuncKind, Module};
use serde_json::{Value, json};

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, options: &super::options::Options) -> Result<Outcome, Failure> {
    let kernel = &module.funcs[index].name;
    let (demand, settings) = question(module, index, options)?;
    let failed = |refusal: Refusal| failure(kernel, refusal);
    match options.occupancy.level {
        TargetLevel::Warps(warps) => {
            let all = levels(settings.target, &demand);
            let Some(level) = all.iter().copied().find(|level| level.warps == warps) else {
                let possible: Vec<String> = all.iter().map(|level| level.warps.to_string()).collect();
                let message = match possible.is_empty() {
                    true => format!("{kernel}: no CTA fits an SM of {}", settings.target.name),
                    false => format!("{kernel} cannot have {warps} warps on an SM of {}", settings.target.name),
                };
                let help = format!("give one of the levels that it can have: {}", possible.join(", "));
                return Err(refused("opt::occupancy", message, &help));
            };
            let version = realise(module, index, &demand, level, &settings).map_err(failed)?;
            let (summary, data) = (describe(&version), as_json(&version));
            Ok(Outcome { module: version.module, report: Report::new(summary, data) })
        }
        TargetLevel::Auto => {
            let selection = select(module, index, &demand, &settings).map_err(failed)?.ok_or_else(|| {
                let message = format!("{kernel} can be realised at no level of {}", settings.target.name);
                refused("opt::occupancy", message, "`singe ptx occupancy K.ptx` shows the limits")
            })?;
            let report = Report::new(summary(&selection), selection_json(&selection));
            Ok(Outcome { module: selection.version().module.clone(), report })
        }
    }
}

/// Returns the demand of the kernel, and the settings for its versions.
///
/// # Errors
/// `opt::block` where nobody tells the shape of the CTA, `opt::target`, `opt::no-kernel` of a function, `opt::occupancy` with `setmaxnreg`.
pub fn question<'a>(
    module: &Module,
    index: usize,
    options: &'a super::options::Options,
) -> Result<(Demand, Settings<'a>), Failure> {
    let kernel = &module.funcs[index].name;
    if module.funcs[index].kind != FuncKind::Entry {
        let message = format!("{kernel} is a function, and occupancy is that of kernels");
        return Err(refused("opt::no-kernel", message, "name a kernel with --kernel"));
    }
    if gives_registers(&module.funcs[index]) {
        let message =
            format!("{kernel}: warps give registers to each other with setmaxnreg, and have no one number of them");
        return Err(refused("opt::occupancy", message, "take setmaxnreg out, or leave the registers as they are"));
    }
    let target = options.machine(module, kernel)?;
    let demand =
        Demand::for_kernel(module, index, options.block, options.occupancy.launch_shared).ok_or_else(|| {
            let message =
                format!("{kernel}: occupancy depends on the number of threads in a CTA, which the text does not tell");
            refused("opt::block", message, "give the shape of the CTA with --block")
        })?;
    let super::allocation::Options { predicates, algorithm, rewriting, .. } = options.allocation;
    let model = options.model.as_deref();
    let source = options.source.as_ref();
    Ok((demand, Settings { target, block: options.block, predicates, algorithm, rewriting, model, source }))
}

/// Whether the kernel has `setmaxnreg`.
fn gives_registers(func: &Func) -> bool {
    let insts = func.layout.iter().flat_map(|block| &func.blocks[*block].insts);
    insts.into_iter().any(|inst| match &func.insts[*inst].op {
        Op::Opaque { opcode, .. } => opcode.starts_with("setmaxnreg"),
        _ => false,
    })
}

fn failure(kernel: &str, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Unproven(diagnostics) => Failure::Unproven(diagnostics),
        Refusal::Registers(few) => {
            refused("opt::registers", format!("{kernel} cannot have this level: {few}"), "ask for fewer warps")
        }
        Refusal::TooFewResident => {
            let message = format!("{kernel}: {refusal}");
            refused("opt::occupancy", message, "ask for more warps")
        }
    }
}

fn describe(version: &Version) -> String {
    let [_, shared, local] = version.values();
    let mut text = format!(
        "{} warps in {}, at most {} registers per thread; {shared} values spilled to shared memory and {local} to local memory",
        version.level.warps,
        counted(version.level.blocks as usize, "CTA"),
        version.registers
    );
    if version.padding > 0 {
        text += &format!("; {} bytes of shared memory keep more CTAs away", version.padding);
    }
    if version.launch_shared > 0 {
        text += &format!("; launch with {} bytes of shared memory", version.launch_shared);
    }
    text
}

/// A version for programs.
pub fn as_json(version: &Version) -> Value {
    let (local, shared) = version.spilled_bytes();
    json!({
        "level": version.level,
        "registers": version.registers,
        "assembled_registers": version.assembled,
        "spilled_local_bytes_per_thread": local,
        "spilled_shared_bytes_per_thread": shared,
        "spills": version.spills,
        "padding_bytes": version.padding,
        "static_shared_bytes": version.static_shared,
        "launch_shared_bytes": version.launch_shared,
    })
}

fn summary(selection: &Selection) -> String {
    let by = match (selection.clock, &selection.not_modelled) {
        (Clock::Model, _) => "by the model of time".to_owned(),
        (Clock::Estimate, None) => "by an estimate".to_owned(),
        (Clock::Estimate, Some(why)) => format!("by an estimate, as the model of time could not be asked: {why}"),
    };
    let mut text = format!("{}, chosen {by}", describe(selection.version()));
    for (at, timed) in selection.tried.iter().enumerate() {
        let Timed { version, clocks, padded } = timed;
        let how = if *padded { "by padding" } else { "realised" };
        let mark = if at == selection.chosen { " <" } else { "" };
        text += &format!(
            "\n  {:>3} warps: {:>3} registers, {clocks:.0} clocks, {how}{mark}",
            version.level.warps, version.registers
        );
    }
    text
}

/// A selection for programs.
pub fn selection_json(selection: &Selection) -> Value {
    let tried = |timed: &Timed| {
        let mut value = as_json(&timed.version);
        value["clocks"] = json!(timed.clocks);
        value["padded"] = json!(timed.padded);
        value
    };
    json!({
        "direction": selection.direction,
        "clock": selection.clock,
        "not_modelled": selection.not_modelled,
        "chosen": selection.chosen,
        "tried": selection.tried.iter().map(tried).collect::<Vec<_>>(),
        "refused": selection.refused.iter().map(|(level, why)| json!({ "level": level, "why": why })).collect::<Vec<_>>(),
    })
}
