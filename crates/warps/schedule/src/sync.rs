//! Synchronisation points: which warps must have reached which phase before others go on, grouped by boundary.
//!
//! Every dependence between warps (a value read by another warp; a slot used again) asks that the work of warp a up to
//! phase p is done before warp b begins phase q > p. It is met at the last boundary before q, unless what b already knows
//! then covers it. The needs of one boundary are grouped: warps that depend on each other share one point.

use graph::Graph;
use mapping::Mapping;

use super::{Schedule, WarpMask};

/// The needs of one boundary, as points with disjoint warps.
#[derive(Debug, Clone, Default)]
pub struct Boundary {
    pub points: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    pub arrive: WarpMask,
    pub wait: WarpMask,
}

/// Work of warp `from` up to `after` must precede work of warp `to` from `before` on.
#[derive(Debug, Clone, Copy)]
struct Need {
    from: u32,
    after: u32,
    to: u32,
    before: u32,
}

/// One boundary per phase. The last one closes the iteration: it waits for everybody, so that the next group of points
/// may use every slot again.
pub fn boundaries(graph: &Graph, mapping: &Mapping, schedule: &Schedule) -> Vec<Boundary> {
    let mut needs = needs(graph, mapping, schedule);
    needs.sort_by_key(|n| (n.before, n.from, n.to, n.after));
    let warps = schedule.warps as usize;
    // known[b][a]: phases of a that b knows to be done
    let mut known = vec![vec![0u32; warps]; warps];
    let mut boundaries = vec![Boundary::default(); schedule.phases.len()];
    let mut i = 0;
    for (k, boundary) in boundaries.iter_mut().enumerate() {
        let mut edges = Vec::new();
        while i < needs.len() && needs[i].before as usize == k + 1 {
            let n = needs[i];
            if known[n.to as usize][n.from as usize] <= n.after {
                edges.push((n.from, n.to));
            }
            i += 1;
        }
        boundary.points = group(&edges, schedule.warps);
        for p in &boundary.points {
            learn(&mut known, p, k as u32);
        }
    }
    if warps > 1
        && let Some(last) = boundaries.last_mut()
    {
        last.points = vec![Point { arrive: 0, wait: super::all_warps(schedule.warps) }];
    }
    boundaries
}

/// After the point at boundary `k`, every waiter knows what all participants knew and did.
pub fn learn(known: &mut [Vec<u32>], point: &Point, k: u32) {
    let members: Vec<usize> = (0..known.len()).filter(|&w| (point.arrive | point.wait) >> w & 1 == 1).collect();
    let mut joined = vec![0u32; known.len()];
    for &m in &members {
        for (all, own) in joined.iter_mut().zip(&known[m]) {
            *all = (*all).max(*own);
        }
        joined[m] = k + 1;
    }
    for &m in &members {
        if point.wait >> m & 1 == 1 {
            for (own, all) in known[m].iter_mut().zip(&joined) {
                *own = (*own).max(*all);
            }
        }
    }
}

/// Connected components of the edges; targets wait, the others arrive.
fn group(edges: &[(u32, u32)], warps: u32) -> Vec<Point> {
    let mut sets = petgraph::unionfind::UnionFind::<u32>::new(warps as usize);
    for &(a, b) in edges {
        sets.union(a, b);
    }
    let mut points: Vec<(u32, Point)> = Vec::new();
    for &(a, b) in edges {
        let root = sets.find(a);
        let point = match points.iter_mut().find(|(r, _)| *r == root) {
            Some((_, point)) => point,
            None => {
                points.push((root, Point { arrive: 0, wait: 0 }));
                &mut points.last_mut().expect("just pushed").1
            }
        };
        point.arrive |= 1 << a;
        point.wait |= 1 << b;
    }
    let mut points: Vec<Point> = points.into_iter().map(|(_, p)| Point { arrive: p.arrive & !p.wait, ..p }).collect();
    points.sort_by_key(|p| (p.arrive | p.wait).trailing_zeros());
    points
}

fn needs(graph: &Graph, mapping: &Mapping, schedule: &Schedule) -> Vec<Need> {
    // Per slot, in time order: (phase of the write, writer, per reading warp the first and last phase of reading).
    struct Life {
        written: u32,
        writer: u32,
        reads: Vec<(u32, u32, u32)>,
    }
    let mut life_of = std::collections::BTreeMap::new();
    let mut by_slot: Vec<Vec<Life>> = (0..schedule.slots).map(|_| Vec::new()).collect();
    for (p, phase) in schedule.phases.iter().enumerate() {
        let p = p as u32;
        for at in phase.runs.iter().flatten() {
            let warp = mapping.warp_of[at.op];
            let step = graph.step(*at);
            for &v in &step.inputs {
                // A value that passes in a register stays in its warp.
                let Some(slot) = schedule.slot_of[v].map(|slot| slot as usize) else { continue };
                let index: usize = life_of[&v];
                let reads = &mut by_slot[slot][index].reads;
                match reads.iter_mut().find(|r| r.0 == warp) {
                    Some(r) => r.2 = p,
                    None => reads.push((warp, p, p)),
                }
            }
            for &v in &step.outputs {
                let Some(slot) = schedule.slot_of[v].map(|slot| slot as usize) else { continue };
                life_of.insert(v, by_slot[slot].len());
                by_slot[slot].push(Life { written: p, writer: warp, reads: Vec::new() });
            }
        }
    }
    let mut needs = Vec::new();
    let mut need = |from: u32, after: u32, to: u32, before: u32| {
        if from != to {
            needs.push(Need { from, after, to, before });
        }
    };
    for lives in &by_slot {
        for life in lives {
            for &(reader, first, _) in &life.reads {
                need(life.writer, life.written, reader, first);
            }
        }
        for pair in lives.windows(2) {
            let (old, new) = (&pair[0], &pair[1]);
            need(old.writer, old.written, new.writer, new.written);
            for &(reader, _, last) in &old.reads {
                need(reader, last, new.writer, new.written);
            }
        }
    }
    needs
}
