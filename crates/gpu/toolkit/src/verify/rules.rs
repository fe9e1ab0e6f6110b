//! The rules that kernels are checked against, as SARIF and baselines name them.

use warpsim::Kind;

/// A rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable name.
    pub id: &'static str,
    /// In one sentence.
    pub text: &'static str,
    /// Remedy.
    pub help: &'static str,
}

const RACE: Rule = Rule {
    id: "race",
    text: "Two accesses of shared memory by different warps, one of them a write, that nothing orders.",
    help: "Put a barrier of both warps between the two accesses, or use different places.",
};
const LANE_RACE: Rule = Rule {
    id: "lane-race",
    text: "Two accesses of shared memory by lanes of one warp, one of them a write, that nothing orders from sm_70 on.",
    help: "Put __syncwarp() (bar.warp.sync) of both lanes between the two accesses.",
};
const LANE_CONFLICT: Rule = Rule {
    id: "lane-conflict",
    text: "Lanes of one warp write different values to one word with one instruction.",
    help: "Let one lane write, or give each lane a place of its own.",
};
const UNWRITTEN: Rule = Rule {
    id: "unwritten-read",
    text: "Shared memory is read before anything was written there.",
    help: "Write the place in front of the read, with a barrier between if another warp writes it.",
};
const DEADLOCK: Rule = Rule {
    id: "deadlock",
    text: "Threads wait for ever.",
    help: "Let all threads that a barrier counts come to it, and arrive as often as others wait.",
};
const BARRIER: Rule = Rule {
    id: "barrier",
    text: "A named barrier is misused: its number, its count, its participants, or a use before the last one is over.",
    help: "Let whole warps come with one count, and let nobody come again before all have left.",
};
const MBARRIER: Rule = Rule {
    id: "mbarrier",
    text: "A barrier in shared memory is misused.",
    help: "Initialise it once, count arrivals and bytes per phase, and wait with the parity of the phase.",
};
const COPY: Rule = Rule {
    id: "asynchronous-copy",
    text: "An asynchronous copy has a wrong size or address, or reads data without a proxy fence.",
    help: "Put fence.proxy.async behind the writes that the copy reads; sizes and addresses are multiples of 16.",
};
const CLUSTER: Rule = Rule {
    id: "cluster",
    text: "Shared memory of another CTA of the cluster is accessed where it may not exist, or by an instruction that cannot.",
    help: "Put cluster barriers before the first and behind the last access.",
};
const ADDRESS: Rule = Rule {
    id: "address",
    text: "An access is out of bounds or misaligned.",
    help: "Check the address, and the bytes of shared memory that the launch adds.",
};
const MASK: Rule = Rule {
    id: "lane-mask",
    text: "An instruction of a warp names lanes that do not execute it, or reads one that does not take part.",
    help: "Compute the mask of the lanes in front of the branch, or execute the instruction outside of it.",
};
const OTHER: Rule =
    Rule { id: "not-executable", text: "The kernel cannot be executed so.", help: "The message names the cause." };
pub const NOT_ANALYSED: Rule = Rule {
    id: "not-analysed",
    text: "Something that matters depends on data, or is unknown: the kernel is neither proven nor wrong.",
    help: "Make the place independent of data, give the values of parameters, or simulate the kernel.",
};
pub const CONDITION: Rule = Rule {
    id: "condition",
    text: "The kernel is proven only if something about its data holds.",
    help: "Check what the message names.",
};

/// All rules, in the order of SARIF's list.
pub const ALL: [&Rule; 14] = [
    &RACE, &LANE_RACE, &LANE_CONFLICT, &UNWRITTEN, &DEADLOCK, &BARRIER, &MBARRIER, &COPY, &CLUSTER, &ADDRESS, &MASK,
    &OTHER, &NOT_ANALYSED, &CONDITION,
];

/// Returns the rule that a violation breaks.
pub fn of_violation(kind: &Kind) -> &'static Rule {
    match kind {
        Kind::Race { .. } => &RACE,
        Kind::LaneRace { .. } => &LANE_RACE,
        Kind::LaneConflict { .. } => &LANE_CONFLICT,
        Kind::Unwritten { .. } => &UNWRITTEN,
        Kind::Deadlock { .. } | Kind::Stuck { .. } => &DEADLOCK,
        Kind::Barrier { .. } | Kind::LanesApart(_) => &BARRIER,
        Kind::Mbarrier { .. } => &MBARRIER,
        Kind::Unfenced { .. } | Kind::Copy(_) => &COPY,
        Kind::NotOwn { .. } | Kind::NotThere { .. } => &CLUSTER,
        Kind::OutOfBounds { .. } | Kind::Misaligned { .. } | Kind::ReadOnly { .. } => &ADDRESS,
        Kind::InactiveLane { .. } | Kind::AbsentLane { .. } | Kind::UnnamedLane { .. } => &MASK,
        Kind::BranchIndex { .. } | Kind::BrokenClaim { .. } | Kind::Budget | Kind::Unsupported(_) => &OTHER,
    }
}
