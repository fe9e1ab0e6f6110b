//! Hazards: errors of a run, as data.

pub use super::mbarrier::MbarrierMisuse;
use super::memory::RANK_BITS;
use ptx::inst::Space;
use std::fmt::{self, Display, Formatter};

/// The hazards of one run, in the order in which they showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazards {
    pub kernel: String,
    pub list: Vec<Hazard>,
}

/// One hazard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    /// Number of the CTA; in a cluster, that of its first one.
    pub cta: u32,
    /// The instruction that showed it, with its warp.
    pub site: Option<Site>,
    pub kind: Kind,
}

/// An instruction at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Number of the warp; warps of a cluster are numbered consecutively, by the ranks of the CTAs.
    pub warp: u32,
    /// Position in the decoded code: the count of instructions before it in the layout.
    pub pc: u32,
    /// Line in the text that was read.
    pub line: Option<u32>,
    /// The instruction's PTX text.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// No warp can go on.
    Deadlock {
        waits: Vec<Wait>,
        /// Lanes that wait for a barrier in memory, for copies or for registers, with a description of what is missing.
        asleep: Vec<(Site, String)>,
        exited: Vec<u32>,
    },
    /// A barrier in shared memory is misused.
    Mbarrier {
        address: u64,
        misuse: MbarrierMisuse,
    },
    /// A copy accesses memory written before without a `fence.proxy.async` between.
    Unfenced {
        address: u64,
        access: Access,
        earlier_site: Site,
    },
    /// An access of the memory of another CTA of the cluster by an instruction that reaches its own only.
    NotOwn {
        address: u64,
    },
    /// An access of the memory of a CTA of the cluster that may not have begun, or may have ended.
    NotThere {
        rank: u32,
        ended: bool,
    },
    /// A copy has an invalid size or address.
    Copy(String),
    Barrier {
        id: u32,
        misuse: BarrierMisuse,
    },
    /// Lanes of one warp give different operands to one barrier instruction.
    LanesApart(&'static str),
    /// Two accesses to one word of shared memory, one of them a write, that no barrier orders.
    Race {
        address: u64,
        access: Access,
        earlier: Access,
        earlier_site: Site,
    },
    /// Lanes of one warp write different values to one word.
    LaneConflict {
        address: u64,
    },
    /// A read of a word that was never written.
    Unwritten {
        space: Space,
        address: u64,
    },
    OutOfBounds {
        space: Space,
        address: u64,
        lane: u32,
    },
    Misaligned {
        space: Space,
        address: u64,
        lane: u32,
    },
    /// A write to an input.
    ReadOnly {
        address: u64,
    },
    /// Two lanes of one warp access one word of shared memory, one of them writes it, and no `bar.warp.sync` is between.
    LaneRace {
        address: u64,
        access: Access,
        lane: u32,
        earlier: Access,
        earlier_lane: u32,
        earlier_site: Site,
    },
    /// A shuffle, or a product of matrices, reads a lane that does not take part.
    InactiveLane {
        lane: u32,
        source: u32,
    },
    /// An instruction whose mask names a lane that does not execute it together with `lane`.
    AbsentLane {
        lane: u32,
        absent: u32,
    },
    /// A lane executes an instruction whose mask does not name it.
    UnnamedLane {
        lane: u32,
        mask: u32,
    },
    /// All lanes of a warp that have not ended wait for others of them.
    Stuck {
        waits: Vec<LaneWait>,
    },
    /// An index of `brx.idx` past its table.
    BranchIndex {
        index: u64,
    },
    /// A claim about a value, which this lane disproves.
    BrokenClaim {
        claim: String,
        lane: u32,
        found: u64,
        expected: u64,
    },
    /// The run executed more instructions than the options allow.
    Budget,
    /// The simulator does not know the instruction, or the launch does not fit the kernel.
    Unsupported(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BarrierMisuse {
    /// The id is not one of 0 to 15.
    Id,
    /// The number of threads is not a positive multiple of 32, exceeds the CTA's, or is missing in `bar.arrive`.
    Threads(u32),
    /// The participants of one phase disagree on the number of threads.
    Mismatch { expected: u32, found: u32 },
    /// The warp arrives again before the phase is complete.
    Twice,
    /// The warp uses the barrier again, and no barrier orders that after warp `unseen` came to the phase before.
    Recycled { unseen: u32 },
    /// Not all lanes of the warp execute the barrier together.
    Divergent,
    /// `bar.red` and `bar.sync` or `bar.arrive` come to one phase.
    Mixed,
    /// A phase is incomplete at the end of the CTA although nobody waits: more arrivals than the phases before needed.
    Unmatched { arrived: u32, expected: u32 },
}

/// A warp that waits at a barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub site: Site,
    pub barrier: u32,
    /// Threads that have arrived, of those expected.
    pub arrived: u32,
    pub expected: u32,
}

/// Lanes of a warp that wait for the lanes that an instruction names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneWait {
    /// The instruction at which they wait.
    pub site: Site,
    /// The waiting lanes, one bit each.
    pub lanes: u32,
    /// The lanes that must come, of those that have not ended.
    pub named: u32,
}

impl std::error::Error for Hazards {}

impl Display for Hazards {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, hazard) in self.list.iter().enumerate() {
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}kernel {}, {hazard}", self.kernel)?;
        }
        Ok(())
    }
}

