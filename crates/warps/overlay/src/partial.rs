//! Partial overlay ([`super::Codegen::Partial`]): the warps share some batches, and each has its steps of the others in straight code of its own.
//!
//! In straight code the slots, rows and constants of a step are written into its instructions. Shared code looks them
//! up, and is there once. So steps become straight code in the order of the cost of their look-ups for the bytes of the
//! copies, as long as all code stays within the cache for instructions. Beyond it they do so only if they save more
//! instructions than the copies have. An instruction that is fetched from farther away takes about as long as one more
//! that is issued.

use super::align::{self, Batch};
use super::phases::Phase;
use graph::{Graph, Step, StepRef};

/// Decisions for a kernel.
pub struct Plan {
    /// Whether the warps have copies of their own: by phase and batch, in the order of [`align::align`].
    pub has_copies: Vec<Vec<bool>>,
    /// Approximate bytes of the code.
    pub bytes: usize,
}

/// Bytes of an instruction.
const INSTRUCTION: usize = 16;
/// Instructions that look up a slot or a row, and a constant.
const INDEX: usize = 2;
const CONSTANT: usize = 1;
/// Instructions by which a warp passes code of others.
const GUARD: usize = 3;
/// Instructions by which a warp gets into code of its own, and out of it.
const SWITCH: usize = 12;

/// Instructions that one batch would save, and the bytes that they cost.
struct Choice {
    phase: usize,
    batch: usize,
    /// Instructions of all warps.
    saved: usize,
    bytes: usize,
}

/// Decides for a cache of this size.
pub fn plan(graph: &Graph, phases: &[Phase], cache_bytes: usize) -> Plan {
    let mut plan = Plan { has_copies: Vec::new(), bytes: 0 };
    let mut choices = Vec::new();
    for (at, phase) in phases.iter().enumerate() {
        let sequences: Vec<&[StepRef]> = phase.runs.iter().map(Vec::as_slice).collect();
        let batches = align::align(graph, &sequences);
        for (number, batch) in batches.iter().enumerate() {
            let shared = INSTRUCTION * instructions(graph, batch, first(graph, batch), true);
            plan.bytes += shared;
            if graph.shapes[batch.shape].tensor.is_none() {
                choices.push(choice(graph, batch, at, number, shared));
            }
        }
        plan.has_copies.push(vec![false; batches.len()]);
    }
    // the most for a byte first; the order of the code where that is equal
    choices.sort_by(|a, b| (b.saved * a.bytes).cmp(&(a.saved * b.bytes)));
    for choice in &choices {
        plan.take(choice, choice.saved, cache_bytes);
    }
    // a batch between batches that are apart costs one more way through the warps' own code
    for choice in &choices {
        let apart = &plan.has_copies[choice.phase];
        let is_apart = |at: Option<usize>| at.is_some_and(|at| apart.get(at).copied().unwrap_or(false));
        let parts = is_apart(choice.batch.checked_sub(1)) && is_apart(Some(choice.batch + 1));
        if parts && !apart[choice.batch] {
            plan.take(choice, choice.saved + SWITCH * phases[choice.phase].runs.len(), cache_bytes);
        }
    }
    plan
}

impl Plan {
    /// Takes the batch out of the shared code where that saves time.
    fn take(&mut self, choice: &Choice, saved: usize, cache_bytes: usize) {
        if self.bytes + choice.bytes <= cache_bytes || INSTRUCTION * saved >= choice.bytes {
            self.bytes += choice.bytes;
            self.has_copies[choice.phase][choice.batch] = true;
        }
    }
}

fn choice(graph: &Graph, batch: &Batch, phase: usize, number: usize, shared: usize) -> Choice {
    let steps = || batch.steps.iter().flatten().map(|&at| graph.step(at));
    let apart: usize = steps().map(|step| INSTRUCTION * instructions(graph, batch, step, false)).sum();
    let looked_up: usize = steps().map(|step| INDEX * indices(step) + CONSTANT * step.constants.len()).sum();
    let is_everybodys = batch.steps.iter().all(|steps| !steps.is_empty());
    let saved = looked_up + if is_everybodys { 0 } else { GUARD * batch.steps.len() };
    Choice { phase, batch: number, saved, bytes: apart.saturating_sub(shared).max(1) }
}

/// Returns the number of instructions of a step, with those that look up its operands if `looks_up`.
fn instructions(graph: &Graph, batch: &Batch, step: &Step, looks_up: bool) -> usize {
    let looked_up = if looks_up { INDEX * indices(step) + CONSTANT * step.constants.len() } else { 0 };
    graph.shapes[batch.shape].slots() as usize + indices(step) + looked_up
}

fn indices(step: &Step) -> usize {
    step.inputs.len() + step.outputs.len() + step.rows.len() + step.stores.len()
}

fn first<'a>(graph: &'a Graph, batch: &Batch) -> &'a Step {
    let at = batch.steps.iter().flatten().next().expect("a batch has a step");
    graph.step(*at)
}
