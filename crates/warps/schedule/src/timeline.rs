//! A schedule on a clock: every warp issues one double-precision slot per unit of time and waits at its barriers.
//!
//! The length compares schedules of one kernel; the blocks make its picture.

use super::{Phase, Schedule, SyncPoint};
use graph::{Graph, StepRef};

pub struct Timeline {
    pub blocks: Vec<Block>,
    pub barriers: Vec<Barrier>,
}

/// Steps of one shape that a warp runs in a row.
pub struct Block {
    pub warp: usize,
    pub phase: usize,
    pub start: u64,
    pub end: u64,
    /// The first of them.
    pub step: StepRef,
}

pub struct Barrier {
    pub id: u32,
    /// When the last participant comes.
    pub time: u64,
    /// Warps that only arrive, and when.
    pub arrive: Vec<(usize, u64)>,
    /// Warps that wait, and since when.
    pub wait: Vec<(usize, u64)>,
}

/// Lets time run.
pub fn timeline(graph: &Graph, schedule: &Schedule) -> Timeline {
    timeline_with(graph, schedule, &|_| true, &|_| None)
}

/// Lets time run for the steps that `taken` names, with other synchronisation points at those boundaries for which `instead`
/// has some.
pub fn timeline_with<'a>(
    graph: &Graph,
    schedule: &Schedule,
    taken: &dyn Fn(StepRef) -> bool,
    instead: &(dyn Fn(usize) -> Option<&'a [SyncPoint]> + 'a),
) -> Timeline {
    let mut now = vec![0u64; schedule.warps as usize];
    let mut line = Timeline { blocks: Vec::new(), barriers: Vec::new() };
    for (boundary, Phase { runs, syncs, .. }) in schedule.phases.iter().enumerate() {
        for (warp, run) in runs.iter().enumerate() {
            let run: Vec<StepRef> = run.iter().copied().filter(|&at| taken(at)).collect();
            for same in run.chunk_by(|&a, &b| alike(graph, a, b)) {
                let cost: u64 = same.iter().map(|&at| graph.body(at).slots().max(1)).sum();
                let start = now[warp];
                now[warp] += cost;
                line.blocks.push(Block { warp, phase: boundary, start, end: now[warp], step: same[0] });
            }
        }
        for s in instead(boundary).unwrap_or(syncs) {
            let members = |mask: u32| (0..schedule.warps as usize).filter(move |w| mask >> w & 1 == 1);
            let time = members(s.arrive | s.wait).map(|w| now[w]).max().unwrap_or(0);
            let arrive = members(s.arrive).map(|w| (w, now[w])).collect();
            let wait: Vec<(usize, u64)> = members(s.wait).map(|w| (w, now[w])).collect();
            for &(w, _) in &wait {
                now[w] = time;
            }
            line.barriers.push(Barrier { id: s.id, time, arrive, wait });
        }
    }
    line
}

/// Whether two steps make one block: equal shapes, and equal roles beside the QSSA warps.
fn alike(graph: &Graph, a: StepRef, b: StepRef) -> bool {
    graph.step(a).shape == graph.step(b).shape && graph.role(a) == graph.role(b)
}

impl Timeline {
    /// When the last warp is done.
    pub fn length(&self) -> u64 {
        let blocks = self.blocks.iter().map(|b| b.end);
        blocks.chain(self.barriers.iter().map(|b| b.time)).max().unwrap_or(0)
    }
}