impl Display for Hazard {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "CTA {}", self.cta)?;
        if let Some(site) = &self.site {
            write!(f, ", {site}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl Display for Site {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "warp {} at line {line} `{}`", self.warp, self.text),
            None => write!(f, "warp {} at {} `{}`", self.warp, self.pc, self.text),
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mbarrier { address, misuse } => write!(f, "mbarrier at {}: {misuse}", At(*address)),
            Self::Unfenced { address, access, earlier_site } => {
                write!(
                    f,
                    "this {access} of a copy at {} and the write of {earlier_site}, with no fence.proxy.async between",
                    Place(Space::Shared, *address)
                )
            }
            Self::NotOwn { address } => {
                write!(f, "{}, but it accesses shared memory of its own CTA only", At(*address))
            }
            Self::NotThere { rank, ended } => {
                let what = if *ended { "may have ended" } else { "may not have begun" };
                write!(f, "CTA {rank} of the cluster {what}, and its shared memory is accessed")
            }
            Self::Copy(what) => write!(f, "{what}"),
            Self::Deadlock { waits, asleep, exited } => {
                write!(f, "deadlock")?;
                for (site, missing) in asleep {
                    write!(f, "; {site} waits, {missing}")?;
                }
                for wait in waits {
                    write!(f, "; {} waits, {} of {} threads arrived", wait.site, wait.arrived, wait.expected)?;
                }
                if exited.is_empty() { Ok(()) } else { write!(f, "; ended: warps {exited:?}") }
            }
            Self::LanesApart(what) => write!(f, "lanes of the warp name different {what}"),
            Self::Barrier { id, misuse } => write!(f, "barrier {id}: {misuse}"),
            Self::Race { address, access, earlier, earlier_site } => {
                write!(
                    f,
                    "race on {}: this {access} and the {earlier} of {earlier_site}",
                    Place(Space::Shared, *address)
                )
            }
            Self::LaneConflict { address } => {
                write!(f, "lanes write different values to {}", Place(Space::Shared, *address))
            }
            Self::Unwritten { space, address } => write!(f, "reads {} before it is written", Place(*space, *address)),
            Self::OutOfBounds { space, address, lane } => {
                write!(f, "lane {lane} is out of bounds at {}", Place(*space, *address))
            }
            Self::Misaligned { space, address, lane } => {
                write!(f, "lane {lane} is misaligned at {}", Place(*space, *address))
            }
            Self::ReadOnly { address } => write!(f, "writes an input at {}", Place(Space::Global, *address)),
            Self::InactiveLane { lane, source } => write!(f, "lane {lane} reads from lane {source}, which is inactive"),
            Self::LaneRace { address, access, lane, earlier, earlier_lane, earlier_site } => {
                write!(
                    f,
                    "race of lanes on {}: this {access} of lane {lane} and the {earlier} of lane {earlier_lane} of {earlier_site}, \
                     with no bar.warp.sync of both between",
                    Place(Space::Shared, *address)
                )
            }
            Self::AbsentLane { lane, absent } => {
                write!(f, "lane {lane} names lane {absent}, which does not execute it together with it")
            }
            Self::UnnamedLane { lane, mask } => write!(f, "lane {lane} is not in its own mask {mask:#010x}"),
            Self::Stuck { waits } => {
                write!(f, "deadlock of lanes")?;
                for LaneWait { site, lanes, named } in waits {
                    let missing = named & !lanes;
                    write!(f, "; lanes {lanes:#010x} of {site} wait for lanes {missing:#010x}")?;
                }
                Ok(())
            }
            Self::BranchIndex { index } => write!(f, "branch index {index} is past the table"),
            Self::BrokenClaim { claim, lane, found, expected } => {
                write!(f, "the claim that {claim} does not hold: lane {lane} has {found:#x} instead of {expected:#x}")
            }
            Self::Budget => write!(f, "the instruction budget is used up: probably an endless loop"),
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
        }
    }
}

/// An address for readers: the slot row and lane in shared memory, the buffer and element in global memory.
struct Place(Space, u64);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(space, address) = self;
        match space {
            Space::Shared => {
                let offset = address & ((1 << RANK_BITS) - 1);
                write!(f, "{} (row {}, lane {})", At(*address), offset / 256, offset % 256 / 8)
            }
            Space::Local => write!(f, "local {address} (row {})", address / 8),
            _ => {
                let (segment, offset) = super::memory::place(*address);
                write!(f, "segment {segment} byte {offset} (element {})", offset / 8)
            }
        }
    }
}

/// An address in shared memory, which may be one of another CTA of the cluster.
pub(super) struct At(pub u64);

impl Display for At {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let offset = self.0 & ((1 << RANK_BITS) - 1);
        match self.0 >> RANK_BITS {
            0 => write!(f, "shared {offset}"),
            number => write!(f, "shared {offset} of CTA {} of the cluster", number - 1),
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

impl Display for BarrierMisuse {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id => write!(f, "ids are 0 to 15"),
            Self::Threads(threads) => {
                write!(f, "{threads} threads is not a multiple of 32 between 32 and the CTA's size")
            }
            Self::Mismatch { expected, found } => {
                write!(f, "participants disagree: {expected} threads and {found} threads")
            }
            Self::Twice => write!(f, "the warp arrives twice in one phase"),
            Self::Recycled { unseen } => {
                write!(f, "used again although nothing tells that warp {unseen} has come to the phase before")
            }
            Self::Divergent => write!(f, "only some lanes of the warp execute it"),
            Self::Mixed => write!(f, "bar.red is mixed with bar.sync or bar.arrive in one phase"),
            Self::Unmatched { arrived, expected } => {
                write!(f, "left with {arrived} of {expected} threads at the end")
            }
        }
    }
}
