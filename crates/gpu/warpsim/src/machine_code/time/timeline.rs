//! Activity of each warp over time: clocks by cause in bins of equal length, and the meetings of warps.

use super::cause::Cause;

/// Most bins of a warp.
const BINS: u64 = 1024;

/// Clocks by cause.
pub type Bin = [u32; Cause::ALL.len()];

/// The run of all warps, for pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// Clocks per bin: a power of two, as small as the longest warp allows.
    pub clocks_per_bin: u64,
    /// The bins of each warp, of all CTAs one after the other, from clock 0 to its end.
    pub warps: Vec<Vec<Bin>>,
    /// End time of each warp.
    pub ends: Vec<u64>,
    pub meetings: Vec<Meeting>,
}

/// A phase of a named barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    pub cta: usize,
    pub barrier: u32,
    /// Each warp that came, and its time.
    pub arrivals: Vec<(usize, u64)>,
    /// Warps that waited, and the time at which they could go on.
    pub waiting: Vec<usize>,
    pub released: u64,
}

impl Timeline {
    pub(super) fn new(warps: usize) -> Self {
        Self { clocks_per_bin: 1, warps: vec![Vec::new(); warps], ends: vec![0; warps], meetings: Vec::new() }
    }

    /// Adds clocks of a warp from `start` on to one cause.
    pub(super) fn spend(&mut self, warp: usize, cause: Cause, start: u64, clocks: u64) {
        let end = start + clocks;
        self.ends[warp] = self.ends[warp].max(end);
        while end > BINS * self.clocks_per_bin {
            self.coarsen();
        }
        // A shift, as divisions would take most of the time.
        let (bins, width) = (&mut self.warps[warp], self.clocks_per_bin.trailing_zeros());
        let mut from = start;
        while from < end {
            let bin = from >> width;
            if bin as usize >= bins.len() {
                bins.resize(bin as usize + 1, Bin::default());
            }
            let until = end.min((bin + 1) << width);
            bins[bin as usize][cause as usize] += (until - from) as u32;
            from = until;
        }
    }

    fn coarsen(&mut self) {
        self.clocks_per_bin *= 2;
        for bins in &mut self.warps {
            let pair = |pair: &[Bin]| std::array::from_fn(|cause| pair.iter().map(|bin| bin[cause]).sum());
            *bins = bins.chunks(2).map(pair).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_grow_and_lose_no_clock() {
        let mut line = Timeline::new(2);
        line.spend(0, Cause::Issued, 0, 3);
        line.spend(0, Cause::Barrier, 3, 3000);
        line.spend(1, Cause::Issued, 1, 1);
        assert_eq!(line.clocks_per_bin, 4);
        assert_eq!(line.warps[0].len(), 3003usize.div_ceil(4));
        let sum = |cause: Cause| line.warps[0].iter().map(|bin| bin[cause as usize]).sum::<u32>();
        assert_eq!((sum(Cause::Issued), sum(Cause::Barrier)), (3, 3000));
        assert_eq!((line.warps[0][0][0], line.warps[1][0][0]), (3, 1));
        assert!(line.warps[0].iter().all(|bin| bin.iter().sum::<u32>() <= 4));
    }
}
