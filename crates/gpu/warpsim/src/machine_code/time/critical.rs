//! Warps that the others wait for.

use super::Timing;

impl Timing {
    /// Returns the clocks of each warp that the end of its CTA waits for. The path goes from the end back along the warp that ends last, to
    /// the barrier that held it. From there it follows the warp that came to that barrier last, and so on to the start.
    pub fn critical_path(&self, warps_per_cta: usize) -> Vec<u64> {
        let mut held: Vec<Vec<Hold>> = vec![Vec::new(); self.warps.len()];
        for meeting in &self.timeline.meetings {
            let Some(&(last, came)) = meeting.arrivals.iter().max_by_key(|(_, time)| *time) else { continue };
            for &warp in &meeting.waiting {
                held[warp].push(Hold { released: meeting.released, last, came });
            }
        }
        let mut path = vec![0; self.warps.len()];
        let all: Vec<usize> = (0..self.warps.len()).collect();
        for cta in all.chunks(warps_per_cta.max(1)) {
            let ends = cta.iter().map(|&warp| (warp, self.timeline.ends[warp])).max_by_key(|(_, end)| *end);
            let Some((mut warp, mut now)) = ends else { continue };
            // a barrier without latency lets its last warp go on in the clock in which it came: it was not held
            let holds = |hold: &&Hold, now: u64| hold.released <= now && hold.came < now;
            while let Some(hold) = held[warp].iter().rev().find(|hold| holds(hold, now)) {
                path[warp] += now - hold.came;
                (warp, now) = (hold.last, hold.came);
            }
            let start = self.timeline.ends[warp] - self.warps[warp].cycles();
            path[warp] += now.saturating_sub(start);
        }
        path
    }
}

/// A barrier that held a warp until a time, because another warp came last.
#[derive(Clone, Copy)]
struct Hold {
    released: u64,
    last: usize,
    came: u64,
}
