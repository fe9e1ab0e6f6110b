//! Synchronisation points to named barriers (paper section 4.2, last paragraph).
//!
//! Barrier 0 is kept for points at which all warps wait: it can follow itself. Any other barrier may be used again once
//! every participant of the new use knows that the old one completed, which a warp learns from one that waited there.
//! Where no barrier is left, the boundary becomes a point for all warps.

use super::sync::{self, Boundary, Point};
use super::{Schedule, SyncPoint, all_warps};

struct LastUse {
    boundary: u32,
    wait: u32,
}

/// Fills in `syncs` of every phase, using barriers 0 .. `limit`.
pub fn allocate(schedule: &mut Schedule, boundaries: &[Boundary], limit: u32) {
    let warps = schedule.warps;
    let everybody = Point { arrive: 0, wait: all_warps(warps) };
    let mut known = vec![vec![0u32; warps as usize]; warps as usize];
    let mut last: Vec<Option<LastUse>> = (1..limit.max(1)).map(|_| None).collect();
    for (k, boundary) in boundaries.iter().enumerate() {
        let k = k as u32;
        let mut points = boundary.points.clone();
        let ids = match assign(&points, &last, &known, &everybody) {
            Some(ids) => ids,
            None => {
                points = vec![everybody.clone()];
                vec![0]
            }
        };
        for (p, &id) in points.iter().zip(&ids) {
            if id > 0 {
                last[id as usize - 1] = Some(LastUse { boundary: k, wait: p.wait });
            }
            sync::learn(&mut known, p, k);
        }
        schedule.phases[k as usize].syncs = points
            .iter()
            .zip(&ids)
            .map(|(p, &id)| SyncPoint {
                id,
                arrive: p.arrive,
                wait: p.wait,
                threads: 32 * (p.arrive | p.wait).count_ones(),
            })
            .collect();
    }
}

/// A barrier for each point of a boundary, the first that is safe; `None` if one finds none.
fn assign(points: &[Point], last: &[Option<LastUse>], known: &[Vec<u32>], everybody: &Point) -> Option<Vec<u32>> {
    let mut taken = Vec::new();
    for p in points {
        if p == everybody {
            taken.push(0);
            continue;
        }
        let id = (1..=last.len() as u32).find(|&id| {
            !taken.contains(&id)
                && last[id as usize - 1].as_ref().is_none_or(|old| completed(old, p.arrive | p.wait, known))
        })?;
        taken.push(id);
    }
    Some(taken)
}

/// Whether every participant knows that the old use completed: it waited there, or knows the next phase of one that did.
fn completed(old: &LastUse, participants: u32, known: &[Vec<u32>]) -> bool {
    let waiters: Vec<usize> = (0..known.len()).filter(|&w| old.wait >> w & 1 == 1).collect();
    (0..known.len())
        .filter(|&w| participants >> w & 1 == 1)
        .all(|w| waiters.iter().any(|&waiter| waiter == w || known[w][waiter] > old.boundary + 1))
}
