//! From a mapping to static schedules: which warp runs which step in which phase, where values lie in shared memory,
//! and the named barriers between phases (paper section 4.2).
//!
//! A schedule is a sequence of *phases*. In a phase every warp runs steps whose inputs it can see; at the boundary after
//! it, synchronisation points carry what other warps made. Boundaries are totally ordered and a warp meets them in that
//! order, which is what Theorem 1 of the paper asks for. [`proof::prove`] trusts none of this.
#![forbid(unsafe_code)]

pub mod balance;
mod banks;
pub mod barriers;
pub mod named_barriers;
mod nearest;
pub mod overlap;
pub mod phases;
pub mod proof;
pub mod refine;
pub mod single;
mod straight_line;
pub mod sync;
mod threshold_accepting;
pub mod timeline;
mod ways;

pub use phases::SHORTAGE;
pub use straight_line::longest as longest_straight;
pub use ways::{like, schedule, ways};

use cranelift_entity::SecondaryMap;

use graph::{Graph, StepRef, Value};
use machine::cost::Iteration;
use machine::target::Target;

/// A set of warps, one bit each.
pub type WarpMask = u32;

/// How shared memory is used (paper section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Store where everything fits, else mixed.
    Auto,
    /// Every value keeps a slot of its own for the whole iteration.
    Store,
    /// All values pass through a buffer as small as possible; slots are used again.
    Buffer,
    /// Values that many warps read are stored, the others pass through the rest.
    Mixed,
}

/// Where the values of a schedule lie: what a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// A row of shared memory, with an entry for each lane.
    Shared,
    /// A double of a thread in local memory.
    Local,
    /// A register of a thread, in straight-line code: as many as there are values and running states alive at once.
    Registers,
}

/// Resources that one CTA may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Target by whose clocks schedules are compared.
    pub target: &'static Target,
    /// Values of a whole group of points; `None` for thread-local memory, which has no such limit.
    pub slots: Option<u32>,
    /// Number of slots in shared memory, where the others lie in global memory; none where all lie in shared memory.
    pub in_shared: Option<u32>,
    /// Named barriers.
    pub barriers: u32,
    /// Doubles of running states that a warp should hold at most, for each of a lane's points.
    pub states: u32,
    /// Whether each warp has straight code of its own, in which values that only its own sums read pass in registers.
    pub straight: bool,
    /// Points of each lane; the warps meet once for all of them.
    pub points_per_lane: u32,
}

/// Fewer doubles than this do not hold the sums of one chunk of operations (`phases::order`).
const FEW_STATES: u32 = phases::order::CHUNK_STATES;

impl Limits {
    /// Whether a thread has room for so few doubles of running states that schedules which spare registers are better than
    /// short ones.
    pub fn are_registers_scarce(&self) -> bool {
        self.states < FEW_STATES
    }
}

#[derive(Debug, Clone)]
pub struct Schedule {
    pub warps: u32,
    pub phases: Vec<Phase>,
    /// `None`: the value passes in a register, from the step that makes it to steps of the same warp and phase behind it.
    pub slot_of: SecondaryMap<Value, Option<u32>>,
    pub slots: u32,
    /// The placement that was used in the end.
    pub placement: Placement,
    pub storage: Storage,
    /// Data dependences between warps, one per value that another warp reads: synchronisation points before grouping.
    pub crossing_values: u32,
}

#[derive(Debug, Clone)]
pub struct Phase {
    /// Steps of each warp, in order.
    pub runs: Vec<Vec<StepRef>>,
    /// The synchronisation points of the boundary after this phase. No warp takes part in two.
    pub syncs: Vec<SyncPoint>,
    /// The warps whose lanes wait for each other at this boundary, where no barrier makes them.
    pub warp_syncs: WarpMask,
}

/// A use of a named barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncPoint {
    pub id: u32,
    /// Warps that only announce what they have done.
    pub arrive: WarpMask,
    /// Warps that wait.
    pub wait: WarpMask,
    /// Threads that the barrier expects.
    pub threads: u32,
}

/// An entry of one warp's static schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Run(StepRef),
    Arrive {
        id: u32,
        threads: u32,
    },
    Sync {
        id: u32,
        threads: u32,
    },
    /// The lanes of the warp wait for each other.
    WarpSync,
    /// The end of a phase. Nothing waits here: it says which parts of the warps' programs are emitted side by side.
    Boundary,
}

impl Schedule {
    /// The static schedule of one warp for one iteration of the streaming loop.
    pub fn actions(&self, warp: u32) -> Vec<Action> {
        let mut actions = Vec::new();
        for phase in &self.phases {
            actions.extend(phase.runs[warp as usize].iter().map(|&at| Action::Run(at)));
            if phase.warp_syncs >> warp & 1 == 1 {
                actions.push(Action::WarpSync);
            }
            for s in &phase.syncs {
                if s.wait >> warp & 1 == 1 {
                    actions.push(Action::Sync { id: s.id, threads: s.threads });
                } else if s.arrive >> warp & 1 == 1 {
                    actions.push(Action::Arrive { id: s.id, threads: s.threads });
                }
            }
            actions.push(Action::Boundary);
        }
        actions
    }

    /// Returns the counts of one turn of the streaming loop, for comparing schedules of one kernel. Where registers are scarce, loads are
    /// free: a value that is loaded where it is used has held no register before.
    pub fn iteration(&self, graph: &Graph, limits: &Limits) -> Iteration {
        let rows: u64 = graph.steps().map(|at| graph.step(at).rows.len() as u64).sum();
        Iteration {
            warps: self.warps,
            points_per_lane: limits.points_per_lane,
            slots: timeline::timeline(graph, self).length(),
            barriers: self.sync_points(),
            loads: if limits.are_registers_scarce() && !limits.straight { 0 } else { rows / u64::from(self.warps) },
        }
    }

    /// Named barriers in use.
    pub fn barrier_ids(&self) -> u32 {
        let ids: std::collections::BTreeSet<u32> = self.phases.iter().flat_map(|p| &p.syncs).map(|s| s.id).collect();
        ids.len() as u32
    }

    /// Synchronisation points after grouping.
    pub fn sync_points(&self) -> u32 {
        self.phases.iter().map(|p| p.syncs.len() as u32).sum()
    }
}

/// A schedule with what was varied to find it, and what it costs.
#[derive(Debug, Clone)]
pub struct Way {
    pub schedule: Schedule,
    /// The most slots that one phase may fill.
    pub slots_per_phase: u32,
    /// Clocks of one turn of the streaming loop.
    pub clocks: f64,
}

/// All warps of a CTA.
pub fn all_warps(warps: u32) -> WarpMask {
    u32::MAX >> (32 - warps)
}
