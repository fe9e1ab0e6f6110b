//! The place of a CTA in its grid, and its shape.

use ptx::inst::Special;

/// The place of a CTA in its grid, and its shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub cta: u32,
    pub ctas: [u32; 3],
    pub threads: [u32; 3],
    pub dynamic_shared: u64,
    /// CTAs of a cluster.
    pub cluster: [u32; 3],
}

impl Place {
    /// Returns the threads of the CTA.
    pub(super) fn size(self) -> u32 {
        self.threads.iter().product()
    }

    /// Returns the warps of the CTA.
    pub(super) fn warps(self) -> usize {
        self.size().div_ceil(32) as usize
    }

    /// Returns the place of a CTA by the number of its cluster and its rank there.
    pub(super) fn in_cluster(self, number: u32, rank: u32) -> Self {
        let Self { ctas, cluster, .. } = self;
        let clusters: [u32; 3] = std::array::from_fn(|i| ctas[i] / cluster[i]);
        let [first, own] = [split(number, clusters), split(rank, cluster)];
        let [x, y, z]: [u32; 3] = std::array::from_fn(|i| first[i] * cluster[i] + own[i]);
        Self { cta: x + ctas[0] * (y + ctas[1] * z), ..self }
    }

    /// Returns the existing lanes of a warp.
    pub(super) fn lanes(self, warp: usize) -> u32 {
        u32::MAX >> (32 - (self.size() - 32 * warp as u32).min(32))
    }

    /// Returns the value of a special register.
    pub(super) fn special(self, special: Special, warp: usize, lane: u32, shared_bytes: u64) -> u32 {
        let Self { cta, ctas, threads, dynamic_shared, cluster } = self;
        let thread = 32 * warp as u32 + lane;
        let ctaid = split(cta, ctas);
        let place = |at: usize| ctaid[at] % cluster[at];
        match special {
            Special::TidX => thread % threads[0],
            Special::TidY => thread / threads[0] % threads[1],
            Special::TidZ => thread / threads[0] / threads[1],
            Special::NtidX => threads[0],
            Special::NtidY => threads[1],
            Special::NtidZ => threads[2],
            Special::CtaidX => ctaid[0],
            Special::CtaidY => ctaid[1],
            Special::CtaidZ => ctaid[2],
            Special::NctaidX => ctas[0],
            Special::NctaidY => ctas[1],
            Special::NctaidZ => ctas[2],
            Special::ClusterIdX => ctaid[0] / cluster[0],
            Special::ClusterIdY => ctaid[1] / cluster[1],
            Special::ClusterIdZ => ctaid[2] / cluster[2],
            Special::NclusterIdX => ctas[0] / cluster[0],
            Special::NclusterIdY => ctas[1] / cluster[1],
            Special::NclusterIdZ => ctas[2] / cluster[2],
            Special::ClusterCtaidX => place(0),
            Special::ClusterCtaidY => place(1),
            Special::ClusterCtaidZ => place(2),
            Special::ClusterNctaidX => cluster[0],
            Special::ClusterNctaidY => cluster[1],
            Special::ClusterNctaidZ => cluster[2],
            Special::ClusterCtarank => place(0) + cluster[0] * (place(1) + cluster[1] * place(2)),
            Special::ClusterNctarank => cluster.iter().product(),
            Special::WarpId => warp as u32,
            Special::NwarpId => self.size().div_ceil(32),
            Special::LaneId => lane,
            Special::LanemaskEq => 1 << lane,
            Special::LanemaskLt => (1 << lane) - 1,
            Special::LanemaskLe => u32::MAX >> (31 - lane),
            Special::LanemaskGt => !(u32::MAX >> (31 - lane)),
            Special::LanemaskGe => u32::MAX << lane,
            Special::TotalSmemSize => shared_bytes as u32,
            Special::DynamicSmemSize => dynamic_shared as u32,
            // one multiprocessor, whose clock stands still
            Special::NsmId => 1,
            Special::SmId | Special::GridId | Special::Clock | Special::ClockHi => 0,
            Special::Clock64 | Special::GlobalTimer => 0,
        }
    }
}

/// Splits a number into one in each direction, x first.
fn split(number: u32, extents: [u32; 3]) -> [u32; 3] {
    [number % extents[0], number / extents[0] % extents[1], number / extents[0] / extents[1]]
}
