//! Aligns the step sequences of several warps.

use crate::graph::{Graph, Part, Shape, StepRef};

/// Steps of one kind that follow each other in one warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    shape: Shape,
    part: u8,
}

/// A batch: steps of one shape, by warp (in the order of the sequences; empty for warps without).
pub struct Batch {
    pub shape: Shape,
    pub steps: Vec<Vec<StepRef>>,
}

/// Merges the sequences into batches. Every warp's order is kept.
///
/// Each turn takes a kind that stands at the head of some sequences and, if there is a choice, does not come again later
/// in a sequence that has another kind at its head: taking it now would split what could be one batch.
pub fn align(graph: &Graph, sequences: &[&[StepRef]]) -> Vec<Batch> {
    let mut queues: Vec<Vec<(Kind, &[StepRef])>> = sequences.iter().map(|s| runs(graph, s)).collect();
    let mut batches = Vec::new();
    while let Some(kind) = next(&queues) {
        let steps = queues
            .iter_mut()
            .map(|queue| {
                if queue.last().is_some_and(|(k, _)| *k == kind) {
                    queue.pop().map(|(_, steps)| steps.to_vec()).unwrap_or_default()
                } else {
                    Vec::new()
                }
            })
            .collect();
        batches.push(Batch { shape: kind.shape, steps });
    }
    batches
}

/// Maximal runs of one kind, last first.
fn runs<'a>(graph: &Graph, steps: &'a [StepRef]) -> Vec<(Kind, &'a [StepRef])> {
    let kind = |at: StepRef| Kind {
        shape: graph.step(at).shape,
        part: match at.part {
            Part::Prologue => 0,
            Part::Iteration(_) => 1,
            Part::Epilogue => 2,
        },
    };
    let mut runs: Vec<_> = steps.chunk_by(|&a, &b| kind(a) == kind(b)).map(|run| (kind(run[0]), run)).collect();
    runs.reverse();
    runs
}

fn next(queues: &[Vec<(Kind, &[StepRef])>]) -> Option<Kind> {
    let heads: Vec<Kind> = queues.iter().filter_map(|q| q.last().map(|(k, _)| *k)).collect();
    let comes_later = |kind: Kind| {
        let others = queues.iter().filter(|q| q.last().is_some_and(|(k, _)| *k != kind));
        others.flatten().any(|(k, _)| *k == kind)
    };
    heads.iter().copied().find(|&k| !comes_later(k)).or_else(|| {
        // Every choice splits something: take what most warps have.
        heads.iter().copied().rev().max_by_key(|k| heads.iter().filter(|h| *h == k).count())
    })
}
