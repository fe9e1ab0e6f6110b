//! Aligns the step sequences of several warps.

use super::merge::{Turn, merge};
use graph::{Graph, Part, Shape, StepRef};

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
pub fn align(graph: &Graph, sequences: &[&[StepRef]]) -> Vec<Batch> {
    let runs: Vec<Vec<(Kind, &[StepRef])>> = sequences.iter().map(|steps| runs(graph, steps)).collect();
    let kinds: Vec<Vec<Kind>> = runs.iter().map(|runs| runs.iter().map(|(kind, _)| *kind).collect()).collect();
    let mut rest: Vec<_> = runs.iter().map(|runs| runs.iter()).collect();
    let batch = |turn: Turn<Kind>| {
        let taken = rest.iter_mut().zip(turn.takes).map(|(rest, takes)| if takes { rest.next() } else { None });
        Batch {
            shape: turn.kind.shape,
            steps: taken.map(|run| run.map_or(Vec::new(), |(_, steps)| steps.to_vec())).collect(),
        }
    };
    merge(&kinds).into_iter().map(batch).collect()
}

/// Maximal runs of one kind.
fn runs<'a>(graph: &Graph, steps: &'a [StepRef]) -> Vec<(Kind, &'a [StepRef])> {
    let kind = |at: StepRef| Kind {
        shape: graph.step(at).shape,
        part: match at.part {
            Part::Prologue => 0,
            Part::Iteration(_) => 1,
            Part::Epilogue => 2,
        },
    };
    steps.chunk_by(|&a, &b| kind(a) == kind(b)).map(|run| (kind(run[0]), run)).collect()
}
