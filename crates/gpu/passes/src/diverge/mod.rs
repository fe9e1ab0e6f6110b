//! Chooses what becomes of each divergent branch: it keeps the divergence stack, its sides are melded, or it becomes a mask,
//! with tests that skip sides without lanes or without them.
//!
//! A [`Model`] tells what versions of the kernel cost. Melds are tried one after the other, and those that do not lower the cost
//! are left out, and so are masks, branch by branch; what costs no less than the kernel as it was is not taken. The choice is a
//! [`Plan`], each of whose steps is proven when it is applied; at the end the plan is applied anew and has to give the version that
//! was chosen, at its cost. No version is taken whose registers leave an SM fewer warps than the kernel as it was, and without a launch none
//! that costs more where the lanes of all warps agree.

pub mod plan;
mod room;
mod search;

pub use plan::{Given, Plan, Step};
pub use search::{Choice, choose};

use super::options::Options;
use super::outcome::{Failure, Outcome, Report};
use ptx::cost::{Model, Static};
use ptx::ir::Module;
use serde_json::json;

/// See [`PASSES`](super::PASSES).
pub(super) fn pass(module: &Module, index: usize, options: &Options) -> Result<Outcome, Failure> {
    let given = Given {
        block: options.block,
        threshold: options.threshold,
        predicates: options.predication.predicates,
        sm: options.target.map(|target| target.compute_capability.number()),
        target: options.machine(module, &module.funcs[index].name).ok(),
        launch_shared: options.occupancy.launch_shared,
    };
    let model: &dyn Model = match &options.model {
        Some(model) => model.as_ref(),
        None => &Static,
    };
    let kernel = &module.funcs[index].name;
    let choice = choose(module, kernel, &given, model)?;
    let Choice { plan, before, after, versions, .. } = &choice;
    let summary = format!("{plan}; {after} instead of {before} {}, {versions} versions", model.name());
    let steps: Vec<String> = plan.steps.iter().map(ToString::to_string).collect();
    let data = json!({ "plan": steps, "before": before, "after": after, "cost": model.name(), "versions": versions });
    Ok(Outcome { module: choice.module, report: Report::new(summary, data) })
}
