//! Trials of a kernel, and why each was not taken: data for the report.

use serde::Serialize;

use crate::forms::Variant;
use schedule::{Limits, Way};

/// A setting of everything that the compiler chooses by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub variant: Variant,
    pub inputs: Inputs,
    /// Options of the graph, by the fields above and by what the request fixes.
    pub options: kernels::Options,
    /// Points per lane, and the slots that are not taken by constants.
    pub limits: Limits,
}

/// Memory in which warps read the inputs of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inputs {
    /// Shared memory, where one warp puts each.
    Staged,
    /// Global memory, where each warp reads what it needs.
    Global,
    /// Global memory; and the log-space chemistry does without activities, which are two values per species.
    GlobalWithoutActivities,
}

/// Candidate with its outcome.
#[derive(Debug, Clone, Serialize)]
pub struct Trial {
    pub points_per_lane: u32,
    /// Form, with the way to multiply its constant matrices.
    pub form: String,
    /// None where the form was counted only.
    pub inputs: Option<Inputs>,
    /// Slots that the schedule might use; none where a thread keeps its values.
    pub slots: Option<u32>,
    pub score: Option<Score>,
    pub outcome: Outcome,
    /// Why it was not taken; empty for the one that was.
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Taken,
    /// It works, and another is better.
    Lost,
    /// There is no such kernel.
    Refused,
    /// Counted, but not scheduled.
    Counted,
}

/// Score by which candidates are compared.
#[derive(Debug, Clone, Serialize)]
pub struct Score {
    /// Clocks of an SM per point in the busiest pipe.
    pub clocks_per_point: f64,
    /// 32-bit registers that a thread holds from block to block, and how many of them it does not have.
    pub registers_held: u32,
    pub registers_lacking: u32,
    /// Ways to use shared memory, the shortest first: it is the candidate's own.
    pub schedules: Vec<ScheduleScore>,
}

/// One way to use shared memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScheduleScore {
    pub placement: String,
    /// The most slots that one phase may fill.
    pub slots_per_phase: u32,
    pub phases: usize,
    /// Barrier uses.
    pub barriers: u32,
    /// Clocks of one turn of the streaming loop.
    pub clocks: f64,
}

impl ScheduleScore {
    pub fn from_way(way: &Way) -> Self {
        let Way { schedule, slots_per_phase, clocks } = way;
        Self {
            placement: format!("{:?}", schedule.placement).to_lowercase(),
            slots_per_phase: *slots_per_phase,
            phases: schedule.phases.len(),
            barriers: schedule.sync_points(),
            clocks: *clocks,
        }
    }
}
